"""Reports: golden files for every format, the published schema, the limits of GitHub, and what must never show."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from golden_report import BASE, FILES, GOLDEN, NEWS, REPORT, RULES, judged, with_news
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.core.types import ColumnReport, Inside, NotScanned, Place, ScanReport, TableReport
from piiscan.report import sarif, verdict_words
from piiscan.report import terminal_report as text
from piiscan.report.formats import FORMATS, Style, encode, render
from piiscan.scanning.findings import JudgedReport, answerable, container, findings, judge, labels, relative

SCHEMA = json.loads((Path(__file__).parent.parent / "piiscan" / "report" / "schemas" / "report-1.json").read_text())
TOOL = REPORT.tool


def report_of(*columns: ColumnReport, **table: Any) -> ScanReport:
    given_table = {
        "source": "x.csv",
        "table": None,
        "format": "csv",
        "rows": 10,
        "complete": True,
        "header": True,
        "subject": None,
    }
    return ScanReport(TOOL, (TableReport(**{**given_table, **table}, columns=columns),))


def column(
    name: str | None, entity: str | None = "EMAIL_ADDRESS", pii: Any = "direct", index: int = 0, **more: Any
) -> ColumnReport:
    return ColumnReport(
        index, name, "string", entity, None, pii, 0.9, 0, 10, True, None, "email" if entity else None, **more
    )


def show(kind: str, report: ScanReport, **style: Any) -> str:
    return render(kind, judge(report, BASE), RULES, Style(**style))


@pytest.mark.parametrize("kind", FORMATS)
def test_golden(kind: str) -> None:
    assert encode(render(kind, judged(kind), RULES, Style(80))) == (GOLDEN / FILES[kind]).read_bytes()


@pytest.mark.parametrize("kind", NEWS)
def test_what_is_new(kind: str) -> None:
    said = encode(render(kind, with_news(), RULES, Style(80, verbose=True)))
    assert said == (GOLDEN / NEWS[kind]).read_bytes()


def test_json_follows_the_published_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(show("json", REPORT)), SCHEMA)
    jsonschema.validate(json.loads(render("json", judged(), RULES)), SCHEMA)
    jsonschema.validate(json.loads(show("json", ScanReport(TOOL, ()))), SCHEMA)


def test_json_keys_stand_in_the_documented_order() -> None:
    whole = json.loads(show("json", REPORT))
    assert list(whole) == [
        "schema_version",
        "tool",
        "complete",
        "tables",
        "review",
        "not_scanned",
        "skipped",
        "skipped_kinds",
        "in_names",
        "summary",
    ]
    assert list(whole["review"][0]) == ["source", "table", "column", "index", "reasons"]
    table = whole["tables"][0]
    assert list(table) == [
        "source",
        "table",
        "format",
        "rows",
        "complete",
        "header",
        "subject",
        "delimiter",
        "encoding",
        "notes",
        "columns",
    ]
    assert list(table["columns"][0]) == [
        "index",
        "name",
        "parent",
        "dtype",
        "entity",
        "subtype",
        "pii",
        "confidence",
        "pii_confidence",
        "nulls",
        "distinct",
        "distinct_exact",
        "shape",
        "reasons",
        "inside",
    ]
    assert list(table["columns"][0]["inside"][0]) == ["entity", "subtype", "rule", "cells", "first_rows"]
    assert whole["summary"] == {
        "tables": 4,
        "columns": 16,
        "direct": 4,
        "quasi": 1,
        "sensitive": 1,
        "none": 10,
        "in_names": 3,
        "review": 3,
    }


@pytest.mark.parametrize("kind", FILES)
def test_every_report_counts_what_was_skipped(kind: str) -> None:
    text = show(kind, REPORT)
    assert "left out by .gitignore" in text and "picture" in text


def test_csv_has_a_row_for_each_column_and_for_each_thing_not_scanned() -> None:
    rows = list(csv.DictReader(io.StringIO(show("csv", REPORT))))
    assert [r["status"] for r in rows].count("not scanned") == 2
    assert [r["status"] for r in rows].count("identifier in a name") == 3
    assert [r["why"] for r in rows if r["status"] == "skipped"] == ["left out by .gitignore: 1", "picture: 3"]
    assert sum(r["status"] in ("scanned", "incomplete") for r in rows) == sum(len(t.columns) for t in REPORT.tables)


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@x", " =1", "\t=1", "\r@x", "\uff1d1", '=HYPERLINK("http://x.example","y")']
)
def test_csv_runs_no_formula_in_a_spreadsheet(name: str) -> None:
    report = report_of(column(name), source=name, table=name)
    (row,) = csv.DictReader(io.StringIO(show("csv", replace(report, not_scanned=()))))
    for key in ("source", "table", "name"):
        assert row[key].startswith("'") or not row[key].lstrip().startswith(tuple("=+-@\uff1d"))
        assert name.strip() in row[key]


def test_csv_leaves_numbers_and_standard_input_alone() -> None:
    (row,) = csv.DictReader(io.StringIO(show("csv", report_of(column("a"), source="-"))))
    assert (row["source"], row["confidence"], row["rows"]) == ("-", "0.9", "10")


def test_jsonl_says_what_each_line_is() -> None:
    kinds = [json.loads(line)["kind"] for line in show("jsonl", REPORT).splitlines()]
    assert kinds == ["column"] * 16 + ["review"] * 3 + ["not_scanned"] * 2 + ["in_name"] * 3 + ["summary"]


@pytest.mark.parametrize("width", [30, 40, 59])
def test_a_narrow_terminal_gets_a_list(width: int) -> None:
    out = show("table", REPORT, width=width)
    assert max(map(text.width, out.splitlines())) <= width
    squeezed = "".join(out.split())
    for name in (
        "the_number_that_the_registry_of_the_population_gave_to_this_person",
        "NATIONAL_IDPL_PESEL,direct,98%",
        "inside12cells",
    ):
        assert name in squeezed


@pytest.mark.parametrize("width", [60, 80, 120])
def test_table_keeps_to_its_width_and_shows_names_whole(width: int) -> None:
    out = show("table", REPORT, width=width)
    assert max(map(text.width, out.splitlines())) <= width
    squeezed = re.sub(
        r"[^a-z_A-Z]", "", "".join(line[:24].split("  ")[1] for line in out.splitlines() if line.startswith("  "))
    )
    assert "EMAIL_ADDRESS" in out
    assert "NATIONAL_ID" in out
    if width == 80:
        assert "the_number_that_the_registry_of_the_population_gave_to_this_person" in squeezed


@settings(deadline=None)
@given(st.text(max_size=80), st.integers(8, 60))
def test_fold_keeps_every_character_but_white_space(line: str, limit: int) -> None:
    folded = text.fold(line, limit)
    assert "".join("".join(folded).split()) == "".join(line.split())
    assert all(text.width(part) <= limit for part in folded)


@pytest.mark.parametrize("kind", ["table", "markdown", "github"])
def test_control_characters_of_a_header_do_not_reach_a_terminal(kind: str) -> None:
    out = show(kind, report_of(column("\x1b]0;owned\x07\r\nx")))
    assert out.isprintable() or set(re.findall(r"[^\S ]|[\x00-\x1f]", out)) == {"\n"}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", '{"day": "2024-01-01", "staff": [{"email": "ann@corp.org"}, {"email": "bob@corp.org"}]}',
         ["a.json (outside its other tables)"]),
        ("a.json", '{"day": "2024-01-01", "sizes": [{"size": 1}, {"size": 2}]}',
         ["a.json (outside its other tables)", "a.json::sizes"]),
        ("a.yaml", "day: 1\nstaff:\n  - email: ann@corp.org\n", ["a.yaml (outside its other tables)"]),
        ("b.csv", "size,colour\n1,red\n", ["b.csv"]),
        ("ann.smith@corp.org.csv", "size,colour\n1,red\n", []),
    ],
)  # fmt: skip
def test_nothing_personal_is_said_of_no_more_than_what_holds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, said: list[str]
) -> None:
    (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    _, _, clean = show("table", piiscan.scan(".").scan_report).partition("Nothing personal in\n")
    assert [line.strip().split("  ")[0] for line in clean.partition("\n\n")[0].splitlines()] == said


def test_colour_changes_nothing_but_colour() -> None:
    plain, coloured = show("table", REPORT), show("table", REPORT, color=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_a_file_name_that_is_no_text_is_written_all_the_same() -> None:
    report = ScanReport(TOOL, (), (NotScanned("bad\udcff.csv", "gone"),))
    for kind in FORMATS:
        encode(show(kind, report)).decode()
    assert json.loads(encode(show("json", report)))["not_scanned"][0]["source"] == "bad\udcff.csv"


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0%"), (0.0001, "<0.1%"), (0.001, "0.1%"), (0.9996, "99.9%"), (0.29, "29%"), (1.0, "100%"), (0.5, "50%")],
)
def test_percent_never_rounds_up(share: float, said: str) -> None:
    assert verdict_words.percent(share) == said


def test_labels_are_unique_whatever_the_headers() -> None:
    names = ["a", "a", "a#2", None, "column_3", "a", ""]
    table = report_of(*(column(n, None, "none", i) for i, n in enumerate(names))).tables[0]
    assert labels(table) == ("a", "a#2", "a#2#2", "column_3", "column_3#2", "a#3", "column_6")


@pytest.mark.parametrize(
    ("source", "file", "inner"),
    [
        ("a.csv", "a.csv", None),
        ("a.zip!b/c.csv", "a.zip", "b/c.csv"),
        ("wow!.csv", "wow!.csv", None),
        ("w!/a.tar.gz!b!c.csv", "w!/a.tar.gz", "b!c.csv"),
    ],
)
def test_the_file_of_an_archive_member(source: str, file: str, inner: str | None) -> None:
    assert container(source) == (file, inner)


@pytest.mark.parametrize(
    ("source", "path"),
    [("/project/a b.csv", "a b.csv"), ("/other/x.csv", "../other/x.csv"), ("-", "-"), ("<frame>", "<frame>")],
)
def test_paths_are_relative_to_the_base(source: str, path: str) -> None:
    assert relative(source, BASE) == path


def test_a_finding_for_each_column_and_each_direct_entity_inside() -> None:
    inside = (
        Inside("US_SSN", None, "us-ssn", 4, (3,)),
        Inside("CITY", None, "city", 2),
        Inside("EMAIL_ADDRESS", None, "email", 1),
    )
    found = findings(
        report_of(
            column("a", inside=inside), column("b", "URL", "none", 1), column("c", None, "none", 2, inside=inside)
        )
    )
    assert [(f.column, f.rule, f.inside, f.cells) for f in found] == [
        ("a", "email", False, 10), ("a", "us-ssn", True, 4), ("c", "us-ssn", True, 4), ("c", "email", True, 1),
    ]  # fmt: skip


def run_of(report: JudgedReport) -> dict[str, Any]:
    whole = json.loads(render("sarif", report, RULES, Style()))
    assert whole["version"] == "2.1.0"
    run: dict[str, Any] = whole["runs"][0]
    return run


def test_sarif_is_what_github_takes() -> None:
    run = run_of(judged())
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(judged().open) == 12
    fingerprints = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert not re.match(r"/|[a-z]+:", place["artifactLocation"]["uri"])
        fingerprints.add(tuple(result["partialFingerprints"].items()))
    assert len(fingerprints) == len(run["results"])
    for rule in rules:
        assert rule["help"]["text"] and rule["shortDescription"]["text"]
        assert 0 < float(rule["properties"]["security-severity"]) < 10
        assert len(rule["properties"]["tags"]) <= 10
    levels = [n["level"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert levels == ["error", "error", "note", "note", "note"], (
        "two inputs not scanned, what was skipped, what changed since the baseline, and a sample"
    )
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_names_the_line_only_where_rows_are_lines() -> None:
    lines = {
        (r["ruleId"], r["locations"][0]["logicalLocations"][0]["name"]): r["locations"][0]["physicalLocation"][
            "region"
        ]["startLine"]
        for r in run_of(judged())["results"]
    }
    assert lines["us-ssn", "email"] == 17 + 2
    assert lines["email", "email"] == 1
    without = report_of(column("n", None, "none", inside=(Inside("US_SSN", None, "us-ssn", 1, (4,)),)), header=False)
    assert run_of(judge(without, BASE))["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
    parquet = replace(without, tables=(replace(without.tables[0], format="parquet"),))
    assert run_of(judge(parquet, BASE))["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


def test_sarif_is_cut_to_githubs_limit_and_says_so() -> None:
    columns = [column(f"c{i}", "CITY", "quasi", i) for i in range(sarif.MAX_RESULTS)] + [
        column("ssn", "US_SSN", "direct", sarif.MAX_RESULTS)
    ]
    run = run_of(judge(report_of(*columns), BASE))
    assert len(run["results"]) == sarif.MAX_RESULTS
    assert run["results"][0]["level"] == "error"
    assert "1 more findings" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_sarif_fingerprints_stay_when_data_grows_and_reveal_columns_apart() -> None:
    def fingerprints(rows: int) -> Any:
        columns = (
            column("a"),
            column("b", index=1),
            column("n", None, "none", 2, inside=(Inside("US_SSN", None, "us-ssn", 1, (rows,)),)),
        )
        return [r["partialFingerprints"] for r in run_of(judge(report_of(*columns, rows=rows), BASE))["results"]]

    assert fingerprints(10) == fingerprints(10_000)
    assert len({f["primaryLocationLineHash"] for f in fingerprints(10)}) == 3, "GitHub tells alerts apart by this alone"


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("/project/a b%.csv", "a%20b%25.csv"),
        ("/project/caf\udce9.csv", "caf%E9.csv"),
        ("/project/a:b#c?.csv", "a%3Ab%23c%3F.csv"),
        ("/project/x.zip!y.csv", "x.zip"),
        ("/elsewhere/x.csv", "../elsewhere/x.csv"),
        ("-", "stdin"),
        ("<frame>", "frame"),
    ],
)
def test_sarif_uris_are_relative_references(source: str, uri: str) -> None:
    found = run_of(judge(report_of(column("a"), source=source), BASE))["results"][0]
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_markdown_keeps_its_table_whatever_the_names() -> None:
    out = show("markdown", report_of(column("a|b`c`<i>*x*\n|"), source="/project/[x](y)|.csv"))
    (row,) = [line for line in out.splitlines() if "EMAIL" in line]
    assert len(re.findall(r"(?<!\\)\|", row)) == 6
    assert not re.search(r"(?<!\\)[`<*\[]", row.removeprefix("|"))
    assert "## /project/\\[x\\](y)\\|.csv" in out


def test_every_report_is_as_sure_as_the_others() -> None:
    """Of the entity's sureness and that of the class, the lesser one."""
    report = report_of(replace(column("owner", "PERSON"), confidence=0.99, pii_confidence=0.96))
    for kind in ("table", "markdown", "github", "sarif"):
        text = show(kind, report)
        assert "96%" in text and "99%" not in text, kind


