"""A plan made from a CSV file applies to typed frames of it, and the other way round: the same masks, casts stated."""

from __future__ import annotations

import base64
import datetime as dt
import json
import random
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import fastavro
import pandas as pd
import polars as pl
import pytest
from mask_people import customers, key_file
from mask_people import piiscan as command

import piiscan
from piiscan.io.read_options import ReadOptions
from piiscan.masking.run.mask_files import mask_files
from piiscan.rules import rule_sets

KEY = piiscan.Key(bytes(range(40, 72)))
POLICIES = ("default", "gdpr", "hipaa-safe-harbor")


def _people() -> pl.DataFrame:
    """Cells as a CSV file has them."""
    draw = random.Random(4)
    people = customers(300)
    born = [str(dt.date(1950, 1, 1) + dt.timedelta(days=draw.randrange(18_000))) for _ in range(300)]
    return people.with_columns(
        pl.Series("birth_date", born),
        pl.Series("age", [str(draw.randrange(18, 80)) for _ in range(300)]),
        pl.Series("phone", [str(2_025_550_000 + 7 * draw.randrange(3000)) for _ in range(300)]),
        pl.Series("zip", [str(draw.randrange(10_000, 90_000)) for _ in range(300)]),
        pl.Series("active", [draw.choice(["true", "false"]) for _ in range(300)]),
    )


PEOPLE = _people()
TYPED = PEOPLE.with_columns(
    pl.col("customer_id", "age", "phone", "zip").cast(pl.Int64),
    pl.col("amount").cast(pl.Float64),
    pl.col("birth_date").str.to_date(),
    pl.col("active") == "true",
)
PANDAS = TYPED.with_columns(pl.col("birth_date").cast(pl.Datetime("us"))).to_pandas()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("csv") / "people.csv"
    PEOPLE.write_csv(path)
    return path


def as_texts(frame: Any) -> pl.DataFrame:
    """Every cell as text, dates and moments by their day, numbers without a point where they are whole."""
    made = pl.DataFrame(frame).with_columns(pl.col(pl.Datetime).dt.date())
    return made.with_columns(pl.all().cast(pl.String)).with_columns(pl.all().str.strip_suffix(".0"))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("made_from", ["file", "texts", "typed", "pandas"])
def test_every_plan_fits_every_frame_with_the_same_masks(file: Path, policy: str, made_from: str) -> None:
    plan = piiscan.plan({"file": file, "texts": PEOPLE, "typed": TYPED, "pandas": PANDAS}[made_from], policy=policy)
    expected = as_texts(piiscan.mask(PEOPLE, plan, KEY))
    for frame in (TYPED, PANDAS, TYPED.to_arrow(), TYPED.lazy().collect()):
        found = as_texts(piiscan.mask(frame, plan, KEY))
        assert found.columns == expected.columns
        for action in plan.tables[0].columns:
            name = action.name or ""
            if action.operator == "keep" or action.operator == "date-generalise" or name == "zip":
                continue  # what is kept keeps its own look; years of dates are first days; "000" is a number
            assert found[name].equals(expected[name], null_equal=True), (name, action.operator)


def test_what_is_kept_is_kept_whatever_its_type() -> None:
    plan = piiscan.plan(PEOPLE)
    kept = [a.name or "" for a in plan.tables[0].columns if a.operator == "keep"]
    assert {"amount", "active", "age"} <= set(kept)
    assert piiscan.mask(TYPED, plan, KEY).select(kept).equals(TYPED.select(kept))
    odd = TYPED.with_columns(
        pl.col("amount").cast(pl.Decimal(10, 2)), pl.col("age").cast(pl.UInt8), active=pl.lit(b"x")
    )
    odd = odd.with_columns(city=pl.lit([1, 2]))
    assert piiscan.mask(odd, plan, KEY).select(kept).equals(odd.select(kept))


def with_operator(plan: piiscan.Plan, column: str, operator: str, **params: Any) -> piiscan.Plan:
    (table,) = plan.tables
    columns = tuple(
        replace(a, operator=operator, params=params, domain="own", subject=None, accept_frequency=True)
        if a.name == column
        else a
        for a in table.columns
    )
    return replace(plan, tables=(replace(table, columns=columns),))


