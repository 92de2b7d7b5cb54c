"""Exact sums are those that a slow loop finds, in whatever parts the rows come; and no unit moves all queries
together by more than they cost."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from dp_tables import COLUMNS, DEPT, SCORE, frame, request, rows, unbounded
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.errors import UsageError
from piiscan.dp import answers, domains, noise
from piiscan.dp.domains import MISSING, OTHER, Categories, Number, Unbounded
from piiscan.dp.queries import Axis, Measure, costs, queries, ratio, sensitivity
from piiscan.dp.run.passes import complete
from piiscan.dp.tally import KEY, Tally, column_of

ASKED = queries(request())
MEASURES = tuple(dict.fromkeys(q.measure for q in ASKED))


def tally(table: list[Any]) -> Tally:
    return Tally.of(frame(table).drop("person"), MEASURES, dict(COLUMNS))


@given(rows, rows, rows)
@settings(max_examples=25, deadline=None)
def test_tallies_are_an_exact_monoid(a: list[Any], b: list[Any], c: list[Any]) -> None:
    x, y, z = tally(a), tally(b), tally(c)
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x + Tally.empty(MEASURES, dict(COLUMNS)) == x
    assert x + y == tally(a + b)


def slow_number(text: str) -> Fraction | None:
    """A cell in steps of a thousandth from 0, cut to 0 … 120."""
    try:
        number = float(text.strip())
    except ValueError:
        return None
    if math.isnan(number):
        return None
    return Fraction(min(max(number, 0.0), 120.0)) * 1000


def slow_bin(number: Fraction | None) -> str:
    if number is None:
        return MISSING
    return "[0, 18)" if round(number) < 18000 else "[18, 65)" if round(number) < 65000 else "[65, 120]"


def slow_word(text: str) -> str:
    word = text.strip()
    return word if word in DEPT.values else OTHER if word else MISSING


@given(rows)
@settings(max_examples=40, deadline=None)
def test_tallies_are_what_a_slow_loop_counts(table: list[Any]) -> None:
    made = tally(table)
    labels = {"dept": (*DEPT.values, OTHER, MISSING), "score": (*SCORE.labels, MISSING)}
    for axes in ((), ("dept",), ("score",), ("dept", "score")):
        cells = dict.fromkeys(product(*(labels[name] for name in axes)), 0)
        for score, dept, _, _ in table:
            where = {"dept": slow_word(dept), "score": slow_bin(slow_number(score))}
            cells[tuple(where[name] for name in axes)] += 1
        assert made.counts[Measure(tuple(map(Axis, axes)))].tolist() == list(cells.values())
    there = [n for score, *_ in table if (n := slow_number(score)) is not None]
    assert made.counts[Measure((), "score")].tolist() == [len(there)]
    assert abs(int(made.counts[Measure((), "score", "sums")][0]) - sum(n - 60000 for n in there)) <= Fraction(
        len(there), 2
    )
    squares = sum((n - 60000) ** 2 for n in there) / Fraction(60000) ** 2
    assert abs(Fraction(int(made.counts[Measure((), "score", "squares")][0]), domains.SQUARES) - squares) <= len(
        there
    ) * Fraction(1, 40000)
    by_city = dict(made.keys["city"].select(KEY, column_of(Measure())).iter_rows())
    assert by_city == {city: sum(row[2] == city for row in table) for city in {row[2] for row in table} - {""}}


@given(
    rows,
    st.lists(
        st.tuples(
            *[
                st.sampled_from(["0", "120", "60", "x", "1e300"]),
                st.sampled_from(["a", "c", ""]),
                st.sampled_from(["X", "new"]),
                st.just("me"),
            ]
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([0.0, 1e-6]),
    st.sampled_from([(), tuple(i / 40 for i in range(1, 40))]),
)
@settings(max_examples=150, deadline=None)
def test_no_unit_moves_all_queries_by_more_than_they_cost(
    others: list[Any], mine: list[Any], delta: float, quantiles: tuple[float, ...]
) -> None:
    """The whole of the privacy loss, worked out from exact sums with and without one unit: Σ distance / scale ≤ ε,
    or Σ distance² / 2σ² ≤ ρ."""
    changed: dict[str, Any] = {"unit": "person", "max_rows": 3, "quantiles": quantiles}
    asked = request(delta=delta, **changed) if delta else unbounded(delta=0.0, **changed)
    price = costs(asked)
    total = 0.0
    table = {name: SCORE if isinstance(d, Unbounded) else d for name, d in asked.columns}
    measures = list(dict.fromkeys(q.measure for q in queries(asked)))
    without, with_me = (Tally.of(frame(t).drop("person"), measures, table) for t in (others, others + mine))
    for query in queries(asked):
        moved = sensitivity(query, table, 3)
        if query.measure.axes and query.measure.axes[0].part == "keys":
            exact = [t.keys["city"] for t in (without, with_me)]
            joined = exact[1].join(exact[0], on=KEY, how="full", coalesce=True, suffix=" before").fill_null(0)
            name = column_of(query.measure)
            away = (joined[name] - joined[f"{name} before"]).abs().sum()
            far = math.sqrt(((joined[name] - joined[f"{name} before"]) ** 2).sum())
        elif query.kind == "select":
            num, den = ratio(query.p or 0)
            a, b = (answers.scores(t.counts[query.measure], num, den) for t in (without, with_me))
            away = max(abs(x - y) for x, y in zip(a, b, strict=True))
            assert away <= moved
            loss = 2 * away / noise.selection_scale(price.share, moved)
            total += loss if price.share.mechanism == "laplace" else loss**2 / 8
            continue
        else:
            difference = with_me.counts[query.measure] - without.counts[query.measure]
            away, far = int(np.abs(difference).sum()), math.sqrt(float((difference.astype(float) ** 2).sum()))
        assert away <= moved
        scale = noise.scale_of(price.share, moved)
        total += away / scale if price.share.mechanism == "laplace" else (far / scale) ** 2 / 2
    bound = price.loss.epsilon if price.share.mechanism == "laplace" else price.loss.rho
    assert total <= bound * (1 + 1e-9)


@pytest.mark.parametrize("sent", ["120", "-1e9", "1e300"])
def test_one_extreme_row_costs_all_of_a_query(sent: str) -> None:
    """The bound above is met: noise isn't larger than it has to be."""
    for value in ("rows", "sums", "squares"):
        measure = Measure((), "score", value)
        moved = Tally.of(frame([(sent, "a", "X", "p")]).drop("person"), [measure], dict(COLUMNS)).counts[measure][0]
        assert abs(int(moved)) == sensitivity(next(q for q in ASKED if q.measure == measure), dict(COLUMNS), 1)


