"""Data frames of every make give the same table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
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


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_pandas_in_any_unit(unit: str) -> None:
    times = pandas.to_datetime([date(1990, 4, 1), None, date(1931, 12, 24)])
    table = from_frame(pandas.DataFrame({"when": times.astype(f"datetime64[{unit}]")}))
    assert [(f.name, f.dtype) for f in table.info.fields] == [("when", "datetime")]
    assert cells(table) == [["1990-04-01 00:00:00"], [""], ["1931-12-24 00:00:00"]]


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


def test_intervals_of_arrow_are_texts() -> None:
    spans = pyarrow.array([pyarrow.MonthDayNano([14, 1, 1_500_000_000]), None, pyarrow.MonthDayNano([0, -2, 0])])
    table = pyarrow.table(
        {
            "span": spans,
            "list": pyarrow.array([spans[:1].to_pylist(), None, []], pyarrow.list_(spans.type)),
            "struct": pyarrow.StructArray.from_arrays([spans], ["a"]),
        }
    )
    texts = ["1 year 2 months 1 day 00:00:01.5", None, "-2 days"]
    for frame in (table, table.combine_chunks().to_batches()[0], table.to_reader()):
        read = from_frame(frame)
        assert [f.name for f in read.info.fields] == ["span", "list", "struct.a"]
        (batch,) = read.batches()
        assert batch.frame.to_dict(as_series=False) == {"0": texts, "1": [texts[:1], None, []], "2": texts}


def test_types_of_arrow_that_are_not_read(capfd: pytest.CaptureFixture[str]) -> None:
    kinds, offsets = pyarrow.array([0], pyarrow.int8()), pyarrow.array([0], pyarrow.int32())
    union = pyarrow.UnionArray.from_dense(kinds, offsets, [pyarrow.array([1])])
    views = pyarrow.array([{"x": ["y"]}], pyarrow.struct([("x", pyarrow.list_view(pyarrow.string()))]))
    for column, kind in ((union, "dense_union"), (views, "struct")):
        table = pyarrow.table({"email": ["anna@firm.com"], "odd": column})
        for frame in (table, table.to_reader()):
            with pytest.raises(UsageError, match=f"column odd: Arrow's type {kind} isn't read"):
                from_frame(frame)
    with pytest.raises(UsageError):
        from_frame(pyarrow.array([pyarrow.MonthDayNano([0, 1, 0])]))
    assert capfd.readouterr() == ("", "")
