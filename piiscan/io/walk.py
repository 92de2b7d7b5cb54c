"""From inputs to tables: files, standard input, archives within archives; a bad input stops no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Any, Final, NamedTuple, Protocol

from piiscan.core.checkpoints import Elsewhere, Known
from piiscan.core.errors import ReadError
from piiscan.core.types import Found, NotScanned, Skipped, TableInfo
from piiscan.io import printed_names, reader_registry
from piiscan.io.asides import is_aside
from piiscan.io.cells import armour, long_values
from piiscan.io.content import Account, Content, ReadTable, is_failure, os_reason, spool
from piiscan.io.content_kinds import Kind, ending, is_prose, is_table, kind_of, unread
from piiscan.io.documents import kinds, tables_in_text
from piiscan.io.dumps import dialects
from piiscan.io.encodings.encoding import Encoding, detect
from piiscan.io.encodings.survey import looks_like_text
from piiscan.io.folders import files
from piiscan.io.read_options import Budget, ReadOptions
from piiscan.io.reader_registry import ARCHIVES, COMPRESSIONS
from piiscan.io.sql_text import is_sql

_VALUE: Final = re.compile(r"[\ufeff \t\r\n]*(?:[\[{]|a:\d+:\{|O:\d+:\")")
"""How a text begins that may be JSON, or objects and lists as programs print them."""
_OBJECT: Final = re.compile(r"^[ \t]*\{", re.MULTILINE)
"""A line of JSON, behind others that are none."""
CHANGED = "changed while it was read; scan it again"


class FileOnDisk(NamedTuple):
    """A regular file, as another process can find it.

    Its name in the report, its path, its size when it was listed, and whether it was named explicitly.
    """

    source: str
    path: str
    size: int
    is_named: bool


class Input(NamedTuple):
    """An input that is named or found in a folder, its result, and its file, if it is one.

    `account`: how far it has been read, where this process reads it.
    """

    source: str
    read: Callable[[], Iterable[Found]]
    file: FileOnDisk | None = None
    account: Account | None = None


class Ahead(Protocol):
    """Reads inputs before it is their turn."""

    def follow(self, inputs: Iterable[Input]) -> Iterator[tuple[Input, Callable[[], Elsewhere | None]]]:
        """The inputs in their order, each with its result, or None where it is still to be read."""


def inputs(
    paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None, ahead: Ahead | None = None
) -> Iterator[Found | Known | Elsewhere]:
    """Yield what `discover` gives, what the checkpoints know, and what was read ahead.

    Raises `UsageError` for a plug-in that can't be used.
    """
    reader_registry.plugged()
    checkpoints = options.checkpoints
    found: Iterable[Input] = listed(paths, options, stdin)
    if checkpoints.wants_all:
        found = list(found)
        checkpoints.expect([(one.source, one.file.path if one.file else None) for one in found])
    for one, read_ahead in ((one, None) for one in found) if ahead is None else ahead.follow(found):
        known = checkpoints.begin(one.source)
        if known is not None:
            yield known
        elif read_ahead is not None and (elsewhere := read_ahead()) is not None:
            yield elsewhere
        else:
            yield from one.read()
    yield from checkpoints.left()


def tables_of(file: FileOnDisk, options: ReadOptions) -> Iterator[Found]:
    """Yield the results of a file. Each table is to be read before the next is asked for."""
    return _file(Content(file.source, file.path), file.is_named, options)


def listed(paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None = None) -> Iterator[Input]:
    """What is named and what lies in folders, in sorted order; nothing is opened."""
    visited: set[tuple[int, int]] = set()
    for path in paths:
        if path == "-":
            yield Input("-", partial(_standard_input, stdin, options))
            continue
        for item, named in files(path, options, visited):
            if isinstance(item, Content):
                on_disk = None if item.path is None else FileOnDisk(item.source, item.path, item.stamp[2], named)
                yield Input(item.source, partial(_file, item, named, options), on_disk, item.account)
            else:
                yield Input(item.source, partial(tuple, (item,)))


def _file(content: Content, named: bool, options: ReadOptions) -> Iterator[Found]:
    content = content.as_it_is_now()
    yield from found_in(content, named, options, Budget(options.limits), 0)
    if content.has_changed():
        yield NotScanned(content.source, CHANGED)


def _standard_input(stdin: IO[bytes] | None, options: ReadOptions) -> Iterator[Found]:
    if stdin is None:
        yield NotScanned("-", "no standard input")
        return
    try:
        yield from _piped(stdin, options)
    except OSError as error:
        yield NotScanned("-", os_reason(error))


def _piped(stdin: IO[bytes], options: ReadOptions) -> Iterator[Found]:
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
    """The tables of one content.

    Errors become `NotScanned`, and so do bytes that no reader accounted for, once every table was read to its end.
    """
    options.checkpoints.open(content.source)
    if (reason := options.checkpoints.lost.get(content.source)) is not None:
        yield NotScanned(content.source, reason)
        return
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
    """The table; it notifies its content's account when it has been read to its end."""
    account, read, pieces = content.account, table.read, table.pieces
    account.tables += 1

    def counted(frames: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from long_values.without(frames)
        except long_values.LongValue:
            account.table_read()  # of which everything else was read
            raise
        account.table_read()

    if pieces is not None:
        rest = pieces.rest
        pieces = pieces._replace(rest=lambda done, rows: counted(rest(done, rows)))
    info = table.info._replace(position=position, path=content.path or table.info.path)
    return table._replace(info=info, read=lambda: counted(read()), pieces=pieces)


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
    messages = _encoded_mail(content, head) if kind is None else None
    is_packed = messages is not None or (kind is not None and kind.name in (*COMPRESSIONS, *ARCHIVES))
    if is_packed and depth >= options.limits.archive_depth:
        raise ReadError(f"archives nested more than {options.limits.archive_depth} deep; unpack it first")
    if messages is not None:
        yield from messages(options, found_in, budget, depth + 1)
    elif kind is None:
        yield from (_unfolded(item, head, options) for item in _text(content, head, options))
    elif is_packed:
        yield from _unpacked(content, kind.name, named, options, budget, depth + 1)
    else:
        yield from (_unfolded(item, head, options) for item in _typed(content, kind, named, options, budget, depth))


def _encoded_mail(content: Content, head: bytes) -> Callable[..., Iterator[Found]] | None:
    """What finds the tables of mail in which something is encoded; None for any other text."""
    if not kinds.may_be_mail(head):
        return None
    from piiscan.io.documents import mail

    return partial(mail.tables, content) if mail.is_encoded(content) else None


_MAY_HOLD_JSON: dict[str, tuple[bytes, ...]] = {
    **dict.fromkeys(("csv", "tsv"), (b"{", b"[")),
    **dict.fromkeys(("json", "jsonl"), (b'"{', b'"[', b'"a:', b'"O:')),
    **dict.fromkeys(("sql", "sqlite", "duckdb", "parquet", "arrow", "avro"), ()),
}
"""Formats whose texts may be JSON, with what the first bytes of such a file hold."""


_PRINTED = re.compile(rb'\s*(?:\{[^"\s{}]|a:\d+:\{|O:\d+:")')
"""How lines begin that are objects as programs print them, other than JSON."""


def _unfolded(item: Found, head: bytes, options: ReadOptions) -> Found:
    """The table with what its JSON texts hold, and values of attributes, as columns of their own."""
    if not isinstance(item, ReadTable) or not (_may_hold_json(item.info, head) or _may_be_of_attributes(item.info)):
        return item
    from piiscan.io.nested.json_texts import unfolded

    return unfolded(item, options.limits.columns)


def _may_hold_json(info: TableInfo, head: bytes) -> bool:
    marks = _MAY_HOLD_JSON.get(info.format)
    if info.format == "jsonl" and _PRINTED.match(head):
        return True
    return marks is not None and (not marks or any(mark in head for mark in marks))


def _may_be_of_attributes(info: TableInfo) -> bool:
    if info.is_text or len(info.fields) < 2:
        return False
    from piiscan.io.nested.attribute_values import may_be_any

    return may_be_any(info.fields)


def _unpacked(
    content: Content, kind: str, is_named: bool, options: ReadOptions, budget: Budget, depth: int
) -> Iterator[Found]:
    """What a compressed file or an archive holds, up to where it is damaged."""
    from piiscan.io.archives import archives

    if kind in COMPRESSIONS:
        names: list[str] = []
        inner, failure = archives.decompressed(content, kind, budget, names)
        for name in dict.fromkeys(names):
            yield from printed_names.named(content.source, name, options.rules)
        if failure is not None:
            yield NotScanned(content.source, str(failure))
        if failure is None or inner.size:
            yield from found_in(inner, is_named, options, budget, depth)
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


def _typed(
    content: Content, kind: Kind, named: bool, options: ReadOptions, budget: Budget, depth: int
) -> Iterator[Found]:
    if kind.use == "unread":
        yield NotScanned(content.source, kind.name)
    elif kind.use == "read":
        yield from reader_registry.tables(kind.name, content, options, partial(_embedded, budget, depth))
    elif named and kind.name != "empty":
        yield NotScanned(content.source, f"{kind.name}: a kind that isn't read")
    else:
        yield Skipped(content.source, kind.name)


def _embedded(
    budget: Budget, outer: int, content: Content, named: bool, options: ReadOptions, _: Budget, depth: int
) -> Iterator[Found]:
    """What is found in a content that another one holds, `depth` deep: counted as the members of archives are."""
    if outer + depth > options.limits.archive_depth:
        yield NotScanned(
            content.source, f"files nested more than {options.limits.archive_depth} deep; take it out first"
        )
        return
    budget.member()
    yield from found_in(content, named, options, budget, outer + depth)


def _text(content: Content, head: bytes, options: ReadOptions) -> Iterator[Found]:
    family = kinds.code(content, head)
    is_script = ending(content.source, content.compression) in ("js", "mjs", "cjs")
    if is_script and (data := _assigned(content, head, options)) is not None:
        yield from data
        return
    if family is not None and not options.code and looks_like_text(head):
        yield Skipped(content.source, kinds.PASSED_OVER)
        return
    may_be_dump = dialects.may_be(head[: dialects.HEAD])
    # MySQL's dumps may hold bytes that are no text, within quotes.
    is_mixed = options.encoding is None and may_be_dump and dialects.holds_bytes(head)
    encoding = Encoding("utf-8", True) if is_mixed else detect(content, head, options.encoding, options.rows is None)
    if encoding is None:
        yield NotScanned(content.source, unread(content.source, content.compression))
        return
    if encoding.doubt is not None:
        yield NotScanned(content.source, encoding.doubt)
    for found in _tables_of_text(content, encoding, options, family, may_be_dump):
        if encoding.note is not None and isinstance(found, ReadTable):
            yield found._replace(info=found.info._replace(notes=(*found.info.notes, encoding.note)))
        else:
            yield found


def _assigned(content: Content, head: bytes, options: ReadOptions) -> list[ReadTable] | None:
    """The tables of a script that gives one JSON document a name, and does nothing else; None for any other."""
    from piiscan.io.nested import json_files

    if options.lines or not json_files.is_assigned(head[:4096].decode("utf-8", "replace")):
        return None
    encoding = detect(content, head, options.encoding, options.rows is None)
    if encoding is None or not encoding.is_utf8:
        return None
    return json_files.assigned(content, encoding, options)


def _json_document(
    content: Content, encoding: Encoding, options: ReadOptions, is_notebook: bool
) -> Iterable[ReadTable]:
    if is_notebook:
        from piiscan.io.documents import notebooks

        return notebooks.tables(content, encoding, options)
    from piiscan.io.nested import json_files

    return json_files.document(content, encoding, options)


def _json(
    content: Content, encoding: Encoding, options: ReadOptions, sample: str, complete: bool
) -> Iterable[ReadTable] | None:
    """The tables of lines of JSON, or of a document; None for other text."""
    suffix = ending(content.source, content.compression)
    is_lines = suffix in ("jsonl", "ndjson")
    may_be = _VALUE.match(sample) is not None
    if not may_be and not (is_lines and _OBJECT.search(sample) is not None):
        return _called(content, encoding, options, sample)
    from piiscan.io.nested import json_files

    if is_lines or json_files.looks_like_lines(sample, complete):
        return (json_files.lines(content, encoding, options),)
    if suffix in ("json", "geojson", "topojson") or json_files.looks_like_document(sample, complete):
        return _json_document(content, encoding, options, suffix == "ipynb")
    return None


def _called(content: Content, encoding: Encoding, options: ReadOptions, sample: str) -> Iterable[ReadTable] | None:
    """The tables of an answer in JSON that is given to a function (JSONP); None for any other text."""
    if "(" not in (start := sample[:500]):
        return None
    from piiscan.io.nested import json_files

    return json_files.assigned(content, encoding, options) if json_files.is_called(start) else None


def _marked_up(
    content: Content, encoding: Encoding, options: ReadOptions, sample: str, family: str | None
) -> list[ReadTable] | tuple[str, ...]:
    """The tables of source code, of a `family` of languages, or of a document of keys or tags.

    For what has to be read as another kind of text, notes on why.
    """
    if family is not None:
        from piiscan.io.documents import source_code

        return [source_code.table(content, encoding, options, family)]
    if (kind := kinds.document(options.name or content.source, content.compression, sample)) is None:
        return ()
    from piiscan.io.documents import documents

    return documents.tables_or_notes(content, encoding, options, kind)


def _structured(
    content: Content,
    encoding: Encoding,
    options: ReadOptions,
    sample: tuple[str, bool],
    family: str | None,
    may_be_dump: bool,
) -> list[ReadTable | NotScanned] | tuple[str, ...]:
    """The tables of source code, a document or a dump; else notes on why it is read as another kind of text."""
    notes = _marked_up(content, encoding, options, sample[0], family)
    if isinstance(notes, list):
        return [*notes]
    dumped = _dumped(content, encoding, options) if may_be_dump else ()
    if isinstance(dumped, list):
        return dumped
    amid = tables_in_text.tables_or_notes(content, encoding, options, *sample)
    return [*amid] if isinstance(amid, list) else (*notes, *dumped, *amid)


def _dumped(
    content: Content, encoding: Encoding, options: ReadOptions
) -> list[ReadTable | NotScanned] | tuple[str, ...]:
    """The tables of a dump of a database; else notes on why it is read as another kind of text."""
    from piiscan.io.dumps import dump_tables

    return dump_tables.tables(content, encoding, options)


def _tables_of_text(
    content: Content, encoding: Encoding, options: ReadOptions, family: str | None, may_be_dump: bool
) -> Iterator[Found]:
    from piiscan.io.delimited import account_files, delimited, lines

    if options.lines:
        yield lines.table(content, encoding, options)
        return
    sample, complete = delimited.text_sample(content, encoding)
    if complete and not sample.strip("\ufeff \t\r\n\0"):
        yield Skipped(content.source, "empty")
        return
    notes = _structured(content, encoding, options, (sample, complete), family, may_be_dump)
    if isinstance(notes, list):
        yield from notes
        return
    is_declared, named_table = options.delimiter is not None, is_table(content.source, content.compression)
    if not (is_declared and named_table) and (found := _json(content, encoding, options, sample, complete)) is not None:
        yield from found
        return
    one_line = not complete and "\n" not in sample and "\r" not in sample
    is_prosaic = is_prose(content.source, content.compression) and not account_files.begins(sample)
    is_text = is_prosaic or (one_line and not is_declared) or is_sql(content)
    is_text |= not is_declared and (armour.begins(sample) or kinds.is_public_keys(sample))
    if not is_text:
        strict = not (is_declared or named_table)
        tables = delimited.tables(content, encoding, options, strict, sample, complete)
        if isinstance(tables, list):
            yield from tables
            return
        notes = (*notes, *tables.notes)
    from piiscan.io.documents import aligned

    yield from aligned.tables_or_lines(content, encoding, options, sample, complete, notes)
