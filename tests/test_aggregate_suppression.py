"""Whoever adds and subtracts what is published finds no set of rows that breaks a rule. The attacks here are slow
and know nothing of how groups were chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from piiscan.aggregates import suppression
from piiscan.aggregates.disclosure_rules import Rules
from piiscan.aggregates.flow import lightest_cut, max_flow
from piiscan.aggregates.group_sums import ALL, Key, Sums
from piiscan.aggregates.suppression import COMPLEMENTARY, Families, Suppression, suppressed
from piiscan.core.errors import UsageError


class Row(NamedTuple):
    key: Key
    unit: str
    x: int


def table(sizes: Mapping[Key, int], values: Sequence[int], units: int) -> list[Row]:
    """units: of how many people the rows are, in turns; 0: each row is another person's."""
    rows, number = [], 0
    for key, size in sorted(sizes.items()):
        for _ in range(size):
            rows.append(Row(key, f"u{number % units if units else number}", values[number % len(values)]))
            number += 1
    return rows


def summed(rows: Sequence[Row], with_units: bool) -> Sums:
    by = [str(i) for i in range(len(rows[0].key))]
    frame = pl.DataFrame([(*r.key, r.unit, str(r.x)) for r in rows], schema=[*by, "person", "x"], orient="row")
    return Sums.of(frame, by, ["x"], "person" if with_units else None)


def broken(rows: Sequence[Row], rules: Rules) -> list[str]:
    """The rules that a group of rows breaks, written down once more."""
    adds: dict[str, int] = {}
    for row in rows:
        adds[row.unit] = adds.get(row.unit, 0) + abs(row.x)
    largest = [*sorted(adds.values(), reverse=True), 0, 0]
    found = []
    if len(adds) < rules.min_group:
        found.append("smaller than min-group")
    if len(rows) < 3:
        found.append("too few rows for so many columns")
    if len({r.x for r in rows}) == 1:
        found.append("x doesn't vary")
    if rules.p_percent and sum(largest[2:]) < Fraction(str(rules.p_percent)) / 100 * largest[0]:
        found.append("p% rule for x")
    if rules.dominance and sum(largest[: rules.dominance[0]]) > Fraction(str(rules.dominance[1])) / 100 * sum(largest):
        found.append("dominance rule for x")
    return found


def published(done: Suppression) -> list[list[bool]]:
    """What is published as sums over all groups: a line each."""
    keys = sorted(done.groups)
    shown = [k for k in (*done.groups, *done.totals) if k not in done.withheld]
    return [[all(a in (b, ALL) for a, b in zip(s, k, strict=True)) for k in keys] for s in shown]


def fixed(lines: Sequence[Sequence[bool]], width: int) -> Iterator[tuple[int, ...]]:
    """Every set of groups whose sum follows from these lines."""
    every = np.array(list(product((0, 1), repeat=width)), dtype=float)[1:]
    if not lines:
        return
    a = np.array(lines, dtype=float)
    onto = np.linalg.pinv(a) @ a
    for row in every[np.abs(every @ onto - every).max(axis=1) < 1e-8]:
        yield tuple(np.flatnonzero(row).tolist())


sizes_2 = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")),
    st.sampled_from([1, 1, 2, 3, 5, 8]),
    min_size=2,
    max_size=9,
)
sizes_1 = st.dictionaries(st.tuples(st.sampled_from("abcdefg")), st.sampled_from([1, 1, 2, 3, 5, 8]), min_size=2)
sizes_3 = st.dictionaries(st.tuples(*[st.sampled_from("ab")] * 3), st.sampled_from([1, 2, 3, 5, 8]), min_size=2)
sizes_any = st.one_of(
    sizes_1.map(lambda s: (s, "all")), sizes_2.map(lambda s: (s, "all")), sizes_3.map(lambda s: (s, "nested"))
)
rules_any = st.sampled_from([Rules(3, 0), Rules(4, 0), Rules(5, 0), Rules(4, 10), Rules(3, 20, (2, 75))])
values = st.lists(st.sampled_from([1, 2, 3, 7, 100, -5, 0]), min_size=1, max_size=12)


