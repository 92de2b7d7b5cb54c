"""Privacy models: the conditions that every published equivalence class has to meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Protocol

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import Classes, Tally
from piiscan.anonymity.histogram import Ints

Met = npt.NDArray[np.bool_]


SLACK: Final = 1e-9
"""Relative room for rounding where a level is compared with what a model asks for: a class exactly at the limit
meets it."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A table's equivalence classes under some labels, as a model sees them.

    tallies: for each sensitive column its values class by class.
    population: (classes,) rows of each class in the population.
    reference: for a sensitive column, (values,) how often each value occurs in the table that classes are compared
    with.
    For a column without one, that is all rows in the tally: the whole input table, if the tally includes suppressed
    rows.
    """

    classes: Classes
    tallies: Mapping[int, Tally] = field(default_factory=dict)
    population: Ints | None = None
    reference: Mapping[int, Ints] = field(default_factory=dict)


class PrivacyModel(Protocol):
    """A condition on single classes.

    monotone: proven that the union of classes that meet it meets it too. Without suppression, a search may then
    conclude from one node of the lattice to all more general ones.
    absorbing: proven that the union of a class that meets it with any other class meets it. Then a search may draw
    that conclusion with suppression, too: generalising never adds to the rows that have to be suppressed.
    for_units: both are also proven when units are counted; a unit may occur in both classes and count once in their
    union.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool]
    absorbing: ClassVar[bool]
    for_units: ClassVar[bool]

    @property
    def columns(self) -> tuple[int, ...]:
        """The sensitive columns that the model looks at."""

    def meets(self, view: View) -> Met:
        """(classes,) which of them meet it."""

    def value(self, view: View) -> float:
        """The level that the worst class reaches, on the model's own scale."""


class OneColumnModel:
    """What models of one sensitive column have in common."""

    __slots__ = ()
    column: int

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Each class has k rows or more, or units where a unit was given (Samarati and Sweeney, 1998).

    Guarantee:
        Assumes: the attacker knows only the quasi-identifiers, and all of them were declared.
        Ensures: every record shares its labels with at least k - 1 others.
        Does not protect against: classes whose sensitive values are all the same (homogeneity), other background
        knowledge, other releases
            of the same people.
    """

    k: int
    name: ClassVar[str] = "k-anonymity"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    for_units: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[int, ...]:
        return ()

    def meets(self, view: View) -> Met:
        met: Met = view.classes.sizes >= self.k
        return met

    def value(self, view: View) -> float:
        return float(view.classes.sizes.min(initial=np.iinfo(np.int64).max))
