"""How far one row moves a query on one table: what differential privacy is about, seen on an example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from piiscan.core.errors import UsageError

Row = TypeVar("Row")


def empirical_sensitivity(query: Callable[[list[Row]], Any], rows: Sequence[Row]) -> float:
    """The largest distance between a query's answer on `rows` and its answer on a neighbour, `rows` without one of
    them.

    `query` gives a number or several (then distances are sums of absolute differences, the L1 norm); it is asked once
    more than there are rows. Raises `UsageError` where there is no row.

    To teach with and to test with. **Never scale noise by it.** It is the sensitivity at this one table, and a lower
    bound of the one that noise needs, which is the largest over all tables there could be; and being read from the
    data, it tells of them itself.

    >>> def mean(rows):
    ...     return sum(rows) / len(rows)
    >>> empirical_sensitivity(mean, [1] + [0] * 19)  # five times the 1/100 that is sometimes taken for it
    0.05
    >>> round(empirical_sensitivity(mean, [0, 1] * 10), 4)  # less at another table: a lower bound
    0.0263
    """
    if not len(rows):
        raise UsageError("a neighbour is the table without one row, so there must be one")
    every = list(rows)
    answer = query(every)
    return max(_apart(answer, query(every[:i] + every[i + 1 :])) for i in range(len(every)))


def _apart(a: Any, b: Any) -> float:
    import numpy as np

    return float(np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).sum())
