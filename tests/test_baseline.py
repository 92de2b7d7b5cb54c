"""Baselines: what they cover, what raises the alarm again, and that human words in them survive."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, Finding, Inside, NotScanned, ScanReport, TableReport
from piiscan.scanning import baseline
from piiscan.scanning.baseline import Baseline, Entry, entry_for
from piiscan.scanning.findings import JudgedReport, findings

FOUND = Finding("data/x.csv", None, 0, "mail", "email", "EMAIL_ADDRESS", None, "direct", 0.99, 100, 0.4, False)
EMPTY = Baseline({})


@settings(deadline=None)
@given(st.integers(0, 10**12), st.floats(0, 1))
def test_an_entry_covers_what_it_was_made_for_and_bounds_are_powers_of_two(cells: int, share: float) -> None:
    found = replace(FOUND, cells=cells, share=share)
    entry = entry_for(found, "data/x.csv")
    assert entry.max_cells.bit_count() == 1
    assert (1 / entry.max_share).is_integer() and int(1 / entry.max_share).bit_count() == 1
    assert cells <= entry.max_cells <= max(1, 2 * cells)
    assert Baseline({entry.key: entry}).covers(found, "data/x.csv") == "in the baseline"


@pytest.mark.parametrize(
    ("change", "covered"),
    [
        ({}, True),
        ({"cells": 128}, True),
        ({"cells": 129}, False),
        ({"share": 0.5}, True),
        ({"share": 0.51}, False),
        ({"cells": 1, "share": 0.001}, True),
        ({"rule": "us-ssn"}, False),
        ({"column": "other"}, False),
        ({"table": "t"}, False),
    ],
)
def test_growth_and_news_raise_the_alarm_again(change: dict[str, object], covered: bool) -> None:
    known = EMPTY.update([FOUND], Path())
    later = replace(FOUND, **change)  # type: ignore[arg-type]
    assert (known.covers(later, "data/x.csv") is not None) is covered
    assert known.covers(FOUND, "data/y.csv") is None


def test_an_entry_ends_after_its_last_day() -> None:
    entry = replace(entry_for(FOUND, "data/x.csv"), expires="2030-06-30", reason="being cleaned")
    known = Baseline({entry.key: entry})
    assert known.covers(FOUND, "data/x.csv", datetime.date(2030, 6, 30)) == "in the baseline: being cleaned"
    assert known.covers(FOUND, "data/x.csv", datetime.date(2030, 7, 1)) is None


def test_the_file_is_sorted_and_the_same_in_any_order(tmp_path: Path) -> None:
    found = [replace(FOUND, source=f"{c}.csv", column=d) for c in "cab" for d in "zyx"]
    text = EMPTY.update(found, Path()).dumps()
    assert text == EMPTY.update(reversed(found), Path()).dumps()
    paths = [(json.loads(line)["path"], json.loads(line)["column"]) for line in text.splitlines()]
    assert paths == sorted(paths)
    assert list(json.loads(text.splitlines()[0])) == ["path", "column", "rule", "max_cells", "max_share"]
    file = tmp_path / "b.jsonl"
    file.write_text(text)
    assert baseline.load(file).dumps() == text


def test_update_keeps_what_people_wrote_and_accepts_growth() -> None:
    entry = replace(entry_for(FOUND, "data/x.csv"), reason="made up", expires="2030-06-30")
    other = Entry("gone.csv", None, "a", "email", 1, 1.0)
    grown = replace(FOUND, cells=5000, share=0.9)
    known = Baseline({e.key: e for e in (entry, other)}).update([grown], Path())
    assert known.entries[entry.key] == replace(entry, max_cells=8192, max_share=1.0)
    assert other.key in known.entries


def report(*columns: ColumnReport, not_scanned: tuple[NotScanned, ...] = (), complete: bool = True) -> ScanReport:
    return ScanReport({}, (TableReport("x.csv", None, "csv", 10, complete, True, None, columns),), not_scanned)


def column(name: str, inside: tuple[Inside, ...] = ()) -> ColumnReport:
    return ColumnReport(0, name, "string", "EMAIL_ADDRESS", None, "direct", 0.9, 0, 9, True, None, "email", (), inside)


def test_prune_drops_what_is_gone_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.csv").touch()
    kept = Entry("x.csv", None, "mail", "email", 16, 1.0, "why")
    entries = [
        kept,
        Entry("x.csv", None, "mail", "us-ssn", 1, 1.0),
        Entry("x.csv", None, "dropped", "email", 1, 1.0),
        Entry("elsewhere.csv", None, "mail", "email", 1, 1.0),
        Entry("deleted.csv", None, "mail", "email", 1, 1.0),
        Entry("deleted.zip!a.csv", None, "mail", "email", 1, 1.0),
    ]
    known = Baseline({e.key: e for e in entries})
    here = replace(
        report(column("mail")),
        tables=tuple(replace(t, source=str(tmp_path / t.source)) for t in report(column("mail")).tables),
    )
    left = known.prune(here, tmp_path)
    assert [(e.path, e.column, e.rule) for e in left.entries.values()] == [
        ("x.csv", "mail", "email"),
        ("elsewhere.csv", "mail", "email"),
    ]
    assert left.entries[kept.key] == kept


@pytest.mark.parametrize("partly", [report(complete=False), report(not_scanned=(NotScanned("x.csv", "torn"),))])
def test_prune_keeps_what_could_not_be_looked_at(
    partly: ScanReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").touch()
    entry = Entry("x.csv", None, "mail", "email", 16, 1.0)
    assert entry.key in Baseline({entry.key: entry}).prune(partly, Path()).entries


@pytest.mark.parametrize("union", [False, True])
def test_branches_that_accept_different_findings_merge(tmp_path: Path, union: bool) -> None:
    """Far apart by itself, side by side with `merge=union`; a line of both branches keeps what was accepted on
    either."""

    def git(*args: str) -> int:
        who = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "init.defaultBranch=main"]
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        return subprocess.run(["git", *who, *args], cwd=tmp_path, env=env, capture_output=True).returncode

    def commit(*found: Finding) -> None:
        file.write_text(
            baseline.load(file).update(found, Path()).dumps() if file.exists() else EMPTY.update(found, Path()).dumps()
        )
        git("add", "-A")
        git("commit", "-qm", "x")

    file = tmp_path / "known.jsonl"
    if union:
        (tmp_path / ".gitattributes").write_text("known.jsonl merge=union\n")
    git("init", "-q")
    commit(*(replace(FOUND, source=f"{c}.csv") for c in "bdfhjln"))
    git("branch", "other")
    here, there = ("e", "e") if union else ("a", "z")
    commit(replace(FOUND, source=f"{here}.csv", column="one"), replace(FOUND, source="h.csv", cells=5000))
    git("checkout", "-q", "other")
    commit(replace(FOUND, source=f"{there}.csv", column="two"), *[replace(FOUND, source="h.csv", cells=9000)] * union)
    assert git("merge", "-q", "main") == 0
    known = baseline.load(file)
    assert len(known.entries) == 9
    assert known.covers(replace(FOUND, cells=9000 if union else 5000), "h.csv")
    assert len(known.dumps().splitlines()) == 9


def test_two_lines_for_one_finding_keep_the_nearer_end(tmp_path: Path) -> None:
    one = replace(entry_for(FOUND, "x.csv"), expires="2031-01-01")
    two = replace(one, expires="2030-01-01", max_cells=1 << 20, reason="made up")
    file = tmp_path / "b.jsonl"
    file.write_text(Baseline({one.key: one}).dumps() + Baseline({two.key: two}).dumps())
    assert baseline.load(file).entries[one.key] == two


def test_branches_with_other_models_leave_both(tmp_path: Path) -> None:
    """Where both have brought a line of their own, a scan with either differs from what some were found with."""
    heads = ['{"rules_digest": "r", "model_digest": "n"}', '{"rules_digest": "r", "model_digest": "m"}']
    file = tmp_path / "b.jsonl"
    file.write_text("\n".join([*heads, heads[0], entry_line := EMPTY.update([FOUND], Path()).dumps()]))
    known = baseline.load(file)
    assert known.dumps() == "\n".join([*sorted(heads), entry_line])
    now = replace(report(), tool={"rules_digest": "r", "model_digest": "n"})
    assert known.changes(JudgedReport(now, ()), "direct").others == ("model",)


def test_what_is_no_longer_covered_says_why() -> None:
    entry = replace(entry_for(FOUND, "x.csv"), expires="2030-06-30")
    known = Baseline({entry.key: entry})
    today = datetime.date(2030, 6, 30)
    assert known.outgrown(FOUND, "x.csv", today) is None
    assert known.outgrown(FOUND, "y.csv", today) is None
    assert known.outgrown(replace(FOUND, cells=10**6), "x.csv", today) == "grown beyond the baseline"
    assert known.outgrown(FOUND, "x.csv", datetime.date(2031, 1, 1)) == "its entry in the baseline ended on 2030-06-30"


def test_paths_have_forward_slashes_on_any_system(monkeypatch: pytest.MonkeyPatch) -> None:
    import ntpath

    from piiscan.scanning import findings as module

    monkeypatch.setattr(module.os, "sep", "\\")
    monkeypatch.setattr(module.os, "path", ntpath)
    assert module.relative("data/sub/x.csv", "data") == "sub/x.csv"  # type: ignore[arg-type]
    assert module.relative("D:/x.csv", "C:/repository") == "D:/x.csv"  # type: ignore[arg-type]


def test_entities_inside_have_entries_of_their_own() -> None:
    found = findings(report(column("mail", (Inside("US_SSN", None, "us-ssn", 3),))))
    assert sorted(e.rule for e in EMPTY.update(found, Path()).entries.values()) == ["email", "us-ssn"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: not JSON"),
        ("<" * 7 + " HEAD", "line 1: a merge conflict; keep the lines of both sides"),
        ('{"path": "x", "column": "c", "rule": "r", "max_cells": 1, "max_share": NaN}', "line 1: not JSON"),
        ('{"path": "x", "column": "c", "rule": "r", "max_cells": Infinity, "max_share": 1.0}', "line 1: not JSON"),
        ("[]", "must be an object"),
        ("{}", "'path' is missing"),
        ('{"rules_digest": 1}', "a digest must be a string"),
        ('{"rules_digest": "0", "path": "x"}', "must be an object with keys out of path"),
        ('{"path": "x", "secret": 1}', "must be an object with keys out of path"),
        ('{"path": "x", "column": "c", "rule": "r", "max_cells": 1}', "'max_share' is missing"),
        (
            '{"path": "x", "column": "c", "rule": "r", "max_cells": "1", "max_share": 1.0}',
            "'max_cells' is missing or of the wrong type",
        ),
        (
            '{"path": "x", "column": "c", "rule": "r", "max_cells": 1, "max_share": 1.0, "expires": "soon"}',
            "must be a date",
        ),
    ],
)
def test_a_broken_baseline_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "b.jsonl"
    file.write_text(f"{line}\n")
    with pytest.raises(UsageError, match=r"b\.jsonl") as error:
        baseline.load(file)
    assert problem in str(error.value)
    with pytest.raises(UsageError, match="baseline create"):
        baseline.load(tmp_path / "none.jsonl")
