"""The two processes of a supervised command, by what Linux has for it."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final, NamedTuple

from piiscan.core import memory
from piiscan.core.checkpoints import Again, Known
from piiscan.core.parent_process import die_with

_FAULTS: Final = frozenset(
    (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGKILL)
)
_PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_PAGE: Final = resource.getpagesize()
_CODE: Final = 48 << 20
"""Of the pages that a process shares with others, about what its program takes; the rest are files that it reads."""
_RATE: Final = 1 << 33
"""Bytes a second that a process is able to fill at most."""
_SHORTEST, _LONGEST = 0.002, 0.05
_LEAST: Final = 1 << 30
"""Address space that a command needs to start, most of which it never fills."""
_STALLED: Final = 20.0
"""Seconds without any work, under a limit of the system's, after which a process counts as stuck: libraries wait for
threads that they were denied."""
_SEVERAL: Final = "\0"
"""What no name begins with: that of the first of several contents in a note."""
_WORKERS: Final = 64
_HEAD: Final = struct.Struct(f"<QBQI{_WORKERS}I")
_NOTES: Final = 1 << 16


class _Note(NamedTuple):
    """What the command's process tells the one that watches it, in memory that both see.

    `kept`: bytes of the journal that hold whole inputs. `workers`: processes that work for the command.
    """

    allowed: int
    is_resumable: bool
    kept: int
    source: str
    workers: tuple[int, ...] = ()


class _Run:
    """What outlives a process of the command: its note, and a journal of what it has finished."""

    def __init__(self) -> None:
        self.notes = mmap.mmap(-1, _NOTES)
        self.lost: dict[str, str] = {}
        self.one_by_one = False
        self.kept = 0
        self.journal = _journal()

    def note(self) -> _Note:
        allowed, is_resumable, kept, length, *workers = _HEAD.unpack_from(self.notes)
        source = self.notes[_HEAD.size : _HEAD.size + length].decode("utf-8", "replace")
        return _Note(allowed, bool(is_resumable), kept, source, tuple(filter(None, workers)))

    def write(self, note: _Note) -> None:
        source = note.source.encode("utf-8", "replace")[: _NOTES - _HEAD.size]
        self.notes[_HEAD.size : _HEAD.size + len(source)] = source
        # The other process may look at any moment, and `pack_into` begins with zeros.
        workers = (*note.workers, *(0,) * (_WORKERS - len(note.workers)))
        head = _HEAD.pack(note.allowed, note.is_resumable, note.kept, len(source), *workers)
        self.notes[: _HEAD.size] = head


def _journal() -> int:
    """A file without a name, on a disk where one has them, else in memory."""
    for folder in (os.environ.get("TMPDIR"), "/tmp", "/var/tmp"):
        if folder:
            with suppress(OSError):
                return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
    return os.memfd_create("piiscan")


class Supervised:
    """`Checkpoints` in the process of the command.

    The journal holds each input that was read (a string) followed by its result.
    """

    def __init__(self, run: _Run) -> None:
        self._run, self._note = run, run.note()
        self._written, self._keeps = 0, False
        self._last = ""
        self._done: dict[str, list[Known]] = {}
        self.lost: Mapping[str, str] = run.lost
        self.wants_all, self.one_by_one = False, run.one_by_one

    def expect(self, inputs: Sequence[tuple[str, str | None]]) -> None:
        return None

    def hold(self, result: Any) -> None:
        return None

    def employ(self, processes: Sequence[int]) -> None:
        self._say(self._note._replace(workers=tuple(processes[:_WORKERS])))

    def knows(self, source: str) -> bool:
        return bool(self._done.get(source))

    def begin(self, source: str) -> Known | None:
        if known := self._done.get(source):
            return known.pop(0)
        if self._keeps:
            self._say(self._note._replace(kept=self._written))
            self._keep(source)
        elif self._last == "-":  # nobody can read it again, and what came of it isn't kept
            self._say(self._note._replace(is_resumable=False))
        self._last = source
        return None

    def left(self) -> Iterable[Known]:
        """Of files that have gone since they were read."""
        return [known for each in self._done.values() for known in each]

    def open(self, source: str) -> None:
        self._say(self._note._replace(source=source, allowed=memory.allowed()))

    def open_several(self, first: str) -> None:
        self.open(_SEVERAL + first)

    def finish(self, result: Any) -> None:
        if self._keeps:
            self._keep(result)

    def _keep(self, item: Any) -> None:
        """Once something can't be kept (a full disk), nothing behind it is, and another process reads that again."""
        import pickle

        data = pickle.dumps(item)
        try:
            self._keeps = os.pwrite(self._run.journal, data, self._written) == len(data)
        except OSError:
            self._keeps = False
        self._written += len(data)

    def resume(self) -> None:
        """Keep what is finished, and go on from where an earlier process has come to."""
        self._keeps, self._written = True, self._run.kept
        self._done = {}
        for source, results in _inputs(_read(self._run.journal, self._written)):
            self._done.setdefault(source, []).append(Known(tuple(results)))
        self._say(self._note._replace(is_resumable=True, kept=self._written))

    def restart(self) -> None:
        """Begin anew without what an earlier process has ended at."""
        self._say(self._note._replace(is_resumable=True, kept=0))

    def end(self) -> None:
        self._keeps = False
        self._done.clear()
        self._say(self._note._replace(is_resumable=False))

    def _say(self, note: _Note) -> None:
        self._note = note
        self._run.write(note)


