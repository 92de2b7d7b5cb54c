"""Typed tables (Parquet, Arrow, databases, data frames): nested columns laid flat, odd types as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from piiscan.errors import ReadError
from piiscan.types import DType, Field

if TYPE_CHECKING:
    import polars as pl

ELEMENT_END = "\n"
"""Between the elements of a list within its one cell."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How columns of a typed schema become the columns of a table.

    `exprs` select them as "0", "1", …; the columns in `by_hand` still need `text_of` on every cell.
    """

    fields: tuple[Field, ...]
    exprs: tuple[pl.Expr, ...] = field(repr=False)
    by_hand: tuple[str, ...] = ()

    def finish(self, frame: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        done = {name: pl.Series(name, [text_of(v) for v in frame[name].to_list()], dtype=pl.String) for name in self.by_hand}
        return frame.with_columns(**done).rechunk()

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        return self.finish(frame.select(self.exprs))


def layout(schema: Mapping[str, pl.DataType], limit: int) -> Layout:
    """The layout of a polars schema. Structs become dotted paths, in their order. Raises `ReadError` above `limit` columns."""
    import polars as pl

    fields: list[Field] = []
    exprs: list[pl.Expr] = []
    by_hand: list[str] = []

    def visit(name: str, dtype: pl.DataType, expr: pl.Expr) -> None:
        if isinstance(dtype, pl.Struct) and dtype.fields:
            for inner in dtype.fields:
                visit(f"{name}.{inner.name}", cast("pl.DataType", inner.dtype), expr.struct.field(inner.name))
            return
        index = str(len(fields))
        kind, convert = _plan(dtype)
        fields.append(Field(name, kind))
        if convert is None:
            by_hand.append(index)
        exprs.append((expr if convert is None else convert(expr)).alias(index))

    for name, dtype in schema.items():
        visit(name, dtype, pl.col(name))
        if len(fields) > limit:
            raise ReadError(f"more than {limit} columns")
    return Layout(tuple(fields), tuple(exprs), tuple(by_hand))


def _plan(dtype: pl.DataType) -> tuple[DType, Callable[[pl.Expr], pl.Expr] | None]:
    """What a type is called, and how its cells become ones of a basic type; None where only Python can tell."""
    import polars as pl

    def keep(expr: pl.Expr) -> pl.Expr:
        return expr

    def text(expr: pl.Expr) -> pl.Expr:
        return expr.cast(pl.String)

    def joined(expr: pl.Expr) -> pl.Expr:
        return expr.cast(pl.List(pl.String)).list.join(ELEMENT_END, ignore_nulls=True)

    if isinstance(dtype, pl.Decimal):
        return ("float" if dtype.scale else "integer"), text
    if dtype.is_integer():
        return "integer", text if dtype.base_type() in (pl.Int128, getattr(pl, "UInt128", pl.Int128)) else keep
    if dtype.is_float():
        return "float", keep
    if dtype == pl.Boolean:
        return "boolean", keep
    if dtype == pl.String:
        return "string", keep
    if dtype == pl.Date:
        return "date", keep
    if isinstance(dtype, pl.Datetime):
        return "datetime", keep
    if isinstance(dtype, pl.Categorical | pl.Enum) or dtype == pl.Null:
        return "string", text
    if dtype == pl.Time:
        return "other", text
    if isinstance(dtype, pl.List | pl.Array):
        inner = dtype.inner
        if isinstance(inner, pl.DataType) and (inner.is_numeric() or inner in (pl.String, pl.Boolean, pl.Date) or inner == pl.Datetime):
            return "other", joined
        return "other", None
    return ("string" if dtype == pl.Binary else "other"), None


def text_of(value: Any) -> str | None:
    """A cell of any type as text. Lists give their elements, one a line; bytes that aren't text give None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            return None
    if isinstance(value, list | tuple | set | frozenset):
        return ELEMENT_END.join(text for element in value if (text := text_of(element)) is not None)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, set | frozenset) else text_of(value)


def sliced(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    """A frame in batches of `rows`, each in one chunk of memory."""
    for start in range(0, frame.height, rows):
        yield frame.slice(start, rows).rechunk()
