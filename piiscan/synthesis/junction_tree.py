"""A distribution over many columns as tables over a few columns each, joined in a tree.

Neighbouring tables agree on the columns that they share. Sources: Lauritzen and Spiegelhalter 1988 (junction trees);
Jensen, Lauritzen and Olesen 1990 (one pass up and one down); Koller and Friedman 2009, chapters 9 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Scope = tuple[int, ...]
"""Columns by number, ascending."""


@dataclass(frozen=True)
class Tree:
    """A junction tree.

    `sizes`: codes of each column. `cliques`: columns whose table is kept together. `parents`: for each clique the
    index of its neighbour towards the root, which comes before it; −1 for the root, clique 0.
    """

    sizes: tuple[int, ...]
    cliques: tuple[Scope, ...]
    parents: tuple[int, ...]

    @cached_property
    def separators(self) -> tuple[Scope, ...]:
        """The columns that each clique shares with its parent; none for the root."""
        return (
            (),
            *(
                tuple(c for c in clique if c in self.cliques[p])
                for clique, p in zip(self.cliques[1:], self.parents[1:], strict=True)
            ),
        )

    def home(self, scope: Scope) -> int:
        """Return the smallest clique that contains all of `scope`. Raises KeyError if there is none."""
        if scope not in self._homes:
            holding = [i for i, clique in enumerate(self.cliques) if set(scope) <= set(clique)]
            if not holding:
                raise KeyError(scope)
            self._homes[scope] = min(holding, key=lambda i: _cells(self.sizes, self.cliques[i]))
        return self._homes[scope]

    @cached_property
    def _homes(self) -> dict[Scope, int]:
        return {}


def triangulated(sizes: Sequence[int], scopes: Iterable[Scope]) -> list[Scope]:
    """Return cliques such that each scope is within one, and that form a tree.

    Columns are eliminated one by one, the one with the smallest table of its neighbours first.
    """
    near = [{c} for c in range(len(sizes))]
    for scope in scopes:
        for column in scope:
            near[column].update(scope)
    cost = [(math.prod(sizes[o] for o in around), c) for c, around in enumerate(near)]
    cliques: list[set[int]] = []
    left = set(range(len(sizes)))
    while left:
        _, column = min(cost[c] for c in left)
        clique = near[column]
        if not any(clique <= other for other in cliques):
            cliques.append(clique)
        left.discard(column)
        for other in clique - {column}:
            added = clique - near[other]
            near[other] = (near[other] | added) - {column}
            cost[other] = (cost[other][0] // sizes[column] * math.prod(sizes[o] for o in added), other)
    return [tuple(sorted(clique)) for clique in cliques]


def components(columns: int, scopes: Iterable[Scope]) -> list[int]:
    """Return for each column a number that it shares with all columns it is connected to."""
    part = list(range(columns))
    for scope in scopes:
        joined = {part[c] for c in scope}
        part = [min(joined) if p in joined else p for p in part]
    return part


def cells(sizes: Sequence[int], cliques: Iterable[Scope]) -> float:
    """Return the number of cells of all tables together."""
    return sum(_cells(sizes, clique) for clique in cliques)


def tree(sizes: Sequence[int], scopes: Iterable[Scope]) -> Tree:
    """Build a tree in which each scope is within a clique. Columns in no scope stay alone."""
    left = triangulated(sizes, scopes)
    cliques, parents = [left.pop(0)], [-1]
    while left:
        _, parent, clique = max(
            (len(set(a) & set(b)), -i, -j) for i, a in enumerate(cliques) for j, b in enumerate(left)
        )
        cliques.append(left.pop(-clique))
        parents.append(-parent)
    return Tree(tuple(sizes), tuple(cliques), tuple(parents))


def beliefs(tree: Tree, factors: Mapping[Scope, Floats]) -> tuple[list[Floats], float]:
    """Return the table of each clique, adding up to 1, of the distribution proportional to the product of `factors`.

    Also returns the logarithm of the sum of that product. Each scope is within a clique.
    """
    tables = [np.ones([tree.sizes[c] for c in clique]) for clique in tree.cliques]
    for scope, factor in factors.items():
        home = tree.home(scope)
        tables[home] *= _spread(factor, scope, tree.cliques[home])
    log, up = 0.0, {}
    for i in range(len(tables) - 1, 0, -1):
        sent = summed(tables[i], tree.cliques[i], tree.separators[i])
        most = float(sent.max()) or 1.0
        up[i] = sent / most
        log += math.log(most)
        tables[tree.parents[i]] *= _spread(up[i], tree.separators[i], tree.cliques[tree.parents[i]])
    whole = float(tables[0].sum())
    tables[0] /= whole
    for i in range(1, len(tables)):
        message = summed(tables[tree.parents[i]], tree.cliques[tree.parents[i]], tree.separators[i])
        own = summed(tables[i], tree.cliques[i], tree.separators[i])
        tables[i] *= _spread(
            np.divide(message, own, out=np.zeros_like(message), where=own > 0), tree.separators[i], tree.cliques[i]
        )
    return tables, log + math.log(whole)


def marginal(tree: Tree, tables: Sequence[Floats], scope: Scope) -> Floats:
    """Return the table of a scope that is within a clique."""
    home = tree.home(scope)
    return summed(tables[home], tree.cliques[home], scope)


def pairs(tree: Tree, tables: Sequence[Floats]) -> dict[Scope, Floats]:
    """Return the table of every two columns."""
    found: dict[Scope, Floats] = {}
    given: dict[tuple[int, Scope, Scope], Floats] = {}

    def reached(a: int, i: int, shared: Scope, known: Floats, target: Scope) -> Floats:
        clique = tree.cliques[i]
        if a in clique:
            scope = tuple(sorted({a, *target}))
            return np.moveaxis(summed(tables[i], clique, scope), scope.index(a), 0)
        if (i, shared, target) not in given:
            given[i, shared, target] = _given(tables[i], clique, shared, target)
        return _joined(a, shared, known, target, given[i, shared, target])

    near: list[list[int]] = [
        [j for j, parent in enumerate(tree.parents) if parent == i] for i in range(len(tree.cliques))
    ]
    for i, parent in enumerate(tree.parents[1:], 1):
        near[i].append(parent)
    for a in range(len(tree.sizes)):
        start = next(i for i, clique in enumerate(tree.cliques) if a in clique)
        todo: list[tuple[int, int, Scope, Floats]] = [(start, -1, (), np.ones(tree.sizes[a]))]
        while todo:
            i, before, shared, known = todo.pop()
            for b in tree.cliques[i]:
                if b > a and (a, b) not in found:
                    found[a, b] = reached(a, i, shared, known, (b,))
            for j in near[i]:
                if j != before:
                    between = tree.separators[j if tree.parents[j] == i else i]
                    onwards = np.ones(tree.sizes[a]) if a in between else reached(a, i, shared, known, between)
                    todo.append((j, i, between, onwards))
    return found


def _given(table: Floats, clique: Scope, shared: Scope, target: Scope) -> Floats:
    """Return the chances of some columns of a clique given those that it shares with another; sorted by column."""
    scope = tuple(c for c in clique if c in shared or c in target)
    whole, given = summed(table, clique, scope), _spread(summed(table, clique, shared), shared, scope)
    return np.divide(whole, given, out=np.zeros_like(whole), where=given > 0)


def _joined(a: int, shared: Scope, known: Floats, target: Scope, chance: Floats) -> Floats:
    """Return the table of column `a` and `target`, from that of `a` and `shared`, and the chances given `shared`."""
    both, gone, new = (
        [c for c in target if c in shared],
        [c for c in shared if c not in target],
        [c for c in target if c not in shared],
    )
    left = known.transpose([(a, *shared).index(c) for c in (*both, a, *gone)])
    right = chance.transpose([sorted({*shared, *target}).index(c) for c in (*both, *gone, *new)])
    kept, added = left.shape[: len(both)], right.shape[len(both) + len(gone) :]
    # A product of matrices for each combination of the columns in both: einsum takes several times as long.
    found = left.reshape(math.prod(kept), known.shape[0], -1) @ right.reshape(math.prod(kept), -1, math.prod(added))
    return found.reshape(*kept, known.shape[0], *added).transpose([[*both, a, *new].index(c) for c in (a, *target)])


def summed(table: Floats, scope: Scope, kept: Scope) -> Floats:
    """Sum a table over `scope` over all but the columns `kept`."""
    return np.asarray(table.sum(axis=tuple(i for i, c in enumerate(scope) if c not in kept)))


def _spread(table: Floats, scope: Scope, over: Scope) -> Floats:
    """Return the table with an axis of length 1 for every column of `over` that it doesn't have."""
    sizes = dict(zip(scope, table.shape, strict=True))
    return table.reshape([sizes.get(c, 1) for c in over])


def _cells(sizes: Sequence[int], scope: Iterable[int]) -> float:
    return math.prod(float(sizes[c]) for c in scope)
