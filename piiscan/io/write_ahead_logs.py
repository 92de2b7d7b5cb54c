"""The logs that databases keep beside them: changes that aren't in the database's own file yet, and old pages."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_WAL: Final = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_JOURNAL: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_SQLITE: Final = b"SQLite format 3\0"
_ALONE: Final = (
    "changes of a database that aren't in its file; unpack or fetch both, and open the database once with its program!"
)
_JOURNALS: Final = (
    "older pages of a database, left by a program that was interrupted or keeps its journal; open the database "
    "once with its program!"
)
READ: Final = "log"
"""The kind of a log that is read with its database."""


def kind_of_log(source: str, path: str | None, head: bytes) -> str | None:
    """The kind of a database's log, None for anything else.

    `READ`, "…!" (a reason why it isn't read), or "skip" for one without data.
    """
    name = path or source.rsplit("!", 1)[-1]
    if head.startswith(_WAL) or name.endswith("-wal"):
        if path is not None and _is_beside(path, "-wal", _SQLITE, 0):
            return READ
        return _ALONE if head.startswith(_WAL) else None
    if head.startswith(_JOURNAL) or name.endswith("-journal"):
        is_log = head.startswith(_JOURNAL) or (path is not None and _is_beside(path, "-journal", _SQLITE, 0))
        return _JOURNALS if is_log else None
    if name.endswith("-shm") and path is not None and _is_beside(path, "-shm", _SQLITE, 0):
        return "skip"  # an index of a write-ahead log, without cells
    if name.endswith(".wal") and b"\0" in head:
        return READ if path is not None and _is_beside(path, ".wal", b"DUCK", 8) else _ALONE
    return None


def _is_beside(path: str, suffix: str, magic: bytes, at: int) -> bool:
    """Whether the database of a log lies beside it."""
    try:
        with open(Path(path).resolve().as_posix().removesuffix(suffix), "rb") as file:
            return file.read(at + len(magic))[at:] == magic
    except OSError:
        return False


def write_ahead(path: str) -> Path | None:
    """The write-ahead log beside an SQLite database, as SQLite looks for it: beside the file that a link points to.

    None without changes.
    """
    log = Path(f"{Path(path).resolve()}-wal")
    return log if log.exists() and log.stat().st_size else None


def is_interrupted(path: str) -> bool:
    """Whether a rollback journal beside an SQLite database has pages that its next writer will put back."""
    try:
        with open(f"{Path(path).resolve()}-journal", "rb") as file:
            return file.read(len(_JOURNAL)) == _JOURNAL
    except OSError:
        return False
