"""Draws rows from a distribution.

Everything drawn here was paid for before: it is chance applied to released figures alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.junction_tree import Scope

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats


def codes(sizes: Sequence[int], factors: Mapping[Scope, Floats], n: int, random: np.random.Generator) -> list[Ints]:
    """Draw `n` rows from the distribution proportional to the product of `factors`; return the codes of each column.

    Columns are drawn one after the other along the tree. Rows that agree in the columns before it get the codes of a
    column as often as the distribution says, to within one row: the tables of the sample are nearer to those of the
    distribution than with independent draws.
    """
    tree = t.tree(sizes, factors)
    tables, _ = t.beliefs(tree, factors)
    drawn: dict[int, Ints] = {}
    for clique, table in zip(tree.cliques, tables, strict=True):
        for column in clique:
            if column in drawn:
                continue
            before = tuple(c for c in clique if c in drawn)
            scope = tuple(sorted((*before, column)))
            chances = np.moveaxis(t.summed(table, clique, scope), scope.index(column), -1).reshape(-1, sizes[column])
            group = np.zeros(n, dtype=np.int64)
            for c in before:
                group = group * sizes[c] + drawn[c]
            drawn[column] = _shared_out(group, chances, random)
    return [drawn[c] for c in range(len(sizes))]


def within(drawn: Ints, groups: Ints, shares: Floats, random: np.random.Generator) -> Ints:
    """Return a code for each row, from its group: codes of a group by their shares, which add up to any positive sum.

    groups: the group of each code. Where each code is a group, nothing is drawn.
    """
    if groups[-1] == len(groups) - 1:
        return drawn
    return _shared_out(drawn, np.where(groups == np.arange(groups[-1] + 1)[:, None], shares, 0.0), random)


def _shared_out(group: Ints, chances: Floats, random: np.random.Generator) -> Ints:
    """Return a code for each row by the chances (weights) of its group.

    Codes are assigned at even steps from a random start, in a random order of the rows (systematic sampling, Madow
    1944).
    """
    ends = np.cumsum(chances, axis=1)
    ends /= ends[:, -1:].clip(min=np.finfo(float).tiny)
    mixed = random.permutation(len(group))
    order = mixed[np.argsort(group[mixed], kind="stable")]
    grouped, counts = group[order], np.bincount(group, minlength=len(chances))
    rank = np.arange(len(group)) - (np.cumsum(counts) - counts)[grouped]
    position = (rank + random.random(len(chances))[grouped]) / counts[grouped]
    flat = (ends + np.arange(len(chances))[:, None]).ravel()
    found = np.searchsorted(flat, grouped + position, side="right") - grouped * chances.shape[1]
    result: Ints = np.empty(len(group), dtype=np.int64)
    result[order] = np.minimum(found, chances.shape[1] - 1)
    return result
