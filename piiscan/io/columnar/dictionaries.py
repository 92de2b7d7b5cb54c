"""Finds values that are in a dictionary of encoded columns but in no row.

A filtered table of categories has such values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.cells.map_cells import entries_type, is_map

if TYPE_CHECKING:
    import polars as pl

_COLUMNS, _CELLS = 256, 1_000_000
"""Columns and cells, at most, that are looked at together."""
_FIRST = 1 << 17
"""Rows that are looked at before all of more: a dictionary mostly has the values of a group's first rows."""
_SLACK = 4
"""Floats that count as equal, such as zeros of either sign, have entries of their own."""


class Coded(NamedTuple):
    """Some rows of columns, by their paths, that share a dictionary of so many `values`, of `mean` bytes."""

    paths: tuple[tuple[str, ...], ...]
    values: int
    start: int = 0
    rows: int | None = None
    is_float: bool = False
    mean: int = 0


def check(table: pl.DataFrame | pl.LazyFrame, found: Iterable[Coded]) -> None:
    """Raises `ReadError` where a dictionary has more values than its rows."""
    parts: dict[tuple[int, int | None], list[Coded]] = {}
    for coded in found:
        parts.setdefault((coded.start, coded.rows), []).append(coded)
    schema = dict(table.collect_schema()) if parts else {}
    if any(_unused(table.slice(start, rows), each, schema) for (start, rows), each in parts.items()):
        raise ReadError(
            "its dictionaries keep values that no row has, which weren't read; write it again without unused categories"
        )


def as_read(whole: pl.DataFrame | None, lazy: pl.LazyFrame, schema: pl.Schema) -> pl.DataFrame | pl.LazyFrame:
    """What to look for values in: the whole table, where it was read with the columns of its file; else the file."""
    if whole is None or whole.dtypes != list(schema.values()):
        return lazy
    return whole.rename(dict(zip(whole.columns, schema, strict=True)))


def _unused(part: pl.DataFrame | pl.LazyFrame, found: list[Coded], schema: Mapping[str, pl.DataType]) -> bool:
    import polars as pl

    plain: list[Coded] = []
    for coded in found:
        leaves = [leaf(path, schema) for path in coded.paths]
        if any(isinstance(dtype, pl.Enum) for _, dtype in leaves):
            continue  # its categories are part of the schema
        if len(coded.paths) == len(coded.paths[0]) == 1 and not leaves[0][1].is_nested():
            plain.append(coded)
            continue
        cells = [part.lazy().select(expr.alias("")).unique().collect().to_series().drop_nulls() for expr, _ in leaves]
        distinct = cells[0].len() if len(cells) == 1 else pl.concat([c.cast(pl.String) for c in cells]).n_unique()
        if coded.values > distinct + (_SLACK if coded.is_float else 0):
            return True
    return _any_unused(part, plain)


def _any_unused(part: pl.DataFrame | pl.LazyFrame, plain: Sequence[Coded]) -> bool:
    """Run `_unused` on columns with dictionaries of their own."""
    import polars as pl

    if not plain:
        return False
    rows = plain[0].rows
    if rows is None:
        rows = int(part.lazy().select(pl.len()).collect().item())
    if rows > _FIRST:
        plain = _lacking(part.head(_FIRST), plain, _FIRST)
    return bool(_lacking(part, plain, rows))


def _lacking(part: pl.DataFrame | pl.LazyFrame, plain: Sequence[Coded], rows: int) -> list[Coded]:
    """Those of which the rows have fewer values than there are, looked for in many at a time where rows are few.

    For each query polars looks at the types of all columns, so a query per column would be slow.
    """
    import polars as pl

    found: list[Coded] = []
    size = max(1, min(_COLUMNS, _CELLS // max(1, rows)))
    for start in range(0, len(plain), size):
        some = plain[start : start + size]
        names = [coded.paths[0][0] for coded in some]
        cells = part if isinstance(part, pl.DataFrame) else part.select(names).collect()
        for coded, column in zip(some, map(cells.get_column, names), strict=True):
            if coded.values > _distinct(column) + (_SLACK if coded.is_float else 0):
                found.append(coded)
    return found


def _distinct(column: pl.Series) -> int:
    """How many values a column has; to drop nulls takes longer than to count them."""
    return column.n_unique() - (1 if column.null_count() else 0)


def categories(schema: Mapping[str, pl.DataType]) -> list[str]:
    """The values that columns may have by their types, each once."""
    import polars as pl

    found: dict[str, None] = {}

    def visit(dtype: pl.DataType) -> None:
        if isinstance(dtype, pl.Enum):
            found.update(dict.fromkeys(dtype.categories.to_list()))
        elif isinstance(dtype, pl.List | pl.Array):
            visit(dtype.inner)  # type: ignore[arg-type]
        elif is_map(dtype):
            visit(entries_type(dtype))
        elif isinstance(dtype, pl.Struct):
            for field in dtype.fields:
                visit(field.dtype)  # type: ignore[arg-type]

    for dtype in schema.values():
        visit(dtype)
    return list(found)


def enums(cells: pl.Series) -> Iterator[pl.Series]:
    """What a column has of each type with categories, at any depth of its structs, lists and arrays."""
    import polars as pl

    dtype = cells.dtype
    if isinstance(dtype, pl.Enum):
        yield cells
    elif isinstance(dtype, pl.List | pl.Array) and categories({"": dtype}):
        yield from enums(cells.drop_nulls().explode(empty_as_null=False))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from enums(cells.struct.field(field.name))


def of_texts(dtype: Any) -> Any:
    """The type with texts in the place of categories."""
    import polars as pl

    if isinstance(dtype, pl.List | pl.Array):
        inner = of_texts(dtype.inner)
        return pl.List(inner) if isinstance(dtype, pl.List) else pl.Array(inner, dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({f.name: of_texts(f.dtype) for f in dtype.fields})
    return pl.String() if isinstance(dtype, pl.Enum) else dtype


def leaf(path: tuple[str, ...], schema: Mapping[str, pl.DataType]) -> tuple[pl.Expr, pl.DataType]:
    """The cells at a path of a file's schema, and their type.

    In the path lists have levels of their own; it yields the entries of a map where it continues by other names than
    `key` and `value`.
    """
    import polars as pl

    expr, dtype, rest = pl.col(path[0]), schema[path[0]], path[1:]
    while rest:
        if isinstance(dtype, pl.Struct):
            fields = {f.name: f.dtype for f in dtype.fields}
            expr, dtype, rest = expr.struct.field(rest[0]), fields[rest[0]], rest[1:]  # type: ignore[assignment]
            continue
        of_map = is_map(dtype)
        if of_map:
            dtype = entries_type(dtype)
            expr = expr.cast(dtype)
        if isinstance(dtype, pl.List | pl.Array):
            expr, dtype, rest = expr.explode(empty_as_null=True), dtype.inner, rest[1:]  # type: ignore[assignment]
            inner = {f.name for f in dtype.fields} if isinstance(dtype, pl.Struct) else set()
            rest = rest[1:] if rest and rest[0] not in inner else rest
            if of_map and rest and rest[0] not in inner:
                break  # by another name than polars has for it
        else:
            break
    return expr, dtype
