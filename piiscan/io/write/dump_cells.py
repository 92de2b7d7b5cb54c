"""Write new cells of a dump in the form of those that they replace."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from piiscan.core.errors import ReadError
from piiscan.io.dumps import literals
from piiscan.io.dumps.cells import Layout
from piiscan.io.dumps.insert_rows import Row
from piiscan.io.dumps.schema import ColumnType

if TYPE_CHECKING:
    import polars as pl

_COPY: Final = (
    ("\\", "\\\\"),
    ("\b", "\\b"),
    ("\f", "\\f"),
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\t", "\\t"),
    ("\v", "\\v"),
)
_MYSQL: Final = (
    ("\\", "\\\\"),
    ("'", "\\'"),
    ('"', '\\"'),
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\0", "\\0"),
    ("\x1a", "\\Z"),
)
_PLAIN: Final = (("'", "''"),)
_NUMBERS: Final = ("integer", "wide", "decimal", "float")
EXPRESSION: Final = "a cell to be masked is no value but an expression; load the dump and dump it again"
_SHAPE: Final = "an array to be masked isn't written as PostgreSQL writes them"


def as_text(cells: pl.Series) -> pl.Series:
    """Return cells of any type except lists as text."""
    import polars as pl

    return cells if cells.dtype == pl.String or isinstance(cells.dtype, pl.List) else cells.cast(pl.String)


def written(raw: pl.Series, new: pl.Series, differs: pl.Series, kind: ColumnType, layout: Layout) -> pl.Series:
    """Return cells as they are written (`raw`), with `new` ones where these differ.

    Raises `ReadError` where a new cell can't be written in place of the old one.
    """
    at = differs.arg_true()
    if not len(at):
        return raw
    old, cells = raw.gather(at), as_text(new.gather(at))
    return raw.scatter(at, _written(old, cells, kind, layout).alias(raw.name))


def rows_written(
    rows: Sequence[Row], column: int, new: pl.Series, differs: pl.Series, kind: ColumnType, layout: Layout
) -> None:
    """Return the same as `written`, for one column of single rows."""
    at = differs.arg_true().to_list()
    cells = as_text(new).to_list()
    for i in at:
        old = rows[i].cells[column]
        rows[i].cells[column] = _one(old, cells[i], kind, layout).encode()


def _written(old: pl.Series, new: pl.Series, kind: ColumnType, layout: Layout) -> pl.Series:
    import polars as pl

    if kind.kind in ("array", "bytes"):
        out = [_one(o.encode(), n, kind, layout) for o, n in zip(old.to_list(), new.to_list(), strict=True)]
        return pl.Series(old.name, out, dtype=pl.String)
    if layout.is_copy:
        return _replaced(new, _COPY).fill_null("\\N")
    quotes = (old.str.starts_with("'") | (old == "NULL")) & (kind.kind not in _NUMBERS)
    text = pl.Series(new.name, ["'"], dtype=pl.String).new_from_index(0, len(new)) + _escaped(new, layout) + "'"
    text = text.fill_null("NULL")
    if quotes.all():
        return text
    rest = (~quotes).arg_true()
    pairs = zip(old.gather(rest).to_list(), new.gather(rest).to_list(), strict=True)
    return text.scatter(rest, pl.Series([_one(o.encode(), n, kind, layout) for o, n in pairs], dtype=pl.String))


def _escaped(new: pl.Series, layout: Layout) -> pl.Series:
    return _replaced(new, _MYSQL if layout.escapes else _PLAIN)


def _replaced(new: pl.Series, pairs: Sequence[tuple[str, str]]) -> pl.Series:
    for mark, instead in pairs:
        if new.str.contains(mark, literal=True).any():
            new = new.str.replace_all(mark, instead, literal=True)
    return new


def _one(old: bytes, new: str | Sequence[str | None] | None, kind: ColumnType, layout: Layout) -> str:
    """Return one new cell, written in place of an old one."""
    decode = partial(bytes.decode, encoding="utf-8", errors="replace")
    if kind.kind == "array":
        before = literals.of_copy(old, decode) if layout.is_copy else literals.of_insert(old, layout.escapes, decode)
        try:
            text = literals.to_array(before, new)
        except ValueError:
            raise ReadError(_SHAPE) from None
    else:
        assert new is None or isinstance(new, str)
        text = literals.to_hex(new) if kind.kind == "bytes" and kind.base == "bytea" else new
    if layout.is_copy:
        return literals.to_copy(text)
    made = literals.to_insert(text, old, layout.escapes, kind.kind in _NUMBERS)
    if made is None:
        raise ReadError(EXPRESSION)
    return made
