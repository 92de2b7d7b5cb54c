"""The published labels of each combination of quasi-identifiers, and how they are applied to rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.anonymity.histogram import Ints, texts
from piiscan.anonymity.models.model import Met
from piiscan.anonymity.search.problem import Problem
from piiscan.core.errors import ReadError

_KEPT: Final = "kept"


class Recoded(NamedTuple):
    """A batch's new labels: `labels`, by column, and which rows are `kept`. The labels of the others are null."""

    labels: dict[int, pl.Series]
    kept: pl.Series


@dataclass(frozen=True, eq=False)
class Recoding:
    """Every combination of a table's quasi-identifiers and its labels.

    columns: the places of the quasi-identifiers. table: a row for each combination: Categorical columns "0", "3" with
    its values, String columns "to 0", "to 3" with its labels, and Boolean `kept`.

    Guarantee:
        Assumes: rows come from the table whose histogram it was made of.
        Ensures: a row gets labels only if its combination was in a class that met every model; `apply` raises for an
        unknown combination, so rows with combinations that weren't counted aren't published.
        Does not protect against: rows of the same combinations that weren't counted. The caller has to count the
        output again.
    """

    columns: tuple[int, ...]
    table: pl.DataFrame

    @classmethod
    def of(cls, problem: Problem, columns: Sequence[int], labels: Sequence[pl.Series], kept: Met) -> Recoding:
        """labels: for each column (entries,) what is published of each entry.

        kept: (entries,) which aren't suppressed.
        """
        made: dict[str, pl.Series] = {}
        for column, hierarchy, leaves, cells in zip(columns, problem.hierarchies, problem.leaves, labels, strict=True):
            made[str(column)] = pl.Series(hierarchy.leaves, dtype=pl.String).gather(leaves).cast(pl.Categorical())
            made[f"to {column}"] = cells
        table = pl.DataFrame({**made, _KEPT: pl.Series(kept)})
        return cls(tuple(columns), table.unique([str(i) for i in columns], maintain_order=True))

    def apply(self, frame: pl.DataFrame) -> Recoded:
        """Return the labels of a batch whose columns are named by their indices.

        Raises `ReadError` for a combination that wasn't counted.
        """
        cells = texts(frame, self.columns)
        found = cells.join(self.table, on=cells.columns, how="left", nulls_equal=True, maintain_order="left")
        kept = found[_KEPT]
        if kept.null_count():
            raise ReadError(
                f"{kept.null_count()} rows contain values that weren't there when the table was counted; it has "
                "changed since"
            )
        return Recoded({i: found[f"to {i}"].set(~kept, None) for i in self.columns}, kept)


def labelled(problem: Problem, levels: Ints) -> list[pl.Series]:
    """For each quasi-identifier (entries,) the label of each entry. levels: (entries, quasi-identifiers)."""
    out = []
    for hierarchy, leaves, level in zip(problem.hierarchies, problem.leaves, levels.T, strict=True):
        begins = np.cumsum([0, *(len(names) for names in hierarchy.labels)])
        texts = pl.Series([name for names in hierarchy.labels for name in names], dtype=pl.String)
        out.append(texts.gather(begins[level] + np.stack(hierarchy.groups)[level, leaves]))
    return out
