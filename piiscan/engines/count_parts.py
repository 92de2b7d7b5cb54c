"""Histograms of partitions: how often each combination of some columns' cells occurs, as rows for an engine to sum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import polars as pl

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import ROWS, Histogram
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.engines import base_levels
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table
from piiscan.masking.plan.plan_writer import labels

_TOGETHER: Final = 1 << 18
"""Combinations that are counted before they are handed on."""


@verb
def histogram(
    batches: Iterable[Any], info: TableInfo, columns: Sequence[str], levels: base_levels.Levels = MappingProxyType({})
) -> Iterator[Any]:
    """How often each combination of the cells of some columns occurs in a part.

    Pyarrow record batches with the cells as texts, in columns named by their places ("0", "3"), and how many `rows`
    each stands in (int64). A combination may come more than once: add up the rows of equal ones. It holds cell values.

    info: the columns, as `Scanner.look` says. levels: of some columns the hierarchy, and the level that cells are cut
    to before they are counted. Raises `UsageError` for a column or a level that isn't there, for lists, and for
    values that a hierarchy lacks.
    """
    base_levels.demand(levels)
    cuts = dict(zip(places(info, list(levels)), levels.values(), strict=True))
    return counted(batches, info, places(info, columns), cuts)


def places(info: TableInfo, columns: Sequence[str]) -> list[int]:
    """Where columns of these names are. Raises `UsageError`."""
    names = labels([field.name for field in info.fields])
    if missing := [name for name in columns if name not in names]:
        raise UsageError(f"{info.source}: there is no column {missing[0]}")
    return [names.index(name) for name in columns]


def counted(
    batches: Iterable[Any],
    info: TableInfo,
    columns: Sequence[int],
    cuts: Mapping[int, tuple[Hierarchy, int]] = MappingProxyType({}),
) -> Iterator[Any]:
    """As `histogram`, of columns in these places."""
    total = Histogram.empty(columns)
    for frame in rebatched(batches):
        for batch in part_table(frame, info).batches():
            total = total + Histogram.of(base_levels.cut_cells(batch.frame, cuts), columns)
        if len(total.frame) > _TOGETHER:
            yield from _rows(total)
            total = Histogram.empty(columns)
    yield from _rows(total)


def together(rows: Any, columns: Sequence[int]) -> Histogram:
    """The histogram of what an engine has added up: a pyarrow Table."""
    found = pl.DataFrame(rows)
    texts = [pl.col(str(i)).cast(pl.String).cast(pl.Categorical()) for i in columns]
    return Histogram.total([Histogram(found.select(*texts, pl.col(ROWS).cast(pl.Int64)))], columns)


def _rows(total: Histogram) -> Iterator[Any]:
    pyarrow = import_module("pyarrow")
    texts = {str(i): total.frame[str(i)].cast(pl.String) for i in total.columns}
    schema = pyarrow.schema([*((name, pyarrow.string()) for name in texts), (ROWS, pyarrow.int64())])
    yield from pl.DataFrame({**texts, ROWS: total.frame[ROWS]}).to_arrow().cast(schema).to_batches()
