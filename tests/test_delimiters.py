"""Delimiters, lists and headers: what is one value is never cut, and what Python's csv module wrote is read as it
was written."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from conftest import run_piiscan
from delimited_tables import BESIDE, DELIMITERS, ENDINGS, HEADERS, Case, Column, columns, entities, table, written

import piiscan
from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Batch, Finding, NotScanned, Skipped, Table, TableInfo
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed
from piiscan.io.write.change import Column as Out
from piiscan.io.write.rewrite import rewrite
from piiscan.scanning.findings import findings

CARDS = ["4111 1111 1111 1111", "5555 5555 5555 4444", "4000 0566 5566 5556"]
EMAILS = ["ann@example.org", "bob.cee@example.com", "cy@mail.example.net"]
PHONES = ["(212) 555-0123", "(212) 555-0124", "(646) 555-0188"]
ABROAD = ["+39 06 1234567", "+44 20 7946 0958", "+49 30 1234567"]
MACS = ["00:1B:44:11:3A:B7", "00:1B:44:11:3A:B8", "02:00:5E:10:00:00"]
IPV6 = ["2606:4700:4700::1111", "2620:fe::9", "2001:4860:4860:0:0:0:0:8888"]  # name servers for everybody
IBANS = ["GB29 NWBK 6016 1331 9268 19", "FR14 2004 1010 0505 0001 3M02 606", "NO93 8601 1117 947"]
SSNS = ["078 05 1120", "219 09 9999", "123 45 6789"]
NAMES = ["Doe, John", "Roe, Jane", "Poe, Ann Marie"]


def read(path: Path, options: ReadOptions | None = None) -> list[Table]:
    found = list(discover([str(path)], options or ReadOptions()))
    assert not [item for item in found if isinstance(item, NotScanned | Skipped)]
    return found  # type: ignore[return-value]


def cells(item: Table) -> list[list[str]]:
    return [list(row) for batch in item.batches() for row in batch.frame.rows()]


def names(item: Table) -> list[str | None]:
    return [field.name for field in item.info.fields]


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("credit_card_number", CARDS),
        ("phone", PHONES),
        ("phone number", PHONES),
        ("email", EMAILS),
        ("mac", MACS),
        ("ipv6", IPV6),
        ("IBAN", IBANS),
        ("ssn", SSNS),
        ("social security number", SSNS),
        ("telefono", ABROAD),
        ("name", NAMES),
        ("address", ["12 Main St, Springfield, IL 62704", "7 High St, Dover, DE 19901"]),
        ("latitude", ["51,5072", "48,8566"]),
        ("income", ["$1,234.50", "$61,500.00"]),
        ("date of birth", ["March 5, 1985", "May 11, 1990"]),
        ("created", ["2020-01-01 12:00", "2020-01-02 13:30"]),
        ("time", ["12:30", "13:45"]),
        ("url", ["https://www.example.com/a?b=1#c", "https://example.org:8080/~ann"]),
        ("notes", ["Called twice, no answer.", "Wants it on Monday; call first."]),
        ("password", ["p@ss!w0rd", "tr*ub#4dor"]),
        ("ip", ["192.0.2.1", "198.51.100.7:8080"]),
        ("coordinates", ["48.8566, 2.3522", "51.5072, -0.1276"]),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_one_column_under_a_header(tmp_path: Path, header: str, values: list[str], ending: str) -> None:
    path = tmp_path / f"made-up{ending}"
    for some in (values, values[:1]):
        path.write_text("\n".join([header, *some]) + "\n", "utf-8")
        (item,) = read(path)
        assert (names(item), cells(item), item.info.header) == ([header], [[value] for value in some], True)
        assert dict(item.info.details)["delimiter"] == "none"


@pytest.mark.parametrize(
    "values",
    [
        CARDS,
        EMAILS,
        PHONES,
        ABROAD,
        MACS,
        IPV6,
        IBANS,
        SSNS,
        NAMES,
        ["Ann Bee", "Carl Dee"],
        ["red"],
        ["Price", "Smith", "Jones"],
        ["12 Main Street", "7 High Street"],
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_list_has_one_column_without_a_name(tmp_path: Path, values: list[str], ending: str) -> None:
    path = tmp_path / f"made-up{ending}"
    path.write_text("\n".join(values) + "\n", "utf-8")
    (item,) = read(path)
    assert (item.info.format, names(item), item.info.header) == ("csv", [None], False)
    assert cells(item) == [[value] for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann,\n\nthank you, and until soon.\n",
        "Meeting notes\nWe met at noon, and Ann spoke.\nThen we left.\n",
        "user: ann\nhost: db\nport: 5432\n",
        "Pump: Ann\nCity: Berlin\nStreet: High Street\nPhone: none\n",
        "Order: Garden Hose\nPhone: (503) 867-4419\n",
    ],
)
def test_other_text_stays_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "made-up.txt"
    path.write_text(text, "utf-8")
    (item,) = read(path)
    assert (item.info.format, names(item), cells(item)) == (
        "text",
        ["text"],
        [[line] for line in text.split("\n")[:-1]],
    )


@pytest.mark.parametrize("ending", ["log", "md", "yaml"])
def test_prose_by_its_name_is_no_list(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"made-up.{ending}"
    path.write_text("\n".join(EMAILS), "utf-8")
    (item,) = read(path)
    assert (item.info.format, names(item)) == ("text", ["text"])


@pytest.mark.parametrize(
    ("text", "delimiter", "width"),
    [
        ("name,age\nAnn,41\nBob,7\n", ",", 2),
        ("date time,amount\n2020-01-01 12:00,1\n2020-01-02 13:30,2\n", ",", 2),
        ("email;phone\nann@example.org;(212) 555-0123\nbob@example.org;(212) 555-0124\n", ";", 2),
        ("a;b\n1,5;2,5\n3,5;4,5\n5,5;6,5\n", ";", 2),
        ("when|who\n12:30|ann@example.org\n13:45|bob@example.org\n", "|", 2),
        ("name age\nAnn 41\nBob 7\nCy 8\n", " ", 2),
        ("first last\nAnn Bee\nBob Cee\nCy Dee\n", " ", 2),
        ("1.5 2.5 3.5\n4 50 6\n7 8 900\n", " ", 3),
        ("Title of the list\nname,city,age\nAnn,Ulm,41\nBob,Bonn,7\n", ",", 3),
    ],
)
def test_tables_stay_tables(tmp_path: Path, text: str, delimiter: str, width: int) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text(text, "utf-8")
    item = read(path)[0]
    assert (dict(item.info.details)["delimiter"], len(item.info.fields), item.info.notes) == (delimiter, width, ())


def pairwise(*factors: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """A small set of combinations in which each pair of values of two factors occurs, greedily."""
    wanted = {(i, a, j, b) for i, j in combinations(range(len(factors)), 2) for a in factors[i] for b in factors[j]}
    everything = list(product(*factors))
    chosen = []
    while wanted:
        sample = everything[:: max(1, len(everything) // 400)] if len(wanted) > 50 else everything
        best = max(
            sample, key=lambda row: sum((i, row[i], j, row[j]) in wanted for i, j in combinations(range(len(row)), 2))
        )
        chosen.append(best)
        wanted -= {(i, best[i], j, best[j]) for i, j in combinations(range(len(best)), 2)}
    return chosen


# Long files are read the same way as their first thousand rows: the benchmark holds them in every combination.
LAYOUTS = pairwise(BESIDE, DELIMITERS, HEADERS, (1, 5, 40), ENDINGS)


@pytest.mark.parametrize("column", entities(), ids=lambda column: column.entity)
def test_the_law_of_delimited_files(tmp_path: Path, column: Column) -> None:
    """Same shape, same cells; or, where another reading fits as well, a note that says which was taken and how to
    choose."""
    wrong = []
    for layout in LAYOUTS:
        case = Case(column, *layout)
        path = tmp_path / f"made-up{case.ending}"
        path.write_text(written(case), "utf-8", newline="")
        header, rows = table(case)
        item = read(path)[0]
        if item.info.format == "text" and column.entity == "FREE_TEXT":
            continue  # lines of sentences under no telling name are text
        if len(item.info.fields) != len(header) and any("--delimiter" in note for note in item.info.notes):
            continue
        if (len(item.info.fields), item.info.header) != (len(header), case.header) or cells(item) != rows:
            wrong.append(str(case))
    assert wrong == []


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_three_thousand_rows(tmp_path: Path, delimiter: str) -> None:
    card = next(column for column in columns() if column.name == "card")
    for beside, header, ending in product(BESIDE, HEADERS, (".csv", "")):
        case = Case(card, beside, delimiter, header, 3000, ending)
        path = tmp_path / f"made-up{ending}"
        path.write_text(written(case), "utf-8", newline="")
        (item,) = read(path)
        assert (item.info.header, cells(item)) == (header, table(case)[1]), str(case)


def personal(path: Path) -> tuple[Finding, ...]:
    """What is found, specimens and other values that are nobody's included."""
    return findings(replace(piiscan.scan(path).scan_report, reserved_count=True))


