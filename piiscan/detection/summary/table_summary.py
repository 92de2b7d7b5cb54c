"""The summary of one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from piiscan.core.errors import UsageError
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.hit_counts import Renumbering
from piiscan.detection.summary.sample import RowSample, Sample, rows_of, values_of


@dataclass(frozen=True, slots=True)
class TableSummary:
    """`rows` rows, one `ColumnSummary` per column, and a sample of whole rows.

    `made_with`: what it was made with, by name, such as the digest of the rules, and the names of the columns; nothing
    where that isn't known. Tables of different widths don't add, nor do those that are known to be made with different
    things.
    """

    rows: int = 0
    columns: tuple[ColumnSummary, ...] = ()
    row_sample: RowSample = field(default_factory=RowSample.empty, repr=False)
    made_with: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def empty(width: int) -> TableSummary:
        column = ColumnSummary(sample=Sample(k=values_of(width)))
        return TableSummary(columns=(column,) * width, row_sample=RowSample(k=rows_of(width)))

    def __add__(self, other: TableSummary) -> TableSummary:
        if not isinstance(other, TableSummary):
            return NotImplemented
        return self.sum((other,))

    def sum(self, others: Sequence[TableSummary]) -> TableSummary:
        """The summary of all together; adding many at once takes a fraction of the time."""
        made_with = self.made_with
        for other in others:
            if len(self.columns) != len(other.columns):
                raise UsageError(f"summaries of {len(self.columns)} and {len(other.columns)} columns don't add")
            check_made_alike(made_with, other.made_with)
            made_with = made_with or other.made_with
        return TableSummary(
            self.rows + sum(other.rows for other in others),
            tuple(own.sum(rest) for own, *rest in zip(self.columns, *(other.columns for other in others), strict=True)),
            self.row_sample.sum([other.row_sample for other in others]),
            made_with,
        )

    def fetch(self) -> None:
        """Fetch what the samples hold, where that waits for somebody to ask for it, and release the cells."""
        for column in self.columns:
            column.sample.fetch()
        self.row_sample.fetch()

    def moved(self, rows: int) -> TableSummary:
        """The same, so many rows further down: of a part whose rows were counted from its own first."""
        return self.renumbered(lambda found: tuple(row + rows for row in found))

    def renumbered(self, number: Renumbering) -> TableSummary:
        """The same, with other numbers of its rows: of a part that knows where they are in the whole."""
        return replace(self, columns=tuple(column.renumbered(number) for column in self.columns))


def check_made_alike(one: tuple[tuple[str, str], ...], other: tuple[tuple[str, str], ...]) -> None:
    """Raises `UsageError` where two summaries are known to be made with different things, and names these."""
    if one and other and one != other:
        different = sorted({name for name, _ in set(one) ^ set(other)})
        if "columns" in different:
            raise UsageError("the summaries are of different columns; all parts need the same names in the same order")
        raise UsageError(
            f"the summaries were made with different {', '.join(different)}; make all parts with the same Scanner, in "
            "the same version of piiscan"
        )
