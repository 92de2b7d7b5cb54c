"""From a file or a folder to another: every output is staged, then passed to the caller, then named."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from piiscan.core.errors import PiiscanError, ReadError, TableRefusal, UsageError, WriteError, type_and_place
from piiscan.core.types import NotScanned, Skipped, TableInfo
from piiscan.io.asides import is_aside
from piiscan.io.content import Content, ReadTable, is_failure
from piiscan.io.lake_tables import REASON, lake_table
from piiscan.io.printed_names import shown
from piiscan.io.read_options import Budget, ReadOptions
from piiscan.io.walk import CHANGED, found_in
from piiscan.io.write.change import FULL, Changes, Resumed, Rewritten, Staged
from piiscan.io.write.finished import Finished, Resumption
from piiscan.io.write.job import Done, Job
from piiscan.io.write.packed import write
from piiscan.io.write.publishing import taken
from piiscan.io.write.staging import Staging


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
    resumption: Resumption | None = None,
) -> Rewritten:
    """Write a file, or every file below a folder, again as `target`, with the columns that `change` gives.

    Format and layout stay the same.

    Nothing gets its name before all of it is written and `verify` has returned; whatever is raised until then leaves no
    output. Files that can't be read as tables to their end are left out, unless `copy_others` asks for a copy of those
    in which no table was found. `options.rows` doesn't count. `inspect` is shown texts that a writer copies as they
    are, such as a database's schema; a `ReadError` of its leaves the file out. `verify` may give files that are to be
    left out, by their sources. With a `resumption`, what is finished of a folder stays for a later run where this one
    is interrupted, or the disk is full.

    Of a folder, tables of Delta Lake, Iceberg and Hudi are left out, each as a whole, and so is an archive with such a
    table in it. A file that fails leaves the others alone: one that holds a value which has no place in its format, a
    table that its change refuses (`TableRefusal`), or one that a mistake in a program stops at.

    Raises `UsageError` where source and target are in each other's way or a plug-in can't be used, `WriteError` where
    a name is taken (unless told to `overwrite`), another run writes the same output or the disk is full, and for a
    single file that fails; and what `change` and `verify` raise.
    """
    from piiscan.io import reader_registry
    from piiscan.io.folders import files
    from piiscan.io.write import writer_registry

    for registry in (reader_registry, writer_registry):
        registry.plugged()  # one that can't be used is told before anything is read
    _apart(source, target)
    options = options._replace(rows=None)
    is_folder = source.is_dir()
    resumed = Resumed()
    run = _Run(source, target, is_folder, options, change, overwrite, copy_others, inspect)
    refused: Sequence[NotScanned] = ()
    try:
        with _staging(target, is_folder) as staging:
            finished = None if resumption is None else Finished(staging, resumption)
            for item, named in files(str(source), options, set()):
                if isinstance(item, NotScanned):
                    run.left_out.append(item)
                elif isinstance(item, Skipped):
                    run.skipped.append(item)
                elif isinstance(item, Content) and not (is_folder and run.leaves_out(item, source)):
                    run.write(item, named, staging, finished)
            if finished is not None:
                resumed = finished.close()
            refused = (verify(tuple(run.staged)) if verify is not None else None) or ()
            kept = _without(refused, run.staged)
            staging.publish([(one.path, one.target, run.modes[one.source]) for one in kept], overwrite)
    except OSError as error:
        raise WriteError(_reason(error, target)) from None
    return Rewritten(
        _without(refused, run.tables),
        kept,
        tuple(run.copied),
        (*run.left_out, *refused),
        tuple(run.skipped),
        resumed,
    )


@contextmanager
def _staging(target: Path, is_folder: bool) -> Iterator[Staging]:
    """Where outputs lie until they get their names.

    Finished outputs stay for a later run only where this one ends for a reason outside of itself and the plan.
    """
    with Staging(target, is_folder) as staging:
        try:
            yield staging
        except (OSError, MemoryError, WriteError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            staging.keeps.clear()
            raise


class _Run:
    """Writes inputs to outputs without names, and collects the results."""

    def __init__(
        self,
        source: Path,
        target: Path,
        is_folder: bool,
        options: ReadOptions,
        change: Changes,
        overwrite: bool,
        copy_others: bool,
        inspect: Callable[[ReadTable], None] | None,
    ) -> None:
        self.tables: list[TableInfo] = []
        self.staged: list[Staged] = []
        self.modes: dict[str, int] = {}
        self.copied: list[str] = []
        self.left_out: list[NotScanned] = []
        self.skipped: list[Skipped] = []
        self._inside = "" if (printed := shown(str(source), options.rules)) == "." else f"{printed.rstrip('/')}/"
        self._target, self._is_folder, self._options, self._change = target, is_folder, options, change
        self._overwrite, self._copy_others, self._inspect = overwrite, copy_others, inspect
        self._lakes: dict[Path, tuple[Path, str] | None] = {}
        self._lakes_left_out: set[tuple[Path, str]] = set()

    def leaves_out(self, item: Content, root: Path) -> bool:
        """Whether a file belongs to a table whose log would no longer fit; said once for the table."""
        file = Path(item.path or "")
        if file.parent not in self._lakes:
            found = self._lakes[file.parent] = lake_table(file, root)
            if found is not None and found not in self._lakes_left_out:
                self._lakes_left_out.add(found)
                folder, kind = found
                self.left_out.append(NotScanned(shown(str(folder), self._options.rules), f"{kind}, {REASON}"))
        return self._lakes[file.parent] is not None

    def write(self, item: Content, named: bool, staging: Staging, finished: Finished | None) -> None:
        """Write the output of one input; or note why it is left out."""
        path = Path(item.path or "")
        # A name that identifies somebody is written as it is printed.
        final = self._target / item.source.removeprefix(self._inside) if self._is_folder else self._target
        if not self._overwrite and os.path.lexists(final):
            raise taken(final)
        if finished is not None and (unfinished := finished.take(item.source, final.parent)) is not None:
            if (tables := _kept(item, named, self._options, unfinished, finished)) is not None:
                finished.keep(unfinished)
                self._done(item, path, final, unfinished, Done(tables))
                return
            finished.refuse(unfinished)
        unfinished = staging.file(final.parent, final.name)
        job = Job(
            self._options,
            _named(self._change, str(path)),
            self._copy_others,
            staging,
            final.parent,
            Budget(self._options.limits),
            self._inspect,
        )
        done = _written(item, unfinished, job, named, self._is_folder)
        if isinstance(done, NotScanned):
            staging.discard(unfinished)
            self.left_out.append(done)
            return
        self._done(item, path, final, unfinished, done)
        if finished is not None and done.tables:
            finished.add(item.source, unfinished)

    def _done(self, item: Content, path: Path, final: Path, unfinished: Path, done: Done) -> None:
        self.tables += done.tables
        self.copied += done.copied
        self.staged.append(Staged(item.source, unfinished, final))
        self.modes[item.source] = stat.S_IMODE(path.stat().st_mode) & 0o777


def _kept(
    item: Content, named: bool, options: ReadOptions, output: Path, finished: Finished
) -> tuple[TableInfo, ...] | None:
    """The tables of an input whose output an earlier run has finished; None where it has to be written again."""
    found = list(found_in(item, named, options, Budget(options.limits), 0))
    if any(isinstance(one, NotScanned) for one in found):
        return None
    tables = [one._replace(info=one.info._replace(path=item.path)) for one in found if isinstance(one, ReadTable)]
    own = [table for table in tables if not is_aside(table.info)]
    try:
        same = finished.again(item.source, own, output) and not item.has_changed()
    except ReadError:
        return None
    return tuple(table.info for table in own) if same else None


def _written(item: Content, unfinished: Path, job: Job, named: bool, is_folder: bool) -> Done | NotScanned:
    """Write a file; return the result, or why it is left out."""
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
    """Why one file is left out; None for errors that end the run.

    Those are a full disk, a wrong plan, an interruption.
    """
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
    """Pass `change` the file on disk that a table is in."""
    return lambda info: change(info._replace(path=path))


def _apart(source: Path, target: Path) -> None:
    """Check that source and target don't conflict.

    Raises `UsageError` where writing the target would change the source, or the source would be read back as its own
    output.
    """
    here, there = source.resolve(), target.resolve()
    if here == there or (target.exists() and source.exists() and target.samefile(source)):
        raise UsageError(f"the output can't be the input: {source}")
    if source.is_dir():
        if there.is_relative_to(here):
            raise UsageError(f"the output {target} lies inside the input {source}; choose a folder outside it")
        if here.is_relative_to(there):
            raise UsageError(f"the input {source} lies inside the output {target}; choose another folder")
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is not a folder; the output of a folder has to be one")
    elif target.is_dir():
        raise UsageError(f"{target} is a folder; name the file to write")


def _reason(error: OSError, target: Path) -> str:
    if error.errno in FULL:
        return f"no space left for {target}; nothing was written; free some, or choose another place"
    if isinstance(error, PermissionError):
        return f"{target}: permission denied; nothing was written; choose another place"
    return f"{target} can't be written: {error.strerror or type(error).__name__}; nothing was written"
