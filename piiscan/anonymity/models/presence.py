"""δ-presence: what a class reveals about who is in the table, given a population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.model import SLACK, Met, View
from piiscan.anonymity.models.shares import Floats
from piiscan.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class DeltaPresence:
    """δ-presence: the share of each class's population that is in the table is between `low` and `high`.

    Source: Nergiz, Atzori and Clifton, SIGMOD 2007.

    Anyone in the population whose class has no row here is known not to be in the table: `low` applies only to
    classes with rows.
    Monotone: the share of two classes together lies between those of each.

    Guarantee:
        Assumes: the population contains everyone in the table, and the attacker has it.
        Ensures: an attacker can conclude that a person is in the table with a confidence of at most `high`.
        Does not protect against: what is learned about people who are known to be in it.
    """

    low: float
    high: float
    name: ClassVar[str] = "delta-presence"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    for_units: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[int, ...]:
        return ()

    def meets(self, view: View) -> Met:
        levels = self.levels(view)
        met: Met = (levels >= self.low * (1 - SLACK)) & (levels <= self.high * (1 + SLACK))
        return met

    def value(self, view: View) -> float:
        """The highest share of a class's population that is in the table, δ_max."""
        return float(self.levels(view).max(initial=0.0))

    def levels(self, view: View) -> Floats:
        """(classes,) the share of each class's population that is in the table.

        It is above 1 if the population doesn't contain the table.
        """
        population = _population(view)
        put: Floats = np.divide(
            view.classes.sizes, population, out=np.full(len(population), math.inf), where=population > 0
        )
        return put


def _population(view: View) -> Ints:
    if view.population is None:
        raise UsageError("δ-presence compares the table with a population; name one with --population")
    return view.population
