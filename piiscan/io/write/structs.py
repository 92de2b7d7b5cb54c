"""Columns of lists with structs in them, put together again with new values inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from piiscan.io.cells.map_cells import cells_of, with_inner, with_texts
from piiscan.io.cells.nested_values import DEEPEST, EACH, Derived, step
from piiscan.io.write.change import Change, Changed
from piiscan.io.write.within import Supply, Within, rebuilt

if TYPE_CHECKING:
    import polars as pl


def firsts(derived: Sequence[Derived], own: int) -> Iterator[int]:
    """The number of each own column's first derived one."""
    for d in derived:
        yield own
        own += len(d.names)


def _exact(dtype: Any) -> pl.DataType:
    """A type with whole numbers in the place of times, of which Python drops nanoseconds."""
    import polars as pl

    is_time = isinstance(dtype, pl.Datetime | pl.Duration) or dtype == pl.Time
    return pl.Int64() if is_time else with_inner(dtype, _exact)


class ListOfStructs:
    """One such column. `first`: the number of its first derived column."""

    def __init__(self, derived: Derived, first: int, change: Change) -> None:
        names = dict(enumerate(derived.names, first))
        here = [(position, column) for position, column in enumerate(change.columns) if column.origin in names]
        self._within = Within(
            frozenset(derived.names), frozenset(derived.names) - {names[column.origin] for _, column in here}
        )
        self._new = {names[column.origin]: position for position, column in here if not column.same}
        self._texts = frozenset(
            names[column.origin] for _, column in here if not column.same and column.field.dtype == "string"
        )

    @property
    def touches(self) -> bool:
        return bool(self._new or self._within.dropped)

    def dtype(self, dtype: pl.DataType) -> pl.DataType:
        """The type of the column in the output: values at masked paths become text, and so do maps."""
        return self._dtype(with_texts(dtype)) if self.touches else dtype

    def _dtype(self, dtype: Any, at: str = "", depth: int = 0) -> pl.DataType:
        import polars as pl

        made: pl.DataType = dtype
        if isinstance(dtype, pl.List | pl.Array) and depth < DEEPEST:
            inner: Any = dtype.inner
            kept = self._dtype(inner, at if isinstance(inner, pl.List | pl.Array) else at + EACH, depth + 1)
            made = dtype if kept == inner else pl.List(kept)
        elif isinstance(dtype, pl.Struct) and dtype.fields and depth < DEEPEST:
            fields = {f.name: self._dtype(f.dtype, step(at, f.name), depth + 1) for f in dtype.fields}
            made = pl.Struct(fields)
        elif at in self._texts:
            made = pl.String()
        return made

    def series(self, old: pl.Series, changed: Changed) -> pl.Series:
        """The column's rows, those that are kept, with the new values.

        Raises PolarsError and StopIteration where they don't fit.
        """
        import polars as pl

        if not self.touches:
            return old
        new_type, plain = self.dtype(old.dtype), with_texts(old.dtype)
        held = old if plain == old.dtype else pl.Series(cells_of(old), dtype=plain)
        exact = _exact(new_type)
        values = self.values((held if exact == plain else held.cast(exact)).to_list(), changed)
        made = pl.Series(old.name, values, dtype=exact)
        return made if exact == new_type else made.cast(new_type)

    def values(self, values: list[Any], changed: Changed) -> list[Any]:
        """The cells of those rows with the new values."""
        new = {name: changed.frame[str(position)].to_list() for name, position in self._new.items()}
        for at, value in enumerate(values):
            if value is not None:
                supply = Supply({name: cells[at] for name, cells in new.items()}, self._within)
                values[at] = rebuilt(value, supply, lambda _, cell: cell, maps=False)
        return values
