"""Data frames of every make give the same table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from test_io_csv import cells, names
from test_io_formats import FRAME, TEXT, TYPES

from piiscan.core.errors import ReadError, UsageError
from piiscan.io.inputs import from_frame
from piiscan.io.read_options import ReadOptions

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    "make",
    [
        lambda: FRAME,
        lambda: FRAME.lazy(),
        lambda: FRAME.to_arrow(),
        lambda: FRAME.to_arrow().to_batches()[0],
        lambda: FRAME.to_arrow().to_reader(),
        lambda: [FRAME.head(1), FRAME.tail(2)],
        lambda: iter([FRAME.head(2).to_arrow(), FRAME.tail(1).to_arrow()]),
    ],
)
@pytest.mark.parametrize("batch_rows", [1, 1000])
def test_frames(make: Callable[[], Any], batch_rows: int) -> None:
    table = from_frame(make(), ReadOptions(batch_rows=batch_rows))
    assert (table.info.source, table.info.table, table.info.header) == ("<frame>", None, True)
    assert [(f.name, f.dtype) for f in table.info.fields] == TYPES
    assert cells(table) == TEXT


def test_pandas() -> None:
    frame = pandas.DataFrame(
        {
            "name": ["Ann", None],
            "card": [4111111111111111, None],
            "share": [0.5, None],
            "n": [1, 2],
            "when": pandas.to_datetime(["2020-01-02 03:04", None]),
            "mixed": ["x", 4111111111111111],
            "kind": pandas.Categorical(["a", None]),
            "nullable": pandas.array([4111111111111111, None], dtype="Int64"),
            "lists": [["a", "b"], None],
            "nothing": [None, None],
        }
    )
    table = from_frame(frame)
    assert [(f.name, f.dtype) for f in table.info.fields] == [
        ("name", "string"),
        ("card", "integer"),
        ("share", "float"),
        ("n", "integer"),
        ("when", "datetime"),
        ("mixed", "string"),
        ("kind", "string"),
        ("nullable", "integer"),
        ("lists", "other"),
        ("nothing", "string"),
    ]
    assert cells(table) == [
        ["Ann", "4111111111111111", "0.5", "1", "2020-01-02 03:04:00", "x", "a", "4111111111111111", "a\nb", ""],
        ["", "", "", "2", "", "4111111111111111", "", "", "", ""],
    ]


def test_pandas_floats_that_no_integer_can_hold() -> None:
    frame = pandas.DataFrame({"x": [None, 1.0, float("inf")], "y": [None, 1.0, 1e300], "z": [None, 1.0, 2.0]})
    (batch,) = from_frame(frame, ReadOptions()).batches()
    assert batch.frame.to_dict(as_series=False) == {
        "0": [None, 1.0, float("inf")],
        "1": [None, 1.0, 1e300],
        "2": [None, 1, 2],
    }


def test_pandas_floats_beyond_integers_stay_floats() -> None:
    """Of integers with a gap pandas makes floats of integers with a gap; whole floats that are no integers of 64
    bits were never such."""
    (batch,) = from_frame(pandas.DataFrame({"a": [1e15, 1e20, None], "b": [1.0, 2.0, None]})).batches()
    assert batch.frame.to_dict(as_series=False) == {"0": [1e15, 1e20, None], "1": [1, 2, None]}
    assert batch.frame.dtypes == [pl.Float64, pl.Int64]


def test_pandas_with_repeated_and_odd_headers() -> None:
    frame = pandas.DataFrame([["a", "b", "c"]], columns=["x", "x", 7])
    assert cells(from_frame(frame)) == [["a", "b", "c"]]
    assert names(from_frame(frame)) == ["x", "x", "7"]
    table = pyarrow.table([["a"], ["b"]], names=["x", "x"])
    assert (names(from_frame(table)), cells(from_frame(table))) == (["x", "x"], [["a", "b"]])


def test_the_caller_keeps_the_frame() -> None:
    frame = pandas.DataFrame({"a": [1.0, None]})
    before = frame.copy()
    list(from_frame(frame).batches())
    pandas.testing.assert_frame_equal(frame, before)


def test_frames_that_do_not_fit_together() -> None:
    table = from_frame([FRAME, pl.DataFrame({"other": [1]})])
    with pytest.raises(ReadError, match="differ in their columns"):
        cells(table)
    table = from_frame([FRAME, FRAME.with_columns(card=pl.lit("canary"))])
    with pytest.raises(ReadError, match="differ in their types") as error:
        cells(table)
    assert "canary" not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize("obj", [7, "path", b"bytes", {"a": 1}, [1, 2], None])
def test_what_is_no_frame(obj: Any) -> None:
    with pytest.raises(UsageError, match="pass"):
        from_frame(obj)


def test_no_frames_at_all() -> None:
    table = from_frame([])
    assert table.info.fields == ()
    assert list(table.batches()) == []
