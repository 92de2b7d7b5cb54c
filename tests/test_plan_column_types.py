"""A plan made from a CSV file applies to typed frames of it, and the other way round: the same masks, casts stated."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from mask_people import customers, key_file
from mask_people import piiscan as command

import piiscan

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
    assert "### Of another type than in the plan" in text
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
        match="column birth_date is other here and date in the plan, and date-shift can't mask it so; make the plan",
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


def test_a_file_whose_cells_would_have_to_become_texts_is_refused(tmp_path: Path) -> None:
    TYPED.with_columns(pl.col("age") + 0.5).write_parquet(tmp_path / "people.parquet")
    plan = with_operator(piiscan.plan(PEOPLE), "age", "hash")
    with pytest.raises(
        piiscan.UsageError, match="column age is float here and string in the plan, and hash can't mask it so"
    ):
        piiscan.mask(tmp_path / "people.parquet", plan, KEY, output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
