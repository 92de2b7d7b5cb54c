"""Columns whose class is in doubt: a list of their own in every report, what counts them, and what takes them out.

The classifier is made simple, as in `test_cli`: the header says which verdict a column gets.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from conftest import one_by_one

import piiscan
from piiscan import cli
from piiscan.core.types import Field, Inside, Reason, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import judging
from piiscan.scanning.classify.candidates import judge
from piiscan.scanning.classify.class_decision import decide
from piiscan.scanning.classify.class_model import FAMILIES, Limits, Presumed
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.verdict import Verdict

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "report-1.json").read_text(encoding="utf-8"))
OFFICES = Reason("subject", text="rows are about organisations, not persons")
DOUBT = "PHONE_NUMBER that may be of persons (40% likely)"
VERDICTS = {
    "name": Verdict("PERSON", None, "direct", 0.9, "person-name", (), (), 0.95),
    "owner": Verdict("PERSON", None, "direct", 0.9, "person-name", (), (), 0.6, ("it may be an organisation",)),
    "phone": Verdict("PHONE_NUMBER", None, "none", 0.99, "phone", (OFFICES,), (), 0.6, (DOUBT,)),
    "contact": Verdict(None, None, "none", 0.7, None, (), (), 0.7, ("it may be EMAIL_ADDRESS (30% likely)",)),
    "switchboard": Verdict("PHONE_NUMBER", None, "none", 0.99, "phone", (OFFICES,), (), 0.97),
    "notes": Verdict(None, None, "none", 0.9, None, (), (Inside("US_SSN", None, "us-ssn", 2, (0, 1)),), 0.9),
    "income": Verdict("INCOME", None, "sensitive", 0.9, "income", (), (), 0.9),
    "city": Verdict("CITY", None, "quasi", 0.9, "city", (), (), 0.9),
    "colour": Verdict(None, None, "none", 0.98, None, (), (), 0.98),
}
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "sarif", "github")
Out = tuple[int, str, str]
Cli = Callable[..., Out]


def by_header(
    info: TableInfo, summary: TableSummary, rules: RuleSet, *more: object
) -> tuple[None, tuple[Verdict, ...]]:
    return None, tuple(VERDICTS[f.name or ""] for f in info.fields)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """`run(columns, *arguments)`: a command on `t.csv` with these columns; None leaves the file as it is."""
    monkeypatch.setattr(judging, "classify_each", one_by_one(by_header))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def call(columns: str | None, *args: str) -> Out:
        if columns is not None:
            names = columns.split()
            rows = [names, *([f"{name}{i}" for name in names] for i in range(3))]
            (tmp_path / "t.csv").write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        capsys.readouterr()
        status = cli.invoke(list(args))
        out, err = capsys.readouterr()
        return status, out, err

    return call


def report(run: Cli, columns: str | None, *args: str) -> Any:
    _, out, _ = run(columns, "scan", "t.csv", "-f", "json", *args)
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.parametrize(
    ("columns", "levels"),
    [
        ("colour", ""),
        ("colour switchboard", ""),
        ("colour phone", "review sensitive quasi"),
        ("contact", "review sensitive quasi"),
        ("name", "direct review sensitive quasi"),
        ("owner", "direct review sensitive quasi"),
        ("notes", "direct review sensitive quasi"),
        ("income", "sensitive quasi"),
        ("city", "quasi"),
    ],
)
def test_what_fails_at_which_level(run: Cli, columns: str, levels: str) -> None:
    for level in ("direct", "review", "sensitive", "quasi", "never"):
        assert run(columns, "scan", "t.csv", "--fail-on", level)[0] == (level in levels.split()), level
        Path("piiscan.toml").write_text(f'fail_on = "{level}"', encoding="utf-8")
        assert run(None, "scan", "t.csv")[0] == (level in levels.split()), level
        Path("piiscan.toml").unlink()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("colour", "Clean: nothing to act on."),
        ("colour switchboard", "Nothing to act on; 1 column of identifiers that seem to be no person's."),
        ("colour phone", "Nothing found; 1 column to review."),
        ("contact phone", "Nothing found; 2 columns to review."),
        ("city", "Nothing of class direct."),
        ("city phone", "Nothing of class direct; 1 column to review."),
    ],
)
def test_clean_is_said_only_of_what_is(run: Cli, columns: str, said: str) -> None:
    _, out, err = run(columns, "scan", "t.csv")
    assert said in err.splitlines()
    assert ("Clean" in err) is said.startswith("Clean")
    assert ("Nothing personal in" in out) is (columns == "colour")


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ("", "No cell is filled, so the result says nothing."),
        ("sku,price\nA-17,2.50\nB-18,3.10\n", "Clean: nothing to act on; 1 table without a filled cell."),
    ],
)
@pytest.mark.parametrize("content", ["email;iban;qty\n", "email;iban;qty\n;;\n;;\n"])
def test_what_has_no_filled_cell_is_not_called_clean(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    beside: str,
    said: str,
    content: str,
) -> None:
    """A file of a header alone: nothing in it was judged, but its headers name something."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "later.csv").write_text(content, encoding="utf-8")
    if beside:
        (tmp_path / "data" / "now.csv").write_text(beside, encoding="utf-8")
    shown = {}
    for kind in FORMATS:
        assert cli.invoke(["scan", "data", "-f", kind]) == 0
        shown[kind], err = capsys.readouterr()
        assert (said in err.splitlines()) is (kind == "table")
    named = "later.csv{}csv, {} rows, 3 columns; by their names: email (EMAIL_ADDRESS), iban (IBAN_CODE)"
    assert "Without a filled cell\n  data/" + named.format("  ", content.count(";;")) in shown["table"]
    assert named.format(": ", content.count(";;")) in shown["markdown"].replace("\\_", "_")
    assert all("1 table without a filled cell" in shown[kind] for kind in ("table", "markdown", "github"))
    assert "Without a filled cell: data/later.csv." in shown["sarif"]
    assert ("Nothing personal in" in shown["table"]) is bool(beside)
    whole = json.loads(shown["json"])
    jsonschema.validate(whole, SCHEMA)
    assert whole["summary"]["unfilled"] == 1
    assert [c.get("named") for c in whole["tables"][0]["columns"]] == ["EMAIL_ADDRESS", "IBAN_CODE", None]
    page = piiscan.scan("data")._repr_html_()
    assert "without a filled cell: data/later.csv" in page and "iban (IBAN_CODE)" in page


