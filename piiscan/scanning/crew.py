"""The processes of a scan: small files are read by whichever has nothing to do, and reported in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from typing import Any, Final, Self

from piiscan.core import memory, worker_processes
from piiscan.core.checkpoints import UNWATCHED, Checkpoints, Elsewhere
from piiscan.core.worker_processes import Lost, Task, WorkerProcesses
from piiscan.io.read_options import ReadOptions
from piiscan.io.walk import FileOnDisk, Input, tables_of
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine
from piiscan.scanning.summing import Threads
from piiscan.scanning.worker import Setup

MANY: Final = 24
"""Files to read for each process: fewer take less time than a process takes to start. So many for each are looked for
beyond the one that is reported."""
SMALL: Final = 4 << 20
"""Bytes of a file that one process reads alone."""
_ONE: Final = 200 << 20
"""Bytes of memory that a worker takes, about: its libraries, and a small file."""
_HERE: Final = 384 << 20
"""Bytes that this process needs besides."""


class _Waiting:
    """An input, and what came of it if it was read before its turn."""

    def __init__(self, one: Input, file: FileOnDisk | None) -> None:
        self.input, self.file = one, file
        self.future: Future[Any] | None = None
        self.results: tuple[Any, ...] | None = None


class Crew:
    """Up to `jobs` processes, this one included, that read the files of a scan. Others than this one are started when
    there is enough to do, and end with the context.

    This process reports, and reads what is next whenever it would have to wait. Nothing that it tells depends on the
    others: what one of them doesn't do, it does itself. `keeps_summaries`: as in `engine.JudgedTable`.
    """

    def __init__(
        self, jobs: int, rules: RuleSet, options: engine.ScanOptions, read: ReadOptions, keeps_summaries: bool = False
    ) -> None:
        room = (memory.allowed() - _HERE) // _ONE
        # A pipeline of spaCy takes seconds to load, and much memory.
        is_worth_it = worker_processes.can_start() and options.spacy is None
        self._most = min(jobs - 1, room) if is_worth_it else 0
        self._rules, self._options, self._read = rules, options, read
        self._keeps_summaries = keeps_summaries
        self._workers: WorkerProcesses | None = None
        self._waiting: deque[_Waiting] = deque()
        self._threads = Threads(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()
            self._read.checkpoints.employ(())
        self._threads.__exit__()

    def follow(self, inputs: Iterable[Input]) -> Iterator[tuple[Input, Callable[[], Elsewhere | None]]]:
        """As `io.walk.Ahead` says."""
        if self._most < 1:
            for one in inputs:
                yield one, _nothing
            return
        ahead = MANY * (self._most + 1)
        for one in inputs:
            self._add(one)
            if len(self._waiting) > ahead:
                yield self._next()
        while self._waiting:
            yield self._next()

    def _add(self, one: Input) -> None:
        file = one.file
        if file is not None and (file.stamp[2] > SMALL or self._checkpoints.knows(one.source)):
            file = None
        self._waiting.append(_Waiting(one, file))
        self._submit(self._waiting[-1])

    def _next(self) -> tuple[Input, Callable[[], Elsewhere | None]]:
        if self._workers is None:
            count = sum(waiting.file is not None for waiting in self._waiting) // MANY
            if count:
                self._start(min(self._most, count))
        first = self._waiting.popleft()
        return first.input, partial(self._results, first)

    def _start(self, count: int) -> None:
        shipped = self._rules is rule_sets.shipped().rules
        setup = Setup(
            None if shipped else self._rules,
            self._options._replace(jobs=1),
            self._read._replace(rules=None, checkpoints=UNWATCHED),
            self._keeps_summaries,
            dict(self._checkpoints.lost),
        )
        self._workers = WorkerProcesses(
            count, Task("piiscan.scanning.worker:prepare", (setup,)), self._checkpoints.employ
        )
        for waiting in self._waiting:
            self._submit(waiting)

    def _submit(self, waiting: _Waiting) -> None:
        if self._workers is not None and waiting.file is not None:
            waiting.future = self._workers.submit(Task("piiscan.scanning.worker:scan_file", (waiting.file,)))

    @property
    def _checkpoints(self) -> Checkpoints:
        return self._read.checkpoints

    def _results(self, one: _Waiting) -> Elsewhere | None:
        """What came of an input; None where nobody has begun to read it, or could not."""
        future = one.future
        if future is not None and not future.cancel():
            while not future.done():
                if (more := self._unbegun()) is None:
                    wait((future,))
                else:
                    more.results = self._scanned(more)
            with suppress(Lost):
                one.results = future.result()
        return None if one.results is None else Elsewhere(one.results)

    def _unbegun(self) -> _Waiting | None:
        """The next input that nobody reads yet."""
        return next(
            (w for w in self._waiting if w.future is not None and w.results is None and w.future.cancel()), None
        )

    def _scanned(self, waiting: _Waiting) -> tuple[Any, ...]:
        assert waiting.file is not None
        work = engine.Work(engine.prefilter_of(self._rules), self._options, self._threads, self._keeps_summaries)
        return tuple(engine.outcome(found, work) for found in tables_of(waiting.file, self._read))


def _nothing() -> None:
    return None
