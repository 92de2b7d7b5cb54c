"""Names inside cells of text, in a scan: when they are looked for, what a configuration says of it, samples and what
reports say of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT, Run

import piiscan
from piiscan.core.types import Field, Reason, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import CELL_BYTES, VALUES
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.detection.text import analyzer
from piiscan.detection.text.text_columns import Said
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import judging
from piiscan.scanning.classify.verdict import Verdict
from piiscan.text import Span

MARIA = "Customer Maria Schmidt number {0} called about the parcel, please call back."


def notes(count: int, text: str = MARIA, distinct: int = 1 << 30) -> list[dict[str, str]]:
    return [{"id": str(i), "notes": text.format(i % distinct)} for i in range(count)]


def inside(report: piiscan.Report) -> dict[str, tuple[int, bool]]:
    return {i.entity: (i.cells, i.sampled) for i in report["notes"].inside}


def test_a_scan_reports_persons_in_text() -> None:
    report = piiscan.scan(notes(40))
    assert report["notes"].entity == "FREE_TEXT"
    assert inside(report)["PERSON"] == (40, False)
    assert any(f.entity == "PERSON" and f.inside for f in report.findings)


def test_a_likely_name_alone_raises_no_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsure(texts: Iterable[str], by: object = None, min_score: float = 0) -> list[list[Span]]:
        return [
            [Span(9, 23, "PERSON", None, "text-person", 0.89), Span(0, 8, "LOCATION", None, "text-location", 0.9)]
            for _ in texts
        ]

    monkeypatch.setattr(analyzer, "named", unsure)
    assert inside(piiscan.scan(notes(40))) == {"LOCATION": (40, False)}


def asked(distinct: int) -> list[dict[str, str]]:
    """Subjects of questions, in which so many of 40 name who asks."""
    people = "Maria Schmidt,James Miller,Paula Smith,Valerie Meyer,Sandra Jones,Eileen Walker".split(",")
    things = "parcel,invoice,voucher,refund,address,delivery".split(",")
    named = [{"topic": f"Question from {people[i % 6]} {i}"} for i in range(distinct)]
    return named + [{"topic": f"Question about the {things[i % 6]} {i}"} for i in range(40 - distinct)]


def test_a_record_number_is_found_in_columns_without_an_entity() -> None:
    report = piiscan.scan([{"status": text} for text in ("MRN 00482913", "open case", "closed case", "due 12.03.2024")])
    assert [(i.entity, i.cells) for i in report["status"].inside] == [("MEDICAL_RECORD", 1)]


@pytest.mark.parametrize("cell", ["born 12.03.1984", "geb. 1.4.1988", "DOB 03/12/1984", "née le 3 mars 1984"])
def test_a_date_of_birth_is_found_in_columns_without_an_entity(cell: str) -> None:
    report = piiscan.scan([{"status": text} for text in (cell, "open case", "closed case", "due 12.03.2024")])
    assert report["status"].entity is None
    assert [(i.entity, i.cells, i.sampled) for i in report["status"].inside] == [("DATE_OF_BIRTH", 1, False)]


@pytest.mark.parametrize(
    "about", [{}, {"sku": "A-17", "price": "12.50", "weight_kg": "0.4"}], ids=["unknown", "things"]
)
@pytest.mark.parametrize(("named", "found"), [(40, 40), (12, 12), (2, 0), (0, 0)])
def test_persons_are_found_in_columns_without_an_entity(about: dict[str, str], named: int, found: int) -> None:
    """Capitals as of titles, or rows about things: the share decides."""
    rows = [{"topic": row["topic"] if about else row["topic"].title()} | about for row in asked(named)]
    report = piiscan.scan(rows)
    assert report["topic"].entity is None
    assert sum(i.cells for i in report["topic"].inside if i.entity == "PERSON") == found
    assert [f.entity for f in report.findings] == ["PERSON"] * bool(found)


ANSWERS = (
    "The onboarding took too long|I like the canteen|More parking please|Better laptops would help|"
    "Salary is below market|Too many meetings on Mondays|Remote days should stay|Deadlines are unrealistic"
).split("|")


@pytest.mark.parametrize("header", ["Q7", "Open answer", "What could we improve?"])
@pytest.mark.parametrize("named", [(), ("Thanks to Pieter Maes for the help during migration",)])
def test_one_full_name_is_enough_in_a_column_of_sentences(header: str, named: Sequence[str]) -> None:
    """Few of the answers to an open question name somebody."""
    answers = [*ANSWERS * 5, *named, *ANSWERS]
    report = piiscan.scan([{"response": f"R_{i:03}", header: answer} for i, answer in enumerate(answers)])
    assert [(f.column, f.entity) for f in report.findings] == [(header, "PERSON")] * len(named)


@pytest.mark.parametrize(
    ("answers", "named"),
    [
        (
            "التدريب استغرق وقتا طويلا جدا|أحب المطعم في المبنى|الراتب أقل من السوق المحلي",
            "شكرا السيد أحمد العلي على المساعدة أثناء الانتقال",
        ),
        ("培训时间太长了需要改|食堂的饭菜很好吃|停车位太少需要增加", "请联系王小明先生处理这件事"),
        (
            "研修の時間が長すぎました|駐車場をもっと増やしてください|給料は市場より低いです",
            "佐藤花子様に助けていただきました",
        ),
        (
            "교육이 너무 오래 걸렸습니다|구내식당이 아주 마음에 듭니다|주차 공간이 더 필요합니다",
            "회의에 김민수님 참석이 필요합니다",
        ),
    ],
)
def test_sentences_of_scripts_without_capitals_or_spaces(answers: str, named: str) -> None:
    texts = answers.split("|") * 9
    for said, found in ((texts, []), ([*texts, named], ["PERSON"])):
        report = piiscan.scan([{"response": f"R_{i:03}", "comments": text} for i, text in enumerate(said)])
        assert [f.entity for f in report.findings] == found


def test_titles_are_not_sentences_nor_is_one_first_name_a_person() -> None:
    titles = ["Harry Potter and the Stone", "Anna Karenina", "Jane Eyre", "The Old Man and the Sea", "Dune", "Emma"]
    assert piiscan.scan([{"t": title, "n": str(i)} for i, title in enumerate(titles * 8)]).findings == ()
    for times, found in ((1, []), (12, ["PERSON"])):  # many first names are persons
        answers = [*ANSWERS * 5, *["Please ask Maria about the invoice"] * times]
        report = piiscan.scan([{"r": f"R_{i:03}", "Q7": answer} for i, answer in enumerate(answers)])
        assert [f.entity for f in report.findings] == found


@pytest.mark.parametrize("header", ["topic", "subject"])
@pytest.mark.parametrize("texts", [["Question from Maria Schmidt"], ["Refund, please", "Call Maria Schmidt"]])
def test_one_cell_is_enough_in_a_column_of_one_or_two(texts: list[str], header: str) -> None:
    report = piiscan.scan([{"id": i, header: text} for i, text in enumerate(texts)])
    assert "PERSON" in {f.entity for f in report.findings}


@pytest.mark.parametrize("text", ["The Great Gatsby", "Golden Gate Bridge", "Wooden table, oak"])
def test_one_cell_that_names_nobody_is_none(text: str) -> None:
    assert piiscan.scan([{"id": 1, "topic": text}]).findings == ()


def test_a_column_declared_to_be_nothing_is_not_read(tmp_path: Path, piiscan: Run) -> None:
    pl.DataFrame(asked(40)).write_csv(tmp_path / "n.csv")
    assert "PERSON" in piiscan("scan", "n.csv", cwd=tmp_path).stdout
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "n.csv"\ncolumn = "topic"\nis = "none"\n')
    assert "PERSON" not in piiscan("scan", "n.csv", cwd=tmp_path).stdout


def test_partitions_give_the_same_report() -> None:
    frame = pl.DataFrame(notes(300))
    scanner = piiscan.Scanner()
    parts = [scanner.partial(frame.slice(a, 100)) for a in (200, 0, 100)]
    assert inside(scanner.finish(parts[0] + parts[1] + parts[2], frame)) == inside(scanner.scan(frame))


@pytest.mark.parametrize(
    "options", [{"ignore": ["PERSON"]}, {"ignore": ["text-person"]}, {"select": ["EMAIL_ADDRESS"]}]
)
def test_persons_are_not_looked_for_where_they_are_not_asked_for(options: dict[str, Any]) -> None:
    assert "PERSON" not in inside(piiscan.scan(notes(40), **options))


def test_a_table_without_text_loads_no_recogniser() -> None:
    code = (
        "import sys, piiscan; piiscan.scan('examples/sensors.csv'); sys.exit('piiscan.detection.text.analyzer' in "
        "sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0


# What the user says a column is, or asks of a verdict.
BOTH = MARIA + " Mail: m{0}@firm.com"
"""A value of a rule and a name."""


@pytest.mark.parametrize(
    ("is_", "entity", "found"),
    [
        (None, "FREE_TEXT", {"EMAIL_ADDRESS", "PERSON"}),
        ("FREE_TEXT", "FREE_TEXT", {"EMAIL_ADDRESS", "PERSON"}),
        ("OCCUPATION", "OCCUPATION", {"EMAIL_ADDRESS"}),
        ("EMAIL_ADDRESS", "EMAIL_ADDRESS", set()),
        ("none", None, set()),
    ],
)
@pytest.mark.parametrize("least", [0.0, 0.5, 1.0])
def test_what_a_column_is_declared_to_be_decides_what_is_looked_for_in_it(
    tmp_path: Path, piiscan: Run, is_: str | None, entity: str | None, found: set[str], least: float
) -> None:
    """A name is looked for in text, and in nothing that the user calls something else; a wanted confidence changes
    none of it."""
    pl.DataFrame(notes(40, BOTH)).write_csv(tmp_path / "n.csv")
    said = f'[[columns]]\npath = "n.csv"\ncolumn = "notes"\nis = "{is_}"\n' if is_ else ""
    (tmp_path / "piiscan.toml").write_text(said)
    done = piiscan("scan", "n.csv", "-f", "json", "--min-confidence", least, cwd=tmp_path)
    column = json.loads(done.stdout)["tables"][0]["columns"][1]
    assert column["entity"] == (None if is_ is None and least == 1.0 else entity)
    assert {i["entity"] for i in column["inside"]} == found
    assert done.returncode == (1 if found or entity == "EMAIL_ADDRESS" else 0)


def test_free_text_of_another_verdict_is_read_where_the_user_calls_it_so(tmp_path: Path, piiscan: Run) -> None:
    pl.DataFrame(
        {"id": range(40), "city": ["Maria Schmidt moved to Berlin", "Anna Kowalska lives in Paris"] * 20}
    ).write_csv(tmp_path / "n.csv")
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "n.csv"\ncolumn = "city"\nis = "FREE_TEXT"\n')
    done = piiscan("scan", "n.csv", cwd=tmp_path)
    assert "PERSON" in done.stdout


@pytest.mark.parametrize("confidence", [0.9, 1.0])
@pytest.mark.parametrize(
    ("format_", "reasons", "read"), [("text", (), True), ("csv", (), False), ("text", (judging._DECLARED,), False)]
)
def test_lines_are_read_however_sure_it_is_that_they_are_nothing(
    monkeypatch: pytest.MonkeyPatch, confidence: float, format_: str, reasons: Sequence[Reason], read: bool
) -> None:
    seen: list[ColumnSummary] = []

    def read_all(columns: Sequence[ColumnSummary], rules: RuleSet, spacy: str | None) -> list[Said]:
        seen.extend(columns)
        return [Said(())] * len(columns)

    monkeypatch.setattr("piiscan.detection.text.text_columns.in_texts", read_all)
    verdict = Verdict(None, None, "none", confidence, None, (), ())
    info = TableInfo("x.log", None, format_, False, (Field("text"),))
    decided = verdict._replace(reasons=tuple(reasons))
    summary = TableSummary(columns=(ColumnSummary.empty(),))
    judging._said(info, summary, None, [verdict], [decided], rule_sets.shipped().rules, None)
    assert bool(seen) == read


# Samples: names are looked for in one, values of rules in every cell.
def test_a_column_of_very_many_notes_is_sampled_for_names_only() -> None:
    report = piiscan.scan(notes(3 * VALUES, BOTH))
    assert inside(report) == {"EMAIL_ADDRESS": (3 * VALUES, False), "PERSON": (VALUES, True)}
    entries = {i["entity"]: i for i in report.to_dict()["tables"][0]["columns"][1]["inside"]}
    assert entries["PERSON"] == {
        "entity": "PERSON", "subtype": None, "rule": "text-person", "cells": VALUES, "first_rows": [], "sampled": True,
    }  # fmt: skip
    assert "sampled" not in entries["EMAIL_ADDRESS"]


@pytest.mark.parametrize(
    ("count", "text", "sampled"),
    [
        (VALUES, MARIA, False),
        (VALUES + 1, MARIA, True),
        (40, MARIA + " " + "again " * (CELL_BYTES // 6), True),  # cut
        (40, MARIA + " " + "ä" * (CELL_BYTES // 2), True),
        (40, MARIA + " " + "again " * (CELL_BYTES // 6 - 20), False),
    ],
)
def test_what_is_not_read_whole_is_a_sample(count: int, text: str, sampled: bool) -> None:
    cells, marked = inside(piiscan.scan(notes(count, text)))["PERSON"]
    assert (cells, marked) == (VALUES if count == VALUES + 1 else count, sampled)


def test_few_distinct_notes_are_all_read() -> None:
    assert inside(piiscan.scan(notes(5 * VALUES, distinct=VALUES)))["PERSON"] == (5 * VALUES, False)


@pytest.mark.parametrize("format_", ["table", "markdown", "csv"])
def test_reports_for_people_say_that_it_was_a_sample(tmp_path: Path, piiscan: Run, format_: str) -> None:
    pl.DataFrame(notes(VALUES + 200, BOTH)).write_csv(tmp_path / "n.csv")
    done = piiscan("scan", "n.csv", "-f", format_, cwd=tmp_path, width=160)
    assert f"inside {VALUES:,} cells of a sample" in done.stdout
    assert f"inside {VALUES + 200:,} cells, rows 0, 1, 2 ..." in done.stdout
    assert f"inside {VALUES:,} cells of a sample" in piiscan("explain", "n.csv::notes", cwd=tmp_path, width=160).stdout


# Texts and logs.
@pytest.fixture
def log(tmp_path: Path) -> Path:
    lines = [
        f"2024-05-01 12:00:{i % 60:02} user Jennifer Miller changed the password of account {i}" for i in range(50)
    ]
    lines[6] += " from 8.8.8.8"
    (tmp_path / "app.log").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_a_log_is_read_too(log: Path) -> None:
    report = piiscan.scan(log / "app.log")
    assert any(i.entity == "PERSON" for i in report["text"].inside)


def test_lines_of_a_text_are_called_and_counted_as_editors_do(log: Path, piiscan: Run) -> None:
    done = piiscan("scan", "app.log", cwd=log)
    assert done.stdout.splitlines()[0] == "app.log  text, 50 lines"
    assert "inside 1 line, line 7" in done.stdout
    assert "inside 50 lines\n" in done.stdout
    assert done.stdout.endswith("none; 1 of them with direct values inside.\n")
    said = piiscan("explain", "app.log::text", cwd=log).stdout
    assert "Also found (lines count from 1)" in said
    assert "inside 1 line, line 7" in said
    assert "  50 lines, 0 of them empty;" in said
    assert "A row of this table" not in said


def test_explaining_a_file_says_how_to(log: Path, piiscan: Run) -> None:
    done = piiscan("explain", "app.log", cwd=log)
    assert done.returncode == 2
    assert "write app.log::COLUMN" in done.stderr


PRINTED = "  who hiv\n0  Maria Schmidt  True\n1  John Miller  False\n2  Peter Wagner  False\n3  Laura Rossi  True\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [("frame.txt", PRINTED), ("frame.csv", f'note\n"{PRINTED}"\n"{PRINTED.replace("True", "False")}"\n')],
)
def test_several_names_of_which_none_is_sure_are_in_review(tmp_path: Path, piiscan: Run, file: str, text: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    done = piiscan("scan", file, cwd=tmp_path)
    assert "it may name persons, none of them surely" in done.stdout
    assert "Clean" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "is_in_review"), [("Met Robert Zanweiin today.", True), ("Met the Socket Zanweiin team today.", False)]
)
def test_a_likely_name_in_a_text_is_in_review(tmp_path: Path, line: str, is_in_review: bool) -> None:
    (tmp_path / "note.txt").write_text(f"{line}\nIt was raining.\n", encoding="utf-8")
    report = piiscan.scan(tmp_path / "note.txt")
    assert not report["text"].inside and bool(report["text"].review) == is_in_review


FAMILIES = "Quendelhuber Schmirgelblatt Pfaffenzeller Brandelmeier Tuschenbrink Wumbleton Klabauter Mopsberger".split()


@pytest.mark.parametrize(
    ("header", "cells", "is_in_review"),
    [
        ("Betreuer", ["Xaverius Quendelhuber"], True),
        ("owner", ["Xaverius Quendelhuber"], True),
        ("product line", ["Xaverius Quendelhuber"], False),
        ("reviewer", FAMILIES, True),
        ("Sachbearbeiter", FAMILIES, True),
        ("reviewer", ["True", "False"], False),
        ("buyer", ["EUR", "USD", "CHF"], False),
        ("finish", FAMILIES, False),
    ],
)
def test_names_in_no_list_are_in_review_below_a_word_for_people(
    header: str, cells: list[str], is_in_review: bool
) -> None:
    rows = [{"order": str(1000 + i), "amount": f"{i * 3.5:.2f}", header: cells[i % len(cells)]} for i in range(40)]
    column = piiscan.scan(rows).tables[0].columns[2]
    assert (column.pii, bool(column.review)) == ("none", is_in_review)


FRAME = ["            name     city  age\n"] + [
    f"{i}  {name:>14}  {city:>7}   {age}\n"
    for i, (name, city, age) in enumerate(
        [("Maria Schmidt", "Berlin", 34), ("John Miller", "Leeds", 45), ("Laura Rossi", "Rome", 29)]
    )
]


def test_persons_in_printed_tables_are_found(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "frame.txt").write_text("".join(FRAME), encoding="utf-8")
    output = {"output_type": "execute_result", "data": {"text/plain": FRAME}, "metadata": {}, "execution_count": 1}
    cell = {"cell_type": "code", "source": ["df"], "outputs": [output], "metadata": {}, "execution_count": 1}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "book.ipynb").write_text(json.dumps(book), encoding="utf-8")
    assert "PERSON  direct        inside 3 cells" in piiscan("scan", "book.ipynb", cwd=tmp_path).stdout
    said = piiscan("scan", "frame.txt", "-f", "json", cwd=tmp_path).stdout
    columns = json.loads(said)["tables"][0]["columns"]
    assert [(c["name"], c["entity"]) for c in columns[1:]] == [("name", "PERSON"), ("city", "CITY"), ("age", "AGE")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0   Maria Schmidt          Berlin   34", ["Maria Schmidt"]),
        ("Patient:      Maria Schmidt     DOB:   12.03.1984", ["Maria Schmidt"]),
        ("Please call Maria  Schmidt or John   Miller tomorrow.", ["Maria  Schmidt", "John   Miller"]),
        ("x\n\n12    Maria Schmidt     y\n13     John Miller     z\n", ["Maria Schmidt", "John Miller"]),
    ],
)
def test_cells_of_printed_tables_are_read_by_themselves(text: str, names: list[str]) -> None:
    assert [text[s.start : s.end] for s in analyzer.spans(text) if s.entity == "PERSON"] == names


@pytest.mark.parametrize(
    "text", ["Total   Sales Report   North America   Q3", "0   Cotton Shirt    blue   12", "   a   b   "]
)
def test_cells_without_names_hold_none(text: str) -> None:
    assert not [s for s in analyzer.spans(text) if s.entity == "PERSON" and s.score >= 0.8]


@pytest.mark.parametrize(
    "name", ["Maria M&uuml;ller", r"Maria M\u00fcller", "Ma\u00adria Mu\u0308ller", "Maria&#32;M&#252;ller"]
)
def test_texts_are_read_as_a_reader_sees_them(tmp_path: Path, piiscan: Run, name: str) -> None:
    text = f"We met {name} in the office &amp; spoke about prices."
    (span,) = [s for s in analyzer.spans(text) if s.entity == "PERSON"]
    assert text[span.start : span.end] == name
    (tmp_path / "note.txt").write_text(f"Agenda of Monday\n{text}\nNothing else.\n", encoding="utf-8")
    assert "PERSON  direct        inside 1 line" in piiscan("scan", "note.txt", cwd=tmp_path).stdout


def test_a_text_without_names_is_clean(tmp_path: Path, piiscan: Run) -> None:
    text = "Release Notes\n\nThe Import Wizard reads Open Document files now.\nSee Getting Started, Chapter Two.\n"
    (tmp_path / "news.txt").write_text(text, encoding="utf-8")
    assert "Clean: nothing to act on." in piiscan("scan", "news.txt", cwd=tmp_path).stderr