@pytest.mark.parametrize(
    "column",
    [c for c in entities() if PII_CLASS[c.entity] in ("direct", "sensitive")],
    ids=lambda column: column.entity,
)
def test_what_a_header_names_is_never_clean(tmp_path: Path, column: Column) -> None:
    path = tmp_path / "made-up.csv"
    for delimiter in (",", ";", " "):
        path.write_text(written(Case(column, 0, delimiter, True, 40, ".csv")), "utf-8", newline="")
        assert personal(path)


@pytest.mark.parametrize("values", [CARDS, EMAILS, PHONES, ABROAD, MACS, IPV6, IBANS, ["123-45-6789", "219-09-8999"]])
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_has_a_check_or_a_fixed_syntax_is_never_clean(tmp_path: Path, values: list[str], ending: str) -> None:
    path = tmp_path / f"made-up{ending}"
    path.write_text("\n".join(values * 5) + "\n", "utf-8")
    assert personal(path)


@pytest.mark.parametrize(
    ("text", "taken", "other"),
    [
        ("51,5072\n48,8566\n52,5200\n", ",", "one column"),
        ("Ann Bee\nCarl Dee\nEva Ford\n", "none", "space"),
        ("Doe, John\nRoe, Jane\nPoe, Ann\n", "none", "','"),
    ],
)
def test_two_readings_that_are_alike_are_reported(tmp_path: Path, text: str, taken: str, other: str) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text(text, "utf-8")
    entry = json.loads(run_piiscan("scan", path, "-f", "json").stdout)["tables"][0]
    assert entry["delimiter"] == taken
    (note,) = entry["notes"]
    assert other in note and "--delimiter" in note
    assert not any(word in note for line in text.split("\n") for word in line.replace(",", " ").split())
    assert note in run_piiscan("scan", path, "--dry-run").stdout


