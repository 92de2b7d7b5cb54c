"""What stands beside the rows of a frame: names of columns, attributes and metadata that identify somebody."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import replace
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
    many = pd.DataFrame({"mail": ["a"] * 40 + [MAIL] + ["a"] * 40})  # prints itself without its middle
    frame.attrs = {"owner": MAIL, "source": "shop", "by": "Written by Dr. Anna Schmidt in Berlin.", "of": many}
    assert masked(frame).attrs == {"source": "shop"}
    assert len(frame.attrs) == 4


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
    out = masked(pd.DataFrame([[1]], columns=pd.CategoricalIndex(["a"], ["a", MAIL])))
    assert list(out.columns.categories) == ["a"]


def test_names_of_several_levels_that_are_a_person_s_are_replaced() -> None:
    columns = pd.MultiIndex.from_tuples([("Anna Kowalska", "score"), ("2024", "total")])
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=columns)
    assert [(name.column, name.entity) for name in piiscan.scan(frame).in_names] == [(0, "PERSON")]
    assert list(masked(frame).columns) == ["column_0", ("2024", "total")]


ENUM = pl.Enum(["low", "high", MAIL])
CODED = pa.array(["low", None, "high", MAIL]).dictionary_encode().slice(0, 3)
HIDDEN = pa.array([MAIL, "low", None, MAIL])
LEFTOVERS = {
    "list": pl.Series([["low"], None, []], dtype=pl.List(ENUM)),
    "array": pl.Series([["low"], None], dtype=pl.Array(ENUM, 1)),
    "lists of structs": pl.Series([[{"a": "low"}], None], dtype=pl.List(pl.Struct({"a": ENUM}))),
    "struct": pl.Series([{"a": "low"}, None], dtype=pl.Struct({"a": ENUM})),
    "coded list": pa.ListArray.from_arrays([0, 1, 2, 3], CODED),
    "coded array": pa.FixedSizeListArray.from_arrays(CODED, 1),
    "coded map": pa.MapArray.from_arrays([0, 1, 2], pa.array(["a", "b"]), CODED.slice(0, 2)),
    "coded list of structs": pa.ListArray.from_arrays([0, 1, 3], pa.StructArray.from_arrays([CODED], ["a"])),
    "text that was cut off": HIDDEN.slice(1, 2),
    "view": HIDDEN.cast(pa.string_view()).slice(1, 2),
    "list that was cut off": pa.array([["low"], None, [MAIL]]).slice(0, 2),
    "below a null": pa.StructArray.from_arrays([HIDDEN], ["a"], mask=pa.array([True, False, False, True])),
}


@pytest.mark.parametrize("cells", LEFTOVERS.values(), ids=LEFTOVERS)
def test_types_and_memory_keep_nothing_that_no_row_has(cells: Any) -> None:
    frame: Any = pl.DataFrame({"v": cells}) if isinstance(cells, pl.Series) else pa.table({"v": cells})
    assert MAIL.encode() in pickle.dumps(frame)
    out = masked(frame)
    assert MAIL.encode() not in pickle.dumps(out)
    if isinstance(frame, pl.DataFrame):
        assert out.to_dicts() == frame.to_dicts()
    else:
        assert out.schema == frame.schema and out.to_pylist() == frame.to_pylist()


def test_masked_texts_share_no_memory_with_those_that_they_replace() -> None:
    """Polars reuses the buffers of long texts, and Arrow files and pickles take them whole."""
    mails = [f"somebody.number{i}@needle-post.com" for i in range(60)]
    frame = pl.DataFrame({"note": [f"Please call {mail}" for mail in mails], "said": [[mail] for mail in mails]})
    frame = frame.with_columns(kept=pl.col("note").str.slice(0, 28))
    file = io.BytesIO()
    out = masked(frame)
    out.write_ipc(file)
    for held in (file.getvalue(), pickle.dumps(out), pickle.dumps(masked(frame.to_arrow()))):
        assert b"needle-post" not in held


def test_categories_that_polars_notes_in_arrow_go_with_the_values() -> None:
    names = ["Hrdlicka", "Wondratschek", "Przybylski"]
    frame = pl.DataFrame({"last_name": pl.Series(names, dtype=pl.Enum(names)), "n": [1, 2, 3]}).to_arrow()
    assert b"Hrdlicka" in frame.schema.field("last_name").metadata[b"_PL_ENUM_VALUES2"]
    out = masked(frame)
    assert not [name for name in names if name.encode() in pickle.dumps(out)]
    assert out["last_name"].to_pylist() != names and out["n"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("made", [pl.DataFrame, pl.DataFrame.to_arrow])
@pytest.mark.parametrize("drop", [False, True])
def test_suppressed_rows_of_a_frame_are_nowhere_in_its_memory(made: Any, drop: bool) -> None:
    rows = range(63)
    frame = pl.DataFrame(
        {
            "age": [20] * 60 + [70, 80, 90],
            "note": [f"a note that is rather long, number {i:02}" for i in rows],
            "tags": [[f"a tag that is rather long, number {i:02}"] for i in rows],
            "number": [700000000 + i for i in rows],
            "job": pl.Series(["clerk"] * 60 + ["astronaut"] * 3, dtype=pl.Enum(["astronaut", "clerk"])),
        }
    )
    done = piiscan.anonymize(
        made(frame),
        k=20,
        quasi="age",
        insensitive=["note", "tags", "number", "job"],
        method="optimal",
        suppress=0.1,
        drop_suppressed=drop,
    )
    assert done.report["suppressed"] == 3
    held = pickle.dumps(done.frame)
    for text in (b"number 59", (700000059).to_bytes(8, "little")):
        assert text in held
    assert b"clerk" in held and b"astronaut" not in held
    for i in (60, 61, 62):
        assert f"number {i}".encode() not in held and (700000000 + i).to_bytes(8, "little") not in held


def test_lists_of_polars_keep_nothing_of_rows_that_are_left_out() -> None:
    frame = pl.DataFrame({"v": [["a"], None, [MAIL]], "k": ["x", "x", "y"]})
    plan = piiscan.plan(frame)
    (table,) = plan.tables
    kept = tuple(replace(a, operator="keep", params={}, domain=None) for a in table.columns)
    plan = replace(plan, tables=(replace(table, columns=kept, drop_rows=({"column": "k", "op": "=", "value": "y"},)),))
    out = piiscan.mask(frame, plan, key=KEY)
    assert out.to_dicts() == frame.head(2).to_dicts() and MAIL.encode() not in pickle.dumps(out)


def test_names_of_axes_that_identify_somebody_are_left_out() -> None:
    frame = pd.DataFrame({"v": [1, 2]})
    frame.columns.name = MAIL
    assert masked(frame).columns.name is None
    assert frame.columns.name == MAIL
    frame.index.name = "anna@needle-post.com"
    out = masked(pa.Table.from_pandas(frame))
    assert b"needle-post" not in out.schema.metadata[b"pandas"]
    assert out.to_pandas().equals(frame)


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


def test_labels_go_to_a_type_of_pandas_only_where_they_say_the_same() -> None:
    """A month is no day, and what is suppressed is no boolean."""
    days = pd.Timestamp("2020-01-10", tz="UTC") + pd.to_timedelta([0, 1, 40, 41] * 15, unit="D")
    frame = pd.DataFrame({"born": days, "smoker": [True, False, True, False] * 15})
    months = {"born": {f"{d:%Y-%m-%d %H:%M:%S.%f}+00:00": [f"{d:%Y-%m}"] for d in days}}
    for quasi, k, labels in (("born", 30, {"2020-01", "2020-02"}), ("smoker", 60, {"*"})):
        other = "born" if quasi == "smoker" else "smoker"
        given = months if quasi == "born" else None
        out = piiscan.anonymize(frame, k=k, quasi=quasi, insensitive=other, hierarchies=given).frame
        assert set(out[quasi]) == labels and out[other].equals(frame[other])


def test_lists_of_a_frame_are_kept_or_refused() -> None:
    frame = pl.DataFrame({"age": [20, 30] * 30, "tags": [["a", "b"], ["c"]] * 30})
    assert piiscan.anonymize(frame, k=2, quasi="age", insensitive="tags").frame["tags"].equals(frame["tags"])
    for role in ({"quasi": ["age", "tags"]}, {"quasi": "age", "unit": "tags"}):
        with pytest.raises(piiscan.ReadError, match=r"column tags contains lists.*convert it to text"):
            piiscan.anonymize(frame, k=2, **role)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"k": [1] * 3, "v": [[{MAIL: 1, "b": 2}]] * 3}),
        pa.table({"k": [1] * 3, "v": [[{MAIL: 1, "b": 2}]] * 3}),
        pd.DataFrame({"k": [1] * 3, "v": [{MAIL: 1, "b": 2}] * 3}),
        pl.DataFrame({"k": [1] * 3, "v": [json.dumps({MAIL: 1, "b": 2})] * 3}),
    ],
    ids=["polars", "arrow", "objects", "texts"],
)
def test_names_of_fields_in_lists_and_texts_that_identify_somebody_are_refused(frame: Any) -> None:
    """As in files: masks don't change such names."""
    plan = piiscan.plan(frame)
    message = r"column_\d: the name of a key or field in column v identifies somebody.*rename it in the data, or drop"
    for make in (
        lambda: piiscan.mask(frame, plan, KEY),
        lambda: piiscan.Masker(plan, KEY)(frame),
        lambda: piiscan.mask({"<frame>": frame}, plan, KEY),
    ):
        with pytest.raises(piiscan.UsageError, match=message):
            make()
    (table,) = plan.tables
    dropped = tuple(replace(a, operator="drop", params={}) if a.name == "v" else a for a in table.columns)
    out = piiscan.mask(frame, replace(plan, tables=(replace(table, columns=dropped),)), KEY)
    assert list(out.column_names if isinstance(out, pa.Table) else out.columns) == ["k"]
