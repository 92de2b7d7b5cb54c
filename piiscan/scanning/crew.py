"""The processes of a scan, which read small files and pieces of large ones.

Each takes the next one when it is free; results are reported in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Self

from piiscan.core import worker_processes
from piiscan.core.checkpoints import UNWATCHED, Checkpoints, Elsewhere
from piiscan.core.types import Found, ScanReport, Table
from piiscan.core.worker_processes import LARGE, MANY, Task, Turn, Turns, WorkerProcesses
from piiscan.io.read_options import ReadOptions
from piiscan.io.walk import FileOnDisk, Input, tables_of
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, small_tables
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions
from piiscan.scanning.summing import Threads
from piiscan.scanning.worker import Setup

SMALL: Final = 4 << 20
"""Bytes of a file that one process reads alone."""
TOGETHER_BYTES: Final = 1 << 22
"""Bytes of several files that it reads together."""
TOGETHER: Final = 64
"""Files that a process reads together, at most."""
GROUPS: Final = 2
"""Such groups for each process that are looked for, however many files they are."""
PIECES: Final = 6
"""Pieces for each process that may be begun, or be done, before it is their turn."""

_Results = tuple[Any, ...]


class _Group(Turn[tuple[_Results, ...]]):
    """Inputs one behind the other: files that are read together, or one input that waits for its own turn."""

    def __init__(self, inputs: Sequence[Input], files: tuple[FileOnDisk, ...], here: Callable[[], Any]) -> None:
        super().__init__(here)
        self.inputs, self.files = inputs, files


class Crew:
    """Up to `options.processes`, this one included, that read the files of a scan.

    Others than this one are started when there is enough to do, and end with the context.

    This process reports, and does what is next whenever it would have to wait. Nothing that it tells depends on the
    others: what one of them doesn't do, it does itself. `keeps_summaries`: as in `engine.JudgedTable`.
    """

    def __init__(self, rules: RuleSet, options: ScanOptions, read: ReadOptions, keeps_summaries: bool = False) -> None:
        # A pipeline of spaCy takes seconds to load, and much memory.
        self._most = worker_processes.affordable(options.processes) if options.spacy is None else 0
        self._rules, self._options, self._read = rules, options, read
        self._keeps_summaries = keeps_summaries
        self._workers: WorkerProcesses | None = None
        self._waiting: Turns[tuple[_Results, ...]] = Turns()
        self._ahead, self._are_many, self._adds = 0, False, True
        self._threads = Threads(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()
            self._checkpoints.employ(())
        self._threads.__exit__()

    @property
    def _checkpoints(self) -> Checkpoints:
        return self._read.checkpoints

    def follow(self, inputs: Iterable[Input]) -> Iterator[tuple[Input, Callable[[], Elsewhere | None]]]:
        """As `io.walk.Ahead` says. `MANY` for each process are looked for beyond the one that is reported."""
        ahead = MANY * (self._most + 1)
        for group in self._groups(inputs):
            self._waiting.add(group)
            self._ahead += len(group.inputs)
            self._submit(group)
            while self._ahead > ahead and len(self._waiting) > GROUPS * (self._most + 1):
                yield from self._next()
        while self._waiting:
            yield from self._next()

    def _groups(self, inputs: Iterable[Input]) -> Iterator[_Group]:
        together: list[Input] = []
        files: list[FileOnDisk] = []
        left, most = TOGETHER_BYTES, 1 if self._checkpoints.one_by_one else TOGETHER
        for one in inputs:
            file = one.file
            if file is not None and (file.size > SMALL or self._checkpoints.knows(one.source)):
                file = None
            if together and (file is None or file.size > left or len(together) == most):
                yield self._group(together, files)
                together, files, left = [], [], TOGETHER_BYTES
            if file is None:
                yield self._group([one], [])
            else:
                together.append(one)
                files.append(file)
                left -= file.size
        if together:
            yield self._group(together, files)

    def _group(self, inputs: Sequence[Input], files: Sequence[FileOnDisk]) -> _Group:
        return _Group(inputs, tuple(files), partial(self._scanned, tuple(files)))

    def _submit(self, turn: Turn[Any]) -> None:
        if self._workers is not None and isinstance(turn, _Group) and turn.files:
            turn.future = self._workers.submit(Task("piiscan.scanning.worker:scan_files", (turn.files, self._adds)))

    def _next(self) -> Iterator[tuple[Input, Callable[[], Elsewhere | None]]]:
        if self._workers is None:
            count = sum(len(group.files) for group in self._waiting if isinstance(group, _Group))
            self._are_many |= count >= MANY
            self._start(count // MANY)
        group = self._waiting.next()
        assert isinstance(group, _Group)
        self._ahead -= len(group.inputs)
        if (file := group.inputs[0].file) is not None:
            self._start(file.size // LARGE)  # while its first rows are looked at
        for i, one in enumerate(group.inputs):
            yield one, partial(self._results, group, i)

    def _results(self, group: _Group, i: int) -> Elsewhere | None:
        """The results of an input; None where no process has begun to read it, or one has failed."""
        if not self._waiting.settle(group) and self._are_many and len(group.files) > 1:
            group.do()
        return Elsewhere(group.result()[i], partial(self._again, group.inputs[i])) if group.is_done else None

    def _again(self, one: Input) -> Iterable[Found]:
        """The tables of an input whose sum can't be used as it was added to others: nor can those to come."""
        self._adds = False
        return one.read()

    def _scanned(self, files: tuple[FileOnDisk, ...]) -> tuple[_Results, ...]:
        work = engine.Work(engine.prefilter_of(self._rules), self._options, self._threads, self._keeps_summaries)
        several = partial(self._checkpoints.open_several, files[0].source)
        return small_tables.outcomes([tables_of(file, self._read) for file in files], work, several, self._adds)

    def _start(self, count: int) -> None:
        """Start up to so many processes."""
        count = min(self._most, count)
        if count < 1 or self._workers is not None:
            return
        shipped = self._rules is rule_sets.shipped().rules
        setup = Setup(
            None if shipped else self._rules,
            self._options._replace(jobs=1, processes=1),
            self._read._replace(rules=None, checkpoints=UNWATCHED),
            self._read.rules is not None,
            self._keeps_summaries,
            dict(self._checkpoints.lost),
        )
        task = Task("piiscan.scanning.worker:prepare", (setup,))
        self._workers = WorkerProcesses(count, task, self._checkpoints.employ)
        for turn in self._waiting:
            self._submit(turn)

    def pieces_ahead(self, size: int) -> int:
        """How many pieces of a table of `size` bytes to begin before the first is done.

        0 where this process reads it alone.
        """
        self._start(size // LARGE)
        return 0 if self._workers is None or size < LARGE else PIECES * (self._most + 1)

    def submit(self, turn: Turn[Any], task: Task) -> None:
        """Have the task of a piece done, before all files."""
        if self._workers is not None:
            turn.future = self._workers.submit(task, is_urgent=True)


def scan_table(
    table: Table, rules: RuleSet, options: ScanOptions, read: ReadOptions, progress: Progress | None = None
) -> ScanReport:
    """The report on one table; a large one is read by several processes. `read`: the options that it was opened by."""
    with Crew(rules, options, read) as crew:
        return engine.scan_tables([table], rules, options, progress, helpers=crew)
