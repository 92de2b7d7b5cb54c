"""The effect of one row on a query of one table, to illustrate differential privacy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from piiscan.core.errors import UsageError

Row = TypeVar("Row")


def empirical_sensitivity(query: Callable[[list[Row]], Any], rows: Sequence[Row]) -> float:
    """Return the largest change of a query's answer when one row is removed from `rows`.

    query: returns a number or several (then distances are sums of absolute differences, the L1 norm); it is called
    once more than there are rows. Raises `UsageError` if there is no row.

    For teaching and testing. **Never scale noise by it.** It is the sensitivity at this one table, and only a lower
    bound of the one that noise needs, which is the largest over all possible tables; and since it is computed from
    the data, it discloses information about them itself.

    >>> def mean(rows):
    ...     return sum(rows) / len(rows)
    >>> empirical_sensitivity(mean, [1] + [0] * 19)  # five times the 1/100 that is sometimes assumed
    0.05
    >>> round(empirical_sensitivity(mean, [0, 1] * 10), 4)  # less at another table: a lower bound
    0.0263
    """
    if not len(rows):
        raise UsageError("the table has no rows; a neighbouring table has one row less, so there must be one")
    every = list(rows)
    answer = query(every)
    return max(_apart(answer, query(every[:i] + every[i + 1 :])) for i in range(len(every)))


def _apart(a: Any, b: Any) -> float:
    import numpy as np

    return float(np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).sum())
