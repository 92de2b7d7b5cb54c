"""Releases that no ε covers, held against each other: what two of them share, and how they differ, may tell of single people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from piiscan.dp.ledger import Exact


class Difference(NamedTuple):
    """Two releases about the same columns that aren't the same release."""

    first: Exact
    second: Exact
    columns: tuple[str, ...]


def differences(exact: Sequence[Exact]) -> tuple[Difference, ...]:
    """Every pair of releases that speaks of a common column, and differs in version, kind or columns: whoever is in one and not in the
    other may be told by taking one from the other, and groups that are large in each may be small in both together.

    A release made again in the very same way is no other one.
    """
    return tuple(
        Difference(a, b, shared)
        for a, b in combinations(exact, 2)
        if (shared := tuple(c for c in a.columns if c in b.columns)) and (a.version, a.kind, a.columns) != (b.version, b.kind, b.columns)
    )