def test_a_header_that_is_a_guess_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("".join(f"{a},{b}\n" for a, b in [("mot_un", "zyx"), *[("abc", "de fg")] * 3]), "utf-8")
    (item,) = read(path)
    assert any("--no-header" in note or "--header" in note for note in item.info.notes)
    (reading,) = read(path, ReadOptions(header=True))
    assert (reading.info.notes, reading.info.header) == ((), True)


@pytest.mark.parametrize(("delimiter", "width"), [("none", 1), (" ", 2), (",", 1)])
def test_the_user_chooses_the_delimiter(tmp_path: Path, delimiter: str, width: int) -> None:
    path = tmp_path / "made-up.txt"
    path.write_text("Ann Bee\nCarl Dee\nEva Ford\n", "utf-8")
    (item,) = read(path, ReadOptions(delimiter=delimiter, header=False))
    assert len(item.info.fields) == width
    assert not item.info.notes


def test_one_column_by_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("a,b\n1,2\n3,4\n", "utf-8")
    assert "delimiter none" in run_piiscan("scan", path, "--dry-run", "--delimiter", "none").stdout


SPANS = {
    "two lines": (
        "Patient,,Contact,\nfirst,last,email,phone\nAnn,Bee,ann@example.org,212-555-0101\nBob,Cee,bob@example.org,212-555-0102\n",
        ["Patient first", "Patient last", "Contact email", "Contact phone"],
        2,
    ),
    "two lines, columns of no group": (
        ",,Patient,,Contact,\nid,date,first,last,email,phone\n1,2020-01-02,Ann,Bee,ann@example.org,212-555-0101\n2,2020-01-03,Bob,Cee,bob@example.org,212-555-0102\n",
        ["id", "date", "Patient first", "Patient last", "Contact email", "Contact phone"],
        2,
    ),
    "two lines, a column without a second": (
        "Name,Contact,\n,email,phone\nAnn,ann@example.org,212-555-0101\nBob,bob@example.org,212-555-0102\n",
        ["Name", "Contact email", "Contact phone"],
        2,
    ),
    "two lines, groups repeated": (
        "Patient,Patient,Contact,Contact\nfirst,last,email,phone\nAnn,Bee,ann@example.org,212-555-0101\nBob,Cee,bob@example.org,212-555-0102\n",
        ["Patient first", "Patient last", "Contact email", "Contact phone"],
        2,
    ),
    "a name over two columns": (
        "Name,,email\nAnn,Bee,ann@example.org\nBob,Cee,bob@example.org\n",
        ["Name", "Name", "email"],
        1,
    ),
    "a forgotten name": ("name,,age\nAnn,12,41\nBob,13,7\n", ["name", "", "age"], 1),
    "an index without a name": (",name,age\n0,Ann,41\n1,Bob,7\n", ["", "name", "age"], 1),
    "data below gaps": ("Name,,Age\nAnn,Bee,41\nBob,Cee,7\n", ["Name", "Name", "Age"], 1),
    "an empty column at the end": ("name,age,\nAnn,41,\nBob,7,\n", ["name", "age", ""], 1),
}


