"""From the rows of a table that count to its model: noisy tables, and the distribution that is closest to them.

What is known of parents is given: it comes from rows that were drawn from the model of their table, so tables of given
columns alone cost nothing. Noise is drawn only here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.dp import noise
from piiscan.dp.noise import Share
from piiscan.synthesis import code_groups
from piiscan.synthesis import fit_distribution as f
from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.code_groups import CodeGroups
from piiscan.synthesis.fit_distribution import Fit, Table
from piiscan.synthesis.junction_tree import Scope
from piiscan.synthesis.linked.contributions import WHOLE
from piiscan.synthesis.linked.plans import ChildPlan
from piiscan.synthesis.measurement_plan import deviation
from piiscan.synthesis.measuring import FittedModel, Measured, candidates, score

if TYPE_CHECKING:
    from collections.abc import Callable

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats

_TOLERATED: Final = 0.05
"""Given columns whose table is nearer to that of independent ones aren't joined in the model (total variation)."""


def measured(
    plan: ChildPlan, exact: Callable[[Scope], Ints], given: Mapping[int, Ints], weights: Floats
) -> FittedModel:
    """Measure every drawn column, then pairs of which at least one column is drawn.

    given: for each given column, the codes of made-up rows. weights: those of these rows. Measured counts are in
    multiples of 1 / `WHOLE`; the model is of units, each divided evenly among its rows.

    Guarantee:
        Assumes: `exact` adds up the weights of rows by the codes of a scope, with at most `WHOLE` of each unit;
        `given`, `weights` and `plan` depend on the data only through earlier results.
        Ensures: the result costs the shares of `plan`. Each table costs its share, as one unit adds at most `WHOLE` to
        it (L1), whatever groups its rows are counted by; each choice costs its share, as one unit moves each score by
        at most `WHOLE`; what is asked next depends on the data only through earlier results.
        Does not protect against: other releases about the same people.
        Test: test_linked.py::test_no_unit_moves_a_release_by_more_than_it_costs
    """
    sizes = plan.sizes
    found = [_noisy((c,), exact((c,)), plan.single) for c in plan.drawn]
    singles = [_table(m, sizes, plan.single) for m in found]
    rows, shares = f.singles(singles)
    shares |= {(c,): _shares(codes, weights, sizes[c]) for c, codes in given.items()}
    shares = {(c,): shares[(c,)] for c in range(len(sizes))}
    groups = code_groups.merged(shares, plan.numeric, rows, deviation(plan.pair, 1))
    start = {scope: groups.summed(own, scope) for scope, own in shares.items()}
    tables = [_grouped(table, groups) for table in singles]
    fit = f.fitted(groups.sizes, rows, start, tables)
    by_groups = {pair: _summed(exact(pair), pair, sizes, groups) for pair in plan.pairs}
    left = list(plan.pairs)
    known = _GivenTables(given, weights, groups, rows, deviation(plan.pair, 1))
    while len(found) < len(plan.drawn) + plan.rounds:
        left = candidates(fit.tree, [table.scope for table in tables], left)  # what doesn't fit now won't fit later
        if not left:
            break
        forced = [pair for pair in plan.first if pair in left]
        if forced or not plan.selection.amount:
            pair = (forced or left)[0]
        else:
            pair = _chosen(left, by_groups, rows, fit, plan.selection, plan.pair)
        found.append(_noisy(pair, by_groups[pair], plan.pair))
        tables.append(_table(found[-1], groups.sizes, plan.pair))
        tables += known.joined(tables)
        fit = f.fitted(groups.sizes, rows, start, tables, fit)
    return FittedModel(tuple(found), rows, fit, groups)


class _GivenTables:
    """Tables of two given columns, from made-up rows: without them, what both say would count twice."""

    def __init__(
        self, given: Mapping[int, Ints], weights: Floats, groups: CodeGroups, rows: float, sigma: float
    ) -> None:
        self.weights = weights
        self.codes = {c: groups.of(c)[codes] for c, codes in given.items()}
        self.sizes = groups.sizes
        self.rows = rows
        self.sigma = sigma
        self.judged: set[Scope] = set()

    def joined(self, tables: Sequence[Table]) -> list[Table]:
        """Return the tables of given columns that have come into the model and depend on each other."""
        used = sorted({c for table in tables for c in table.scope if c in self.codes})
        new = [pair for pair in combinations(used, 2) if pair not in self.judged]
        self.judged |= set(new)
        made = [self._table(pair) for pair in new]
        apart = [(self._dependence(table), table) for table in made]
        kept: list[Table] = []
        for far, table in sorted(apart, key=lambda pair: (-pair[0], pair[1].scope)):
            scopes = [other.scope for other in (*tables, *kept)]
            if far > _TOLERATED and candidates(t.tree(self.sizes, scopes), scopes, [table.scope]):
                kept.append(table)
        return kept

    def _table(self, pair: Scope) -> Table:
        a, b = pair
        cells = self.sizes[a] * self.sizes[b]
        place = self.codes[a] * self.sizes[b] + self.codes[b]
        counts = np.asarray(np.bincount(place, weights=self.weights, minlength=cells), dtype=np.float64)
        counts *= self.rows / (counts.sum() or 1.0)
        return Table(pair, counts.reshape(self.sizes[a], self.sizes[b]), self.sigma)

    def _dependence(self, table: Table) -> float:
        shares = table.counts / max(1e-300, float(table.counts.sum()))
        apart = shares - np.outer(shares.sum(axis=1), shares.sum(axis=0))
        return float(np.abs(apart).sum()) / 2


def _chosen(
    left: Sequence[Scope],
    exact: Mapping[Scope, Ints],
    rows: float,
    fit: Fit,
    selection: Share,
    share: Share,
) -> Scope:
    """Return the pair with the highest noisy score."""
    expected, sigma = t.pairs(fit.tree, fit.tables), deviation(share, WHOLE)
    scores = [score(exact[pair], WHOLE * rows * expected[pair].ravel(), sigma) for pair in left]
    return left[noise.selected(scores, WHOLE, selection)]


def _shares(codes: Ints, weights: Floats, size: int) -> Floats:
    """Return the share of each code, none of which is 0."""
    counts = np.bincount(codes, weights=weights, minlength=size) + 0.5
    made: Floats = counts / counts.sum()
    return made


def _noisy(scope: Scope, exact: Ints, share: Share) -> Measured:
    done = noise.added([int(n) for n in exact], WHOLE, share)
    return Measured(scope, done.values, done.scale)


def _table(measured: Measured, sizes: Sequence[int], share: Share) -> Table:
    """Return noisy counts in units."""
    counts = np.array(measured.counts, dtype=np.float64).reshape([sizes[c] for c in measured.scope])
    return Table(measured.scope, counts / WHOLE, deviation(share, 1))


def _grouped(single: Table, groups: CodeGroups) -> Table:
    """Return noisy counts of a single column by its groups, whose noise adds up."""
    scope, counts, sigma = single
    return Table(scope, groups.summed(counts, scope), sigma * np.sqrt(groups.lengths(scope[0])))


def _summed(exact: Ints, scope: Scope, sizes: Sequence[int], groups: CodeGroups) -> Ints:
    """Return the rows by the groups of a scope, from those by its codes; both flat."""
    return groups.summed(exact.reshape([sizes[c] for c in scope]), scope).ravel()
