"""The Python interface: frames of each library in, the same kind out, the caller's own untouched."""

from __future__ import annotations

import datetime
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mask_people import customers, key_file
from polars.testing import assert_frame_equal

import piiscan
from piiscan.core.keys import Key

PEOPLE = customers(200).with_columns(
    pl.col("customer_id").cast(pl.Int64), pl.col("amount").cast(pl.Float64), pl.col("city").cast(pl.Categorical)
)
KEY = Key(bytes(range(40, 72)))
PLAN = piiscan.plan(PEOPLE)
MASKED = piiscan.mask(PEOPLE, PLAN, KEY)


def test_polars_frames() -> None:
    before = PEOPLE.clone()
    assert isinstance(PLAN, piiscan.Plan) and isinstance(MASKED, pl.DataFrame)
    assert MASKED.schema == PEOPLE.schema and PEOPLE.equals(before)
    kept = ["gender", "city", "amount"]
    assert MASKED.select(kept).equals(PEOPLE.select(kept))
    for column in ("customer_id", "email", "ssn", "phone"):
        assert not (MASKED[column] == PEOPLE[column]).any()
        assert MASKED[column].is_null().equals(PEOPLE[column].is_null())


def test_pandas_frames_keep_index_and_dtypes() -> None:
    frame = PEOPLE.to_pandas()
    frame.index = pd.Index(range(1000, 1000 - len(frame), -1))
    frame["visits"] = pd.array([1, None] * 100, dtype="Int32")
    before = frame.copy(deep=True)
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    pd.testing.assert_frame_equal(frame, before)
    assert isinstance(out, pd.DataFrame) and out.index.equals(frame.index)
    assert out.dtypes.to_dict() == frame.dtypes.to_dict() and list(out) == list(frame)
    assert out["email"].tolist() == MASKED["email"].to_list()
    assert out["customer_id"].tolist() == MASKED["customer_id"].to_list()
    assert out.isna().equals(frame.isna())


@pytest.mark.parametrize(
    ("distinct", "cells", "refused"),
    [
        (50, 250, True),
        (50, 249, False),
        (51, 255, False),
        (51, 5000, False),
        (49, 245, True),
        (1, 5, True),
        (1, 4, False),
    ],
)
def test_fifty_values_in_five_cells_each_are_few(distinct: int, cells: int, refused: bool) -> None:
    """Of so few values equal masks tell by how often they occur. The plan knows other values: what counts is the
    table that is masked."""
    frame = pl.DataFrame({"word": [f"w{i % distinct}" for i in range(cells)]})
    plan = piiscan.plan(frame)
    (table,) = plan.tables
    hashed = replace(table.columns[0], operator="hash", params={}, domain="words")
    plan = replace(plan, tables=(replace(table, columns=(hashed,)),))
    if refused:
        with pytest.raises(piiscan.UsageError, match=f"column word has only {distinct} different masks? by hash"):
            piiscan.mask(frame, plan, KEY)
    else:
        assert piiscan.mask(frame, plan, KEY)["word"].n_unique() == distinct
    accepted = replace(plan, tables=(replace(table, columns=(replace(hashed, accept_frequency=True),)),))
    assert piiscan.mask(frame, accepted, KEY)["word"].n_unique() == distinct


def test_a_column_named_by_somebody_s_address_is_known_by_its_place() -> None:
    name = "jane.doe@example.com"
    frame = PEOPLE.select("city", "amount", pl.col("email").alias(name))
    plan = piiscan.plan(frame)
    assert name not in repr(plan)
    out = piiscan.mask(frame, plan, KEY)
    assert out.columns == ["city", "amount", "column_2"]
    assert out["column_2"].equals(MASKED["email"].alias("column_2"))
    fewer = replace(
        plan,
        tables=(
            replace(
                plan.tables[0],
                columns=(replace(plan.tables[0].columns[0], operator="drop"), *plan.tables[0].columns[1:]),
            ),
        ),
    )
    report = piiscan.compare(frame, piiscan.mask(frame, fewer, KEY), fewer).to_json()
    assert '"column_2"' in report and name not in report


def test_an_index_of_addresses_is_masked_too() -> None:
    frame = PEOPLE.to_pandas().set_index("email")
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert out.index.name == "email" and out.index.tolist() == MASKED["email"].to_list()


