"""A site's door on its own machine: a Unix socket that only its owner can open. One request, one reply, closed.

What brings requests from elsewhere (Flower's SuperNode) runs code that the coordinator sent. It can ask at this door,
and needs neither the site's key nor its rows.
"""

from __future__ import annotations

import os
import socket
import socketserver
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final

from piiscan.core.errors import UsageError

_HEAD: Final = 8
_MOST: Final = 1 << 30


@contextmanager
def open_door(path: Path, answer: Callable[[bytes], bytes]) -> Iterator[None]:
    """Answer what comes to a socket at `path` while the context lasts. Raises `UsageError` if it can't be made."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError, UsageError):  # who asked is gone, or said nothing whole
                _send(self.request, answer(_received(self.request)))

    class Door(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and stat.S_ISSOCK(path.lstat().st_mode):
        if _is_answered(path):
            raise UsageError(f"{path}: another process of this site runs; stop it first")
        path.unlink()
    before = os.umask(0o177)
    try:
        door = Door(str(path), Handler)
    except OSError as error:
        raise UsageError(f"{path}: no socket can be made there: {error.strerror or 'the path is too long'}") from None
    finally:
        os.umask(before)
    thread = Thread(target=door.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        door.shutdown()
        door.server_close()
        path.unlink(missing_ok=True)


def ask(path: Path, request: bytes) -> bytes:
    """Return the reply to a request at a site's socket. Raises `OSError` and `UsageError`."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        _send(connection, request)
        return _received(connection)


def _is_answered(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
        return True
    except OSError:
        return False


def _send(connection: socket.socket, message: bytes) -> None:
    connection.sendall(len(message).to_bytes(_HEAD, "big") + message)


def _received(connection: socket.socket) -> bytes:
    size = int.from_bytes(_exactly(connection, _HEAD), "big")
    if size > _MOST:
        raise UsageError("a message is larger than 1 GiB")
    return _exactly(connection, size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise UsageError("a message was cut short")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
