"""What stands beside the rows of a frame: names of columns, attributes and metadata that identify somebody."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import piiscan

KEY = piiscan.Key(bytes(range(32)))
MAIL = "quillan@needle-post.com"
RATINGS = {MAIL: [1.0, 2.0, 3.0], "anna@needle-post.com": [3.0, 1.0, 2.0], "film": ["a", "b", "c"]}


def masked(frame: Any) -> Any:
    return piiscan.mask(frame, piiscan.plan(frame), key=KEY)


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_of_columns_that_identify_somebody_are_replaced(made: Any) -> None:
    frame = made(RATINGS)
    out = masked(frame)
    names = out.column_names if isinstance(out, pa.Table) else list(out.columns)
    assert names == ["column_0", "column_1", "film"]
    again = piiscan.mask({"ratings": frame}, piiscan.plan({"ratings": frame}), key=KEY)["ratings"]
    assert (again.column_names if isinstance(again, pa.Table) else list(again.columns)) == names
    assert MAIL in (frame.column_names if isinstance(frame, pa.Table) else list(frame.columns))


def test_levels_of_an_index_too() -> None:
    frame = pd.DataFrame({"v": [1, 2, 3]}, index=pd.Index(["x", "y", "z"], name=MAIL))
    assert MAIL not in str(masked(frame).reset_index().to_dict())


def test_attributes_that_identify_somebody_are_left_out() -> None:
    frame = pd.DataFrame({"v": [1, 2, 3], "w": list("abc")})
    frame.attrs = {"owner": MAIL, "source": "shop", "by": "Written by Dr. Anna Schmidt in Berlin."}
    assert masked(frame).attrs == {"source": "shop"}
    assert len(frame.attrs) == 3


def test_metadata_that_identify_somebody_are_left_out() -> None:
    frame = pd.DataFrame({"v": [1, 2, 3], "w": list("abc")}, index=pd.Index([5, 6, 7], name="nr"))
    frame.attrs = {"owner": MAIL}
    table = pa.Table.from_pandas(frame).replace_schema_metadata(
        {**pa.Table.from_pandas(frame).schema.metadata, b"by": MAIL.encode(), b"version": b"2"}
    )
    out = masked(table)
    assert set(out.schema.metadata) == {b"pandas", b"version"}
    assert json.loads(out.schema.metadata[b"pandas"])["attributes"] == {}
    assert MAIL not in str(out.schema.metadata)
    assert out.to_pandas().index.name == "nr"


def test_metadata_of_fields_too_at_any_depth() -> None:
    inner = pa.field("item", pa.struct([pa.field("a", pa.int64(), metadata={"by": MAIL})]))
    schema = pa.schema([pa.field("v", pa.int64(), metadata={"by": MAIL, "unit": "kg"}), pa.field("w", pa.list_(inner))])
    table = pa.table([pa.array([1, 2, 3]), pa.array([[{"a": 1}]] * 3)], schema=schema)
    for frame in (table, table.to_batches()[0], table.slice(0, 0)):
        out = masked(frame)
        assert MAIL not in out.schema.to_string(show_field_metadata=True, truncate_metadata=False)
        assert out.schema.field("v").metadata == {b"unit": b"kg"}
        assert out.to_pylist() == frame.to_pylist()


PLAIN = ["low", "high"]
WITH_MAIL = ["low", "high", MAIL, "Written by Dr. Anna Schmidt in Berlin."]


@pytest.mark.parametrize(("values", "stay"), [(WITH_MAIL, PLAIN), (["low", "mid", "high"], ["low", "mid", "high"])])
def test_categories_that_no_row_has_are_left_out_if_one_identifies_somebody(values: list[str], stay: list[str]) -> None:
    coded = pd.Categorical(PLAIN, categories=values, ordered=True)
    assert list(masked(pd.DataFrame({"v": coded}))["v"].cat.categories) == stay
    assert list(masked(pd.DataFrame({"v": [1, 2]}, index=pd.CategoricalIndex(coded))).index.categories) == stay
    assert masked(pl.DataFrame({"v": pl.Series(PLAIN, dtype=pl.Enum(values))}))["v"].dtype == pl.Enum(stay)


def test_dictionaries_and_levels_keep_nothing_of_rows_that_were_cut_off() -> None:
    table = pa.table({"v": pa.array(WITH_MAIL).dictionary_encode()}).slice(0, 2)
    out = masked(table)
    assert out.schema == table.schema
    assert out["v"].combine_chunks().dictionary.to_pylist() == PLAIN
    index = pd.MultiIndex.from_arrays([WITH_MAIL, range(4)])
    out = masked(pd.DataFrame({"v": range(4)}, index=index).head(2))
    assert [list(level) for level in out.index.levels] == [PLAIN, [0, 1]]
    columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), (MAIL, "z")])
    out = masked(pd.DataFrame([[1, 2, 3]], columns=columns).iloc[:, :2])
    assert MAIL not in str(list(out.columns.levels))


def test_names_of_axes_that_identify_somebody_are_left_out() -> None:
    frame = pd.DataFrame({"v": [1, 2]})
    frame.columns.name = MAIL
    assert masked(frame).columns.name is None
    assert frame.columns.name == MAIL


def test_anonymized_frames_have_none_of_that_either() -> None:
    rows = {"age": [20, 30, 40] * 20, "sex": ["f", "m"] * 30}
    frame = pd.DataFrame(rows)
    frame.attrs, frame.columns.name = {"owner": MAIL, "source": "shop"}, MAIL
    frame["sex"] = pd.Categorical(frame["sex"], categories=["f", "m", MAIL])
    out = piiscan.anonymize(frame, k=2, quasi=["age", "sex"]).frame
    assert (out.attrs, out.columns.name, list(out["sex"].cat.categories)) == ({"source": "shop"}, None, ["f", "m"])
    schema = pa.schema([pa.field("age", pa.int64(), metadata={"by": MAIL}), pa.field("sex", pa.string())], {"by": MAIL})
    out = piiscan.anonymize(pa.table(rows, schema=schema), k=2, quasi=["age", "sex"]).frame
    assert MAIL not in out.schema.to_string(show_field_metadata=True, truncate_metadata=False)
