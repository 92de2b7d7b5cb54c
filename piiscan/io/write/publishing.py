"""Gives files their names, all of them or none; the next run undoes what a killed run had begun to publish.

Each file gets its name as a second one and keeps its first until all are done; a file that is replaced keeps a second
name, too. The journal says which, before any of them is touched, and is removed when the last one has its name: with
that, the output is there.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

from piiscan.core.errors import TakenError, WriteError
from piiscan.io.write.journal import Journal

PUBLISH: Final = "publish"
_OLD: Final = "old~"
_NEW: Final = "new~"
_NO_LINKS: Final = frozenset(
    (errno.EPERM, errno.EACCES, errno.EMLINK, errno.EXDEV, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)
)
"""What file systems without second names for files say, and those that refuse one for a file of somebody else."""


class Step(NamedTuple):
    """A file that is to get a name. `replaces`: there is a file of that name; `inode`: that of the staged one."""

    staged: Path
    target: Path
    replaces: bool
    inode: int

    @property
    def old(self) -> Path:
        """Where the file that is replaced is kept until all are."""
        return self.staged.with_name(_beside(self.staged, _OLD))

    @property
    def new(self) -> Path:
        return self.staged.with_name(_beside(self.staged, _NEW))


def _beside(path: Path, mark: str) -> str:
    token, _, name = path.name.partition("~")
    return f"{token}~{mark}{name}"


def publish(files: Sequence[tuple[Path, Path]], overwrite: bool, journal: Journal) -> None:
    """Give files their names.

    Raises `WriteError` where a name is taken and `overwrite` is false, and `OSError`; then all names are as they were.
    """
    steps = [
        Step(staged, target, overwrite and os.path.lexists(target), staged.lstat().st_ino) for staged, target in files
    ]
    if len(steps) > 1:
        root = journal.path.parent
        journal.add({PUBLISH: [[*_relative(step, root), *step[2:]] for step in steps]})
        synced(root)
    try:
        for step in steps:
            if step.replaces:
                _keep(step)
        for step in steps:
            _name(step, overwrite, alone=len(steps) == 1)
        for folder in sorted({step.target.parent for step in steps}):
            synced(folder)
        if len(steps) > 1:  # with its journal the run ends: what stands there now stays
            journal.remove()
            synced(journal.path.parent)
    except BaseException as error:
        if not take_back(steps):
            raise WriteError(
                f"{steps[0].target.parent}: some files have their new names and others don't, and that can't be taken "
                "back now; run the same command again, which does"
            ) from error
        with suppress(OSError):  # what is taken back already can be taken back again
            _forget(journal)
        raise
    for step in steps:
        for path in (step.staged, step.old):
            with suppress(OSError):  # the next run removes it
                path.unlink(missing_ok=True)


def pending(journal: Journal) -> list[Step]:
    """What a run had begun to publish."""
    root = journal.path.parent
    found: list[Any] = next((r[PUBLISH] for r in reversed(journal.records) if PUBLISH in r), [])
    steps = []
    for staged, target, replaces, inode in found:
        if all(map(_is_inside, (staged, target))):  # nobody else can have written it; but what it says is done
            steps.append(Step(root / staged, root / target, replaces, inode))
    return steps


def recover(journal: Journal) -> None:
    """Undo what a run that was killed had begun to publish. Raises `OSError`."""
    steps = pending(journal)
    if not steps:
        return
    if not take_back(steps):
        raise WriteError(
            f"{steps[0].target.parent}: a run that was stopped has given names to some of its files, which can't be "
            "taken back; look at the files there"
        )
    _forget(journal)


def _forget(journal: Journal) -> None:
    left = [r for r in journal.records if PUBLISH not in r]
    if len(left) < len(journal.records):
        journal.begin(left)


def take_back(steps: Sequence[Step]) -> bool:
    """Give all names back to the files that had them before; return whether that succeeded."""
    done = True
    for step in reversed(steps):
        try:
            _take_back(step)
        except OSError:
            done = False
    for folder in {step.target.parent for step in steps}:
        with suppress(OSError):
            synced(folder)
    return done


def _take_back(step: Step) -> None:
    step.new.unlink(missing_ok=True)
    if os.path.lexists(step.old):
        if _same(step.old, step.target):  # renaming one name of a file to another of it does nothing
            step.old.unlink()
            return
        if not os.path.lexists(step.staged):
            step.target.replace(step.staged)
        step.old.replace(step.target)
    elif os.path.lexists(step.staged):
        if _same(step.staged, step.target):
            if step.replaces:
                raise FileNotFoundError
            step.target.unlink()
    elif os.path.lexists(step.target) and step.target.lstat().st_ino == step.inode:  # there are no second names
        if step.replaces:
            raise FileNotFoundError
        step.target.replace(step.staged)


def _keep(step: Step) -> None:
    """A second name for the file that is to be replaced; on a file system without such, a copy.

    A file that can't be read either is replaced all the same.
    """
    if step.target.is_dir() and not step.target.is_symlink():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    try:
        os.link(step.target, step.old, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with suppress(PermissionError):
            shutil.copy2(step.target, step.new, follow_symlinks=False)
            if not step.new.is_symlink():
                synced(step.new)
            step.new.replace(step.old)


def _name(step: Step, overwrite: bool, alone: bool) -> None:
    if not overwrite:
        _named(step.staged, step.target)
    elif alone:
        step.staged.replace(step.target)
    else:
        try:
            os.link(step.staged, step.new)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            step.staged.replace(step.target)
        else:
            step.new.replace(step.target)


def taken(target: Path) -> TakenError:
    return TakenError(f"{target} exists; name another output, or allow to overwrite it (--overwrite)")


def _named(path: Path, target: Path) -> None:
    """Give a file a second name, which fails where that is taken.

    Looking first would leave time for another process to take it.
    """
    try:
        os.link(path, target)
    except FileExistsError:
        raise taken(target) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise taken(target) from None
        path.replace(target)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except FileNotFoundError:
        return False


def _relative(step: Step, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in (step.staged, step.target)]


def _is_inside(name: Any) -> bool:
    return isinstance(name, str) and not PurePath(name).is_absolute() and ".." not in PurePath(name).parts


def synced(path: Path) -> None:
    """Have the system write a file, or a folder's names, to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
