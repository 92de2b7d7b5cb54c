"""The same output for any number of threads, any size of batches, and any parts: operators that see rows, columns
and texts included."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from mask_people import cells, customers, key_file, planned

from piiscan.core import keys
from piiscan.io.read_options import ReadOptions
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.request import MaskRequest
from piiscan.masking.run.mask_files import mask_files
from piiscan.rules import rule_sets

ROWS = 120
CUTS = ((131_072, 1), (64, 2), (19, 8))
"""Rows in a batch, and threads."""
CHANGES = {
    "city": 'operator = "shuffle"',
    "age": 'operator = "resample"\nwith = {least = 2}',
    "amount": 'operator = "noise"\nwith = {scale = 5}',
    "since": 'operator = "date-shift"\nwith = {days = 30, format = "%Y-%m-%d"}\ndomain = "DATES"\nsubject = "person"',
    "gender": 'operator = "token"\ndomain = "GENDER"\naccept_frequency = true',
}
BY_PLACE = ("city", "age", "amount")
"""Columns whose masks depend on the whole column, or on where a row stands in it."""


def _people() -> pl.DataFrame:
    draw = random.Random(5)
    return customers(ROWS).with_columns(
        age=pl.Series([str(draw.randrange(18, 40)) if i % 9 else None for i in range(ROWS)]),
        since=pl.Series(
            [
                str(dt.date(2020, 1, 1) + dt.timedelta(days=draw.randrange(900))) if i % 40 else "unknown"
                for i in range(ROWS)
            ]
        ),
        note=pl.Series(
            [f"Call {draw.choice('AB')}{i} at (212) 555-{i:04} or write to a{i}@mail.com." for i in range(ROWS)]
        ),
    )


def _write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".db":
        with sqlite3.connect(path) as base:
            base.execute(f"CREATE TABLE people ({', '.join(f'{c} TEXT' for c in frame.columns)})")
            base.executemany(f"INSERT INTO people VALUES ({', '.join('?' * frame.width)})", frame.rows())
        base.close()
    elif path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in [frame.columns, *frame.rows()]:
            book.worksheets[0].append(list(row))
        book.save(path)
    else:
        {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[path.suffix](path)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> keys.Key:
    return keys.Key.load(key_file(tmp_path_factory.mktemp("key")))


def _plan(source: Path) -> Plan:
    path = planned(source, source.parent / "plan.toml", **CHANGES)
    rows = 'drop_rows = [{column = "city", op = "=", value = "Boston"}, {missing = ["phone"]}]'
    path.write_text(
        path.read_text(encoding="utf-8").replace("\nsubjects.", f"\n{rows}\nsubjects.", 1),
        encoding="utf-8",
    )
    return plan_toml.load(path)


def _masked(
    source: Path, target: Path, plan: Plan, key: keys.Key, batch: int = 131_072, jobs: int = 1, verify: bool = False
) -> Path:
    read, options = ReadOptions(batch_rows=batch), MaskRequest(verify=verify, jobs=jobs)
    assert mask_files(source, target, plan, key, rule_sets.load(()), read, options).verified
    return target


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "db", "xlsx"])
def test_threads_and_batches_do_not_show(tmp_path: Path, key: keys.Key, kind: str) -> None:
    source = tmp_path / f"people.{kind}"
    _write(_people(), source)
    plan = _plan(source)
    (table,) = plan.tables
    assert {a.operator for a in table.columns} == {
        "persona",
        "fpe",
        "token",
        "surrogate",
        "spans",
        "shuffle",
        "resample",
        "noise",
        "date-shift",
    }
    outputs = {_bytes(_masked(source, tmp_path / f"{n}.{kind}", plan, key, *cut)) for n, cut in enumerate(CUTS)}
    assert len(outputs) == 1


def _bytes(path: Path) -> bytes:
    """All of a file, but of a workbook its cells: its parts tell the time."""
    if path.suffix != ".xlsx":
        return path.read_bytes()
    return repr([list(sheet.values) for sheet in openpyxl.load_workbook(path)]).encode()


def test_rows_left_out_are_out_in_every_cut(tmp_path: Path, key: keys.Key) -> None:
    source = tmp_path / "people.csv"
    _write(_people(), source)
    plan = _plan(source)
    out = cells(_masked(source, tmp_path / "out.csv", plan, key, 19, 2, verify=True))
    stay = _people().filter((pl.col("city") != "Boston").fill_null(True) & pl.col("phone").is_not_null())
    assert 0 < len(out) == len(stay) < ROWS
    every = replace(plan, tables=(replace(plan.tables[0], drop_rows=()),))
    kept = cells(_masked(source, tmp_path / "all.csv", every, key)).filter(
        (_people()["city"] != "Boston").fill_null(True) & _people()["phone"].is_not_null()
    )
    assert out.drop(BY_PLACE).equals(kept.drop(BY_PLACE))


@pytest.mark.parametrize("parts", [2, 5])
def test_parts_of_a_folder_get_the_masks_of_the_whole(tmp_path: Path, key: keys.Key, parts: int) -> None:
    """What the rows and the cells decide is the same wherever they stand; each part is a file of its own, a folder
    deep."""
    people = _people()
    whole, folder = tmp_path / "people.csv", tmp_path / "parts"
    _write(people, whole)
    plan = _plan(whole)
    out = cells(_masked(whole, tmp_path / "out.csv", plan, key))
    size = -(-ROWS // parts)
    for n in range(parts):
        (folder / f"n={n}").mkdir(parents=True)
        _write(people.slice(n * size, size), folder / f"n={n}" / "part.csv")
    _masked(folder, tmp_path / "masked", plan, key, jobs=2)
    files = sorted((tmp_path / "masked").rglob("*.csv"))
    assert [p.relative_to(tmp_path / "masked").as_posix() for p in files] == [f"n={n}/part.csv" for n in range(parts)]
    assert pl.concat([cells(p) for p in files]).drop(BY_PLACE).equals(out.drop(BY_PLACE))


def test_the_order_of_rows_does_not_matter_to_cells(tmp_path: Path, key: keys.Key) -> None:
    people = _people()
    _write(people, tmp_path / "people.csv")
    _write(people.reverse(), tmp_path / "reversed.csv")
    plan = _plan(tmp_path / "people.csv")
    one, two = (
        cells(_masked(tmp_path / f"{n}.csv", tmp_path / f"{n}-out.csv", plan, key)) for n in ("people", "reversed")
    )
    assert one.drop(BY_PLACE).equals(two.reverse().drop(BY_PLACE))
