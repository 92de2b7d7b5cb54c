"""Locks on files, which the system frees when their process ends, however it ends."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Final

PATIENCE: Final = 2.0
"""Seconds to wait for another process, which may only be looking whether anybody holds the lock."""
_NO_LOCKS: Final = frozenset((errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS))
"""What a file system without locks says."""


def try_lock(handle: int) -> bool | None:
    """Take the lock of an open file for this process: False where another has it, None where there are no locks."""
    import sys

    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _NO_LOCKS and sys.platform != "win32":
            return None
        if isinstance(error, BlockingIOError | PermissionError) or error.errno == errno.EDEADLK:
            return False
        raise
    return True


class NoLocks(OSError):
    """A file system without locks."""


def hold(path: Path, patience: float = PATIENCE, required: bool = False) -> int | None:
    """Yield the open file `path`, created if needed and locked until it is closed.

    It is None if another process keeps the lock for `patience` seconds. Raises `OSError` and, if a lock is `required`,
    `NoLocks` on a file system without locks.

    The process with the lock may remove or rename the file: a lock on a file without its name doesn't count, and the
    next file of that name is tried.
    """
    deadline = time.monotonic() + patience
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            locked = try_lock(handle)
            if locked is None and required:
                raise NoLocks(errno.ENOLCK, os.strerror(errno.ENOLCK))
            if locked is not False and _is_named(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > deadline:
            return None
        time.sleep(0.01)


def _is_named(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False
