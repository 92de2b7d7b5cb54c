"""Outputs appear whole or not at all: files get their final name when everything is done, or are removed.

A run's unfinished files carry a token in their names, which follows from where its output is to be. It holds a lock on
a file of that token in the root of its output for as long as it lives, so two runs never write the same output; and
what a killed run left behind has a token that no process holds, and the next run removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

from piiscan.core import locks
from piiscan.core.errors import WriteError
from piiscan.io.write import publishing
from piiscan.io.write.journal import Journal
from piiscan.io.write.publishing import synced

_UNFINISHED = re.compile(r"\.piiscan-([0-9a-f]{16})(?:\.lock|~.*)", re.DOTALL)
_NAME_BYTES = 120


class Staging:
    """The unfinished files of one run that writes `target`; those not published are removed on exit.

    `target` is a file or a folder beside others or, where it `is_folder`, files below that folder, which is made where
    it isn't there.

    `journal`: notes for the next run; `keeps`: those of the unfinished files that stay for it when the run ends
    early. Entering raises `WriteError` where another run writes the same output.
    """

    def __init__(self, target: Path, is_folder: bool = False) -> None:
        self.token = token_of(target)
        self.keeps: set[Path] = set()
        self._target, self._is_folder = target, is_folder
        self._root = target if is_folder else target.parent
        self._files: set[Path] = set()
        self._made: list[Path] = []
        self._swept: set[Path] = set()
        self._lock = -1
        self.journal = Journal(self._root / f".piiscan-{self.token}~journal")

    def __enter__(self) -> Self:
        try:
            self._make(self._root)
            held = locks.hold(self._lock_path)
            if held is None:
                raise busy(self._target)
            self._lock = held
            self.journal = Journal(self.journal.path)
            publishing.recover(self.journal)
        except BaseException:
            self._leave(bool(publishing.pending(self.journal)))
            raise
        return self

    @property
    def _lock_path(self) -> Path:
        return self._root / f".piiscan-{self.token}.lock"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stay = self.keeps if error is not None else set()
        for path in self._files - stay:
            self.discard(path)
        goes_on = bool(stay or publishing.pending(self.journal))
        if not goes_on:
            with suppress(OSError):
                self.journal.remove()
                if error is not None:  # refused, perhaps, as an output is there that a run which was killed has left
                    self._sweep_all()
        self._leave(goes_on)

    def _leave(self, goes_on: bool) -> None:
        """Ignore files that can't be removed: the next run removes them, and the error that ends this one is reported.

        `goes_on`: the lock's file stays for the next run, so that no third one takes away what is left for it.
        """
        if self._lock >= 0:
            if not goes_on:
                with suppress(OSError):
                    self._lock_path.unlink(missing_ok=True)
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
        """Make a new, empty file in `folder` that only its owner can read.

        Its name ends as `name` does, since endings identify formats.
        """
        self._make(folder)
        if folder not in self._swept:
            self._swept.add(folder)
            self._sweep(folder)
        name = os.fsencode(name)[-_NAME_BYTES:].decode("utf-8", "ignore")
        path = folder / f".piiscan-{self.token}~{secrets.token_hex(4)}-{name}"
        self._files.add(path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return path

    def folder(self, name: str) -> Path:
        """Make a new, empty folder below the root that only its owner can enter."""
        self._sweep(self._root)
        path = self._root / f".piiscan-{self.token}~{secrets.token_hex(4)}-{name}"
        self._files.add(path)
        path.mkdir(0o700)
        return path

    def adopt(self, path: Path) -> None:
        """Take over an unfinished file that an earlier run left behind."""
        self._files.add(path)

    def discard(self, path: Path) -> None:
        self._files.discard(path)
        with suppress(OSError):  # the next run removes it
            _removed(path)

    def publish_folder(self, path: Path, target: Path, mode: int) -> None:
        """Give a folder its name, with all that is in it.

        Raises `WriteError` where something is there already that isn't an empty folder.
        """
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
        try:
            synced(target.parent)
        except OSError:
            target.rename(path)
            raise
        self._files.discard(path)

    def publish(self, files: Sequence[tuple[Path, Path, int]], overwrite: bool) -> None:
        """Give files their names, with permissions.

        Raises `WriteError` where a name is taken and `overwrite` is false; then all names are as they were.
        """
        for path, _, mode in files:
            path.chmod(mode)
            synced(path)
        publishing.publish([(path, target) for path, target, _ in files], overwrite, self.journal)
        self.keeps.clear()

    def _sweep_all(self) -> None:
        self._sweep(self._root)
        if self._is_folder:
            for folder, _, names in os.walk(self._root):
                if any(name.startswith(f".piiscan-{self.token}~") for name in names):
                    self._sweep(Path(folder))

    def _sweep(self, folder: Path) -> None:
        """Remove what runs that were killed have left in a folder, those for this output included."""
        own = f".piiscan-{self.token}~"
        with os.scandir(folder) as entries:
            left = [folder / entry.name for entry in entries if entry.name.startswith(own)]
        for path in left:
            if path not in self._files and path != self.journal.path:
                with suppress(OSError):
                    _removed(path)
        sweep(folder, self.token)


def token_of(target: Path) -> str:
    """The common part of the names of a run's unfinished files: one for each output."""
    return sha256(os.fsencode(os.path.realpath(target))).hexdigest()[:16]


def busy(target: Path) -> WriteError:
    return WriteError(
        f"{target}: another run is writing it; nothing was written; wait for that to end, or name another output"
    )


def refuse_busy(target: Path, is_folder: bool) -> None:
    """Raise `WriteError` where another run is writing this output: before long work rather than after it."""
    root = target if is_folder else target.parent
    try:
        handle = os.open(root / f".piiscan-{token_of(target)}.lock", os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return
    try:
        if locks.try_lock(handle) is False:
            raise busy(target)
    finally:
        os.close(handle)


def sweep(folder: Path, except_for: str = "") -> None:
    """Remove what runs that were killed have left in a folder, after taking back what they had begun to publish."""
    with os.scandir(folder) as entries:
        found = [(match[1], entry.name) for entry in entries if (match := _UNFINISHED.fullmatch(entry.name))]
    for token in sorted({token for token, _ in found} - {except_for}):
        with _dead(folder, token) as root:
            if root is None:
                continue
            try:
                publishing.recover(Journal(root / f".piiscan-{token}~journal"))
            except (OSError, WriteError):
                continue
            for _, name in sorted((t, n) for t, n in found if t == token and not n.endswith(".lock")):
                with suppress(OSError):
                    _removed(folder / name)
            with suppress(OSError):
                (folder / f".piiscan-{token}.lock").unlink(missing_ok=True)


@contextmanager
def _dead(folder: Path, token: str) -> Iterator[Path | None]:
    """The root of the output of a run that has ended, locked against other runs; None for one that lives.

    Its lock lies in `folder` or above it; a run that ended by itself has removed it.
    """
    for above in (folder, *folder.resolve().parents):
        try:
            handle = os.open(above / f".piiscan-{token}.lock", os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            continue
        except OSError:  # somebody else's
            yield None
            return
        try:
            yield above if locks.try_lock(handle) else None
        finally:
            os.close(handle)
        return
    yield folder


def _removed(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
