"""The way back: reversible columns return exactly, the others stay masked."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import fastavro
import polars as pl
import pytest
from mask_people import cells, customers, folder, key_file, piiscan, planned

PEOPLE = customers(150).with_columns(
    pl.col("customer_id").cast(pl.Int64), pl.col("amount").cast(pl.Float64), visits=pl.int_range(150) * 7 - 40
)


def test_a_folder_comes_back(tmp_path: Path) -> None:
    shop, key = folder(tmp_path), key_file(tmp_path)
    plan = planned(
        shop,
        tmp_path / "plan.toml",
        email='operator = "token"\ndomain = "EMAIL_ADDRESS"',
        customer_email='operator = "token"\ndomain = "EMAIL_ADDRESS"',
    )
    piiscan("mask", shop, "--plan", plan, "-o", tmp_path / "out", "--key", key)
    said = piiscan("unmask", tmp_path / "out", "--plan", plan, "-o", tmp_path / "back", "--key", key)
    assert "2 files" in said and "personal data again" in said
    before, masked, back = (cells(tmp_path / top / "customers.csv") for top in ("shop", "out", "back"))
    restored = ["customer_id", "email", "ssn"]
    assert back.select(restored).equals(before.select(restored))
    assert back.drop(restored).equals(masked.drop(restored))
    assert (tmp_path / "back/sales/orders.csv").read_bytes() == (shop / "sales/orders.csv").read_bytes()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_tokens_of_numbers_become_numbers(tmp_path: Path, kind: str) -> None:
    source, key = tmp_path / f"customers.{kind}", key_file(tmp_path)
    getattr(PEOPLE, f"write_{kind}")(source)
    plan = planned(
        source,
        tmp_path / "plan.toml",
        customer_id='operator = "token"\ndomain = "ID"',
        visits='operator = "token"\ndomain = "N"',
    )
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / f"out.{kind}", "--key", key)
    piiscan("unmask", tmp_path / f"out.{kind}", "--plan", plan, "-o", tmp_path / f"back.{kind}", "--key", key)
    back = (
        pl.read_parquet(tmp_path / "back.parquet")
        if kind == "parquet"
        else pl.read_csv(tmp_path / "back.csv", schema=PEOPLE.schema)
    )
    columns = ["customer_id", "visits", "amount", "ssn", "gender"]
    assert back.schema == PEOPLE.schema and back.select(columns).equals(PEOPLE.select(columns))


def test_another_key_is_refused_without_a_value(tmp_path: Path) -> None:
    source = tmp_path / "customers.csv"
    PEOPLE.write_csv(source)
    plan = planned(source, tmp_path / "plan.toml", ssn='operator = "token"\ndomain = "US_SSN"')
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    (tmp_path / "other").mkdir()
    said = piiscan(
        "unmask",
        tmp_path / "out.csv",
        "--plan",
        plan,
        "-o",
        tmp_path / "back.csv",
        "--key",
        key_file(tmp_path / "other"),
        status=2,
    )
    assert "key" in said and not (tmp_path / "back.csv").exists()
    assert not any(value in said for value in cells(tmp_path / "out.csv")["ssn"].drop_nulls())


def test_a_plan_without_a_way_back_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    PEOPLE.select("email", "first_name", "last_name").write_csv(source)
    plan = planned(source, tmp_path / "plan.toml")
    said = piiscan("unmask", source, "--plan", plan, "-o", tmp_path / "back.csv", "--key", key_file(tmp_path), status=2)
    assert "no column that can be restored" in said


def test_what_was_suppressed_in_json_does_not_stop_the_way_back(tmp_path: Path) -> None:
    """A list that is nothing but nulls is no list any more."""
    rows = [
        {"ssn": n, "mails": [e], "visits": i}
        for i, (n, e) in enumerate(zip(PEOPLE["ssn"], PEOPLE["email"], strict=True))
        if n
    ]
    source, key = tmp_path / "people.jsonl", key_file(tmp_path)
    source.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    plan = planned(source, tmp_path / "plan.toml", visits='operator = "suppress"', mails='operator = "suppress"')
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.jsonl", "--key", key)
    piiscan("unmask", tmp_path / "out.jsonl", "--plan", plan, "-o", tmp_path / "back.jsonl", "--key", key)
    back = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text(encoding="utf-8").splitlines()]
    assert back == [{"ssn": r["ssn"], "mails": None, "visits": None} for r in rows]


def test_dates_of_avro_come_back_as_dates(tmp_path: Path) -> None:
    source, days = tmp_path / "born.avro", [dt.date(1950, 1, 1) + dt.timedelta(days=97 * i) for i in range(80)]
    fields = [{"name": "id", "type": "long"}, {"name": "born", "type": {"type": "int", "logicalType": "date"}}]
    with source.open("wb") as file:
        rows = [{"id": i, "born": day} for i, day in enumerate(days)]
        fastavro.writer(file, fastavro.parse_schema({"type": "record", "name": "t", "fields": fields}), rows)
    plan = planned(source, tmp_path / "plan.toml", born='operator = "token"\ndomain = "BORN"')
    key = key_file(tmp_path)
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.avro", "--key", key)
    piiscan("unmask", tmp_path / "out.avro", "--plan", plan, "-o", tmp_path / "back.avro", "--key", key)
    with (tmp_path / "out.avro").open("rb") as file:
        assert all(row["born"].startswith("~tok1_") for row in fastavro.reader(file))  # type: ignore[index, call-overload]
    with (tmp_path / "back.avro").open("rb") as file:
        assert [row["born"] for row in fastavro.reader(file)] == days  # type: ignore[index, call-overload]
