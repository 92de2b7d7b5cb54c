"""Processes that work for this one: tasks go to them, results come back, over a socket each.

A worker may be killed, or ended by a library, at any time: its task is `Lost`, and the process that asked for it does
it itself. So a result never depends on how many workers there are, or on what becomes of them.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from piiscan.core import memory
from piiscan.core.parent_process import die_with

T = TypeVar("T")
_PROGRAM: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from piiscan.core import worker_processes
worker_processes.serve(int(sys.argv[1]), sys.argv[3])
"""
_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
"""One thread each: there are as many processes as cores."""
_HEAD: Final = struct.Struct("<?Q")
_WAIT: Final = 2.0
"""Seconds that a worker has to end what it does, once nobody waits for it."""
LARGE: Final = 128 << 20
"""Bytes of a table that are worth another process: libraries parse on several threads in one process, too."""
MANY: Final = 24
"""Files that are worth another process: fewer take less time than it takes to start."""
_HERE: Final = 384 << 20
"""Bytes that this process needs besides."""

_Started = tuple["subprocess.Popen[bytes]", socket.socket]
_begun: list[_Started] = []
"""Workers that nobody has taken yet."""


class Task(NamedTuple):
    """A function, `module:name`, and what it is called with. Both arguments and result can be pickled."""

    function: str
    arguments: tuple[Any, ...]

    def run(self) -> Any:
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)(*self.arguments)


Submit = Callable[[Task], "Future[Any]"]
"""Has a task done by another process, when there is one free: see `WorkerProcesses.submit`."""


class Lost(Exception):
    """The worker ended before the task did, or could not do it."""


def can_start() -> bool:
    """Whether there can be workers here.

    Where a limit of the system denies a process what it asks for, there is one process, as its libraries may wait for
    ever for what they were denied.
    """
    if sys.platform == "win32" or not sys.executable:
        return False
    import resource

    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return all(resource.getrlimit(kind)[0] == resource.RLIM_INFINITY for kind in kinds)


