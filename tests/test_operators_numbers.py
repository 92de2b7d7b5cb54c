"""Numbers made coarser, the decimals they stand on, and the histogram that cuts are chosen by."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from operator_cases import apply, law

from piiscan.core.errors import UsageError
from piiscan.masking.operators import decimals
from piiscan.masking.operators.coarse_numbers import Above, Bins, Round, TopBottom
from piiscan.masking.operators.terminal_histogram import histogram

INF, NAN = float("inf"), float("nan")
finite = st.floats(-1e15, 1e15, allow_nan=False)
whole = st.integers(-(2**63), 2**63 - 1)
written = st.decimals(-(10**12), 10**12, places=4, allow_nan=False).map(lambda d: f"{d:f}")


@pytest.mark.parametrize(
    ("cells", "places", "point", "expected"),
    [
        (["1", "-1.5", "+2.25", "1,234.56", " 7 ", ".5", "5.", "007"], 1, ".", [10, -15, 22, 12345, 70, 5, 50, 70]),
        (["1.234,5", "1,5", "-0,05", "1.234"], 1, ",", [12345, 15, -1, 12340]),
        (["12,34", "1.5.2", "x", "", "-", ".", "1 2", "0x1f", "1_000", "NaN", "inf", "१२"], 1, ".", [None] * 12),
        (
            ["1e3", "1.5E-2", "-1e-99", "0e9", "1e50", "-1e50", "9" * 60],
            1,
            ".",
            [10000, 0, -1, 0, decimals.BEYOND, -decimals.BEYOND, decimals.BEYOND],
        ),
        (
            [0.1, 0.3, -0.3, 1e300, INF, -INF, NAN, 1e-7, -1e-7, -0.0],
            1,
            ".",
            [1, 3, -3, decimals.BEYOND, decimals.BEYOND, -decimals.BEYOND, None, 0, -1, 0],
        ),
        ([2**63 - 1, -(2**63), None], 2, ".", [922337203685477580700, -922337203685477580800, None]),
    ],
)
def test_numbers_are_read_exactly(
    cells: list[Any], places: int, point: decimals.Point, expected: list[int | None]
) -> None:
    assert decimals.scaled(pl.Series(cells), places, point).to_list() == expected


@law
@given(st.lists(written, max_size=5), st.integers(0, 6))
def test_reading_is_the_floor_of_the_decimal(cells: list[str], places: int) -> None:
    assert decimals.scaled(pl.Series(cells, dtype=pl.String), places).to_list() == [
        math.floor(Decimal(c) * 10**places) for c in cells
    ]


@law
@given(st.lists(st.integers(-(10**30), 10**30), max_size=5), st.integers(0, 6))
def test_writing_is_read_back(numbers: list[int], places: int) -> None:
    n = pl.Series(numbers, dtype=pl.Int128)
    assert decimals.scaled(decimals.texts(n, places), places).to_list() == numbers


@pytest.mark.parametrize(
    ("cells", "most"),
    [([1.5, 2.25, 1.0], 2), (["1.50", "2"], 2), ([1e-7, 1e22], 7), ([1, 2], 0), ([], 0), ([0.1 + 0.2], 15), (["x"], 0)],
)
def test_decimals_of_a_column(cells: list[Any], most: int) -> None:
    assert decimals.decimals(pl.Series(cells, dtype=pl.Float64 if not cells else None)) == most


@pytest.mark.parametrize(
    ("operator", "cells", "expected"),
    [
        (Bins(width=5), [20, 24, 25, -1, None], ["[20, 25)", "[20, 25)", "[25, 30)", "[-5, 0)", None]),
        (Bins(width=5), [2**63 - 1], ["[9223372036854775805, 9223372036854775810)"]),
        (
            Bins(width=0.1),
            [0.3, 0.29, 0.7, INF, NAN, 1e300],
            ["[0.3, 0.4)", "[0.2, 0.3)", "[0.7, 0.8)", None, None, None],
        ),
        (Bins(width=10, origin=5), ["4.99", "5", "1,004"], ["[-5, 5)", "[5, 15)", "[995, 1005)"]),
        (Bins(width=10, label="lower"), [19, -1], [10, -10]),
        (Bins(width=0.5, label="lower"), [1.7, -0.1], [1.5, -0.5]),
        (Bins(width=0.5, label="lower", point=","), ["1,7", "x"], ["1,5", None]),
        (Bins(cuts=(18, 65.5)), ["17.9", "18", "65.5", "1e99", "x"], ["< 18", "[18, 65.5)", "≥ 65.5", "≥ 65.5", None]),
        (Bins(cuts=(50000,)), [49999.99, 50000.0, INF, -INF, NAN], ["< 50000", "≥ 50000", "≥ 50000", "< 50000", None]),
        (Bins(cuts=(2.5,)), [2, 3, -(2**63)], ["< 2.5", "≥ 2.5", "< 2.5"]),
        (Round(10), [5, 14, -5, -6, 2**63 - 4], [10, 10, 0, -10, 9223372036854775800]),
        (
            Round(10),
            [2**63 - 1],
            [None if (2**63 - 1) % 10 >= 5 and (2**63 - 1) // 10 * 10 + 10 > 2**63 - 1 else 9223372036854775810],
        ),
        (Round(0.05), [0.12, 0.125, -0.025, NAN], [0.1, 0.15, 0.0, None]),
        (Round(1000), ["1,499.99", "1500", "-1500"], ["1000", "2000", "-1000"]),
        (Round(0.5), ["1.3", "1.1"], ["1.5", "1.0"]),
        (TopBottom(top=90), [89, 90, 120, None], [89, 90, 90, None]),
        (TopBottom(top=90, form="text"), [89, 90, 120], ["89", "≥ 90", "≥ 90"]),
        (TopBottom(top=90, form="text"), [-0.0, 0.0, 120.0], ["0.0", "0.0", "≥ 90"]),
        (TopBottom(top=90, bottom=18), [17.99, 18.0, 89.99, INF, -INF, NAN], [18.0, 18.0, 89.99, 90.0, 18.0, None]),
        (
            TopBottom(top=90, bottom=18, form="text"),
            ["17", "18", "89.50", "1e3", "?"],
            ["< 18", "18", "89.50", "≥ 90", None],
        ),
        (TopBottom(top=190000, bottom=37000), ["36999.99", "190,000"], ["37000", "190000"]),
        (Above(50000), ["50000", "49999.99", "x", None], [True, False, None, None]),
    ],
)
def test_numbers_get_coarser(operator: Any, cells: list[Any], expected: list[Any]) -> None:
    masked = apply(operator, pl.Series(cells))
    assert masked.to_list() == expected
    assert operator.declares(masked.drop_nulls(), None).all()


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (Bins(width=0.5, label="lower"), "whole"),
        (Round(0.5), "whole"),
        (Round(1), "above 1"),
        (TopBottom(top=89.5), "whole"),
    ],
)
def test_whole_numbers_stay_whole(operator: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        operator.dtype("integer")


@law
@given(
    st.lists(whole | finite, min_size=1, max_size=6),
    st.sampled_from([1, 5, 10, 0.1, 0.25, 2.5]),
    st.sampled_from([0, 3, -0.5]),
)
def test_every_number_lies_in_its_bin(numbers: list[float], width: float, origin: float) -> None:
    for number in numbers:
        label = apply(Bins(width, origin), pl.Series([number])).item()
        low, high = (Decimal(end) for end in label.strip("[)").split(", "))
        assert low <= Decimal(repr(number)) < high
        assert high - low == Decimal(repr(width))
        assert (low - Decimal(repr(origin))) % Decimal(repr(width)) == 0


@law
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=6))
def test_text_and_numbers_fall_into_the_same_bins(numbers: list[float]) -> None:
    for operator in (Bins(width=0.3), Bins(cuts=(-1, 0.3, 7)), Round(0.3)):
        of_text = apply(operator, pl.Series(map(repr, numbers))).to_list()
        assert apply(operator, pl.Series(numbers)).to_list() == [
            float(x) if isinstance(operator, Round) else x for x in of_text
        ]


@law
@given(st.lists(whole | finite, min_size=1, max_size=6), st.sampled_from([2, 10, 0.05, 2.5, 1000]))
def test_round_goes_to_the_nearest_multiple(numbers: list[float], base: float) -> None:
    step = Decimal(repr(base))
    for number in numbers:
        rounded = apply(Round(base), pl.Series([repr(number)])).item()
        assert Decimal(rounded) % step == 0
        assert -step / 2 <= Decimal(repr(number)) - Decimal(rounded) < step / 2


@law
@given(st.lists(whole | finite, min_size=1, max_size=8))
def test_extremes_are_one(numbers: list[float]) -> None:
    cells = pl.Series([repr(x) for x in numbers])
    masked = apply(TopBottom(top=90, bottom=-3, form="text"), cells).to_list()
    assert masked == ["≥ 90" if x >= 90 else "< -3" if x < -3 else repr(x) for x in numbers]
    clamped = apply(TopBottom(top=90, bottom=-3), pl.Series(numbers, dtype=pl.Float64, strict=False))
    assert clamped.to_list() == [min(90.0, max(-3.0, float(x))) for x in numbers]


@law
@given(st.lists(finite, min_size=1, max_size=8), finite)
def test_above_reveals_the_side_only(numbers: list[float], cut: float) -> None:
    cut = round(cut, 3)
    assert apply(Above(cut), pl.Series(numbers)).to_list() == [Decimal(repr(x)) >= Decimal(repr(cut)) for x in numbers]


def test_a_histogram_lies_on_a_public_grid() -> None:
    ages = pl.Series([*(str(20 + i % 37) for i in range(1000)), "x", "103"])
    assert histogram(ages, step=10, low=20, high=60, width=10).splitlines() == [
        " [20, 30)  ██████████  271",
        " [30, 40)  ██████████  270",
        " [40, 50)  ██████████  270",
        " [50, 60)  ███████     189",
        "     ≥ 60  ▏           < 5",
        "no number              < 5",
    ]


@law
@given(st.lists(finite | st.integers(-(10**6), 10**6), min_size=1, max_size=60))
def test_a_histogram_is_short_and_never_shows_few(numbers: list[float]) -> None:
    cells = pl.Series(numbers, dtype=pl.Float64, strict=False)
    assume(cells.n_unique() > 1)
    try:
        lines = histogram(cells).splitlines()
    except UsageError:  # numbers that differ behind the last digit that is looked at
        assert cells.max() - cells.min() < 1e-14  # type: ignore[operator]
        return
    assert 1 <= len(lines) <= 26
    assert not [line for line in lines if line.split()[-1] in "1234" and "< " not in line[-4:]]


@pytest.mark.parametrize("call", [{"step": 0}, {"step": 0.0001, "low": 0, "high": 10}, {"low": 9, "high": 1}])
def test_a_histogram_refuses(call: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="histogram"):
        histogram(pl.Series([1, 2, 3]), **call)
    with pytest.raises(UsageError, match="with numbers"):
        histogram(pl.Series(["x"]))
