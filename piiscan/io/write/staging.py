"""Outputs appear whole or not at all: files without a final name, which get it when everything is done, or go.

A run's unfinished files carry its token in their names. It holds a lock on a file of that token in the root of its
output
for as long as it lives: what a killed run left behind has a token that nobody holds, and the next run removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from piiscan.core.errors import WriteError

_UNFINISHED = re.compile(r"\.piiscan-([0-9a-f]{16})(?:\.lock|~.*)", re.DOTALL)
_NAME_BYTES = 120


class Staging:
    """The unfinished files of one run below `root`, an existing folder or one to be made. Leaving it removes those
    that weren't published."""

    def __init__(self, root: Path) -> None:
        self.token = ""
        self._root = root
        self._files: set[Path] = set()
        self._made: list[Path] = []
        self._swept: set[Path] = set()
        self._lock = -1

    def __enter__(self) -> Self:
        self._make(self._root)
        while self._lock < 0:
            self._claim()
        return self

    def _claim(self) -> None:
        """Take a token. Its lock is held before it has its name, so that no other run can find it without; until then
        the file looks like one that a killed run left, and if another run removes it, the next token is tried."""
        self.token = secrets.token_hex(8)
        if os.name == "nt":  # where there is no lock to wait for, and an open file keeps its name
            self._lock = os.open(self._root / f".piiscan-{self.token}.lock", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            return
        fresh = self._root / f".piiscan-{self.token}~lock"
        handle = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _locked(handle)
            fresh.rename(self._root / f".piiscan-{self.token}.lock")
        except FileNotFoundError:
            os.close(handle)
        except BaseException:
            os.close(handle)
            fresh.unlink(missing_ok=True)
            raise
        else:
            self._lock = handle

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for path in list(self._files):
            self.discard(path)
        (self._root / f".piiscan-{self.token}.lock").unlink(missing_ok=True)
        os.close(self._lock)
        for folder in reversed(self._made):
            with suppress(OSError):  # what isn't empty stays
                folder.rmdir()

    def _make(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
            self._made.append(path)

    def file(self, folder: Path, name: str) -> Path:
        """A new, empty file in `folder` that only its owner can read; its name ends as `name` does, since endings
        tell formats."""
        self._make(folder)
        if folder not in self._swept:
            self._swept.add(folder)
            sweep(folder)
        name = os.fsencode(name)[-_NAME_BYTES:].decode("utf-8", "ignore")
        path = folder / f".piiscan-{self.token}~{secrets.token_hex(2)}-{name}"
        self._files.add(path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return path

    def folder(self, name: str) -> Path:
        """A new, empty folder below the root that only its owner can enter."""
        sweep(self._root)
        path = self._root / f".piiscan-{self.token}~{name}"
        path.mkdir(0o700)
        self._files.add(path)
        return path

    def discard(self, path: Path) -> None:
        self._files.discard(path)
        _removed(path)

    def publish_folder(self, path: Path, target: Path, mode: int) -> None:
        """Give a folder its name, with all that is in it. Raises `WriteError` where something is there already that
        isn't an empty folder."""
        for file in (*path.rglob("*"), path):
            file.chmod(mode | 0o300 | (mode & 0o444) >> 2 if file.is_dir() else mode)
            synced(file)
        try:
            if os.name == "nt" and target.is_dir():
                target.rmdir()
            path.rename(target)
        except OSError:
            if os.path.lexists(target):
                raise WriteError(f"{target} exists, and isn't an empty folder; name another") from None
            raise
        self._files.discard(path)
        synced(target.parent)

    def publish(self, files: Sequence[tuple[Path, Path, int]], overwrite: bool) -> None:
        """Give files their names, with permissions. Raises `WriteError` where a name is taken, unless told to
        `overwrite`; then no file has got its name."""
        for path, _, _ in files:
            synced(path)
        named: list[Path] = []
        try:
            for path, target, mode in files:
                path.chmod(mode)
                if overwrite:
                    path.replace(target)
                else:
                    _named(path, target)
                    named.append(target)
                self.discard(path)
        except BaseException:
            for target in named:
                target.unlink(missing_ok=True)
            raise
        for folder in {target.parent for _, target, _ in files}:
            synced(folder)


def taken(target: Path) -> WriteError:
    return WriteError(f"{target} exists; name another output, or allow to overwrite it (--overwrite)")


def sweep(folder: Path) -> None:
    """Remove what runs that were killed have left in a folder."""
    with os.scandir(folder) as entries:
        left = [(entry.name, found[1]) for entry in entries if (found := _UNFINISHED.fullmatch(entry.name))]
    for name, token in left:
        if not _lives(folder, token):
            with suppress(OSError):
                _removed(folder / name)


def _removed(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def synced(path: Path) -> None:
    """Have the system write a file, or a folder's names, to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _named(path: Path, target: Path) -> None:
    """A second name for a file, which fails where that is taken: looking first would leave time for another to take
    it."""
    try:
        os.link(path, target)
    except FileExistsError:
        raise taken(target) from None
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise taken(target) from None
        path.replace(target)


def _lives(folder: Path, token: str) -> bool:
    """Whether the run of a token holds its lock, which lies in `folder` or above it."""
    for above in (folder, *folder.resolve().parents):
        try:
            handle = os.open(above / f".piiscan-{token}.lock", os.O_RDWR)
        except OSError:
            continue
        try:
            return not _locked(handle)
        finally:
            os.close(handle)
    return False


def _locked(handle: int) -> bool:
    """Take the lock of an open file for this process; False where another has it."""
    try:
        import fcntl
    except ImportError:  # without locks nothing tells a living run from a dead one
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