def _only(frame: pd.DataFrame, operator: str, params: Any = None) -> piiscan.Plan:
    """A plan with one operator for the first column, and the others kept. `params`: by operator."""
    plan = piiscan.plan(frame)
    (table,) = plan.tables
    keep = [replace(a, operator="keep", params={}, domain=None, subject=None) for a in table.columns]
    keyed = "words" if operator in ("date-shift", "resample", "shuffle") else None
    given = (params or {}).get(operator, {})
    first = replace(keep[0], operator=operator, params=given, domain=keyed, decided_by="human", accept_frequency=True)
    return replace(plan, tables=(replace(table, columns=(first, *keep[1:])),))


@pytest.mark.parametrize(
    "dtype", ["bool", "boolean", "bool[pyarrow]", "object", "int64", "Int8", "float32", "category"]
)
def test_cells_of_pandas_that_are_emptied_are_missing(dtype: str) -> None:
    frame = pd.DataFrame({"v": pd.Series([True, False, True]).astype(dtype), "k": [1, 2, 3]})
    assert piiscan.mask(frame, _only(frame, "suppress"), KEY)["v"].isna().all()


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+03:00"])
def test_times_of_pandas_are_read_as_those_of_polars(zone: str | None) -> None:
    """Their masks are times again. Those of a fixed offset, which polars doesn't know, are read as texts."""
    times = pd.date_range("1970-01-01 00:30", periods=60, freq="200D", tz=zone)
    frame = pd.DataFrame({"date_of_birth": times, "k": range(60)})
    plan = piiscan.plan(frame, policy="hipaa-safe-harbor")
    out = piiscan.mask(frame, plan, KEY)["date_of_birth"]
    if zone == "+03:00":
        assert out.tolist() == [f"{time.year}" for time in times]
        return
    assert out.dtype == frame["date_of_birth"].dtype
    assert out.tolist() == [pd.Timestamp(time.year, 1, 1, tz=zone) for time in times]
    assert piiscan.plan(pl.from_pandas(frame), policy="hipaa-safe-harbor") == plan


@pytest.mark.parametrize(
    ("operator", "params"),
    [("date-generalise", {"level": "year"}), ("date-shift", {"days": 30}), ("resample", {"least": 1}), ("shuffle", {})],
)
def test_days_among_objects_of_pandas_stay_days(operator: str, params: dict[str, Any]) -> None:
    """What pandas reads from a database or from Parquet."""
    days = [datetime.date(1950 + i, 1 + i % 12, 5) for i in range(60)]
    frame = pd.DataFrame({"born": pd.Series(days, dtype=object), "k": range(60)})
    plan = _only(frame, operator, {operator: params})
    out = piiscan.mask(frame, plan, KEY)["born"]
    assert out.dtype == object
    assert out.tolist() == piiscan.mask(pl.DataFrame({"born": days, "k": range(60)}), plan, KEY)["born"].to_list()


def test_masks_of_bytes_are_bytes() -> None:
    frame = pd.DataFrame({"v": [b"abc", None, b"abd"], "flag": ["15", "7", None]})
    assert piiscan.mask(frame, _only(frame, "redact"), KEY)["v"].tolist() == [b"*", None, b"*"]
    above = _only(frame[["flag", "v"]], "above", {"above": {"cut": 12}})
    assert piiscan.mask(frame[["flag", "v"]], above, KEY)["flag"].dropna().tolist() == ["true", "false"]


@pytest.mark.parametrize("dtype", ["object", "str", "category"])
def test_a_masked_index_keeps_its_type(dtype: str) -> None:
    mails = pd.Index(PEOPLE["email"].drop_nulls(), name="email").astype(dtype)
    frame = pd.DataFrame({"k": range(len(mails))}, index=mails)
    out = piiscan.mask(frame, piiscan.plan(frame), KEY).index
    assert type(out) is type(mails) and not out.isin(mails).any()
    assert isinstance(out.dtype, pd.CategoricalDtype) if dtype == "category" else out.dtype == mails.dtype


@pytest.mark.parametrize("kind", [pa.Table, pa.RecordBatch])
def test_arrow_tables(kind: Any) -> None:
    table = PEOPLE.with_columns(pl.col("city").cast(pl.String)).to_arrow()
    frame = table if kind is pa.Table else table.combine_chunks().to_batches()[0]
    out = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert isinstance(out, kind) and out.schema == frame.schema
    assert out.column("email").to_pylist() == MASKED["email"].to_list()


