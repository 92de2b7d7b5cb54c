"""Hierarchies, prefixes and ZIP codes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_cases import apply, law, words

from piiscan.core.errors import UsageError
from piiscan.masking.operators.categories import Hierarchy, Prefix
from piiscan.masking.operators.label_levels import levels_of
from piiscan.masking.operators.zip3 import RESTRICTED, Zip3

EDUCATION = (
    ("Bachelors", "Undergraduate", "Higher", "*"),
    ("11th", "High School", "Secondary", "*"),
    ("Żak", "Undergraduate", "Higher", "*"),
)


def test_everything_comes_to_a_star() -> None:
    assert levels_of([("a", "x"), ("b", "y")], "here").rows == (("a", "x", "*"), ("b", "y", "*"))
    assert levels_of([("a",)], "here").rows == (("a", "*"),)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one row"),
        ([("secret", "x", "*"), ("b", "*")], "row 2 .* another number of levels"),
        ([("secret", "x"), ("secret", "y")], "rows 1 and 2 .* have the same value"),
        ([("a", "secret", "1"), ("b", "secret", "2")], "row 2 .* label of level 1 below two"),
    ],
)
def test_a_bad_hierarchy_is_refused(rows: list[tuple[str, ...]], message: str) -> None:
    with pytest.raises(UsageError, match=f"^here: .*{message}") as caught:
        levels_of(rows, "here")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("operator", "cells", "expected"),
    [
        (
            Hierarchy(1, EDUCATION),
            ["Bachelors", " 11th ", "bachelors", "", None],
            ["Undergraduate", "High School", "*", "*", None],
        ),
        (Hierarchy(2, EDUCATION), ["Żak"], ["Higher"]),
        (Hierarchy(3, EDUCATION), ["Żak"], ["*"]),
        (Hierarchy(1, (("28", "a"), ("true", "b"))), [28.0, 28.5, float("nan")], ["a", "*", "*"]),
        (Hierarchy(1, (("28", "a"), ("true", "b"))), [28, 29], ["a", "*"]),
        (Hierarchy(1, (("28", "a"), ("true", "b"))), [True, False], ["b", "*"]),
        (Hierarchy(groups={"EU": ("PL", "DE")}), ["PL", "US"], ["EU", "*"]),
        (Prefix(3), ["12345", "K1A 0B1", "12", "123", "żółw", ""], ["123**", "K1A****", "**", "***", "żół*", ""]),
        (Prefix(3, width=5), [2139, 12345], ["021**", "123**"]),
        (Prefix(0, character="$"), ["ab"], ["$$"]),
        (
            Zip3(),
            ["02139", "03601", "20501-1234", "205011234", "2139", "021", "12", "K1A", None],
            ["021", "000", "000", "000", "021", None, None, None, None],
        ),
        (Zip3(), [2139, 501, 12345, 123456789, 5], ["021", "005", "123", "123", None]),
        (Zip3(), [2139.0, None], ["021", None]),
        (Zip3(census="2000"), ["20501", "06301"], ["205", "000"]),
        (Zip3(census="2010"), ["20501", "06301"], ["000", "063"]),
    ],
)
def test_categories_get_coarser(operator: Any, cells: list[Any], expected: list[Any]) -> None:
    masked = apply(operator, pl.Series(cells))
    assert masked.to_list() == expected
    assert operator.declares(masked.drop_nulls(), None).all()


@law
@given(st.lists(words | st.sampled_from(["Bachelors", "11th"]), max_size=8), st.integers(1, 3))
def test_masks_are_labels_of_the_level(cells: list[str], level: int) -> None:
    masked = apply(Hierarchy(level, EDUCATION), pl.Series(cells, dtype=pl.String))
    assert set(masked) <= {row[level] for row in EDUCATION} | {"*"}


@law
@given(st.lists(words, max_size=8), st.integers(0, 6))
def test_prefix_keeps_no_more_than_the_beginning(cells: list[str], keep: int) -> None:
    for cell, mask in zip(cells, apply(Prefix(keep, "\u2022"), pl.Series(cells, dtype=pl.String)), strict=True):
        value = cell.strip()
        if not cell.isascii() or not cell.replace("\n", "").isprintable():
            continue  # what counts as a space is Unicode's matter there
        assert mask == (value[:keep] + "\u2022" * (len(value) - keep) if len(value) > keep else "\u2022" * len(value))


@law
@given(st.lists(st.from_regex(r"[0-9]{5}(-[0-9]{4})?", fullmatch=True), max_size=8))
def test_small_areas_are_000(cells: list[str]) -> None:
    small = RESTRICTED["2000"] | RESTRICTED["2010"]
    assert apply(Zip3(), pl.Series(cells, dtype=pl.String)).to_list() == [
        "000" if c[:3] in small else c[:3] for c in cells
    ]


def test_the_lists_are_as_long_as_they_were_published() -> None:
    assert {census: len(areas) for census, areas in RESTRICTED.items()} == {"2000": 17, "2010": 14}