@pytest.mark.parametrize(
    ("operator", "params", "cells"),
    [
        ("hash", {}, pl.Float64()),  # hashes no floats
        ("token", {}, pl.Float64()),
        ("partial", {"keep_last": 2}, pl.Float64()),
        ("fpe", {}, pl.Float64()),
        ("spans", {}, pl.Int64()),
        ("mac", {}, pl.Int64()),
    ],
)
def test_cells_become_texts_where_the_operator_masks_nothing_else(operator: str, params: Any, cells: Any) -> None:
    plan = with_operator(piiscan.plan(PEOPLE), "age", operator, **params)
    frame = PEOPLE.with_columns(pl.col("age").cast(cells))
    as_text = piiscan.mask(PEOPLE, plan, KEY)["age"]
    assert piiscan.mask(frame, plan, KEY)["age"].cast(pl.String).str.strip_suffix(".0").equals(as_text, null_equal=True)
    assert cast_of(frame, plan, "age") == {"here": {"Float64": "float", "Int64": "integer"}[str(cells)]} | {
        "planned": "string"
    }


def cast_of(frame: pl.DataFrame, plan: piiscan.Plan, column: str) -> Any:
    report = piiscan.compare(frame, piiscan.mask(frame, plan, KEY), plan)
    (found,) = (c for c in report.to_dict()["tables"][0]["columns"] if c["name"] == column)
    return found["cast"]


def test_casts_are_stated() -> None:
    plan = piiscan.plan(PEOPLE)
    report = piiscan.compare(TYPED, piiscan.mask(TYPED, plan, KEY), plan)
    casts = {c["name"]: c["cast"] for c in report.to_dict()["tables"][0]["columns"]}
    assert casts["customer_id"] == {"here": "integer", "planned": "string"}
    assert casts["amount"] == {"here": "float", "planned": "string"}
    assert casts["email"] is None
    text = report.to_markdown()
    assert "### Types that differ from the plan" in text
    assert "- amount: float here, string in the plan; kept as it is" in text
    assert "- customer\\_id: integer here, string in the plan; masked as it is" in text.replace(
        "customer_id:", "customer\\_id:"
    )
    assert "another type" not in piiscan.compare(PEOPLE, piiscan.mask(PEOPLE, plan, KEY), plan).to_markdown()
    together = piiscan.mask({"people": TYPED}, piiscan.plan({"people": PEOPLE}), KEY)
    assert "float here, string in the plan" in together.report.to_markdown()
    spans = with_operator(plan, "age", "spans")
    text = piiscan.compare(TYPED, piiscan.mask(TYPED, spans, KEY), spans).to_markdown()
    assert "- age: integer here, string in the plan; made string before it was masked" in text


def test_a_type_that_the_operator_can_t_take_is_refused_and_named() -> None:
    plan = with_operator(piiscan.plan(TYPED), "birth_date", "date-shift", days=30)
    numbers = TYPED.with_columns(birth_date=pl.lit([1.5]))
    with pytest.raises(
        piiscan.UsageError,
        match="column birth_date is other here and date in the plan, and date-shift can't mask it so; make a new plan",
    ):
        piiscan.mask(numbers, plan, KEY)
    assert piiscan.mask(numbers, plan, KEY, new_columns="suppress")["birth_date"].null_count() == len(numbers)


def test_batches_of_another_type() -> None:
    masker = piiscan.Masker(piiscan.plan(PEOPLE), KEY)
    whole = piiscan.mask(TYPED, piiscan.plan(PEOPLE), KEY)
    assert pl.concat([masker(TYPED[:99], 0), masker(TYPED[99:], 99)]).equals(whole)
    assert isinstance(masker(pd.DataFrame(PANDAS.head(3))), pd.DataFrame)


