"""From exact tables to noisy ones: all columns, then one table of two or three after the other.

Noise is drawn only here, and where private bins are found (`private_bins`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.dp import noise
from piiscan.dp.noise import Share
from piiscan.synthesis import code_groups, constrained_rows, shrinkage
from piiscan.synthesis import fit_distribution as f
from piiscan.synthesis import junction_tree as t
from piiscan.synthesis.code_groups import CodeGroups
from piiscan.synthesis.fit_distribution import Fit, Table
from piiscan.synthesis.junction_tree import Scope, Tree
from piiscan.synthesis.measurement_plan import MeasurementPlan, deviation

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats

MODEL_CELLS: Final = 300_000
"""The largest number of cells of the tables of the distribution: a pair that would need more isn't measured."""
WIDE_CELLS: Final = 4_000_000
"""The largest number of cells times columns: the time that a choice takes grows with both."""
STEPS: Final = 20
"""Of a fit that the next table is chosen by."""
_BURIED: Final = 0.3
"""A difference of a cell counts as far as it is above so much of the standard deviation of noise."""
_SPOILED: Final = 0.3
"""Noise counts as so much of what the cell holds, or of its standard deviation if that is less."""


class Measured(NamedTuple):
    """A table with noise: integers, flat in C order, and the scale of their noise.

    They are by the codes of a single column, or by the groups of codes of several.
    """

    scope: Scope
    counts: tuple[int, ...]
    scale: float


class FittedModel(NamedTuple):
    """All measurements in their order, the approximate number of rows, and the closest distribution.

    `fit` is over `groups` of codes; within a group codes are independent of other columns.
    """

    measured: tuple[Measured, ...]
    rows: float
    fit: Fit
    groups: CodeGroups

    @property
    def factors(self) -> dict[Scope, Floats]:
        """The factors, up to proportion: of single columns by their codes, of several by their groups."""
        return {
            scope: factor[self.groups.of(scope[0])] * self.groups.within[scope[0]] if len(scope) == 1 else factor
            for scope, factor in self.fit.factors.items()
        }


def measured(sizes: Sequence[int], exact: Mapping[Scope, Ints], plan: MeasurementPlan, max_rows: int) -> FittedModel:
    """Measure every column, merge their codes to groups, and measure `plan.rounds` tables of several columns by groups.

    Guarantee:
        Assumes: `exact` contains for each of `plan.scopes` the rows by the codes of its columns, with at most
        `max_rows` rows of each unit.
        Ensures: the result costs `plan.loss`. Each table costs its share, as one unit adds at most `max_rows` to it
        (L1), whatever groups its rows are counted by; each choice costs its share, as one unit moves each score by at
        most `max_rows`; the next query, and what codes are merged, depends on the data only through earlier results,
        and the number of tables and choices and their shares don't depend on the data.
        Does not protect against: other releases about the same people.
        Test: test_synthesis.py::test_no_unit_moves_a_release_by_more_than_it_costs
    """
    found = [_noisy((c,), exact[(c,)], plan.single, max_rows) for c in range(len(sizes))]
    singles, shares, rows = shrinkage.evened([_table(m, sizes, plan.single, max_rows) for m in found], plan.numeric)
    if not plan.rounds:
        return FittedModel(tuple(found), rows, f.fitted(sizes, rows, shares, singles), code_groups.unmerged(sizes))
    groups = code_groups.merged(shares, plan.numeric, rows, deviation(plan.pair, max_rows), plan.private)
    known = possible_groups(plan, groups)
    start = {scope: groups.summed(own, scope) for scope, own in shares.items()} | known
    tables = [grouped(table, groups) for table in singles]
    fit = f.fitted(groups.sizes, rows, start, tables, steps=STEPS)
    left: list[Scope] = [scope for scope in plan.scopes if len(scope) == 2]
    triples: list[Scope] = [scope for scope in plan.scopes if len(scope) == 3]
    by_groups = {scope: summed(exact[scope], scope, sizes, groups) for scope in (*left, *triples)}
    while len(found) < len(sizes) + plan.rounds:
        left = candidates(fit.tree, [m.scope for m in found], left, known)  # what doesn't fit now won't fit later
        among = [*left, *within_cliques(fit.tree, [m.scope for m in found], triples)]
        if not among:
            break
        scope = _chosen(among, by_groups, rows, fit, plan, max_rows) if plan.selection.amount else among[0]
        found.append(_noisy(scope, by_groups[scope], plan.pair, max_rows))
        table = _table(found[-1], groups.sizes, plan.pair, max_rows)
        if len(scope) == 2:
            table = shrinkage.shrunk(table, rows, [start[(c,)] for c in scope], [c in plan.numeric for c in scope])
        tables.append(table)
        fit = f.fitted(groups.sizes, rows, start, tables, fit, STEPS)
    return FittedModel(tuple(found), rows, f.fitted(groups.sizes, rows, start, tables, fit), groups)


