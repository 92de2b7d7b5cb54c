"""One input, one report: byte for byte the same for any number of jobs, any chunk size, any partitioning, in any
process."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, Run

import piiscan
from piiscan.core.types import Batch, Field, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.report.full_json import as_dict, dumps
from piiscan.rules.rule_sets import shipped
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

FORMATS = ("json", "jsonl", "csv", "markdown", "sarif", "github", "table")
LONG = 140_000
"""Rows: more than two batches, each of which is spread over threads."""


def small_frame() -> pl.DataFrame:
    """A few rows of everything: persons, notes with identifiers inside, numbers, nulls."""
    rng = random.Random("small frame")
    first, last = "Ada Lea Noor Ivo Timo Ines".split(), "Berg Costa Diaz Novak Peters Rossi".split()
    rows = []
    for i in range(90):
        name, family = rng.choice(first), rng.choice(last)
        note = (
            "nothing to say"
            if i % 3
            else f"call +49 30 {rng.randrange(10**7, 10**8)} or mail {name.lower()}@mail.example"
        )
        day = f"{rng.randrange(1940, 2005)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        rows.append(
            (
                i + 1,
                name,
                family,
                f"{name}.{family}{i}@mail.example".lower(),
                day,
                note if i % 11 else None,
                rng.random(),
            )
        )
    return pl.DataFrame(rows, schema=["id", "first_name", "last_name", "email", "born", "note", "score"], orient="row")


def long_frame() -> pl.DataFrame:
    """Many rows: distinct values above what a sample holds, a claimed column, one of mixed looks, one of numbers."""
    rng = random.Random("long frame")
    mixed = [
        "078-05-1120",
        "n/a",
        "192.0.2.7",
        "note 4111 1111 1111 1111",
        "x" * 40,
        "SSN 219-09-9999, a@b.example",
        "",
    ]
    return pl.DataFrame(
        {
            "mail": [f"user{rng.randrange(10**9)}@mail.example" for _ in range(LONG)],
            "mixed": rng.choices(mixed, k=LONG),
            "count": [rng.randrange(10**6) for _ in range(LONG)],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of many formats, their names in no order, some in archives and some that can't be read."""
    root = tmp_path_factory.mktemp("determinism") / "data"
    shutil.copytree(ROOT / "examples", root / "B examples")
    frame = small_frame()
    (root / "deep" / "er").mkdir(parents=True)
    writers: dict[str, Callable[[Path], object]] = {
        "10.csv": frame.write_csv,
        "9.tsv": lambda path: frame.write_csv(path, separator="\t"),
        "z.parquet": frame.write_parquet,
        "a.arrow": frame.write_ipc,
        "Z.ndjson": frame.write_ndjson,
        "deep/er/ä.json": frame.write_json,
        "deep/m.csv.gz": lambda path: path.write_bytes(gzip.compress(frame.write_csv().encode(), mtime=0)),
        "_bad.parquet": lambda path: path.write_bytes(b"PAR1 and then nothing"),
        "long.csv": long_frame().write_csv,
        "notes.txt": lambda path: path.write_text("\n".join(frame["note"].drop_nulls())),
    }
    for name, write in writers.items():
        write(root / name)
    with zipfile.ZipFile(root / "C.zip", "w") as archive:
        for name in ("z.parquet", "10.csv"):
            archive.writestr(zipfile.ZipInfo(f"in {name}"), (root / name).read_bytes())
    return root


