"""Disks that fail, processes that are killed, clocks that jump, two runs at once: nothing half, nothing lost, and the
next run makes it whole."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT
from fault_cases import CASES, ONCE, READS, Case, Server, Trial, faults, files, serving
from mask_people import customers

from piiscan.core import whole_file
from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned
from piiscan.core.whole_file import write_new, write_whole
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.read_options import ReadOptions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="faults are told to the C library of Linux")
FEW = {"mask a folder": 2, "mask over older files": 1, "mask and resume": 1}
"""How many faults of a command the suite tries, where another number than three."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler makes the library that makes calls fail")
    with serving(tmp_path_factory.mktemp("faults")) as running:
        yield running


def spread(trial: Trial, n: int) -> list[tuple[int, int, int]]:
    """Some of the faults, the last calls first: those that give files their names."""
    tries = list(faults(trial.calls))
    first = tries[-1 - len(tries) // 12]
    step = max(1, len(tries) // n)
    return [first, *tries[step // 2 :: step]][:n]


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case.name == "scan" else pytest.mark.slow, id=case.name) for case in CASES],
)
def test_a_fault_leaves_nothing_half_and_the_next_run_makes_it_whole(case: Case, server: Server) -> None:
    trial = Trial(case, server)
    for n, error, how in spread(trial, FEW.get(case.name, 3)):
        trial.disturb(n, error, how)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_fault_at_several_calls(case: Case, server: Server) -> None:
    trial = Trial(case, server)
    every = max(1, trial.calls // 2)  # `python tests/fault_cases.py` tries all
    outcomes = [trial.disturb(*fault) for fault in faults(trial.calls, every)]
    assert {"failed", "killed"} <= set(outcomes)


# Reading -----------------------------------------------------------------------------------------------------------


def _inputs(folder: Path) -> None:
    from test_resume import people

    people(folder / "in", texts=False)


READ = Case("read by scan", ("scan", "{}/in", "-o", "json={}/r.json", "-q"), ("r.json",), _inputs, statuses=(1,))


def _alone(table: dict[str, Any]) -> dict[str, Any]:
    """What a report says of a table, but for the other one that it is like."""
    return {key: said for key, said in table.items() if key != "like"}


def _reading(server: Server, every: int, first: int = 0) -> None:
    trial = Trial(READ, server)
    whole = json.loads(trial.wanted["r.json"])
    tables = {(t["source"], t["table"]): _alone(t) for t in whole["tables"]}
    trial._fresh()
    calls = trial._run(-1, errno.EIO, READS)["calls"]
    assert calls > 20
    missed = 0
    for n in range(first, calls, every):
        trial._fresh()
        done = trial._run(n, errno.EIO, READS)
        assert done["status"] in (1, 3), done
        report = json.loads((trial.folder / "r.json").read_text())
        torn = {entry["source"] for entry in report["not_scanned"]}
        assert (done["status"] == 3) == bool(torn), (n, done)
        assert all(entry["reason"] for entry in report["not_scanned"])
        here = {(t["source"], t["table"]): _alone(t) for t in report["tables"]}
        for place, table in tables.items():  # the rest goes on, and is as it was
            if not any(place[0] == source or place[0].startswith(f"{source}!") for source in torn):
                assert here[place] == table, (n, place, torn)
        missed += bool(torn)
    assert missed


def test_a_read_error_is_told_and_the_rest_goes_on(server: Server) -> None:
    _reading(server, every=26, first=18)


@pytest.mark.slow
def test_a_read_error_at_many_calls(server: Server) -> None:
    _reading(server, every=8)


def test_a_file_that_could_not_be_read_once_has_no_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it holds of people isn't known in the texts of others."""
    from dataclasses import replace

    import piiscan
    from piiscan.masking.run import read_ahead

    source = tmp_path / "in"
    source.mkdir()
    who = customers(40)
    who.write_csv(source / "a.csv")
    notes = pl.format("call {} {}", "first_name", "last_name")
    pl.DataFrame({"id": range(40), "note": who.select(notes).to_series()}).write_csv(source / "b.csv")
    plan = replace(piiscan.plan(source), vault=None)
    usual, left = read_ahead.TablesAhead._frames, 1

    def once(self: object, i: int, table: ReadTable) -> Iterator[pl.DataFrame]:
        nonlocal left
        if table.info.source.endswith("a.csv") and left:
            left -= 1

            def broken() -> Iterator[pl.DataFrame]:
                raise OSError(errno.EIO, "Input/output error")
                yield

            table = table._replace(read=broken)
        yield from usual(self, i, table)  # type: ignore[arg-type]

    monkeypatch.setattr(read_ahead.TablesAhead, "_frames", once)
    report = piiscan.mask(source, plan, piiscan.Key(bytes(range(32))), output=tmp_path / "out")
    assert not left
    assert [(entry.source, entry.reason) for entry in report.left_out] == [
        ("a.csv", "can't be read: Input/output error")
    ]
    assert sorted(files(tmp_path / "out")) == ["b.csv"]


@pytest.mark.parametrize("how", ["shrinks", "grows"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_a_file_that_changes_while_it_is_read_is_told(tmp_path: Path, kind: str, how: str) -> None:
    path = tmp_path / f"t.{kind}"
    table = pl.DataFrame({"email": [f"user{i}@mail{i % 7}.example.com" for i in range(60_000)]})
    if kind == "parquet":
        table.write_parquet(path, row_group_size=2000)
    else:
        {"csv": table.write_csv, "jsonl": table.write_ndjson, "arrow": table.write_ipc}[kind](path)
    told = []
    try:
        for item in inputs.discover([str(path)], ReadOptions(batch_rows=2000)):
            if isinstance(item, NotScanned):
                told.append(item.reason)
            elif isinstance(item, ReadTable):
                for n, _ in enumerate(item.batches()):
                    if n == 0 and how == "shrinks":
                        os.truncate(path, path.stat().st_size // 2)
                    elif n == 0:
                        with path.open("ab") as file:
                            file.write(b'{"email": 1}\n' * 1000)
    except ReadError as error:
        told.append(str(error))
    assert told


def _clock(server: Server, name: str, clock: list[float], mtime: float) -> None:
    case = next(c for c in CASES if c.name == name)
    trial = Trial(case, server)
    trial._fresh()
    for path in trial.folder.rglob("*"):
        os.utime(path, (mtime, mtime))
    done = trial._run(-1, errno.EIO, ONCE, clock=clock)
    assert done["status"] in case.statuses, done
    assert trial._outputs() == trial.wanted
    trial._tidy()


@pytest.mark.parametrize("mtime", [0, 4e9])
def test_clocks_do_not_matter(server: Server, mtime: float) -> None:
    """Files of the year 1970 or 2096, and a clock that jumps by years between any two looks at it."""
    _clock(server, "baseline", [(-1) ** n * 1e8 for n in range(1000)], mtime)


# Two at once --------------------------------------------------------------------------------------------------------

WRITER = """
import sys, time
from pathlib import Path
from piiscan.core.whole_file import write_new, write_whole
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.read_options import ReadOptions
path, letter = Path(sys.argv[1]), sys.argv[2]
for _ in range(60):
    write_whole(path, letter.encode() * 300_000, private=sys.argv[3] == "private")
"""


@pytest.mark.parametrize("private", ["private", "open"])
def test_two_processes_write_one_file_one_after_the_other(tmp_path: Path, private: str) -> None:
    path = tmp_path / "report.json"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), letter, private], env=env) for letter in "abc"
    ]
    seen = set()
    while any(w.poll() is None for w in writers):
        if path.exists():
            raw = path.read_bytes()
            assert raw in {letter * 300_000 for letter in (b"a", b"b", b"c")}
            seen.add(raw[:1])
    assert [w.wait() for w in writers] == [0, 0, 0]
    assert list(files(tmp_path)) == ["report.json"]


def test_a_killed_writer_leaves_one_file_which_the_next_takes(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    script = (
        "import os, sys; from pathlib import Path; from piiscan.core.whole_file import write_whole\n"
        "os.fsync = lambda fd: os.kill(os.getpid(), 9)\n"
        "write_whole(Path(sys.argv[1]), b'half')"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script, str(path)], env=os.environ | {"PYTHONPATH": str(ROOT)})
        assert done.returncode == -signal.SIGKILL
    (left,) = files(tmp_path)
    assert left.startswith(".piiscan-") and left.endswith(".new")
    write_whole(path, b"whole")
    assert list(files(tmp_path)) == ["x.json"] and path.read_bytes() == b"whole"
    with pytest.raises(FileExistsError):
        write_new(path, b"other")
    assert list(files(tmp_path)) == ["x.json"] and path.read_bytes() == b"whole"


def test_somebody_elses_temporary_file_is_not_written_to(tmp_path: Path) -> None:
    path, trap = tmp_path / "x.json", tmp_path / "trap"
    trap.write_bytes(b"mine")
    one = whole_file._one_name(path)
    one.symlink_to(trap)
    with pytest.raises(OSError):
        write_whole(path, b"told", private=True)
    one.unlink()
    one.hardlink_to(trap)
    write_whole(path, b"told", private=True)
    assert path.read_bytes() == b"told" and trap.read_bytes() == b"mine"
