"""From inputs to tables: files, standard input, archives within archives; each on its own, so that a bad one stops
no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

from piiscan.core.errors import ReadError
from piiscan.core.types import Found, NotScanned, Skipped
from piiscan.io import reader_registry
from piiscan.io.asides import is_aside
from piiscan.io.content import Content, ReadTable, is_failure, os_reason, spool
from piiscan.io.content_kinds import Kind, ending, is_prose, is_table, kind_of, unread
from piiscan.io.encodings.encoding import Encoding, detect
from piiscan.io.folders import files
from piiscan.io.read_options import Budget, ReadOptions
from piiscan.io.reader_registry import ARCHIVES, COMPRESSIONS

CHANGED = "changed while it was read; scan it again"


def inputs(paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None) -> Iterator[Found]:
    """What `discover` gives. Raises `UsageError` for a plug-in that can't be used."""
    reader_registry.plugged()
    visited: set[tuple[int, int]] = set()
    for path in paths:
        if path == "-":
            try:
                yield from _standard_input(stdin, options)
            except OSError as error:
                yield NotScanned(path, os_reason(error))
            continue
        for item, named in files(path, options, visited):
            if not isinstance(item, Content):
                yield item
                continue
            yield from found_in(item, named, options, Budget(options.limits), 0)
            if item.has_changed():
                yield NotScanned(item.source, CHANGED)


def _standard_input(stdin: IO[bytes] | None, options: ReadOptions) -> Iterator[Found]:
    if stdin is None:
        yield NotScanned("-", "no standard input")
        return
    file = spool()
    content = Content.temporary("-", file)
    limit = options.limits.archive_bytes
    while block := stdin.read(1 << 20):
        limit -= len(block)
        if limit < 0:
            yield NotScanned(
                "-", f"more than {options.limits.archive_bytes >> 20} MiB of standard input; name a file instead"
            )
            return
        file.write(block)
    file.flush()
    yield from found_in(content, True, options, Budget(options.limits), 0)


def found_in(content: Content, named: bool, options: ReadOptions, budget: Budget, depth: int) -> Iterator[Found]:
    """The tables of one content. Errors become `NotScanned`, and so do bytes that no reader accounted for, once every
    table was read to its end."""
    is_reported, position = False, 0
    try:
        for item in _tables(content, named, options.for_source(content.source), budget, depth):
            if not options.asides and isinstance(item, ReadTable) and is_aside(item.info):
                continue
            is_reported |= isinstance(item, NotScanned | Skipped) and item.source == content.source
            if isinstance(item, ReadTable) and item.info.source == content.source:
                yield _accounted(item, content, position)
                position += 1
            else:
                yield item
        if (
            not (is_reported or content.has_changed())
            and content.account.is_settled
            and (reason := unread_bytes(content))
        ):
            yield NotScanned(content.source, reason)
    except ReadError as error:
        yield NotScanned(content.source, str(error))
    except OSError as error:
        yield NotScanned(content.source, os_reason(error))
    except MemoryError:
        yield NotScanned(content.source, "not enough memory to read it")
    except RecursionError:
        yield NotScanned(content.source, "nested too deeply")
    except BaseException as error:
        if not is_failure(error):
            raise
        # Readers of hostile files fail in ways of their own, and their messages may quote cells.
        yield NotScanned(content.source, f"malformed ({type(error).__name__}); check it with its program")


def _accounted(table: ReadTable, content: Content, position: int) -> ReadTable:
    """The table, which tells the account of its content when it has been read to its end."""
    account, read = content.account, table.read
    account.tables += 1

    def counted() -> Iterator[Any]:
        yield from read()
        account.table_read()

    info = table.info._replace(position=position, path=content.path or table.info.path)
    return table._replace(info=info, read=counted)


def unread_bytes(content: Content) -> str | None:
    """Why a content wasn't read whole, None where every byte is accounted for."""
    gaps = content.account.unread(content.size)
    if not gaps:
        return None
    count = sum(end - start for start, end in gaps)
    first = gaps[0][0]
    return (
        f"{count:,} of its {content.size:,} bytes were not read, from byte {first:,} on; repair it or write it "
        "again with its program"
    )


