"""Compares releases that no ε covers: their differences may disclose single people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from piiscan.dp.ledger import Exact, Ledger


class Difference(NamedTuple):
    """Two different releases about the same columns."""

    first: Exact
    second: Exact
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"compare {_name(self.first)} and {_name(self.second)} before both are published: the difference "
            f"between them may disclose single people ({', '.join(self.columns)})"
        )


def differences(exact: Sequence[Exact]) -> tuple[Difference, ...]:
    """Return every pair of releases that share a column and differ in version, kind or columns.

    A person who is in one release and not in the other may be disclosed by subtracting one from the other, and groups
    that are large in each may be small in their intersection. A release repeated in exactly the same way doesn't count
    as another.
    """
    first_of = {_way(e): e for e in reversed(exact)}
    return tuple(
        Difference(a, b, shared)
        for a, b in combinations(sorted(first_of.values()), 2)
        if (shared := tuple(c for c in a.columns if c in b.columns))
    )


def register(ledger: Ledger, dataset: str, version: str, kind: str, columns: Sequence[str]) -> tuple[Difference, ...]:
    """Record a release that no ε covers, and return the pairs that it forms with earlier releases.

    Call it before the release is written: a release that can't be recorded must not be published. Raises `UsageError`
    if the ledger can't be used.
    """
    ledger.register(dataset, version, kind, columns)
    way = (version, kind, tuple(columns))
    return tuple(d for d in differences(ledger.exact(dataset)) if way in (_way(d.first), _way(d.second)))


def _way(e: Exact) -> tuple[str, str, tuple[str, ...]]:
    return e.version, e.kind, e.columns


def _name(e: Exact) -> str:
    return f"{e.kind}, version {e.version}" if e.version else e.kind
