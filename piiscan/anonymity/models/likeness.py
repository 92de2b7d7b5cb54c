"""β-likeness and δ-disclosure privacy.

No sensitive value's share in a class is many times its share in the whole table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from piiscan.anonymity.models.model import SLACK, Met, OneColumnModel, View
from piiscan.anonymity.models.shares import Floats, reduced, shares


@dataclass(frozen=True, slots=True)
class BasicBetaLikeness(OneColumnModel):
    """Basic β-likeness: (q - p) / p ≤ β for every value, where p is its share in the whole table and q in the class.

    Source: Cao and Karras, PVLDB 5(11), 2012, definition 2.

    Monotone, since q of two classes together lies between those of each.

    Guarantee:
        Assumes: the distribution of values over the whole table is not secret.
        Ensures: no value is more than 1 + β times as frequent in a class as in the table, the rarest included.
        Does not protect against: what is learned from a value that a class lacks; frequent values, whose share may
            reach 1.
    """

    column: int
    beta: float
    name: ClassVar[str] = "basic beta-likeness"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    def meets(self, view: View) -> Met:
        met: Met = self.levels(view) <= self.beta * (1 + SLACK) + SLACK
        return met

    def value(self, view: View) -> float:
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) the greatest relative gain of a value."""
        s = shares(view, self.column)
        return np.maximum(reduced(np.maximum, s.inside / s.overall - 1, s.starts), 0.0)


@dataclass(frozen=True, slots=True)
class EnhancedBetaLikeness(OneColumnModel):
    """(q - p) / p ≤ min(β, -ln p) for every value (Cao and Karras, 2012, definition 3).

    Monotone, as the basic form is: each value has a limit of its own.

    Guarantee:
        Assumes: the distribution of values over the whole table is not secret.
        Ensures: what basic β-likeness does, and a smaller gain for frequent values: none reaches certainty.
        Does not protect against: what is learned from a value that a class lacks.
    """

    column: int
    beta: float
    name: ClassVar[str] = "enhanced beta-likeness"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    def meets(self, view: View) -> Met:
        met: Met = self.levels(view) <= self.beta * (1 + SLACK) + SLACK
        return met

    def value(self, view: View) -> float:
        """The least β for which the table meets the model.

        It is infinite if a value gains more than -ln p, which no β allows.
        """
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) the least β that each has."""
        s = shares(view, self.column)
        gain = s.inside / s.overall - 1
        allowed = gain <= -np.log(s.overall) * (1 + SLACK) + SLACK
        return np.maximum(reduced(np.maximum, np.where(allowed, gain, math.inf), s.starts), 0.0)


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(OneColumnModel):
    """|ln(q / p)| < δ for every value of the table (Brickell and Shmatikov, KDD 2008, definition 4).

    Monotone, since q of two classes together lies between those of each. A class that lacks a value of the table has
    no δ.

    Guarantee:
        Assumes: the distribution of values over the whole table is not secret.
        Ensures: no value is e^δ times as frequent, or as rare, in a class as in the table.
        Does not protect against: what the whole table itself reveals.
    """

    column: int
    delta: float
    name: ClassVar[str] = "delta-disclosure privacy"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    def meets(self, view: View) -> Met:
        met: Met = self.levels(view) < self.delta
        return met

    def value(self, view: View) -> float:
        """The value that δ has to exceed; infinite if a class lacks a value."""
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) the value that δ has to exceed."""
        s = shares(view, self.column)
        greatest = reduced(np.maximum, np.abs(np.log(s.inside / s.overall)), s.starts)
        return np.where(np.bincount(s.tally.classes) < np.count_nonzero(s.whole), math.inf, greatest)
