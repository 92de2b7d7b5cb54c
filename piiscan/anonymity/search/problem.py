"""The search problem: a histogram's entries as leaves of hierarchies, and the classes that labels form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import Classes, classes_of, counted, grouped, tally
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import Coded, Histogram, Ints
from piiscan.anonymity.models.model import Met, PrivacyModel, View
from piiscan.anonymity.search.lattice import Node


@dataclass(frozen=True, eq=False)
class Problem:
    """Distinct entries of a table, and the conditions its published classes have to meet.

    hierarchies: of the quasi-identifiers. leaves: for each of them (entries,) the leaf of each entry. rows: (entries,)
    how often it occurs.
    sensitive: by column, the values that models look at. unit: (entries,) the unit each entry belongs to.
    population: for each quasi-identifier the leaves of the population's entries, and `population_rows` how many rows
    each has.
    """

    hierarchies: tuple[Hierarchy, ...]
    leaves: tuple[Ints, ...]
    rows: Ints
    models: tuple[PrivacyModel, ...]
    sensitive: dict[int, Coded] = field(default_factory=dict)
    unit: Ints | None = None
    population: tuple[Ints, ...] = ()
    population_rows: Ints | None = None

    @classmethod
    def of(
        cls,
        histogram: Histogram,
        hierarchies: dict[int, Hierarchy],
        models: Sequence[PrivacyModel],
        unit: int | None = None,
        population: Histogram | None = None,
    ) -> Problem:
        """Build the problem from a table's histogram.

        The histogram is over its quasi-identifiers (the columns of `hierarchies`), sensitive columns and unit. Raises
        `UsageError` if a value is in no hierarchy.
        """
        histogram = histogram.sorted()
        return cls(
            tuple(hierarchies.values()),
            tuple(_leaves(histogram, i, h) for i, h in hierarchies.items()),
            histogram.rows,
            tuple(models),
            {i: histogram.coded(i) for i in sorted({i for model in models for i in model.columns})},
            None if unit is None else histogram.coded(unit).codes,
            () if population is None else tuple(_leaves(population, i, h) for i, h in hierarchies.items()),
            None if population is None else population.rows,
        )

    @cached_property
    def total(self) -> int:
        """Rows of the table."""
        return int(self.rows.sum())

    @cached_property
    def shape(self) -> Node:
        """How many levels each quasi-identifier has: the extent of the lattice."""
        return tuple(h.levels for h in self.hierarchies)

    @cached_property
    def top(self) -> Node:
        return tuple(levels - 1 for levels in self.shape)

    @cached_property
    def labels(self) -> tuple[tuple[Ints, ...], ...]:
        """For each quasi-identifier and level, (entries,) the label of each entry."""
        return tuple(
            tuple(groups[leaf] for groups in h.groups) for h, leaf in zip(self.hierarchies, self.leaves, strict=True)
        )

    @cached_property
    def losses(self) -> tuple[tuple[npt.NDArray[np.float64], ...], ...]:
        """For each quasi-identifier and level, (entries,) the loss of each entry's label, in 0..1."""
        return tuple(
            tuple(loss[label] for loss, label in zip(h.loss, labels, strict=True))
            for h, labels in zip(self.hierarchies, self.labels, strict=True)
        )

    def entry_loss(self, node: Node, entries: Ints | slice = slice(None)) -> npt.NDArray[np.float64]:
        """(entries,) the losses of their labels at a node, added up over the quasi-identifiers."""
        lost = np.zeros(len(self.rows[entries]))
        for losses, level in zip(self.losses, node, strict=True):
            if level:
                lost += losses[level][entries]
        return lost

    def classes(self, node: Node, entries: Ints | slice = slice(None)) -> Classes:
        """The classes that some entries make at a node."""
        return classes_of(
            [labels[level][entries] for labels, level in zip(self.labels, node, strict=True)],
            [len(h.labels[level]) for h, level in zip(self.hierarchies, node, strict=True)],
            self.rows[entries],
            None if self.unit is None else self.unit[entries],
        )

    def sizes(self, of: Ints, number: int, entries: Ints) -> Ints:
        """(number,) sizes of classes that are known already: `of` says which one each of some entries belongs to."""
        return counted(of, number, self.rows[entries], None if self.unit is None else self.unit[entries])

    def view(self, node: Node, classes: Classes, entries: Ints | slice = slice(None)) -> View:
        """Those classes as models see them."""
        unit = None if self.unit is None else self.unit[entries]
        tallies = {
            i: tally(classes, c.codes[entries], len(c.values), self.rows[entries], unit)
            for i, c in self.sensitive.items()
        }
        return View(classes, tallies, self._population(node, classes, entries), self.reference)

    def published(self, levels: Ints, kept: Met) -> View:
        """Return the classes of entries that are published at levels of their own.

        levels: (entries, quasi-identifiers); kept: (entries,).
        """
        entries = np.flatnonzero(kept)
        labels = [np.stack(each)[level, entries] for each, level in zip(self._named, levels[entries].T, strict=True)]
        of, number = grouped(labels, [sum(len(names) for names in h.labels) for h in self.hierarchies])
        classes = Classes(of, self.sizes(of, number, entries))
        unit = None if self.unit is None else self.unit[entries]
        tallies = {
            i: tally(classes, c.codes[entries], len(c.values), self.rows[entries], unit)
            for i, c in self.sensitive.items()
        }
        population = None
        if self.population_rows is not None:
            population = np.zeros(number, np.int64)
            for node in {tuple(int(i) for i in level) for level in np.unique(levels[entries], axis=0)}:
                here = (levels[entries] == node).all(axis=1)
                counts = self._population(node, Classes(of[here], classes.sizes), entries[here])
                assert counts is not None
                population[of[here]] = counts[of[here]]
        return View(classes, tallies, population, self.reference)

    @cached_property
    def _named(self) -> tuple[tuple[Ints, ...], ...]:
        """As `labels`, but labels of equal text have equal numbers, whatever their levels."""
        out = []
        for hierarchy, leaves in zip(self.hierarchies, self.leaves, strict=True):
            numbers: dict[str | None, int] = {}
            out.append(
                tuple(
                    np.array([numbers.setdefault(n, len(numbers)) for n in names])[g][leaves]
                    for names, g in zip(hierarchy.labels, hierarchy.groups, strict=True)
                )
            )
        return tuple(out)

    def met(self, view: View) -> Met:
        """(classes,) which of them meet every model."""
        met = np.ones(len(view.classes.sizes), bool)
        for model in self.models:
            met &= model.meets(view)
        return met

    @cached_property
    def reference(self) -> dict[int, Ints]:
        """For each sensitive column (values,) how often each value occurs in the whole table, with suppressed rows."""
        whole = np.zeros(len(self.rows), np.int64)
        out = {}
        for i, coded in self.sensitive.items():
            counts = tally(
                Classes(whole, self.sizes(whole, 1, np.arange(len(whole)))),
                coded.codes,
                len(coded.values),
                self.rows,
                self.unit,
            )
            out[i] = np.bincount(counts.codes, weights=counts.counts, minlength=counts.values).astype(np.int64)
        return out

    def _population(self, node: Node, classes: Classes, entries: Ints | slice) -> Ints | None:
        """(classes,) rows of the population with each class's labels."""
        if self.population_rows is None:
            return None
        number = len(classes.sizes)
        sizes = [len(h.labels[level]) for h, level in zip(self.hierarchies, node, strict=True)]
        ours = [labels[level][entries] for labels, level in zip(self.labels, node, strict=True)]
        theirs = [h.groups[level][leaf] for h, level, leaf in zip(self.hierarchies, node, self.population, strict=True)]
        both = [np.concatenate([a, b]) for a, b in zip(ours, theirs, strict=True)]
        together = classes_of(both, sizes, np.concatenate([np.zeros(len(classes.of), np.int64), self.population_rows]))
        counts = np.zeros(number, np.int64)
        counts[classes.of] = together.sizes[together.of[: len(classes.of)]]
        return counts


def _leaves(histogram: Histogram, column: int, hierarchy: Hierarchy) -> Ints:
    coded = histogram.coded(column)
    leaves: Ints = hierarchy.codes(coded.values)[coded.codes]
    return leaves