def _chosen(
    among: Sequence[Scope], exact: Mapping[Scope, Ints], rows: float, fit: Fit, plan: MeasurementPlan, max_rows: int
) -> Scope:
    """Return the pair or triple with the highest noisy score."""
    tables, sigma = fit.tables, deviation(plan.pair, max_rows)
    pairs = t.pairs(fit.tree, tables)
    expected = [pairs[scope] if scope in pairs else t.marginal(fit.tree, tables, scope) for scope in among]
    scores = [score(exact[scope], rows * own.ravel(), sigma) for scope, own in zip(among, expected, strict=True)]
    return among[noise.selected(scores, max_rows, plan.selection)]


def score(exact: Ints, expected: Floats, sigma: float) -> int:
    """Score a table by how much the distribution would gain from measuring it.

    It is the distance between the table and the distribution so far, as far as noise doesn't bury it, less what noise
    spoils in return. One row more or less moves the score by at most 1.
    """
    apart = np.abs(exact - np.rint(expected).astype(np.int64)) - round(_BURIED * sigma)
    return int(np.maximum(apart, 0).sum()) - round(_SPOILED * float(np.sum(np.minimum(expected, sigma))))


def within_cliques(tree: Tree, scopes: Sequence[Scope], triples: Iterable[Scope]) -> list[Scope]:
    """Return which of some triples may be measured next to `scopes`: new ones that make the distribution no larger."""
    inside = {triple for clique in tree.cliques for triple in combinations(clique, 3)}
    return [triple for triple in triples if triple in inside and triple not in scopes]


def candidates(tree: Tree, scopes: Sequence[Scope], pairs: Iterable[Scope], known: Iterable[Scope] = ()) -> list[Scope]:
    """Return which of some pairs may be measured next to `scopes`.

    These are new ones that keep the distribution small enough. `tree` contains `scopes`, and `known` pairs that may
    not have been measured.
    """
    held = [*scopes, *known]
    now, parts = t.cells(tree.sizes, tree.cliques), t.components(len(tree.sizes), held)
    most = most_cells(len(tree.sizes))

    def fits(pair: Scope) -> bool:
        if any(set(pair) <= set(clique) for clique in tree.cliques):
            return True
        a, b = pair
        if parts[a] != parts[b]:  # a table of its own joins two trees
            return now + tree.sizes[a] * tree.sizes[b] <= most
        return t.cells(tree.sizes, t.triangulated(tree.sizes, [*held, pair])) <= most

    return [pair for pair in pairs if pair not in scopes and fits(pair)]


def most_cells(columns: int) -> float:
    """Return the largest number of cells of the tables of a distribution over so many columns."""
    return min(MODEL_CELLS, WIDE_CELLS / columns)


def possible_groups(plan: MeasurementPlan, groups: CodeGroups) -> dict[Scope, Floats]:
    """Return the factors of pairs of columns between which a constraint was declared, by groups of codes.

    Pairs for which the distribution has no room are left out.
    """
    by_groups = {
        scope: constrained_rows.factor_of(groups.summed(table.astype(np.int64), scope) > 0)
        for scope, table in plan.possible.items()
    }
    return constrained_rows.with_room(by_groups, groups.sizes, (), most_cells(len(groups.sizes)))


def _noisy(scope: Scope, exact: Ints, share: Share, max_rows: int) -> Measured:
    done = noise.added([int(n) for n in exact], max_rows, share)
    return Measured(scope, done.values, done.scale)


def _table(measured: Measured, sizes: Sequence[int], share: Share, max_rows: int) -> Table:
    shape = [sizes[c] for c in measured.scope]
    return Table(measured.scope, np.array(measured.counts, dtype=np.float64).reshape(shape), deviation(share, max_rows))


def grouped(single: Table, groups: CodeGroups) -> Table:
    """Return noisy counts of a single column by its groups, whose noise adds up."""
    scope, counts, sigma = single
    variances = np.broadcast_to(np.square(sigma), counts.shape).astype(np.float64)
    return Table(scope, groups.summed(counts, scope), np.sqrt(groups.summed(variances, scope)))


def summed(exact: Ints, scope: Scope, sizes: Sequence[int], groups: CodeGroups) -> Ints:
    """Return the rows by the groups of a scope, from those by its codes; both flat."""
    return groups.summed(exact.reshape([sizes[c] for c in scope]), scope).ravel()