def test_github_escapes_what_would_end_a_command() -> None:
    out = show("github", report_of(column("a%b"), source="/project/o,d:d\n.csv"))
    assert "file=o%2Cd%3Ad%0A.csv" in out
    assert "a%25b" in out
    assert out.count("\n") == 2


NAMES = (
    st.none()
    | st.text(max_size=12)
    | st.sampled_from(["a|b", "x::y", "\r\n::error::", "<b>", "\x1b[2J", "名前", "\udcff", ""])
)
PLACES = st.builds(
    Place, st.integers(0), st.none() | st.sampled_from(["s3://lake/a.parquet", "a\nb"]), st.none() | st.integers(0)
)
INSIDE = st.builds(
    Inside,
    st.sampled_from(["US_SSN", "CITY"]),
    st.none(),
    st.sampled_from(["us-ssn", "city"]),
    st.integers(1, 10),
    st.just(()),
    first_places=st.lists(PLACES, max_size=2).map(tuple),
)
COLUMNS = st.lists(
    st.builds(
        column,
        NAMES,
        st.sampled_from(["EMAIL_ADDRESS", "CITY"]),
        st.sampled_from(["direct", "quasi", "none"]),
        inside=st.lists(INSIDE, max_size=2).map(tuple),
        review=st.sampled_from([(), (), ("it may be PERSON (40% likely)",)]),
    ),
    max_size=4,
)
REPORTS = st.builds(
    lambda tables, missed: ScanReport(TOOL, tuple(tables), tuple(missed)),
    st.lists(
        st.builds(
            lambda columns, table, format: report_of(  # noqa: A006
                *(replace(c, index=i) for i, c in enumerate(columns)), table=table, format=format
            ).tables[0],
            COLUMNS,
            NAMES,
            st.sampled_from(["csv", "parquet"]),
        ),
        max_size=2,
        unique_by=lambda t: t.table,
    ),
    st.lists(
        st.builds(NotScanned, st.sampled_from(["x.csv", "a\nb.csv", "-"]), st.text(max_size=9), NAMES), max_size=2
    ),
)


