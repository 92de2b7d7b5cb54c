"""Hides what libraries write to descriptor 2, such as the back trace of a Rust panic: it may quote cells."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import IO, Final

_lock: Final = Lock()
_held: list[tuple[int, IO[bytes], list[bool]]] = []
_inside = 0


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back what is written to descriptor 2 within the context.

    It is written at the end, unless an exception was raised; then it is discarded.
    """
    global _inside
    with _lock:  # readers take turns; the first one in redirects, the last one out restores
        if _inside == 0:
            _redirect()
        _inside += 1
    failed = True
    try:
        yield
        failed = False
    except GeneratorExit:
        failed = False
        raise
    finally:
        with _lock:
            _inside -= 1
            if _held and failed:
                _held[0][2].append(True)
            if _inside == 0 and _held:
                _restore(*_held.pop())


def _redirect() -> None:
    if _leads_nowhere():
        return
    try:
        usual = os.dup(2)
    except OSError:  # a process without a standard error
        return
    file = tempfile.TemporaryFile(prefix="piiscan-")  # noqa: SIM115
    os.dup2(file.fileno(), 2)
    _held.append((usual, file, []))


def _leads_nowhere() -> bool:
    """Whether output to descriptor 2 is discarded anyway, as in the processes of a command."""
    try:
        return os.path.samestat(os.fstat(2), os.stat(os.devnull))  # noqa: PTH116
    except OSError:
        return False


def _restore(usual: int, file: IO[bytes], failures: list[bool]) -> None:
    os.dup2(usual, 2)
    with file, os.fdopen(usual, "wb", closefd=True) as out:
        if not failures:
            file.seek(0)
            out.write(file.read())
