"""The summary of one table."""

from __future__ import annotations

from dataclasses import dataclass, field

from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import RowSample


@dataclass(frozen=True, slots=True)
class TableSummary:
    """`rows` rows, one `ColumnSummary` per column, and a sample of whole rows. Tables of different widths don't add."""

    rows: int = 0
    columns: tuple[ColumnSummary, ...] = ()
    row_sample: RowSample = field(default_factory=RowSample.empty, repr=False)

    @staticmethod
    def empty(width: int) -> TableSummary:
        return TableSummary(columns=(ColumnSummary(),) * width)

    def __add__(self, other: TableSummary) -> TableSummary:
        if len(self.columns) != len(other.columns):
            raise ValueError(f"summaries of {len(self.columns)} and {len(other.columns)} columns don't add")
        columns = tuple(a + b for a, b in zip(self.columns, other.columns, strict=True))
        return TableSummary(self.rows + other.rows, columns, self.row_sample + other.row_sample)
