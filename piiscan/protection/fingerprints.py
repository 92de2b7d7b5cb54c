"""What of a column tells rows apart although nobody would call it an identifier: values that few people share, and
values that tell other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_build import built
from piiscan.anonymity.histogram import Coded, coded, texts
from piiscan.anonymity.models import dependence
from piiscan.anonymity.models.dependence import Coarsened, Dependence
from piiscan.protection.column_treatment import ColumnTreatment

EXPLAINS: Final = 0.2
"""A column that tells this share of another one, or is told by others to it, isn't independent of them."""
EXPLAINS_SENSITIVE: Final = 0.5
"""The same of sensitive columns, which depend on what people are by nature; an attacker doesn't know them."""
FEW: Final = 0.1
"""Of a sensitive column of numbers or dates so many rows may have values that fewer than k people share, before
intervals take their place."""
BANDS: Final = 10
ALONE: Final = 0.5
"""A column of words of which more rows than this have values of their own is as good as a text."""
POINTED: Final = 8
"""Shorter cells are equal to an identifier by chance, and words without a digit or @ in them name places, too."""
_SPELLED: Final = 2
"""Shorter cells stand within a name or an address by chance."""


class ColumnCells(NamedTuple):
    """A column as text, empty cells null, and whose its rows are (None: each another's)."""

    texts: pl.Series
    units: pl.Series | None

    def sharers(self) -> pl.Series:
        """(rows,) how many people share each row's value."""
        if self.units is None:
            return self.texts.to_frame("value").select(pl.len().over("value"))["len"]
        frame = pl.DataFrame({"value": self.texts, "unit": self.units})
        return frame.select(pl.col("unit").n_unique().over("value"))["unit"]

    def few(self, k: int) -> float:
        """The share of rows whose value fewer than k people share."""
        rare = (self.sharers() < k).mean()
        return float(rare) if isinstance(rare, float) else 0.0


def column_cells(frame: pl.DataFrame, index: int, units: pl.Series | None) -> ColumnCells:
    """A column of a table's rows, which are named by their places."""
    return ColumnCells(texts(frame, [index])[str(index)], units)


def pointing(column: ColumnCells, identifiers: Mapping[int, pl.Series]) -> tuple[int, ...]:
    """Which identifiers, by place, have a number or an e-mail address that is a cell of the column, too, in whatever
    row."""
    shown = column.texts.cast(pl.String).unique().implode()
    found = []
    for index, cells_ in identifiers.items():
        before = cells_.cast(pl.String)
        pointed = (before.str.len_chars() >= POINTED) & before.str.contains("[0-9@]")
        if before.filter(pointed).is_in(shown).any():
            found.append(index)
    return tuple(found)


def treat_rare_values(treatment: ColumnTreatment, column: ColumnCells, k: int) -> ColumnTreatment:
    """What becomes of a kept column: it is kept only where each of its values is shared by k people or more.

    Else it counts as a quasi-identifier; what differs from row to row and has nothing between its values and none is
    dropped.
    """
    few = column.few(k)
    if not few:
        return treatment
    why = f"fewer than {k} people share some of its values: who knows one of them finds the row"
    if few > ALONE and _hierarchy(treatment, column).levels == 2:
        return treatment.changed_to("dropped", f"{why}, and there is nothing between such a value and none")
    return treatment.changed_to("generalised", why)


def with_intervals(treatment: ColumnTreatment, column: ColumnCells, k: int) -> tuple[ColumnTreatment, pl.Series | None]:
    """What becomes of a sensitive column, and its new cells, None where they stay.

    An exact amount or moment is a fingerprint: it's written as the narrowest interval at which no more than `FEW` of
    the rows have one that fewer than k people share. Words stay, unless most are somebody's own.
    """
    if column.few(k) <= FEW:
        return treatment, None
    hierarchy = _hierarchy(treatment, column)
    if hierarchy.levels == 2:
        if column.few(2) <= ALONE:
            return treatment, None
        return treatment.changed_to("dropped", "most of its values are one person's own, as those of a text are"), None
    for level in range(1, hierarchy.levels - 1):
        labels, loss = _at(hierarchy, level, column)
        if ColumnCells(labels, column.units).few(k) <= FEW:
            return treatment.changed_to(
                "sensitive", f"{treatment.why}; intervals take the place of exact values, which are fingerprints", loss
            ), labels
    return treatment.changed_to("dropped", "its exact values are fingerprints, and no intervals are wide enough"), None


class Banded(NamedTuple):
    """A column with bands in place of its values, its new cells, and their hierarchy."""

    treatment: ColumnTreatment
    bands: pl.Series
    hierarchy: Hierarchy


