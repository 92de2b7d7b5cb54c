"""The journal beside a run's unfinished files, so that the next run can resume, or undo what was half done.

Lines of JSON in a file that only its owner can read. A run that is killed while it writes leaves a torn last line,
which doesn't count.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

_LARGEST: Final = 1 << 30


class Journal:
    """The journal at `path`: `records` are those in the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[dict[str, Any]] = _read(path)

    def begin(self, records: Sequence[Mapping[str, Any]] = ()) -> None:
        """Write it anew, with these records and no others. Raises `OSError`."""
        fresh = self.path.with_name(f"{self.path.name}~")
        fresh.unlink(missing_ok=True)
        try:
            with os.fdopen(_new(fresh), "wb") as file:
                file.writelines(map(_line, records))
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except BaseException:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise
        self.records = [dict(r) for r in records]

    def add(self, record: Mapping[str, Any]) -> None:
        """Write one more record, and have it on the disk. Raises `OSError`."""
        if not self.path.exists():
            self.begin([record])
            return
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "ab") as file:
            at = os.fstat(file.fileno()).st_size
            try:
                file.write(_line(record))
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                with suppress(OSError):  # half a line would hide those that come after it
                    os.truncate(file.fileno(), at)
                raise
        self.records.append(dict(record))

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self.records = []


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _read(path: Path) -> list[dict[str, Any]]:
    """The records up to the first that isn't whole.

    None of a file that somebody else may have written, as the steps in a journal are carried out.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return []
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return []
        if os.name == "posix" and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
            return []
        records: list[dict[str, Any]] = []
        try:
            for line in file:
                record = json.loads(line) if line.endswith(b"\n") else None
                if not isinstance(record, dict):
                    break
                records.append(record)
        except (OSError, ValueError):
            pass
        return records