def test_a_masker_gives_the_same_in_batches_and_in_other_processes(tmp_path: Path) -> None:
    spec = key_file(tmp_path)
    whole = piiscan.mask(PEOPLE, PLAN, spec)
    masker = pickle.loads(pickle.dumps(piiscan.Masker(PLAN, spec)))
    parts = [masker(PEOPLE.slice(at, 37), first_row=at) for at in range(0, 200, 37)]
    assert_frame_equal(pl.concat(parts), whole)
    assert masker(PEOPLE.head(0)).schema == PEOPLE.schema
    from base64 import urlsafe_b64decode

    secret = urlsafe_b64decode((tmp_path / "key").read_text().strip() + "==")
    assert secret not in pickle.dumps(masker) and secret.hex() not in repr(masker)


def test_a_key_of_bytes_does_not_travel() -> None:
    with pytest.raises(piiscan.UsageError, match="can't be pickled"):
        pickle.dumps(piiscan.Masker(PLAN, KEY))


def test_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIISCAN_KEY", raising=False)
    with pytest.raises(piiscan.UsageError, match="no key"):
        piiscan.Masker(PLAN)


def test_an_unknown_column() -> None:
    more = PEOPLE.with_columns(extra=pl.lit("abc"))
    with pytest.raises(piiscan.UsageError, match="column extra isn't in the plan"):
        piiscan.mask(more, PLAN, KEY)
    assert piiscan.mask(more, PLAN, KEY, new_columns="suppress")["extra"].null_count() == len(more)


@pytest.mark.parametrize("wrong", [[PEOPLE], [{"email": "a@b.org"}], 3, None, PLAN])
def test_what_is_no_frame_is_refused(wrong: Any) -> None:
    with pytest.raises(piiscan.UsageError, match="pass a pandas or polars DataFrame"):
        piiscan.mask(wrong, PLAN, KEY)


def test_a_plan_of_a_path(tmp_path: Path) -> None:
    customers(100).write_csv(tmp_path / "customers.csv")
    made = piiscan.plan(tmp_path / "customers.csv")
    assert [t.source for t in made.tables] == ["customers.csv"] and made.policy == "default"
    with pytest.raises(piiscan.UsageError, match="no such file"):
        piiscan.plan(tmp_path / "gone.csv")


def _frames() -> dict[str, Any]:
    texts = [f"value-{i:03}" for i in range(200)]
    categories = pd.Categorical(texts)
    table = pa.table({"email": PEOPLE["email"].to_list(), "tag": pa.array(texts).dictionary_encode()})
    return {
        "pandas": pd.DataFrame({"email": PEOPLE["email"].to_list(), "tag": categories}),
        "pandas index": pd.DataFrame(
            {"email": PEOPLE["email"].to_list()}, index=pd.CategoricalIndex(categories, name="tag")
        ),
        "pandas levels": pd.DataFrame({"email": PEOPLE["email"].to_list(), "n": 1}).set_index(
            pd.MultiIndex.from_arrays([texts, texts], names=["tag", "b"])
        ),
        "polars": pl.DataFrame({"email": PEOPLE["email"], "tag": pl.Series(texts, dtype=pl.Categorical)}),
        "arrow": table,
        "arrow batch": table.combine_chunks().to_batches()[0],
    }


@pytest.mark.parametrize("kind", _frames())
def test_rows_that_are_left_out_leave_nothing_behind(kind: str) -> None:
    """Categories, dictionaries and the levels of an index could keep their values."""
    frame = _frames()[kind]
    plan = piiscan.plan(frame)
    (table,) = plan.tables
    columns = tuple(
        a if a.name == "email" else replace(a, operator="keep", params={}, domain=None) for a in table.columns
    )
    few = replace(
        plan,
        tables=(replace(table, columns=columns, drop_rows=({"column": "tag", "op": "!=", "value": "value-007"},)),),
    )
    out = piiscan.mask(frame, few, KEY)
    assert len(out) == 1 and type(out) is type(frame)
    assert set(re.findall(rb"value-\d+", pickle.dumps(out))) == {b"value-007"}
    assert set(re.findall(rb"value-\d+", pickle.dumps(frame))) > {b"value-007"}
