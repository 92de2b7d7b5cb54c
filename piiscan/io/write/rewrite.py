"""From a file or a folder to another: every output is staged, then shown to the caller, then named."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from piiscan.core.errors import PiiscanError, ReadError, TableRefusal, UsageError, WriteError, type_and_place
from piiscan.core.types import NotScanned, Skipped, TableInfo
from piiscan.io.content import Content, ReadTable
from piiscan.io.read_options import Budget, ReadOptions
from piiscan.io.write.change import FULL, Changes, Rewritten, Staged
from piiscan.io.write.staging import Staging, taken

if TYPE_CHECKING:
    from piiscan.io.write.job import Done, Job


def rewrite(
    source: Path,
    target: Path,
    options: ReadOptions,
    change: Changes,
    *,
    verify: Callable[[Sequence[Staged]], Sequence[NotScanned] | None] | None = None,
    overwrite: bool = False,
    copy_others: bool = False,
    inspect: Callable[[ReadTable], None] | None = None,
) -> Rewritten:
    """Write a file, or every file below a folder, again as `target`: same format, same layout, with the columns that
    `change` gives.

    Nothing gets its name before all of it is written and `verify` has returned; whatever is raised until then leaves no
    output. Files that can't be read as tables to their end are left out, unless `copy_others` asks for a copy of those
    in which no table was found. `options.rows` doesn't count. `inspect` is shown texts that a writer copies as they
    are, such as a database's schema; a `ReadError` of its leaves the file out. `verify` may give files that are to be
    left out, by their sources.

    Of a folder, a file that fails leaves the others alone: one that holds a value which has no place in its format,
    a table that its change refuses (`TableRefusal`), or one that a mistake in a program stops at.

    Raises `UsageError` where source and target are in each other's way or a plug-in can't be used, `WriteError` where
    a name is taken (unless told to `overwrite`) or the disk is full, and for a single file that fails; and what
    `change` and `verify` raise.
    """
    from piiscan.io import reader_registry
    from piiscan.io.folders import files
    from piiscan.io.printed_names import shown
    from piiscan.io.write import writer_registry
    from piiscan.io.write.job import Job

    for registry in (reader_registry, writer_registry):
        registry.plugged()  # one that can't be used is told before anything is read
    _apart(source, target)
    options = options._replace(rows=None)
    is_folder = source.is_dir()
    inside = "" if (printed := shown(str(source), options.rules)) == "." else f"{printed.rstrip('/')}/"
    tables: list[TableInfo] = []
    staged: list[Staged] = []
    modes: dict[str, int] = {}
    copied: list[str] = []
    left_out: list[NotScanned] = []
    skipped: list[Skipped] = []
    try:
        with Staging(target if is_folder else target.parent) as staging:
            for item, named in files(str(source), options, set()):
                if isinstance(item, NotScanned):
                    left_out.append(item)
                elif isinstance(item, Skipped):
                    skipped.append(item)
                if not isinstance(item, Content):
                    continue
                path = Path(item.path or "")
                # A name that identifies somebody is written as it is printed.
                final = target / item.source.removeprefix(inside) if is_folder else target
                if not overwrite and os.path.lexists(final):
                    raise taken(final)
                unfinished = staging.file(final.parent, final.name)
                job = Job(
                    options,
                    _named(change, str(path)),
                    copy_others,
                    staging,
                    final.parent,
                    Budget(options.limits),
                    inspect,
                )
                done = _written(item, unfinished, job, named, is_folder)
                if isinstance(done, NotScanned):
                    staging.discard(unfinished)
                    left_out.append(done)
                    continue
                tables += done.tables
                copied += done.copied
                staged.append(Staged(item.source, unfinished, final))
                modes[item.source] = stat.S_IMODE(path.stat().st_mode) & 0o777
            refused = (verify(tuple(staged)) if verify is not None else None) or ()
            left_out += refused
            kept = _without(refused, staged)
            staging.publish([(one.path, one.target, modes[one.source]) for one in kept], overwrite)
    except OSError as error:
        raise WriteError(_reason(error, target)) from None
    return Rewritten(_without(refused, tables), kept, tuple(copied), tuple(left_out), tuple(skipped))


def _written(item: Content, unfinished: Path, job: Job, named: bool, is_folder: bool) -> Done | NotScanned:
    """What came of a file; why it is left out."""
    from piiscan.io.walk import CHANGED
    from piiscan.io.write.packed import write

    try:
        done = write(item, unfinished, job, named)
        if item.has_changed():
            raise ReadError(CHANGED)
    except BaseException as error:
        if (reason := _failure(error, item.source, is_folder)) is None:
            raise
        return NotScanned(item.source, reason)
    return done


def _failure(error: BaseException, source: str, is_folder: bool) -> str | None:
    """Why one file is left out; None for what ends the run: the disk is full, the plan is wrong, somebody
    interrupts."""
    from piiscan.io.content import is_failure

    if isinstance(error, ReadError):
        return str(error)
    if not is_folder:
        return None
    if isinstance(error, WriteError | TableRefusal):
        return str(error).removeprefix(source).lstrip("!:, ")
    if isinstance(error, PiiscanError | OSError | MemoryError) or not is_failure(error):
        return None
    return f"internal error: {type_and_place(error)}; this is a mistake in piiscan, please report it"


Of = TypeVar("Of", TableInfo, Staged)


def _without(refused: Sequence[NotScanned], found: Sequence[Of]) -> tuple[Of, ...]:
    """Those that are in none of the refused files, nor in archives of theirs."""
    gone = tuple(entry.source for entry in refused)
    return tuple(one for one in found if not any(one.source == s or one.source.startswith(f"{s}!") for s in gone))


def _named(change: Changes, path: str) -> Changes:
    """`change`, told of the file on disk that a table is in."""
    return lambda info: change(info._replace(path=path))


def _apart(source: Path, target: Path) -> None:
    """Raises `UsageError` where writing the target would change the source, or the source is about to be read back
    as its own output."""
    here, there = source.resolve(), target.resolve()
    if here == there or (target.exists() and source.exists() and target.samefile(source)):
        raise UsageError(f"the output can't be the input: {source}")
    if source.is_dir():
        if there.is_relative_to(here):
            raise UsageError(f"the output {target} lies inside the input {source}; choose a folder outside it")
        if here.is_relative_to(there):
            raise UsageError(f"the input {source} lies inside the output {target}; choose another folder")
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is no folder; the output of a folder is one")
    elif target.is_dir():
        raise UsageError(f"{target} is a folder; name the file to write")


def _reason(error: OSError, target: Path) -> str:
    if error.errno in FULL:
        return f"no space left for {target}; nothing was written; free some, or choose another place"
    if isinstance(error, PermissionError):
        return f"{target}: permission denied; nothing was written; choose another place"
    return f"{target} can't be written: {error.strerror or type(error).__name__}; nothing was written"