@pytest.mark.parametrize("name", SPANS)
def test_headers_that_span_columns(tmp_path: Path, name: str) -> None:
    text, header, lines = SPANS[name]
    path = tmp_path / "made-up.csv"
    path.write_text(text, "utf-8")
    (item,) = read(path)
    assert (names(item), cells(item)) == (header, [line.split(",") for line in text.split("\n")[lines:-1]])


@pytest.mark.parametrize(
    "name", ["two lines", "two lines, groups repeated", "a name over two columns", "two lines, columns of no group"]
)
def test_headers_that_span_columns_of_a_sheet(tmp_path: Path, name: str) -> None:
    text, header, lines = SPANS[name]
    rows = [[cell or None for cell in line.split(",")] for line in text.split("\n")[:-1]]
    path = tmp_path / "made-up.xlsx"
    sheet(path, rows)
    (item,) = read(path)
    assert (names(item), cells(item)) == (
        [n or None for n in header],
        [line.split(",") for line in text.split("\n")[lines:-1]],
    )


def sheet(path: Path, rows: list[list[str | None]]) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def test_cells_merged_in_a_sheet_give_their_name_to_all_columns_below(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["Name", None, "Address", None, None],
        ["Ann", "Bee", "12 Main Street", "Ulm", 89073],
        ["Bob", "Cee", "7 High Street", "Bonn", 53111],
    ):
        book.active.append(row)
    book.active.merge_cells("A1:B1")
    book.active.merge_cells("C1:E1")
    path = tmp_path / "made-up.xlsx"
    book.save(path)
    (item,) = read(path)
    assert names(item) == ["Name", "Name", "Address", "Address", "Address"]
    assert any("merged cells" in note for note in item.info.notes)


