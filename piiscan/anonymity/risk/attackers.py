"""The risk that an attacker re-identifies single records, in the three standard attacker models.

Source: El Emam, Guide to the De-Identification of Personal Health Information, 2013, chapter 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.shares import Floats

THRESHOLDS: Final = (0.5, 0.33, 0.2, 0.09, 0.05)
"""Risk thresholds in common guidelines: classes of 2, 3, 5, 11 and 20."""


@dataclass(frozen=True, slots=True)
class Above:
    """How many records have a risk above a threshold, and their share of all."""

    threshold: float
    records: int
    share: float


@dataclass(frozen=True, slots=True)
class Risk:
    """The re-identification risk of a table's records: the highest, the mean, and how many exceed each threshold."""

    highest: float
    average: float
    above: tuple[Above, ...]


def prosecutor(sizes: Ints) -> Risk:
    """Prosecutor risk: the attacker knows that a person is in the table.

    The risk of each record is 1 / the size of its class. sizes: (classes,) records.
    """
    return spread(sizes, 1 / sizes)


def spread(sizes: Ints, risks: Floats) -> Risk:
    """Return the risks of classes as risks of their records. sizes, risks: (classes,)."""
    total = int(sizes.sum())
    if not total:
        return Risk(0.0, 0.0, tuple(Above(t, 0, 0.0) for t in THRESHOLDS))
    counts = [int(sizes[risks > t].sum()) for t in THRESHOLDS]
    above = tuple(Above(t, n, n / total) for t, n in zip(THRESHOLDS, counts, strict=True))
    return Risk(float(risks.max()), float((sizes * risks).sum() / total), above)


def journalist(sizes: Ints, population: Ints) -> Risk:
    """Journalist risk: the attacker doesn't know who is in the table, and wants to re-identify any person in it.

    The risk is 1 / the size of the class in the population. population: (classes,) of the same classes. The average is
    the greater of two: over the records, and over the population of their classes.
    """
    found = spread(sizes, 1 / np.maximum(population, 1))
    return Risk(found.highest, max(found.average, len(sizes) / max(1, int(population.sum()))), found.above)
