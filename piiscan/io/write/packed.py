"""One input as one output: what is packed is unpacked, written again and packed the same way."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import NotScanned, Skipped, TableInfo
from piiscan.io.asides import is_aside, is_copied
from piiscan.io.content import Content, ReadTable
from piiscan.io.content_kinds import kind_of
from piiscan.io.dumps.dialects import AS_LINES
from piiscan.io.reader_registry import ARCHIVES, COMPRESSIONS
from piiscan.io.sql_text import holds_sql
from piiscan.io.walk import found_in, unread_bytes
from piiscan.io.write.change import Change, check, reading
from piiscan.io.write.copied import READ_ONLY, check_unchanged
from piiscan.io.write.folded import folded
from piiscan.io.write.job import Done, Job
from piiscan.io.write.writer_registry import writer

_SQL: Final = (
    "SQL, whose statements aren't read as tables; load it into a database (SQLite and DuckDB are read) and use that"
)

_NO_TABLES: Final = "no tables in it, so its contents can't be checked; copy it yourself if it holds no personal data"


def write(content: Content, target: Path, job: Job, named: bool, depth: int = 0) -> Done:
    """Write `content` to the file `target`.

    Raises `ReadError` where it can't be sure that all of it went through the change.
    """
    from piiscan.io.write import archive_writer

    with reading():
        kind = kind_of(content, content.head())
    options = job.options.for_source(content.source)
    if kind is None or kind.name not in (*COMPRESSIONS, *ARCHIVES):
        return _document(content, target, job, named, depth)
    if depth >= options.limits.archive_depth:
        raise ReadError(f"archives nested more than {options.limits.archive_depth} deep; unpack it first")
    if kind.name in ARCHIVES:
        done = archive_writer.repacked(content, kind.name, target, job, depth, write)
    else:
        done = archive_writer.recompressed(content, kind.name, target, job, named, depth, write)
    if done.same:
        copy(content, target)
    return done


def _document(content: Content, target: Path, job: Job, named: bool, depth: int) -> Done:
    found = list(found_in(content, named, job.options, job.budget, depth))
    tables = [item for item in found if isinstance(item, ReadTable)]
    empty = content.size == 0 or any(isinstance(item, Skipped) and item.reason == "empty" for item in found)
    if empty or (job.copy_others and not tables):
        copy(content, target)
        return Done((), () if empty else (content.source,), True)
    unread = [item for item in found if isinstance(item, NotScanned | Skipped)]
    if unread or not tables:
        raise ReadError(_refusal(unread))
    tables = _own_tables(tables, job)
    changes = _changes(content, tables, job)
    infos = tuple(table.info for table in tables)
    if all(change is None for change in changes):
        copy(content, target)
        return Done(infos, (), True)
    _write_tables(content, tables, changes, target)
    if reason := unread_bytes(content):
        raise ReadError(reason)
    return Done(infos)


def _changes(content: Content, tables: Sequence[ReadTable], job: Job) -> list[Change | None]:
    try:
        return [job.change(table.info) for table in tables]
    except UsageError:
        if holds_sql(tables[0].info, content):  # it has no output, whatever a plan knows of it
            raise ReadError(_why_not(tables[0].info)) from None
        raise


def _why_not(info: TableInfo) -> str:
    """Return why SQL has no output: what keeps a dump from being read as tables, if it is one."""
    return next((note for note in info.notes if note.startswith(AS_LINES)), _SQL)


def _write_tables(
    content: Content, tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path
) -> None:
    if holds_sql(tables[0].info, content):
        raise ReadError(_why_not(tables[0].info))
    for table, change in zip(tables, changes, strict=True):
        if change is not None:
            check(change, table.info)
    if tables[0].info.format in READ_ONLY:
        check_unchanged(tables, changes)
        copy(content, target)
        return
    plain = [folded(table, change) for table, change in zip(tables, changes, strict=True)]
    write_format = writer(tables[0].info.format)
    write_format([table for table, _ in plain], [change for _, change in plain], target)


def _own_tables(tables: Sequence[ReadTable], job: Job) -> list[ReadTable]:
    """The tables that are written, after the texts that are copied with them were inspected.

    Raises `ReadError` where there are none, or where a text mustn't be copied.
    """
    for table in tables:
        if job.inspect is not None and is_copied(table.info):
            job.inspect(table)
    own = [table for table in tables if not is_aside(table.info)]
    if not own:
        raise ReadError(f"only texts that aren't written again: {_NO_TABLES}")
    return own


def _refusal(unread: Sequence[NotScanned | Skipped]) -> str:
    if not unread:
        return _NO_TABLES
    first = unread[0]
    if isinstance(first, Skipped):
        return f"{first.reason}: {_NO_TABLES}"
    return first.reason if first.table is None else f"{first.table}: {first.reason}"


def copy(content: Content, target: Path) -> None:
    """The bytes as they are."""
    with content.open() as source, open(target, "wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
