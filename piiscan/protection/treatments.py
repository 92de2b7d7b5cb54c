"""Revises the treatment of each column by what its cells contain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from piiscan.anonymity.best_publication import hierarchies
from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import Histogram, coded, texts
from piiscan.anonymity.run.count_table import count_population
from piiscan.anonymity.search.lattice import nodes
from piiscan.core.batches import sliced
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.protection import fingerprints
from piiscan.protection.column_treatment import ColumnTreatment
from piiscan.protection.request import ProtectRequest
from piiscan.rules.definitions import RuleSet

BATCH_ROWS: Final = 131_072
_MOST_NODES: Final = 20_000


def without_identifiers(
    treatment: ColumnTreatment, frame: pl.DataFrame, identifiers: dict[int, pl.Series], names: Sequence[str]
) -> ColumnTreatment:
    """Drop columns that contain identifiers of a dropped column, in whatever rows."""
    if treatment.action in ("dropped", "random id"):
        return treatment
    places = fingerprints.pointing(fingerprints.column_cells(frame, treatment.index, None), identifiers)
    return (
        treatment.changed_to("dropped", f"some of its cells also occur in {', '.join(names[i] for i in places)}")
        if places
        else treatment
    )


def without_fingerprints(
    treatments: Sequence[ColumnTreatment], frame: pl.DataFrame, units: pl.Series | None, request: ProtectRequest
) -> tuple[list[ColumnTreatment], pl.DataFrame]:
    """Return treatments by what the cells are, and the table with intervals instead of exact values."""
    # A hierarchy given for the distance between sensitive values contains the exact ones only.
    uses_intervals = request.anonymity.models.distance != "hierarchical"
    out = []
    for treatment in treatments:
        if treatment.action == "kept":
            treatment = fingerprints.treat_rare_values(
                treatment, fingerprints.column_cells(frame, treatment.index, units), request.k
            )
        elif treatment.action == "sensitive" and uses_intervals:
            treatment, new = fingerprints.with_intervals(
                treatment, fingerprints.column_cells(frame, treatment.index, units), request.k
            )
            frame = frame if new is None else frame.with_columns(new.alias(str(treatment.index)))
        out.append(treatment)
    return out, frame.select(str(f.index) for f in out if f.action != "dropped")


class TreatedTable(NamedTuple):
    """Treatments, the table with bands for some values, and its histogram, with its hierarchies by index."""

    treatments: list[ColumnTreatment]
    frame: pl.DataFrame
    table: CountedTable
    trees: dict[int, Hierarchy]


def without_dependence(
    treatments: Sequence[ColumnTreatment],
    info: TableInfo,
    frame: pl.DataFrame,
    identifiers: dict[int, pl.Series],
    request: ProtectRequest,
    rules: RuleSet,
) -> TreatedTable:
    """Return treatments in which no kept column reveals a quasi-identifier or is revealed by them.

    The search can handle the number of columns that they generalise.
    """
    names = [f.name for f in treatments]
    out, trees = list(treatments), dict[int, Hierarchy]()
    while True:
        table = _counted(out, info, frame)
        trees = hierarchies(table, request.anonymity, population(table, request, rules), trees)
        before = list(out)
        out, frame, trees = _searchable(out, frame, trees)
        if out != before:
            continue
        cells = {
            f.index: coded(texts(frame, [f.index])[str(f.index)])
            for f in out
            if f.action in ("generalised", "sensitive", "kept")
        }
        others = {i: fingerprints.coarsened(trees[i], cells[i]) for i in table.indexes("quasi")}
        for position, treatment in enumerate(before):
            if treatment.action in ("kept", "sensitive"):
                why = fingerprints.explain_dependence(
                    treatment, cells[treatment.index], others, identifiers, frame[str(treatment.index)], names
                )
                if why is not None:
                    out[position] = treatment.changed_to("generalised", why)
        if out == before:
            kept = {f.index: cells[f.index] for f in out if f.action == "kept"}
            for position, why in fingerprints.explain_together(kept, others, names).items():
                out[position] = out[position].changed_to("generalised", why)
        if out == before:
            return TreatedTable(out, frame, table, trees)


class _Searchable(NamedTuple):
    treatments: list[ColumnTreatment]
    frame: pl.DataFrame
    trees: dict[int, Hierarchy]


def _searchable(treatments: Sequence[ColumnTreatment], frame: pl.DataFrame, trees: dict[int, Hierarchy]) -> _Searchable:
    """Reduce the number of combinations of levels to what can be searched.

    Columns that weren't declared get fewer levels, or bands instead of their values: first the one with most levels,
    and among those the one with most values.
    """
    out, trees = list(treatments), dict(trees)
    while nodes([trees[f.index].levels for f in out if f.action == "generalised"]) > _MOST_NODES:
        joined = [
            (trees[f.index].levels, len(trees[f.index].leaves), n)
            for n, f in enumerate(out)
            if f.action == "generalised" and f.joined
        ]
        if not joined:
            break
        position = max(joined)[-1]
        treatment = out[position]
        tree = trees.pop(treatment.index)
        banded = fingerprints.with_bands(treatment, tree, fingerprints.column_cells(frame, treatment.index, None))
        if banded is None:
            why = (
                f"{treatments[position].why}; too many columns are generalised together, and it isn't declared "
                "with --quasi"
            )
            out[position] = treatment.changed_to("dropped", why)
        else:
            out[position], trees[treatment.index] = banded.treatment, banded.hierarchy
            frame = frame.with_columns(banded.bands.alias(str(treatment.index)))
    return _Searchable(out, frame, trees)


def _counted(treatments: Sequence[ColumnTreatment], info: TableInfo, frame: pl.DataFrame) -> CountedTable:
    columns = tuple(f.assigned for f in treatments if f.action != "dropped")
    if not any(c.role == "quasi" for c in columns):
        raise UsageError(
            f"{info.source}: no column that stays is a quasi-identifier; name those that an attacker may know "
            "with --quasi"
        )
    counted_columns = [c.index for c in columns if c.role in ("quasi", "sensitive", "unit")]
    return CountedTable(info, columns, histogram(frame, counted_columns))


def histogram(frame: pl.DataFrame, columns: Sequence[int]) -> Histogram:
    """Count rows in memory over some columns."""
    return Histogram.total(map(partial(Histogram.of, columns=columns), sliced(frame, BATCH_ROWS)), columns)


def population(table: CountedTable, request: ProtectRequest, rules: RuleSet) -> Histogram | None:
    """Return the population that δ-presence compares with, over the quasi-identifiers; None without δ-presence."""
    source = request.anonymity.population
    assert not isinstance(source, Path), "a protected table's population is opened by who asks for it"
    return count_population(table, source, rules)


def pieces(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Rows in batches."""
    return sliced(frame, BATCH_ROWS)