def _tables(content: Content, named: bool, options: ReadOptions, budget: Budget, depth: int) -> Iterator[Found]:
    head = content.head()
    kind = kind_of(content, head)
    if kind is None:
        yield from (_unfolded(item, head, options) for item in _text(content, head, options))
    elif kind.name in (*COMPRESSIONS, *ARCHIVES):
        if depth >= options.limits.archive_depth:
            raise ReadError(f"archives nested more than {options.limits.archive_depth} deep; unpack it first")
        yield from _unpacked(content, kind.name, named, options, budget, depth + 1)
    else:
        yield from (_unfolded(item, head, options) for item in _typed(content, kind, named, options))


_MAY_HOLD_JSON: dict[str, tuple[bytes, ...]] = {
    **dict.fromkeys(("csv", "tsv"), (b"{", b"[")),
    **dict.fromkeys(("json", "jsonl"), (b'"{', b'"[')),
    **dict.fromkeys(("sqlite", "duckdb", "parquet", "arrow", "avro"), ()),
}
"""Formats whose texts may be JSON, with what the first bytes of such a file hold."""


def _unfolded(item: Found, head: bytes, options: ReadOptions) -> Found:
    """The table with what its JSON texts hold as columns of their own."""
    if not isinstance(item, ReadTable) or item.info.format not in _MAY_HOLD_JSON:
        return item
    if (marks := _MAY_HOLD_JSON[item.info.format]) and not any(mark in head for mark in marks):
        return item
    from piiscan.io.nested.json_texts import unfolded

    return unfolded(item, options.limits.columns)


def _unpacked(
    content: Content, kind: str, named: bool, options: ReadOptions, budget: Budget, depth: int
) -> Iterator[Found]:
    """What a compressed file or an archive holds, up to where it is damaged."""
    from piiscan.io.archives import archives

    if kind in COMPRESSIONS:
        inner, failure = archives.decompressed(content, kind, budget)
        if failure is not None:
            yield NotScanned(content.source, str(failure))
        if failure is None or inner.size:
            yield from found_in(inner, named, options, budget, depth)
        return
    is_reported = False
    for member in archives.members(content, kind, budget, options.rules):
        if isinstance(member, Content):
            yield from found_in(member, False, options, budget, depth)
        else:
            is_reported |= isinstance(member, NotScanned) and member.source == content.source
            yield member
    if not is_reported and (reason := unread_bytes(content)):
        yield NotScanned(content.source, reason)


def _typed(content: Content, kind: Kind, named: bool, options: ReadOptions) -> Iterator[Found]:
    if kind.use == "unread":
        yield NotScanned(content.source, kind.name)
    elif kind.use == "read":
        yield from reader_registry.tables(kind.name, content, options, found_in)
    elif named and kind.name != "empty":
        yield NotScanned(content.source, f"{kind.name}: a kind that isn't read")
    else:
        yield Skipped(content.source, kind.name)


def _text(content: Content, head: bytes, options: ReadOptions) -> Iterator[Found]:
    encoding = detect(content, head, options.encoding, options.rows is None)
    if encoding is None:
        yield NotScanned(content.source, unread(content.source, content.compression))
        return
    if encoding.doubt is not None:
        yield NotScanned(content.source, encoding.doubt)
    for found in _tables_of_text(content, encoding, options):
        if encoding.note is not None and isinstance(found, ReadTable):
            yield found._replace(info=found.info._replace(notes=(*found.info.notes, encoding.note)))
        else:
            yield found


def _tables_of_text(content: Content, encoding: Encoding, options: ReadOptions) -> Iterator[Found]:
    from piiscan.io.delimited import delimited

    suffix = ending(content.source, content.compression)
    sample, complete = delimited.text_sample(content, encoding)
    if complete and not sample.strip("\ufeff \t\r\n\0"):
        yield Skipped(content.source, "empty")
        return
    is_declared, named_table = options.delimiter is not None, is_table(content.source, content.compression)
    if sample.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and not (is_declared and named_table):
        from piiscan.io.nested import json_files

        if suffix in ("jsonl", "ndjson") or json_files.looks_like_lines(sample, complete):
            yield json_files.lines(content, encoding, options)
            return
        if suffix in ("json", "geojson", "topojson") or json_files.looks_like_document(sample, complete):
            yield from json_files.document(content, encoding, options)
            return
    notes: tuple[str, ...] = ()
    one_line = not complete and "\n" not in sample and "\r" not in sample
    if not (is_prose(content.source, content.compression) or (one_line and not is_declared)):
        tables = delimited.tables(content, encoding, options, strict=not (is_declared or named_table))
        if isinstance(tables, list):
            yield from tables
            return
        notes = tables.notes
    from piiscan.io.delimited import lines

    yield lines.table(content, encoding, options, notes)
