"""The tables of documents of keys, tags and values; what can't be parsed is left to be read as lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from piiscan.core import shares
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.asides import is_aside
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.content_kinds import ending
from piiscan.io.delimited import lines
from piiscan.io.documents import beside, content_lines
from piiscan.io.documents.beside import Span, Unparsed
from piiscan.io.encodings.encoding import Encoding, open_text
from piiscan.io.messages import notations, records
from piiscan.io.nested.json_files import tables_of
from piiscan.io.nested.records import Paths, record_table
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

    from piiscan.io.documents.grids import GridTable

_UNSURE: Final = ("cfg", "conf")
"""Endings of settings of any form: that a text isn't in the one that is read is nothing to note."""
_TOO_MANY: Final = "a document of too many values to hold; allow more with --memory"
_PER_PLACE: Final = 40
"""Bytes of memory that it takes to know where a value of a message stands."""
_PER_VALUE: Final = 400
"""Bytes of memory that a value takes while it is parsed."""


def tables_or_notes(
    content: Content, encoding: Encoding, options: ReadOptions, kind: str
) -> list[ReadTable] | tuple[str, ...]:
    """The tables of a document; or, where it has to be read as lines, notes on why."""
    try:
        return tables(content, encoding, options, kind)
    except (Unparsed, ReadError) as error:
        is_unsure = ending(content.source, content.compression) in _UNSURE
        return () if is_unsure or not str(error) else (f"read as lines: {error}",)


def tables(content: Content, encoding: Encoding, options: ReadOptions, kind: str) -> list[ReadTable]:
    """The tables of a document. Raises `Unparsed`, and `ReadError` for more columns than there may be."""
    details = (("encoding", encoding.name), *describe(content))
    if kind in content_lines.KINDS:
        return [content_lines.table(content, encoding, options, cast(content_lines.Kind, kind))]
    if kind == "xml":
        from piiscan.io.documents import xml_files

        found = xml_files.tables(content, encoding, options, details)
    elif kind in notations.FORMATS:
        text = _text(content, encoding, newline="")
        if sys.getsizeof(text) + _PER_PLACE * notations.values_in(text) > shares.document():
            raise Unparsed(_TOO_MANY)
        found = records.tables(content, encoding, text, kind, notations.notation(kind), options, details)
    else:
        made_of = _html if kind == "html" else _rtf if kind == "rtf" else partial(_tree, kind, encoding)
        found = made_of(content, _text(content, encoding), options, details)
    if all(is_aside(table.info) for table in found):
        raise Unparsed("")
    content.read_whole()
    return found


def _text(content: Content, encoding: Encoding, newline: str | None = None) -> str:
    """Raises `Unparsed`."""
    most = min(shares.document() // 8, 64 << 20)
    if content.size > most:
        raise Unparsed(f"a document above {most >> 20} MiB")
    try:
        with open_text(content, encoding, newline) as stream:
            text = stream.read()
    except UnicodeDecodeError:
        raise Unparsed("not all of it can be decoded") from None
    check_room(text, _PER_VALUE)
    return text.removeprefix("\ufeff")


def check_room(text: str, per_value: int) -> None:
    """Raise `Unparsed` where a text and its values, of so many bytes each, take more than their share of the memory."""
    values = sum(map(text.count, "\n,<[{"))
    if sys.getsizeof(text) + per_value * values > shares.document():
        raise Unparsed(_TOO_MANY)


class Tree(NamedTuple):
    """What it takes to find the cells of a table of a document of keys and values in its file again."""

    content: Content
    encoding: Encoding
    kind: str
    paths: Paths


def _tree(
    kind: str,
    encoding: Encoding,
    content: Content,
    text: str,
    options: ReadOptions,
    details: tuple[tuple[str, str], ...],
) -> list[ReadTable]:
    value, spent = _parsed(text, kind)
    if not isinstance(value, dict | list):
        raise Unparsed("")  # a text without a key
    made = [
        record_table(content.source, name, kind, lambda rows=rows: rows, options, details)  # type: ignore[misc]
        for name, rows, *_ in tables_of(value, plain_lists=False)
        if rows
    ]
    made = [table._replace(origin=Tree(content, encoding, kind, table.origin)) for table in made]
    if options.asides:
        left = beside.lines_without(text, spent)
        made += beside.table(content, [*left, *beside.keys_of_nothing(value)])
    return made


def _parsed(text: str, kind: str) -> tuple[Any, list[Span]]:
    if kind == "yaml":
        from piiscan.io.documents import yaml_text

        return yaml_text.parsed(text)
    if kind == "toml":
        from piiscan.io.documents import toml_text

        return toml_text.parsed(text)
    if kind == "netrc":
        from piiscan.io.documents import netrc_text

        return netrc_text.parsed(text)
    from piiscan.io.documents import settings_text

    return settings_text.parsed(text, kind == "env")


def _html(content: Content, text: str, options: ReadOptions, details: tuple[tuple[str, str], ...]) -> list[ReadTable]:
    from piiscan.io.documents import html_text

    page = html_text.parsed(text)
    made = [lines_table(content, page.lines, options, details)] if page.lines else []
    made += [grid_table(content, f"table {n}", found, options, details) for n, found in enumerate(page.tables, 1)]
    if options.asides:
        made += beside.table(content, page.markup, "#markup")
    return made


def _rtf(content: Content, text: str, options: ReadOptions, details: tuple[tuple[str, str], ...]) -> list[ReadTable]:
    from piiscan.io.documents import rtf_text

    said = [line for line in rtf_text.plain(text).splitlines() if line.strip()]
    found = lines_table(content, said, options, details, "rtf")
    if not (hidden := rtf_text.hidden(text)):
        return [found] if said else []

    def frames() -> Iterator[pl.DataFrame | Batch]:
        yield from found.read()
        what = "1 picture or embedded object" if hidden == 1 else f"{hidden:,} pictures or embedded objects"
        raise ReadError(f"{what} {'wasn' if hidden == 1 else 'weren'}'t read; save it as plain text")

    return [found._replace(read=frames)]


def lines_table(
    content: Content,
    texts: Sequence[str],
    options: ReadOptions,
    details: tuple[tuple[str, str], ...],
    kind: str = "html",
) -> ReadTable:
    """The text of a page, a row for each line."""

    def frames() -> Iterator[pl.DataFrame | Batch]:
        yield from lines.batched(lines.pieces(texts, options.limits.line_chars), options)

    return ReadTable(TableInfo(content.source, None, kind, False, (Field("text"),), details), frames, options.rows)


def grid_table(
    content: Content,
    name: str,
    table: GridTable,
    options: ReadOptions,
    details: tuple[tuple[str, str], ...],
    kind: str = "html table",
) -> ReadTable:
    """Rows of one width as a table."""
    header, rows = table
    width = len(header) if header is not None else len(rows[0])

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        frame = pl.DataFrame(list(rows), schema={str(i): pl.String for i in range(width)}, orient="row")
        yield from sliced(frame, options.batch_rows)

    fields = tuple(Field(name or None) for name in header) if header is not None else (Field(None),) * width
    return ReadTable(TableInfo(content.source, name, kind, header is not None, fields, details), frames, options.rows)
