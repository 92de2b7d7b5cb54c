"""Cells of polars types that hold maps, with every entry.

Polars' own conversion to Python keeps one entry of those with the same key, which Arrow maps may have.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from piiscan.io.cells.plain import text_of

if TYPE_CHECKING:
    import polars as pl


class _Entries(dict[str, Any]):
    """A map as JSON writes it: an object in which keys may repeat."""

    def __init__(self, entries: list[tuple[str, Any]]) -> None:
        super().__init__(entries)
        self._entries = entries

    def items(self) -> Any:
        return self._entries


def cells_of(cells: pl.Series) -> list[Any]:
    """The cells as Python has them; maps, at any depth, as texts of JSON with all their entries."""
    dtype = cells.dtype
    if not holds_maps(dtype):
        return cells.to_list()
    return [_without_maps(value, dtype) for value in cells.cast(entries_type(dtype)).to_list()]


def is_map(dtype: Any) -> bool:
    import polars as pl

    kind = getattr(pl, "Map", None)  # without it, polars takes maps as lists of structs
    return kind is not None and isinstance(dtype, kind)


def holds_maps(dtype: Any) -> bool:
    """Whether a type is a map, or has one in it."""
    import polars as pl

    if isinstance(dtype, pl.List | pl.Array):
        return holds_maps(dtype.inner)
    if isinstance(dtype, pl.Struct):
        return any(holds_maps(field.dtype) for field in dtype.fields)
    return is_map(dtype)


def is_of_texts(dtype: Any) -> bool:
    """Whether a type is a map whose keys and values are texts."""
    import polars as pl

    return is_map(dtype) and dtype.key == pl.String and dtype.value == pl.String


def of_texts(cells: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Texts of JSON as maps of texts, which `dtype` is; None where one is no such map, or a key repeats in one."""
    import polars as pl

    try:
        rows = [None if cell is None else _pairs(cell) for cell in cells.to_list()]
        made = pl.Series(cells.name, rows, entries_type(dtype)).cast(dtype)
    except (ValueError, TypeError, RecursionError, pl.exceptions.PolarsError):
        return None
    return made if all(row is None or len({e["key"] for e in row}) == len(row) for row in rows) else None


def _pairs(text: str) -> list[dict[str, str | None]]:
    """The entries of a map. Raises ValueError or TypeError for what is none."""
    pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
    if text.lstrip()[:1] != "{" or not all(value is None or isinstance(value, str) for _, value in pairs):
        raise TypeError
    return [{"key": key, "value": value} for key, value in pairs]


def with_texts(dtype: Any) -> pl.DataType:
    """The type that `cells_of` are of."""
    import polars as pl

    return pl.String() if is_map(dtype) else with_inner(dtype, with_texts)


def entries_type(dtype: Any) -> pl.DataType:
    """A type with lists of entries in the place of maps, as polars holds them: structs of `key` and `value`."""
    import polars as pl

    if is_map(dtype):
        return pl.List(pl.Struct({"key": entries_type(dtype.key), "value": entries_type(dtype.value)}))
    return with_inner(dtype, entries_type)


def _without_maps(value: Any, dtype: Any) -> Any:
    """A cell of `entries_type(dtype)` with texts in the place of maps."""
    if is_map(dtype):
        return text_of(_object(value, dtype))
    return _each(value, dtype, _without_maps)


def _object(value: Any, dtype: Any) -> Any:
    """A cell of `entries_type(dtype)` with objects in the place of maps."""
    if value is not None and is_map(dtype):
        entries = [(_object(e["key"], dtype.key), _object(e["value"], dtype.value)) for e in value]
        return _Entries([(text_of(key) or "", inner) for key, inner in entries])
    return _each(value, dtype, _object)


def _each(value: Any, dtype: Any, made: Any) -> Any:
    """Apply `made` to what a list or struct holds; anything else stays as it is."""
    import polars as pl

    if value is None or not holds_maps(dtype):
        return value
    if isinstance(dtype, pl.Struct):
        return {field.name: made(value[field.name], field.dtype) for field in dtype.fields}
    return [made(inner, dtype.inner) for inner in value]


def with_inner(dtype: Any, changed: Callable[[Any], pl.DataType]) -> pl.DataType:
    """A type of lists, arrays or structs with the types within changed; any other one as it is."""
    import polars as pl

    made: pl.DataType = dtype
    if isinstance(dtype, pl.List):
        made = pl.List(changed(dtype.inner))
    elif isinstance(dtype, pl.Array):
        made = pl.Array(changed(dtype.inner), dtype.size)
    elif isinstance(dtype, pl.Struct):
        made = pl.Struct([pl.Field(f.name, changed(f.dtype)) for f in dtype.fields])
    return made
