"""Micro-aggregation: every group is large enough, as the paper's algorithm makes them, whatever the rows' order."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from operator_cases import law

from piiscan.anonymity.search.mdav import Floats, mdav, means
from piiscan.core.errors import UsageError

tables = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=30),
    elements=st.integers(-3, 3) | st.floats(-1e308, 1e308),
)


def as_in_the_paper(values: Floats, k: int) -> set[frozenset[int]]:
    """Algorithm 3, row by row, for rows that all differ in all distances."""
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    left, groups = list(range(len(values))), set()

    def group_around(i: int) -> None:
        near = sorted(left, key=lambda j: float(((scaled[j] - scaled[i]) ** 2).sum()))[:k]
        groups.add(frozenset(near))
        for j in near:
            left.remove(j)

    def farthest(point: Floats) -> int:
        return max(left, key=lambda j: float(((scaled[j] - point) ** 2).sum()))

    while len(left) >= 3 * k:
        first = farthest(scaled[left].mean(axis=0))
        group_around(first)
        group_around(farthest(scaled[first]))
    if len(left) >= 2 * k:
        group_around(farthest(scaled[left].mean(axis=0)))
    return groups | {frozenset(left)}


@pytest.mark.parametrize("rows", [7, 10, 14, 15, 50, 203])
@pytest.mark.parametrize("k", [2, 5])
def test_groups_are_the_paper_s(rows: int, k: int) -> None:
    values = np.random.default_rng(rows).normal(size=(rows, 3)) * (1, 100, 0.01)
    groups = mdav(values, k)
    assert {frozenset(np.flatnonzero(groups == g).tolist()) for g in range(groups.max() + 1)} == as_in_the_paper(
        values, k
    )


@law
@given(values=tables, k=st.integers(1, 6), data=st.data())
def test_groups_have_k_rows_or_more(values: Floats, k: int, data: st.DataObject) -> None:
    if len(values) < k:
        return
    groups = mdav(values, k)
    sizes = np.bincount(groups)
    assert sizes.min() >= k
    if len(np.unique(values, axis=0)) == len(values):
        assert sizes.max() < 2 * k
    for row in np.unique(values, axis=0):
        assert len(set(groups[(values == row).all(axis=1)].tolist())) == 1
    order = np.array(data.draw(st.permutations(range(len(values)))))
    assert np.array_equal(mdav(values[order], k), groups[order])


@law
@given(values=tables.filter(lambda t: np.abs(t).max() < 1e300), data=st.data())
def test_means_are_the_groups_and_don_t_depend_on_order(values: Floats, data: st.DataObject) -> None:
    groups = mdav(values, min(3, len(values)))
    found = means(values, groups)
    for g in range(groups.max() + 1):
        assert len(np.unique(found[groups == g], axis=0)) == 1
        assert found[groups == g][0] == pytest.approx(
            values[groups == g].mean(axis=0), rel=1e-6, abs=1e-6 * np.abs(values).max() + 1e-9
        )
    order = np.array(data.draw(st.permutations(range(len(values)))))
    assert np.array_equal(means(values[order], groups[order]), found[order])


def test_a_constant_column_changes_nothing() -> None:
    values = np.random.default_rng(1).normal(size=(40, 1))
    assert np.array_equal(mdav(np.c_[values, np.full(40, 7.0)], 4), mdav(values, 4))


def test_columns_count_alike_whatever_their_units() -> None:
    values = np.random.default_rng(2).normal(size=(60, 2))
    assert np.array_equal(mdav(values * (2.0**10, 2.0**-10), 4), mdav(values, 4))


@pytest.mark.parametrize(
    ("values", "k", "message"),
    [
        (np.zeros((4, 2)), 5, "needs at least"),
        (np.zeros((4, 2)), 0, "a k of at least 1"),
        (np.zeros(4), 2, "at least 2 rows"),
        (np.array([[1.0], [np.nan], [2.0]]), 2, "missing values"),
        (np.array([[1.0], [np.inf], [2.0]]), 2, "finite numbers"),
    ],
)
def test_what_can_t_be_grouped_is_refused(values: Floats, k: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mdav(values, k)


def test_ten_thousand_rows_take_a_second() -> None:
    values = np.random.default_rng(3).normal(size=(10_000, 2))
    began = time.process_time()
    assert np.bincount(mdav(values, 5)).tolist() == [5] * 2000
    assert time.process_time() - began < 5
