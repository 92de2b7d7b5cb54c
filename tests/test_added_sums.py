"""The sums of small files that look alike are added where they are read; what is found is what it is without that."""

from __future__ import annotations

import random
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from piiscan.core import shares
from piiscan.core.types import Field, TableInfo, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.report.full_json import dumps
from piiscan.rules.rule_sets import shipped
from piiscan.scanning import crew, engine, small_tables
from piiscan.scanning.scan_options import ScanOptions
from piiscan.scanning.small_tables import CELLS

RULES = shipped().rules
FIRST = "Ada Ivo Lea Pat Mia Noah Olga Emma Hans Greta".split()
LAST = "Berg Lind Roth Meyer Schulz Brown Smith Jones Weber Wagner".split()
Found = tuple[str, list[tuple[TableInfo, TableSummary, TableReport]]]


def cell(rng: random.Random, kind: str) -> Any:
    first, last = rng.choice(FIRST), rng.choice(LAST)
    match kind:
        case "name":
            return f"{first} {last}"
        case "mail":
            return f"{first}.{last}{rng.randrange(50)}@firm.com".lower()
        case "some mails":
            return rng.choice(("", "see the file", f" {first.lower()}@example.org ", f"{first.lower()}@firm.com "))
        case "text":
            return f"Call {first} {last} at {rng.randrange(10**6)}" + " and again" * rng.randrange(60)
        case "few":
            return rng.choice(("yes", "no", None))
        case _:
            return str(rng.randrange(10**6))


def frame(rng: random.Random, kinds: dict[str, str], rows: int) -> pl.DataFrame:
    cells = {name: [cell(rng, kind) for _ in range(rows)] for name, kind in kinds.items()}
    return pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of several data sets, in turn: some empty, some short, some that look like no other of their name."""
    root = tmp_path_factory.mktemp("sets")
    rng = random.Random("sets")
    kinds = {"who": "name", "mail": "mail", "note": "text", "more": "some mails", "ok": "few", "id": "number"}
    for i in range(22):
        usual = dict(kinds)
        if i % 9 == 4:
            usual["who"] = "number"  # a file that looks like no person
        rows = (0, 3, 25, 60, 1100)[i % 5]
        frame(rng, usual, rows).write_csv(root / f"a-2024-01-{i:02}.csv")
        own = frame(rng, {"mail": "mail", "n": "number"}, 30 + i)
        number = pl.Int64 if i % 3 else pl.Float64
        own.with_columns(pl.col("n").cast(number)).write_parquet(root / f"b-{i:03}.parquet")
        if i % 6 == 0:
            frame(rng, {"city": "few", f"x{i % 4}": "name"}, 40).write_csv(root / f"c{i}.csv")
            frame(rng, {"label": "text"}, 10).write_csv(root / f"alone{'abcdefg'[i // 6]}.csv")
    return root


def found(paths: list[str], is_together: bool) -> Found:
    """The report, and all that was told of each table, in its order."""
    read, scan = ReadOptions(rules=RULES), ScanOptions(jobs=1, data_sets=True)
    told: list[tuple[TableInfo, TableSummary, TableReport]] = []

    def seen(*table: Any) -> None:
        told.append(table)

    if not is_together:
        return dumps(engine.scan_tables(inputs.watched(paths, read, None), RULES, scan, seen=seen)), told
    with crew.Crew(RULES, scan, read, keeps_summaries=True) as own:
        tables = inputs.watched(paths, read, None, own)
        return dumps(engine.scan_tables(tables, RULES, scan, seen=seen, helpers=own)), told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "how"), [(0, [(CELLS, 64)]), (1_700_000, [(5_000, 4)]), (1 << 30, [(5_000, 64), (CELLS, 64)])]
)
def test_files_whose_sums_are_added_are_the_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, room: int, how: list[tuple[int, int]]
) -> None:
    """Whatever room there is for data sets: for none, for a few of these files, or for all.

    And however many cells and files are summed up together.
    """
    monkeypatch.setattr(shares, "data_sets", lambda: room)
    alone = found([str(folder)], False)
    for cells, files in how:
        monkeypatch.setattr(small_tables, "CELLS", cells)
        monkeypatch.setattr(crew, "TOGETHER", files)
        assert found([str(folder)], True) == alone


def test_a_file_that_is_named_twice_is_counted_once(folder: Path) -> None:
    """Before those that it is like, among them and behind them."""
    again = [str(folder / f"b-{i:03}.parquet") for i in (3, 17, 21)]
    paths = [again[1], str(folder), *again]
    assert found(paths, True) == found(paths, False)


@pytest.mark.parametrize("different", [1, 700, 1024, 1025, 1500, 4000, 100_000])
def test_many_samples_added_at_once_are_those_added_one_by_one(different: int) -> None:
    rng = random.Random(different)
    fields = (Field("n", "string"),)
    parts = [
        engine.partial(pl.DataFrame({"0": [f"v{rng.randrange(different)}" for _ in range(700)]}), fields, RULES)
        for _ in range(20)
    ]
    first, *rest = parts
    assert first.sum(rest) == reduce(add, parts)
