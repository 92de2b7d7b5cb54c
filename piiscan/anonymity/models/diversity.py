"""l-diversity in its three forms, and (α,k)-anonymity: no class may disclose a sensitive value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.model import SLACK, Met, OneColumnModel, View
from piiscan.anonymity.models.shares import Floats, reduced, shares, starts_of


@dataclass(frozen=True, slots=True)
class DistinctLDiversity(OneColumnModel):
    """Distinct l-diversity: each class has at least l different sensitive values.

    Source: Machanavajjhala et al., TKDD 1(1), 2007, section 4.1, in its simplest form.

    Where units are counted, a class of fewer than l units never has it, however many values these have.

    Guarantee:
        Assumes: the attacker knows only the quasi-identifiers.
        Ensures: no person's sensitive value is certain: each class contains at least l values.
        Does not protect against: values that are far more frequent than the others, or values with much the same
        meaning.
    """

    column: int
    l: int  # noqa: E741 - the paper's own letter
    name: ClassVar[str] = "distinct l-diversity"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    for_units: ClassVar[bool] = True

    def meets(self, view: View) -> Met:
        met: Met = self.levels(view) >= self.l
        return met

    def value(self, view: View) -> float:
        return float(self.levels(view).min(initial=math.inf))

    def levels(self, view: View) -> Floats:
        """(classes,) the l of each class."""
        different = np.bincount(view.tallies[self.column].classes, minlength=len(view.classes.sizes))
        return np.minimum(different, view.classes.sizes).astype(np.float64)


@dataclass(frozen=True, slots=True)
class EntropyLDiversity(OneColumnModel):
    """Entropy l-diversity: the entropy of the sensitive values of each class is at least log l.

    Source: Machanavajjhala et al., 2007, definition 4.1.

    Monotone, since entropy is concave: the values of two classes together are a mixture, whose entropy is no less than
    the lesser one.

    Guarantee:
        Assumes: the attacker knows only the quasi-identifiers.
        Ensures: the values of each class are spread as widely as over l equally frequent ones.
        Does not protect against: one value with a high share beside many rare ones; values that mean much the same.
    """

    column: int
    l: float  # noqa: E741 - the paper's own letter
    name: ClassVar[str] = "entropy l-diversity"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    def meets(self, view: View) -> Met:
        met: Met = self.levels(view) >= self.l * (1 - SLACK)
        return met

    def value(self, view: View) -> float:
        return float(self.levels(view).min(initial=math.inf))

    def levels(self, view: View) -> Floats:
        """(classes,) the l of each class: e to the power of its entropy."""
        s = shares(view, self.column)
        put: Floats = np.exp(reduced(np.add, -s.inside * np.log(s.inside), s.starts))
        return put


@dataclass(frozen=True, slots=True)
class RecursiveCLDiversity(OneColumnModel):
    """Recursive (c,l)-diversity: r₁ < c·(r_l + … + r_m), where r₁ ≥ … ≥ r_m are the frequencies of a class's values.

    Source: Machanavajjhala et al., 2007, definition 4.2.

    Monotone, since what the l - 1 most frequent values of two classes take together is no more than what those of each
    take.

    Guarantee:
        Assumes: the attacker knows the quasi-identifiers, and can rule out up to l - 2 values.
        Ensures: the most frequent value is less than c times as frequent as all values together, except the l - 1
        most frequent ones.
        Does not protect against: values with much the same meaning.
    """

    column: int
    c: float
    l: int  # noqa: E741 - the paper's own letter
    name: ClassVar[str] = "recursive (c,l)-diversity"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    def meets(self, view: View) -> Met:
        most, tail = self._most_and_tail(view)
        met: Met = most < self.c * tail
        return met

    def value(self, view: View) -> float:
        """What c has to be above; infinite where a class has fewer than l values."""
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) what c has to be above."""
        most, tail = self._most_and_tail(view)
        put: Floats = np.divide(most, tail, out=np.full(len(most), math.inf), where=tail > 0)
        return put

    def _most_and_tail(self, view: View) -> tuple[Ints, Ints]:
        tally = view.tallies[self.column]
        order = np.lexsort((-tally.counts, tally.classes))
        counts, starts = tally.counts[order], starts_of(tally)
        rank = np.arange(len(counts)) - starts[tally.classes]
        tail = np.bincount(tally.classes, np.where(rank >= self.l - 1, counts, 0), len(starts))
        return counts[starts], tail.astype(np.int64)


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(OneColumnModel):
    """(α,k)-anonymity: each class has at least k rows, and no sensitive value a share above α of it.

    Source: Wong et al., KDD 2006, applied to every value.

    Where units are counted, shares are of a class's units: a unit with two values counts for both.

    Guarantee:
        Assumes: the attacker knows only the quasi-identifiers.
        Ensures: no sensitive value can be attributed to a person with a confidence above α.
        Does not protect against: what is learned when a share rises from low to just below α; values with much the
        same meaning.
    """

    column: int
    alpha: float
    k: int
    name: ClassVar[str] = "(alpha,k)-anonymity"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    def meets(self, view: View) -> Met:
        met: Met = (view.classes.sizes >= self.k) & (self.levels(view) <= self.alpha * (1 + SLACK))
        return met

    def value(self, view: View) -> float:
        """The α of the table; its k is that of k-anonymity."""
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) the highest share that a value has."""
        tally = view.tallies[self.column]
        return reduced(np.maximum, tally.counts / view.classes.sizes[tally.classes], starts_of(tally))
