"""One table on its way: its rows, its columns, and how its numbers hang together."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Final

import polars as pl

from piiscan.masking.apply.executors import submit_or_run
from piiscan.masking.information_loss.column_loss import ColumnChange, ColumnObserver, read
from piiscan.masking.plan.plan_types import TablePlan

VALUES: Final = 1 << 20
"""Values distinguished in a table, those of all its columns together; fewer a column where it has many."""
MOST_VALUES: Final = 1 << 16
FEWEST_VALUES: Final = 1 << 10
ROWS: Final = 4096
"""Rows that correlations are worked out from."""
MOST_MEASURES: Final = 50
_SEED: Final = 13


class Comparison:
    """Looks on while one table is masked, or at one that was.

    Batches come with the number of their first row, in any order.
    """

    def __init__(self, plan: TablePlan) -> None:
        k = min(MOST_VALUES, max(FEWEST_VALUES, VALUES // max(1, len(plan.columns))))
        self._observers = [ColumnObserver(a, k) for a in plan.columns]
        self.columns: list[ColumnChange] = [observer.empty() for observer in self._observers]
        self.rows = 0
        self.rows_left = 0
        changing = any(
            observer.measures and observer.action.operator not in ("keep", "suppress", "drop")
            for observer in self._observers
        )
        measures = [
            i
            for i, observer in enumerate(self._observers)
            if observer.measures and observer.action.operator not in ("suppress", "drop")
        ]
        self._measures = measures[:MOST_MEASURES] if changing or plan.drop_rows else []
        self._sample: pl.DataFrame | None = None

    def see(
        self,
        frame: pl.DataFrame,
        masked: Mapping[int, pl.Series],
        kept: pl.Series | None,
        first: int,
        executor: Executor | None = None,
    ) -> None:
        """Compare one batch: `masked` holds the columns that changed, with all rows; `kept` the rows that stay."""
        pending = [
            submit_or_run(executor, partial(observer.observe, frame[str(i)], masked.get(i), kept, total))
            for i, (observer, total) in enumerate(zip(self._observers, self.columns, strict=True))
        ]
        self.columns = [total + change() for total, change in zip(self.columns, pending, strict=True)]
        self.rows += len(frame)
        self.rows_left += len(frame) if kept is None else int(kept.sum() or 0)
        if self._measures:
            self._pick(frame, masked, kept, first)

    def _pick(self, frame: pl.DataFrame, masked: Mapping[int, pl.Series], kept: pl.Series | None, first: int) -> None:
        """Keep the rows whose numbers have the smallest hashes."""
        rows = pl.select(row=pl.int_range(first, first + len(frame), dtype=pl.UInt64)).with_columns(
            hash=pl.col("row").hash(_SEED)
        )
        if kept is not None:
            rows = rows.filter(kept)
        if self._sample is not None and len(self._sample) == ROWS:
            rows = rows.filter(pl.col("hash") <= self._sample["hash"][-1])
        rows = rows.sort("hash", "row").head(ROWS)
        at = rows["row"].cast(pl.Int64) - first
        cells = [rows["hash"], rows["row"]]
        for i in self._measures:
            before = frame[str(i)].gather(at)
            after = masked[i].gather(at) if i in masked else before
            cells += [_numbers(before).alias(f"before {i}"), _numbers(after).alias(f"after {i}")]
        picked = pl.DataFrame(cells)
        whole = picked if self._sample is None else pl.concat([self._sample, picked])
        self._sample = whole.sort("hash", "row").head(ROWS)

    def numbers(self, index: int) -> tuple[pl.Series, pl.Series] | None:
        """The numbers of a column on the sampled rows, before and after; null where a cell has none.

        None for a column that measures nothing.
        """
        if self._sample is None or index not in self._measures:
            return None
        return self._sample[f"before {index}"], self._sample[f"after {index}"]


def _numbers(cells: pl.Series) -> pl.Series:
    """A number, or a day, for each cell; null for what is neither."""
    return next(
        iter(read(cells, dates=False).values()), pl.Series([None], dtype=pl.Float64).new_from_index(0, len(cells))
    )
