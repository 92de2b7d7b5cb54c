"""Fits the distribution of some columns given others that is closest to noisy tables of both.

What is given comes as rows, so however many columns are given and however they depend on each other, the distribution
is of the drawn columns alone: for row r it is p(x | r) ∝ p₀(x) Π exp θ(x, r), and the fit minimises
Σ w_r log Z_r − θ · y + λ Σ σ² θ² / 2, the dual of the fit of `fit_distribution` for each row. Sources: those of
`fit_distribution`; Lafferty, McCallum and Pereira 2001 (distributions given rows).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.synthesis import fit_distribution as f
from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.constrained_rows import factor_of
from piiscan.synthesis.fit_distribution import Point, Table
from piiscan.synthesis.junction_tree import Scope, Tree

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats

    Bools = npt.NDArray[np.bool_]

ROWS: Final = 2000
"""Made-up rows by which a distribution is fitted, at most."""
CELLS: Final = 2000
"""The largest number of cells of the tables of drawn columns."""
_STEPS: Final = 12
_LEAST_NOISE: Final = 1e-3
"""Tables with less noise than this part of all rows are fitted as if they had so much: made-up parents are no nearer to
the real ones.
"""
_CERTAIN: Final = 2.0
"""Below so many standard deviations of its noise, the number of rows with a given code is taken for noise alone."""
NEVER: Final = -1e6
"""A logarithm of nothing."""


class ConditionalFit:
    """A distribution of drawn columns given the others, and noisy tables that it is fitted to.

    `theta`: for each table the logarithms of its factor. `start`: the shares of each drawn column, p₀.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        rows: float,
        start: Mapping[Scope, Floats],
        given: Mapping[int, Ints],
        weights: Floats,
        possible: Mapping[Scope, Bools] | None = None,
    ) -> None:
        """Begin with p₀. `rows`: how many there are. `given`, `weights`: codes of made-up rows by column, and weights.

        Counts by given columns are of all made-up rows; the distribution is fitted by some of them. `possible`: which
        codes of two columns can occur together; pairs for which there is no room are left out.
        """
        self.sizes = tuple(sizes)
        self.rows = rows
        self.start = dict(start)
        self.theta: dict[Scope, Floats] = {}
        self.tables: list[Table] = []
        self.drawn = tuple(c for c in range(len(sizes)) if c not in given)
        if not len(weights):  # nothing is given: everything is drawn as if it were for one row
            given, weights = {c: np.zeros(1, dtype=np.int64) for c in given}, np.ones(1)
        chosen = np.unique(np.linspace(0, len(weights) - 1, ROWS).astype(np.int64))
        self.given = {c: codes[chosen] for c, codes in given.items()}
        self.weights = rows * weights[chosen] / weights[chosen].sum()
        # How much more of each given code there is among all rows than among the chosen ones.
        self.more = {c: self._more(codes, weights, c) for c, codes in given.items()}
        self.possible: dict[Scope, Bools] = {}
        for pair, table in sorted((possible or {}).items()):
            if self.fits(pair):
                self.possible[pair] = table
        self.tree = self._tree(())

    def _more(self, codes: Ints, weights: Floats, column: int) -> Floats:
        size = self.sizes[column]
        every = self.rows * np.bincount(codes, weights=weights, minlength=size) / weights.sum()
        some = np.bincount(self.given[column], weights=self.weights, minlength=size)
        made: Floats = np.where(some > 0, every / np.where(some > 0, some, 1.0), 1.0)
        return made

    def add(self, table: Table, steps: int = _STEPS) -> None:
        """Fit to one more table, starting from where the fit is."""
        self.tables.append(table)
        self.theta[table.scope] = np.zeros(table.counts.shape)
        self.tree = self._tree([table.scope for table in self.tables])
        self.fit(steps)

    def fits(self, pair: Scope) -> bool:
        """Return whether a table of two columns keeps the distribution small enough."""
        tree = self._tree([*(table.scope for table in self.tables), pair])
        return any(c in self.given for c in pair) or t.cells(tree.sizes, tree.cliques) <= CELLS

    def fit(self, steps: int = f.STEPS) -> None:
        """Fit to all tables."""
        scopes, shapes = [table.scope for table in self.tables], [table.counts.shape for table in self.tables]
        ends = np.cumsum([table.counts.size for table in self.tables])[:-1]
        parts = [self._target(table) for table in self.tables]
        targets, sigma, fitted = (np.concatenate([part[i].ravel() for part in parts]) for i in range(3))
        slack = f.LENIENCE * sigma**2

        def dual(theta: Floats) -> Point:
            cut = np.split(theta, ends)
            found = {scope: part.reshape(shape) for scope, part, shape in zip(scopes, cut, shapes, strict=True)}
            tables, log = self._beliefs(self.tree, found)
            expected = np.concatenate([self._expected(self.tree, tables, scope).ravel() for scope in scopes])
            value = float(self.weights @ log) - float(theta @ targets) + float(np.sum(slack * theta**2)) / 2
            gradient = np.where(fitted, expected - targets + slack * theta, 0.0)
            return Point(theta, value, gradient, 1 / (np.maximum(expected, 1.0) + slack))

        first = np.concatenate([self.theta[scope].ravel() for scope in scopes])
        done = np.split(f.minimised(dual, first, len(scopes), steps), ends)
        self.theta = {scope: part.reshape(shape) for scope, part, shape in zip(scopes, done, shapes, strict=True)}

    def logs(self) -> dict[Scope, Floats]:
        """Return the logarithms of the factors, with a largest one of 0 for each given code."""
        found: dict[Scope, Floats] = {}
        for scope, theta in self.theta.items():
            whole = theta + _log(self.start[scope]) if len(scope) == 1 else theta
            drawn = tuple(axis for axis, c in enumerate(scope) if c not in self.given)
            found[scope] = whole - whole.max(axis=drawn, keepdims=True)
        return found

    def expected(self, pairs: Sequence[Scope]) -> dict[Scope, Floats]:
        """Return the tables of two columns, one of which is drawn, that the distribution predicts for all rows."""
        tables, _ = self._beliefs(self.tree, self.theta)
        found: dict[Scope, Floats] = {}
        for pair in pairs:
            given = [c for c in pair if c in self.given]
            if given:
                shape = [self.sizes[c] if c in given else 1 for c in pair]
                found[pair] = self._expected(self.tree, tables, pair) * self.more[given[0]].reshape(shape)
            else:
                tree = self._tree([*(table.scope for table in self.tables), pair])
                found[pair] = self._expected(tree, self._beliefs(tree, self.theta)[0], pair)
        return found

    def _target(self, table: Table) -> tuple[Floats, Floats, Bools]:
        """Return a table's counts as they would be among the chosen rows, their noise, and which cells are fitted.

        Counts with a given code are scaled to how many rows have it: a distribution given rows can't meet any other
        sum. Codes of which the table counts no more than noise say nothing, and neither do cells that p₀ rules out.
        """
        there = f.possible(self.start, table.scope) & self.possible.get(table.scope, True)
        counts = np.where(there, table.counts, 0.0)
        sigma = np.maximum(np.broadcast_to(table.sigma, counts.shape), _LEAST_NOISE * self.rows)
        given = [axis for axis, c in enumerate(table.scope) if c in self.given]
        if not given:
            return counts * (self.rows / max(1.0, counts.sum())), sigma, there
        axis, column = given[0], table.scope[given[0]]
        drawn = tuple(i for i in range(counts.ndim) if i != axis)
        some = np.bincount(self.given[column], weights=self.weights, minlength=self.sizes[column])
        sums = counts.sum(axis=drawn)
        noise = np.sqrt(np.where(there, np.broadcast_to(table.sigma, counts.shape) ** 2, 0.0).sum(axis=drawn))
        told = (some > 0) & (sums > _CERTAIN * noise)
        scale = np.where(told, some / np.where(told, sums, 1.0), 0.0)
        shape = [-1 if i == axis else 1 for i in range(counts.ndim)]
        return counts * scale.reshape(shape), sigma * scale.reshape(shape), there & told.reshape(shape)

    def _tree(self, scopes: Sequence[Scope]) -> Tree:
        """Return a tree of the drawn columns, by their index among them."""
        inner = {c: i for i, c in enumerate(self.drawn)}
        sizes = [self.sizes[c] for c in self.drawn]
        every = [*scopes, *self.possible]
        return t.tree(sizes, [tuple(inner[c] for c in scope if c in inner) for scope in every])

    def _beliefs(self, tree: Tree, theta: Mapping[Scope, Floats]) -> tuple[list[Floats], Floats]:
        """Return the table of each clique for each row, (rows or 1, …), and the logarithm of Z of each row."""
        alone = [_log(self.start[(c,)])[None] for c in self.drawn]
        tables: list[Floats] = [np.ones((1, *(tree.sizes[c] for c in clique))) for clique in tree.cliques]
        log = np.zeros(len(self.weights))
        impossible = {scope: np.log(factor_of(table)) for scope, table in self.possible.items()}
        for scope in {**theta, **impossible}:
            own = np.asarray(theta.get(scope, 0.0) + impossible.get(scope, 0.0))
            inner = [i for i, c in enumerate(self.drawn) if c in scope]
            if len(inner) == 1:
                given = [(axis, c) for axis, c in enumerate(scope) if c in self.given]
                moved = np.moveaxis(own, [axis for axis, _ in given], range(len(given)))
                alone[inner[0]] = alone[inner[0]] + moved[tuple(self.given[c] for _, c in given)].reshape(
                    -1, tree.sizes[inner[0]]
                )
            else:
                most = float(own.max())
                log += most
                _multiply(tree, tables, tuple(inner), np.exp(np.maximum(own - most, -f.FARTHEST))[None])
        for i, own in enumerate(alone):
            most = own.max(axis=1, keepdims=True)
            log += most[:, 0]
            _multiply(tree, tables, (i,), np.exp(np.maximum(own - most, -f.FARTHEST)))
        for i in range(len(tables) - 1, 0, -1):
            sent = _kept(tables[i], tree.cliques[i], tree.separators[i])
            most = sent.reshape(len(sent), -1).max(axis=1)
            log += np.log(most)
            _multiply(
                tree, tables, tree.separators[i], sent / most.reshape(-1, *[1] * (sent.ndim - 1)), tree.parents[i]
            )
        for i, clique in enumerate(tree.cliques):
            separator = tree.separators[i] if i else ()
            own = _kept(tables[i], clique, separator)
            above = _kept(tables[tree.parents[i]], tree.cliques[tree.parents[i]], separator) if i else np.ones(1)
            log = log + np.log(own) if not i else log
            ratio = np.divide(above, own, out=np.zeros(np.broadcast_shapes(above.shape, own.shape)), where=own > 0)
            _multiply(tree, tables, separator, ratio, i)
        return tables, log

    def _expected(self, tree: Tree, tables: Sequence[Floats], scope: Scope) -> Floats:
        """Return the table of a scope, the drawn columns of which are within a clique, over the chosen rows."""
        inner = tuple(i for i, c in enumerate(self.drawn) if c in scope)
        home = tree.home(inner)
        own = _kept(tables[home], tree.cliques[home], inner)
        own = np.broadcast_to(own, (len(self.weights), *own.shape[1:]))
        given = [c for c in scope if c in self.given]
        if not given:
            return np.tensordot(self.weights, own, 1)
        (c,), (d,) = given, inner
        place = self.given[c] * self.sizes[self.drawn[d]]
        cells = self.sizes[c] * self.sizes[self.drawn[d]]
        each = (place[:, None] + np.arange(self.sizes[self.drawn[d]])).ravel()
        counts = np.bincount(each, weights=(self.weights[:, None] * own).ravel(), minlength=cells)
        table: Floats = np.asarray(counts, dtype=np.float64).reshape(self.sizes[c], self.sizes[self.drawn[d]])
        return table if scope[0] == c else table.T


def _multiply(tree: Tree, tables: list[Floats], scope: Scope, factor: Floats, home: int | None = None) -> None:
    """Multiply the table of a clique by a factor; both are (rows or 1, …)."""
    home = tree.home(scope) if home is None else home
    shape = [tree.sizes[c] if c in scope else 1 for c in tree.cliques[home]]
    tables[home] = tables[home] * factor.reshape(len(factor), *shape)


def _kept(table: Floats, clique: Scope, scope: Scope) -> Floats:
    """Sum the tables of a clique over all but the columns of `scope`, for each row."""
    made: Floats = table.sum(axis=tuple(1 + i for i, c in enumerate(clique) if c not in scope))
    return made


def _log(shares: Floats) -> Floats:
    made: Floats = np.where(shares > 0, np.log(np.where(shares > 0, shares, 1.0)), NEVER)
    return made