def with_bands(treatment: ColumnTreatment, hierarchy: Hierarchy, column: ColumnCells) -> Banded | None:
    """A column with `BANDS` labels at most in place of its values, and a hierarchy that has these or nothing: so it
    takes part in a search with two levels. None where it has two already, or nothing between its values and none."""
    if treatment.coarsening_loss or hierarchy.levels == 2:
        return None
    level = next((n for n in range(hierarchy.levels - 1) if len(hierarchy.labels[n]) <= BANDS), hierarchy.levels - 2)
    if len(hierarchy.labels[level]) == 1:
        return None
    labels, loss = _at(hierarchy, level, column)
    done = "a few bands take the place of its values" if level else "its few values stay or go"
    treatment = treatment.changed_to(
        "generalised", f"{treatment.why}; {done}, as many columns are generalised together", loss
    )
    tree = Hierarchy.of(treatment.name, [(label, TOP) for label in hierarchy.labels[level]])
    return Banded(treatment, labels, tree)


def _at(hierarchy: Hierarchy, level: int, column: ColumnCells) -> tuple[pl.Series, float]:
    """A column's labels at a level, and their mean loss, in 0..1."""
    leaves = coded(column.texts)
    groups = hierarchy.groups[level][hierarchy.codes(leaves.values)[leaves.codes]]
    return pl.Series(hierarchy.labels[level], dtype=pl.String).gather(groups), float(
        hierarchy.loss[level][groups].mean()
    )


def _hierarchy(treatment: ColumnTreatment, column: ColumnCells) -> Hierarchy:
    return built(treatment.name, coded(column.texts).values, treatment.entity, treatment.dtype)


def explain_dependence(
    treatment: ColumnTreatment,
    column: Coded,
    others: Mapping[int, Coarsened],
    identifiers: Mapping[int, pl.Series],
    own: pl.Series,
    names: Sequence[str],
) -> str | None:
    """Why a column that would stay isn't independent of what is generalised or dropped; None where it is, as far as can
    be told.

    others: the quasi-identifiers at their levels, by place. identifiers: the texts of dropped identifiers, by place.
    own: the column's texts.
    """
    of = column.codes, len(column.values)
    limit = EXPLAINS if treatment.action == "kept" else EXPLAINS_SENSITIVE
    explains = dependence.explains(of, others)
    if explains.share >= limit:
        return f"it tells {_named(explains.columns, names)} ({explains.share:.0%} of what there is to know)"
    if treatment.action == "sensitive":
        return None
    known = dependence.explained_by(of, others)
    if known.share >= limit:
        return (
            f"{_named(known.columns, names)} {'tells' if len(known.columns) == 1 else 'tell'} it "
            f"({known.share:.0%} of what there is to know)"
        )
    for index, texts_ in identifiers.items():
        if _spelled(own, texts_) >= limit:
            return f"it is part of {names[index]}, or {names[index]} of it"
    return None


def explain_together(
    kept: Mapping[int, Coded], others: Mapping[int, Coarsened], names: Sequence[str]
) -> dict[int, str]:
    """Which columns that would stay tell a quasi-identifier with others of their kind, none of them enough alone;
    and why, by their places."""
    columns = {index: Coarsened(((column.codes, len(column.values)),)) for index, column in kept.items()}
    out: dict[int, str] = {}
    for index, other in others.items():
        known = max(
            (dependence.explained_by(level, columns) for level in other.levels),
            key=lambda explained: explained.share,
            default=Dependence(0.0, ()),
        )
        if known.share >= EXPLAINS:
            why = (
                f"{_named(known.columns, names)} together tell {names[index]} "
                f"({known.share:.0%} of what there is to know)"
            )
            out |= {i: why for i in known.columns if i not in out}
    return out


def coarsened(hierarchy: Hierarchy, column: Coded) -> Coarsened:
    """A quasi-identifier's rows at each level of its hierarchy but the last."""
    leaves = hierarchy.codes(column.values)[column.codes]
    return Coarsened(
        tuple((g[leaves], len(n)) for g, n in zip(hierarchy.groups, hierarchy.labels, strict=True) if set(n) != {TOP})
    )


def _spelled(cells: pl.Series, identifiers: pl.Series) -> float:
    """The share of rows in which one stands within the other, less the share of rows where another row's does."""
    folded = pl.DataFrame({"a": cells.cast(pl.String), "b": identifiers.cast(pl.String)}).select(
        pl.all().str.to_lowercase()
    )
    long_enough = pl.col("a").str.len_chars() >= _SPELLED, pl.col("b").str.len_chars() >= _SPELLED
    within = (
        (pl.col("b").str.contains(pl.col("a"), literal=True) & long_enough[0])
        | (pl.col("a").str.contains(pl.col("b"), literal=True) & long_enough[1])
    ).fill_null(value=False)
    others = folded.with_columns(b=folded["b"].gather(np.roll(np.arange(len(folded)), len(folded) // 2 + 1)))
    own, chance = (float(frame.select(within.mean()).item() or 0.0) for frame in (folded, others))
    return own - chance


def _named(places: Sequence[int], names: Sequence[str]) -> str:
    return " and ".join(names[i] for i in places)
