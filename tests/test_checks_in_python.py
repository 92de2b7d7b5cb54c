"""Checks in Python: `piiscan.toml` read, findings allowed, contracts held, and parts of other settings refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run
from test_cli import SSN

import piiscan

FRAME = pl.DataFrame(
    {
        "ssn": [SSN, "219-09-9998", "219-09-9997"],
        "mail": ["ann@corp.org", "bob@corp.org", "cyd@corp.org"],
        "birth_date": ["1970-01-02", "1980-11-30", "1991-07-07"],
        "n": [1, 2, 3],
    }
)
REPORT = piiscan.scan(FRAME)
CONFIG = """
fail_on = "quasi"
ignore = ["US_SSN"]
exclude = ["left-out.csv"]

[[paths]]
path = "data/*.txt"
delimiter = "~"

[[columns]]
path = "*"
column = "n"
is = "NATIONAL_ID"

[[allow]]
path = "*"
column = "birth_date"
reason = "of nobody"
"""


def refused(call: Callable[[], object]) -> str:
    """What is found, in words; "" where nothing is."""
    try:
        call()
    except piiscan.FindingsError as error:
        return str(error)
    return ""


# Contracts.
@pytest.mark.parametrize(
    ("contract", "beyond"),
    [
        ({"ssn": "US_SSN", "mail": "EMAIL_ADDRESS", "birth_date": "DATE_OF_BIRTH"}, ""),
        ({"ssn": "direct", "mail": ["FREE_TEXT", "EMAIL_ADDRESS"], "birth_date": "quasi"}, ""),
        ({"ssn": "direct", "mail": "direct", "birth_date": "sensitive", "gone": "PERSON"}, ""),
        ({"<frame>": {"ssn": "direct", "mail": "direct", "birth_date": "direct"}}, ""),
        ({"ssn": "US_SSN", "mail": "EMAIL_ADDRESS"}, "1 finding outside the contract: birth_date (DATE_OF_BIRTH)"),
        ({"ssn": "EMAIL_ADDRESS", "mail": "direct", "birth_date": "quasi"}, "1 finding outside the contract: ssn"),
        ({"ssn": "quasi", "mail": "direct", "birth_date": "quasi"}, "ssn (US_SSN)"),
        ({"ssn": "none", "mail": "direct", "birth_date": []}, "2 findings outside the contract: ssn"),
        ({"SSN": "direct", "mail": "direct", "birth_date": "quasi"}, "ssn (US_SSN)"),
        ({"other": {"ssn": "direct", "mail": "direct"}, "birth_date": "quasi"}, "ssn (US_SSN), mail"),
        ({}, "3 findings outside the contract"),
    ],
)
def test_what_is_beyond_a_contract_is_raised(contract: Any, beyond: str, tmp_path: Path) -> None:
    said = refused(lambda: REPORT.raise_if(against=contract))
    assert beyond in said and bool(said) == bool(beyond)
    (tmp_path / "contract.toml").write_text(toml(contract), encoding="utf-8")
    for path in (tmp_path / "contract.toml", str(tmp_path / "contract.toml")):
        assert refused(lambda path=path: REPORT.raise_if(against=path)) == said


def toml(contract: dict[str, Any]) -> str:
    lines, tables = [], []
    for name, said in contract.items():
        if isinstance(said, dict):
            tables += [f"[{json.dumps(name)}]", *(f"{json.dumps(c)} = {json.dumps(s)}" for c, s in said.items())]
        else:
            lines.append(f"{json.dumps(name)} = {json.dumps(said)}")
    return "\n".join([*lines, *tables])


def test_a_contract_may_be_held_to_stronger_classes_only() -> None:
    assert refused(lambda: REPORT.raise_if("direct", against={"ssn": "US_SSN", "mail": "EMAIL_ADDRESS"})) == ""
    assert "birth_date" in refused(lambda: REPORT.raise_if("quasi", against={"ssn": "US_SSN", "mail": "direct"}))


def test_a_contract_of_several_tables() -> None:
    report = piiscan.scan({"people": FRAME, "orders": FRAME.select("mail", "n")})
    people = {"ssn": "direct", "mail": "direct", "birth_date": "quasi"}
    assert refused(lambda: report.raise_if(against={"people": people, "orders": {"mail": "EMAIL_ADDRESS"}})) == ""
    assert "1 finding outside" in refused(lambda: report.raise_if(against={"people": people}))
    assert refused(lambda: report.raise_if(against=people)) == ""


def test_a_data_set_goes_by_its_name_or_by_all_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for day in (1, 2):
        FRAME.select("mail", "n").write_csv(f"people-2024-01-0{day}.csv")
    report = piiscan.scan(".")
    (table,) = report.tables
    stated = {"mail": "EMAIL_ADDRESS"}
    assert refused(lambda: report.raise_if(against=stated)) == ""
    assert refused(lambda: report.raise_if(against={table.source: stated})) == ""
    files = {f"people-2024-01-0{day}.csv": stated for day in (1, 2)}
    assert refused(lambda: report.raise_if(against=files)) == ""
    assert "1 finding outside" in refused(lambda: report.raise_if(against=dict(list(files.items())[:1])))


def test_direct_values_inside_texts_are_beyond_it_too() -> None:
    notes = [f"The parcel of order {i} was left at the door, nobody was at home that day." for i in range(60)]
    frame = pl.DataFrame({"note": [*notes[:-1], f"{notes[-1]} 536-22-1234"]})
    report = piiscan.scan(frame)
    assert "note (US_SSN)" in refused(lambda: report.raise_if(against={"note": "FREE_TEXT"}))
    assert refused(lambda: report.raise_if(against={"note": ["FREE_TEXT", "US_SSN"]})) == ""


def test_a_column_in_doubt_is_settled_by_a_contract() -> None:
    column = replace(REPORT.columns[3], review=("it may be PHONE_NUMBER (36% likely)",))
    table = replace(REPORT.tables[0], columns=(*REPORT.columns[:3], column))
    report = replace(REPORT, scan_report=replace(REPORT.scan_report, tables=(table,)))
    stated = {"ssn": "direct", "mail": "direct", "birth_date": "quasi"}
    assert "n (review)" in refused(lambda: report.raise_if(against=stated))
    assert refused(lambda: report.raise_if(against={**stated, "n": "none"})) == ""


def test_a_baseline_is_a_contract_too(piiscan: Run, tmp_path: Path) -> None:
    from piiscan import scan

    FRAME.write_csv(tmp_path / "people.csv")
    assert piiscan("baseline", "create", "people.csv", "--fail-on", "quasi", cwd=tmp_path).returncode == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        report = scan("people.csv")
        assert refused(lambda: report.raise_if("quasi", against="piiscan-baseline.jsonl")) == ""
        FRAME.with_columns(more=pl.col("mail")).write_csv(tmp_path / "people.csv")
        assert "1 finding: more" in refused(lambda: scan("people.csv").raise_if(against="piiscan-baseline.jsonl"))


# Allowed findings.
def test_findings_are_allowed_by_entries() -> None:
    mail = {"column": "mail", "reason": "addresses of ours"}
    assert refused(lambda: REPORT.raise_if(allow=[mail])) == "1 finding: ssn (US_SSN)"
    assert refused(lambda: REPORT.raise_if(allow=[mail, {"entity": "US_SSN", "reason": "made up"}])) == ""
    assert (
        refused(lambda: REPORT.raise_if(allow=({**mail, "path": "<frame>"} for _ in range(1))))
        == "1 finding: ssn (US_SSN)"
    )
    assert "mail" in refused(lambda: REPORT.raise_if(allow=[{**mail, "path": "other"}]))
    assert "mail" in refused(lambda: REPORT.raise_if(allow=[{**mail, "expires": "2001-01-01"}]))
    contract = {"birth_date": "quasi", "ssn": "US_SSN"}
    assert refused(lambda: REPORT.raise_if(against=contract, allow=[mail])) == ""


OURS = {"domain": "corp.org", "reason": "ours"}
LAB = {"network": "198.51.7.0/24", "reason": "the lab"}
VALUES = pl.DataFrame(
    {"mail": [f"u{i}@corp.org" for i in range(40)], "ip": [f"198.51.7.{i}" for i in range(40)], "n": range(40)}
)


@pytest.mark.parametrize(
    ("allow", "found"),
    [
        ([], "2 findings: mail (EMAIL_ADDRESS), ip (IP_ADDRESS)"),
        ([OURS], "1 finding: ip (IP_ADDRESS)"),
        ([LAB], "1 finding: mail (EMAIL_ADDRESS)"),
        ([OURS, LAB], ""),
        ([OURS, {"column": "ip", "reason": "the lab"}], ""),
        ([{**OURS, "path": "other"}, LAB], "1 finding: mail (EMAIL_ADDRESS)"),
    ],
)
def test_values_are_allowed_where_they_are_scanned(allow: list[dict[str, str]], found: str) -> None:
    """By domain and network, in a whole frame, and in parts of one."""
    scanner = pickle.loads(pickle.dumps(piiscan.Scanner(allow=iter(allow))))
    parts = reduce(add, [scanner.partial(VALUES[:9]), scanner.partial(VALUES[9:])])
    for report in (piiscan.scan(VALUES, allow=allow), scanner.scan(VALUES), scanner.finish(parts, VALUES)):
        assert refused(report.raise_if) == found
        assert refused(lambda report=report: report.raise_if(allow=allow)) == found
    assert scanner.finish(parts, VALUES).to_json() == scanner.scan(VALUES).to_json()
    strange = VALUES.with_columns(mail=pl.when(pl.int_range(40) == 39).then(pl.lit("eve@else.org")).otherwise("mail"))
    assert "mail" in refused(lambda: piiscan.scan(strange, allow=allow).raise_if())


@pytest.mark.parametrize("entry", [OURS, LAB])
def test_values_can_t_be_allowed_when_they_are_scanned_already(entry: dict[str, str], tmp_path: Path) -> None:
    report = piiscan.scan(VALUES)
    (key,) = entry.keys() & {"domain", "network"}
    for call in (lambda: report.raise_if(allow=[entry]), lambda: report.raise_if("quasi", allow=[entry], against={})):
        with pytest.raises(
            piiscan.UsageError, match=rf"with a {key} apply to single values during a scan.*piiscan\.scan\(data, allow="
        ):
            call()
    config = tmp_path / "piiscan.toml"
    config.write_text("[[allow]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in entry.items()), encoding="utf-8")
    with pytest.raises(piiscan.UsageError, match=f"with a {key} apply to single values during a scan"):
        report.raise_if(config=config)
    piiscan.scan(VALUES.drop("mail" if key == "network" else "ip"), config=config).raise_if(config=config)


@pytest.mark.parametrize(
    ("allow", "message"),
    [
        ("corp.org", "allow must be a list of entries"),
        (OURS, "allow must be a list of entries"),
        ([{"domain": "corp.org"}], "scan: allow.0.: 'reason' is missing"),
        ([{**OURS, "domain": "corp"}], "scan: allow.0..domain: must be a domain name"),
        ([{"rule": "emial", "reason": "x"}], "no rule is called 'emial'"),
    ],
)
def test_what_can_t_be_allowed_is_refused(allow: Any, message: str) -> None:
    with pytest.raises(piiscan.UsageError, match=message):
        piiscan.scan(VALUES, allow=allow)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a class": ({"pii": "personal"}, "pii must be one of direct, review, sensitive, quasi"),
    "no reason": ({"allow": [{"column": "mail"}]}, "'reason' is missing"),
    "an unknown key": ({"allow": [{"colum": "mail", "reason": "x"}]}, "did you mean 'column'"),
    "an unknown rule": ({"allow": [{"rule": "emial", "reason": "x"}]}, "no rule is called 'emial'"),
    "a text": ({"allow": "mail"}, "allow must be a list of entries"),
    "an entry alone": ({"allow": {"reason": "x"}}, "allow must be a list of entries"),
    "a number": ({"allow": 3}, "allow must be a list of entries"),
    "a list of numbers": ({"allow": [3]}, "must be a table"),
    "a contract of a list": ({"against": ["mail"]}, "a contract is a mapping"),
    "a contract that isn't there": ({"against": "gone.toml"}, "gone.toml: can't be read"),
    "a baseline that isn't there": ({"against": "gone.jsonl"}, "no such file"),
    "an unknown entity": ({"against": {"mail": "EMAIL"}}, "no entity, subtype or class is called 'EMAIL'"),
    "a number in a contract": ({"against": {"mail": 3}}, "columns go by their names"),
    "a column of a number": ({"against": {3: "PERSON"}}, "columns go by their names"),
    "a configuration of a number": ({"config": 3}, "config must be the path of a configuration"),
    "a configuration that isn't there": ({"config": "gone.toml"}, "gone.toml: can't be read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_can_t_be_asked_is_refused(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(piiscan.UsageError, match=message):
        REPORT.raise_if(**call)


def test_incomplete_is_stronger_than_allowed(tmp_path: Path) -> None:
    missing = piiscan.scan(tmp_path / "missing.csv")
    with pytest.raises(piiscan.ReadError):
        missing.raise_if(against={}, allow=[{"reason": "everything"}])


# Configuration.
@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "piiscan.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "data").mkdir()
    FRAME.write_csv(tmp_path / "data" / "people.txt", separator="~")
    FRAME.write_csv(tmp_path / "left-out.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_scan_reads_the_configuration_when_asked(folder: Path) -> None:
    without = piiscan.scan(FRAME)
    assert without["ssn"].entity == "US_SSN" and without["n"].entity is None
    for config in (True, "piiscan.toml", folder / "piiscan.toml"):
        report = piiscan.scan(FRAME, config=config)
        assert report["ssn"].entity is None and report["n"].entity == "NATIONAL_ID"
        assert refused(report.raise_if) == "3 findings: mail (EMAIL_ADDRESS), n (NATIONAL_ID), ssn (review)"
        assert refused(lambda report=report: report.raise_if("sensitive")) == refused(report.raise_if)
    assert (
        piiscan.scan(FRAME, config=None).to_json() == piiscan.scan(FRAME, config=False).to_json() == without.to_json()
    )


def test_what_is_said_wins_over_the_configuration(folder: Path) -> None:
    (folder / "piiscan.toml").write_text('select = ["US_SSN"]\nmin_confidence = 1.0\n', encoding="utf-8")
    assert [c.entity for c in piiscan.scan(FRAME, config=True).columns] == [None] * 4
    found = piiscan.scan(FRAME, config=True, select="EMAIL_ADDRESS", min_confidence=0)
    assert [c.entity for c in found.columns] == [None, "EMAIL_ADDRESS", None, None]


def test_the_same_as_the_command_says(piiscan: Run, folder: Path) -> None:
    from piiscan import scan

    for paths in (["."], ["data/people.txt", "left-out.csv"], ["data"]):
        done = piiscan("scan", *paths, "-f", "json", cwd=folder)
        report = scan(paths, config=True)
        theirs, ours = json.loads(done.stdout), report.to_dict()
        assert ours["tables"] == theirs["tables"] and ours["skipped_kinds"] == theirs["skipped_kinds"]
        assert bool(refused(report.raise_if)) == (done.returncode == 1)


def test_the_configuration_is_found_from_a_folder_below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder / "data")
    assert piiscan.scan(FRAME, config=True)["ssn"].entity is None
    assert len(piiscan.scan("people.txt", config=True).columns) == 4
    monkeypatch.chdir(folder.parent)
    assert piiscan.scan(FRAME, config=True)["ssn"].entity == "US_SSN"


def test_a_scanner_takes_its_configuration_along(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanner = piiscan.Scanner(config=True)
    expected = scanner.scan(FRAME).to_json()
    sent = pickle.dumps(scanner)
    (folder / "piiscan.toml").unlink()
    monkeypatch.chdir(folder.parent)
    assert pickle.loads(sent).scan(FRAME).to_json() == scanner.scan(FRAME).to_json() == expected


def test_a_check_may_have_another_configuration_than_the_scan(folder: Path) -> None:
    assert refused(lambda: REPORT.raise_if("quasi")).startswith("3 findings")
    assert refused(lambda: REPORT.raise_if(config=True)) == "2 findings: ssn (US_SSN), mail (EMAIL_ADDRESS)"
    (folder / "piiscan.toml").write_text('fail_on = "never"\n', encoding="utf-8")
    assert refused(lambda: REPORT.raise_if(config="piiscan.toml")) == ""
    assert refused(lambda: REPORT.raise_if("direct", config="piiscan.toml")).startswith("2 findings")


def test_the_baseline_of_the_configuration_counts(piiscan: Run, folder: Path) -> None:
    from piiscan import scan

    (folder / "piiscan.toml").write_text('baseline = "known.jsonl"\n', encoding="utf-8")
    (folder / "known.jsonl").write_text("", encoding="utf-8")
    assert refused(scan("left-out.csv", config=True).raise_if)
    assert piiscan("baseline", "update", "left-out.csv", cwd=folder).returncode == 0
    assert (folder / "known.jsonl").read_text(encoding="utf-8")
    report = scan("left-out.csv", config=True)
    assert refused(report.raise_if) == ""
    assert "known.jsonl" not in {t.source for t in scan(".", config=True).tables}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"config": 3}, "config must be the path of a configuration"),
        ({"config": "gone.toml"}, "gone.toml: can't be read"),
        ({"config": "wrong.toml"}, "wrong.toml: unknown key 'fail_onn'; did you mean 'fail_on'"),
        ({"min_confidence": "high"}, "min_confidence must be between 0 and 1"),
        ({"min_confidence": True}, "min_confidence must be between 0 and 1"),
        ({"jobs": 1.5}, "jobs must be at least 1"),
        ({"sample": "many"}, "sample must be at least 1"),
        ({"select": 3}, "select must be a name or a list of them"),
        ({"rules": [3]}, "rules must be a name or a list of them"),
        ({"model": 3}, "model must be a name or a path"),
        ({"spacy": 3}, "spacy must be a name or a path"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], message: str, folder: Path) -> None:
    (folder / "wrong.toml").write_text('fail_onn = "direct"\n', encoding="utf-8")
    with pytest.raises(piiscan.UsageError, match=message):
        piiscan.scan(FRAME, **options)


# Parts.
PARTS = [FRAME[i : i + 1] for i in range(3)]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"select": "US_SSN"}, "rules"),
        ({"ignore": ["US_SSN"]}, "rules"),
        ({"min_confidence": 0.9}, "min_confidence"),
        ({"sample": 1}, "sample"),
        ({"empty_columns": True}, "empty_columns"),
    ],
)
def test_parts_of_other_settings_do_not_add(options: dict[str, Any], what: str) -> None:
    one, other = piiscan.Scanner(), piiscan.Scanner(**options)
    mine, theirs = one.partial(PARTS[0]), other.partial(PARTS[1])
    for call in (lambda: mine + theirs, lambda: theirs + mine, lambda: one.finish(theirs, FRAME)):
        with pytest.raises(piiscan.UsageError, match=f"made with different {what}; make all parts"):
            call()
    with pytest.raises(piiscan.UsageError, match="different"):
        reduce(add, [mine, pickle.loads(pickle.dumps(theirs)), mine])


def test_parts_of_another_configuration_do_not_add(folder: Path) -> None:
    (folder / "piiscan.toml").write_text('[[columns]]\npath = "*"\ncolumn = "n"\nis = "AGE"\n', encoding="utf-8")
    mine, theirs = piiscan.Scanner().partial(PARTS[0]), piiscan.Scanner(config=True).partial(PARTS[1])
    with pytest.raises(piiscan.UsageError, match="different truths"):
        mine + theirs


def test_parts_of_other_columns_do_not_add() -> None:
    scanner = piiscan.Scanner()
    mine, theirs = scanner.partial(PARTS[0]), scanner.partial(PARTS[1].rename({"mail": "other"}))
    for call in (lambda: mine + theirs, lambda: theirs + mine, lambda: scanner.finish(theirs, FRAME)):
        with pytest.raises(piiscan.UsageError, match="the summaries are of different columns"):
            call()


def test_parts_of_the_same_settings_add_whoever_made_them() -> None:
    parts = [piiscan.Scanner(jobs=jobs).partial(part) for jobs, part in zip((1, 2, None), PARTS, strict=True)]
    for order in ((0, 1, 2), (2, 0, 1)):
        total = reduce(add, [parts[i] for i in order])
        report = piiscan.Scanner().finish(total, FRAME)
        assert report.to_json() == REPORT.to_json()
        assert refused(lambda report=report: report.raise_if(against={})) == refused(
            lambda: REPORT.raise_if(against={})
        )


@pytest.mark.parametrize("wrong", [3, None, "part", FRAME])
def test_what_is_no_part_is_refused(wrong: Any) -> None:
    with pytest.raises(piiscan.UsageError, match="finish takes the sum of the results of partial"):
        piiscan.Scanner().finish(wrong, FRAME)
    with pytest.raises(TypeError):
        piiscan.Scanner().partial(FRAME) + wrong
