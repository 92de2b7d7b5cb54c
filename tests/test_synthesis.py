"""Synthetic rows: what a release tells of one person, and whether the distribution is the one that noisy tables
describe.

Noise that tests draw is OpenDP's, so no seed repeats a run: bounds on it fail by chance less than once in 10⁹ runs.
"""

from __future__ import annotations

import functools
import json
import math
from itertools import combinations
from typing import Any, cast

import numpy as np
import pytest
from dp_tables import DEPT, SCORE, frame, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_noise import Script, privacy_loss

from piiscan.core.errors import UsageError
from piiscan.dp import noise
from piiscan.dp.domains import Categories, Keys, Number, Unbounded
from piiscan.dp.noise import Noisy, Share
from piiscan.dp.request import Request
from piiscan.dp.tally import Tally
from piiscan.synthesis import (
    code_groups,
    draw_rows,
    fit_distribution,
    junction_tree,
    measuring,
    private_bins,
)
from piiscan.synthesis import measurement_plan as plans
from piiscan.synthesis import synthetic_rows as synthetic
from piiscan.synthesis.fit_distribution import Table
from piiscan.synthesis.private_bins import HeldRows, PrivateBins, with_bins
from piiscan.synthesis.request import SynthesisRequest
from piiscan.synthesis.result import release
from piiscan.synthesis.run import charge_and_draw
from piiscan.synthesis.synthetic_rows import places

COLUMNS = (("score", SCORE), ("dept", DEPT), ("city", Categories(("X", "Y"))))


def request(**changed: Any) -> Request:
    asked: dict[str, Any] = {
        "dataset": "people",
        "version": "",
        "columns": COLUMNS,
        "epsilon": 1.0,
        "statistics": (),
        "quantiles": (),
    }
    return Request(**asked | changed)


def exact(table: list[Any], plan: plans.Plan, asked: Request) -> dict[junction_tree.Scope, Any]:
    measures = plans.measures(asked, plan.scopes)
    tally = Tally.of(frame(table).select(asked.names), list(measures.values()), dict(asked.columns))
    return {scope: tally.counts[measure] for scope, measure in measures.items()}


