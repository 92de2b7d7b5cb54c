"""Columns under other names: the same masks, checked the same way, and back again."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from mask_people import customers, edited, key_file, piiscan

import piiscan as api
from piiscan.core.errors import UsageError
from piiscan.io.read_options import ReadOptions
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.run.mask_files import mask_files
from piiscan.masking.run.unmask_files import unmask_files
from piiscan.rules import rule_sets

PEOPLE = (
    customers(60)
    .select("email", "ssn", "city", pl.col("amount").cast(pl.Float64))
    .with_columns(number=pl.int_range(60) * 7 + 1000)
)
TOKEN, REDACT, KEEP, DROP = (
    'operator = "token"\ndomain = "N"',
    'operator = "redact"\nwith = {entity = "US_SSN"}',
    'operator = "keep"',
    'operator = "drop"',
)
MASKS = {"email": 'operator = "hash"\ndomain = "E"', "ssn": REDACT, "city": KEEP, "amount": DROP, "number": TOKEN}
NEW = {"number": "0", "city": 'c, "1"', "ssn": "amount"}
"""A number, a name that has to be quoted, and the name of the column that is dropped."""


def decided(renamed: bool = True) -> dict[str, str]:
    def line(name: str) -> str:
        return f"\nrename = '{NEW[name]}'" if renamed and name in NEW else ""

    return {name: masks + line(name) for name, masks in MASKS.items()}


def planned(source: Path, **lines: str) -> Path:
    plan = source.with_name("plan.toml")
    plan.write_text(edited(plan_toml.dumps(api.plan(source)), lines), encoding="utf-8")
    return plan


FORMATS: dict[str, tuple[Callable[[pl.DataFrame, Path], Any], Callable[[Path], pl.DataFrame]]] = {
    "csv": (lambda f, p: f.write_csv(p), lambda p: pl.from_pandas(pd.read_csv(p, dtype=str))),
    "parquet": (lambda f, p: f.write_parquet(p), pl.read_parquet),
    "arrow": (lambda f, p: f.write_ipc(p), pl.read_ipc),
    "xlsx": (
        lambda f, p: pd.DataFrame(f.to_dict(as_series=False)).to_excel(p, index=False),
        lambda p: pl.from_pandas(pd.read_excel(p, dtype=str)),
    ),
}  # fmt: skip


RULES = rule_sets.load(())


@pytest.mark.parametrize("kind", FORMATS)
def test_files_get_new_names_and_come_back(tmp_path: Path, kind: str) -> None:
    write, read = FORMATS[kind]
    source, key = tmp_path / f"people.{kind}", api.Key(bytes(range(32)))
    write(PEOPLE, source)
    made = {}
    for renamed in (False, True):
        plan = plan_toml.load(planned(source, **decided(renamed)))
        target = tmp_path / f"out-{renamed}.{kind}"
        assert mask_files(source, target, plan, key, RULES, ReadOptions()).verified
        made[renamed] = read(target)
    assert made[False].columns == ["email", "ssn", "city", "number"]
    assert made[True].columns == ["email", "amount", 'c, "1"', "0"]
    assert made[True].rows() == made[False].rows()
    unmask_files(tmp_path / f"out-True.{kind}", tmp_path / f"back.{kind}", plan, key, RULES, ReadOptions(header=True))
    back, before = read(tmp_path / f"back.{kind}"), read(source)
    assert back.columns == ["email", "ssn", "city", "number"]
    assert back.select("city", "number").equals(before.select("city", "number"))


def test_the_commands_know_of_new_names(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    plan, key = planned(tmp_path / "people.csv", ssn=MASKS["ssn"], number=TOKEN + '\nrename = "n"'), key_file(tmp_path)
    piiscan(
        "mask", tmp_path / "people.csv", "--plan", plan, "-o", tmp_path / "out.csv", "--key", key
    )  # ends with 0: every promise holds
    piiscan("unmask", tmp_path / "out.csv", "--plan", plan, "-o", tmp_path / "back.csv", "--key", key)
    assert pl.read_csv(tmp_path / "out.csv").columns[-1] == "n"
    assert pl.read_csv(tmp_path / "back.csv")["number"].to_list() == PEOPLE["number"].to_list()


def _database(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE people (email TEXT, ssn TEXT, city TEXT, amount REAL, number INTEGER)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", PEOPLE.rows())
    base.close()


@pytest.mark.parametrize(("name", "write"), [("people.jsonl", PEOPLE.write_ndjson), ("people.db", _database)])
def test_formats_that_keep_their_names_are_refused(tmp_path: Path, name: str, write: Callable[[Path], object]) -> None:
    write(tmp_path / name)
    plan = planned(tmp_path / name, city=KEEP + '\nrename = "place"')
    said = piiscan(
        "mask", tmp_path / name, "--plan", plan, "-o", tmp_path / f"out-{name}", "--key", key_file(tmp_path), status=2
    )
    assert "keep their names" in said
    assert not (tmp_path / f"out-{name}").exists()


def test_a_file_without_a_header_has_no_names(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv", include_header=False)
    made = api.plan(tmp_path / "people.csv")
    plan = plan_toml.dumps(made).replace("\ncolumn_2 = {", '\ncolumn_2 = {rename = "place", ')
    (tmp_path / "plan.toml").write_text(plan)
    said = piiscan(
        "mask",
        tmp_path / "people.csv",
        "--plan",
        tmp_path / "plan.toml",
        "-o",
        tmp_path / "out.csv",
        "--key",
        key_file(tmp_path),
        status=2,
    )
    assert "column column_2 has no name in the file" in said


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ({"city": KEEP + '\nrename = "email"'}, "two columns would be named email"),
        ({"city": KEEP + '\nrename = "x"', "ssn": REDACT + '\nrename = "x"'}, "two columns would be named x"),
        ({"city": DROP + '\nrename = "x"'}, "column city: a column that is dropped has no name"),
        ({"city": KEEP + '\nrename = ""'}, "rename is missing, or not a text"),
        ({"city": KEEP + "\nrename = 3"}, "rename is missing, or not a text"),
    ],
)
def test_names_that_cannot_be(tmp_path: Path, lines: dict[str, str], problem: str) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    plan = planned(tmp_path / "people.csv", **lines)
    with pytest.raises(UsageError, match=problem):
        plan_toml.load(plan)


def plan_of_a_frame() -> Plan:
    return plan_toml.loads(edited(plan_toml.dumps(api.plan(PEOPLE)), {**decided(), "number": KEEP + '\nrename = "0"'}))


@pytest.mark.parametrize("kind", ["polars", "pandas", "index", "arrow"])
def test_frames_get_new_names(kind: str) -> None:
    plan, key = plan_of_a_frame(), api.Key(secrets.token_bytes(32))
    frame: Any = {
        "polars": lambda: PEOPLE,
        "pandas": PEOPLE.to_pandas,
        "index": lambda: PEOPLE.to_pandas().set_index("number"),
        "arrow": lambda: PEOPLE.to_pandas().convert_dtypes().pipe(lambda f: __import__("pyarrow").Table.from_pandas(f)),
    }[kind]()
    masked = api.mask(frame, plan, key)
    assert type(masked) is type(frame)
    names = (
        [*masked.columns, *masked.index.names]
        if kind == "index"
        else list(masked.column_names if kind == "arrow" else masked.columns)
    )
    assert names == ["email", "amount", 'c, "1"', "0"]
    rows = masked.reset_index() if kind == "index" else masked.to_pandas() if kind in ("polars", "arrow") else masked
    assert rows['c, "1"'].fillna("").tolist() == PEOPLE["city"].fill_null("").to_list()
    assert rows["0"].tolist() == PEOPLE["number"].to_list()
    assert "number" in (
        frame.index.names if kind == "index" else frame.column_names if kind == "arrow" else frame.columns
    )
    if kind != "index":
        assert api.compare(frame, masked, plan).to_dict()["summary"]["columns"] == 5
        batch = frame[:10] if kind != "arrow" else frame.slice(0, 10)
        assert len(api.Masker(plan, key)(batch)) == 10


def test_a_new_name_is_a_decision_that_stays() -> None:
    again = api.plan(PEOPLE, before=plan_of_a_frame())
    assert {a.name: a.rename for a in again.tables[0].columns if a.rename} == NEW