@settings(max_examples=25, deadline=None)
@given(REPORTS)
def test_any_report_can_be_shown_in_every_format(report: ScanReport) -> None:
    shown = {kind: encode(show(kind, report, width=60)).decode() for kind in FORMATS}
    jsonschema.validate(json.loads(shown["json"]), SCHEMA)
    columns = sum(len(t.columns) for t in report.tables)
    missed = len(report.not_scanned)
    assert len(shown["jsonl"].split("\n")) == columns + len(report.review) + missed + 2
    assert len(list(csv.reader(io.StringIO(shown["csv"])))) == 1 + columns + missed
    found = len(answerable(report))
    assert len(shown["github"].split("\n")) == found + missed + 2
    assert len(json.loads(shown["sarif"])["runs"][0]["results"]) == found
    assert "\x1b" not in shown["table"] + shown["markdown"]


def test_github_obeys_no_control_character() -> None:
    """A name in a workflow command can neither end it nor move the log's cursor."""
    name = "a\x1b[2Jb\u2028c\x07d\r\n::error::e"
    report = report_of(column(name), source=f"x{name}.csv", table=name)
    shown = show("github", report)
    assert not any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in shown.replace("\n", ""))
    assert all(line.startswith(("::", "1 table")) for line in shown.splitlines())
