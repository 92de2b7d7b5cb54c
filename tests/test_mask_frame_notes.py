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
