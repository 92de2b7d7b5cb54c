"""Objects with large arrays, put once into memory that workers see too."""

from __future__ import annotations

import mmap
import os
import pickle
import weakref
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

_EVEN: Final = 64
"""Arrays begin at multiples of so many bytes, as processors read them."""
_Places = tuple[tuple[int, int], ...]


class SharedObject:
    """An object in memory that other processes see too. In a task for one of them it stands for the object itself.

    It has no name, and ends with the last process that has opened it; others can while this object lives.
    """

    def __init__(self, thing: object) -> None:
        arrays: list[pickle.PickleBuffer] = []
        data = pickle.dumps(thing, protocol=5, buffer_callback=arrays.append)
        descriptor = os.memfd_create("piiscan", os.MFD_CLOEXEC)
        weakref.finalize(self, os.close, descriptor)
        places: list[tuple[int, int]] = []
        at = 0
        for array in arrays:
            raw = array.raw()
            _write(descriptor, raw, at)
            places.append((at, at + raw.nbytes))
            at += -(-raw.nbytes // _EVEN) * _EVEN
        os.ftruncate(descriptor, max(1, at))
        self._where = f"/proc/{os.getpid()}/fd/{descriptor}", data, tuple(places)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, bytes, _Places]]:
        return _seen, self._where

    def load(self) -> Any:
        """The object, whose arrays are read-only, and in that memory."""
        return _loaded(*self._where)


def shared(thing: object) -> SharedObject | None:
    """An object for other processes, too; None where this system has no such memory, or not enough of it."""
    if not can_share():
        return None
    try:
        return SharedObject(thing)
    except OSError:
        return None


def can_share() -> bool:
    """Whether this system has such memory, and other processes can open it."""
    return hasattr(os, "memfd_create") and os.path.isdir(f"/proc/{os.getpid()}/fd")  # noqa: PTH112


def _loaded(path: str, data: bytes, places: _Places) -> object:
    with open(path, "rb") as file:
        seen = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return pickle.loads(data, buffers=[seen[start:stop] for start, stop in places])


@lru_cache(maxsize=4)
def _seen(path: str, data: bytes, places: _Places) -> object:
    """The same, opened once by a process."""
    return _loaded(path, data, places)


def _write(descriptor: int, data: memoryview, at: int) -> None:
    while len(data):
        count = os.pwrite(descriptor, data, at)
        data, at = data[count:], at + count
