"""`scan --resume`: what hasn't changed isn't read again, and the report is the same as without."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run
from test_data_sets import lake, people
from test_supervise import run as run_logged

from piiscan.core.checkpoints import Known, Unwatched
from piiscan.core.plain_data import from_plain, to_plain
from piiscan.core.types import ColumnReport, Inside, Member, MemberColumn, Reason, TableReport
from piiscan.scanning.scan_cache import ScanCache

PAST = 3600
"""Seconds. What was written shortly before a scan isn't kept."""


def age(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the files had lain there for long."""
    monkeypatch.setattr("piiscan.scanning.scan_cache._RECENT", -PAST * 10**9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    age(tmp_path, monkeypatch)
    here = tmp_path / "data"
    here.mkdir()
    lake(here, 4)
    people(20).write_csv(here / "customers.csv")
    pl.DataFrame({"n": [1, 2, 3]}).write_parquet(here / "numbers.parquet")
    (here / "note.txt").write_text("call mario.rossi@corp-mail.com\n", encoding="utf-8")
    (here / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    shutil.make_archive(str(here / "packed"), "zip", here / "lake")
    return here


def scan(piiscan: Run, folder: Path, *args: str, status: int = 1) -> tuple[dict[str, Any], int | None]:
    """The report without what was skipped, and how many inputs were unchanged."""
    done = piiscan("scan", ".", "-f", "json", *args, cwd=folder)
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    del report["skipped"], report["skipped_kinds"]  # .piiscan-cache, from the second time on
    said = [line for line in done.stderr.splitlines() if "unchanged since an earlier scan" in line]
    return report, int(said[0].split()[0]) if said else None


def kept_file(folder: Path) -> Path:
    """What is kept of scans with the same settings."""
    (file,) = (folder / ".piiscan-cache").glob("scan-*.jsonl")
    return file


def test_the_report_is_the_same(piiscan: Run, folder: Path) -> None:
    fresh, none = scan(piiscan, folder)
    assert none is None and not (folder / ".piiscan-cache").exists()
    first, kept = scan(piiscan, folder, "--resume")
    assert first == fresh and kept == 0
    again, kept = scan(piiscan, folder, "--resume")
    assert again == fresh and kept == 9
    _, kept = scan(piiscan, folder, "--resume", "customers.csv", "note.txt")
    assert kept == 11  # two of them twice
    for form in ("table", "markdown", "csv", "sarif"):
        texts = [piiscan("scan", ".", "-f", form, "-q", *more, cwd=folder).stdout for more in ((), ("--resume",))]
        assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (lambda f: people(30).write_csv(f / "customers.csv"), 8),
        (lambda f: os.utime(f / "customers.csv", ns=(0, 10**18)), 8),
        (lambda f: shutil.copy(f / "note.txt", f / "x").replace(f / "note.txt"), 8),
        (lambda f: (f / "customers.csv").unlink(), 8),
        (lambda f: people(31).write_csv(f / "more.csv"), 9),
        (lambda f: people(32).write_csv(f / "lake" / "year=2020" / "part-00009.csv"), 5),
        (lambda f: people(33).write_csv(f / "lake" / "year=2021" / "part-00001.csv"), 5),
        (lambda f: (f / "lake" / "year=2021" / "part-00001.csv").unlink(), 5),
        (lambda f: (f / "piiscan.toml").write_text('[[columns]]\npath = "*.csv"\ncolumn = "x"\nis = "none"\n'), 0),
        (lambda f: kept_file(f).unlink(), 0),
        (lambda f: kept_file(f).write_bytes(b"\x80\x04\x95"), 0),
        (lambda f: kept_file(f).write_bytes(b""), 0),
    ],
)
def test_what_has_changed_is_read(piiscan: Run, folder: Path, change: Any, kept: int) -> None:
    scan(piiscan, folder, "--resume")
    change(folder)
    resumed = scan(piiscan, folder, "--resume")
    assert resumed == (scan(piiscan, folder)[0], kept)


@pytest.mark.parametrize(
    "options", [("--min-confidence", "0.9"), ("--select", "EMAIL_ADDRESS"), ("--sample", "5"), ("--no-header",)]
)
def test_other_settings_are_another_scan(piiscan: Run, folder: Path, options: tuple[str, ...]) -> None:
    scan(piiscan, folder, "--resume")
    assert scan(piiscan, folder, "--resume", *options) == (scan(piiscan, folder, *options)[0], 0)


def test_scans_with_other_settings_leave_what_is_known(piiscan: Run, folder: Path) -> None:
    """Eight of them, of which the one that was made longest ago goes."""
    usual: tuple[str, ...] = ()
    others = [("--sample", str(rows)) for rows in range(5, 13)]

    def unchanged(options: tuple[str, ...]) -> int | None:
        return scan(piiscan, folder, "--resume", *options)[1]

    assert [unchanged(options) for options in (usual, *others[:7])] == [0] * 8
    assert [unchanged(options) for options in (usual, *others[:7])] == [9] * 8
    assert [unchanged(options) for options in (others[7], others[6], usual)] == [0, 9, 0]


def test_a_line_that_was_tampered_with_or_cut_is_left_out(piiscan: Run, folder: Path) -> None:
    fresh, _ = scan(piiscan, folder, "--resume")
    file = kept_file(folder)
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    for bad in (
        "{}",
        "[1]",
        lines[0][:-40],
        lines[0].replace('"direct"', '"harmless"'),
        lines[0].replace("null", "[]"),
    ):
        file.write_text("\n".join([head, bad, *lines[1:]]), encoding="utf-8")
        again, _ = scan(piiscan, folder, "--resume")
        assert again == fresh


def test_what_was_not_scanned_is_tried_again(piiscan: Run, folder: Path) -> None:
    (folder / "broken.parquet").write_bytes((folder / "numbers.parquet").read_bytes()[:-30])
    _, kept = scan(piiscan, folder, "--resume", status=3)
    again, kept = scan(piiscan, folder, "--resume", status=3)
    assert kept == 9 and [e["source"] for e in again["not_scanned"]] == ["broken.parquet"]


def test_no_cell_is_kept(piiscan: Run, folder: Path) -> None:
    scan(piiscan, folder, "--resume")
    text = kept_file(folder).read_text(encoding="utf-8")
    assert "mail" in text and "corp-mail" not in text and "Smith" not in text and "smith" not in text
    assert (folder / ".piiscan-cache" / ".gitignore").read_text(encoding="utf-8").endswith("*\n")
    if os.name == "posix":
        assert (folder / ".piiscan-cache").stat().st_mode & 0o077 == 0


def test_what_is_staged_is_no_matter_for_it(piiscan: Run, folder: Path) -> None:
    done = piiscan("scan", "--staged", "--resume", cwd=folder)
    assert done.returncode == 2 and "--resume is for files" in done.stderr


def test_what_was_just_written_is_not_kept(piiscan: Run, tmp_path: Path) -> None:
    """It may be written again within the same tick of the clock."""
    people(1).write_csv(tmp_path / "a.csv")
    assert scan(piiscan, tmp_path, "--resume")[1] == 0
    assert scan(piiscan, tmp_path, "--resume")[1] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere commands run in the process itself")
def test_an_interrupted_scan_goes_on_where_it_was(tmp_path: Path) -> None:
    here = tmp_path / "d"
    here.mkdir()
    for name in "abcde":
        people(ord(name), 10).write_csv(here / f"{name}.csv")
    people(1, 10).write_csv(here / "d_term.csv")
    time.sleep(2.1)
    done = run_logged(tmp_path, "scan", "d", "-f", "json", "--resume")
    assert done.returncode < 0  # ended by a signal while it read d_term.csv
    (here / "d_term.csv").unlink()
    (tmp_path / "opened.log").unlink()
    done = run_logged(tmp_path, "scan", "d", "-f", "json", "--resume")
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "opened.log").read_text(encoding="utf-8").split() == ["d/e.csv"]
    assert [t["source"] for t in json.loads(done.stdout)["tables"]] == [f"d/{name}.csv" for name in "abcde"]


class Before(Unwatched):
    """An earlier process of the command has read everything."""

    def begin(self, source: str) -> Known | None:
        return Known(())


def test_what_an_earlier_process_read_is_not_kept_as_nothing(folder: Path) -> None:
    """What came of it isn't told to the cache, and a file of which nothing is known isn't one without findings."""
    file = folder / "customers.csv"
    for inner in (Before(), Unwatched()):
        cache = ScanCache(folder / ".piiscan-cache", [], inner)
        cache.expect([("customers.csv", str(file))])
        assert cache.begin("customers.csv") == inner.begin("customers.csv")
        assert cache.kept == 0
        cache.end()


def test_files_that_are_named_twice(piiscan: Run, folder: Path) -> None:
    named = (".", "customers.csv", "lake/year=2020/part-00000.csv")

    def report(*more: str) -> dict[str, Any]:
        done = piiscan("scan", *named, "-f", "json", *more, cwd=folder)
        assert done.returncode == 1, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return {key: value for key, value in found.items() if not key.startswith("skipped")}

    fresh = report()
    assert [report("--resume") for _ in range(3)] == [fresh] * 3


def test_records_come_back_as_they_were() -> None:
    inside = (Inside("EMAIL_ADDRESS", None, "email", 3, (1, 2), True),)
    column = ColumnReport(
        0, None, "string", "PERSON", None, "direct", 1.0, 2, 3, False, "aa", "name", (Reason("header", "x", 1, 0.5),),
        inside, None, 0.5, ("why",),
    )  # fmt: skip
    member = Member("a", 3, True, (MemberColumn(1, 2, True, inside),))
    table = TableReport(
        "s", None, "csv", 3, True, False, "person", (column,), None, (("delimiter", ";"),), ("n",), (), (member,), "g"
    )
    plain = json.loads(json.dumps(to_plain(table)))
    assert from_plain(TableReport, plain) == table
    for wrong in (plain[:-1], [*plain, 1], {}, None, [None, *plain[1:]], [*plain[:3], "3", *plain[4:]]):
        with pytest.raises((ValueError, TypeError)):
            from_plain(TableReport, wrong)
