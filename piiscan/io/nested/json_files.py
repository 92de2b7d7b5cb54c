"""JSON documents and JSON lines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TextIO

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Referrer
from piiscan.io.cells.long_values import LeftOut
from piiscan.io.cells.named_rows import Cells, are_columns, head_row, is_list_of_rows, named, names_beside, row_keys
from piiscan.io.cells.nested_values import MANY, is_map
from piiscan.io.cells.plain import text_of
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.delimited import lines as plain
from piiscan.io.delimited.header_row import infer_header
from piiscan.io.encodings.encoding import Encoding, open_text, undecodable
from piiscan.io.nested.column_layouts import KEY, by_column, is_by_column
from piiscan.io.nested.printed_values import merged, printed
from piiscan.io.nested.records import UNNAMED, VALUE, Paths, Record, record_table
from piiscan.io.read_options import ReadOptions


class Written(NamedTuple):
    """Where a table's JSON stands, and the path of each of its columns."""

    content: Content
    encoding: Encoding
    paths: Paths


_COMMENTED = re.compile(r"\s*+(?://|/\*|[}\]]|,\s*+[}\]])")
"""What settings in JSON have where it allows nothing: comments and last commas. They are read as lines."""


_ASSIGNED = re.compile(
    r"\ufeff?\s{0,99}(?:(?:var|let|const)\s{1,9})?[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}){0,9}\s{0,9}=\s{0,99}"
    r"(?=[\[{]\s*[\[\]{}\"])"
)
"""What a script has before JSON that it gives a name, as the archives of Twitter: window.YTD.tweets.part0 = [."""


_CALLED = re.compile(
    r"\ufeff?\s{0,99}(?:/\*[^*]{0,99}\*/\s{0,99})?[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}){0,9}\(\s{0,99}"
    r"(?=[\[{]\s*[\[\]{}\"])"
)
"""What answers for pages of other sites have before JSON, as those of Google's charts: a call of a function."""


def is_called(sample: str) -> bool:
    """Whether a text that begins with `sample` may be nothing but JSON in a call of a function (JSONP)."""
    return _CALLED.match(sample) is not None


def is_assigned(sample: str) -> bool:
    """Whether a script that begins with `sample` may be nothing but JSON behind a name."""
    return _ASSIGNED.match(sample) is not None


def place_in(text: str) -> tuple[int, int]:
    """Where JSON begins and ends in a text, which may be a script that gives it a name or to a function.

    >>> place_in('x.y = ["a"];'), place_in('["a"]'), place_in('x.y(["a"]);')
    ((6, 11), (0, 5), (4, 9))
    """
    if (start := _ASSIGNED.match(text)) is not None:
        return start.end(), len(text.rstrip().removesuffix(";"))
    if (start := _CALLED.match(text)) is not None:
        return start.end(), len(text.rstrip().removesuffix(";").rstrip().removesuffix(")"))
    return 0, len(text)


def looks_like_lines(sample: str, complete: bool) -> bool:
    """Whether a text that begins with `sample` is JSON lines: each of its first lines a document of its own.

    So is a single line that is an object as programs print it.
    """
    lines = [line for line in sample.split("\n")[: 20 if complete else -1] if line.strip()][:20]
    if not lines or not lines[0].lstrip().startswith(("{", "[", "a:", "O:")):
        return False
    values = [_value_of(line) for line in lines]
    good = sum(isinstance(value, dict | list) for value in values)
    if len(lines) == 1:  # of JSON it is a document
        return complete and isinstance(values[0], dict) and isinstance(value_of(lines[0]), str)
    return isinstance(values[0], dict | list) and 2 * good > len(values)


def looks_like_document(sample: str, complete: bool) -> bool:
    """Whether a text that begins with `sample` is JSON rather than a log or a settings file in brackets."""
    if complete:
        try:
            json.loads(sample.removeprefix("\ufeff"))
        except (ValueError, RecursionError):
            return False
        return True
    start = re.match(
        r'\ufeff?\s*(\{\s*"(?:[^"\\]|\\.)*"\s*:|\[\s*(?:[\[{]|"(?:[^"\\]|\\.)*"\s*,|[-\d.eE]+\s*,))', sample
    )
    return start is not None


def lines(content: Content, encoding: Encoding, options: ReadOptions) -> ReadTable:
    """The table of JSON lines. A line that isn't JSON is kept as text, in a column without a name."""

    def read() -> Iterator[Record]:
        left_out = LeftOut()
        with open_text(content, encoding, None) as stream:
            try:
                for row, line in _lines(stream, left_out):
                    if shares.json(line) > shares.row():
                        left_out.row(row)
                        continue
                    value = value_of(line)
                    yield value if isinstance(value, dict) else {VALUE: value}
            except UnicodeDecodeError:
                raise undecodable(encoding) from None
        content.read_whole()
        if (error := left_out.error()) is not None:
            raise error

    table = record_table(
        content.source, None, "jsonl", read, options, (("encoding", encoding.name), *describe(content))
    )
    return table._replace(origin=Written(content, encoding, table.origin))


