"""From the rows of a table that count to its model: noisy tables, and the distribution that is closest to them.

What is known of parents is given: it comes from rows that were drawn from the model of their table, so it costs
nothing. Noise is drawn only here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piiscan.dp import noise
from piiscan.dp.noise import Share
from piiscan.synthesis import code_groups, shrinkage
from piiscan.synthesis.code_groups import CodeGroups
from piiscan.synthesis.fit_distribution import Table
from piiscan.synthesis.junction_tree import Scope
from piiscan.synthesis.linked.conditional_fit import ConditionalFit
from piiscan.synthesis.linked.contributions import WHOLE
from piiscan.synthesis.linked.plans import ChildPlan
from piiscan.synthesis.measurement_plan import deviation
from piiscan.synthesis.measuring import Measured, grouped, score, summed

if TYPE_CHECKING:
    from collections.abc import Callable

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats


class ChildModel(NamedTuple):
    """All measurements in their order, the approximate number of units, and the distribution fitted to them.

    `logs`: the logarithms of its factors, by `groups` of codes; within a group codes are independent of other columns.
    """

    measured: tuple[Measured, ...]
    units: float
    logs: Mapping[Scope, Floats]
    groups: CodeGroups


def measured(plan: ChildPlan, exact: Callable[[Scope], Ints], given: Mapping[int, Ints], weights: Floats) -> ChildModel:
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
    singles, shares, rows = shrinkage.evened([_table(m, sizes, plan.single) for m in found], plan.numeric)
    shares |= {(c,): _shares(codes, weights, sizes[c]) for c, codes in given.items()}
    groups = code_groups.merged(
        {(c,): shares[(c,)] for c in range(len(sizes))}, plan.numeric, rows, deviation(plan.pair, 1)
    )
    alone = {scope: groups.summed(own, scope) for scope, own in shares.items()}
    by_row = {c: groups.of(c)[codes] for c, codes in given.items()}
    possible = {scope: groups.summed(own.astype(np.int64), scope) > 0 for scope, own in plan.possible.items()}
    fit = ConditionalFit(groups.sizes, rows, {(c,): alone[(c,)] for c in plan.drawn}, by_row, weights, possible)
    for table in singles:
        fit.add(grouped(table, groups), 0)
    by_groups = {pair: summed(exact(pair), pair, sizes, groups) for pair in plan.pairs}
    left = list(plan.pairs)
    for _ in range(plan.rounds):
        left = [pair for pair in left if fit.fits(pair)]  # what doesn't fit now won't fit later
        if not left:
            break
        forced = [pair for pair in plan.first if pair in left]
        if forced or not plan.selection.amount:
            pair = (forced or left)[0]
        else:
            pair = _chosen(left, by_groups, fit, plan.selection, plan.pair)
        found.append(_noisy(pair, by_groups[pair], plan.pair))
        fit.add(_shrunk(_table(found[-1], groups.sizes, plan.pair), rows, alone, plan))
        left.remove(pair)
    fit.fit()
    return ChildModel(tuple(found), rows, fit.logs(), groups)


def _shrunk(pair: Table, rows: float, alone: Mapping[Scope, Floats], plan: ChildPlan) -> Table:
    """Return a pair without what noise explains. `alone`: the shares of each column's codes."""
    if pair.scope in plan.first:  # named beforehand, since rows in one place are unlike all others
        return pair
    return shrinkage.shrunk(pair, rows, [alone[(c,)] for c in pair.scope], [c in plan.numeric for c in pair.scope])


def _chosen(
    left: Sequence[Scope],
    exact: Mapping[Scope, Ints],
    fit: ConditionalFit,
    selection: Share,
    share: Share,
) -> Scope:
    """Return the pair with the highest noisy score."""
    expected, sigma = fit.expected(left), deviation(share, WHOLE)
    scores = [score(exact[pair], WHOLE * expected[pair].ravel(), sigma) for pair in left]
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
