"""How a sensitive column's values are distributed in each class, compared with the whole table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.classes import Tally
from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.model import View

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Parallel arrays over the entries of a tally, and its classes.

    inside: (entries,) the share of the entry's value within its class. overall: (entries,) the same in
    the whole table.
    whole: (values,) share of each value in the whole table. starts: (classes,) where each class's entries begin.
    """

    tally: Tally
    inside: Floats
    overall: Floats
    whole: Floats
    starts: Ints


def shares(view: View, column: int) -> Shares:
    """Return the shares of a sensitive column's values.

    Every class has at least one entry: an empty cell is a value, too.
    """
    tally = view.tallies[column]
    starts = starts_of(tally)
    counts = tally.counts.astype(np.float64)
    totals = reduced(np.add, counts, starts)
    reference = view.reference.get(column)
    table = (
        np.bincount(tally.codes, weights=counts, minlength=tally.values)
        if reference is None
        else reference.astype(np.float64)
    )
    whole = table / max(1.0, table.sum())
    return Shares(tally, counts / totals[tally.classes], whole[tally.codes], whole, starts)


def starts_of(tally: Tally) -> Ints:
    """(classes,) where the entries of each class begin in a tally."""
    return np.flatnonzero(np.diff(tally.classes, prepend=-1))


def reduced(how: np.ufunc, entries: Floats, starts: Ints) -> Floats:
    """(classes,) the entries of each class put together by `how`, such as `np.add`."""
    put: Floats = how.reduceat(entries, starts) if len(starts) else np.zeros(0)
    return put
