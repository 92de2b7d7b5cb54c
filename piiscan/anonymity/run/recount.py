"""Counts the output of anonymisation again, as anyone could who has only the output."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from piiscan.anonymity.classes import Classes
from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import ROWS, Coded, Histogram, Ints
from piiscan.anonymity.models.model import View
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.search.problem import Problem
from piiscan.core.errors import VerifyError


def recounted(output: Iterable[pl.DataFrame], found: Anonymized, table: CountedTable) -> None:
    """Count the output again and compare it with what was promised.

    output: its batches, with columns named by their indices. Raises `VerifyError` if the output doesn't meet every
    model, or has other rows than were promised.
    """
    columns = table.histogram.columns
    check_counted(Histogram.total((Histogram.of(frame, columns) for frame in output), columns), found, table)


def check_counted(histogram: Histogram, found: Anonymized, table: CountedTable) -> None:
    """histogram: of the output. Raises `VerifyError`, as `recounted` does."""
    promised = found.solution.problem.total - found.solution.suppressed
    if not found.request.drop_suppressed:
        histogram = _without_blanks(histogram, found.solution.suppressed)
    if (rows := int(histogram.rows.sum())) != promised:
        raise VerifyError(f"the output has {rows} published rows instead of {promised} as planned; it was discarded")
    if not rows:
        return
    view = _view(histogram, found, table)
    for model in found.solution.problem.models:
        broken = int((~model.meets(view)).sum())
        if broken:
            raise VerifyError(f"{broken} classes of the output don't meet {model.name}; the output was discarded")


def _without_blanks(histogram: Histogram, suppressed: int) -> Histogram:
    """Return the rows without the suppressed ones, whose cells are all empty. Rows that were empty before stay."""
    blank = pl.all_horizontal(pl.col(str(i)).is_null() for i in histogram.columns)
    rows = pl.when(blank).then(pl.col(ROWS) - suppressed).otherwise(pl.col(ROWS))
    frame = histogram.frame.with_columns(rows.alias(ROWS))
    found = histogram.frame.filter(blank)[ROWS].sum()
    if found < suppressed:
        raise VerifyError(f"{found} rows of the output are blank instead of {suppressed} as planned; it was discarded")
    return Histogram(frame.filter(pl.col(ROWS) > 0))


def _view(histogram: Histogram, found: Anonymized, table: CountedTable) -> View:
    """Return the output's classes as models see them.

    Its labels are values in their own right, and models compare them with the input.
    """
    before = found.solution.problem
    quasi = {i: Hierarchy.of(str(i), [(v,) for v in histogram.coded(i).values]) for i in table.indexes("quasi")}
    unit = next(iter(table.indexes("unit")), None)
    after = Problem.of(histogram, quasi, before.models, unit)
    after = replace(
        after, sensitive={i: _as_before(after.sensitive[i], coded) for i, coded in before.sensitive.items()}
    )
    node = (0,) * len(quasi)
    classes = after.classes(node)
    return replace(
        after.view(node, classes), reference=before.reference, population=_population(histogram, found, table, classes)
    )


def _as_before(after: Coded, before: Coded) -> Coded:
    """A sensitive column's values, numbered as in the input."""
    code_of = {value: i for i, value in enumerate(before.values)}
    if any(value not in code_of for value in after.values):
        raise VerifyError("the output has sensitive values that the input doesn't have; it was discarded")
    return Coded(before.values, np.array([code_of[v] for v in after.values], np.int64)[after.codes])


def _population(histogram: Histogram, found: Anonymized, table: CountedTable, classes: Classes) -> Ints | None:
    """(classes,) rows of the population with each class's labels."""
    solution, columns = found.solution, table.indexes("quasi")
    if solution.view.population is None:
        return None
    known = pl.DataFrame({str(i): cells for i, cells in zip(columns, solution.labels, strict=True)}).filter(
        pl.Series(solution.kept)
    )
    known = known.with_columns(pl.Series("population", solution.view.population[solution.view.classes.of])).unique()
    cells = histogram.sorted().frame.select(pl.col(str(i)).cast(pl.String) for i in columns)
    joined = cells.join(known, on=cells.columns, how="left", nulls_equal=True, maintain_order="left")[
        "population"
    ].fill_null(0)
    out = np.zeros(len(classes.sizes), np.int64)
    out[classes.of] = joined.to_numpy()
    return out