def test_every_report_lists_each_column_to_review_once(run: Cli) -> None:
    columns = "colour phone contact owner switchboard"
    whole = report(run, columns)
    assert [(r["column"], r["index"]) for r in whole["review"]] == [("phone", 1), ("contact", 2), ("owner", 3)]
    assert whole["review"][0] == {
        "source": "t.csv", "table": None, "column": "phone", "index": 1, "reasons": [DOUBT],
    }  # fmt: skip
    assert whole["summary"]["review"] == 3
    assert [c["pii_confidence"] for c in whole["tables"][0]["columns"]] == [0.98, 0.6, 0.7, 0.6, 0.97]
    shown = {kind: run(None, "scan", "t.csv", "-f", kind)[1] for kind in FORMATS}
    for kind, text in shown.items():
        for reason in (DOUBT, "it may be EMAIL_ADDRESS (30% likely)", "it may be an organisation"):
            said = text.replace("\\_", "_").replace("%25", "%")
            assert said.count(reason) == 1, (kind, reason)
    lines = [json.loads(line) for line in shown["jsonl"].splitlines()]
    assert [line["column"] for line in lines if line["kind"] == "review"] == ["phone", "contact", "owner"]
    rows = list(csv.DictReader(io.StringIO(shown["csv"])))
    assert [(r["name"], r["pii_confidence"], r["review"]) for r in rows][:2] == [
        ("colour", "0.98", ""), ("phone", "0.6", DOUBT),
    ]  # fmt: skip


