"""The cells of a column in another order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from piiscan.core.types import DType
from piiscan.masking.operators.operator import Contract, FittedOn, Operator, RowContext
from piiscan.masking.operators.preconditions import demand_first, demand_key, fitted, refusal
from piiscan.masking.operators.row_random import words

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey


@dataclass(frozen=True)
class Shuffle(Operator):
    """The filled cells of each group in a random order, drawn with the key; without groups, of the whole column.

    Empty cells stay.

    `groups`: the columns, as the plan calls them, whose cells together make the groups. The whole column is held in
        memory.

    Guarantee:
        Assumes that the key is secret and belongs to this column of this table only.
        Ensures that each group keeps exactly its cells, and that every order of a group is as likely as any other.
        Does not protect small groups: a group of one keeps its cell, and in a group whose cells are all the same,
        everybody's is known. Every true value is still there. What the column had to do with others is lost within
        groups and kept between them.
        Test: test_operators_random.py::test_shuffle_keeps_the_cells_of_each_group
    """

    groups: tuple[str, ...] = ()
    _masked: Any = field(default=None, init=False, repr=False, compare=False)
    _first: int = field(default=0, init=False, repr=False, compare=False)
    _stays: float = field(default=0.0, init=False, repr=False, compare=False)

    name: ClassVar[str] = "shuffle"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "moved"
    needs: ClassVar[frozenset[str]] = frozenset({"first", "groups"})
    fitted_on: ClassVar[FittedOn] = "column"

    def dtype(self, before: DType) -> DType:
        return before

    def fit_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> Self:
        import numpy as np
        import polars as pl

        first = demand_first(self.name, rows.first)
        drawn = words(demand_key(self.name, key), "shuffle", first, len(cells))
        groups = pl.repeat("", len(cells), eager=True) if rows.groups is None else rows.groups
        table = (
            pl.DataFrame({"group": groups, "a": drawn[:, 0], "b": drawn[:, 1]})
            .with_row_index("row")
            .filter(cells.is_not_null())
        )
        order = np.arange(len(cells), dtype=np.uint32)
        order[table.sort("group", "row")["row"].to_numpy()] = table.sort("group", "a", "b", "row")["row"].to_numpy()
        return fitted(
            self, _masked=cells.gather(order), _first=first, _stays=_chance(table["group"], cells.drop_nulls())
        )

    def stays(self, counts: pl.DataFrame) -> float:
        """The share of cells expected to keep their value by chance, in the groups that were gathered."""
        return self._stays

    def mask_rows(self, cells: pl.Series, rows: RowContext, key: Subkey | None) -> pl.Series:
        demand_key(self.name, key)
        if self._masked is None:
            raise refusal(self.name, "needs to see the whole column first")
        start = demand_first(self.name, rows.first) - self._first
        masked: pl.Series = self._masked.slice(max(start, 0), len(cells))
        if start < 0 or len(masked) != len(cells) or not (masked.is_null() == cells.is_null()).all():
            raise refusal(self.name, "was made for other rows than these; shuffle the whole table again")
        return masked.alias(cells.name)


def _chance(groups: pl.Series, cells: pl.Series) -> float:
    """The mean over filled cells of how often their value occurs in their group."""
    import polars as pl

    if not len(cells):
        return 0.0
    pairs = pl.DataFrame({"g": groups, "v": cells.hash()}).group_by("g", "v").len()
    return float(
        pairs.select((pl.col("len").cast(pl.Float64) ** 2 / pl.col("len").sum().over("g")).sum()).item() / len(cells)
    )
