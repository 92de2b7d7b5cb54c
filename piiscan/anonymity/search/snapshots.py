"""Counts classes at one node of the lattice after the other, each time from as few entries as possible."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.search.lattice import Node
from piiscan.anonymity.search.problem import Problem

_KEPT: Final = 64
_WORTH: Final = 0.6
"""A node's classes are kept to count later nodes from, if there are no more of them than this share of what they
were counted from."""
_DENSE: Final = 1 << 19


class _Snapshot(NamedTuple):
    """A node's classes: an entry of each, and how many rows it has."""

    node: Node
    entries: Ints | None
    rows: Ints


class Snapshots:
    """Sizes of classes, in rows, at any node.

    Roll-up: a node's classes are made of those of any node below (El Emam et al., 2009).
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._kept: list[_Snapshot] = []
        self._times = -1
        self._nodes = np.full((_KEPT + 1, len(problem.shape)), np.iinfo(np.int64).max)
        self._lengths = np.zeros(_KEPT + 1, np.int64)
        self._keep(_Snapshot((0,) * len(problem.shape), None, problem.rows))
        self._sizes = [[len(names) for names in h.labels] for h in problem.hierarchies]

    def sizes(self, node: Node) -> Ints:
        """(classes,) rows of each class at a node, in no particular order."""
        there = np.flatnonzero((self._nodes <= node).all(axis=1))
        below = self._kept[there[self._lengths[there].argmin()]]
        key, span = np.zeros(len(below.rows), np.int64), 1
        for labels, sizes, level in zip(self._problem.labels, self._sizes, node, strict=True):
            size = sizes[level]
            if size < 2:
                continue
            if span * size >= 1 << 62:
                _, key = np.unique(key, return_inverse=True)
                span = len(below.rows)
            codes = labels[level] if below.entries is None else labels[level][below.entries]
            key = key * size + codes
            span *= size
        first, rows = _dense(key, span, below.rows) if span <= _DENSE else _sparse(key, below.rows)
        if len(rows) <= _WORTH * len(below.rows):
            self._keep(_Snapshot(node, first if below.entries is None else below.entries[first], rows))
        return rows

    def _keep(self, snapshot: _Snapshot) -> None:
        """Store it in place of the oldest one, but keep the first, from which any node can be counted."""
        slot = self._times % _KEPT + 1 if self._times >= 0 else 0
        self._times += 1
        self._kept[slot : slot + 1] = [snapshot]
        self._nodes[slot], self._lengths[slot] = snapshot.node, len(snapshot.rows)


def _dense(key: Ints, span: int, rows: Ints) -> tuple[Ints, Ints]:
    sums = np.bincount(key, weights=rows, minlength=span)
    first = np.zeros(span, np.int64)
    first[key] = np.arange(len(key))
    there = sums > 0
    return first[there], sums[there].astype(np.int64)


def _sparse(key: Ints, rows: Ints) -> tuple[Ints, Ints]:
    order = np.argsort(key)
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return order[starts], np.add.reduceat(rows[order], starts)