@given(
    rows,
    st.lists(
        st.tuples(
            st.sampled_from(["0", "120", "60", "x"]),
            st.sampled_from(["a", "c", ""]),
            st.sampled_from(["X", ""]),
            st.just("me"),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([0.0, 1e-6]),
    st.sampled_from([None, 2]),
    st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_no_unit_moves_a_release_by_more_than_it_costs(
    others: list[Any], mine: list[Any], delta: float, decimals: int | None, constrained: bool
) -> None:
    """The whole of the privacy loss: two neighbours are asked the same questions with the same answers before, and what
    is asked of each is held
    against the noise it gets: Σ distance / scale ≤ ε, or Σ distance² / 2σ² ≤ ρ."""
    asked = request(columns=(*COLUMNS, ("person", Categories(("p1", "p2")))), delta=delta, unit="person", max_rows=3)
    column = PrivateBins("score", Number(0, 120), decimals)
    scripts: list[Script] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "ROUNDS", 1)  # four of six pairs
        patch.setattr(private_bins, "_CLEAR", 0.01)  # cells are split, though there are few rows
        levels = 0 if decimals is None else len(column.widths)
        plan = plans.plan(asked, {"score": levels} if levels else None)
        if constrained and not levels:  # some codes can't occur together, whatever the table says
            plan = plan._replace(possible={(0, 2): np.triu(np.ones((4, 4), dtype=bool))})
        for table in (others, others + mine):
            script = Script(scripts[0] if scripts else None)
            patch.setattr(measuring.noise, "added", script.added)
            patch.setattr(measuring.noise, "selected", script.selected)
            of = asked
            if plan.level is not None and levels:
                held = HeldRows([frame(table).select(asked.names)], asked, [column])
                of = with_bins(asked, {"score": column.found(held.steps("score"), plan.level, 3)})
                counts = held.counts(of, plan.scopes)
                assert all((own == counts[scope]).all() for scope, own in exact(table, plan, of).items())
            measuring.measured(plans.sizes(of), exact(table, plan, of), plan, 3)
            scripts.append(script)
    found = len(scripts[0].asked) - (4 + 2 * 4)  # each of the pairs is chosen and measured
    assert 0 <= found <= levels and (found > 0) == (levels > 0)
    total = privacy_loss(*scripts, plan.mechanism, [3])
    assert total <= (plan.loss.epsilon if plan.mechanism == "laplace" else plan.loss.rho) * (1 + 1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-30])
@pytest.mark.parametrize("columns", [1, 2, 3, 12])
@pytest.mark.parametrize(("epsilon", "levels"), [(0.1, 0), (1.0, 0), (8.0, 0), (1.0, 5)])
def test_shares_add_up_to_the_budget(columns: int, delta: float, epsilon: float, levels: int) -> None:
    asked = request(columns=tuple((f"c{i}", DEPT) for i in range(columns)), delta=delta, epsilon=epsilon)
    plan = plans.plan(asked, {"c0": levels} if levels else None)
    spent = columns * plan.single.amount + plan.rounds * (plan.selection.amount + plan.pair.amount)
    assert plan.level is not None and plan.levels == levels and (plan.level.amount > 0) == (levels > 0)
    spent += levels * plan.level.amount
    assert spent == pytest.approx(plan.loss.epsilon if plan.mechanism == "laplace" else plan.loss.rho)
    assert plan.loss.epsilon == epsilon and plan.loss.delta in (0.0, delta)
    assert {share.mechanism for share in (plan.single, plan.selection, plan.pair)} == {plan.mechanism}
    assert plan.rounds == min(5 * columns // 2, columns * (columns - 1) // 2)
    assert (plan.selection.amount > 0) == (columns == 12)  # few columns have no more pairs than are measured


@pytest.mark.parametrize("columns", [2, 4, 6, 9, 20])
def test_pairs_get_the_smaller_noise_of_two(columns: int) -> None:
    asked = [request(columns=tuple((f"c{i}", DEPT) for i in range(columns)), delta=delta) for delta in (0.0, 1e-9)]
    basic, either = (plans.deviation(plans.plan(a).pair, 1) for a in asked)
    assert either <= basic
    assert (plans.plan(asked[1]).mechanism == "gaussian") == (columns >= 6)


@given(rows, rows)
@settings(max_examples=20, deadline=None)
def test_a_score_moves_by_no_more_than_the_rows_that_come(table: list[Any], more: list[Any]) -> None:
    asked = request()
    plan = plans.plan(asked)
    a, b = exact(table, plan, asked), exact(table + more, plan, asked)
    for scope in plan.scopes:
        expected = np.random.default_rng(len(table)).gamma(1, 3, size=a[scope].shape)
        assert abs(measuring.score(a[scope], expected, 5.0) - measuring.score(b[scope], expected, 5.0)) <= len(more)


SIZES = (2, 3, 4, 2, 3)
SCOPES: list[list[junction_tree.Scope]] = [
    [],
    [(0, 1)],
    [(0, 1), (1, 2), (2, 3), (3, 4)],
    [(0, 1), (1, 2), (0, 2)],
    [(0, 1), (1, 2), (2, 3), (0, 3)],
    [(0, 4), (1, 4), (2, 4), (3, 4)],
    [(0, 2), (1, 3)],
    list(combinations(range(5), 2)),
]


def joint(factors: dict[junction_tree.Scope, Any]) -> Any:
    """The whole table, cell by cell."""
    whole = np.ones(SIZES)
    for scope, factor in factors.items():
        whole = whole * factor.reshape([SIZES[c] if c in scope else 1 for c in range(len(SIZES))])
    return whole


def random_factors(scopes: list[junction_tree.Scope], seed: int) -> dict[junction_tree.Scope, Any]:
    random = np.random.default_rng(seed)
    made = {
        scope: random.gamma(0.5, size=[SIZES[c] for c in scope])
        for scope in [*scopes, *((c,) for c in range(len(SIZES)))]
    }
    made[(2,)][0] = made[(4,)][2] = 0.0  # codes that don't occur
    return made


@pytest.mark.parametrize("scopes", SCOPES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_holds_the_product_of_its_factors(scopes: list[junction_tree.Scope], seed: int) -> None:
    factors = random_factors(scopes, seed)
    whole = joint(factors)
    made = junction_tree.tree(SIZES, scopes)
    tables, log = junction_tree.beliefs(made, factors)
    assert log == pytest.approx(math.log(whole.sum()))
    for scope in [*scopes, *made.cliques]:
        assert junction_tree.marginal(made, tables, scope) == pytest.approx(
            junction_tree.summed(whole, tuple(range(5)), scope) / whole.sum(), abs=1e-12
        )
    found = junction_tree.pairs(made, tables)
    assert set(found) == set(combinations(range(5), 2))
    for pair, table in found.items():
        assert table == pytest.approx(junction_tree.summed(whole, tuple(range(5)), pair) / whole.sum(), abs=1e-12)


def test_a_distribution_stays_small_enough_to_hold() -> None:
    sizes = (90, 90, 90, 90)
    made = junction_tree.tree(sizes, [(0, 1), (1, 2)])
    assert measuring.candidates(made, [(0, 1), (1, 2)], combinations(range(4), 2)) == [
        (0, 3),
        (1, 3),
        (2, 3),
    ]  # (0, 2) would make a table of 90³ cells


def tables_of(whole: Any, scopes: list[junction_tree.Scope], sigma: float) -> list[Table]:
    return [Table(scope, junction_tree.summed(whole, tuple(range(5)), scope), sigma) for scope in scopes]


@pytest.mark.parametrize("scopes", SCOPES[2:], ids=str)
def test_tables_without_noise_are_met(scopes: list[junction_tree.Scope]) -> None:
    rows = 10_000
    whole = joint(random_factors([(0, 1, 2), (2, 3, 4)], 5))  # of more than pairs
    whole *= rows / whole.sum()
    singles = tables_of(whole, [(c,) for c in range(5)], 0.5)
    found, start = fit_distribution.singles(singles)
    assert found == pytest.approx(rows)
    tables = [*singles, *tables_of(whole, scopes, 0.5)]
    done = fit_distribution.fitted(SIZES, found, start, tables)
    for _ in range(10):  # steps are few, as there is much noise to be met: from where it was, again
        done = fit_distribution.fitted(SIZES, found, start, tables, done)
    for table in tables:
        assert rows * junction_tree.marginal(done.tree, done.tables, table.scope) == pytest.approx(
            table.counts, abs=rows * 2e-3
        )


def test_a_fit_is_where_its_slope_is_nothing() -> None:
    """λσ²θ = y − expected, for noisy counts that no table has; θ is 0 in cells that can't occur."""
    rows, random = 1000, np.random.default_rng(3)
    whole = joint(random_factors([(0, 1), (1, 2)], 1))
    whole *= rows / whole.sum()
    noisy = [
        t._replace(counts=t.counts + random.normal(0, 20, t.counts.shape))
        for t in tables_of(whole, [*((c,) for c in range(5)), (0, 1), (1, 2)], 20.0)
    ]
    _, start = fit_distribution.singles(noisy[:5])
    done = fit_distribution.fitted(SIZES, rows, start, noisy)
    for _ in range(10):
        done = fit_distribution.fitted(SIZES, rows, start, noisy, done)
    for table in noisy:
        expected = rows * junction_tree.marginal(done.tree, done.tables, table.scope)
        theta = done.theta[table.scope]
        can = functools.reduce(np.multiply.outer, [start[(c,)] > 0 for c in table.scope])
        assert (theta[~can] == 0).all() and (expected[~can] == 0).all()
        met = expected + fit_distribution.slack_of(table, rows) * theta
        assert met[can] == pytest.approx(table.counts[can], abs=0.5)


@pytest.mark.parametrize(("epsilon", "rows"), [(0.01, 0), (1.0, 3), (1.0, 1_000_000), (10_000.0, 1_000_000)])
def test_a_fit_ends_well_for_every_size_of_noise(epsilon: float, rows: int) -> None:
    """All columns of two words, so that all pairs lie in one clique: products of many factors, of which many are
    next to nothing."""
    noise.require()
    asked = request(columns=tuple((f"c{i}", Categories(("a",))) for i in range(6)), epsilon=epsilon)
    plan = plans.plan(asked)
    exact = {scope: np.zeros([3] * len(scope), dtype=np.int64) for scope in plan.scopes}
    for table in exact.values():
        table[(0,) * table.ndim] = rows
    model = measuring.measured(plans.sizes(asked), {scope: table.ravel() for scope, table in exact.items()}, plan, 1)
    assert all(np.isfinite(factor).all() and (factor >= 0).all() for factor in model.fit.factors.values())
    drawn = draw_rows.codes(plans.sizes(asked), model.fit.factors, 500, np.random.default_rng(0))
    if epsilon * rows >= 1_000_000:
        assert all((codes == 0).mean() > 0.99 for codes in drawn)


@pytest.mark.parametrize("size", [1.0, 1e-8, 1e-155, 1e-216, 0.0])
def test_a_fit_ends_where_nothing_is_left_to_fit(size: float) -> None:
    """Also where slopes are so small that their products are 0."""
    seen: list[Any] = []

    def dual(theta: Any) -> fit_distribution.Point:
        seen.append(theta)
        return fit_distribution.Point(theta, float(theta @ theta) / 2, theta.copy(), np.full(3, 1e-4))

    found = fit_distribution.minimised(dual, np.array([size, size / 2, 0.0]), 1)
    assert np.abs(found).max() < 1e-3 and (size >= 1e-8 or len(seen) == 1)


@given(st.lists(st.integers(-50, 300), min_size=1, max_size=8).filter(lambda counts: sum(counts) > 0))
def test_shares_of_a_column_are_the_nearest_ones(counts: list[int]) -> None:
    """None below 0, adding up to 1, and in the order of the counts."""
    _, start = fit_distribution.singles([Table((0,), np.array(counts, dtype=float), 1.0)])
    shares = start[(0,)]
    assert shares.min() >= 0 and shares.sum() == pytest.approx(1)
    order = np.argsort(counts, kind="stable")
    assert (np.diff(shares[order]) >= -1e-12).all()
    assert shares == pytest.approx(np.array(counts) / sum(counts)) or min(counts) < 0


@given(
    st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=9).filter(any), min_size=2, max_size=2),
    st.integers(1, 10**6),
    st.floats(0.1, 1e5),
)
def test_bins_are_merged_where_there_are_few_rows(counts: list[list[int]], rows: int, deviation: float) -> None:
    """Groups are ranges of bins with enough rows, beside missing values; categories stay as they are."""
    shares = {(c,): np.array(own) / sum(own) for c, own in enumerate(counts)}
    groups = code_groups.merged(shares, {0}, rows, deviation)
    least = math.sqrt(code_groups.CELL_ROWS * deviation / rows)
    number, words = groups.of(0), groups.of(1)
    assert (words == np.arange(len(counts[1]))).all() and (groups.within[1] == 1).all()
    assert number[0] == 0 and set(np.diff(number)) <= {0, 1}
    assert number[-1] == number[-2] + 1 == groups.sizes[0] - 1
    mass = groups.summed(shares[(0,)], (0,))
    assert mass == pytest.approx(np.bincount(number, weights=shares[(0,)]))
    if len(mass) > 2:
        assert (mass[:-2] >= least - 1e-9).all() and mass[-2] >= least / 2 - 1e-9
    for group, own in enumerate(mass):
        within = groups.within[0][number == group]
        assert within.sum() == pytest.approx(1)
        assert within * own == pytest.approx(shares[(0,)][number == group])


@given(st.lists(st.integers(0, 3), min_size=24, max_size=24), st.sets(st.integers(1, 5)), st.sets(st.integers(1, 3)))
def test_a_table_by_groups_has_the_sums_of_its_cells(cells: list[int], first: set[int], second: set[int]) -> None:
    starts = [np.array([0, *sorted(own)]) for own in (first, second)]
    groups = code_groups.CodeGroups(tuple(starts), (np.ones(6), np.ones(4)))
    table, found = np.array(cells).reshape(6, 4), np.zeros(groups.sizes, dtype=np.int64)
    for a, b in np.ndindex(6, 4):
        found[groups.of(0)[a], groups.of(1)[b]] += table[a, b]
    assert (groups.summed(table, (0, 1)) == found).all()


def test_three_columns_are_measured_together_where_pairs_say_too_little() -> None:
    """The bitwise sum of two others, which each is related to, but determined only by both."""
    noise.require()
    random = np.random.default_rng(5)
    columns = [random.choice(4, 20_000, p=(0.5, 0.25, 0.15, 0.1)) for _ in range(7)]
    columns[2] = columns[0] ^ columns[1]
    asked = request(columns=tuple((f"c{i}", Categories(("a", "b", "c", "d"))) for i in range(7)), epsilon=30.0)
    plan = plans.plan(asked)
    sizes = plans.sizes(asked)
    exact = {scope: np.zeros([sizes[c] for c in scope], dtype=np.int64) for scope in plan.scopes}
    for scope, table in exact.items():
        np.add.at(table, tuple(columns[c] for c in scope), 1)
    flat = {scope: table.ravel() for scope, table in exact.items()}
    wrong = {}
    for name, scopes in (("triples", plan.scopes), ("pairs", tuple(s for s in plan.scopes if len(s) < 3))):
        model = measuring.measured(sizes, flat, plan._replace(scopes=scopes), 1)
        assert ((0, 1, 2) in [m.scope for m in model.measured]) == (name == "triples")
        drawn = draw_rows.codes(sizes, model.factors, 20_000, np.random.default_rng(0))
        wrong[name] = float(((drawn[0] ^ drawn[1]) != drawn[2]).mean())
    assert wrong["triples"] < 0.05 and wrong["pairs"] > 0.2


def test_triples_are_counted_within_bounds() -> None:
    few = plans.plan(request(columns=tuple((f"c{i}", DEPT) for i in range(6))))
    assert max(map(len, few.scopes)) == 2  # all their pairs are measured
    many = plans.plan(request(columns=tuple((f"c{i}", DEPT) for i in range(30))))
    assert sum(len(scope) == 3 for scope in many.scopes) == plans.TRIPLES
    wide = Categories(tuple(f"w{i}" for i in range(60)))
    assert max(map(len, plans.plan(request(columns=tuple((f"c{i}", wide) for i in range(8)))).scopes)) == 2


def test_codes_within_a_group_are_drawn_by_their_shares() -> None:
    groups, shares = np.array([0, 0, 0, 1, 1, 2]), np.array([1.0, 0.0, 3.0, 2.0, 2.0, 5.0])
    drawn = np.random.default_rng(1).integers(0, 3, 4000)
    codes = draw_rows.within(drawn, groups, shares, np.random.default_rng(0))
    assert (groups[codes] == drawn).all()
    for code, share in enumerate((0.25, 0, 0.75, 0.5, 0.5, 1)):
        of = int((drawn == groups[code]).sum())
        assert abs(int((codes == code).sum()) - share * of) <= 1


def test_a_table_of_few_rows_has_few_cells_of_pairs() -> None:
    """And the text of the release is enough to draw rows by."""
    noise.require()
    asked = request(epsilon=1.0, columns=(("score", SCORE), ("other", Number(0, 5, (1, 2, 3, 4)))))
    plan = plans.plan(asked)
    exact = {scope: np.zeros([plans.sizes(asked)[c] for c in scope], dtype=np.int64) for scope in plan.scopes}
    for each, cells in ((3000, "all"), (1, "few")):
        for table in exact.values():
            table[...] = 0
            table[(slice(0, -1),) * table.ndim] = each
        model = measuring.measured(plans.sizes(asked), {s: t.ravel() for s, t in exact.items()}, plan, 1)
        written = release(asked, plan, model, "0")
        table = written["tables"][-1]
        sizes = [column["groups"][-1] + 1 for column in written["columns"]]
        assert len(table["counts"]) == math.prod(sizes)
        assert (tuple(sizes) == plans.sizes(asked)) == (cells == "all")
        drawn = synthetic.frame(json.dumps(written), 500)
        assert drawn.height == 500 and drawn["other"].drop_nulls().is_between(0, 5).all()


@pytest.mark.parametrize("n", [1, 7, 1000])
@pytest.mark.parametrize("scopes", SCOPES[1:5], ids=str)
def test_rows_are_drawn_as_often_as_the_distribution_says(scopes: list[junction_tree.Scope], n: int) -> None:
    factors = random_factors(scopes, 9)
    codes = draw_rows.codes(SIZES, factors, n, np.random.default_rng(0))
    again = draw_rows.codes(SIZES, factors, n, np.random.default_rng(0))
    assert all(np.array_equal(a, b) for a, b in zip(codes, again, strict=True))
    whole = joint(factors)
    first = junction_tree.tree(SIZES, factors).cliques[0][0]
    release = junction_tree.summed(whole, tuple(range(5)), (first,)) / whole.sum()
    assert np.abs(np.bincount(codes[first], minlength=SIZES[first]) - n * release).max() < 1 + 1e-6
    assert (whole[tuple(codes)] > 0).all()  # and nothing that it rules out
    if n == 1000:  # each row goes one column's way among at most 48 groups, each of which is off by less than a row
        for pair in combinations(range(5), 2):
            drawn = np.zeros([SIZES[c] for c in pair])
            np.add.at(drawn, tuple(codes[c] for c in pair), 1)
            assert np.abs(drawn / n - junction_tree.summed(whole, tuple(range(5)), pair) / whole.sum()).max() < 0.06


@pytest.mark.parametrize(
    ("edges", "decimals", "expected"),
    [
        ((0.0, 5.0, 10.0), None, (0, [(0, 5), (5, 11)])),
        ((0.0, 0.5, 1.0), None, (3, [(0, 500), (500, 1001)])),
        ((0.0, 0.5, 1.0), 0, (0, [(0, 1), (1, 2)])),
        ((0.0, 0.5, 1.0), 1, (1, [(0, 5), (5, 11)])),
        ((-2.5, 2.5), 0, (0, [(-2, 3)])),
        ((0.2, 0.4), 0, None),
        ((1e9, 1e9 + 0.5), 9, None),
    ],
)
def test_numbers_have_the_decimals_that_are_declared(edges: Any, decimals: int | None, expected: Any) -> None:
    if expected is None:
        with pytest.raises(UsageError):
            places(edges, decimals)
    else:
        assert places(edges, decimals) == expected


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((("score", Unbounded()),), "--bounds score=LOW:HIGH"),
        ((("city", Keys()),), "--categories city=A,B"),
        (
            tuple((f"c{i}", Number(0, 1, tuple(j / 500 for j in range(1, 500)))) for i in range(8)),
            "7,028,028 combinations",
        ),
    ],
)
def test_what_can_t_be_measured_is_refused(columns: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plans.plan(request(columns=columns, delta=1e-6))


def test_private_bins_are_refused_where_rows_are_counted_elsewhere() -> None:
    asked, nothing = SynthesisRequest(request(columns=(("x", Number(0, 50)),)), private_bins=("x",)), cast(Any, None)
    with pytest.raises(UsageError, match="declare edges instead"):
        charge_and_draw(nothing, asked, nothing, tally_of=lambda *_: Tally({}, {}))


@given(st.integers(-50, 50), st.integers(2, 3000), st.integers(0, 2), st.lists(st.integers(0, 10**6), max_size=30))
@settings(max_examples=60, deadline=None)
def test_bins_that_are_found_cover_the_bounds(low: int, size: int, decimals: int, cells: list[int]) -> None:
    """There are no more than were planned for, each contains a number, and each cell is counted once."""
    column = PrivateBins("x", Number(low, low + size), decimals)
    steps = np.array([cell % (column.domain.steps + 1) for cell in cells], dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(private_bins, "_CLEAR", 0.01)
        patch.setattr(noise, "added", lambda values, moved, share: Noisy(tuple(values), noise.scale_of(share, moved)))
        found = column.found(steps, Share("gaussian", 1.0), 1)
    assert (found.low, found.high) == (low, low + size)
    assert 1 < len(found.labels) <= len(column.widest().labels) <= private_bins.MOST_BINS
    digits, bins = places(found.edges, decimals)
    assert digits == decimals and bins[0][0] == low * 10**decimals and bins[-1][1] == (low + size) * 10**decimals + 1
    assert len(column.widths) <= 4 and list(column.widths) == sorted(column.widths, reverse=True)


def test_noise_alone_makes_no_endless_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many rows there are is as noisy as ε is small: by default that's no reason to draw billions."""
    monkeypatch.setattr(synthetic, "MOST_ROWS", 1000)
    table = {"columns": ["dept"], "factor": [1.0, 1.0, 0.0, 0.0]}
    release = {
        "columns": [{"name": "dept", "kind": "categories", "categories": ["a", "b"]}],
        "tables": [table],
        "rows": {"value": 10**12},
    }
    assert synthetic.frame(json.dumps(release)).height == 1000
    assert synthetic.frame(json.dumps(release), 1200).height == 1200


def test_shrinkage_does_not_change_how_sums_are_weighted() -> None:
    """The accuracy that a release states is that of the mean of the columns' sums by the noise that was drawn."""
    noise.require()
    wide, narrow = Categories(tuple(f"w{i}" for i in range(120))), Categories(("a",))
    asked = request(columns=(("a", wide), ("b", wide), ("c", narrow)), epsilon=0.3)
    plan, sizes = plans.plan(asked), plans.sizes(asked)
    exact = {scope: np.zeros(math.prod(sizes[c] for c in scope), dtype=np.int64) for scope in plan.scopes}
    model = measuring.measured(sizes, exact, plan, 1)
    sums = [sum(m.counts) for m in model.measured[:3]]
    assert model.rows == pytest.approx(max(1.0, np.average(sums, weights=[1 / size for size in sizes])))


def test_noise_in_cells_that_cannot_occur_hides_no_dependence() -> None:
    """A small table with little noise: θ of such a cell would grow until those of all others were cut off."""
    start = {(0,): np.array([0.5, 0.5, 0.0]), (1,): np.array([0.5, 0.5, 0.0])}
    noisy = np.array([[400.0, -1, 5], [1, 400, -2], [6, -3, 7]])
    tables = [Table((c,), np.array([401.0, 402, 4]), 2.9) for c in (0, 1)] + [Table((0, 1), noisy, 1.8)]
    fit = fit_distribution.fitted((3, 3), 800, start, tables)
    found = junction_tree.marginal(fit.tree, fit.tables, (0, 1))
    assert found == pytest.approx(np.array([[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0]]), abs=0.01)
