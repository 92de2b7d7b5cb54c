"""Every format is masked alike, and the masks are the same however the rows are cut into batches and files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import polars as pl
import pytest
from mask_people import cells, customers, key_file, piiscan, planned

from piiscan.core import keys
from piiscan.io.read_options import ReadOptions
from piiscan.masking.plan import plan_toml
from piiscan.masking.request import MaskRequest
from piiscan.masking.run.mask_files import mask_files
from piiscan.rules import rule_sets

PEOPLE = customers(200).with_columns(pl.col("customer_id").cast(pl.Int64), pl.col("amount").cast(pl.Float64))
EXTENSION = {"csv": "csv", "parquet": "parquet", "json lines": "jsonl", "sqlite": "db", "excel": "xlsx", "xml": "xml"}


def _sqlite(path: Path) -> None:
    with sqlite3.connect(path) as base:
        base.execute(
            "CREATE TABLE customers (customer_id INTEGER UNIQUE, first_name TEXT, last_name TEXT, gender TEXT, "
            "email TEXT UNIQUE, ssn TEXT, "
            "phone TEXT, city TEXT, amount REAL)"
        )
        base.executemany(f"INSERT INTO customers VALUES ({', '.join('?' * 9)})", PEOPLE.rows())
    base.close()


def _excel(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "People"
    for row in [PEOPLE.columns, *PEOPLE.rows()]:
        sheet.append(list(row))
    book.save(path)


def _from_sqlite(path: Path) -> pl.DataFrame:
    base = sqlite3.connect(path)
    try:
        return pl.DataFrame(
            base.execute("SELECT * FROM customers ORDER BY rowid").fetchall(), schema=PEOPLE.schema, orient="row"
        )
    finally:
        base.close()


def _from_excel(path: Path) -> pl.DataFrame:
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["People"]
    rows = list(book["People"].values)
    return pl.DataFrame(rows[1:], schema=PEOPLE.schema, orient="row")


def _xml(path: Path) -> None:
    root = ElementTree.Element("customers")
    for row in PEOPLE.rows(named=True):
        customer = ElementTree.SubElement(root, "customer", customer_id=str(row["customer_id"]))
        for name in PEOPLE.columns[1:]:
            ElementTree.SubElement(customer, name).text = row[name] and str(row[name])
    ElementTree.ElementTree(root).write(path, "utf-8")


def _from_xml(path: Path) -> pl.DataFrame:
    rows = [
        {"customer_id": customer.get("customer_id"), **{element.tag: element.text or None for element in customer}}
        for customer in ElementTree.parse(path).getroot()
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(PEOPLE.columns, pl.String)).cast(dict(PEOPLE.schema))  # type: ignore[arg-type]


WRITE: dict[str, Callable[[Path], object]] = {
    "csv": PEOPLE.write_csv,
    "parquet": PEOPLE.write_parquet,
    "json lines": PEOPLE.write_ndjson,
    "sqlite": _sqlite,
    "excel": _excel,
    "xml": _xml,
}
READ: dict[str, Callable[[Path], pl.DataFrame]] = {
    "csv": lambda path: pl.read_csv(path, schema=PEOPLE.schema),
    "parquet": pl.read_parquet,
    "json lines": lambda path: pl.read_ndjson(path, schema=PEOPLE.schema),
    "sqlite": _from_sqlite,
    "excel": _from_excel,
    "xml": _from_xml,
}


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> str:
    return key_file(tmp_path_factory.mktemp("key"))


@pytest.fixture(scope="module")
def by_csv(tmp_path_factory: pytest.TempPathFactory, key: str) -> pl.DataFrame:
    root = tmp_path_factory.mktemp("csv")
    PEOPLE.write_csv(root / "customers.csv")
    piiscan("mask", root / "customers.csv", "-o", root / "out.csv", "--key", key)
    return READ["csv"](root / "out.csv")


@pytest.mark.parametrize("kind", EXTENSION)
def test_a_format_keeps_rows_types_and_untouched_columns(
    tmp_path: Path, key: str, by_csv: pl.DataFrame, kind: str
) -> None:
    source, target = (tmp_path / f"{name}.{EXTENSION[kind]}" for name in ("customers", "out"))
    WRITE[kind](source)
    piiscan("mask", source, "-o", target, "--key", key)
    out = READ[kind](target)
    assert out.schema == PEOPLE.schema and len(out) == len(PEOPLE)
    for column in PEOPLE.columns:
        assert out[column].is_null().equals(PEOPLE[column].is_null()), column
    kept = ["gender", "city", "amount"]
    assert out.select(kept).equals(PEOPLE.select(kept))
    # Telephones of films are 80,000, so two of these people may get one: six pairs do once in 10⁸ keys.
    for column, merged in (("customer_id", 0), ("email", 0), ("ssn", 0), ("phone", 5)):
        assert (
            out[column].n_unique() >= PEOPLE[column].n_unique() - merged and not (out[column] == PEOPLE[column]).any()
        ), column
    # One key, one person, one mask: whatever the format.
    for column in ("email", "ssn", "phone", "first_name", "last_name"):
        assert out[column].equals(by_csv[column]), column


def test_json_keeps_its_nesting(tmp_path: Path, key: str) -> None:
    rows = [{"id": i, "who": {"email": e, "tags": ["a", None]}, "n": 1.5} for i, e in enumerate(PEOPLE["email"])]
    source = tmp_path / "people.jsonl"
    source.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    piiscan("mask", source, "-o", tmp_path / "out.jsonl", "--key", key)
    out = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [r["who"]["tags"] for r in out] == [["a", None]] * len(rows) and [r["n"] for r in out] == [1.5] * len(rows)
    emails = [r["who"]["email"] for r in out]
    assert len(set(emails)) == len(rows) and not set(emails) & set(PEOPLE["email"])


def test_csv_keeps_its_dialect_and_the_bytes_of_untouched_cells(tmp_path: Path, key: str) -> None:
    lines = ["customer;email;remark;amount"]
    lines += [
        f'{i};{e};"a; ""b"" é";{a:.1f}0' for i, (e, a) in enumerate(zip(PEOPLE["email"], PEOPLE["amount"], strict=True))
    ]
    source = tmp_path / "c.csv"
    source.write_bytes("\r\n".join(lines).encode("cp1252"))
    plan = planned(source, tmp_path / "plan.toml", remark='operator = "keep"', customer='operator = "keep"')
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key)
    out = (tmp_path / "out.csv").read_bytes().decode("cp1252").split("\r\n")
    assert len(out) == len(lines) and out[0] == lines[0]
    for was, now in zip(lines[1:], out[1:], strict=True):
        head, email, rest = now.split(";", 2)
        assert (head, rest) == (was.split(";", 2)[0], was.split(";", 2)[2]) and email != was.split(";")[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet", "json lines"])
def test_batches_do_not_show_in_the_output(tmp_path: Path, key: str, kind: str) -> None:
    source = tmp_path / f"customers.{EXTENSION[kind]}"
    people = PEOPLE.head(60)  # a batch of one row costs as much as one of thousands
    {"csv": people.write_csv, "parquet": people.write_parquet, "json lines": people.write_ndjson}[kind](source)
    plan = plan_toml.loads(planned(source, tmp_path / "plan.toml").read_text(encoding="utf-8"), "plan.toml")
    rules = rule_sets.load(())
    outputs = set()
    for rows, jobs in ((1, 1), (7, 2), (32, 4), (131_072, 1)):
        target = tmp_path / f"out-{rows}.{EXTENSION[kind]}"
        mask_files(
            source, target, plan, keys.Key.load(key), rules, ReadOptions(batch_rows=rows), MaskRequest(jobs=jobs)
        )
        outputs.add(target.read_bytes())
    assert len(outputs) == 1


def test_parts_of_a_table_get_the_masks_of_the_whole(tmp_path: Path, key: str) -> None:
    whole, parts = tmp_path / "customers.csv", tmp_path / "parts"
    parts.mkdir()
    PEOPLE.write_csv(whole)
    plan = planned(whole, tmp_path / "plan.toml")
    piiscan("mask", whole, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key)
    out = []
    for n, at in enumerate((0, 130)):
        (parts / f"{n}").mkdir()
        PEOPLE.slice(at, 130).write_csv(parts / f"{n}" / "customers.csv")
        piiscan("mask", parts / f"{n}" / "customers.csv", "--plan", plan, "-o", parts / f"{n}.csv", "--key", key)
        out.append(cells(parts / f"{n}.csv"))
    assert pl.concat(out).equals(cells(tmp_path / "out.csv"))


@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.txt", "Frau M\u00fcller hat angerufen.\nIhre Telefonnummer ist 030 1234567.\n"),
        ("t.log", "Maria Schmidt called, and said: hello there. Then nothing.\n"),
        ("t.csv", "ann@corp.org\n"),
        ("t.csv", "ann@corp.org\nbob@corp.org\n"),
        ("t.csv", "ann@corp.org;1\nbob@corp.org;2\n"),
        ("t.csv", "name\nAnn Smith\n"),
        ("t.txt", "219-09-9999\n219-09-9998\n"),
        ("t.csv", "name,email\n"),
        ("t.csv", "born 12.03.1984\n"),
        ("t.csv", "open;born 12.03.1984\n"),
    ],
)
def test_an_output_is_read_again_as_its_input_was(tmp_path: Path, policy: str, name: str, content: str) -> None:
    """Masked sentences may have as many words a line as a table has cells, and what is emptied leaves blank lines."""
    source, out, key = tmp_path / name, tmp_path / "out" / name, key_file(tmp_path)
    source.write_text(content, encoding="utf-8")
    out.parent.mkdir()
    plan = tmp_path / "plan.toml"
    piiscan("plan", source, "--policy", policy, "-o", plan)
    piiscan("mask", source, "--plan", plan, "--key", key, "-o", out)
    assert len(out.read_text(encoding="utf-8").splitlines()) == len(content.splitlines())
    piiscan("verify", source, out, "--plan", plan, "--key", key)


@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
@pytest.mark.parametrize("content", ["219-09-9999", "born 12.03.1984", "Hello Peter Schmidt, how are you today?"])
def test_a_line_without_an_end_is_masked(tmp_path: Path, policy: str, content: str) -> None:
    """What is emptied leaves no line at all."""
    source, out = tmp_path / "t.txt", tmp_path / "out.txt"
    source.write_text(content, encoding="utf-8")
    piiscan("mask", source, "--policy", policy, "--key", key_file(tmp_path), "-o", out)
    assert (out.read_text(encoding="utf-8") == content) == (policy == "default" and "1984" in content)


_MAILS = [f"ann{i}@corp.org" for i in range(12)]
_NOTES = [["email", "note"], *([m, "paid" if i < 9 else None] for i, m in enumerate(_MAILS))]


def _emptied(tmp_path: Path, rows: list[list[str | None]]) -> tuple[Path, Path, Path]:
    """A workbook, the same with its first column emptied, and the plan."""
    source, out = tmp_path / "t.xlsx", tmp_path / "out.xlsx"
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(source)
    first = rows[0][0] if rows[0][0] == "email" else "column_0"
    plan = planned(source, tmp_path / "plan.toml", **{str(first): 'operator = "suppress"'})
    piiscan("mask", source, "--plan", plan, "--key", key_file(tmp_path), "-o", out)
    return source, out, plan


@pytest.mark.parametrize("rows", [[["email"], *([m] for m in _MAILS)], [[m] for m in _MAILS], _NOTES])
def test_a_sheet_whose_last_rows_are_emptied(tmp_path: Path, rows: list[list[str | None]]) -> None:
    """A sheet ends with its last filled cell, so that rows of nothing but emptied cells aren't there."""
    source, out, plan = _emptied(tmp_path, rows)
    left = [[cell.value for cell in row] for row in openpyxl.load_workbook(out).worksheets[0].iter_rows()]
    expected = [[c if c not in _MAILS else None for c in row] for row in rows]
    assert [row for row in left if any(row)] == [row for row in expected if any(row)]
    if any(map(any, left)):
        piiscan("verify", source, out, "--plan", plan, "--key", key_file(tmp_path))


def test_a_sheet_that_lost_filled_rows_breaks_its_promise(tmp_path: Path) -> None:
    source, out, plan = _emptied(tmp_path, [*_NOTES])
    book = openpyxl.load_workbook(out)
    book.worksheets[0].delete_rows(10)  # the last one that is filled
    book.save(out)
    assert "others don't get empty" in piiscan(
        "verify", source, out, "--plan", plan, "--key", key_file(tmp_path), status=5
    )
