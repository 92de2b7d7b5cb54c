"""The progress that a person sees while a scan runs.

On a terminal the current file and its rows; with --verbose a line per file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from piiscan.core.checkpoints import Elsewhere
    from piiscan.io.walk import Ahead, Input


class ProgressDisplay:
    """Receives the engine's progress. Quiet by default; `on` chooses what suits standard error."""

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, source: str, rows: int) -> None:
        """`rows` rows of `source` are scanned so far."""

    def follow(self, ahead: Ahead) -> Ahead:
        """The same, whose progress is shown."""
        return ahead

    def expect_files(self, inputs: Iterable[Input]) -> None:
        """Announce the files that each step goes through."""

    def begin_step(self, doing: str) -> None:
        """Begin another step over all files."""

    def open(self, one: Input) -> None:
        """Begin to read the only input, perhaps not for the first time."""

    @staticmethod
    def on(stream: IO[str], quiet: bool, verbose: bool) -> ProgressDisplay:
        if verbose:
            return ProgressLines()
        terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        return ProgressBar() if terminal and not quiet else ProgressDisplay()


class ProgressLines(ProgressDisplay):
    """A line for each file, when the next one starts or the scan ends."""

    DONE: Final = {"looking at": "looked at", "masking": "masked", "checking": "checked"}

    def __init__(self) -> None:
        self._last: tuple[str, int] | None = None
        self._did = "read"

    def begin_step(self, doing: str) -> None:
        self._say()
        self._did = self.DONE[doing]

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
        # A file's next table begins with no rows again.
        if self._last is not None and (self._last[0] != source or self._last[1] > rows):
            self._say()
        self._last = (source, rows)

    def _say(self) -> None:
        from piiscan.cli import output
        from piiscan.report.verdict_words import count

        if self._last is not None:
            output.say(f"{self._did} {self._last[0]}: {count(self._last[1], 'row')}")
        self._last = None


class ProgressBar(ProgressDisplay):
    """A live line on a terminal: the current file, what is done, and the time left.

    The end of the file's path and its rows; files and bytes done, of all that there are; bytes a second, and the time
    that the rest will take at that rate. It is removed when the command ends.
    """

    OTHERS = 50
    """Columns for all but the path,"""
    SIZES = 50
    """for bytes and files, where these are known,"""
    RATES = 30
    """and for the rate and the time that is left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        self._width = console.width
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[source]}", markup=False),
            TextColumn("{task.fields[rows]:,} rows"),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._task: Any = None
        self._source: str | None = None
        self._room = max(12, console.width - self.OTHERS)
        self._files = self._bytes = 0
        self._all: _All | None = None
        self._at: Input | None = None
        self._doing = ""
        self._sizes: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        self._totals: dict[str, int] = {}
        self._seen: set[str] = set()

    def __enter__(self) -> ProgressDisplay:
        self._progress.start()
        self._task = self._progress.add_task("", total=None, source="reading", rows=0, done="")
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def follow(self, ahead: Ahead) -> Ahead:
        return _Followed(ahead, self)

    def expect(self, files: int, size: int) -> None:
        """Announce all files that will be read, and their bytes together."""
        from rich.progress import DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

        is_new, self._all = self._all is None, _All(files, size)
        self._progress.update(self._task, total=size)
        if not is_new:
            return
        sizes, rates = DownloadColumn(), (TransferSpeedColumn(), TimeRemainingColumn(compact=True), TextColumn("left,"))
        spinner, source, rows, done, elapsed = self._progress.columns
        has_room = self._width >= 12 + self.SIZES + self.RATES
        self._progress.columns = (spinner, source, rows, done, sizes, *(rates if has_room else ()), elapsed)
        self._room = max(12, self._width - self.SIZES - (self.RATES if has_room else 0) - 10)

    def expect_files(self, inputs: Iterable[Input]) -> None:
        listed = [one for one in islice(inputs, _Followed.MOST + 1) if one.file]
        if len(listed) <= _Followed.MOST:
            self._sizes = {one.source: one.file.size for one in listed if one.file}
            self.expect(len(listed), sum(self._sizes.values()))

    def begin_step(self, doing: str) -> None:
        self._doing, self._source, self._files, self._bytes = f"{doing} ", None, 0, 0
        self._totals |= self._rows
        self._seen.clear()
        self._progress.reset(self._task, completed=0, source=doing, rows=0, done="")

    def open(self, one: Input) -> None:
        if one.file is not None:
            self.expect(1, one.file.size)
            self._progress.reset(self._task, completed=0, source=self._source or "reading", rows=0, done="")
            self._at, self._sizes = one, {one.source: one.file.size}
            self._totals |= self._rows

    def begin(self, one: Input) -> None:
        """Begin this input: all before it are done."""
        self._end()
        self._at = one
        self._show(one.source, 0)

    def end(self) -> None:
        """End: all inputs are done."""
        self._end()
        self._show(self._source or "", 0)

    def _end(self) -> None:
        if self._at is not None and self._at.file is not None:
            self._files += 1
            self._bytes += self._at.file.size
        self._at = None

    def update(self, source: str, rows: int) -> None:
        if self._at is None:  # nobody tells which input is at hand
            before, file = (None if name is None else name.split("!")[0] for name in (self._source, source))
            if before not in (None, file) and before not in self._seen:
                self._seen.add(before or "")
                self._files += 1
                self._bytes += self._sizes.get(before or "", 0)
        if self._sizes:
            self._rows[source] = rows
        self._show(source, rows)

    def _show(self, source: str, rows: int) -> None:
        from piiscan.report.verdict_words import count, printable

        self._source = source
        done = f"{count(self._files, 'file')} done" if self._files else ""
        size = self._bytes
        if self._all is not None:
            done = f"{self._files:,} of {count(self._all.files, 'file')}" if self._all.files > 1 else ""
            read = 0
            if self._at is not None and self._at.file is not None and self._at.account is not None:
                read = min(self._at.account.at, self._at.file.size)
            if read == 0 and source in self._sizes and source not in self._seen:  # whose rows were counted before
                total = self._totals.get(source, 0)
                read = self._sizes[source] * min(rows, total) // total if total else 0
            size += read
        name, room = printable(source), self._room - len(self._doing)
        name = name if len(name) <= room else f"...{name[3 - room :]}"
        self._progress.update(self._task, completed=size, source=f"{self._doing}{name}", rows=rows, done=done)


class _All(NamedTuple):
    files: int
    size: int


class _Followed:
    """Inputs whose progress is shown. `inner` reads them."""

    MOST = 50_000
    """Inputs that are listed before the first is read, to say how many there are; of more it isn't said."""

    def __init__(self, inner: Ahead, bar: ProgressBar) -> None:
        self._inner, self._bar = inner, bar

    def follow(self, inputs: Iterable[Input]) -> Iterator[tuple[Input, Callable[[], Elsewhere | None]]]:
        left = iter(inputs)
        listed = list(islice(left, self.MOST + 1))
        if len(listed) <= self.MOST and all(one.source != "-" for one in listed):
            sizes = [one.file.size for one in listed if one.file]  # no links that lead nowhere
            self._bar.expect(len(sizes), sum(sizes))
        for one, read in self._inner.follow(chain(listed, left)):
            self._bar.begin(one)
            yield one, read
        self._bar.end()
