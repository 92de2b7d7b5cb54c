"""The processes of a scan: small files, and pieces of large ones, are read by whichever has nothing to do, and
reported in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, Self

from piiscan.core import memory, worker_processes
from piiscan.core.checkpoints import UNWATCHED, Checkpoints, Elsewhere
from piiscan.core.worker_processes import Task, Turn, Turns, WorkerProcesses
from piiscan.io.read_options import ReadOptions
from piiscan.io.walk import FileOnDisk, Input, tables_of
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine
from piiscan.scanning.summing import PieceWork, Threads
from piiscan.scanning.worker import Setup

MANY: Final = 24
"""Files to read for each process: fewer take less time than a process takes to start. So many for each are looked for
beyond the one that is reported."""
SMALL: Final = 4 << 20
"""Bytes of a file that one process reads alone."""
LARGE: Final = 128 << 20
"""Bytes of a table that are worth another process: libraries parse on several threads in one process, too."""
PIECES: Final = 6
"""Pieces for each process that may be begun, or be done, before it is their turn."""
_ONE: Final = 256 << 20
"""Bytes of memory that a worker takes, about: its libraries, and what it reads."""
_HERE: Final = 384 << 20
"""Bytes that this process needs besides."""

_Results = tuple[Any, ...]


class _File(Turn[_Results]):
    def __init__(self, one: Input, file: FileOnDisk | None, here: Callable[[], _Results]) -> None:
        super().__init__(here)
        self.input, self.file = one, file


class Crew:
    """Up to `options.processes`, this one included, that read the files of a scan. Others than this one are started
    when there is enough to do, and end with the context.

    This process reports, and does what is next whenever it would have to wait. Nothing that it tells depends on the
    others: what one of them doesn't do, it does itself. `keeps_summaries`: as in `engine.JudgedTable`.
    """

    def __init__(
        self, rules: RuleSet, options: engine.ScanOptions, read: ReadOptions, keeps_summaries: bool = False
    ) -> None:
        room = (memory.allowed() - _HERE) // _ONE
        # A pipeline of spaCy takes seconds to load, and much memory.
        is_worth_it = worker_processes.can_start() and options.spacy is None
        self._most = min(options.processes - 1, room) if is_worth_it else 0
        self._rules, self._options, self._read = rules, options, read
        self._keeps_summaries = keeps_summaries
        self._workers: WorkerProcesses | None = None
        self._files: Turns[_Results] = Turns()
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
        """As `io.walk.Ahead` says."""
        if self._most < 1:
            for one in inputs:
                yield one, _nothing
            return
        ahead = MANY * (self._most + 1)
        for one in inputs:
            self._add(one)
            if len(self._files) > ahead:
                yield self._next()
        while self._files:
            yield self._next()

    def _add(self, one: Input) -> None:
        file = one.file
        if file is not None and (file.size > SMALL or self._checkpoints.knows(one.source)):
            file = None
        turn = _File(one, file, partial(self._scanned, file))
        self._files.add(turn)
        self._submit(turn)

    def _submit(self, turn: Turn[_Results]) -> None:
        if self._workers is not None and isinstance(turn, _File) and turn.file is not None:
            turn.future = self._workers.submit(Task("piiscan.scanning.worker:scan_file", (turn.file,)))

    def _next(self) -> tuple[Input, Callable[[], Elsewhere | None]]:
        if self._workers is None:
            count = sum(isinstance(turn, _File) and turn.file is not None for turn in self._files)
            self._start(count // MANY)
        first = self._files.next()
        assert isinstance(first, _File)
        if first.input.file is not None:
            self._start(first.input.file.size // LARGE)  # while its first rows are looked at
        return first.input, partial(self._results, first)

    def _results(self, one: _File) -> Elsewhere | None:
        """What came of an input; None where nobody has begun to read it, or could not."""
        return Elsewhere(one.result()) if self._files.settle(one) else None

    def _scanned(self, file: FileOnDisk | None) -> _Results:
        assert file is not None
        work = engine.Work(engine.prefilter_of(self._rules), self._options, self._threads, self._keeps_summaries)
        return tuple(engine.outcome(found, work) for found in tables_of(file, self._read))

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
        for turn in self._files:
            self._submit(turn)

    def pieces_ahead(self, size: int) -> int:
        """How many pieces of a table of `size` bytes to begin before the first is done; 0 where this process reads it
        alone."""
        self._start(size // LARGE)
        return 0 if self._workers is None or size < LARGE else PIECES * (self._most + 1)

    def submit(self, turn: Turn[Any], work: PieceWork) -> None:
        """Have the piece done, before all files."""
        if self._workers is not None:
            turn.future = self._workers.submit(Task("piiscan.scanning.worker:sum_piece", (work,)), is_urgent=True)


def _nothing() -> None:
    return None
