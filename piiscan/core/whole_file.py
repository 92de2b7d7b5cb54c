"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

_PATIENCE: Final = 10.0
"""Seconds to wait for another process that writes the same file."""


def write_whole(path: Path, content: bytes, private: bool = False) -> None:
    """Write a file by way of a temporary one in its folder and a rename, flushed to the disk.

    Raises `OSError`; then the file is as it was.

    It keeps the mode of the file that it replaces, or gets what the umask gives a new one, and a link stays one. What
    is no regular file (`/dev/stdout`, a named pipe) is written to as it stands. `private`: only the owner can read it,
    and a link is replaced, since somebody else may have put it there.

    Of two processes that write one file, one waits for the other. What a killed one leaves behind, the next that writes
    the file makes its own.
    """
    if not private and path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = path if private else Path(os.path.realpath(path))
    with _temporary(target, content) as temporary:
        if not private:
            temporary.chmod(_mode(target))
        temporary.replace(target)
    with suppress(OSError):  # it is there, whole
        _sync_folder(target.parent)


def write_new(path: Path, content: bytes) -> None:
    """Write a file where there is none, as a whole or not at all, for its owner alone, flushed to the disk.

    Raises `FileExistsError`, and `OSError`; then there is none.
    """
    with _temporary(path, content) as temporary:
        if temporary == _one_name(path):  # who writes this file holds the lock of that name: nobody else makes it now
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            temporary.rename(path)
        else:
            os.link(temporary, path)
            temporary.unlink()
    with suppress(OSError):
        _sync_folder(path.parent)


@contextmanager
def _temporary(target: Path, content: bytes) -> Iterator[Path]:
    """A file beside `target` with this content, on the disk, that only its owner can read; removed on an error."""
    handle, path = _named_after(target)
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        yield path
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def _named_after(target: Path) -> tuple[int, Path]:
    """Return one name for each target, so that a killed process leaves at most one file behind.

    If the system can't lock that file, or it belongs to another user, the name is random.
    """
    import tempfile

    from piiscan.core import locks

    path = _one_name(target)
    if os.name == "posix":
        with suppress(PermissionError, locks.NoLocks):
            handle = locks.hold(path, _PATIENCE, required=True)
            if handle is None:
                raise OSError(errno.EBUSY, "another process is writing it")
            try:
                found = os.fstat(handle)
                if found.st_uid == os.geteuid() and found.st_nlink == 1:
                    os.fchmod(handle, 0o600)
                    os.ftruncate(handle, 0)
                    return handle, path
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)
    handle, name = tempfile.mkstemp(prefix=".piiscan-", dir=target.parent)  # mode 0600
    return handle, Path(name)


def _one_name(target: Path) -> Path:
    digest = sha256(os.fsencode(target.name)).hexdigest()[:16]
    return target.with_name(f".piiscan-{digest}.new")


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what the umask gives a new one."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """A name is on the disk when its folder is."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
