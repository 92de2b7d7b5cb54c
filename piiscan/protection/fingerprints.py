"""What distinguishes rows although it isn't an identifier.

It is values that few people share, and values that reveal others.
"""

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
"""A column that reveals this share of another one, or is revealed by others to this degree, isn't independent of
them.
"""
EXPLAINS_SENSITIVE: Final = 0.5
"""The same for sensitive columns, which naturally depend on other attributes; an attacker doesn't know them."""
FEW: Final = 0.1
"""In a sensitive column of numbers or dates, at most this share of rows may have values that fewer than k people
share, before intervals replace the values.
"""
BANDS: Final = 10
ALONE: Final = 0.5
"""A column of words in which more rows than this have unique values is treated as text."""
POINTED: Final = 8
"""Shorter cells equal an identifier by chance, and words without a digit or @ in them name places, too."""
_SPELLED: Final = 2
"""Shorter cells occur within a name or an address by chance."""


class ColumnCells(NamedTuple):
    """A column as text, empty cells null, and the person each row belongs to (None: each row another person)."""

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
    """Return a column of a table's rows, whose columns are named by index."""
    return ColumnCells(texts(frame, [index])[str(index)], units)


def pointing(column: ColumnCells, identifiers: Mapping[int, pl.Series]) -> tuple[int, ...]:
    """Return which identifiers, by index, contain a number or an e-mail address that is also a cell of this column.

    The two may be in different rows.
    """
    shown = column.texts.cast(pl.String).unique().implode()
    found = []
    for index, cells_ in identifiers.items():
        before = cells_.cast(pl.String)
        pointed = (before.str.len_chars() >= POINTED) & before.str.contains("[0-9@]")
        if before.filter(pointed).is_in(shown).any():
            found.append(index)
    return tuple(found)


def treat_rare_values(treatment: ColumnTreatment, column: ColumnCells, k: int) -> ColumnTreatment:
    """Decide the treatment of a kept column: it is kept only if at least k people share each of its values.

    Otherwise it becomes a quasi-identifier; a column that differs in every row and has no level between its values
    and "*" is dropped.
    """
    few = column.few(k)
    if not few:
        return treatment
    why = f"fewer than {k} people share some of its values: anyone who knows one of them finds the row"
    if few > ALONE and _hierarchy(treatment, column).levels == 2:
        return treatment.changed_to("dropped", f"{why}, and it can't be generalised")
    return treatment.changed_to("generalised", why)


def with_intervals(treatment: ColumnTreatment, column: ColumnCells, k: int) -> tuple[ColumnTreatment, pl.Series | None]:
    """Decide the treatment of a sensitive column, and return its new cells; None if they stay.

    An exact amount or moment is a fingerprint: it becomes the narrowest interval at which no more than `FEW` of the
    rows have one that fewer than k people share. Words stay, unless most are unique.
    """
    if column.few(k) <= FEW:
        return treatment, None
    hierarchy = _hierarchy(treatment, column)
    if hierarchy.levels == 2:
        if column.few(2) <= ALONE:
            return treatment, None
        return treatment.changed_to("dropped", "most of its values are unique, as in free text"), None
    for level in range(1, hierarchy.levels - 1):
        labels, loss = _at(hierarchy, level, column)
        if ColumnCells(labels, column.units).few(k) <= FEW:
            return treatment.changed_to(
                "sensitive", f"{treatment.why}; intervals replace exact values, which are fingerprints", loss
            ), labels
    return treatment.changed_to("dropped", "its exact values are fingerprints, and no intervals are wide enough"), None


class Banded(NamedTuple):
    """A column with bands instead of its values, its new cells, and their hierarchy."""

    treatment: ColumnTreatment
    bands: pl.Series
    hierarchy: Hierarchy


def with_bands(treatment: ColumnTreatment, hierarchy: Hierarchy, column: ColumnCells) -> Banded | None:
    """Replace a column's values by at most `BANDS` labels, with a hierarchy of the labels and "*".

    So it takes part in a search with only two levels. None if it has two already, or no level between its values and
    "*".
    """
    if treatment.coarsening_loss or hierarchy.levels == 2:
        return None
    level = next((n for n in range(hierarchy.levels - 1) if len(hierarchy.labels[n]) <= BANDS), hierarchy.levels - 2)
    if len(hierarchy.labels[level]) == 1:
        return None
    labels, loss = _at(hierarchy, level, column)
    done = "a few bands replace its values" if level else "its few values stay or are suppressed"
    treatment = treatment.changed_to(
        "generalised", f"{treatment.why}; {done}, as many columns are generalised together", loss
    )
    tree = Hierarchy.of(treatment.name, [(label, TOP) for label in hierarchy.labels[level]])
    return Banded(treatment, labels, tree)


def _at(hierarchy: Hierarchy, level: int, column: ColumnCells) -> tuple[pl.Series, float]:
    """Return a column's labels at a level, and their mean loss, in 0..1."""
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
    """Return why a column that would stay isn't independent of what is generalised or dropped.

    None if it is independent, as far as can be measured. others: the quasi-identifiers at their levels, by index.
    identifiers: the texts of dropped identifiers, by index. own: the column's texts.
    """
    of = column.codes, len(column.values)
    limit = EXPLAINS if treatment.action == "kept" else EXPLAINS_SENSITIVE
    explains = dependence.explains(of, others)
    if explains.share >= limit:
        return f"it reveals {_named(explains.columns, names)} ({explains.share:.0%} of the information)"
    if treatment.action == "sensitive":
        return None
    known = dependence.explained_by(of, others)
    if known.share >= limit:
        return (
            f"{_named(known.columns, names)} {'reveals' if len(known.columns) == 1 else 'reveal'} it "
            f"({known.share:.0%} of the information)"
        )
    for index, texts_ in identifiers.items():
        if _spelled(own, texts_) >= limit:
            return f"its cells are part of {names[index]}, or the other way round"
    return None


def explain_together(
    kept: Mapping[int, Coded], others: Mapping[int, Coarsened], names: Sequence[str]
) -> dict[int, str]:
    """Return which columns that would stay reveal a quasi-identifier together, and why, by index.

    None of them does so alone.
    """
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
                f"{_named(known.columns, names)} together reveal {names[index]} ({known.share:.0%} of the information)"
            )
            out |= {i: why for i in known.columns if i not in out}
    return out


def coarsened(hierarchy: Hierarchy, column: Coded) -> Coarsened:
    """Return a quasi-identifier's rows at each level of its hierarchy but the last."""
    leaves = hierarchy.codes(column.values)[column.codes]
    return Coarsened(
        tuple((g[leaves], len(n)) for g, n in zip(hierarchy.groups, hierarchy.labels, strict=True) if set(n) != {TOP})
    )


def _spelled(cells: pl.Series, identifiers: pl.Series) -> float:
    """Return the share of rows in which one cell contains the other, less the share expected for another row's cell."""
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
