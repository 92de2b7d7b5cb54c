"""What a person sees while a scan runs: the file at hand and its rows, on a terminal; a line per file with
--verbose."""

from __future__ import annotations

import os
from typing import IO, Any


class ProgressDisplay:
    """Receives the engine's progress. Quiet by default; `on` chooses what suits standard error."""

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, source: str, rows: int) -> None:
        """`rows` rows of `source` are scanned so far."""

    @staticmethod
    def on(stream: IO[str], quiet: bool, verbose: bool) -> ProgressDisplay:
        if verbose:
            return ProgressLines()
        terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        return ProgressBar() if terminal and not quiet else ProgressDisplay()


class ProgressLines(ProgressDisplay):
    """A line for each file, when the next one starts or the scan ends."""

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None

    def __enter__(self) -> ProgressDisplay:
        from piiscan.cli import output
        from piiscan.core import memory

        memory.tell = output.say
        return self

    def __exit__(self, *_: object) -> None:
        from piiscan.core import memory

        memory.tell = None
        self._say()

    def update(self, source: str, rows: int) -> None:
        # A file's next table begins with few rows again.
        if self._last is not None and (self._last[0] != source or self._last[1] > rows):
            self._say()
        self._last = (source, rows)

    def _say(self) -> None:
        from piiscan.cli import output
        from piiscan.report.verdict_words import count

        if self._last is not None:
            output.say(f"read {self._last[0]}: {count(self._last[1], 'row')}")
        self._last = None


class ProgressBar(ProgressDisplay):
    """A live line on a terminal: files done, the file at hand (the end of its path), its rows. Gone when the scan
    ends."""

    OTHERS = 50
    """Columns for all but the path."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[source]}", markup=False),
            TextColumn("{task.completed:,} rows"),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._room = max(12, console.width - self.OTHERS)
        self._task: Any = None
        self._source: str | None = None
        self._done = -1

    def __enter__(self) -> ProgressDisplay:
        self._progress.start()
        self._task = self._progress.add_task("", total=None, source="reading", done="")
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, source: str, rows: int) -> None:
        from piiscan.report.verdict_words import count, printable

        if source != self._source:
            self._source, self._done = source, self._done + 1
        done = f"{count(self._done, 'file')} done" if self._done else ""
        name = printable(source)
        name = name if len(name) <= self._room else f"...{name[3 - self._room :]}"
        self._progress.update(self._task, completed=rows, source=name, done=done)