@pytest.mark.parametrize("many", [0, 400])  # networks of more edges are searched otherwise
@given(shape=sizes_any, rules=rules_any, xs=values, units=st.sampled_from([0, 0, 0, 7, 11]))
@settings(max_examples=100)
def test_who_adds_and_subtracts_finds_nothing(many: int, shape: Any, rules: Rules, xs: list[int], units: int) -> None:
    sizes, totals = shape
    rows = table(sizes, xs, units)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppression, "_MANY", many)
        done = suppressed(summed(rows, units > 0), ["x"], rules, Families.of(len(next(iter(sizes))), totals))
    keys, lines = sorted(done.groups), published(done)
    members = {k: [r for r in rows if r.key == k] for k in keys}
    for found in fixed(lines, len(keys)):
        assert not broken([r for i in found for r in members[keys[i]]], rules), [keys[i] for i in found]
    if units == 0:  # then who is alone in a group knows it
        alone = [i for i, k in enumerate(keys) if k in done.withheld and sizes[k] == 1]
        for i in [i for i, k in enumerate(keys) if k in done.withheld and done.withheld[k] != (COMPLEMENTARY,)]:
            known = [[j == other for j in range(len(keys))] for other in alone if other != i]
            for found in fixed(lines + known, len(keys)):
                others = [j for j in found if j not in alone or j == i]
                if i in others:
                    assert not set(done.withheld[keys[i]]) & set(
                        broken([r for j in others for r in members[keys[j]]], rules)
                    )


@given(sizes_any, st.sampled_from([Rules(3, 0), Rules(5, 0)]))
@settings(max_examples=50)
def test_by_linear_programming_no_count_is_known_closely(shape: Any, rules: Rules) -> None:
    """Counts aren't below 0 and add up as published: so each withheld one can be any of min_group + 1 successive
    numbers."""
    sizes, totals = shape
    done = suppressed(
        summed(table(sizes, [1, 2, 3], 0), False), ["x"], rules, Families.of(len(next(iter(sizes))), totals)
    )
    keys, lines = sorted(done.groups), published(done)
    counts = np.array([sizes[k] for k in keys], dtype=float)
    for i in [i for i, k in enumerate(keys) if k in done.withheld and done.withheld[k] != (COMPLEMENTARY,)]:
        alone = [j for j, k in enumerate(keys) if k in done.withheld and sizes[k] == 1 and j != i]
        a = np.array([*lines, *([j == k for j in range(len(keys))] for k in alone)], dtype=float).reshape(-1, len(keys))
        goal = np.eye(len(keys))[i]
        ends = [
            linprog(sign * goal, A_eq=a if len(a) else None, b_eq=a @ counts if len(a) else None) for sign in (1, -1)
        ]
        least, most = ends[0].fun, -ends[1].fun if ends[1].status == 0 else np.inf
        assert most - least >= rules.min_group - 1e-6


def test_nothing_is_withheld_where_no_rule_is_broken() -> None:
    sizes = {(a, b): 5 for a in "abc" for b in "xyz"}
    assert not suppressed(
        summed(table(sizes, [1, 2, 3, 4], 0), False), ["x"], Rules(5, 0), Families.of(2, "all")
    ).withheld


@pytest.mark.parametrize(
    ("sizes", "withheld"),
    [
        ({"a": 2, "b": 20, "c": 30}, {"a", "b"}),  # a total gives a away, so the smallest other is withheld too
        ({"a": 4, "b": 4, "c": 30}, {"a", "b", "c"}),  # two of 4 are 8 together: a third has to go
        ({"a": 6, "b": 6, "c": 30}, {"a", "b"}),  # 12 rows are enough
        ({"a": 1, "b": 9, "c": 30, "d": 40}, {"a", "b", "c"}),  # who is alone in a group takes itself off
        ({"a": 10, "b": 10}, set()),
    ],
)
def test_complementary_suppression_of_one_column(sizes: dict[str, int], withheld: set[str]) -> None:
    rows = table({(k,): n for k, n in sizes.items()}, [1, 2, 3, 4, 5], 0)
    done = suppressed(summed(rows, False), ["x"], Rules(10, 0), Families.of(1, "all"))
    assert {k for (k,) in done.withheld} == withheld


