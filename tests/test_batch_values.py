"""Columns of few cells are looked at together: what is found in each is what it holds alone."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from piiscan.detection.matching.match_column import Counts
from piiscan.masking.apply import small_columns
from piiscan.masking.apply.originals import Originals
from piiscan.masking.run.batch_values import ColumnValues, values_of
from piiscan.rules.rule_sets import shipped
from piiscan.scanning import engine

TEXTS = [
    ["ada@example.org", "bob@example.org", "ada@example.org", None],
    [],
    ["", None, ""],
    ["4012 8888 8888 1881", "write to ada@example.org", "", "ssn 536-22-1234"],
    ["no number", "17", "1984-05-01"],
    [None],
    ["ADA@example.org "],
    [f"value {i % 90}" for i in range(200)],
]
COLUMNS = [
    [pl.Series(each, dtype=pl.String) for each in TEXTS],
    [pl.Series(each, dtype=pl.Int64) for each in ([4012888888881881, None, 4012888888881881], [], [None], [1, 20])],
    [pl.Series(each, dtype=pl.Float64) for each in ([0.5, float("nan"), float("nan")], [0.0, -0.0, None])],
    [pl.Series(each, dtype=pl.Date) for each in ([date(1984, 5, 1)], [date(1984, 5, 1), None, date(1990, 1, 2)])],
    [pl.Series(each, dtype=pl.Binary) for each in ([b"ada", b"ada@example.org", None], [b"17", b"17"])],
]


def originals() -> Originals:
    found = Originals()
    found.add("EMAIL_ADDRESS", pl.Series(["ada@example.org"]))
    found.add("CREDIT_CARD", pl.Series(["4012888888881881"]))
    return found


def plain(held: ColumnValues | None) -> object:
    """What compares; different values have no order."""
    if held is None:
        return None
    texts, values = held.texts.to_list(), [repr(value) for value in held.values.to_list()]
    known = sorted(zip(texts, held.normalised.to_list(), strict=True), key=repr)
    return held.filled, sorted(values), known, held.originals, held.digits, found(held.counts, texts)


def found(counts: Counts | None, texts: list[str]) -> object:
    if counts is None:
        return None
    return {
        key: (sorted(texts[i] for i in each.cells.tolist()), each.candidates)
        for key, each in counts.items()
        if each.candidates
    }


@pytest.mark.parametrize("columns", COLUMNS, ids=lambda columns: str(columns[0].dtype))
def test_columns_hold_together_what_they_hold_alone(columns: list[pl.Series]) -> None:
    known, prefilter = originals(), engine.prefilter_of(shipped().rules)
    searched = [i % 3 != 1 for i in range(len(columns))]
    together = list(values_of(columns, searched, known, prefilter))
    alone = [next(values_of([c], [s], known, prefilter)) for c, s in zip(columns, searched, strict=True)]
    assert [plain(each) for each in together] == [plain(each) for each in alone]
    assert any(each is not None for each in together)


def test_originals_are_found_in_each_column() -> None:
    held = list(values_of(COLUMNS[0], [True] * len(TEXTS), originals(), engine.prefilter_of(shipped().rules)))
    assert [None if each is None else each.originals for each in held] == [1, None, None, 1, 0, None, 1, 0]
    assert [None if each is None else each.filled for each in held] == [3, None, None, 3, 3, None, 1, 200]


def test_small_columns_are_put_together_and_long_ones_stay_alone() -> None:
    sizes = [1] * 25_000 + [30_000, 5_000, 4_000, 3_000]
    columns = [(i, pl.Series([0], dtype=pl.Int8).new_from_index(0, size)) for i, size in enumerate(sizes)]
    groups = [[i for i, _ in group] for group in small_columns.groups(columns)]
    assert [i for group in groups for i in group] == [*range(len(sizes))]
    assert [len(group) for group in groups] == [10_000, 10_000, 5_000, 1, 2, 1]
    long = [(i, pl.Series(["x" * (1 << 19)])) for i in range(4)]
    assert [len(group) for group in small_columns.groups(long)] == [2, 2]
