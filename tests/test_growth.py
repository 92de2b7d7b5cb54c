"""A process that scans, plans and masks for long keeps nothing of what it saw: no words, files, threads or memory."""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import piiscan
from piiscan.core.keys import new
from piiscan.core.memory import give_back

NEEDLE = "qzwxjvkf"
"""Part of a word of every cell that the tests make."""
KEY = "PIISCAN_TEST_KEY"
FIRST = ("Anna", "Björn", "Chloé", "Дарья", "Emeka", "佳奈")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, new())


def frame(seed: int, rows: int = 30) -> pl.DataFrame:
    """People that no other seed has."""
    numbers = [seed * 1000 + i for i in range(rows)]
    word = f"{NEEDLE}{seed}".translate(str.maketrans("0123456789", "abcdefghij"))
    names = [f"{FIRST[i % len(FIRST)]} {word.title()}{chr(97 + i % 26)}" for i in range(rows)]
    return pl.DataFrame(
        {
            "name": names,
            "email": [f"{name.split()[0].lower()}.{word}{i}@{word}.example" for i, name in enumerate(names)],
            "phone": [f"+1 212 555 {n % 10_000:04}" for n in numbers],
            "ip": [f"10.{n // 65536 % 256}.{n // 256 % 256}.{n % 256}" for n in numbers],
            "note": [
                f"Please call {name} of {word} about invoice {word}-{n}" for name, n in zip(names, numbers, strict=True)
            ],
        }
    )


def held() -> Iterator[str]:
    """Every text with the needle that some container holds, and what kind of container it is."""
    for container in gc.get_objects():
        for found in gc.get_referents(container):
            if type(found) in (str, bytes) and len(found) < 100_000:
                text = found if isinstance(found, str) else found.decode("latin-1")
                if NEEDLE in text.lower():
                    yield f"{type(container).__name__}: {text[:60]}"


def left_behind() -> list[str]:
    """What is held but for the words of this module."""
    gc.collect()
    return [text for text in held() if text.rpartition(": ")[2] != NEEDLE and "example" not in text.split(": ")[1][:8]]


def test_no_word_of_a_cell_outlives_a_call(tmp_path: Path) -> None:
    def run() -> None:
        cells = frame(1)
        piiscan.scan(cells).to_json()
        plan = piiscan.plan(cells)
        piiscan.mask(cells, plan, key=f"env:{KEY}")
        cells.write_csv(tmp_path / "a.csv")
        cells.write_parquet(tmp_path / "a.parquet")
        cells.write_ndjson(tmp_path / "a.jsonl")
        (tmp_path / "list.txt").write_text("\n".join(cells["email"]), encoding="utf-8")
        piiscan.scan(tmp_path).to_json()
        piiscan.text.spans(cells["note"][0])

    import piiscan.text

    run()
    assert left_behind() == []


def resident() -> int:
    """Bytes of memory that this process has, what is free given back."""
    gc.collect()
    give_back()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_files_and_threads_stay(tmp_path: Path) -> None:
    def some(start: int, stop: int) -> None:
        for seed in range(start, stop):
            cells = frame(seed, 20)
            piiscan.scan(cells, jobs=1)
            if seed % 5 == 0:
                write(tmp_path, cells)
                piiscan.scan(tmp_path, jobs=1)
            if seed % 10 == 0:
                piiscan.mask(cells, piiscan.plan(cells), key=f"env:{KEY}")

    some(0, 20)
    before, files, threads = resident(), open_files(), threading.active_count()
    some(20, 80)
    assert threading.active_count() == threads
    assert open_files() <= files
    assert resident() - before < 12e6


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def write(folder: Path, cells: pl.DataFrame) -> None:
    """One file of each of several kinds."""
    cells.write_csv(folder / "a.csv")
    cells.write_parquet(folder / "a.parquet")
    cells.write_ipc(folder / "a.arrow")
    cells.write_ndjson(folder / "a.jsonl")
    cells.write_excel(folder / "a.xlsx")
    (folder / "a.db").unlink(missing_ok=True)
    with sqlite3.connect(folder / "a.db") as db:
        db.execute("create table a (name, email)")
        rows: Any = cells.select("name", "email").rows()
        db.executemany("insert into a values (?, ?)", rows)
    db.close()
