"""Privacy models against a few plain lines each, over random tables; and what they say of themselves to a search."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.anonymity.classes import classes_of, tally
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import Coded
from piiscan.anonymity.models.closeness import TCloseness, groups_of, value_ranks
from piiscan.anonymity.models.diversity import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from piiscan.anonymity.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from piiscan.anonymity.models.model import KAnonymity, PrivacyModel, View
from piiscan.anonymity.models.presence import DeltaPresence
from piiscan.core.errors import UsageError

VALUES = 5
TREE = Hierarchy.of("s", [(str(v), "low" if v < 2 else "high", "*") for v in range(VALUES)])
CODED = Coded(tuple(map(str, range(VALUES))), np.arange(VALUES))
Rows = Sequence[tuple[int, int, int]]
"""(class, sensitive value, unit), a row each."""


def view(rows: Rows, units: bool = False, population: Sequence[int] | None = None) -> View:
    """As the program makes it: classes by label, values tallied, units counted once."""
    label, value, unit = (np.array([r[i] for r in rows], np.int64) for i in range(3))
    ones = np.ones(len(rows), np.int64)
    classes = classes_of([label], [int(label.max(initial=0)) + 1], ones, unit if units else None)
    counted = tally(classes, value, VALUES, ones, unit if units else None)
    return View(classes, {0: counted}, None if population is None else np.array(population, np.int64))


# The same in plain Python: a list of each class's values, and the share that each has.
def spread(values: Iterable[int]) -> dict[int, float]:
    counts = Counter(values)
    return {v: n / counts.total() for v, n in counts.items()}


def entropy(q: list[int], table: list[int]) -> float:
    return math.exp(-sum(p * math.log(p) for p in spread(q).values()))


def recursive(q: list[int], table: list[int], l: int = 2) -> float:  # noqa: E741
    counts = sorted(Counter(q).values(), reverse=True)
    return counts[0] / sum(counts[l - 1 :]) if counts[l - 1 :] else math.inf


def equal(q: list[int], table: list[int]) -> float:
    p, inside = spread(table), spread(q)
    return sum(abs(inside.get(v, 0) - p[v]) for v in p) / 2


def ordered(q: list[int], table: list[int]) -> float:
    p, inside = spread(table), spread(q)
    differences = np.cumsum([inside.get(v, 0) - p.get(v, 0) for v in range(VALUES)])
    return float(np.abs(differences).sum() / (VALUES - 1))


def hierarchical(q: list[int], table: list[int]) -> float:
    """The transport over TREE, whose leaves are 1/2 apart within a group and 1 between groups: what leaves a group,
    and half of what stays."""
    p, inside = spread(table), spread(q)
    extra = {v: inside.get(v, 0) - p.get(v, 0) for v in range(VALUES)}
    between = abs(extra[0] + extra[1])
    within = sum(min(sum(max(extra[v], 0) for v in g), sum(max(-extra[v], 0) for v in g)) for g in ((0, 1), (2, 3, 4)))
    return between + within / 2


def gains(q: list[int], table: list[int]) -> list[tuple[float, float]]:
    p = spread(table)
    return [(share / p[v] - 1, -math.log(p[v])) for v, share in spread(q).items()]


def enhanced(q: list[int], table: list[int]) -> float:
    return max(max(0.0, gain) if gain <= limit + 1e-12 else math.inf for gain, limit in gains(q, table))


def disclosure(q: list[int], table: list[int]) -> float:
    p, inside = spread(table), spread(q)
    return max(abs(math.log(inside[v] / p[v])) if v in inside else math.inf for v in p)


T = TCloseness(0, 0.3)
ORDERED = TCloseness(0, 0.2, order=value_ranks(CODED))
TREED = TCloseness(0, 0.3, groups=groups_of(CODED, TREE))
LEVELS: list[tuple[Any, Callable[[list[int], list[int]], float], Callable[[Iterable[float]], float]]] = [
    (DistinctLDiversity(0, 2), lambda q, table: float(len(set(q))), min),
    (EntropyLDiversity(0, 1.5), entropy, min),
    (RecursiveCLDiversity(0, 2.0, 2), recursive, max),
    (RecursiveCLDiversity(0, 2.0, 3), lambda q, table: recursive(q, table, 3), max),
    (AlphaKAnonymity(0, 0.6, 2), lambda q, table: max(spread(q).values()), max),
    (T, equal, max),
    (ORDERED, ordered, max),
    (TREED, hierarchical, max),
    (BasicBetaLikeness(0, 0.8), lambda q, table: max(0.0, *(g for g, _ in gains(q, table))), max),
    (EnhancedBetaLikeness(0, 0.8), enhanced, max),
    (DeltaDisclosure(0, 0.9), disclosure, max),
]
MODELS: list[Any] = [KAnonymity(3), *(m for m, _, _ in LEVELS), DeltaPresence(0.2, 0.6)]


def named(model: Any) -> str:
    return f"{model.name}-{getattr(model, 'distance', '')}{getattr(model, 'l', '')}"


tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, VALUES - 1), st.integers(0, 6)), min_size=1, max_size=40)


@pytest.mark.parametrize(("model", "plain", "worst"), LEVELS, ids=[named(m) for m, _, _ in LEVELS])
@given(rows=tables)
def test_levels_are_what_the_definition_says(model: Any, plain: Any, worst: Any, rows: Rows) -> None:
    by_class = defaultdict(list)
    for label, value, _ in rows:
        by_class[label].append(value)
    table = [value for _, value, _ in rows]
    wanted = [plain(by_class[label], table) for label in sorted(by_class)]
    seen = view(rows)
    assert model.levels(seen) == pytest.approx(wanted, abs=1e-9)
    assert model.value(seen) == pytest.approx(worst(wanted), abs=1e-9)


def within(model: Any, level: float, size: int) -> bool:
    """Whether a class of that level and size is to meet the model, rounding apart."""
    if isinstance(model, DistinctLDiversity | EntropyLDiversity):
        return level >= model.l - 1e-8
    if isinstance(model, RecursiveCLDiversity):
        return level < model.c
    if isinstance(model, AlphaKAnonymity):
        return level <= model.alpha + 1e-8 and size >= model.k
    if isinstance(model, DeltaDisclosure):
        return level < model.delta
    return level <= (model.t if isinstance(model, TCloseness) else model.beta) + 1e-8


@pytest.mark.parametrize("model", [m for m, _, _ in LEVELS], ids=[named(m) for m, _, _ in LEVELS])
@given(rows=tables)
def test_classes_meet_a_model_that_are_on_the_right_side_of_its_level(model: Any, rows: Rows) -> None:
    seen = view(rows)
    wanted = [within(model, level, size) for level, size in zip(model.levels(seen), seen.classes.sizes, strict=True)]
    assert model.meets(seen).tolist() == wanted


@settings(deadline=None, max_examples=30)
@given(rows=tables)
def test_the_transport_of_both_trees_is_the_cheapest(rows: Rows) -> None:
    """Both closed forms against the linear programme that defines the earth mover's distance."""
    from scipy.optimize import linprog

    table, first = [v for _, v, _ in rows], [v for label, v, _ in rows if label == rows[0][0]]
    p, q = (np.array([spread(x).get(v, 0.0) for v in range(VALUES)]) for x in (table, first))
    group = [0, 0, 1, 1, 1]
    apart = {
        ORDERED: [[abs(i - j) / (VALUES - 1) for j in range(VALUES)] for i in range(VALUES)],
        TREED: [
            [0.0 if i == j else 0.5 if group[i] == group[j] else 1.0 for j in range(VALUES)] for i in range(VALUES)
        ],
    }
    sums = [[1.0 if k // VALUES == i else 0.0 for k in range(VALUES**2)] for i in range(VALUES)]
    sums += [[1.0 if k % VALUES == j else 0.0 for k in range(VALUES**2)] for j in range(VALUES)]
    for model, cost in apart.items():
        best = linprog(np.ravel(cost), A_eq=sums, b_eq=[*q, *p]).fun
        assert model.levels(view(rows))[sorted({r[0] for r in rows}).index(rows[0][0])] == pytest.approx(best, abs=1e-7)


# What a search may conclude.
def pairs(rows: Rows, units: bool, population: Sequence[int]) -> list[tuple[View, View]]:
    """The classes of a table two by two: apart, and put together; both beside the same whole table."""
    labels = sorted({r[0] for r in rows})
    if units:
        whole = tally(
            classes_of([], [], np.ones(len(rows), np.int64)),
            np.array([r[1] for r in rows]),
            VALUES,
            np.ones(len(rows), np.int64),
        )
    else:
        whole = view([(0, v, u) for _, v, u in rows]).tallies[0]
    reference = np.bincount(whole.codes, whole.counts, VALUES).astype(np.int64)
    made = []
    for a, b in combinations(labels, 2):
        some = [r for r in rows if r[0] in (a, b)]
        people = [population[labels.index(a)], population[labels.index(b)]]
        apart = view(some, units, people)
        together = view([(0, v, u) for _, v, u in some], units, [sum(people)])
        made.append(tuple(View(v.classes, v.tallies, v.population, {0: reference}) for v in (apart, together)))
    return made  # type: ignore[return-value]


populations = st.lists(st.integers(1, 30), min_size=4, max_size=4)


@pytest.mark.parametrize("model", MODELS, ids=named)
@given(rows=tables, population=populations)
def test_what_is_called_monotone_and_absorbing_is(model: PrivacyModel, rows: Rows, population: list[int]) -> None:
    for units in (False, True) if model.for_units else (False,):
        for apart, together in pairs(rows, units, population):
            met = model.meets(apart)
            if model.monotone and met.all():
                assert model.meets(together).all()
            if model.absorbing and met.any():
                assert model.meets(together).all()


MANY_X = [(1, 0, u) for u in range(40)]
VARIED = [(0, v % VALUES, 50 + v) for v in range(10)]


@pytest.mark.parametrize("model", [m for m in MODELS if not m.absorbing], ids=named)
def test_what_is_not_called_absorbing_is_not(model: PrivacyModel) -> None:
    """A good class and a large one of a single value: together they are bad."""
    rows = [*VARIED, *MANY_X, *[(2, v % VALUES, 99 + v) for v in range(90)]]
    seen = pairs(rows, False, [30, 40, 200])[0]
    good = model if not isinstance(model, EntropyLDiversity) else EntropyLDiversity(0, 3)
    assert good.meets(seen[0])[0]
    assert not good.meets(seen[1])[0]


@pytest.mark.parametrize(
    "model", [EntropyLDiversity(0, 2), RecursiveCLDiversity(0, 1.5, 2), AlphaKAnonymity(0, 0.5, 1)], ids=named
)
def test_units_that_stand_in_both_classes_can_break_what_rows_keep(model: PrivacyModel) -> None:
    """Two have the one value in both classes, and count once in what these make together; the other value has two
    new people in each."""
    rows = [(c, 1, u) for c in (0, 1) for u in (3, 4)] + [(c, 0, 10 * c + u) for c in (0, 1) for u in (1, 2)]
    apart, together = pairs(rows, True, [9, 9])[0]
    assert model.meets(apart).all()
    assert not model.meets(together).any()
    assert not model.for_units


@given(rows=tables, seed=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: Rows, seed: Any) -> None:
    shuffled = list(rows)
    seed.shuffle(shuffled)
    for model, _, _ in LEVELS:
        assert model.levels(view(rows)).tolist() == model.levels(view(shuffled)).tolist()


@given(rows=tables)
def test_units_count_once_however_many_rows_they_have(rows: Rows) -> None:
    for model in (KAnonymity(2), DistinctLDiversity(0, 2), AlphaKAnonymity(0, 0.6, 1)):
        assert model.value(view(rows, units=True)) == model.value(view([*rows, *rows, *rows], units=True))


def test_one_person_is_no_crowd() -> None:
    """Three rows of one person, with three diagnoses: by rows 3-anonymous and 3-diverse, by units neither."""
    rows = [(0, 0, 7), (0, 1, 7), (0, 2, 7)]
    assert (KAnonymity(3).value(view(rows)), DistinctLDiversity(0, 3).value(view(rows))) == (3, 3)
    assert (KAnonymity(3).value(view(rows, units=True)), DistinctLDiversity(0, 3).value(view(rows, units=True))) == (
        1,
        1,
    )


def test_a_class_at_the_limit_meets_it() -> None:
    """Twice log 2 is a rounding error below log 4, and .1 + .2 above .3."""
    assert EntropyLDiversity(0, 4).meets(view([(0, v, v) for v in range(4)])).all()
    rows = [(0, 0, 0), (0, 1, 0)] * 5 + [(1, 0, 0)] * 8 + [(1, 1, 0)] * 2
    assert TCloseness(0, 0.15).meets(view(rows)).all()


def test_what_is_suppressed_belongs_to_the_reference() -> None:
    kept = [(0, 0, 0), (0, 1, 1)]
    alone = view(kept)
    among = View(alone.classes, alone.tallies, reference={0: np.array([9, 1, 0, 0, 0])})
    assert T.value(alone) == 0
    assert T.value(among) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (("10", "9", "9.5", None), [2, 0, 1, 3]),
        (("10", "9", "a", None, "nan"), [1, 0, 2, 4, 3]),
        (("*", "-3", "1e3"), [2, 0, 1]),
    ],
)
def test_values_have_their_places_as_numbers(values: tuple[str | None, ...], wanted: list[int]) -> None:
    assert value_ranks(Coded(values, np.arange(len(values)))).tolist() == wanted


