"""With a baseline, reports show what is new, in full; what is known is a line each, and only when asked for. A file
that has another name now keeps its entries."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import Run

PEOPLE = "name,email\nAnn Smith,ann@corp.com\nBob Jones,bob@corp.com\nEve Black,eve@corp.com\n"
STAFF = "first name,ssn\nAnn,219-09-9998\nBob,219-09-9997\n"
FILE = "piiscan-baseline.jsonl"


@pytest.fixture
def work(tmp_path: Path, piiscan: Run) -> Path:
    """A repository whose findings are known."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_text(PEOPLE)
    assert piiscan("baseline", "create", ".", cwd=tmp_path).returncode == 0
    return tmp_path


def entries(work: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (work / FILE).read_text().splitlines()[1:]]


@pytest.mark.parametrize("kind", ["table", "markdown", "github", "sarif"])
def test_what_is_new_stands_first_and_what_is_known_is_a_line_on_demand(kind: str, work: Path, piiscan: Run) -> None:
    (work / "data" / "a.csv").write_text(STAFF)
    said = piiscan("scan", ".", "-f", kind, cwd=work)
    assert said.returncode == 1
    assert "people.csv" not in said.stdout
    assert "a.csv" in said.stdout
    more = piiscan("scan", ".", "-f", kind, "-v", cwd=work).stdout
    if kind != "sarif":
        known = [line for line in more.splitlines() if "people.csv" in line]
        assert len(known) == 2
        assert all("in the baseline" in line for line in known)
        assert more.index("people.csv") > more.index("219" if "219" in more else "a.csv")


def test_of_a_file_with_known_findings_only_the_new_ones_are_shown(work: Path, piiscan: Run) -> None:
    rows = PEOPLE.splitlines()
    ssn = ["ssn", "219-09-9998", "219-09-9997", "219-09-9996"]
    (work / "data" / "people.csv").write_text("".join(f"{row},{n}\n" for row, n in zip(rows, ssn, strict=True)))
    said = piiscan("scan", ".", cwd=work).stdout
    assert "US_SSN" in said
    assert "EMAIL_ADDRESS" not in said


def test_json_lists_every_column_and_what_is_new_above_them(work: Path, piiscan: Run) -> None:
    (work / "data" / "a.csv").write_text(STAFF)
    report = json.loads(piiscan("scan", ".", "-f", "json", cwd=work).stdout)
    assert list(report).index("baseline") < list(report).index("tables")
    assert {place["path"] for place in report["baseline"]["new"]} == {"data/a.csv"}
    assert len(report["tables"]) == 2


def test_nothing_new_is_said(work: Path, piiscan: Run) -> None:
    for kind in ("table", "markdown"):
        done = piiscan("scan", ".", "-f", kind, cwd=work)
        assert (done.returncode, "Nothing new since the baseline" in done.stdout) == (0, True)


@pytest.mark.parametrize("folder", [".", "data"])
def test_a_baseline_is_found_from_any_folder(folder: str, work: Path, piiscan: Run) -> None:
    file = "people.csv" if folder == "data" else "data/people.csv"
    assert piiscan("scan", file, cwd=work / folder).returncode == 0
    assert piiscan("scan", file, "--no-baseline", cwd=work / folder).returncode == 1
    (work / FILE).rename(work / "elsewhere.jsonl")
    assert piiscan("scan", file, cwd=work / folder).returncode == 1


def test_a_baseline_is_left_out_of_a_folder_as_what_it_is(work: Path, piiscan: Run) -> None:
    (work / "piiscan.toml").write_text('exclude = ["*.tmp"]\n')
    (work / "x.tmp").write_text(STAFF)
    done = piiscan("scan", ".", "-f", "json", "-o", "json=report.json", cwd=work)
    told = json.loads(done.stdout)["skipped_kinds"]
    assert told["a baseline of piiscan"] == told["excluded by the configuration"] == 1
    again = json.loads(piiscan("scan", ".", "-f", "json", "-o", "json=report.json", cwd=work).stdout)
    assert again["skipped_kinds"]["read or written by this command"] == 1


def test_one_that_the_configuration_names_goes_before_it(work: Path, piiscan: Run) -> None:
    (work / "other.jsonl").write_text("")
    (work / "piiscan.toml").write_text('baseline = "other.jsonl"\n')
    assert piiscan("scan", "data", cwd=work).returncode == 1


