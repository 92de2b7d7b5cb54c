"""The summary of a batch: the door of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import numpy as np

from piiscan.core.types import Batch, Field
from piiscan.detection.matching import timed_rules
from piiscan.detection.matching.canonical_cells import canonical
from piiscan.detection.matching.match_column import Counts, Index, count
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.matching.sampling import Hashes, hashed, row_hashes, sample_rows, sample_values
from piiscan.detection.summary.column_summary import TOGETHER, ColumnSummary
from piiscan.detection.summary.hit_counts import FIRST_ROWS, Hits, RuleHits
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import Rule

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detection.matching.canonical_cells import CanonicalCells

Column = tuple[ColumnSummary, Hashes]
Map = Callable[[Callable[[int], Column], Iterable[int]], Iterable[Column]]
"""`map`, or a thread pool's."""


def summarise(
    batch: Batch, fields: Sequence[Field], prefilter: Prefilter, so_far: TableSummary | None = None, parallel: Map = map
) -> TableSummary:
    """The summary of one batch alone.

    `so_far`, the summary of other batches that this one will be added to, lets the samples skip what can't get into
    them: what is left out changes nothing in the sum. `parallel` maps over the columns.
    """
    columns = batch.frame.get_columns()

    def one(i: int) -> Column:
        limit = so_far.columns[i].sample.limit if so_far else None
        return column_summary(columns[i], fields[i].name, prefilter, batch.offset, limit)

    return table_summary(batch, tuple(parallel(one, range(len(columns)))), so_far.row_sample.limit if so_far else None)


def table_summary(batch: Batch, columns: Sequence[Column], limit: int | None) -> TableSummary:
    """The summary of a batch whose columns are summed up. `limit`: of the row sample."""
    rows = sample_rows(batch.frame, [hashes for _, hashes in columns], limit)
    return TableSummary(len(batch.frame), tuple(summary for summary, _ in columns), rows)


def column_summary(
    column: pl.Series,
    name: str | None,
    prefilter: Prefilter,
    offset: int | None,
    limit: int | None = None,
    executor: Executor | None = None,
) -> Column:
    """The summary of one column of a batch whose first row is number `offset`, and a hash for each of its rows.
    `executor`: as in `match_column.count`."""
    cells = canonical(column)
    named = prefilter.compiled.rules.named(name)
    counts = count(cells.text, prefilter, named, executor)
    over_budget = timed_rules.count(cells.text, prefilter.compiled.timed, counts, named)
    hashes = hashed(cells.text)
    sample = sample_values(cells, hashes, limit)
    summary = ColumnSummary(
        cells.count,
        cells.nulls,
        _hits(counts, cells, offset),
        sample,
        over_budget,
        _together(counts, prefilter.compiled.rules.by_id, cells, offset),
    )
    return summary, row_hashes(column, cells, hashes)


def _together(
    counts: Counts, rules: Mapping[str, Rule], cells: CanonicalCells, offset: int | None
) -> dict[str, RuleHits]:
    """What `ColumnSummary.together` says of the cells that were counted."""
    found: dict[str, tuple[list[Index], list[Index]]] = {}
    for (rule, whole), hits in counts.items():
        known = rules[rule]
        counted = known.search == "anywhere" if whole else known.search != "cell"
        if counted and known.check is None and known.entity in TOGETHER:
            found.setdefault(known.entity, ([], []))[0 if whole else 1].append(hits.cells)
    out = {}
    for entity, parts in sorted(found.items()):
        whole_cells, within = (np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *part])) for part in parts)
        within = np.setdiff1d(within, whole_cells, assume_unique=True)
        if len(whole_cells) + len(within):
            out[entity] = RuleHits(
                *(Hits(len(index), len(index), _first_rows(index, cells, offset)) for index in (whole_cells, within))
            )
    return out


def _first_rows(index: Index, cells: CanonicalCells, offset: int | None) -> tuple[int, ...]:
    return () if offset is None else tuple(int(r) + offset for r in cells.row_of(index[:FIRST_ROWS]))


def _hits(counts: Counts, cells: CanonicalCells, offset: int | None) -> dict[str, RuleHits]:
    out: dict[str, RuleHits] = {}
    for (rule, whole), found in sorted(counts.items()):
        index = found.cells
        hits = Hits(found.candidates, len(index), _first_rows(index, cells, offset))
        out[rule] = out.get(rule, RuleHits()) + (RuleHits(whole=hits) if whole else RuleHits(within=hits))
    return out