def test_a_table_by_two_columns_needs_a_cycle() -> None:
    sizes = {(a, b): 20 for a in "abc" for b in "xyz"} | {("a", "x"): 2}
    done = suppressed(summed(table(sizes, [1, 2, 3], 0), False), ["x"], Rules(10, 0), Families.of(2, "all"))
    assert {k for k, why in done.withheld.items() if why != (COMPLEMENTARY,)} == {("a", "x")}
    assert len(done.withheld) == 4 and not any(ALL in k for k in done.withheld)


def test_a_group_that_is_a_bridge_between_two_cycles_is_no_secret() -> None:
    """Each of its lines has others that are withheld, and yet it follows from them: the set that a simple look at
    lines misses."""
    sizes = {(a, b): 20 for a in "abcd" for b in "wxyz"}
    corners = [("a", "w"), ("a", "x"), ("b", "w"), ("b", "x"), ("c", "y"), ("c", "z"), ("d", "y"), ("d", "z")]
    sizes |= dict.fromkeys([*corners, ("b", "y")], 2)
    done = suppressed(summed(table(sizes, [1, 2, 3], 0), False), ["x"], Rules(3, 0), Families.of(2, "all"))
    found = {k for k in done.withheld if done.withheld[k] != (COMPLEMENTARY,)}
    assert found == {*corners, ("b", "y")} and len(done.withheld) > len(found)


@pytest.mark.parametrize(
    "rules",
    [
        lambda: Rules(2),
        lambda: Rules(10, -1),
        lambda: Rules(10, 0, (0, 50)),
        lambda: Rules(10, 0, (2, 100)),
        lambda: Rules(10, 0, (11, 50)),
        lambda: Families.of(3, "all"),
    ],
)
def test_rules_that_protect_nobody_are_refused(rules: Any) -> None:
    with pytest.raises(UsageError):
        rules()


networks = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz")), st.integers(-3, 9), min_size=1, max_size=9
)


@given(networks)
@settings(max_examples=100)
def test_the_lightest_cut_is_the_lightest_of_all(edges: dict[tuple[str, str], int]) -> None:
    nodes = sorted({n for edge in edges for n in edge})
    through = sorted(edges)[0]
    cuts = []
    for mask in product((False, True), repeat=len(nodes)):
        inside = {n for n, there in zip(nodes, mask, strict=True) if there}
        if (
            through[1] in inside
            and through[0] not in inside
            and not any(a in inside and b not in inside for a, b in edges)
        ):
            cuts.append(sum(w for (a, b), w in edges.items() if b in inside and a not in inside))
    found = lightest_cut(edges, through)
    assert found is not None and found.weight == min(cuts)


@given(networks)
@settings(max_examples=50)
def test_flows_are_what_linear_programming_finds(edges: dict[tuple[str, str], int]) -> None:
    arcs = [(*edge, abs(n)) for edge, n in edges.items()] + [("s", "a", 5), ("s", "b", 4), ("y", "t", 6), ("z", "t", 3)]
    nodes = sorted({n for a, b, _ in arcs for n in (a, b)} - {"s", "t"})
    balance = np.array([[(b == n) - (a == n) for a, b, _ in arcs] for n in nodes], dtype=float)
    best = linprog(
        [-float(b == "t") for _, b, _ in arcs],
        A_eq=balance,
        b_eq=np.zeros(len(nodes)),
        bounds=[(0, c) for *_, c in arcs],
    )
    assert max_flow(arcs, "s", "t")[0] == pytest.approx(-best.fun)


def test_one_person_in_two_groups_is_one_person() -> None:
    """Two withheld groups of the same three people are three people together, however many rows: a third group has
    to go."""
    rows = [Row((dept,), f"u{i}", i) for dept in "ab" for i in range(3)] + [
        Row((dept,), f"{dept}{i}", i) for dept in "cd" for i in range(20)
    ]
    done = suppressed(summed(rows, True), ["x"], Rules(5, 0), Families.of(1, "all"))
    assert set(done.withheld) == {("a",), ("b",), ("c",)}
