"""What a person sees while a scan runs: the file at hand and its rows, on a terminal; a line per file with --verbose."""

from __future__ import annotations

from typing import IO, Any


class Watch:
    """Receives the engine's progress. Quiet by default; `on` chooses what suits standard error."""

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, source: str, rows: int) -> None:
        """`rows` rows of `source` are scanned so far."""

    @staticmethod
    def on(stream: IO[str], quiet: bool, verbose: bool) -> Watch:
        if verbose:
            return Lines()
        return Bar() if not quiet and stream.isatty() else Watch()


class Lines(Watch):
    """A line for each file, when the next one starts or the scan ends."""

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None

    def __exit__(self, *_: object) -> None:
        self._say()

    def update(self, source: str, rows: int) -> None:
        if self._last is not None and self._last[0] != source:
            self._say()
        self._last = (source, rows)

    def _say(self) -> None:
        import click

        if self._last is not None:
            click.echo(f"read {self._last[0]}: {self._last[1]:,} rows", err=True)
        self._last = None


class Bar(Watch):
    """A live line on a terminal: files done, the file at hand, its rows. Gone when the scan ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[source]}", markup=False),
            TextColumn("{task.completed:,} rows"),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: Any = None
        self._source: str | None = None
        self._done = -1

    def __enter__(self) -> Watch:
        self._progress.start()
        self._task = self._progress.add_task("", total=None, source="reading", done="")
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, source: str, rows: int) -> None:
        from piiscan.report.words import printable

        if source != self._source:
            self._source, self._done = source, self._done + 1
        done = f"{self._done} files done" if self._done else ""
        self._progress.update(self._task, completed=rows, source=printable(source), done=done)