def test_terminal_and_markdown_have_a_section(run: Cli) -> None:
    text = run("colour phone contact", "scan", "t.csv")[1]
    lines = [line.strip() for line in text.splitlines()]
    start = lines.index("To review")
    assert lines[start + 1] == f"phone: PHONE_NUMBER, nothing personal (60% sure): {DOUBT}"
    assert lines[start + 2].startswith("contact: no entity, nothing personal (70% sure): ")
    assert lines[start + 3] == "1 other column: colour", "the others come last"
    assert "2 to review." in text
    markdown = run(None, "scan", "t.csv", "-f", "markdown")[1].splitlines()
    start = markdown.index("### To review")
    assert [line.split(":")[0] for line in markdown[start + 2 : start + 4]] == ["- phone", "- contact"]


@pytest.mark.parametrize("width", [30, 59, 60, 80])
def test_the_section_keeps_to_the_terminals_width(run: Cli, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = run("colour phone contact switchboard", "scan", "t.csv")[1]
    assert max(map(len, out.splitlines())) <= width


@pytest.mark.parametrize(("column", "shown"), [("switchboard", True), ("phone", True), ("contact", False)])
def test_an_identifier_of_nobody_is_listed_with_its_reason(run: Cli, column: str, shown: bool) -> None:
    for kind in ("table", "markdown"):
        out = run(f"colour {column}", "scan", "t.csv", "-f", kind)[1]
        row = next((line for line in out.splitlines() if column in line and "PHONE" in line), "")
        assert ("not of persons: rows are about organisations" in row) is shown
        assert f"other column: {column}" not in out
    assert ("not of persons" in run(None, "scan", "t.csv", "-f", "csv")[1]) is shown


def test_what_github_and_sarif_show(run: Cli) -> None:
    commands = run("name phone contact income", "scan", "t.csv", "-f", "github")[1].splitlines()
    assert [line.split(" ")[0] for line in commands[:4]] == ["::error", "::notice", "::notice", "::warning"]
    assert "title=PHONE_NUMBER? To review::Column phone is probably PHONE_NUMBER, nothing personal" in commands[1]
    assert "title=To review::Column contact is probably nothing personal" in commands[2]
    (run_of,) = json.loads(run(None, "scan", "t.csv", "-f", "sarif")[1])["runs"]
    rules = {rule["id"]: rule for rule in run_of["tool"]["driver"]["rules"]}
    found = [(r["ruleId"], r["level"], r.get("properties")) for r in run_of["results"]]
    assert found == [
        ("person-name", "error", None), ("review", "note", {"review": True}), ("review", "note", {"review": True}),
        ("income", "warning", None),
    ]  # fmt: skip
    assert rules["review"]["defaultConfiguration"] == {"level": "note"}
    assert float(rules["review"]["properties"]["security-severity"]) < 4, "viewers show it as of low severity"
    assert len({json.dumps(r["partialFingerprints"]) for r in run_of["results"]}) == 4


ALLOW = '[[allow]]\nreason = "lines of offices"\n'


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ("", 0),
        ('rule = "review"', 0),
        ('column = "phone"', 0),
        ('path = "t.csv"\nentity = "PHONE_NUMBER"', 0),
        ('entity = "EMAIL_ADDRESS"', 1),
        ('rule = "email"', 1),
        ('column = "contact"', 1),
        ("expires = 2020-01-01", 1),
    ],
)
def test_allowed_doubts_count_no_more(run: Cli, entry: str, status: int) -> None:
    Path("piiscan.toml").write_text(ALLOW + entry, encoding="utf-8")
    found, out, err = run("colour phone", "scan", "t.csv", "--fail-on", "review")
    assert found == status
    assert ("[allowed: lines of offices]" in out) is (status == 0)
    assert "phone: PHONE_NUMBER, nothing personal" in out, "it is listed all the same"
    assert ("Clean" in err) is (status == 0)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["none", "PHONE_NUMBER", "CITY"])
def test_what_a_person_decided_is_in_no_doubt(run: Cli, what: str) -> None:
    entry = f'[[columns]]\npath = "t.csv"\ncolumn = "phone"\nis = "{what}"\n'
    Path("piiscan.toml").write_text(entry, encoding="utf-8")
    whole = report(run, "colour phone")
    assert whole["review"] == [] and whole["summary"]["review"] == 0
    assert whole["tables"][0]["columns"][1]["pii_confidence"] == 1
    assert "o review" not in "".join(run(None, "scan", "t.csv")[1:])


