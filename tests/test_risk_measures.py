"""Measures of risk against plain lines, and against what other tools publish: ARX's TestRiskMetrics, sdcMicro's
test_suda2 and test_indivRisk."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.anonymity.hierarchies.labels import Values, coarser
from piiscan.anonymity.histogram import Coded
from piiscan.anonymity.risk import attackers, column_sets, uniqueness
from piiscan.anonymity.risk.individual import individual_risk
from piiscan.anonymity.risk.linkage import Matches, match
from piiscan.anonymity.risk.uniqueness import SizeCounts

# Sizes of the classes of Adult (30,162 rows, nine quasi-identifiers, as ARX ships it) and how many there are of each.
ADULT = {
    1: 15512,
    2: 2098,
    3: 754,
    4: 375,
    5: 189,
    6: 155,
    7: 97,
    8: 73,
    9: 39,
    10: 37,
    11: 29,
    12: 18,
    13: 23,
    14: 14,
    15: 15,
    16: 9,
    17: 11,
    18: 10,
    19: 10,
    20: 5,
    21: 3,
    22: 4,
    23: 3,
    24: 2,
    25: 1,
    26: 3,
    27: 5,
    29: 1,
    30: 2,
    32: 1,
    34: 1,
    35: 1,
    36: 1,
    45: 1,
}
SIZES = np.repeat(np.array(list(ADULT)), list(ADULT.values()))
SAMPLE = SizeCounts.of(SIZES)

sizes_of_classes = st.lists(st.integers(1, 30), min_size=1, max_size=30)


def array(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int64)


# Attackers.
@given(sizes=sizes_of_classes)
def test_the_prosecutor_s_risk_is_one_in_the_class(sizes: list[int]) -> None:
    found = attackers.prosecutor(array(sizes))
    records = [1 / size for size in sizes for _ in range(size)]
    assert found.highest == max(records)
    assert found.average == pytest.approx(sum(records) / len(records))
    assert [a.records for a in found.above] == [sum(r > t for r in records) for t in attackers.THRESHOLDS]
    assert [a.share for a in found.above] == pytest.approx(
        [sum(r > t for r in records) / len(records) for t in attackers.THRESHOLDS]
    )


@given(sizes=sizes_of_classes, more=st.data())
def test_the_journalist_s_risk_is_no_higher_than_the_prosecutor_s(sizes: list[int], more: st.DataObject) -> None:
    population = [s + more.draw(st.integers(0, 50)) for s in sizes]
    found, known = attackers.journalist(array(sizes), array(population)), attackers.prosecutor(array(sizes))
    assert found.highest == 1 / min(population) <= known.highest
    assert found.average <= known.average + 1e-12
    assert found.average >= sum(s / p for s, p in zip(sizes, population, strict=True)) / sum(sizes) - 1e-12


@pytest.mark.parametrize(
    ("sizes", "average", "highest"),
    [
        (SIZES.tolist(), 0.6465751607983555, 1.0),  # testAverageRisk2, testHighestIndividualRisk2
        ([2, 2, 3], 0.42857142857142855, 0.5),  # testAverageRisk: seven rows after 2-anonymity
        ([1] * 7, 1.0, 1.0),
    ],
)
def test_arx_s_prosecutor_risks(sizes: list[int], average: float, highest: float) -> None:
    found = attackers.prosecutor(array(sizes))
    assert (found.average, found.highest) == (pytest.approx(average, rel=1e-14), highest)


# Population uniqueness: testDecisionRule2 gives Pitman's for fractions up to .1, the least of Zayatz's and SNB's above.
@pytest.mark.parametrize(("fraction", "share"), [(0.1, 0.27684993883653597), (0.01, 0.1446083531167384)])
def test_arx_s_uniqueness_by_pitman(fraction: float, share: float) -> None:
    found = uniqueness.pitman(SAMPLE, SAMPLE.records / fraction)
    assert found is not None
    assert found / (SAMPLE.records / fraction) == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize(
    ("fraction", "share"), [(0.1, 0.3207402393466189), (0.2, 0.3577099234829125), (1, 0.5142895033485844)]
)
def test_arx_s_uniqueness_by_zayatz(fraction: float, share: float) -> None:
    found = uniqueness.zayatz(SAMPLE, SAMPLE.records / fraction) * SAMPLE.number(1) / SAMPLE.records
    assert found == pytest.approx(share, rel=1e-9)


@settings(deadline=None, max_examples=40)
@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=12), more=st.integers(0, 60))
def test_zayatz_by_counting(sizes: list[int], more: int) -> None:
    """The probabilities by binomial coefficients of integers."""
    n, counts = sum(sizes), Counter(sizes)
    whole = n + more

    def once(i: int) -> float:
        return i * math.comb(whole - i, n - 1) / math.comb(whole, n) if whole - i >= n - 1 else 0.0

    wanted = counts[1] * once(1) / sum(c * once(i) for i, c in counts.items()) if counts[1] else 0.0
    assert uniqueness.zayatz(SizeCounts.of(array(sizes)), whole) == pytest.approx(wanted, rel=1e-9)


def pitman_sample(theta: float, alpha: float, records: int, rng: np.random.Generator) -> list[int]:
    """A sample from Pitman's formula: each record joins a class or begins one (the two-parameter Chinese
    restaurant)."""
    sizes: list[int] = []
    of: list[int] = []
    for n in range(records):
        if rng.random() < (theta + alpha * len(sizes)) / (theta + n):
            sizes.append(1)
            of.append(len(sizes) - 1)
        else:
            while True:  # a class with probability in proportion to size - alpha
                chosen = of[rng.integers(len(of))]
                if rng.random() < (sizes[chosen] - alpha) / sizes[chosen]:
                    break
            sizes[chosen] += 1
            of.append(chosen)
    return sizes


def test_pitman_finds_the_uniques_of_a_population_that_follows_it() -> None:
    rng = np.random.default_rng(5)
    whole = pitman_sample(50.0, 0.5, 40_000, rng)
    people = np.repeat(np.arange(len(whole)), whole)
    sample = np.bincount(rng.choice(people, 8_000, replace=False))
    found = uniqueness.pitman(SizeCounts.of(sample[sample > 0]), 40_000)
    assert found == pytest.approx(sum(size == 1 for size in whole), rel=0.1)


@pytest.mark.parametrize("sizes", [[1], [1, 1, 1], [2, 1]])
def test_a_sample_that_reveals_nothing_has_no_fit_rather_than_a_wrong_one(sizes: list[int]) -> None:
    found = uniqueness.pitman(SizeCounts.of(array(sizes)), 1000)
    assert found is None or 0 <= found <= 1000


def test_no_sample_unique_no_population_unique() -> None:
    sample = SizeCounts.of(array([2, 3, 4]))
    assert uniqueness.zayatz(sample, 90) == uniqueness.pitman(sample, 90) == 0


def test_a_match_is_right_as_often_as_simulation_says() -> None:
    sample = SizeCounts.of(array([1] * 30 + [2] * 10))
    assert uniqueness.correct_match(sample, 0.2) == pytest.approx(0.2 * 30 / (0.2 * 30 + 2 * 0.8 * 10))
    assert uniqueness.correct_match(SizeCounts.of(array([5])), 0.2) is None


# Individual risk: test_indivRisk, "method = exact".
def test_sdcmicro_s_individual_risks() -> None:
    found = individual_risk(array([3, 1, 1, 2, 1]), np.array([108.0, 45.5, 17.0, 100.0, 123.5]))
    assert found == pytest.approx([0.01355297, 0.08579129, 0.17707583, 0.01877883, 0.03931625], abs=5e-9)


@settings(deadline=None, max_examples=60)
@given(size=st.integers(1, 200), p=st.floats(0.0005, 1))
def test_individual_risk_is_the_mean_of_one_in_the_population(size: int, p: float) -> None:
    from scipy.stats import nbinom

    more = np.arange(nbinom.isf(1e-13, size, p) + 1)
    wanted = (nbinom.pmf(more, size, p) / (size + more)).sum()
    assert individual_risk(array([size]), np.array([size / p]))[0] == pytest.approx(wanted, rel=1e-8)


def test_whoever_is_everybody_is_found_by_class_alone() -> None:
    assert individual_risk(array([1, 4, 50]), np.array([1.0, 4.0, 50.0])) == pytest.approx([1, 1 / 4, 1 / 50])


# Sets of columns.
def coded(rows: Sequence[Sequence[object]]) -> tuple[list[np.ndarray], list[int]]:
    columns = [[str(row[i]) for row in rows] for i in range(len(rows[0]))]
    places = [{v: n for n, v in enumerate(sorted(set(c)))} for c in columns]
    return [array([p[v] for v in c]) for c, p in zip(columns, places, strict=True)], [len(p) for p in places]


small_tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=14)
)


def minimal_uniques(rows: Sequence[Sequence[object]], i: int) -> list[tuple[int, ...]]:
    """The minimal sets of columns in which a row is unique, by trying."""
    found: list[tuple[int, ...]] = []
    for size in range(1, len(rows[0]) + 1):
        for s in combinations(range(len(rows[0])), size):
            alone = sum(all(row[c] == rows[i][c] for c in s) for row in rows) == 1
            if alone and not any(set(f) <= set(s) for f in found):
                found.append(s)
    return found


@settings(deadline=None)
@given(rows=small_tables)
def test_sets_and_special_uniques_by_trying(rows: list[tuple[int, ...]]) -> None:
    columns, sizes = coded(rows)
    width = len(columns)
    found = column_sets.search(columns, sizes, np.ones(len(rows), np.int64), largest=width)
    minimal = [minimal_uniques(rows, i) for i in range(len(rows))]
    for s in found.sets:
        cells = [tuple(row[c] for c in s.columns) for row in rows]
        counts = Counter(cells)
        assert s.unique == pytest.approx(sum(counts[c] == 1 for c in cells) / len(rows))
        assert s.distinct == pytest.approx(len(counts) / len(rows))
        apart = [a != b for a, b in combinations(cells, 2)]
        assert s.separation == pytest.approx(sum(apart) / len(apart) if apart else 0.0)
    shares = {s.columns: s.unique for s in found.sets}
    wanted = {s for s in shares if shares[s] >= 0.5 and not any(shares[t] >= 0.5 for t in shares if set(t) < set(s))}
    assert {s.columns for s in found.sets if s.minimal} == wanted
    if len(rows) > 1:
        scores = [sum(math.factorial(width - len(s)) for s in of) for of in minimal]
        assert found.special.highest == max(scores)
        assert found.special.records == tuple(
            sum(bool(of) and min(map(len, of)) == n for of in minimal) for n in range(1, width + 1)
        )


SUDA = {
    "contribution": ([(2, 0, 0), (1, 3, 6), (1, 0, 0)], (0.5, 0.375, 0.375), 4),
    "book": (
        [("20s", "male", "50k+", "highschool")] * 2
        + [("20s", "male", "50k-", "highschool")] * 2
        + [("20s", "female", "50k-", e) for e in ("university", "highschool", "middleschool")]
        + [("60s", "male", "50k-", "university")],
        None,
        8,
    ),
    "guideline": (
        [("Urban", "Female", "Secondary incomplete", "Employed")] * 2
        + [("Urban", "Female", "Primary incomplete", "Non-LF"), ("Urban", "Male", "Secondary complete", "Employed")]
        + [("Rural", "Female", "Secondary complete", "Unemployed"), ("Urban", "Male", "Secondary complete", "Employed")]
        + [("Urban", "Female", "Primary complete", "Non-LF"), ("Urban", "Male", "Post-secondary", "Unemployed")]
        + [("Urban", "Female", "Secondary incomplete", "Non-LF")] * 2,
        None,
        12,
    ),
}


@pytest.mark.parametrize(("rows", "contributions", "highest"), SUDA.values(), ids=SUDA)
def test_sdcmicro_s_scores(
    rows: list[tuple[object, ...]], contributions: tuple[float, ...] | None, highest: int
) -> None:
    columns, sizes = coded(rows)
    found = column_sets.search(columns, sizes, np.ones(len(rows), np.int64), largest=len(columns)).special
    assert found.highest == highest
    if contributions is not None:
        assert found.contributions == pytest.approx(contributions)


def test_a_person_of_many_rows_is_one() -> None:
    columns, sizes = coded([("a", "x"), ("a", "x"), ("b", "x"), ("b", "x")])
    found = column_sets.search(columns, sizes, np.ones(4, np.int64), array([7, 7, 8, 9]))
    shares = {s.columns: s.unique for s in found.sets}
    assert shares == {(0,): pytest.approx(1 / 3), (1,): 0.0, (0, 1): pytest.approx(1 / 3)}


# Labels and linkage.
VALUES = (
    "5",
    "19",
    "20",
    "25",
    "29",
    "30",
    "90",
    "13053",
    "13068",
    "14850",
    "1305",
    "2020-05-17",
    "2021-01-01",
    "blue",
    "a",
    "b",
    None,
)


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("*", VALUES),
        ("[20, 30)", ("20", "25", "29")),
        ("[20, 30[", ("20", "25", "29")),
        ("]20, 30]", ("25", "29", "30")),
        ("(19;25)", ("20",)),
        ("20-29", ("20", "25", "29")),
        ("20 – 30", ("20", "25", "29", "30")),
        ("20..29", ("20", "25", "29")),
        ("<20", ("5", "19")),
        ("≤20", ("5", "19", "20")),
        (">= 13053", ("13053", "13068", "14850")),
        ("90+", ("90", "13053", "13068", "14850", "1305")),
        ("130**", ("13053", "13068")),
        ("1305*", ("13053", "1305")),
        ("{a, b}", ("a", "b")),
        ("2020", ("2020-05-17",)),
        ("2020-05", ("2020-05-17",)),
        ("b*", ("blue", "b")),
        ("29-20", None),
        ("blue", None),
        ("25", None),
        ("", None),
        ("[a, b)", None),
    ],
)
def test_what_a_label_stands_for(label: str, wanted: tuple[str | None, ...] | None) -> None:
    stands = coarser(label)
    if wanted is None:
        assert stands is None
        return
    assert stands is not None
    assert [v for v, fits in zip(VALUES, stands(Values(VALUES)), strict=True) if fits] == list(wanted)


def columns_of(rows: Sequence[Sequence[str | None]]) -> list[Coded]:
    made = []
    for i in range(len(rows[0])):
        values = tuple(sorted({row[i] for row in rows}, key=lambda v: (v is None, v or "")))
        made.append(Coded(values, array([values.index(row[i]) for row in rows])))
    return made


def fits(label: str | None, value: str | None) -> bool:
    """The labels of `masked_rows` in plain words."""
    known = {"*": True, "20-29": value in ("20", "25"), "130**": value in ("13053", "13068")}
    return label == value or known.get(label or "", False)


masked_rows = st.lists(
    st.tuples(
        st.sampled_from(["20", "25", "31", "20-29", "*", None]), st.sampled_from(["13053", "130**", "14850", "*"])
    ),
    min_size=1,
    max_size=12,
)
other_rows = st.lists(
    st.tuples(st.sampled_from(["20", "25", "31", None]), st.sampled_from(["13053", "13068", "14850"])),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(table=masked_rows, other=other_rows)
def test_linkage_by_trying_every_pair(table: list[tuple[str | None, ...]], other: list[tuple[str | None, ...]]) -> None:
    secret = [len(str(row)) % 2 for row in table]
    found = match(
        columns_of(table),
        np.ones(len(table), np.int64),
        columns_of(other),
        np.ones(len(other), np.int64),
        sensitive=[array(secret)],
    )
    shown = [row != ("*", "*") for row in table]
    pairs = [
        (i, j)
        for i, row in enumerate(table)
        for j, person in enumerate(other)
        if shown[i] and all(map(fits, row, person))
    ]
    people, records = Counter(i for i, _ in pairs), Counter(j for _, j in pairs)
    assert found.fitting[found.of].tolist() == [people[i] for i in range(len(table))]
    assert found.hidden[found.of].tolist() == [not s for s in shown]
    # The other file's rows stand alone here, equal ones apart: each is its own combination.
    assert found.candidates.tolist() == [records[j] for j in range(len(other))]
    inferred = [{secret[i] for i, k in pairs if k == j} for j in range(len(other))]
    assert found.learned == (sum(len(values) == 1 for values in inferred),)
    assert found.pairs == sum(people[i] == 1 and records[j] == 1 for i, j in pairs)


def test_people_of_the_other_file_count_as_often_as_they_stand_there() -> None:
    table, other = columns_of([("20-29",), ("31",)]), columns_of([("20",), ("31",)])
    found: Matches = match(table, array([3, 1]), other, array([5, 1]))
    assert (found.fitting.tolist(), found.candidates.tolist(), found.pairs) == ([5, 1], [3, 1], 1)


def test_the_order_of_entries_does_not_matter() -> None:
    rows = [("20-29", "130**"), ("31", "*"), ("*", "*"), ("25", "13053")]
    other = [("25", "13053"), ("31", "14850"), ("20", "13068")]
    totals = defaultdict(set)
    for shift in range(4):
        turned = rows[shift:] + rows[:shift]
        found = match(columns_of(turned), np.ones(4, np.int64), columns_of(other), np.ones(3, np.int64))
        totals["fitting"].add(tuple(sorted(found.fitting.tolist())))
        totals["candidates"].add(tuple(found.candidates.tolist()))
        totals["pairs"].add(found.pairs)
    assert all(len(seen) == 1 for seen in totals.values())