def test_files_of_another_type_than_the_plan(tmp_path: Path) -> None:
    """Parquet by the plan of a CSV file, a CSV file by the plan of Parquet, and both back."""
    (tmp_path / "csv").mkdir()
    (tmp_path / "parquet").mkdir()
    PEOPLE.write_csv(tmp_path / "csv" / "people.csv")
    TYPED.write_parquet(tmp_path / "parquet" / "people.parquet")
    key = key_file(tmp_path)
    for kind, other in (("csv", "parquet"), ("parquet", "csv")):
        plan = tmp_path / f"{kind}.toml"
        command("plan", tmp_path / kind / f"people.{kind}", "-o", plan)
        masked, back = tmp_path / f"masked.{other}", tmp_path / f"back.{other}"
        source = tmp_path / other / f"people.{other}"
        command("mask", source, "--plan", plan, "--key", key, "-o", masked, "--report", tmp_path / f"{other}.md")
        assert "in the plan; masked as it is" in (tmp_path / f"{other}.md").read_text(encoding="utf-8")
        command("verify", source, masked, "--plan", plan, "--key", key)
        command("unmask", masked, "--plan", plan, "--key", key, "-o", back)

        def read(path: Path) -> pl.DataFrame:
            return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema=False)

        old, again = read(source), read(back)
        assert again["customer_id"].equals(old["customer_id"]) and again["ssn"].equals(old["ssn"])
        assert not read(masked)["customer_id"].equals(old["customer_id"])


def write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as base, base:
            base.execute(f"CREATE TABLE people ({', '.join(f'{c} REAL' for c in frame.columns)})")
            base.executemany(f"INSERT INTO people VALUES ({', '.join('?' * frame.width)})", frame.rows())
    elif path.suffix == ".duckdb":
        table = frame.to_arrow()
        with duckdb.connect(str(path)) as base:
            base.register("given", table)
            base.execute("CREATE TABLE people AS SELECT * FROM given")
    elif path.suffix == ".avro":
        kinds: dict[Any, Any] = {pl.String: "string", pl.Float64: "double"}
        kinds |= {pl.List: {"type": "array", "items": ["null", "string"]}}
        fields = [{"name": name, "type": ["null", kinds[type(dtype)]]} for name, dtype in frame.schema.items()]
        with path.open("wb") as file:
            fastavro.writer(file, {"type": "record", "name": "people", "fields": fields}, frame.to_dicts())
    elif path.suffix == ".json":
        path.write_text(json.dumps(frame.to_dicts(), default=str), encoding="utf-8")
    else:
        {".parquet": frame.write_parquet, ".jsonl": frame.write_ndjson, ".arrow": frame.write_ipc}[path.suffix](path)


def read(path: Path) -> pl.DataFrame:
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as base:
            found = base.execute("SELECT * FROM people")
            names, rows = [c[0] for c in found.description], found.fetchall()
        texts = [[None if cell is None else str(cell) for cell in row] for row in rows]
        return pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String), orient="row")
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as base:
            return pl.DataFrame(base.sql("SELECT * FROM people").to_arrow_table())
    if path.suffix == ".avro":
        with path.open("rb") as file:
            return pl.DataFrame(list(fastavro.reader(file)), infer_schema_length=None)
    if path.suffix in (".json", ".jsonl"):
        text = path.read_text(encoding="utf-8")
        rows = json.loads(text) if path.suffix == ".json" else map(json.loads, text.splitlines())
        texts = [{k: None if v is None else str(v) for k, v in row.items()} for row in rows]
        return pl.DataFrame(texts, infer_schema_length=None)
    return {".parquet": pl.read_parquet, ".arrow": pl.read_ipc}[path.suffix](path)


