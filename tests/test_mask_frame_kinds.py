"""Structs, lists and lazy frames in, the same out; DuckDB relations and Arrow readers in, Arrow out."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from mask_people import customers

import piiscan

KEY = piiscan.Key(bytes(range(40, 72)))
PEOPLE = customers(140)
PLAN = piiscan.plan(PEOPLE)
MASKED = piiscan.mask(PEOPLE, PLAN, KEY)
NESTED = PEOPLE.select(
    pl.when(pl.int_range(pl.len()) % 7 > 0)
    .then(pl.struct("first_name", "last_name", pl.struct("email", "phone").alias("contact")))
    .alias("person"),
    "ssn",
    "amount",
    pl.concat_list("email", "email").alias("mails"),
    pl.concat_list(pl.struct("email", "city")).alias("history"),
)
NESTED_PLAN = piiscan.plan(NESTED)
NESTED_MASKED = piiscan.mask(NESTED, NESTED_PLAN, KEY)
ARROW = PEOPLE.to_arrow()

SOURCES: dict[str, Callable[[], Any]] = {
    "duckdb relation": lambda: duckdb.from_arrow(ARROW),
    "reader": lambda: pa.RecordBatchReader.from_batches(ARROW.schema, ARROW.to_batches(max_chunksize=33)),
    "data set": lambda: ds.dataset(ARROW),
    "scanner": lambda: ds.dataset(ARROW).scanner(),
}


def test_structs_and_lists_keep_their_shape() -> None:
    assert NESTED_MASKED.schema == NESTED.schema
    assert NESTED_MASKED["person"].is_null().equals(NESTED["person"].is_null())
    was, now = NESTED.drop_nulls("person"), NESTED_MASKED.drop_nulls("person")
    for field in ("first_name", "last_name"):
        assert now["person"].struct.field(field).null_count() == was["person"].struct.field(field).null_count()
    address = [frame["person"].struct.field("contact").struct.field("email") for frame in (was, now)]
    assert not (address[0] == address[1]).any()
    assert now["mails"].list.first().equals(address[1], check_names=False)
    assert now["history"].list.first().struct.field("email").equals(address[1], check_names=False)
    assert now["history"].list.first().struct.field("city").equals(was["history"].list.first().struct.field("city"))
    assert now["amount"].equals(was["amount"])


def test_nothing_of_a_struct_is_left() -> None:
    held = pickle.dumps(NESTED_MASKED.to_dicts())
    for column in ("email", "ssn", "phone"):
        assert not [v for v in PEOPLE[column].drop_nulls() if v.encode() in held]


@pytest.mark.parametrize("kind", [pa.Table, pa.RecordBatch])
def test_structs_of_arrow(kind: Any) -> None:
    table = NESTED.to_arrow()
    table = table.replace_schema_metadata({"made by": "a test"})
    frame = table if kind is pa.Table else table.combine_chunks().to_batches()[0]
    out = piiscan.mask(frame, NESTED_PLAN, KEY)
    assert isinstance(out, kind) and out.schema.equals(frame.schema, check_metadata=True)
    assert pl.DataFrame(out).equals(NESTED_MASKED)


def test_structs_of_chunks_and_slices() -> None:
    parts = [NESTED[:50].to_arrow(), NESTED[50:].to_arrow()]
    whole = pa.concat_tables(parts)
    assert whole.column("person").num_chunks > 1
    assert pl.DataFrame(piiscan.mask(whole, NESTED_PLAN, KEY)).equals(NESTED_MASKED)
    batch = NESTED.to_arrow().combine_chunks().to_batches()[0].slice(20, 60)
    assert pl.DataFrame(piiscan.mask(batch, NESTED_PLAN, KEY)).equals(piiscan.mask(NESTED[20:80], NESTED_PLAN, KEY))


def changed(**actions: dict[str, Any]) -> piiscan.Plan:
    """The plan of the nested frame with other operators, by their columns with _ for a dot."""
    (table,) = NESTED_PLAN.tables
    columns = tuple(
        replace(a, **({"params": {}, "domain": None, "subject": None} | actions[name]))
        if (name := (a.name or "").replace(".", "_")) in actions
        else a
        for a in table.columns
    )
    return replace(NESTED_PLAN, tables=(replace(table, columns=columns),))


@pytest.mark.parametrize("made", [lambda f: f, lambda f: f.to_arrow()], ids=["polars", "arrow"])
def test_fields_that_are_dropped_or_renamed(made: Callable[[pl.DataFrame], Any]) -> None:
    plan = changed(
        person_contact_email={"operator": "drop"},
        person_contact_phone={"operator": "suppress", "rename": "person.contact.telephone"},
        ssn={"operator": "suppress", "rename": "number"},
    )
    out = pl.DataFrame(piiscan.mask(made(NESTED), plan, KEY))
    assert out.columns == ["person", "number", "amount", "mails", "history"]
    (contact,) = (f for f in out.schema["person"].fields if f.name == "contact")  # type: ignore[attr-defined]
    assert [f.name for f in contact.dtype.fields] == ["telephone"]
    gone = changed(**{n: {"operator": "drop"} for n in ("person_contact_email", "person_contact_phone")})
    out = pl.DataFrame(piiscan.mask(made(NESTED), gone, KEY))
    assert [f.name for f in out.schema["person"].fields] == ["first_name", "last_name"]  # type: ignore[attr-defined]
    names = ("person_first_name", "person_last_name", "person_contact_email", "person_contact_phone")
    gone = changed(**{n: {"operator": "drop"} for n in names})
    assert pl.DataFrame(piiscan.mask(made(NESTED), gone, KEY)).columns == ["ssn", "amount", "mails", "history"]


@pytest.mark.parametrize("made", [lambda f: f, lambda f: f.to_arrow()], ids=["polars", "arrow"])
def test_rows_of_structs_that_are_left_out(made: Callable[[pl.DataFrame], Any]) -> None:
    (table,) = NESTED_PLAN.tables
    plan = replace(NESTED_PLAN, tables=(replace(table, drop_rows=({"missing": ["ssn"]},)),))
    out = pl.DataFrame(piiscan.mask(made(NESTED), plan, KEY))
    assert out.equals(NESTED_MASKED.filter(NESTED["ssn"].is_not_null()))


def test_columns_whose_paths_are_alike() -> None:
    """A column named as the path of a field beside it."""
    frame = PEOPLE.select(pl.struct("email").alias("a"), pl.col("phone").alias("a.email"), "ssn")
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert out.schema == frame.schema
    assert not (out["a"].struct.field("email") == PEOPLE["email"]).any()


def test_lazy_frames_come_back_lazy() -> None:
    for frame, plan, masked in ((PEOPLE, PLAN, MASKED), (NESTED, NESTED_PLAN, NESTED_MASKED)):
        out = piiscan.mask(frame.lazy(), plan, KEY)
        assert isinstance(out, pl.LazyFrame) and out.collect().equals(masked)
    assert piiscan.plan(PEOPLE.lazy()) == PLAN
    assert piiscan.Masker(PLAN, KEY)(PEOPLE.lazy()).collect().equals(MASKED)


@pytest.mark.parametrize("name", SOURCES)
def test_relations_and_readers_come_back_as_arrow(name: str) -> None:
    out = piiscan.mask(SOURCES[name](), PLAN, KEY)
    assert isinstance(out, pa.Table) and pl.DataFrame(out).equals(MASKED)
    assert piiscan.plan(SOURCES[name]()) == PLAN
    assert piiscan.scan(SOURCES[name]()).to_json() == piiscan.scan(PEOPLE).to_json()
    together = piiscan.mask({"people": SOURCES[name]()}, piiscan.plan({"people": PEOPLE}), KEY)
    assert isinstance(together["people"], pa.Table) and together.report.to_dict()["verified"]


def test_a_reader_is_read_in_batches_and_once() -> None:
    """However many rows it has, no more than a few batches are asked for ahead of what is scanned."""
    asked = 0

    def batches() -> Any:
        nonlocal asked
        for batch in ARROW.to_batches(max_chunksize=10):
            asked += 1
            yield batch

    reader = pa.RecordBatchReader.from_batches(ARROW.schema, batches())
    assert piiscan.scan(reader, sample=10).tables[0].rows == 10
    assert asked < 6
    empty = pa.RecordBatchReader.from_batches(ARROW.schema, [])
    assert [c.name for c in piiscan.scan(empty).columns] == ARROW.schema.names


def test_a_reader_that_breaks_off_is_not_clean() -> None:
    def batches() -> Any:
        yield from ARROW.to_batches(max_chunksize=70)[:1]
        raise ValueError(PEOPLE["ssn"][1])

    report = piiscan.scan(pa.RecordBatchReader.from_batches(ARROW.schema, batches()))
    assert not report.complete and "the Arrow stream broke off" in report.not_scanned[0].reason
    assert PEOPLE["ssn"][1] not in report.to_json()


def test_json_in_a_relation_is_looked_into() -> None:
    texts = pa.table({"doc": [f'{{"email": "{mail}", "n": 1}}' for mail in PEOPLE["email"]]})
    relation = duckdb.from_arrow(texts)
    assert piiscan.scan(relation)["doc.email"].entity == "EMAIL_ADDRESS"
    out = piiscan.mask(relation, piiscan.plan(texts), KEY)
    assert not set(out.column("doc").to_pylist()) & set(texts.column("doc").to_pylist())


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize(
    "made",
    [lambda f: f, lambda f: f.lazy(), lambda f: f.to_arrow(), lambda f: duckdb.from_arrow(f.to_arrow())],
    ids=["polars", "lazy", "arrow", "duckdb"],
)
def test_frames_of_few_rows(rows: int, made: Callable[[pl.DataFrame], Any]) -> None:
    out = piiscan.mask(made(NESTED.head(rows)), NESTED_PLAN, KEY)
    out = out.collect() if isinstance(out, pl.LazyFrame) else pl.DataFrame(out)
    assert out.schema == NESTED.schema and out.equals(NESTED_MASKED.head(rows))


def test_objects_in_pandas_come_back_as_objects() -> None:
    frame = pd.DataFrame({"who": [{"email": mail, "n": i} for i, mail in enumerate(PEOPLE["email"])]})
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert all(isinstance(cell, dict) and cell["n"] == i for i, cell in enumerate(out["who"]))
    assert not {cell["email"] for cell in out["who"]} & set(PEOPLE["email"])


def test_what_it_was_compared_with_may_be_lazy_or_nested() -> None:
    report = piiscan.compare(NESTED.lazy(), NESTED_MASKED.lazy(), NESTED_PLAN).to_dict()
    columns = {c["name"]: c for c in report["tables"][0]["columns"]}
    assert columns["person.contact.email"]["changed"] == columns["person.contact.email"]["before"]["filled"] > 0


KEPT = PEOPLE.select("email", amount=pl.int_range(pl.len()).cast(pl.Float64))
KEPT_PLAN = piiscan.plan(KEPT)
AMOUNT = pl.struct(pl.col("amount"), currency=pl.lit("EUR"))


@pytest.mark.parametrize("nested", [AMOUNT, pl.concat_list(AMOUNT)])
@pytest.mark.parametrize("made", [lambda f: f, pl.DataFrame.to_arrow])
def test_a_kept_column_may_come_as_a_struct(nested: pl.Expr, made: Callable[[pl.DataFrame], Any]) -> None:
    frame = KEPT.with_columns(amount=nested)
    expected = piiscan.mask(KEPT, KEPT_PLAN, KEY)["email"]
    for mask in (lambda f: piiscan.mask(f, KEPT_PLAN, KEY), piiscan.Masker(KEPT_PLAN, KEY)):
        masked = pl.DataFrame(mask(made(frame)))
        assert masked["amount"].equals(frame["amount"])
        assert masked["email"].equals(expected)
    assert piiscan.compare(frame, piiscan.mask(frame, KEPT_PLAN, KEY), KEPT_PLAN).to_dict()


def test_what_is_personal_in_a_kept_struct_is_a_new_column() -> None:
    for nested in (pl.struct("amount", "email"), pl.concat_list(pl.struct("amount", "email"))):
        frame = KEPT.with_columns(amount=nested)
        masker = piiscan.Masker(KEPT_PLAN, KEY)
        masker(KEPT.with_columns(amount=nested.map_elements(lambda _: None, return_dtype=frame.schema["amount"])))
        for mask in (lambda f: piiscan.mask(f, KEPT_PLAN, KEY), masker):
            with pytest.raises(piiscan.UsageError, match=r"column amount(\[\])?\.email isn't in the plan"):
                mask(frame)
    masked = piiscan.mask(
        KEPT.with_columns(amount=pl.struct("amount", "email")), KEPT_PLAN, KEY, new_columns="suppress"
    )
    assert masked["amount"].struct.field("email").null_count() == len(KEPT)
    assert masked["amount"].struct.field("amount").equals(KEPT["amount"])


@pytest.mark.parametrize("nested", [pl.concat_list("email"), pl.concat_list("email").list.to_array(1)])
def test_lists_of_what_people_are_known_by_are_refused(nested: pl.Expr) -> None:
    frame = KEPT.with_columns(email=nested)
    for mask in (lambda f: piiscan.mask(f, KEPT_PLAN, KEY), piiscan.Masker(KEPT_PLAN, KEY)):
        with pytest.raises(piiscan.UsageError, match=r"column email contains lists.*explode.*piiscan\.plan"):
            mask(frame)


def test_objects_in_a_column_that_was_planned_as_texts_become_its_masks() -> None:
    texts = [f"{name} Brinkmann" for name in ("Hannelore", "Piotr", "Giulia", "Ingrid", "Rosalind", "Annika")]
    plan = piiscan.plan(pd.DataFrame({"full_name": texts, "email": [f"a{i}@postbox.org" for i in range(6)]}))
    frame = pd.DataFrame({"full_name": [{"said": text} for text in texts], "email": None})
    masked = piiscan.mask(frame, plan, KEY)
    assert all(isinstance(cell, str) for cell in masked["full_name"])
    assert not any(text in str(masked.to_dict()) for text in texts)


@pytest.mark.parametrize("made", [pa.table, lambda columns: pl.DataFrame(pa.table(columns))])
def test_types_of_arrow_for_json_are_looked_into_and_stay(made: Any) -> None:
    texts = PEOPLE.select(pl.struct("email", "amount").struct.json_encode()).to_series().to_list()
    frame = made({"profile": pa.array(texts, pa.json_()), "flag": pa.array([1] * len(texts), pa.bool8())})
    assert piiscan.scan(frame)["profile.email"].entity == "EMAIL_ADDRESS"
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert out.schema == frame.schema
    cells = out["profile"].to_pylist() if isinstance(out, pa.Table) else out["profile"].ext.storage().to_list()
    assert [json.loads(cell)["email"] for cell in cells] == MASKED["email"].to_list()


def test_what_runs_and_views_of_arrow_hide_stays_behind() -> None:
    """Runs that were cut off, and elements that no list shows."""
    child = pa.array(["Original", *["a"] * 140])
    numbers = pa.array(range(1, 141), pa.int32())
    views = pa.ListViewArray.from_arrays(numbers, pa.array([1] * 140, pa.int32()), child)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([10, 150], pa.int32()), pa.array(["Original", "b"])).slice(10)
    before = ARROW.select(["email"]).append_column("seen", views).append_column("desk", runs)
    after = piiscan.mask(before, piiscan.plan(before), KEY)
    assert after.schema.types[1:] == before.schema.types[1:]
    assert after["seen"].to_pylist() == [["a"]] * 140 and after["desk"].to_pylist() == ["b"] * 140
    assert all("Original" not in str(after[name].chunk(0).values) for name in ("seen", "desk"))


@pytest.mark.parametrize("made", [pl.DataFrame, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas])
@pytest.mark.parametrize("nested", [False, True])
def test_columns_without_a_name_stay_so(made: Callable[[pl.DataFrame], Any], nested: bool) -> None:
    columns = [PEOPLE["email"].alias("column_0"), PEOPLE["last_name"].alias("")]
    frame = pl.DataFrame({cells.name: cells for cells in columns})
    frame = frame.with_columns(pl.struct(PEOPLE["city"].alias("")).alias("place")) if nested else frame
    masked = piiscan.mask(made(frame), piiscan.plan(made(frame)), KEY)
    names = masked.column_names if isinstance(masked, pa.Table) else list(masked.columns)
    assert names == frame.columns
    assert not set(frame["column_0"]) & set(pl.DataFrame(masked)["column_0"])


def test_a_name_that_is_replaced_is_no_other_columns() -> None:
    frame = pl.DataFrame({"anna.kernweiler@post-office.com": [1, 2], "column_0": ["x", "y"]})
    masked = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert masked.columns == ["column_0#2", "column_0"] and masked["column_0"].to_list() == ["x", "y"]
