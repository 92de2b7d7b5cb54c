"""Identifiers in names: found, counted, printed by position in every output, and written by position when masked."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from conftest import run_piiscan
from mask_people import piiscan

import piiscan as package
from piiscan.detection.matching import identifiers_in_names, reference
from piiscan.rules.rule_sets import shipped

SSN, EMAIL, IBAN = "536-22-1234", "jo.brown@example.com", "GB29NWBK60161331926819"
VALUES = ("536-22-1234", "536221234", "jo.brown", "60161331926819")


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (f"{SSN}.x", "us-ssn"),
        (f"{SSN}_total", "us-ssn"),
        (f"patient-{SSN}.csv", None),
        (f"staff.{SSN}.name", "us-ssn"),
        (f"users[].{SSN}", "us-ssn"),
        (EMAIL, "email"),
        (f"{EMAIL}.csv", "email"),
        (f"export_{EMAIL}", "email"),
        (f"iban {IBAN}.xlsx", "iban"),
        ("4111111111111111", "card"),
        ("84.112.7.203.log", "ipv4"),
        ("00:1B:44:11:3A:B7", "mac"),
        ("ssn_536221234.csv", "us-ssn-plain"),
        ("(212) 555-0123", "phone-nanp"),
        ("CV_Anna_Kowalska.pdf", "person-name"),
        ("letter to peter-schmidt (2).docx", "person-name"),
        ("Lars Berg", "person-name"),
        ("José García", "person-name"),
        ("name=José García", "person-name"),
        ("name=Lars%20Berg", "person-name"),
        (EMAIL.replace("@", "%40"), "email"),
    ],
)
def test_evident(name: str, rule: str | None) -> None:
    assert [r.id for r in identifiers_in_names.evident(name)] == ([rule] if rule else [])


@pytest.mark.parametrize(
    "name",
    [
        None,
        "",
        "x",
        "export_20230115.csv",
        "20230115123456.parquet",
        "2023-01-15",
        "1700000000.csv",
        "536221234.csv",
        "part-00000-c000.csv",
        "events-12:30:45.log",
        "v1.2.3",
        "1.8.2.1.txt",
        "git-2.13.7.10",
        "10.0.0.1.log",
        "192.168.1.200",
        "sales_report.csv",
        "Hong Kong",
        "first_name",
        "ruby-lang.txt",
        "anna.csv",
        "San Francisco",
        "Virginia_Beach_crime.csv",
        "june_price_list.xlsx",
        "Grant Application",
        "3f2b1c9e-1234-4abc-9def-001122334455.parquet",
        "report (2).xlsx",
        "Q1_2023",
        "555-1234",
    ],
)
def test_not_evident(name: str | None) -> None:
    assert identifiers_in_names.evident(name) == ()


def lay(folder: Path) -> None:
    """Files whose names, members, tables and columns hold identifiers, and whose cells hold none."""
    folder.mkdir()
    table = "colour,amount\nred,1\nblue,2\n"
    (folder / f"{SSN}.csv").write_text(table)
    (folder / "plain.csv").write_text(f"colour,{SSN}_total\nred,1\nblue,2\n")
    (folder / f"of {EMAIL}").mkdir()
    (folder / f"of {EMAIL}" / "a.csv").write_text(table)
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        archive.writestr("first.csv", table)
        archive.writestr(f"{EMAIL}/", "")
        archive.writestr(f"{EMAIL}/{SSN}.csv", table)
        archive.writestr(f"{EMAIL}/plain.csv", table)
    with tarfile.open(folder / "y.tar", "w") as archive:
        for name in (f"in/{SSN}.csv", "in/plain.csv"):
            entry = tarfile.TarInfo(name)
            entry.size = len(table)
            archive.addfile(entry, io.BytesIO(table.encode()))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.LNKTYPE, f"in/{SSN}.csv"
        archive.addfile(link)
    with sqlite3.connect(folder / "d.sqlite") as db:
        db.execute("create table fine (colour text)")
        db.execute(f'create table "{EMAIL}" (colour text)')
        db.execute("insert into fine values ('red')")
        db.execute(f"""insert into "{EMAIL}" values ('red')""")
    (folder / "k.json").write_text(json.dumps({"rows": [{"colour": "red"}], EMAIL: [{"colour": "blue"}]}))
    (folder / f"{SSN}.parquet").write_bytes(b"PAR1 and no more")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    lay(tmp_path / "data")
    return tmp_path / "data"


FORMATS = ("table", "json", "jsonl", "csv", "markdown", "sarif", "github")


@pytest.mark.parametrize("kind", FORMATS)
def test_no_report_prints_them(data: Path, kind: str) -> None:
    done = run_piiscan("scan", "data", "-f", kind, "--allow-incomplete", cwd=data.parent)
    assert done.returncode == 1
    for value in VALUES:
        assert value not in done.stdout and value not in done.stderr


def test_they_are_found_and_counted_by_position(data: Path) -> None:
    done = run_piiscan("scan", "data", "-f", "json", "--allow-incomplete", cwd=data.parent)
    report = json.loads(done.stdout)
    found = {(n["source"], n["of"], n["table"], n["column"], n["entity"]) for n in report["in_names"]}
    assert found == {
        ("data/file_1.parquet", "file", None, None, "US_SSN"),
        ("data/file_0.csv", "file", None, None, "US_SSN"),
        ("data/folder_4", "file", None, None, "EMAIL_ADDRESS"),
        ("data/plain.csv", "column", None, 1, "US_SSN"),
        ("data/d.sqlite", "table", "table_1", None, "EMAIL_ADDRESS"),
        ("data/k.json", "table", "table_1", None, "EMAIL_ADDRESS"),
        ("data/y.tar!in/file_0.csv", "file", None, None, "US_SSN"),
        ("data/z.zip!folder_1", "file", None, None, "EMAIL_ADDRESS"),
        ("data/z.zip!folder_1/file_2.csv", "file", None, None, "US_SSN"),
    }
    assert report["summary"]["in_names"] == 9
    assert {"data/y.tar!in/file_0.csv", "data/z.zip!folder_1/file_2.csv", "data/z.zip!folder_1/plain.csv"} <= {
        t["source"] for t in report["tables"]
    }
    assert [c["name"] for t in report["tables"] if t["source"] == "data/plain.csv" for c in t["columns"]] == [
        "colour",
        "column_1",
    ]
    assert "data/folder_4/a.csv" in {t["source"] for t in report["tables"]}


def test_a_name_alone_raises_the_alarm_and_can_be_accepted(tmp_path: Path) -> None:
    (tmp_path / f"{SSN}.csv").write_text("colour,amount\nred,1\n")
    assert run_piiscan("scan", ".", cwd=tmp_path).returncode == 1
    assert run_piiscan("scan", f"{SSN}.csv", cwd=tmp_path).returncode == 1
    assert run_piiscan("baseline", "create", ".", cwd=tmp_path).returncode == 0
    text = (tmp_path / "piiscan-baseline.jsonl").read_text()
    assert "file name" in text and "file_0.csv" in text and SSN not in text
    assert run_piiscan("scan", ".", "--baseline", "piiscan-baseline.jsonl", cwd=tmp_path).returncode == 0


def test_what_is_printed_can_be_explained(data: Path) -> None:
    for typed in ("data/file_0.csv::colour", f"data/{SSN}.csv::colour", "data/folder_4/a.csv::colour"):
        done = run_piiscan("explain", typed, cwd=data.parent)
        assert done.returncode == 0 and "colour" in done.stdout and SSN not in done.stdout


def test_rules_of_ones_own_count_too(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.toml").write_text(
        '[[rule]]\nid = "staff-no"\nentity = "NATIONAL_ID"\ntitle = "Staff number"\npattern = '
        '"ZQ\\\\d{6}"\nsearch = "anywhere"\n'
        'match = ["ZQ123456"]\nno_match = ["ZQ12345", "Q123456"]\n'
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ZQ123456.csv").write_text("colour\nred\nblue\n")
    done = run_piiscan("scan", "data", "--rules", "rules", "-f", "json", cwd=tmp_path)
    assert "ZQ123456" not in done.stdout and json.loads(done.stdout)["in_names"][0]["rule"] == "staff-no"


def test_frames(tmp_path: Path) -> None:
    report = package.scan(pl.DataFrame({"colour": ["red"], f"{SSN}_total": [1]}))
    assert [(n.column, n.entity) for n in report.in_names] == [(1, "US_SSN")]
    assert [c.name for c in report.columns] == ["colour", "column_1"]
    with pytest.raises(package.FindingsError):
        report.raise_if("direct")


def test_masked_output_has_none_of_them(data: Path) -> None:
    folder = data.parent
    piiscan("key", "new", "-o", folder / "key")
    piiscan("plan", data, "-o", folder / "plan.toml", status=3)
    assert not any(value in (folder / "plan.toml").read_text() for value in VALUES)
    done = run_piiscan(
        "mask", data, "--plan", folder / "plan.toml", "--key", f"file:{folder / 'key'}", "-o", folder / "out"
    )
    assert done.returncode == 3, done.stderr
    written = {path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*") if path.is_file()}
    assert written == {"file_0.csv", "folder_4/a.csv", "plain.csv", "y.tar", "z.zip"}
    assert (folder / "out" / "plain.csv").read_text().splitlines()[0] == "colour,column_1"
    for path in (folder / "out").rglob("*"):
        assert not any(value in path.name for value in VALUES)
        assert not path.is_file() or not any(value.encode() in path.read_bytes() for value in VALUES)
    with zipfile.ZipFile(folder / "out" / "z.zip") as archive:
        assert archive.namelist() == ["first.csv", "folder_1/", "folder_1/file_2.csv", "folder_1/plain.csv"]
    with tarfile.open(folder / "out" / "y.tar") as tar:
        assert [(e.name, e.linkname) for e in tar] == [
            ("in/file_0.csv", ""),
            ("in/plain.csv", ""),
            ("link.csv", "in/file_0.csv"),
        ]
    # What can't have another name is left out, and said.
    assert "d.sqlite" in done.stderr and "k.json" in done.stderr and not any(value in done.stderr for value in VALUES)


def test_one_file_is_masked_by_its_own_name(tmp_path: Path) -> None:
    write: Callable[[str], object] = (tmp_path / f"{SSN}.csv").write_text
    write("email,amount\nann@example.com,1\nbob@example.com,2\n")
    piiscan("key", "new", "-o", tmp_path / "key")
    piiscan("plan", tmp_path / f"{SSN}.csv", "-o", tmp_path / "plan.toml")
    assert 'source = "file_' in (tmp_path / "plan.toml").read_text()
    piiscan(
        "mask",
        tmp_path / f"{SSN}.csv",
        "--plan",
        tmp_path / "plan.toml",
        "--key",
        f"file:{tmp_path / 'key'}",
        "-o",
        tmp_path / "out.csv",
    )
    assert "ann@example.com" not in (tmp_path / "out.csv").read_text()


def test_looking_by_shape_loses_nothing() -> None:
    """Which patterns are tried on a name follows from its shape; specimens of every rule are found as without that."""
    compiled = shipped()
    for rule in compiled.rules.by_id.values():
        for value in rule.match[:2]:
            for text in (f"x {value}", f"{value}.csv"):
                every = [
                    p
                    for p in compiled.of("anywhere", "context")
                    if p.rule.search == "anywhere" or reference.has_context(p, text)
                ]
                few = identifiers_in_names._candidates(identifiers_in_names._DIGIT.sub("0", text), compiled)
                assert {s.pattern for s in reference.spans(text, every)[0]} == {
                    s.pattern for s in reference.spans(text, few)[0]
                }


def test_sheets_get_the_printed_name(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Plain"
    for sheet in (book.active, book.create_sheet(f"of {SSN}"), book.create_sheet(EMAIL)):
        for row in (("email", "amount"), ("ann@example.com", 1), ("bob@example.com", 2)):
            sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    piiscan("key", "new", "-o", tmp_path / "key")
    piiscan("plan", tmp_path / "book.xlsx", "-o", tmp_path / "plan.toml")
    piiscan(
        "mask",
        tmp_path / "book.xlsx",
        "--plan",
        tmp_path / "plan.toml",
        "--key",
        f"file:{tmp_path / 'key'}",
        "-o",
        tmp_path / "out.xlsx",
    )
    assert openpyxl.load_workbook(tmp_path / "out.xlsx").sheetnames == ["Plain", "table_1", "table_2"]
    with zipfile.ZipFile(tmp_path / "out.xlsx") as parts:
        assert not any(
            value.encode() in parts.read(name) for name in parts.namelist() for value in (*VALUES, "ann@example")
        )


def test_long_names_are_looked_at_in_pieces() -> None:
    from time import process_time

    start = process_time()
    for before in ("x", "1", "ab "):
        for length in (1_990, 50_000):
            long = before * length
            assert [rule.entity for rule in identifiers_in_names.evident(f"{long} ssn 536-22-1234 {long}")] == [
                "US_SSN"
            ]
        assert not identifiers_in_names.is_number(before * 50_000)
    assert process_time() - start < 30


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_masks_write_no_inner_name_that_identifies(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame({"a": [{"jo.brown@example.com": 1}, {"jo.brown@example.com": 2}]})
    path = tmp_path / f"t.{ending}"
    frame.write_parquet(path) if ending == "parquet" else frame.write_ipc(path)
    done = run_piiscan("mask", path, "-o", tmp_path / "out", "--policy", "hipaa-safe-harbor")
    assert done.returncode == 3 and not (tmp_path / "out").exists()


def test_names_of_persons_are_found_and_not_printed(tmp_path: Path) -> None:
    """Of files, folders, sheets and columns; not of the folder that somebody typed, which may be their own."""
    home = tmp_path / "anna.kowalska"
    (home / "Peter_Schmidt").mkdir(parents=True)
    (home / "Peter_Schmidt" / "a.csv").write_text("colour,Lars Berg\nred,late\nblue,early\n")
    (home / "CV Maria Garcia.csv").write_text("colour,amount\nred,1\nblue,2\n")
    report = package.scan(home)
    text = report.to_json()
    assert not any(name in text for name in ("Schmidt", "Garcia", "Berg"))
    assert {"anna.kowalska"} <= set(report.tables[0].source.split("/"))
    found = {(n.source.rpartition("kowalska/")[2], n.column) for n in report.in_names}
    assert found == {("file_0.csv", None), ("folder_1", None), ("folder_1/a.csv", 1)}
    (table,) = (t for t in report.tables if t.source.endswith("a.csv"))
    assert [c.name for c in table.columns] == ["colour", "column_1"]
    done = run_piiscan("scan", str(home))
    assert done.returncode == 1, done.stdout


def test_partitions_by_person_are_not_printed_and_masked_under_other_names(tmp_path: Path) -> None:
    """Folders of a key that is called after persons go by number, also where a name is in no list."""
    keys = ("name=Anna Kowalska", "name=Lars%20Berg", "name=Zyxo Qwob", "name=Maria Garcia", "unit=Zyxo Qwob")
    mails = ("email=ann.lee%40corp-post.org", "email=bo.berg%40corp-post.org")
    for folder in (
        *(tmp_path / "data" / "people" / key for key in keys),
        *(tmp_path / "data" / "m" / k for k in mails),
    ):
        folder.mkdir(parents=True)
        (folder / "part-0.csv").write_text("colour,amount\nred,1\nblue,2\n")
    done = run_piiscan("mask", tmp_path / "data", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    made = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").glob("*/*")}
    assert made == {*(f"people/folder_{i}" for i in range(4)), "people/unit=Zyxo Qwob", "m/folder_0", "m/folder_1"}
    for kind in ("table", "json", "sarif", "markdown"):
        said = run_piiscan("scan", tmp_path / "data", "-f", kind)
        assert said.returncode == 1
        assert not any(word in said.stdout + said.stderr for word in ("Kowalska", "Berg", "name=", "corp-post"))
    report = package.scan(tmp_path / "data")
    assert [n.entity for n in report.in_names] == ["EMAIL_ADDRESS"] * 2 + ["PERSON"] * 4


def test_names_that_are_no_utf8_are_written_as_in_urls(tmp_path: Path) -> None:
    data, plan = tmp_path / "data", tmp_path / "plan.toml"
    text = "email,amount\n" + "".join(f"ann{i}@corp-post.org,{i}\n" for i in range(30))
    (data / os.fsdecode(b"d\xe9")).mkdir(parents=True)
    (data / os.fsdecode(b"d\xe9") / "a.csv").write_text(text)
    (data / os.fsdecode(b"caf\xe9_\xff.csv")).write_text(text)
    (data / "café.csv").write_text(text)
    with tarfile.open(data / "t.tar", "w") as tar:
        tar.add(data / "café.csv", "caf\udce9.csv")
    names = {"d%E9/a.csv", "caf%E9_%FF.csv", "café.csv", "t.tar!caf%E9.csv"}
    assert {t.source.removeprefix(f"{data}/") for t in package.scan(data).tables} == names
    piiscan("plan", data, "-o", plan)
    piiscan("key", "new", "-o", tmp_path / "key")
    key = ("--key", f"file:{tmp_path / 'key'}")
    piiscan("mask", data, "--plan", plan, "-o", tmp_path / "out", *key)
    assert {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file()} == {
        "d%E9/a.csv", "caf%E9_%FF.csv", "café.csv", "t.tar"
    }  # fmt: skip
    piiscan("verify", data, tmp_path / "out", "--plan", plan, *key)
    for name in names:  # what is printed can be typed again
        assert "EMAIL_ADDRESS" in run_piiscan("explain", f"{data}/{name}::email").stdout