def _lines(stream: TextIO, left_out: LeftOut) -> Iterator[tuple[int, str]]:
    """The lines that aren't blank and fit into memory, by their numbers among those that aren't blank."""
    row, most = 0, shares.row()
    while line := stream.readline(most):
        if len(line) == most and not line.endswith("\n"):
            while (more := stream.readline(most)) and not more.endswith("\n"):
                pass
            left_out.row(row)
        elif not line.strip():
            continue
        else:
            yield row, line
        row += 1


def document(content: Content, encoding: Encoding, options: ReadOptions) -> list[ReadTable]:
    """The tables of a JSON document. Raises `ReadError` where it is malformed or above `json_bytes`.

    An array gives one; an object gives one per list (or map of objects) that it wraps, and one of a single row for what
    else it holds; settings with comments are read as lines.
    """
    try:
        return _tables(content, encoding, options)
    except json.JSONDecodeError as error:
        if _COMMENTED.match(error.doc, error.pos):
            return [plain.table(content, encoding, options)]
        raise ReadError(
            f"malformed JSON at line {error.lineno}, column {error.colno}; repair it or fetch it again"
        ) from None


def assigned(content: Content, encoding: Encoding, options: ReadOptions) -> list[ReadTable] | None:
    """The tables of a JSON document that a script gives a name or to a function; None for any other script.

    Raises `ReadError` as `document` does.
    """
    try:
        return _tables(content, encoding, options)
    except json.JSONDecodeError:
        return None


