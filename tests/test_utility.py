"""The sums behind a report on masking add exactly, and their distances are those of the textbook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from piiscan.masking.information_loss import number_grid
from piiscan.masking.information_loss.column_loss import ColumnChange, Side
from piiscan.masking.information_loss.loss_figures import Distance, correlations, of_column, of_table
from piiscan.masking.information_loss.number_grid import CELLS, Grid, number_distances
from piiscan.masking.information_loss.table_loss import Comparison
from piiscan.masking.information_loss.value_counts import Values, frequency_total_variation, value_overlap
from piiscan.masking.plan.plan_types import Action, TablePlan

K = 8
hashes = st.lists(st.integers(0, 20) | st.integers(0, 2**64 - 1), max_size=60)
numbers = st.lists(st.integers(-50, 50).map(float) | st.floats(-1e300, 1e300), max_size=60)


def values(cells: Sequence[int], k: int = K) -> Values:
    return Values.of(np.array(cells, dtype=np.uint64), k)


def on_grid(cells: Sequence[float]) -> Grid:
    return Grid.of(np.array(cells, dtype=np.float64))


def plain(found: Values | Grid) -> tuple[Any, ...]:
    if isinstance(found, Values):
        return found.hashes.tolist(), found.counts.tolist(), found.k, found.full
    return found.starts.tolist(), found.counts.tolist(), found.level


@given(hashes, hashes, hashes)
def test_values_add_exactly(a: list[int], b: list[int], c: list[int]) -> None:
    one, two, three = map(values, (a, b, c))
    whole = plain(values(a + b + c))
    assert plain((one + two) + three) == plain(one + (two + three)) == plain(three + one + two) == whole
    assert plain(one + Values.empty(K)) == plain(Values.empty(K) + one) == plain(one)
    limited = Values.of(np.array(b, dtype=np.uint64), K, one.limit)
    assert plain(one + limited) == plain(one + two)
    assert sorted(zip(*whole[:2], strict=True)) == sorted(Counter(a + b + c).items())[:K]


@given(numbers, numbers, numbers)
@example([], [0.0], [-26.0, 7001613567310899.0, *(2.0**49 * i for i in (6, 5, 4, 3, 2, 1)), -2.225073858507203e-309])
def test_grids_add_exactly(a: list[float], b: list[float], c: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_grid, "CELLS", 8)
        one, two, three = map(on_grid, (a, b, c))
        whole = on_grid(a + b + c)
        assert plain((one + two) + three) == plain(one + (two + three)) == plain(three + one + two) == plain(whole)
        assert plain(one + Grid.empty()) == plain(Grid.empty() + one) == plain(one)
        assert len(whole.starts) <= 8 and whole.total == len(a + b + c)
        if whole.level is not None:
            finer = 2.0 ** (whole.level - 1)
            assert len({x // finer for x in a + b + c}) > 8


def test_a_grid_is_as_fine_as_it_can_be() -> None:
    draw = np.random.default_rng(5)
    incomes = draw.lognormal(10, 1, 100_000)
    many = on_grid([*incomes, 1e290])
    assert CELLS // 2 < len(many.starts) <= CELLS and many.level is not None
    usual = on_grid(incomes.tolist())
    assert usual.mean == pytest.approx(incomes.mean(), rel=1e-3) and usual.spread == pytest.approx(
        incomes.std(), rel=1e-3
    )


@given(
    st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=40),
    st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=40),
)
def test_distances_of_numbers(a: list[float], b: list[float]) -> None:
    every = sorted({*a, *b})
    apart = [abs(sum(x <= e for x in a) / len(a) - sum(x <= e for x in b) / len(b)) for e in every]
    ks, distance = number_distances(on_grid(a), on_grid(b))
    assert ks == pytest.approx(max(apart))
    assert distance == pytest.approx(
        sum(d * (high - low) for d, low, high in zip(apart, every, every[1:], strict=False))
    )
    assert on_grid(a).mean == pytest.approx(np.mean(a)) and on_grid(a).spread == pytest.approx(np.std(a))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.lists(st.integers(5, 14), min_size=1, max_size=40))
def test_distances_of_values(a: list[int], b: list[int]) -> None:
    one, two = (Counter({v: n / len(side) for v, n in Counter(side).items()}) for side in (a, b))
    found = value_overlap(values(a, 99), values(b, 99))
    assert found is not None
    in_common, apart = found
    assert in_common == pytest.approx(len(one.keys() & two.keys()) / len(one.keys() | two.keys()))
    assert apart == pytest.approx(sum(abs(one[v] - two[v]) for v in one.keys() | two.keys()) / 2)
    ranks = [sorted(side.values(), reverse=True) + [0.0] * 20 for side in (one, two)]
    expected = sum(abs(x - y) for x, y in zip(*(r[:20] for r in ranks), strict=True)) / 2
    assert frequency_total_variation(values(a, 99), values(b, 99)) == pytest.approx(expected)


def test_samples_come_near_the_truth() -> None:
    draw = np.random.default_rng(3)
    names, others = draw.integers(0, 2**64, 40_000, dtype=np.uint64), draw.integers(0, 2**64, 40_000, dtype=np.uint64)
    mixed = np.concatenate([names[:20_000], others[:20_000]])
    cells, half, halved = (np.repeat(side, 3) for side in (names, mixed, names[:20_000]))
    a, b, c = (Values.of(side, 2048) for side in (cells, half, halved))
    assert a.full and a.distinct == pytest.approx(40_000, rel=0.1)
    found = value_overlap(a, b)
    assert found is not None
    assert found[0] == pytest.approx(1 / 3, abs=0.05) and found[1] == pytest.approx(0.5, abs=0.05)
    assert frequency_total_variation(a, b) == pytest.approx(0, abs=0.1)
    assert frequency_total_variation(a, c) == pytest.approx(0.5, abs=0.1)


ACTIONS = (
    Action(0, "name", "string", "LAST_NAME", "direct", "redact"),
    Action(1, "age", "string", "AGE", "quasi", "noise"),
    Action(2, "born", "string", "DATE_OF_BIRTH", "quasi", "date-shift"),
    Action(3, "income", "float", "INCOME", "sensitive", "keep"),
    Action(4, "note", "string", None, "none", "drop"),
    Action(5, "tags", "other", None, "none", "suppress"),
)


def people(rows: int) -> tuple[pl.DataFrame, dict[int, pl.Series], pl.Series]:
    draw = np.random.default_rng(9)
    age = draw.integers(18, 90, rows)
    before = pl.DataFrame(
        {
            "0": [f"name {i % 17}" if i % 9 else "" for i in range(rows)],
            "1": [str(a) for a in age],
            "2": [f"{1 + i % 28}.{1 + i % 12}.{1950 + i % 50}" for i in range(rows)],
            "3": age * 1000.0 + draw.normal(0, 3000, rows),
            "4": ["x"] * rows,
            "5": [["a"], None] * (rows // 2),
        }
    )
    masked = {
        0: pl.Series([None if n == "" else "[name]" for n in before["0"]], dtype=pl.String),
        1: pl.Series([str(a + 3) for a in age]),
        2: pl.Series([f"{1 + (i + 5) % 28}.{1 + i % 12}.{1950 + i % 50}" for i in range(rows)]),
        5: pl.Series([None] * rows, dtype=pl.List(pl.String)),
    }
    return before, masked, pl.Series([bool(i % 4) for i in range(rows)])


def compared(cuts: Sequence[int], filtered: bool) -> Comparison:
    before, masked, kept = people(6000)
    comparison = Comparison(TablePlan("people.csv", None, ACTIONS, drop_rows=({"missing": []},) if filtered else ()))
    for start, end in zip([0, *cuts], [*cuts, 6000], strict=True):
        part = slice(start, end)
        comparison.see(before[part], {i: c[part] for i, c in masked.items()}, kept[part] if filtered else None, start)
    return comparison


def shown(comparison: Comparison) -> list[Any]:
    def side(s: Side | None) -> Any:
        return s and (
            plain(s.values),
            s.filled,
            s.empty,
            s.characters,
            {name: plain(g) for name, g in sorted(s.readings.items())},
        )

    return [[(side(c.before), side(c.after), c.changed) for c in comparison.columns], of_table(comparison)]


def distance(change: ColumnChange) -> Distance:
    found = of_column(change).distance
    assert found is not None
    return found


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("cuts", [[1], [3000], [10, 11, 5999], [997, 1994, 2991, 3988]])
def test_a_comparison_knows_no_batches(cuts: list[int], filtered: bool) -> None:
    assert shown(compared(cuts, filtered)) == shown(compared([], filtered))


def test_what_a_comparison_counts() -> None:
    whole = compared([], filtered=True)
    name, _, born, income, note, tags = whole.columns
    assert (whole.rows, whole.rows_left) == (6000, 4500)
    assert (name.before.filled, name.before.empty, name.before.values.distinct) == (6000 - 667, 667, 17)
    assert name.after is not None and name.after.values.distinct == 1
    assert name.changed == name.after.filled == sum(i % 4 > 0 and i % 9 > 0 for i in range(6000))
    assert note.after is None and note.changed == note.filled_left == 4500 and of_column(note).distance is None
    assert (
        tags.after is not None
        and tags.after.filled == 0
        and tags.changed == sum(i % 4 > 0 and i % 2 == 0 for i in range(6000))
    )
    assert income.changed == 0 and born.changed == 4500
    found = of_table(whole)
    assert [c.distance is not None and c.distance.numbers is not None for c in found.columns] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert found.pairs == 1 and found.changes[0].columns == (1, 3)  # dates that are texts have no correlations


def test_figures_of_a_column_of_numbers() -> None:
    _, age, born, income, *_ = compared([], filtered=False).columns
    moved, dates, same = distance(age), distance(born), distance(income)
    assert moved.numbers is not None and dates.numbers is not None
    assert moved.frequencies == 0 and 0.9 < moved.in_common < 0.95
    draw = np.random.default_rng(9).integers(18, 90, 6000)
    assert moved.numbers.mean == moved.numbers.wasserstein == pytest.approx(3 / draw.std(), abs=0.01)
    assert moved.numbers.spread == 1 and dates.numbers.wasserstein < 0.01
    assert same == Distance(0, 0, 1, (0, 0, 0, 1))  # type: ignore[arg-type]


def test_correlations_are_those_of_a_sample_of_rows() -> None:
    before, *_ = people(6000)
    (found,) = [c for c in correlations(compared([], filtered=False), [1, 3]) if c.columns == (1, 3)]
    true = np.corrcoef(before["1"].cast(pl.Float64).to_numpy(), before["3"].to_numpy())[0, 1]
    assert found.before == pytest.approx(true, abs=0.02) and found.change == 0


def test_little_is_reported_of_few_cells() -> None:
    before, masked, _ = people(28)
    comparison = Comparison(TablePlan("few.csv", None, ACTIONS))
    comparison.see(before, masked, None, 0)
    assert distance(comparison.columns[1]).numbers is None
    assert of_table(comparison).pairs == 0 and of_column(comparison.columns[0]).before.mean_length is None