def in_another_order(folder: Path, copy: Path) -> Path:
    """The same files, made in the opposite order: a file system may list them so."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in reversed(files):
        target = copy / folder.name / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return copy


SETTINGS = [
    ("1", {"PYTHONHASHSEED": "0", "POLARS_MAX_THREADS": "1"}),
    ("2", {"PYTHONHASHSEED": "1", "POLARS_MAX_THREADS": "2"}),
    ("3", {"PYTHONHASHSEED": "random", "POLARS_MAX_THREADS": "1"}),
    (None, {"PYTHONHASHSEED": "random"}),
]


@pytest.mark.slow
def test_any_number_of_jobs(
    folder: Path, piiscan_process: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As people run it: a process for each, with other hash seeds and threads, over files listed in another order."""
    copy = in_another_order(folder, tmp_path / "copy")
    seen: list[dict[str, bytes]] = []
    for jobs, environment in SETTINGS:
        for name in ("PYTHONHASHSEED", "POLARS_MAX_THREADS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        more = [f for kind in FORMATS for f in ("-o", f"{kind}={tmp_path / kind}")] + (["--jobs", jobs] if jobs else [])
        done = piiscan_process("scan", folder.name, "-f", "json", *more, cwd=folder.parent if jobs == "1" else copy)
        assert done.returncode == 3, done.stderr
        seen.append({kind: (tmp_path / kind).read_bytes() for kind in FORMATS} | {"stdout": done.stdout.encode()})
    for kind in seen[0]:
        assert len(seen[0][kind]) > 100, kind
        assert [kind for run in seen[1:] if run[kind] != seen[0][kind]] == []


@pytest.mark.slow
def test_any_chunk_size(folder: Path) -> None:
    """Rows in a batch, as the readers make them. The report says the same, row positions included."""

    def report(batch_rows: int, *names: str) -> str:
        options = ReadOptions(batch_rows=batch_rows)
        found = inputs.discover([os.fspath(folder / name) for name in names], options)
        return dumps(engine.scan_tables(found, shipped().rules, ScanOptions(jobs=2)))

    few = ("10.csv", "deep", "C.zip", "notes.txt", "B examples/customers.json")
    assert len({report(size, *few) for size in (1, 7, 1_000)}) == 1
    assert (
        len({report(size, "long.csv") for size in (10_000, 65_536, 1 << 20)}) == 1
    )  # of the others, each is one batch then


NOTES = 2_500


@cache
def hidden() -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Notes; and the rows of those that hold an address and a number, around the borders of chunks of several sizes and
    at random."""
    rng = random.Random("hidden")
    borders = [0, *range(7, 60, 7), 1_000, 2_000, 2_048, NOTES]
    around = {row for border in borders for row in (border - 1, border, border + 1) if 0 <= row < NOTES}
    rows = sorted(around | set(rng.sample(range(NOTES), 40)))
    words = "the pump was replaced and works again since".split()
    notes = [" ".join(rng.choices(words, k=8)) for _ in range(NOTES)]
    for row in rows:
        notes[row] += f" ask user{row}@mail.example, ssn 219-09-{1000 + row:04}"
    return tuple(notes), tuple(rows)


def table_of(frame: pl.DataFrame, size: int) -> Table:
    """A frame as a table that comes in batches of `size` rows."""

    class Sliced:
        info = TableInfo("x.csv", None, "csv", True, tuple(Field(name) for name in frame.columns))

        def batches(self) -> Iterator[Batch]:
            plain = frame.rename({name: str(i) for i, name in enumerate(frame.columns)})
            for at in range(0, len(plain), size):
                yield Batch(plain.slice(at, size), at)

    return Sliced()


@pytest.mark.parametrize(("size", "most"), [(1, 300), (7, 1_200), (1_000, NOTES), (2_048, NOTES), (65_536, NOTES)])
def test_hidden_values_are_counted_exactly(size: int, most: int) -> None:
    notes, rows = hidden()
    notes, rows = notes[:most], tuple(row for row in rows if row < most)
    report = engine.scan_tables([table_of(pl.DataFrame({"note": notes}), size)], shipped().rules, ScanOptions(jobs=2))
    found = {i.rule: (i.cells, i.first_rows) for i in report.tables[0].columns[0].inside}
    assert found == {"email": (len(rows), rows[:5]), "us-ssn": (len(rows), rows[:5])}
    assert report.tables[0].rows == len(notes)


def without_rows(report: dict[str, Any]) -> dict[str, Any]:
    """A report without row positions: partitions don't know theirs."""
    for table in report["tables"]:
        for column in table["columns"]:
            for found in column["inside"]:
                found.pop("first_rows", None)
    return report


@cache
def mixed_frame() -> pl.DataFrame:
    """A small frame's columns and a long one's, and notes with hidden values: 6,000 rows."""
    rows = 6_000
    notes = pl.DataFrame({"text": hidden()[0] * 3}).head(rows)
    return pl.concat([pl.concat([small_frame()] * 67).head(rows), long_frame().head(rows), notes], how="horizontal")


@pytest.mark.parametrize("seed", range(3))
def test_any_partitioning(seed: int) -> None:
    """Parts of any size in any order, added in any grouping."""
    rng = random.Random(seed)
    frame = mixed_frame()
    scanner = piiscan.Scanner()
    cuts = sorted(rng.choices(range(len(frame) + 1), k=rng.choice([1, 4, 12])))
    parts = [scanner.partial(frame.slice(a, b - a)) for a, b in pairwise([0, *cuts, len(frame)])]
    while len(parts) > 1:
        rng.shuffle(parts)
        parts.append(parts.pop() + parts.pop())
    report = scanner.finish(parts[0], frame.head(3))
    assert without_rows(report.to_dict()) == without_rows(scanner.scan(frame).to_dict())


WORKER = """
import pickle, sys
import polars as pl, piiscan
frame = pl.read_ipc(sys.argv[1])
with open(sys.argv[2], "wb") as out:
    pickle.dump(piiscan.Scanner().partial(frame), out)
"""


def test_parts_from_other_processes(tmp_path: Path) -> None:
    """Workers of a cluster: their hash seeds and threads differ, their summaries add up to the same report."""
    frame = mixed_frame()
    total = piiscan.Scanner().partial(frame.slice(2_500, 1_500))
    for i, (start, rows, seed, threads) in enumerate([(0, 2_500, "3", "1"), (4_000, 2_000, "random", "2")]):
        frame.slice(start, rows).write_ipc(tmp_path / f"{i}.arrow")
        environment = os.environ | {"PYTHONHASHSEED": seed, "POLARS_MAX_THREADS": threads, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", WORKER, str(tmp_path / f"{i}.arrow"), str(tmp_path / f"{i}.pickle")]
        subprocess.run(command, env=environment, check=True, timeout=120)
        total = pickle.loads((tmp_path / f"{i}.pickle").read_bytes()) + total
    scanner = piiscan.Scanner()
    assert without_rows(scanner.finish(total, frame).to_dict()) == without_rows(scanner.scan(frame).to_dict())


def test_row_order_does_not_matter_to_verdicts() -> None:
    """Verdicts rest on sums, which know no order of rows."""
    frame = mixed_frame()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    report, other = (without_rows(piiscan.scan(f).to_dict()) for f in (frame, shuffled))
    assert report == other


def test_a_report_without_rows_is_still_a_report() -> None:
    """The comparison itself: what is left out is positions only."""
    found = engine.scan_tables([table_of(mixed_frame().head(500), 100)], shipped().rules, ScanOptions())
    moved = replace(found, tables=tuple(replace(t, rows=t.rows + 1) for t in found.tables))
    assert without_rows(as_dict(found)) != without_rows(as_dict(moved))
    assert any(inside.first_rows for column in found.tables[0].columns for inside in column.inside)