def test_a_baseline_accepts_doubts_and_nothing_more(run: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("colour phone", "baseline", "create", "t.csv", "--fail-on", "review")[0] == 0
    known = ("scan", "t.csv", "--baseline", "piiscan-baseline.jsonl", "--fail-on", "review")
    status, out, err = run(None, *known, "-v")
    assert status == 0 and "[in the baseline]" in out and "Clean" in err
    assert run("colour phone contact", *known)[0] == 1, "another column is new"
    was = VERDICTS["phone"]
    monkeypatch.setitem(VERDICTS, "phone", was._replace(pii="direct", review=()))
    assert run("colour phone", *known)[0] == 1, "who accepted the doubt didn't accept an identifier"


def test_a_baseline_of_direct_findings_accepts_no_doubt(run: Cli) -> None:
    assert run("name phone", "baseline", "create", "t.csv")[0] == 0
    lines = [json.loads(line) for line in Path("piiscan-baseline.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line.get("rule") for line in lines] == [None, "person-name"]
    known = ("scan", "t.csv", "--baseline", "piiscan-baseline.jsonl")
    status, _, err = run(None, *known)
    assert status == 0 and "Nothing new; 1 column to review." in err
    assert run(None, *known, "--fail-on", "review")[0] == 1


@pytest.mark.parametrize(
    ("digests", "others", "explained", "said"),
    [
        ({}, [], 0, "1 finding not in the baseline and 1 finding of the baseline gone."),
        ({"model_digest": "0" * 16}, ["model"], 2, "made with another model, which may explain these 2 changes."),
        ({"rules_digest": "0" * 16}, ["rules"], 2, "made with other rules, which may explain these 2 changes."),
        (
            {"rules_digest": "0" * 16, "model_digest": "0" * 16},
            ["rules", "model"],
            2,
            "made with other rules and another model, which may explain these 2 changes.",
        ),
        (None, None, 0, "1 finding not in the baseline and 1 finding of the baseline gone."),
    ],
)
def test_what_a_new_model_may_explain(
    run: Cli, digests: dict[str, str] | None, others: list[str] | None, explained: int, said: str
) -> None:
    """None: a baseline of a version that didn't note what it was made with."""
    assert run("name colour", "baseline", "create", "t.csv")[0] == 0
    file = Path("piiscan-baseline.jsonl")
    first, *rest = file.read_text(encoding="utf-8").splitlines()
    head = [] if digests is None else [json.dumps({**json.loads(first), **digests})]
    file.write_text("\n".join([*head, *rest]) + "\n", encoding="utf-8")
    found = report(run, "owner colour city", "--baseline", file.name)["baseline"]
    assert (found["entries"], found["others"], found["explained"]) == (1, others, explained)
    assert len(found["made_with"]) == len(head)
    assert found["new"] == [{"path": "t.csv", "table": None, "column": "owner", "rule": "person-name"}]
    assert found["gone"] == [{"path": "t.csv", "table": None, "column": "name", "rule": "person-name"}]
    assert found["grown"] == [], "and what --fail-on doesn't count is no change"
    for kind in ("table", "markdown", "github"):
        assert said in " ".join(run(None, "scan", "t.csv", "--baseline", file.name, "-f", kind)[1].split())
    last = json.loads(run(None, "scan", "t.csv", "--baseline", file.name, "-f", "jsonl")[1].splitlines()[-1])
    assert last["baseline"] == found
    _, _, err = run(None, "baseline", "update", "t.csv")
    assert ("may explain" in err) is bool(others)
    assert report(run, None, "--baseline", file.name)["baseline"]["others"] == [], "all files were looked at again"


def test_no_baseline_no_word_of_one(run: Cli) -> None:
    assert "baseline" not in report(run, "name")
    assert run("name", "baseline", "create", "t.csv")[0] == 0
    _, out, _ = run(None, "scan", "t.csv", "--baseline", "piiscan-baseline.jsonl")
    assert "not in the baseline" not in out and "gone" not in out


def test_a_baseline_of_several_scans_remembers_what_each_was_made_with(run: Cli) -> None:
    run("name", "baseline", "create", "t.csv")
    file = Path("piiscan-baseline.jsonl")
    Path("other.csv").write_text("name\nx\ny\n", encoding="utf-8")
    first, *rest = file.read_text(encoding="utf-8").splitlines()
    old = json.dumps({**json.loads(first), "model_digest": "0" * 16})
    file.write_text("\n".join([old, *rest]) + "\n", encoding="utf-8")
    assert run(None, "baseline", "update", "other.csv")[0] == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    assert sorted(lines[:2]) == sorted([old, first]), "t.csv was looked at with the old model only"
    assert run(None, "baseline", "prune", ".")[0] == 0
    assert file.read_text(encoding="utf-8").splitlines() == lines
    assert run(None, "baseline", "update", ".")[0] == 0
    assert file.read_text(encoding="utf-8").splitlines()[0] == first


def test_explain_tells_both_probabilities_and_the_doubt(run: Cli) -> None:
    out = run("colour phone", "explain", "t.csv::phone")[1].splitlines()
    assert out[1:3] == ["  PHONE_NUMBER, 99% sure.", "  Here it is nothing personal, 60% sure."]
    assert out[out.index("To review") + 1] == f"  - {DOUBT}."
    assert "To review" not in run(None, "explain", "t.csv::colour")[1]


def test_a_plan_says_what_to_review(run: Cli) -> None:
    assert run("colour phone", "plan", "t.csv", "-o", "plan.toml")[0] == 0
    (line,) = (li for li in Path("plan.toml").read_text(encoding="utf-8").splitlines() if li.startswith("phone = "))
    assert f"| to review, none is 60% sure: {DOUBT}" in line


def test_masking_by_a_plan_that_nobody_has_read_says_what_it_leaves_in_review(run: Cli, tmp_path: Path) -> None:
    said = "In review, and not masked as a whole: t.csv: phone. `piiscan plan` says why."
    status, _, err = run("colour phone", "mask", "t.csv", "-o", "out.csv", "--report", "report.md")
    assert (status, said in err.splitlines()) == (0, True)
    assert said in _unescaped(Path("report.md"))
    status, _, err = run("colour phone", "plan", "t.csv", "-o", "plan.toml")
    assert (status, "; 1 to review. Read it" in err) == (0, True)
    status, _, err = run("colour phone", "mask", "t.csv", "-o", "out2.csv", "--plan", "plan.toml", "--report", "2.md")
    assert (status, "review" in err) == (0, False)  # a person who has read the plan knows
    assert "review" not in _unescaped(Path("2.md"))


def _unescaped(markdown: Path) -> str:
    return markdown.read_text(encoding="utf-8").replace("\\", "")


def test_a_decision_of_a_person_ends_the_review_of_a_plan(run: Cli) -> None:
    plan = Path("plan.toml")
    run("colour phone", "plan", "t.csv", "-o", "plan.toml")
    text = plan.read_text(encoding="utf-8")
    plan.write_text(
        text.replace("phone = {", 'phone = {operator = "keep", decided_by = "human", ', 1), encoding="utf-8"
    )
    status, _, err = run("colour phone", "plan", "t.csv", "-o", "plan.toml")
    assert (status, "to review" in err) == (0, False)


@pytest.mark.parametrize(
    ("columns", "level", "fails"),
    [
        ("phone", "direct", False),
        ("phone", "review", True),
        ("phone", "sensitive", True),
        ("owner", "direct", True),
        ("income", "review", False),
        ("switchboard", "quasi", False),
    ],
)
def test_raise_if(monkeypatch: pytest.MonkeyPatch, columns: str, level: Any, fails: bool) -> None:
    monkeypatch.setattr(judging, "classify_each", one_by_one(by_header))
    found = piiscan.scan(pl.DataFrame({name: ["x", "y"] for name in columns.split()}))
    if fails:
        with pytest.raises(piiscan.FindingsError, match="1 finding"):
            found.raise_if(level)
    else:
        found.raise_if(level)


def test_the_python_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "classify_each", one_by_one(by_header))
    found = piiscan.scan(pl.DataFrame({name: ["x", "y"] for name in ("colour", "phone", "owner", "switchboard")}))
    assert [(r.column, r.index, r.reasons) for r in found.review] == [
        ("phone", 1, (DOUBT,)), ("owner", 2, ("it may be an organisation",)),
    ]  # fmt: skip
    assert found["phone"].pii_confidence == 0.6 and found["phone"].review == (DOUBT,)
    assert [f.column for f in found.findings] == ["owner"], "doubts are a list of their own"
    assert found.pii_columns() == ["owner"] == found.pii_columns("direct")
    assert found.pii_columns("none") == []
    assert found.to_frame()["review"].to_list() == ["", DOUBT, "it may be an organisation", ""]
    assert found.to_frame().schema["pii_confidence"] == pl.Float64
    assert "2 to review" in repr(found)
    page = found._repr_html_()
    assert "To review" in page and page.count(DOUBT) == 1 and "not of persons" in page
    assert "To review" not in piiscan.scan(pl.DataFrame({"colour": ["x"]}))._repr_html_()


@pytest.mark.parametrize("columns", [["phone"], ["contact"]])
def test_a_column_without_values_is_no_finding(monkeypatch: pytest.MonkeyPatch, columns: list[str]) -> None:
    monkeypatch.setattr(judging, "classify_each", one_by_one(by_header))
    frame = pl.DataFrame({name: [None, None] for name in columns}, schema=dict.fromkeys(columns, pl.String))
    piiscan.scan(frame).raise_if("quasi")


PEOPLE = {
    "name": ["Ana Diaz", "Bo Chen"],
    "email": ["ana@example.com", "bo@example.org"],
    "ssn": ["219-09-9999", "219-09-9998"],
}


def test_what_is_likely_personal_and_has_no_name_is_to_be_reviewed() -> None:
    """Where a table speaks of persons; elsewhere more is needed for a column to be called personal at all."""
    at = Limits(dict.fromkeys(FAMILIES, 0.5), personal=0.42, may_be_direct=0.07, may_not_be=0.76)
    column = judge(0, Field("Q7"), ColumnSummary(), lexicon(rule_sets.shipped().rules))
    unnamed = Presumed(None, "none", None, 0.6, "none", "direct")
    said = [
        decide(column, unnamed, np.array([none, 0.99 - none, 0.01]), limits, lambda _: "header")
        for none, limits in ((0.45, at), (0.55, at), (0.45, at._replace(personal=0.9)))
    ]
    assert [(d.pii, bool(d.review)) for d in said] == [("none", True), ("none", False), ("none", False)]


PLANETS = {"planet": ["Venus", "Mars", "Saturn"], "moons": [0, 2, 146], "radius_km": [6052, 3390, 58232]}
SHOPS = {
    "shop": [f"{name} Ltd" for name in ("Acme", "Globex", "Initech", "Umbrella")],
    "phone": [f"+1 212 555 01{i:02}" for i in range(4)],
    "employees": [12, 40, 7, 3],
}


@pytest.mark.parametrize("table", [PEOPLE, PLANETS, SHOPS])
def test_the_real_classifier_keeps_the_promises_of_the_report(table: dict[str, list[Any]]) -> None:
    found = piiscan.scan(pl.DataFrame(table)).to_dict()
    jsonschema.validate(found, SCHEMA)
    columns = found["tables"][0]["columns"]
    assert all(0 <= c["pii_confidence"] <= 1 and c["pii_confidence"] == round(c["pii_confidence"], 4) for c in columns)
    assert len({r["index"] for r in found["review"]}) == len(found["review"]) == found["summary"]["review"]
    assert all(reason for r in found["review"] for reason in r["reasons"])
    held = json.dumps(found)
    assert not any(str(value) in held for cells in table.values() for value in cells if isinstance(value, str))