def _tables(content: Content, encoding: Encoding, options: ReadOptions) -> list[ReadTable]:
    limit = min(options.limits.json_bytes, shares.document() // 4)
    if content.size > limit:
        raise ReadError(
            f"a JSON document above {limit >> 20} MiB; convert it to JSON lines or CSV, which are read piecewise, or "
            "allow more with --memory"
        )
    try:
        with open_text(content, encoding, None) as stream:
            text = stream.read()
        if sys.getsizeof(text) > shares.document() // 2 or shares.json(text) > shares.document():
            raise ReadError(
                "a JSON document of too many values to hold; convert it to JSON lines or CSV, which are read "
                "piecewise, or allow more with --memory"
            )
        start, end = place_in(text)
        values = list(values_of(text[start:end]))
        content.read_whole()
        del text
    except UnicodeDecodeError:
        raise undecodable(encoding) from None
    except RecursionError:
        raise ReadError("JSON nested too deeply; flatten it first") from None
    value = values[0] if len(values) == 1 else values
    details = (("encoding", encoding.name), *describe(content))
    made = []
    around: tuple[Referrer, ...] = ()
    for held in tables_of(value):
        if held.rows:
            again = _again(held.rows)
            table = record_table(content.source, held.name, "json", again, options, details, comments=held.names)
            paths = table.origin._replace(heads=held.heads, by_column=held.by_column)
            if isinstance(value, dict) and held.name is None:  # what else the object holds belongs to this row
                around = (Referrer("", tuple(field.name or "" for field in table.info.fields)),)
            info = table.info._replace(referred_by=around if held.name else ())
            made.append(table._replace(info=info, origin=Written(content, encoding, paths)))
    return made


def _again(rows: list[Record]) -> Callable[[], Iterable[Record]]:
    return lambda: rows


class Held(NamedTuple):
    """A table that a document holds: its name, its rows and, where these are lists, the names that stand apart.

    `heads`: rows of names before them. `by_column`: the document has lists of their columns.
    """

    name: str | None
    rows: list[Record]
    names: tuple[str, ...] = ()
    heads: int = 0
    by_column: bool = False


def tables_of(value: Any, plain_lists: bool = True) -> Iterator[Held]:
    """The tables that a document holds.

    `plain_lists`: lists without objects and lists are tables of their own or columns, too, rather than cells.
    """
    if isinstance(value, list):
        if value:
            yield _of_list(None, value, {}, {})
    elif not isinstance(value, dict):
        yield Held(None, [{VALUE: value}])
    elif (rows := keyed_rows(value, plain_lists)) is not None:
        yield Held(None, rows)
    else:
        wrapped: list[Held] = []
        rest = unwrap(value, (), wrapped, plain_lists)
        if rest:
            yield Held(None, [rest])
        yield from wrapped


def unwrap(
    value: Record, path: tuple[str, ...], wrapped: list[Held], plain_lists: bool = True, document: Any = None
) -> dict[str, Any]:
    """Collects the lists and the objects that are tables within an object, and returns what is left of it.

    `document`: what the object stands in; without it, itself.
    """
    rest: dict[str, Any] = {}
    document = value if document is None else document
    for key, inner in value.items():
        here = (*path, key)
        if isinstance(inner, list) and inner and (plain_lists or any(isinstance(v, dict | list) for v in inner)):
            made = _of_cells(".".join(here), inner, document, value) if plain_lists else None
            wrapped.append(made or _of_list(".".join(here), inner, document, value))
        elif isinstance(inner, dict) and (found := keyed_rows(inner, plain_lists)) is not None:
            wrapped.append(Held(".".join(here), found))
        elif isinstance(inner, dict):
            left = unwrap(inner, here, wrapped, plain_lists, document)
            if left or not inner:
                rest[key] = left
        else:
            rest[key] = inner
    return rest


def _of_list(name: str | None, values: list[Any], document: Any, around: Record) -> Held:
    wide = max(map(len, values)) if is_list_of_rows(values) else 0
    names, of_columns = (names_beside(document, around, count, values) if wide else () for count in (wide, len(values)))
    if (
        wide
        and (not names or names == of_columns)
        and are_columns(values, bool(of_columns), bool(names) or not of_columns)
        and not any(isinstance(cell, list | dict) for column in values for cell in column)
    ):
        cells = zip(*values, strict=True)
        columns: list[Record] = [{f"{UNNAMED}{i}": cell for i, cell in enumerate(row)} for row in cells]
        return Held(name, columns, of_columns, by_column=True)
    rows = rows_of(values)
    is_named = not wide or not rows or not next(iter(rows[0]), UNNAMED).startswith(UNNAMED)
    return Held(name, rows, () if is_named else names)


def _of_cells(name: str, values: list[Any], document: Any, around: Record) -> Held | None:
    """The table of objects each of which has the cells of a row, if something says the names of these."""
    keys = row_keys(values)
    if not keys:
        return None
    key = keys[0]
    names = names_beside(document, around, max(len(value[key]) for value in values), values)
    heads = int(len(values) > 1 and head_row(values[0][key], names))
    rows: list[Record] = [
        {**row, key: Cells((f"{UNNAMED}{i}", cell) for i, cell in enumerate(row[key]))} for row in values[heads:]
    ]
    # What has names of its own is written as it is shown there.
    is_plain = all(named(row) is row for row in (*values, *rows))
    return Held(name, rows, names, heads) if names and is_plain else None


def keyed_rows(value: Record, plain_lists: bool = True) -> list[Record] | None:
    """The rows of an object that is a table by another name, or written column by column; None of any other."""
    if plain_lists and is_by_column(value):
        return [*by_column(value)]
    return _keyed(value) if is_keyed(value) else None


def is_keyed(value: Record) -> bool:
    """Whether an object is a table by another name: objects of one kind, or anything, under keys that are values."""
    if is_map(value) and len(value) > 1:
        return True
    inner = list(value.values())
    if len(inner) < 2 or not all(isinstance(v, dict) and v for v in inner):
        return False
    if len(inner) >= MANY:
        return True
    keys = {key for v in inner for key in v}
    return 2 * sum(len(v) for v in inner) >= len(keys) * len(inner)


def _keyed(value: Record) -> list[Record]:
    # The key comes last: it may be no more than a counter, and the columns keep the places that they have in the file.
    return [{**(v if isinstance(v, dict) else {VALUE: v}), KEY: key} for key, v in value.items()]


def rows_of(values: list[Any]) -> list[Record]:
    """The elements of an array as records; arrays in it are rows of cells, the first of which may name the columns."""
    if not is_list_of_rows(values):
        return [value if isinstance(value, dict) else {VALUE: value} for value in values]
    texts = [[text_of(cell) or "" for cell in row] for row in values[:1000]]
    width = max(map(len, values))
    names = [f"{UNNAMED}{i}" for i in range(width)]
    if (
        all(isinstance(cell, str) for cell in values[0])
        and len(set(values[0])) == len(values[0]) == width
        and infer_header(texts, True)
    ):
        names, values = texts[0], values[1:]
    return [dict(zip(names, row, strict=False)) for row in values]


def values_of(text: str) -> Iterator[Any]:
    """The documents of a text, one after the other."""
    at, text = 0, text.rstrip().removeprefix("\ufeff")
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text):
            return
        value, at = DECODER.raw_decode(text, at)
        yield value


def _value_of(line: str) -> Any:
    """A line as JSON, or as it is printed otherwise; or the line itself."""
    value = value_of(line)
    found = printed(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "a", "O") else None
    return value if found is None else found[0]


def value_of(line: str) -> Any:
    """A line as JSON, or the line itself."""
    if line == "{}\n":
        return {}
    try:
        return DECODER.decode(line)
    except (ValueError, RecursionError):
        return line.rstrip("\r\n")


DECODER = json.JSONDecoder(object_pairs_hook=merged)