FLOATS = PEOPLE.select(
    "email", "first_name", "last_name", "ssn", pl.col("customer_id", "phone", "age", "zip").cast(pl.Float64)
)
"""As pandas holds whole numbers among which some are missing."""
FLOATS_PLAN = with_operator(
    with_operator(piiscan.plan(PEOPLE.select(FLOATS.columns)), "age", "partial", keep_first=1), "zip", "token"
)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "json", "avro", "db", "duckdb"])
def test_cells_of_files_become_texts_where_the_operator_masks_nothing_else(tmp_path: Path, ending: str) -> None:
    """Whole numbers as a CSV file has them: the same masks, joined and verified, and `unmask` leads back."""
    source, masked, back = (tmp_path / f"{name}.{ending}" for name in ("people", "masked", "back"))
    write(FLOATS, source)
    report = piiscan.mask(source, FLOATS_PLAN, KEY, output=masked)
    assert report.complete and report.verified
    said = report.to_markdown()
    for column in ("customer_id", "phone", "age", "zip"):
        assert f"- {column}: float here, string in the plan; made string before it was masked" in said
    expected = as_texts(piiscan.mask(PEOPLE.select(FLOATS.columns), FLOATS_PLAN, KEY))
    found = as_texts(read(masked))
    for column in FLOATS.columns:
        assert found[column].equals(expected[column], null_equal=True), column
    assert len(set(found["zip"])) > 200 and not set(found["phone"]) & set(as_texts(FLOATS)["phone"])
    FLOATS_PLAN.save(tmp_path / "plan.toml")
    (tmp_path / "key").write_bytes(base64.urlsafe_b64encode(bytes(range(40, 72))) + b"\n")
    (tmp_path / "key").chmod(0o600)
    key = f"file:{tmp_path / 'key'}"
    command("verify", source, masked, "--plan", tmp_path / "plan.toml", "--key", key)
    command("unmask", masked, "--plan", tmp_path / "plan.toml", "--key", key, "-o", back)
    again, old = as_texts(read(back)), as_texts(FLOATS)
    for column in ("ssn", "customer_id", "zip"):
        assert again[column].equals(old[column], null_equal=True), column


def test_batches_make_the_same_texts_of_floats(tmp_path: Path) -> None:
    """Whether a number is written with a point doesn't depend on those beside it."""
    numbers = pl.Series("n", [float(i) if i % 50 else i + 0.5 for i in range(200)] + [1e300, float("nan"), None])
    plan = with_operator(piiscan.plan(numbers.cast(pl.String).to_frame()), "n", "hash")
    whole = piiscan.mask(numbers.to_frame(), plan, KEY)
    masker = piiscan.Masker(plan, KEY)
    assert pl.concat([masker(numbers[i : i + 9].to_frame()) for i in range(0, 203, 9)]).equals(whole)
    numbers.to_frame().write_parquet(tmp_path / "n.parquet")
    for rows in (7, 131_072):
        out = tmp_path / f"{rows}.parquet"
        read_in = ReadOptions(batch_rows=rows)
        assert mask_files(tmp_path / "n.parquet", out, plan, KEY, rule_sets.load(()), read_in).verified
        assert pl.read_parquet(out).equals(whole)


def test_a_file_of_a_type_that_the_operator_can_t_take_is_refused(tmp_path: Path) -> None:
    TYPED.with_columns(birth_date=pl.lit([1.5])).write_parquet(tmp_path / "people.parquet")
    plan = with_operator(piiscan.plan(TYPED), "birth_date", "date-shift", days=30)
    with pytest.raises(
        piiscan.UsageError, match="column birth_date is other here and date in the plan, and date-shift can't mask it"
    ):
        piiscan.mask(tmp_path / "people.parquet", plan, KEY, output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


TEXTS = PEOPLE.select("email", "first_name", "last_name", "ssn", "city")
TEXTS_PLAN = piiscan.plan(TEXTS)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "json", "avro", "duckdb"])
def test_lists_of_a_file_where_the_plan_has_none(tmp_path: Path, ending: str) -> None:
    """Each element gets the mask that it has as a cell; what tells people apart can't be a list."""
    source, out = tmp_path / f"people.{ending}", tmp_path / f"out.{ending}"
    write(TEXTS.with_columns(pl.concat_list("ssn", "ssn"), pl.concat_list("city")), source)
    assert piiscan.mask(source, TEXTS_PLAN, KEY, output=out).verified
    expected = piiscan.mask(TEXTS, TEXTS_PLAN, KEY)["ssn"]
    found = [re.findall(r"[0-9-]{11}", str(cell)) for cell in read(out)["ssn"].to_list()]
    assert found == [[mask] * 2 if mask else [] for mask in expected]
    source.unlink()
    out.unlink()
    for nested in (pl.concat_list("email"), pl.concat_list("email", "email")):
        write(TEXTS.with_columns(nested), source)
        with pytest.raises(piiscan.UsageError, match=r"column email contains lists.*explode.*piiscan\.plan"):
            piiscan.mask(source, TEXTS_PLAN, KEY, output=out)
        assert not out.exists()
        source.unlink()