def test_cells_that_say_nothing_are_as_far_from_all_others_as_can_be() -> None:
    values = Coded(("*", "0", "1", None), np.arange(4))
    groups = groups_of(values, TREE)
    assert [len(set(level.tolist())) for level in groups] == [4, 3, 1]
    assert groups[1][1] == groups[1][2]
    with pytest.raises(UsageError, match="lacks 1 of"):
        groups_of(Coded(("0", "other"), np.arange(2)), TREE)


def test_a_model_of_the_population_is_refused_without_one() -> None:
    with pytest.raises(UsageError, match="population"):
        DeltaPresence(0.0, 0.5).meets(view([(0, 0, 0)]))


def test_li_et_al_example() -> None:
    """Table 3 of the paper: {3k, 4k, 5k} and {6k, 8k, 11k} of nine salaries 3k .. 11k are .375 and .167 away."""
    order = np.arange(9)
    label, value = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), np.array([0, 1, 2, 3, 5, 8, 4, 6, 7])
    ones = np.ones(9, np.int64)
    classes = classes_of([label], [3], ones)
    seen = View(classes, {0: tally(classes, value, 9, ones)})
    assert TCloseness(0, 0.2, order=order).levels(seen)[:2] == pytest.approx([0.375, 1 / 6])


# pyCANON's tests/test_anonymity.py, TestMathScores: 216 scores, and the classes that its published values come from.
SCORES = {
    30: 3,
    32: 2,
    33: 2,
    34: 3,
    36: 2,
    37: 1,
    38: 1,
    39: 3,
    40: 2,
    42: 1,
    43: 1,
    44: 1,
    45: 3,
    46: 2,
    47: 3,
    48: 6,
    49: 1,
    50: 3,
    51: 5,
    52: 6,
    53: 7,
    54: 2,
    55: 2,
    56: 4,
    57: 6,
    58: 5,
    59: 5,
    60: 5,
    61: 4,
    62: 4,
    63: 2,
    64: 5,
    65: 7,
    66: 3,
    67: 5,
    68: 8,
    69: 4,
    70: 2,
    71: 4,
    72: 7,
    73: 4,
    74: 3,
    75: 2,
    76: 4,
    77: 3,
    78: 2,
    79: 6,
    80: 3,
    81: 1,
    82: 5,
    83: 6,
    84: 4,
    85: 5,
    86: 1,
    87: 5,
    88: 1,
    89: 5,
    90: 1,
    91: 5,
    92: 1,
    93: 3,
    94: 1,
    95: 3,
}
FARTHEST, RAREST = (33, 34, 48), (69, 82, 92)