def test_the_hook_says_how_to_accept(work: Path, piiscan: Run) -> None:
    (work / "data" / "a.csv").write_text(STAFF)
    said = piiscan("scan", "--", "data/a.csv", cwd=work).stderr
    assert "piiscan baseline update data/a.csv" in said
    assert "piiscan explain" in said
    (work / FILE).unlink()
    assert "piiscan baseline create data/a.csv" in piiscan("scan", "--", "data/a.csv", cwd=work).stderr
    quiet = piiscan("scan", "--quiet", "--", "data/a.csv", cwd=work)
    assert (quiet.returncode, quiet.stderr) == (1, "")


# Renamed files.
def test_a_renamed_file_keeps_its_entries(work: Path, piiscan: Run) -> None:
    file = work / FILE
    lines = file.read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), "reason": "made up"})
    file.write_text("\n".join(lines) + "\n")
    (work / "data" / "people.csv").rename(work / "staff.csv")
    done = piiscan("scan", ".", "-f", "json", cwd=work)
    changes = json.loads(done.stdout)["baseline"]
    assert done.returncode == 0
    assert changes["renamed"] == [{"from": "data/people.csv", "to": "staff.csv"}]
    assert changes["new"] == []
    said = " ".join(piiscan("scan", ".", cwd=work).stdout.split())
    assert "1 file renamed, with its findings: data/people.csv is now staff.csv." in said
    done = piiscan("baseline", "update", ".", cwd=work)
    assert "(0 added, 0 dropped)" in done.stderr
    assert {e["path"] for e in entries(work)} == {"staff.csv"}
    assert "made up" in {e.get("reason") for e in entries(work)}


CHANGED = PEOPLE.replace("name,email", "name,mail")
OTHERS = {
    "another header": {"b.csv": CHANGED},
    "two files that fit": {"b.csv": PEOPLE, "c.csv": PEOPLE},
    "more cells": {"b.csv": PEOPLE + "".join(f"Ann Smith,ann{i}@corp.com\n" for i in range(9))},
    "a finding less": {"b.csv": "name,email\nx1,ann@corp.com\nx2,bob@corp.com\nx3,eve@corp.com\n"},
}


@pytest.mark.parametrize("why", OTHERS)
def test_another_file_is_not_taken_for_it(why: str, work: Path, piiscan: Run) -> None:
    (work / "data" / "people.csv").unlink()
    for name, text in OTHERS[why].items():
        (work / name).write_text(text)
    done = piiscan("scan", ".", "-f", "json", cwd=work)
    assert done.returncode == 1
    assert json.loads(done.stdout)["baseline"]["renamed"] == []


def test_a_copy_is_no_renamed_file(work: Path, piiscan: Run) -> None:
    (work / "copy.csv").write_text(PEOPLE)
    done = piiscan("scan", "copy.csv", cwd=work)
    assert done.returncode == 1


def test_of_two_files_that_are_gone_none_is_taken_for_the_new_one(work: Path, piiscan: Run) -> None:
    (work / "twin.csv").write_text(PEOPLE)
    assert piiscan("baseline", "update", ".", cwd=work).returncode == 0
    for old in ("twin.csv", "data/people.csv"):
        (work / old).unlink()
    (work / "new.csv").write_text(PEOPLE)
    assert piiscan("scan", ".", cwd=work).returncode == 1


def test_what_else_is_found_in_a_renamed_file_is_new(work: Path, piiscan: Run) -> None:
    (work / "data" / "people.csv").unlink()
    (work / "b.csv").write_text(PEOPLE + "219-09-9998,eve@corp.com\n")
    done = piiscan("scan", ".", "-f", "json", cwd=work)
    changes = json.loads(done.stdout)["baseline"]
    assert done.returncode == 1
    assert changes["renamed"]
    assert {place["rule"] for place in changes["new"]} == {"us-ssn"}


def test_entries_of_earlier_versions_have_no_schema_and_stay_with_their_name(work: Path, piiscan: Run) -> None:
    plain = [{k: v for k, v in e.items() if k != "schema"} for e in entries(work)]
    (work / FILE).write_text("".join(json.dumps(e) + "\n" for e in plain))
    assert piiscan("scan", ".", cwd=work).returncode == 0
    (work / "data" / "people.csv").rename(work / "staff.csv")
    assert piiscan("scan", ".", cwd=work).returncode == 1