def affordable(processes: int, here: int = 0) -> int:
    """How many of so many processes can be workers: all but this one, as far as there is memory for them.

    here: bytes that this process needs beyond the usual.
    """
    return max(0, min(processes - 1, (memory.allowed() - _HERE - here) // memory.WORKER)) if can_start() else 0


@contextmanager
def begun(count: int, function: str) -> Iterator[None]:
    """Start workers that call a function, `module:name`, while this process still imports libraries itself.

    The next `WorkerProcesses` take these before they start others. Those that nobody took end with the context.
    """
    _begun.extend(_started(function) for _ in range(count))
    try:
        yield
    finally:
        while _begun:
            process, channel = _begun.pop()
            process.kill()
            process.wait()
            channel.close()


class WorkerProcesses:
    """`count` processes, each of which first runs `setup`. `watch` is called with their numbers."""

    def __init__(self, count: int, setup: Task, watch: Callable[[Sequence[int]], None] | None = None) -> None:
        self._urgent: deque[tuple[Task, Future[Any]]] = deque()
        self._tasks: deque[tuple[Task, Future[Any]]] = deque()
        self._came = threading.Condition()
        self._is_closed = False
        # Started by this thread: a worker dies with the thread that started it.
        self._workers = [_begun.pop() if _begun else _started() for _ in range(count)]
        if watch is not None:
            watch([process.pid for process, _ in self._workers])
        first = pickle.dumps((memory.allowed(), memory.shared(), setup), protocol=5)
        self._feeders = [
            threading.Thread(target=self._feed, args=(channel, first), daemon=True) for _, channel in self._workers
        ]
        for feeder in self._feeders:
            feeder.start()

    def submit(self, task: Task, is_urgent: bool = False) -> Future[Any]:
        """The result to come; `Lost` in its place.

        What is urgent goes before what isn't. It can be cancelled until a worker has begun it.
        """
        future: Future[Any] = Future()
        with self._came:
            (self._urgent if is_urgent else self._tasks).append((task, future))
            self._came.notify()
        return future

    def close(self) -> None:
        """End the processes. What wasn't begun is cancelled."""
        with self._came:
            self._is_closed = True
            for tasks in self._urgent, self._tasks:
                while tasks:
                    tasks.popleft()[1].cancel()
            self._came.notify_all()
        for _, channel in self._workers:
            with suppress(OSError):
                channel.shutdown(socket.SHUT_WR)
        for process, channel in self._workers:
            _await_end(channel)
            process.kill()
            process.wait()
            channel.close()
        for feeder in self._feeders:
            feeder.join()

    def _feed(self, channel: socket.socket, first: bytes) -> None:
        """Give one worker its tasks, until there are no more or it is gone."""
        try:
            _send(channel, first)
        except OSError:
            return
        while (task := self._next()) is not None:
            work, future = task
            try:
                _send(channel, pickle.dumps(work, protocol=5))
                is_done, data = _received(channel)
                result = pickle.loads(data) if is_done else None
            except Exception:
                future.set_exception(Lost())
                return
            if is_done:
                future.set_result(result)
            else:
                future.set_exception(Lost())

    def _next(self) -> tuple[Task, Future[Any]] | None:
        while True:
            with self._came:
                while not (self._urgent or self._tasks or self._is_closed):
                    self._came.wait()
                if self._is_closed:
                    return None
                task, future = (self._urgent or self._tasks).popleft()
            if future.set_running_or_notify_cancel():
                return task, future


class Turn(Generic[T]):
    """A piece of work that waits for its turn. `here`: how this process does it."""

    def __init__(self, here: Callable[[], T]) -> None:
        self.here = here
        self.future: Future[Any] | None = None
        self.is_done, self._result = False, None

    def claim(self) -> bool:
        """Whether nobody has begun it, nor will from now on."""
        return not self.is_done and (self.future is None or self.future.cancel())

    def do(self) -> None:
        self._result, self.is_done = self.here(), True  # type: ignore[assignment]

    def result(self) -> T:
        return cast(T, self._result)

    def collect(self, future: Future[Any]) -> None:
        with suppress(Lost, CancelledError):
            self._result, self.is_done = future.result(), True


class Turns(Generic[T]):
    """Work whose results are wanted in order.

    Workers do it ahead, and this process does what is next, whenever it would have to wait for them.
    """

    def __init__(self) -> None:
        self._turns: deque[Turn[T]] = deque()

    def __len__(self) -> int:
        return len(self._turns)

    def __iter__(self) -> Iterator[Turn[T]]:
        return iter(self._turns)

    def add(self, turn: Turn[T]) -> None:
        self._turns.append(turn)

    def next(self) -> Turn[T]:
        return self._turns.popleft()

    def settle(self, first: Turn[T]) -> bool:
        """Wait for what was `next`, if somebody does it. Whether it is done; otherwise nobody will begin it."""
        future = first.future
        if first.is_done or future is None or future.cancel():
            return first.is_done
        while not future.done():
            # What has no task is for its own turn.
            more = next((turn for turn in self._turns if turn.future is not None and turn.claim()), None)
            if more is None:
                wait((future,))
            else:
                more.do()
        first.collect(future)
        return first.is_done

    def result(self) -> T:
        """The result of what is next, done here unless somebody else has."""
        first = self.next()
        if not self.settle(first):
            first.do()
        return first.result()

    def give_up(self) -> None:
        """Do no more of it."""
        for turn in self._turns:
            if turn.future is not None:
                turn.future.cancel()
        self._turns.clear()


def _started(function: str = "") -> _Started:
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno()), json.dumps(sys.path), function]
        # What libraries print may quote data.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            env={**os.environ, **_ENVIRONMENT},
        )
    return process, ours


def _await_end(channel: socket.socket) -> None:
    """Wait for a while until the other side is gone: to wait for its process is to ask for it again and again."""
    channel.settimeout(_WAIT)
    with suppress(OSError):
        while channel.recv(1 << 16):
            pass


def _send(channel: socket.socket, data: bytes, is_done: bool = True) -> None:
    channel.sendall(_HEAD.pack(is_done, len(data)))
    channel.sendall(data)


def _received(channel: socket.socket) -> tuple[bool, bytearray]:
    """Raises EOFError where the other side is gone."""
    is_done, size = _HEAD.unpack(_exactly(channel, _HEAD.size))
    return is_done, _exactly(channel, size)


def _exactly(channel: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view, at = memoryview(data), 0
    while at < size:
        if not (count := channel.recv_into(view[at:])):
            raise EOFError
        at += count
    return data


def serve(descriptor: int, function: str) -> None:
    """What a worker does, until the other side is gone. `function`: what it calls before its first task."""
    import gc

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; whoever started this one ends it
    die_with(os.getppid())
    memory.hold_little()
    gc.set_threshold(200_000, 20, 20)
    with socket.socket(fileno=descriptor) as channel, suppress(EOFError, OSError):
        if function:
            Task(function, ()).run()
        _, data = _received(channel)
        allowed, shared, setup = pickle.loads(data)
        memory.allow(allowed, shared)
        setup.run()
        while True:
            _, data = _received(channel)
            try:
                result, is_done = pickle.dumps(pickle.loads(data).run(), protocol=5), True
            except BaseException:  # panics of libraries aren't `Exception`s; whoever asked will meet it again
                result, is_done = b"", False
            del data
            _send(channel, result, is_done)
    os._exit(0)  # taking libraries apart would take longer
