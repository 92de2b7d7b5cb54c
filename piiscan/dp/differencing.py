"""Releases that no ε covers, held against each other: what two of them share, and how they differ, may tell of
single people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from piiscan.dp.ledger import Exact, Ledger


class Difference(NamedTuple):
    """Two releases about the same columns that aren't the same release."""

    first: Exact
    second: Exact
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"compare {_name(self.first)} and {_name(self.second)} before both go out: "
            f"taking one from the other may tell of single people ({', '.join(self.columns)})"
        )


def differences(exact: Sequence[Exact]) -> tuple[Difference, ...]:
    """Every pair of releases that speaks of a common column, and differs in version, kind or columns: whoever is in one
    and not in the other may be told by taking one from the other, and groups that are large in each may be small in
    both together.

    A release made again in the very same way is no other one.
    """
    first_of = {_way(e): e for e in reversed(exact)}
    return tuple(
        Difference(a, b, shared)
        for a, b in combinations(sorted(first_of.values()), 2)
        if (shared := tuple(c for c in a.columns if c in b.columns))
    )


def register(ledger: Ledger, dataset: str, version: str, kind: str, columns: Sequence[str]) -> tuple[Difference, ...]:
    """Note a release that no ε covers, and give the pairs it makes with what was released before.

    To be called before the release is written: what can't be noted isn't released. Raises `UsageError` where the ledger
    can't be used.
    """
    ledger.register(dataset, version, kind, columns)
    way = (version, kind, tuple(columns))
    return tuple(d for d in differences(ledger.exact(dataset)) if way in (_way(d.first), _way(d.second)))


def _way(e: Exact) -> tuple[str, str, tuple[str, ...]]:
    return e.version, e.kind, e.columns


def _name(e: Exact) -> str:
    return f"{e.kind}, version {e.version}" if e.version else e.kind