def test_every_query_has_noise() -> None:
    """A sensitivity of 0 would be no noise: a query that depends on data has none of it (the zero-sensitivity
    probe)."""
    for asked in (request(), unbounded(), request(delta=1e-6, quantiles=(0.001, 0.999))):
        price = costs(asked)
        table = {name: SCORE if isinstance(d, Unbounded) else d for name, d in asked.columns}
        for query in queries(asked):
            assert sensitivity(query, table, 1) >= 1
            assert noise.scale_of(price.share, sensitivity(query, table, 1)) > 0.1


@pytest.mark.parametrize(
    "low, high", [(0, 120), (0, 1), (-5, 5), (0, 1e7), (0.001, 0.002), (1e9, 1e9 + 10), (-1e15, 1e15)]
)
def test_steps_are_fine_and_few(low: float, high: float) -> None:
    number = Number(low, high)
    assert 100_000 <= number.steps <= 1_000_000
    assert number.candidates <= domains.CANDIDATES
    assert number.coded(np.array([low, high, -np.inf, np.inf])).tolist() == [0, number.steps, 0, number.steps]
    assert number.value(number.steps) == pytest.approx(high)
    assert max(number.squares(np.array([0, number.steps]))) == domains.SQUARES


@pytest.mark.parametrize(
    "make",
    [
        lambda: Number(1, 1),
        lambda: Number(2, 1),
        lambda: Number(0, math.inf),
        lambda: Number(math.nan, 1),
        lambda: Number(0, 10, (5, 3)),
        lambda: Number(0, 10, (10,)),
        lambda: Number(1e15, 1e15 + 0.01),
        lambda: Categories(()),
        lambda: Categories(("a", "a")),
        lambda: Categories(("",)),
        lambda: request(epsilon=0),
        lambda: request(epsilon=math.inf),
        lambda: request(delta=0.5),
        lambda: request(delta=0.0),
        lambda: request(statistics=("median",)),
        lambda: request(quantiles=(0.0,)),
        lambda: request(by=(("nobody",),)),
        lambda: request(by=(("city", "dept"),)),
        lambda: request(cross=(("dept", "dept"),)),
        lambda: request(max_rows=2),
        lambda: request(dataset=""),
        lambda: unbounded(delta=0.0, max_rows=0),
        lambda: request(columns=(("score", SCORE), ("score", DEPT)), by=(), cross=()),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any) -> None:
    with pytest.raises(UsageError):
        make()


def test_cells_mean_the_same_whatever_their_column_s_type() -> None:
    """A column of whole numbers turns into one of floats when somebody adds half a one: the others' cells must not
    notice."""
    whole = domains.words(pl.Series([1, 2, 10**15]))
    assert domains.words(pl.Series([1.0, 2.0, 1e15])).to_list() == whole.to_list() == ["1", "2", str(10**15)]
    assert domains.words(pl.Series([2.5, math.nan, None])).to_list() == ["2.5", None, None]
    assert domains.words(pl.Series(["1.0", "-0.0", "1.50", "1e-05", "2e3", "e5"])).to_list() == [
        "1",
        "0",
        "1.50",
        "0.00001",
        "2e3",
        "e5",
    ]
    assert domains.words(pl.Series([[1], [1, 2], [], None])).to_list() == ["1", None, None, None]
    assert domains.numbers(pl.Series([[1.5], [1, 2], [], None])).to_list() == [1.5, None, None, None]
    assert domains.numbers(pl.Series([True, None])).to_list() == [None, None]
    assert domains.numbers(pl.Series(["1", "2.5", "", "x", "nan", " 3 "])).to_list() == [
        1.0,
        2.5,
        None,
        None,
        None,
        3.0,
    ]


@pytest.mark.parametrize(("values", "width"), [([3.0] * 500 + [100.0] * 500, 126), ([-7.0] * 500, 4), ([0.0] * 900, 0)])
def test_estimated_bounds_hold_the_values(values: list[float], width: float) -> None:
    noise.require()
    asked = unbounded(delta=0.0)
    (query,) = [q for q in queries(asked) if q.kind == "estimate"]
    tallied = Tally.of(pl.DataFrame({"score": values, "dept": "a"}), [query.measure], dict(asked.columns))
    _, found = answers.draw_bounds(tallied, query, asked, costs(asked))
    # With noise of a scale of 13, a bin of 500 stays below the threshold once in 10¹⁰; an empty one gets above it more
    # often, which makes bounds wider, but those of zeros alone, which are one apart without it.
    assert all(found.low <= v <= found.high for v in values)
    assert found.high - found.low >= width and found.high > found.low
    assert found.source == "estimated"


@pytest.mark.parametrize("value", [0.0, 1e-30, 2**-20, 0.3, 1.0, 3.0, 1024.0, 1e11])
def test_powers_hold_their_numbers(value: float) -> None:
    for x in (value, -value):
        place = int(domains.powers(np.array([x]))[0])
        low, high = domains.power_bounds(place, place)
        assert low <= x <= high
        assert high - low <= max(2 * abs(x), 1)


def test_scores_are_best_where_the_quantile_is() -> None:
    counts = np.array([5, 0, 3, 0, 2])
    for num, den in ((1, 2), (1, 4), (3, 4), (1, 1000), (999, 1000)):
        found = answers.scores(counts, num, den)
        upto = np.cumsum(counts)
        for i, score in enumerate(found):
            holds = upto[i] - counts[i] <= Fraction(num, den) * 10 <= upto[i]
            assert (score == 0) == holds


def test_noise_is_the_smaller_of_two() -> None:
    few, many = costs(request(by=(), cross=(), statistics=("count",))), costs(request())
    assert (few.share.mechanism, many.share.mechanism) == ("laplace", "gaussian")
    assert few.loss.delta == many.loss.delta == 1e-6  # both look for keys
    unused = costs(request(columns=(("score", SCORE),), by=(), cross=(), quantiles=(0.5,)))
    assert (
        unused.share.mechanism == "laplace" and unused.loss.delta == 1e-6
    )  # what was declared is charged: the budget has room for either noise


WEIGHT = Number(-5, 5)
TWO = (("score", SCORE), ("weight", WEIGHT), ("dept", DEPT))
PRODUCTS = Measure((Axis("dept"),), "score", "products", "weight")
two_numbers = st.tuples(
    st.sampled_from(["0", "120", "60", "x", "", "1e300"]) | st.floats(-200, 300).map(str),
    st.sampled_from(["-5", "5", "0", "", "-inf"]) | st.floats(-9, 9).map(str),
    st.sampled_from(["a", "b", "c", ""]),
)


def moments(delta: float = 0.0, **changed: Any) -> Any:
    return request(columns=TWO, by=(("dept",),), cross=(), delta=delta, moments=True, **changed)


def of_two(table: list[Any]) -> Tally:
    measures = list(dict.fromkeys(q.measure for q in queries(moments())))
    whole = pl.DataFrame(table, schema=dict.fromkeys(("score", "weight", "dept"), pl.String), orient="row")
    return Tally.of(complete(whole, ["score", "weight"]), measures, dict(TWO))


def test_moments_of_groups_are_few_queries() -> None:
    names = [q.name for q in queries(moments())]
    assert names == [
        "count by dept",
        "sum of score by dept",
        "sum of weight by dept",
        "sum of squares of score by dept",
        "sum of squares of weight by dept",
        "sum of products of score and weight by dept",
    ]
    for wrong in (
        {"by": ()},
        {"by": (("dept",), ("score",))},
        {"columns": (("dept", DEPT),)},
        {"columns": (*TWO, ("city", Unbounded()))},
    ):
        with pytest.raises(UsageError):
            request(**{"columns": TWO, "by": (("dept",),), "cross": (), "moments": True} | wrong)


@given(st.lists(two_numbers, max_size=14))
@settings(max_examples=40)
def test_products_are_what_a_slow_loop_sums(table: list[Any]) -> None:
    """In units of 2^−20 of the greatest product, half of one off in each row, and what rounding to steps does."""
    made, labels = of_two(table), (*DEPT.values, OTHER, MISSING)
    exact, rows = dict.fromkeys(labels, Fraction(0)), dict.fromkeys(labels, 0)
    for score, weight, dept in table:
        pair = [
            None if (x := slow_float(cell)) is None else Fraction(min(max(x, low), high))
            for cell, low, high in ((score, 0, 120), (weight, -5, 5))
        ]
        if None not in pair:
            exact[slow_word(dept)] += (pair[0] - 60) * (pair[1] - 0) * domains.SQUARES / (60 * 5)  # type: ignore[operator]
            rows[slow_word(dept)] += 1
    assert made.counts[Measure((Axis("dept"),))].tolist() == list(rows.values())
    for n, found, sent in zip(rows.values(), made.counts[PRODUCTS], exact.values(), strict=True):
        assert abs(int(found) - sent) <= n * (Fraction(1, 2) + domains.SQUARES * Fraction(2, 100_000))


def slow_float(text: str) -> float | None:
    try:
        number = float(text.strip())
    except ValueError:
        return None
    return None if math.isnan(number) else number


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@given(others=st.lists(two_numbers, max_size=8), mine=st.lists(two_numbers, min_size=1, max_size=3))
@settings(max_examples=80)
def test_no_unit_moves_moments_by_more_than_they_cost(delta: float, others: list[Any], mine: list[Any]) -> None:
    asked = moments(delta, unit="person", max_rows=3)
    price, total = costs(asked), 0.0
    without, with_me = of_two(others), of_two(others + mine)
    for query in queries(asked):
        moved = sensitivity(query, dict(TWO), 3)
        difference = with_me.counts[query.measure] - without.counts[query.measure]
        assert int(np.abs(difference).sum()) <= moved
        scale = noise.scale_of(price.share, moved)
        far = (
            float(np.abs(difference).sum())
            if price.share.mechanism == "laplace"
            else math.sqrt(float((difference.astype(float) ** 2).sum()))
        )
        total += far / scale if price.share.mechanism == "laplace" else (far / scale) ** 2 / 2
    bound = price.loss.epsilon if price.share.mechanism == "laplace" else price.loss.rho
    assert total <= bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("score", "weight", "sign"), [("120", "5", 1), ("0", "-5", 1), ("0", "1e9", -1), ("inf", "-inf", -1)]
)
def test_one_extreme_row_costs_all_of_a_product(score: str, weight: str, sign: int) -> None:
    (query,) = [q for q in queries(moments()) if q.measure == PRODUCTS]
    assert of_two([(score, weight, "a")]).counts[PRODUCTS].tolist() == [
        sign * sensitivity(query, dict(TWO), 1),
        0,
        0,
        0,
    ]
