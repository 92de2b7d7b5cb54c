"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes, private: bool = False) -> None:
    """Write a file by way of a temporary one in its folder and a rename, flushed to the disk. Raises `OSError`; then
    the file is as it was.

    It keeps the mode of the file that it replaces, or gets what the umask gives a new one, and a link stays one. What
    is no regular file (`/dev/stdout`, a named pipe) is written to as it stands. `private`: only the owner can read it,
    and a link is replaced, since somebody else may have put it there.
    """
    import tempfile

    if not private and path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = path if private else Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if not private:
            Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what the umask gives a new one."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
