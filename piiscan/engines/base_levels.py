"""Quasi-identifiers cut to a level of their hierarchies by the workers, so that fewer combinations are counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

import polars as pl

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy, Label
from piiscan.anonymity.histogram import texts
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table

Levels = Mapping[str, tuple[Hierarchy, int]]
"""By column: its hierarchy, and the level that its cells are cut to."""


def demand(levels: Levels) -> None:
    """Raises `UsageError` for a level that a hierarchy doesn't have."""
    for name, (tree, level) in levels.items():
        if not 0 <= level < tree.levels:
            raise UsageError(f"the hierarchy of {name} has the levels 0 to {tree.levels - 1}, and no level {level}")


def above(tree: Hierarchy, level: int) -> Hierarchy:
    """The hierarchy of the labels of a level: what is left of it after cells were cut."""
    rows = zip(*(_of_leaves(tree, at) for at in range(level, tree.levels)), strict=True)
    return Hierarchy.of(tree.column, rows)


def cut_cells(frame: pl.DataFrame, levels: Mapping[int, tuple[Hierarchy, int]]) -> pl.DataFrame:
    """A batch whose columns are named by their places, with labels (String) in these.

    Raises `UsageError`, which says how many, for values that a hierarchy lacks.
    """
    made = []
    for place, (tree, level) in levels.items():
        cells = texts(frame, [place])[str(place)].cast(pl.String)
        tree.codes(cells.unique().to_list())
        labels = _of_leaves(tree, level)
        there = dict(zip(tree.leaves, labels, strict=True))
        filled = {leaf: label for leaf, label in there.items() if leaf is not None}
        empty = pl.Series([there.get(None)], dtype=pl.String)
        new = cells.replace_strict(list(filled), list(filled.values()), default=None, return_dtype=pl.String)
        made.append(new.zip_with(cells.is_not_null(), empty).alias(str(place)))
    return frame.with_columns(made)


def cut(batches: Iterable[Any], info: TableInfo, levels: Mapping[int, tuple[Hierarchy, int]]) -> Iterator[Any]:
    """Pyarrow record batches with labels, as strings, in the columns of these places."""
    pyarrow = import_module("pyarrow")
    for table in rebatched(batches):
        frames = [cut_cells(batch.frame, levels) for batch in part_table(table, info).batches()]
        for place in levels:
            name = table.schema.names[place]
            cells = pyarrow.array(pl.concat([frame[str(place)] for frame in frames]).to_list(), pyarrow.string())
            table = table.set_column(place, name, cells)
        yield from table.to_batches()


def _of_leaves(tree: Hierarchy, level: int) -> list[Label]:
    return [tree.labels[level][code] for code in tree.groups[level].tolist()]
