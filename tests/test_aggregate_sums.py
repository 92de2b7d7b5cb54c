"""Exact sums are the same in whatever parts the rows come, and figures are those of exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from piiscan.aggregates.figures import figures, reconstruction
from piiscan.aggregates.group_sums import ALL, PLACES, Sums, pairs
from piiscan.core.errors import UsageError

numbers = (
    st.floats(-1e6, 1e6) | st.integers(-50, 50).map(float) | st.sampled_from([1e99, -1e99, 5e-324, 1e-30, 0.1, 0.0])
)
cells = numbers.map(repr) | st.sampled_from(["", "NA", " 7 ", "null"])
rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", ""]), st.sampled_from(["x", "y"]), st.sampled_from(["p", "q", "r", ""]), cells, cells
    ),
    max_size=25,
)


def summed(table: list[Any], unit: str | None = None) -> Sums:
    frame = pl.DataFrame(table, schema=dict.fromkeys(("dept", "site", "person", "v", "w"), pl.String), orient="row")
    return Sums.of(frame, ["dept", "site"], ["v", "w"], unit)


@pytest.mark.parametrize("unit", [None, "person"])
@given(a=rows, b=rows, c=rows)
@settings(max_examples=25)
def test_sums_are_an_exact_monoid(unit: str | None, a: list[Any], b: list[Any], c: list[Any]) -> None:
    x, y, z = (summed(table, unit) for table in (a, b, c))
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x + Sums.empty(2, unit is not None) == x
    assert x + y == summed(a + b, unit)


def slow(table: list[Any]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for dept, site, _, v, w in table:
        if v.strip() not in ("", "NA", "null") and w.strip() not in ("", "NA", "null"):
            groups.setdefault((dept or "(missing)", site), []).append((float(v), float(w)))
    return groups


@given(rows)
@settings(max_examples=25)
def test_sums_are_what_fractions_give(table: list[Any]) -> None:
    made, expected = summed(table), slow(table)
    assert made.groups.keys() == expected.keys()
    assert made.incomplete == len(table) - sum(map(len, expected.values()))
    for key, members in expected.items():
        exact, values = made.groups[key], [[Fraction(m[i]) for m in members] for i in (0, 1)]
        assert exact.rows == len(members)
        assert [Fraction(s, 1 << PLACES) for s in exact.sums] == [sum(v) for v in values]
        assert [Fraction(s, 1 << PLACES) for s in exact.sizes] == [sum(map(abs, v)) for v in values]
        products = [sum(a * b for a, b in zip(values[i], values[j], strict=True)) for i, j in pairs(2)]
        assert [Fraction(s, 1 << 2 * PLACES) for s in exact.products] == products
        assert exact.largest == tuple(tuple(sorted((abs(m[i]) for m in members), reverse=True)[:10]) for i in (0, 1))


@given(rows)
@settings(max_examples=40)
def test_totals_and_contributions_are_what_a_slow_loop_counts(table: list[Any]) -> None:
    made = summed(table, "person")
    for level, key_of in (((0,), lambda k: (k[0], ALL)), ((), lambda k: (ALL, ALL))):
        adds: dict[Any, dict[str, list[Fraction]]] = {}
        for dept, site, person, v, w in table:
            if slow([(dept, site, person, v, w)]) and person:
                own = adds.setdefault(key_of((dept or "(missing)", site)), {}).setdefault(
                    person, [Fraction(0), Fraction(0)]
                )
                own[0] += abs(Fraction(float(v)))
                own[1] += abs(Fraction(float(w)))
        found = made.margin(level).contributions()
        assert found.keys() == adds.keys()
        for key, people in adds.items():
            units, largest = found[key]
            assert units == len(people)
            for i in (0, 1):
                assert largest[i] == pytest.approx(
                    sorted((float(p[i]) for p in people.values()), reverse=True), rel=1e-12
                )


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e3, 1e3)), min_size=2, max_size=30))
@settings(max_examples=50)
def test_figures_are_those_of_exact_arithmetic(values: list[tuple[float, float]]) -> None:
    result = figures(summed([("a", "x", "p", repr(v), repr(w)) for v, w in values]).groups["a", "x"])
    n, columns = len(values), [[Fraction(row[i]) for row in values] for i in (0, 1)]
    means = [sum(c) / n for c in columns]
    assert result.mean == tuple(map(float, means))
    spread = {
        (i, j): sum((a - means[i]) * (b - means[j]) for a, b in zip(columns[i], columns[j], strict=True))
        for i, j in pairs(2)
    }
    for i in (0, 1):
        assert result.std[i] == pytest.approx(math.sqrt(spread[i, i] / (n - 1)), rel=1e-14)
    if spread[0, 0] * spread[1, 1]:
        share = spread[0, 1] ** 2 / (
            spread[0, 0] * spread[1, 1]
        )  # exact: a product of small ones would be 0 as a float
        exact = math.copysign(math.sqrt(share), spread[0, 1])
        assert (
            result.correlation[0][1] == pytest.approx(exact, rel=1e-9, abs=1e-12)
            and abs(result.correlation[0][1] or 0) <= 1
        )
    else:
        assert result.correlation[0][1] is None


@given(st.integers(0, 2**32), st.integers(20, 200))
@settings(max_examples=25)
def test_figures_are_those_of_pandas(seed: int, n: int) -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(seed)
    frame = pandas.DataFrame(
        {"g": random.integers(0, 3, n).astype(str), "v": random.normal(1e4, 30, n), "w": random.exponential(5, n)}
    )
    made = Sums.of(pl.from_pandas(frame), ["g"], ["v", "w"])
    for group, part in frame.groupby("g"):
        result = figures(made.groups[group,])
        assert result.count == len(part)
        assert result.mean == pytest.approx(part[["v", "w"]].mean().tolist(), rel=1e-12)
        if len(part) > 1:
            assert result.std == pytest.approx(part[["v", "w"]].std().tolist(), rel=1e-9)
        if len(part) > 2:
            assert result.correlation[0][1] == pytest.approx(part.v.corr(part.w), rel=1e-7, abs=1e-9)


def test_far_from_zero_nothing_cancels() -> None:
    """The textbook case that sums of squares in floating point get wrong: variance 1 at 10¹⁵."""
    result = figures(summed([("a", "x", "p", f"{10**15 + i}", "1") for i in (-1, 0, 1)]).groups["a", "x"])
    assert result.std[0] == 1.0


@pytest.mark.parametrize("cell", ["1,234.5", "x", "inf", "12 EUR", "1e101"])
def test_what_is_no_number_is_refused_and_not_quoted(cell: str) -> None:
    with pytest.raises(UsageError) as error:
        summed([("a", "x", "p", "1", "2"), ("a", "x", "p", cell, "2")])
    assert "column v" in str(error.value) and cell not in str(error.value).replace("1,234.5)", "")


@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 2**32))
@settings(max_examples=40)
def test_freedom_is_the_dimension_of_what_has_these_moments(rows: int, columns: int, seed: int) -> None:
    """Counted otherwise: numbers in the rows less the rank of the moments' derivatives."""
    x = np.random.default_rng(seed).normal(size=(rows, columns))
    centred = x - x.mean(axis=0)
    derivatives = [np.outer(np.ones(rows), np.eye(columns)[i]).ravel() for i in range(columns)]
    for i, j in pairs(columns):
        change = np.zeros((rows, columns))
        change[:, i] += centred[:, j]
        change[:, j] += centred[:, i]
        derivatives.append(change.ravel())
    rank = np.linalg.matrix_rank(np.array(derivatives), tol=1e-9)
    assume(np.linalg.matrix_rank(centred) == min(columns, rows - 1))
    result = reconstruction(rows, columns)
    assert result.cells == rows * columns and result.figures == 2 * columns + columns * (columns - 1) // 2
    assert result.freedom == result.cells - rank