def _inputs(items: Iterator[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Return the inputs of a journal and their results. Those that have to be read again are left out."""
    source, results = "", list[Any]()
    for item in chain(items, ("",)):
        if not isinstance(item, str):
            results.append(item)
            continue
        if source and not any(isinstance(result, Again) for result in results):
            yield source, results
        source, results = item, []


def _read(journal: int, length: int) -> Iterator[Any]:
    import pickle

    with os.fdopen(os.dup(journal), "rb") as stream:
        stream.seek(0)
        while stream.tell() < length:
            yield pickle.load(stream)


def supervised(command: Callable[[Supervised], int]) -> int:
    """The exit status of a command. It runs in a process of its own, and in another without what ended that."""
    if (limit := _address_space()) < _LEAST:
        _say(
            f"error: the limit on address space (ulimit -v) is {limit >> 20:,} MiB, and {_LEAST >> 20:,} are needed to "
            "start; nothing was read"
        )
        return 3
    run = _Run()
    while True:
        run.write(_Note(memory.allowed(), False, 0, ""))
        child = _forked()
        if not child:
            return command(Supervised(run))
        ended, is_too_much = _watched(child, run)
        if os.WIFEXITED(ended):
            return os.WEXITSTATUS(ended)
        by = signal.Signals(os.WTERMSIG(ended))
        if by not in _FAULTS:
            _end_by(by)
        note = run.note()
        reason = _reason(by, is_too_much, note)
        is_of_several = note.source.startswith(_SEVERAL)
        if not note.is_resumable or not note.source or note.source in run.lost or (is_of_several and run.one_by_one):
            where = f"{note.source[1:]}, or a file behind it" if is_of_several else note.source
            _say(f"error: {where}: {reason}" if where else f"error: {reason}")
            return 3
        if not is_of_several:
            run.lost[note.source] = reason
        run.one_by_one, run.kept = True, note.kept


def _forked() -> int:
    """0 in the process of the command; else its number, with the signals blocked that are passed on to it."""
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD, *_PASSED_ON))
    child = os.fork()
    if child:
        return child
    die_with(parent)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return 0


def _watched(child: int, run: _Run) -> tuple[int, bool]:
    """How the process ended, and whether it was ended for taking more memory than allowed."""
    is_too_much = False
    waited_for = (signal.SIGCHLD, *_PASSED_ON)
    is_limited = _address_space() < sys.maxsize
    worked, since = 0, time.monotonic()
    while True:
        found, ended = os.waitpid(child, os.WNOHANG)
        if found:
            return ended, is_too_much
        note = run.note()
        workers = {worker: _taken(worker) for worker in note.workers if _parent(worker) == child}
        left = note.allowed - _taken(child) - sum(workers.values()) - max(map(_shared, workers), default=0)
        if left < 0 and workers:  # the command does without it
            with suppress(ProcessLookupError):
                os.kill(max(workers, key=lambda worker: workers[worker]), signal.SIGKILL)
        elif left < 0 and not is_too_much:
            is_too_much = True
            os.kill(child, signal.SIGKILL)
        if is_limited and note.is_resumable and note.source not in ("", "-"):
            if (now := _worked(child)) > worked:
                worked, since = now, time.monotonic()
            elif time.monotonic() - since > _STALLED:
                os.kill(child, signal.SIGABRT)
        came = signal.sigtimedwait(waited_for, min(_LONGEST, max(_SHORTEST, left / _RATE)))
        # A terminal sends its signals to both processes.
        if came is not None and came.si_signo in _PASSED_ON and came.si_pid:
            os.kill(child, came.si_signo)


def _taken(process: int) -> int:
    """Bytes of memory that a process has of its own, and its program."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * _PAGE + min(shared * _PAGE, _CODE)


def _shared(process: int) -> int:
    """Bytes of memory that a process has in common with others, and that lie in no file."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            found = next((line.split()[1] for line in file if line.startswith(b"RssShmem:")), b"0")
    except (OSError, IndexError):
        return 0
    return int(found) << 10


def _parent(process: int) -> int:
    """The parent of a process that has not ended; 0 where there is none."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return 0
    return 0 if state in (b"Z", b"X") else int(parent)


def _worked(process: int) -> int:
    """Ticks of the clock that a process has worked for."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            user, system = file.read().rpartition(b")")[2].split()[11:13]
    except (OSError, ValueError):
        return sys.maxsize
    return int(user) + int(system)


def _address_space() -> int:
    """Bytes that a process may reserve at most, by the limits that it was started with."""
    limits = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    return min((limit for limit in limits if limit != resource.RLIM_INFINITY), default=sys.maxsize)


def _reason(by: signal.Signals, is_too_much: bool, note: _Note) -> str:
    allowed = f"{note.allowed >> 20:,} MiB"
    if is_too_much:
        return f"it takes more than the {allowed} of memory that are allowed; allow more with --memory"
    if not note.source:
        return f"the process ended by {by.name}, before it had read anything; there may be too little memory to start"
    if by == signal.SIGKILL:
        return "the process was killed while it was read, as systems do for want of memory; name less with --memory"
    return (
        f"its reader ended the process ({by.name}), for want of memory or by a fault in a library; "
        "check it with its program"
    )


def _end_by(number: signal.Signals) -> None:
    """End as the command did."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (number,))
    os.kill(os.getpid(), number)


def _say(text: str) -> None:
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)
