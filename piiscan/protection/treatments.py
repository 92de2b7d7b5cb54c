"""What happens to each column by what its cells are: the fates of declarations and verdicts, looked at again."""

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
from piiscan.protection.column_treatment import Fate
from piiscan.protection.request import ProtectRequest
from piiscan.rules.definitions import RuleSet

BATCH_ROWS: Final = 131_072
_MOST_NODES: Final = 20_000


def without_identifiers(
    fate: Fate, frame: pl.DataFrame, identifiers: dict[int, pl.Series], names: Sequence[str]
) -> Fate:
    """A column goes that holds what a dropped one does, in whatever rows."""
    if fate.action in ("dropped", "random id"):
        return fate
    places = fingerprints.pointing(fingerprints.cells(frame, fate.index, None), identifiers)
    return (
        fate.now("dropped", f"some of its cells are those of {', '.join(names[i] for i in places)}") if places else fate
    )


def without_fingerprints(
    decided: Sequence[Fate], frame: pl.DataFrame, units: pl.Series | None, request: ProtectRequest
) -> tuple[list[Fate], pl.DataFrame]:
    """Fates by what the cells are, and the table with intervals for exact values."""
    # A hierarchy that somebody gave for the distance between sensitive values knows the exact ones only.
    blurs = request.anonymity.models.distance != "hierarchical"
    out = []
    for fate in decided:
        if fate.action == "kept":
            fate = fingerprints.rare(fate, fingerprints.cells(frame, fate.index, units), request.k)
        elif fate.action == "sensitive" and blurs:
            fate, new = fingerprints.blurred(fate, fingerprints.cells(frame, fate.index, units), request.k)
            frame = frame if new is None else frame.with_columns(new.alias(str(fate.index)))
        out.append(fate)
    return out, frame.select(str(f.index) for f in out if f.action != "dropped")


class Judged(NamedTuple):
    """Fates, the table with bands for some values, and that counted, with its hierarchies by place."""

    fates: list[Fate]
    frame: pl.DataFrame
    table: CountedTable
    trees: dict[int, Hierarchy]


def without_dependence(
    decided: Sequence[Fate],
    info: TableInfo,
    frame: pl.DataFrame,
    identifiers: dict[int, pl.Series],
    request: ProtectRequest,
    rules: RuleSet,
) -> Judged:
    """Fates in which no column that stays tells a quasi-identifier, or is told by them, and which can be searched
    for."""
    names = [f.name for f in decided]
    out, trees = list(decided), dict[int, Hierarchy]()
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
        for place, fate in enumerate(before):
            if fate.action in ("kept", "sensitive"):
                why = fingerprints.dependent(
                    fate, cells[fate.index], others, identifiers, frame[str(fate.index)], names
                )
                if why is not None:
                    out[place] = fate.now("generalised", why)
        if out == before:
            kept = {f.index: cells[f.index] for f in out if f.action == "kept"}
            for place, why in fingerprints.together(kept, others, names).items():
                out[place] = out[place].now("generalised", why)
        if out == before:
            return Judged(out, frame, table, trees)


def _searchable(
    decided: Sequence[Fate], frame: pl.DataFrame, trees: dict[int, Hierarchy]
) -> tuple[list[Fate], pl.DataFrame, dict[int, Hierarchy]]:
    """Where there are more combinations of levels than are searched for the sake of columns that joined, fewer of
    these, or bands in place of
    their values: first of the one with most levels, and of those the one with most values."""
    out, trees = list(decided), dict(trees)
    while nodes([trees[f.index].levels for f in out if f.action == "generalised"]) > _MOST_NODES:
        joined = [
            (trees[f.index].levels, len(trees[f.index].leaves), n)
            for n, f in enumerate(out)
            if f.action == "generalised" and f.joined
        ]
        if not joined:
            break
        place = max(joined)[-1]
        fate = out[place]
        tree = trees.pop(fate.index)
        if (banded := fingerprints.banded(fate, tree, fingerprints.cells(frame, fate.index, None))) is None:
            out[place] = fate.now(
                "dropped",
                f"{decided[place].why}; too many columns are generalised together, and --quasi doesn't declare it",
            )
        else:
            out[place], bands, trees[fate.index] = banded
            frame = frame.with_columns(bands.alias(str(fate.index)))
    return out, frame, trees


def _counted(decided: Sequence[Fate], info: TableInfo, frame: pl.DataFrame) -> CountedTable:
    columns = tuple(f.assigned for f in decided if f.action != "dropped")
    if not any(c.role == "quasi" for c in columns):
        raise UsageError(
            f"{info.source}: no column that stays is a quasi-identifier; name what an attacker may know with --quasi"
        )
    counted_columns = [c.index for c in columns if c.role in ("quasi", "sensitive", "unit")]
    return CountedTable(info, columns, histogram(frame, counted_columns))


def histogram(frame: pl.DataFrame, columns: Sequence[int]) -> Histogram:
    """Rows in memory, counted over some columns."""
    return Histogram.total(map(partial(Histogram.of, columns=columns), sliced(frame, BATCH_ROWS)), columns)


def population(table: CountedTable, request: ProtectRequest, rules: RuleSet) -> Histogram | None:
    """What δ-presence compares with, over the quasi-identifiers; None where nothing does."""
    source = request.anonymity.population
    assert not isinstance(source, Path), "a protected table's population is opened by who asks for it"
    return count_population(table, source, rules)


def pieces(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Rows in batches."""
    return sliced(frame, BATCH_ROWS)