def scores(of: Sequence[int]) -> View:
    """One class beside all scores."""
    value = array([list(SCORES).index(score) for score in of])
    ones = np.ones(len(of), np.int64)
    classes = classes_of([], [], ones)
    return View(classes, {0: tally(classes, value, len(SCORES), ones)}, reference={0: array(list(SCORES.values()))})


def array(values: Sequence[int]) -> Any:
    return np.array(values, np.int64)


def test_pycanon_s_published_values_where_they_are_right() -> None:
    assert TCloseness(0, 1, order=np.arange(len(SCORES))).value(scores(FARTHEST)) == pytest.approx(
        0.4165919952210274, rel=1e-12
    )
    assert BasicBetaLikeness(0, 1).value(scores(RAREST)) == pytest.approx(71.0, rel=1e-12)


def test_pycanon_s_published_values_where_they_are_not() -> None:
    """Enhanced β 5.375… is -ln of the rarest value's share, whatever classes look like; the score 92 gains 71, which no
    β allows: β ≤ -ln p. δ 4.276… is the largest finite logarithm; the classes lack scores, whose logarithm is
    infinite."""
    assert -math.log(1 / 216) == pytest.approx(5.375278407684164)
    assert EnhancedBetaLikeness(0, 1).value(scores(RAREST)) == math.inf
    assert math.log(72) == pytest.approx(4.276666119016055)
    assert DeltaDisclosure(0, 1).value(scores(RAREST)) == math.inf


@pytest.mark.parametrize("different", [2, 3, 4, 6])
def test_equally_frequent_values_are_as_diverse_as_they_are_many(different: int) -> None:
    """PyCANON 1.3.6 says 1, 2, 3 and 5: it rounds e^H down, which is just below."""
    ones = np.ones(different, np.int64)
    classes = classes_of([], [], ones)
    level = EntropyLDiversity(0, different)
    assert level.meets(View(classes, {0: tally(classes, np.arange(different), different, ones)})).all()
