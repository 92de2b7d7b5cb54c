"""Rows left out of a table."""

from __future__ import annotations

import datetime as dt
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_cases import law

from piiscan.core.errors import UsageError
from piiscan.masking.operators.row_filters import Missing, Where, row_filter

MOMENTS = [dt.datetime(2020, 1, 1), dt.datetime(2021, 6, 1, 12), None]
NAN = float("nan")


@pytest.mark.parametrize(
    ("cells", "op", "value", "gone"),
    [
        (["29", "30", "3e1", "29.999", "x", None], "<", 30, [1, 0, 0, 1, 1, 1]),
        ([29, 30, None], "<", 30, [1, 0, 1]),
        ([29, 30, 31], "<=", 30, [1, 1, 0]),
        ([29, 30, 31], ">", 30, [0, 0, 1]),
        ([29.5, 30.0, NAN], ">=", 29.75, [0, 1, 1]),
        ([2**63 - 1, 0], ">", 2**53, [1, 0]),
        (["30", "30.0", "031", None], "=", 30, [1, 1, 0, 0]),
        (["30", "30.0", "031", None], "!=", 30, [0, 0, 1, 1]),
        (["PL", "pl", " PL", None], "=", "PL", [1, 0, 0, 0]),
        (["PL", "DE", "US", None], "in", ["PL", "DE"], [1, 1, 0, 0]),
        (["1", "2", "x"], "in", [1, 2.0], [1, 1, 0]),
        ([True, False, None], "=", True, [1, 0, 0]),
        (["True", "no", None], "=", True, [1, 0, 0]),
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1), None], "<", dt.date(2020, 6, 1), [1, 0, 1]),
        (MOMENTS, ">=", dt.date(2021, 6, 1), [0, 1, 1]),
        (MOMENTS, ">", dt.datetime(2021, 6, 1, 12), [0, 0, 1]),
        (
            ["2020-01-01", "2021-06-01T12:00", "2021-06-01 11:00:00", "1.2.2020"],
            ">",
            dt.datetime(2021, 6, 1, 11, 30),
            [0, 1, 0, 1],
        ),
        (["x", "", " ", None], "missing", None, [0, 1, 1, 1]),
        ([1.0, NAN, None], "missing", None, [0, 1, 1]),
        ([1, None], "missing", None, [0, 1]),
    ],
)
def test_rows_that_go(cells: list[Any], op: str, value: Any, gone: list[int]) -> None:
    params = {"column": "c", "op": op} | ({} if value is None else {"value": value})
    found = row_filter(params).suppressed(pl.DataFrame({"c": cells}))
    assert found.dtype == pl.Boolean
    assert found.to_list() == [bool(g) for g in gone]


def test_what_can_t_be_compared_may_stay() -> None:
    assert Where("c", "<", 30, unknown="keep").suppressed(pl.DataFrame({"c": ["x", None, "3"]})).to_list() == [
        False,
        False,
        True,
    ]


def test_a_time_with_an_offset_is_compared_where_zones_are_known() -> None:
    noon = dt.datetime(2021, 6, 1, 12, tzinfo=dt.UTC)
    zoned = pl.Series("c", [noon, noon + dt.timedelta(hours=1)]).dt.convert_time_zone("Europe/Warsaw").to_frame()
    assert Where("c", ">", noon).suppressed(zoned).to_list() == [False, True]
    assert Where("c", ">", dt.datetime(2021, 6, 1, 14, 30)).suppressed(zoned).to_list() == [False, True]
    with pytest.raises(UsageError, match="can't be compared"):
        Where("c", ">", noon).suppressed(pl.DataFrame({"c": ["2021-06-01"]}))


ages = st.lists(st.none() | st.integers(0, 120) | st.sampled_from([30, 31]), max_size=12)


@law
@given(ages, st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), st.integers(0, 12))
def test_no_row_is_left_for_which_the_condition_holds(cells: list[int | None], op: Any, cut: int) -> None:
    holds = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "=": int.__eq__, "!=": int.__ne__}[
        op
    ]
    expected = [c for c in cells if (c is not None and not holds(c, 30)) or (c is None and op == "=")]
    for dtype in (pl.Int64, pl.Float64, pl.String):
        frame = pl.DataFrame({"c": pl.Series(cells, dtype=pl.Int64).cast(dtype)})
        rows = Where("c", op, 30)
        gone = pl.concat([rows.suppressed(frame.head(cut)), rows.suppressed(frame.slice(cut))])
        assert frame.filter(~gone)["c"].cast(pl.Float64).to_list() == expected


@law
@given(st.lists(st.tuples(st.sampled_from(["x", "", " ", None]), st.sampled_from([1.0, NAN, None])), max_size=9))
def test_no_row_is_left_with_a_missing_cell(rows: list[tuple[str | None, float | None]]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Float64}, orient="row")
    assert set(frame.filter(~Missing().suppressed(frame)).rows()) <= {("x", 1.0)}
    assert set(frame.filter(~Missing(("a",)).suppressed(frame))["a"]) <= {"x"}
    assert frame.filter(~row_filter({"missing": ["a", "b"]}).suppressed(frame)).height == sum(
        row == ("x", 1.0) for row in rows
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "needs 'column' and 'op'"),
        ({"column": "age", "op": "<", "valeu": 3}, "there is no parameter 'valeu'; did you mean 'value'"),
        ({"column": "age", "op": "<>", "value": 3}, "'op' must be one of ="),
        ({"column": "age", "op": "<", "value": "secret"}, "compares numbers and dates"),
        ({"column": "age", "op": "<"}, "needs one value"),
        ({"column": "age", "op": "in", "value": 3}, "needs a list"),
        ({"column": "age", "op": "in", "value": []}, "needs a list"),
        ({"column": "age", "op": "missing", "value": 3}, "takes no value"),
        ({"column": "age", "op": "<", "value": float("inf")}, "numbers must be within"),
        ({"column": "age", "op": "=", "value": {}}, "'value' must be text, a number"),
        ({"column": "age", "op": "<", "value": 3, "unknown": "no"}, "'unknown' must be one of"),
        ({"missing": "age"}, "'missing' must be a list of columns"),
        ({"missing": [], "op": "<"}, "stand alone"),
    ],
)
def test_what_is_wrong_is_named(params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match="suppressing rows") as caught:
        row_filter(params)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (Where("agee", "<", 3), "no column 'agee'; did you mean 'age'"),
        (Missing(("agee",)), "no column 'agee'"),
        (Where("age", "=", "x"), "text|str.* can't be compared with a column of type integer"),
        (Where("age", "<", dt.date(2020, 1, 1)), "date can't be compared"),
        (Where("age", "=", True), "bool can't be compared"),
    ],
)
def test_what_does_not_fit_the_table_is_named(rows: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rows.suppressed(pl.DataFrame({"age": [1]}))