class Altered(NamedTuple):
    """A change that leaves out columns, gives others new names, and puts x in the cells of the last."""

    info: TableInfo
    dropped: tuple[int, ...]
    renamed: dict[int, str]

    @property
    def columns(self) -> tuple[Out, ...]:
        fields = self.info.fields
        return tuple(
            Out(f._replace(name=self.renamed.get(i, f.name)), i, i < len(fields) - 1)
            for i, f in enumerate(fields)
            if i not in self.dropped
        )

    def apply(self, batch: Batch) -> Changed:
        return Changed(pl.DataFrame({str(len(self.columns) - 1): ["x"] * len(batch.frame)}))


def altered(path: Path, dropped: tuple[int, ...] = (), renamed: dict[int, str] | None = None) -> Path:
    out = path.parent / "out" / path.name
    result = rewrite(path, out, ReadOptions(), lambda info: Altered(info, dropped, renamed or {}), overwrite=True)
    assert not result.left_out
    return out


@pytest.mark.parametrize("name", SPANS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_of_header_keep_their_bytes(tmp_path: Path, name: str, newline: str) -> None:
    text, _, lines = SPANS[name]
    path = tmp_path / "made-up.csv"
    path.write_text(text, "utf-8", newline=newline)
    head = newline.join(text.split("\n")[:lines]).encode()
    out = altered(path).read_bytes()
    assert out.startswith(head)
    assert out.count(b"x" + newline.encode()) == text.count("\n") - lines
    assert (tmp_path / "made-up.csv").read_bytes() != out


@pytest.mark.parametrize(
    ("name", "dropped", "renamed", "expected"),
    [
        ("two lines", (0,), {}, ["Patient last", "Contact email", "Contact phone"]),
        ("two lines", (0, 1), {}, ["Contact email", "Contact phone"]),
        ("two lines", (2,), {}, ["Patient first", "Patient last", "Contact phone"]),
        ("two lines", (), {0: "given"}, ["given", "Patient last", "Contact email", "Contact phone"]),
        ("two lines", (1,), {2: "mail"}, ["Patient first", "mail", "Contact phone"]),
        ("two lines, columns of no group", (2, 4), {}, ["id", "date", "Patient last", "Contact phone"]),
        ("a name over two columns", (0,), {}, ["Name", "email"]),
        ("a name over two columns", (), {0: "first"}, ["first", "Name", "email"]),
        ("a name over two columns", (), {1: "last"}, ["Name", "last", "email"]),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_columns_left_out_or_renamed_below_headers_that_span(
    tmp_path: Path, name: str, dropped: tuple[int, ...], renamed: dict[int, str], expected: list[str], ending: str
) -> None:
    path = tmp_path / f"made-up{ending}"
    text = SPANS[name][0]
    if ending == ".csv":
        path.write_text(text, "utf-8")
    else:
        sheet(path, [[cell or None for cell in line.split(",")] for line in text.split("\n")[:-1]])
    (item,) = read(altered(path, dropped, renamed), ReadOptions(header=True))
    assert names(item) == expected
    assert len(cells(item)) == 2


@pytest.mark.parametrize("ending", [".csv", ".txt"])
def test_a_list_is_masked_as_a_list(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"made-up{ending}"
    path.write_text("\r\n".join(NAMES) + "\r\n", "utf-8", newline="")
    assert altered(path).read_bytes() == b"x\r\n" * len(NAMES)


def test_an_at_sign_cuts_no_address_in_a_first_line(tmp_path: Path) -> None:
    mail = "ann@example.org"
    path = tmp_path / "t.json"
    path.write_text(f"({mail})\n" + json.dumps({"stock": [1, 2, "x" * 300], "by": mail}))
    assert cells(read(path)[0])[0] == [f"({mail})"]


def test_spaces_divide_no_single_line(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(f"(card {CARDS[0]})" + json.dumps({"stock": [{"a": "b c"}] * 9}))
    assert len(cells(read(path)[0])[0]) == 1
