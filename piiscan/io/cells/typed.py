"""Typed tables (Parquet, Arrow, databases, data frames): nested columns laid flat, odd types as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from piiscan.core import shares
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import DType, Field
from piiscan.io.cells.map_cells import cells_of, is_map
from piiscan.io.cells.nested_values import Derived, DerivedCells, fields, schema_names
from piiscan.io.cells.plain import text_of, texts_of
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

_OBJECT = 32
"""Bytes that a value other than text takes, about."""


class Layout(NamedTuple):
    """How columns of a typed schema become the columns of a table.

    `exprs` select them as "0", "1", …; the columns in `by_hand` still need Python to make text of every cell. Lists
    stay lists, of a plain type; those with structs in them become `derived` columns, after all others.
    """

    fields: tuple[Field, ...]
    exprs: tuple[pl.Expr, ...]
    by_hand: tuple[str, ...] = ()
    derived: tuple[Derived, ...] = ()

    def finish(self, frame: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        done = []
        width = frame.width
        for d in self.derived:
            laid = DerivedCells(d, maps=False)
            for cell in cells_of(frame[str(d.parent)]):
                laid.add(cell)
            done.append(pl.Series(str(d.parent), [None] * frame.height, pl.List(pl.String)))
            done += laid.series(width)
            width += len(d.names)
        for name in self.by_hand:
            cells, is_list = cells_of(frame[name]), isinstance(frame[name].dtype, pl.List | pl.Array)
            done.append(
                pl.Series(name, [texts_of(c) for c in cells], pl.List(pl.String))
                if is_list
                else pl.Series(name, map(text_of, cells), pl.String)
            )
        return (frame.with_columns(done) if done else frame).rechunk()

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        return self.finish(frame.select(self.exprs))


def layout(schema: Mapping[str, pl.DataType], limit: int, wide: Mapping[str, bool] = MappingProxyType({})) -> Layout:
    """The layout of a polars schema.

    Structs become dotted paths, in their order, and in lists derived columns. `wide`: columns of 16 bytes a value, and
    whether they are UUIDs, which become texts in their usual form. Raises `ReadError` above `limit` columns.
    """
    import polars as pl

    own: list[Field] = []
    exprs: list[pl.Expr] = []
    by_hand: list[str] = []
    derived: list[Derived] = []

    def visit(name: str, dtype: pl.DataType, expr: pl.Expr) -> None:
        if isinstance(dtype, pl.Struct) and dtype.fields:
            for inner in dtype.fields:
                visit(f"{name}.{inner.name}", cast("pl.DataType", inner.dtype), expr.struct.field(inner.name))
            return
        index = str(len(own))
        dtype, expr = _stored(dtype, expr)
        if _holds_structs(dtype):
            derived.append(Derived(len(own), tuple(schema_names(dtype))))
            own.append(Field(name, "other"))
            exprs.append(expr.alias(index))
            return
        kind, convert = ("string", _uuid_text) if wide.get(name) and dtype == pl.Binary else _plan(dtype)
        own.append(Field(name, kind))
        if convert is None:
            by_hand.append(index)
        exprs.append((expr if convert is None else convert(expr)).alias(index))

    for name, dtype in schema.items():
        visit(name, dtype, pl.col(name))
        if len(own) + sum(len(d.names) for d in derived) > limit:
            raise ReadError(f"more than {limit} columns")
    return Layout(fields(own, derived), tuple(exprs), tuple(by_hand), tuple(derived))


def _uuid_text(expr: pl.Expr) -> pl.Expr:
    """UUIDs as texts: 8-4-4-4-12 digits."""
    import polars as pl

    digits = expr.bin.encode("hex")
    parts = [digits.str.slice(at, count) for at, count in ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))]
    return pl.concat_str(parts, separator="-")


def _stored(dtype: pl.DataType, expr: pl.Expr) -> tuple[pl.DataType, pl.Expr]:
    """What an extension type, such as Arrow's for JSON, stores its cells as, where those are texts or numbers."""
    import polars as pl

    stored: pl.DataType | None = dtype.ext_storage() if hasattr(dtype, "ext_storage") else None
    if stored is None or stored.is_nested() or stored == pl.Binary:
        return dtype, expr
    return stored, expr.ext.storage()


def _holds_structs(dtype: pl.DataType) -> bool:
    import polars as pl

    inner = _innermost(dtype)
    return isinstance(dtype, pl.List | pl.Array) and isinstance(inner, pl.Struct) and bool(inner.fields)


def holds_categories(dtype: pl.DataType) -> bool:
    """Whether cells of a type are, or have in them, categories."""
    import polars as pl

    if isinstance(dtype, pl.Struct):
        return any(holds_categories(cast("pl.DataType", field.dtype)) for field in dtype.fields)
    if isinstance(dtype, pl.List | pl.Array):
        return holds_categories(cast("pl.DataType", dtype.inner))
    return isinstance(dtype, pl.Categorical | pl.Enum)


def _plan(dtype: pl.DataType) -> tuple[DType, Callable[[pl.Expr], pl.Expr] | None]:
    """The name of a type, and how its cells become ones of a basic type; None where only Python can tell."""
    import polars as pl

    wide = (pl.Int128, getattr(pl, "UInt128", pl.Int128))

    def keep(expr: pl.Expr) -> pl.Expr:
        return expr

    def text(expr: pl.Expr) -> pl.Expr:
        return expr.cast(pl.String)

    if isinstance(dtype, pl.Decimal):
        return ("float" if dtype.scale else "integer"), text
    if dtype.is_integer():
        return "integer", text if dtype.base_type() in wide else keep
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
        inner = _innermost(dtype)
        plain = (
            inner in (pl.String, pl.Boolean, pl.Date)
            or inner.is_float()
            or (inner.is_integer() and inner.base_type() not in wide)
        )
        return "other", keep if plain else None
    return ("string" if dtype == pl.Binary or is_map(dtype) else "other"), None


def _innermost(dtype: Any) -> Any:
    import polars as pl

    while isinstance(dtype, pl.List | pl.Array):
        dtype = dtype.inner
    return dtype


def blocks(rows: Iterable[tuple[Any, ...]], limit: int) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of a database in lists of at most `limit`, fewer where their cells are long or many."""
    block: list[tuple[Any, ...]] = []
    held, most = 0, shares.batch()
    for row in rows:
        block.append(row)
        for cell in row:
            held += len(cell) if isinstance(cell, str | bytes) else _OBJECT
        if len(block) >= limit or held > most:
            yield block
            block, held = [], 0
    if block:
        yield block


def stream(lazy: pl.LazyFrame, options: ReadOptions) -> Iterator[pl.DataFrame]:
    """The only place that calls the unstable `collect_batches`. Batches come in order, each in one chunk of memory."""
    if options.rows is not None:
        lazy = lazy.head(options.rows)
    for frame in lazy.collect_batches(chunk_size=options.batch_rows, maintain_order=True, lazy=True):
        yield from sliced(frame, options.batch_rows)
