"""YAML, TOML, XML, settings, HTML and notebooks: keys and tags head columns, and everything beside values is read."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from conftest import Run
from fuzz import corpus
from fuzz.needles import NEEDLES, spoken
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import key_file

import piiscan
from piiscan.core import shares
from piiscan.core.types import TableReport
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.read_options import Limits, ReadOptions

SCANNER = piiscan.Scanner(jobs=1)
MAIL = "quillan@needle-post.com"
PEOPLE = [("Ann Lee", "ann.lee@acme.com", "219-09-9999"), ("Peter Schmidt", "p.schmidt@acme.com", "536-22-1234")]


def yaml_of(rows: list[tuple[str, str, str]]) -> str:
    return "users:\n" + "".join(f"  - name: {a}\n    email: {b}\n    ssn: {c}\n" for a, b, c in rows)


def toml_of(rows: list[tuple[str, str, str]]) -> str:
    return "".join(f'[[users]]\nname = "{a}"\nemail = "{b}"\nssn = "{c}"\n' for a, b, c in rows)


def xml_of(rows: list[tuple[str, str, str]]) -> str:
    users = "".join(f'<users ssn="{c}"><name>{a}</name><email>{b}</email></users>' for a, b, c in rows)
    return f"<all>{users}</all>"


def ini_of(rows: list[tuple[str, str, str]]) -> str:
    return "".join(f"[user{i}]\nname = {a}\nemail = {b}\nssn = {c}\n" for i, (a, b, c) in enumerate(rows))


def html_of(rows: list[tuple[str, str, str]]) -> str:
    body = "".join(f"<tr><td>{a}<td>{b}</td><td>{c}</tr>" for a, b, c in rows)
    return f"<p>all</p><table><tr><th>name<th>email<th>ssn</tr>{body}</table>"


def notebook_of(rows: list[tuple[str, str, str]]) -> str:
    output = {"output_type": "display_data", "data": {"text/html": html_of(rows).splitlines(True)}}
    cell = {"cell_type": "code", "source": ["people.head()"], "outputs": [output]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}, indent=1)


def scan(path: Path, text: str | bytes) -> piiscan.Report:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return SCANNER.scan(path)


def entities(table: TableReport) -> dict[str | None, str | None]:
    return {column.name: column.entity for column in table.columns}


def found(report: piiscan.Report) -> set[str]:
    """All entities, wherever they are."""
    columns = {c.entity for c in report.columns if c.entity} | {i.entity for c in report.columns for i in c.inside}
    return columns | {name.entity for name in report.in_names}


@pytest.mark.parametrize(
    ("name", "text", "format_"),
    [
        ("a.yaml", yaml_of(PEOPLE), "yaml"),
        ("a.yml", yaml_of(PEOPLE).replace("\n", "\r\n"), "yaml"),
        ("a.toml", toml_of(PEOPLE), "toml"),
        ("a.xml", xml_of(PEOPLE), "xml"),
        ("without an ending", '<?xml version="1.0"?>' + xml_of(PEOPLE), "xml"),
        ("a.ini", ini_of(PEOPLE), "ini"),
        ("a.html", html_of(PEOPLE), "html table"),
        ("a.xls", f"<html><body>{html_of(PEOPLE)}</body></html>", "html table"),
        ("a.ipynb", notebook_of(PEOPLE), "html table"),
    ],
)
def test_keys_and_tags_head_columns(tmp_path: Path, name: str, text: str, format_: str) -> None:
    report = scan(tmp_path / name, text)
    assert report.complete
    (table,) = (t for t in report.tables if t.format == format_)
    seen = entities(table)
    assert table.rows == 2
    assert (seen["name"], seen["email"], seen.get("ssn", seen.get("@ssn"))) == ("PERSON", "EMAIL_ADDRESS", "US_SSN")


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        (".env", "export ADMIN_EMAIL=ann@acme.com\nDB_PASSWORD='tr0ub 4dor'\n", {"ADMIN_EMAIL", "DB_PASSWORD"}),
        (".env.production", "ADMIN_EMAIL=ann@acme.com\n", {"ADMIN_EMAIL"}),
        ("a.properties", "mail.from=ann@acme.com\nmail.host: smtp\n", {"mail.from", "mail.host"}),
        ("a.yaml", "a:\n  b: {c: ann@acme.com}\n", {"a.b.c"}),
        ("a.yaml", "a: x\na: y\nb: [1, 2]\n", {"a", "b"}),
        ("a.toml", "[a]\nb = [1, 2]\nc = []\n", {"a.b", "a.c"}),
        ("a.toml", "[a.b]\nc = 1\nd.e = 2\n", {"a.b.c", "a.b.d.e"}),
        ("a.xml", "<a x='1'><b>2</b></a>", {"a.@x", "a.b"}),
        ("a.ini", "[a]\nb = 1\nc: 3 ; of d\n", {"a.b", "a.c"}),
        ("a.cfg", "[a]\n\tb = 1\n\tc = 3\n\t  of d\n", {"a.b", "a.c"}),
    ],
)
def test_a_document_is_a_row_of_its_paths(tmp_path: Path, name: str, text: str, columns: set[str]) -> None:
    report = scan(tmp_path / name, text)
    assert {c.name for t in report.tables if t.table is None for c in t.columns} == columns
    assert report.tables[0].rows == 1


KINDS = ["xml", "xml records", "yaml", "yaml documents", "toml", "ini", "environment", "html", "notebook"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_is_read(tmp_path: Path, kind: str) -> None:
    made = corpus.KINDS[kind]
    for part, entity in zip(made.parts, itertools.cycle(NEEDLES), strict=False):
        report = scan(tmp_path / made.name, made.make(random.Random(1), {part: spoken(entity)}))
        assert entity in found(report) and report.complete, part
        assert not [note for table in report.tables for note in table.notes]
    clean = scan(tmp_path / made.name, made.make(random.Random(1), {}))
    assert not found(clean) & set(NEEDLES)


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("a.yaml", f"a: [1\nb: {MAIL}\n", "read as lines: not valid YAML"),
        ("a.yaml", f"{{{{- range .x }}}}\nmail: {MAIL}\n", "read as lines: not valid YAML"),
        ("a.toml", f"a = \nb = '{MAIL}'\n", "read as lines: not valid TOML"),
        ("a.xml", f"<a><b>{MAIL}</a>", "read as lines: not well-formed XML"),
        (
            "a.xml",
            f'<!DOCTYPE a [<!ENTITY x "{MAIL}">]><a>&x;</a>',
            "read as lines: XML with a document type of its own",
        ),
        ("a.xml", f"<!DOCTYPE a SYSTEM 'a.dtd'><a t='&mail;'>{MAIL}</a>", "read as lines: XML with entities"),
        ("a.xml", "<a>" * 100 + MAIL + "</a>" * 100, "read as lines: XML nested more than 64 deep"),
        ("a.yaml", "a:" + " [" * 100 + f'"{MAIL}"' + "]" * 100, "read as lines: YAML nested more than 64 deep"),
        ("a.ini", f"just some words\nof {MAIL}\n", "read as lines: not lines of settings"),
        ("a.conf", f"server {{\n  admin {MAIL};\n}}\n", None),
        ("a.yaml", f"# only {MAIL}\n", None),
        ("a.toml", f"# only {MAIL}\n", None),
    ],
)
def test_what_cannot_be_parsed_is_read_as_lines(tmp_path: Path, name: str, text: str, note: str | None) -> None:
    report = scan(tmp_path / name, text)
    (table,) = report.tables
    assert table.format == "text" and report.complete
    assert "EMAIL_ADDRESS" in found(report)
    assert (table.notes[0].startswith(note)) if note else not table.notes
    assert MAIL not in repr(report)


def test_nothing_is_run_fetched_or_blown_up(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(MAIL)
    made = tmp_path / "made"
    run = scan(tmp_path / "run.yaml", f"a: !!python/object/apply:os.system ['touch {made}']\n")
    assert run.complete and not made.exists()
    fetched = scan(tmp_path / "a.xml", f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{secret}">]><a>&x;</a>')
    assert "EMAIL_ADDRESS" not in found(fetched)
    names = [f"&a{i} [{', '.join([f'*a{i - 1}' if i else 'lol'] * 9)}]" for i in range(12)]
    laughs = scan(tmp_path / "a.yaml", "".join(f"b{i}: {text}\n" for i, text in enumerate(names)))
    assert laughs.complete and sum(table.rows for table in laughs.tables) < 200


def test_a_value_that_an_alias_stands_for_is_read_once(tmp_path: Path) -> None:
    report = scan(tmp_path / "a.yaml", f"a: &x {MAIL}\nb: *x\nc: &y {{d: {MAIL}}}\ne: {{<<: *y, f: 1}}\n")
    assert {c.name: c.entity for c in report.tables[0].columns} == {
        "a": "EMAIL_ADDRESS",
        "b": None,
        "c.d": "EMAIL_ADDRESS",
        "e.f": None,
    }


def test_keys_called_as_other_tables_are_stay_apart(tmp_path: Path) -> None:
    report = scan(tmp_path / "a.yaml", f"comments: [{{by: {MAIL}}}]  # none\n")
    assert {t.table for t in report.tables} == {"comments", "#comments"}
    text = "<a xmlns:x='u'><x:b>1</x:b><x:b>2</x:b><b>3</b><b>4</b></a>"
    assert [t.table for t in scan(tmp_path / "a.xml", text).tables] == ["a.b", "a.b 2", "#comments"]


def test_too_many_keys_are_lines(tmp_path: Path) -> None:
    keys = "".join(f"k{i}_{j}: {{a{i}_{j}: {{b: 1}}, c: {MAIL}}}\n" for i in range(3) for j in range(9))
    options = ReadOptions(limits=Limits(columns=20))
    path = tmp_path / "a.yaml"
    path.write_text(f"x:\n{keys}".replace("\nk", "\n  k"))
    (table,) = inputs.discover([str(path)], options)
    assert isinstance(table, ReadTable) and table.info.format == "text" and "columns" in table.info.notes[0]


def test_lines_of_comments_keep_their_numbers(tmp_path: Path) -> None:
    text = f'a: 1\nb: |\n  one\n  two\nc: "x\n  y"\nd: 2 # {MAIL}\n'
    report = scan(tmp_path / "a.yaml", text)
    (comments,) = (t for t in report.tables if t.table == "#comments")
    assert comments.columns[0].inside[0].first_rows == (6,)


def test_rows_that_repeat_are_tables_of_their_own(tmp_path: Path) -> None:
    items = "".join(f"<order><number>{i}</number></order>" for i in range(3))
    text = f"<shop><owner><email>{MAIL}</email></owner>{xml_of(PEOPLE)[5:-6]}<orders>{items}</orders></shop>"
    report = scan(tmp_path / "a.xml", text)
    assert {t.table: t.rows for t in report.tables} == {None: 1, "shop.users": 2, "shop.orders.order": 3}


def test_text_around_tags_is_put_together(tmp_path: Path) -> None:
    for name, text in (
        ("a.xml", "<a><p>my <b>ssn</b> is <i>219-09-</i>9999</p></a>"),
        ("a.html", "<p>my <b>ssn</b> is <i>219-09-</i>9999</p>"),
    ):
        assert "US_SSN" in found(scan(tmp_path / name, text))
    for name, text in (("a.xml", f"<a>{MAIL}<b>bcc</b></a>"), ("a.html", f"<p>{MAIL}<b>bcc</b>")):
        assert "EMAIL_ADDRESS" in found(scan(tmp_path / name, text))


def test_no_comment_divides_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a><p>219-<!-- no -->09-<![CDATA[9999]]> <b>x</b></p></a>")
    table, _ = inputs.discover([str(path)], ReadOptions())
    assert isinstance(table, ReadTable)
    (batch,) = table.batches()
    assert batch.frame.rows() == [("219-09-9999 x",)]


@pytest.mark.parametrize(
    ("table", "columns", "rows"),
    [
        ("<tr><th>name<td>Ann Lee</tr><tr><th>email<td>ann@acme.com</tr>", ["name", "email"], 1),
        ("<tr><td>name<td>email</tr><tr><td>Ann Lee<td>ann@acme.com", ["name", "email"], 1),
        ("<tr><td>1.5<td>2.5</tr><tr><td>3.5<td>4.5</tr>", [None, None], 2),
        (
            "<tr><th colspan=2>who</tr><tr><th>name<th>email</tr><tr><td>A<td>b@acme.com",
            ["name", "email"],
            2,
        ),
        ("<tr><th>a<th>b</tr><tr><td rowspan=2>1<td>2</tr><tr><td>3</tr>", ["a", "b"], 2),
        ("<tr><th>a<th>b</tr><tr><td><table><tr><th>c<th>d</tr><tr><td>1<td>2</table><td>x</tr>", ["c", "d"], 1),
    ],
)
def test_tables_of_pages(tmp_path: Path, table: str, columns: list[str | None], rows: int) -> None:
    report = scan(tmp_path / "a.html", f"<html><table>{table}</table></html>")
    first = next(t for t in report.tables if t.format == "html table")
    assert ([c.name for c in first.columns], first.rows) == (columns, rows)


def test_a_table_that_lays_out_a_page_is_text(tmp_path: Path) -> None:
    report = scan(tmp_path / "a.html", f"<table><tr><td>Write to</td><td>{MAIL}</td></tr></table>")
    assert [t.format for t in report.tables] == ["html"] and "EMAIL_ADDRESS" in found(report)


@pytest.mark.parametrize("name", ["a.yaml", "a.toml", "a.xml", "a.ini", ".env", "a.html", "a.ipynb"])
@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "x", "<", "[", '"', "a: b = c", "<a/>", "{}", "---", "\0" * 9])
def test_next_to_nothing(tmp_path: Path, name: str, text: str) -> None:
    report = scan(tmp_path / name, text)
    assert not [entry for entry in report.not_scanned if "internal" in entry.reason]
    assert not found(report)


@settings(max_examples=60)
@given(st.text(alphabet="ab<>/=:\"'![]{}-#|&*?;\\ \n\t\r`%@.", max_size=60), st.sampled_from(KINDS))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, text: str, kind: str) -> None:
    """Whatever stands around it, a needle in a line of its own is found, or the report isn't complete."""
    path = tmp_path_factory.mktemp("any") / corpus.KINDS[kind].name
    report = scan(path, f"{text}\n({MAIL})\n{text}")
    assert "EMAIL_ADDRESS" in found(report) or not report.complete


def test_reports_are_the_same_for_any_number_of_threads(tmp_path: Path, piiscan: Run) -> None:
    for kind in KINDS:
        made = corpus.KINDS[kind]
        (tmp_path / f"{kind}{made.name}").write_bytes(made.make(random.Random(2), {}))
    one, four = (piiscan("scan", tmp_path, "-f", "json", "-q", "--jobs", jobs).stdout for jobs in ("1", "4"))
    assert one == four and json.loads(one)["complete"]


@pytest.mark.parametrize(("name", "make"), [("a.yaml", yaml_of), ("a.toml", toml_of), ("a.xml", xml_of)])
def test_what_does_not_fit_into_memory_is_read_as_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, make: object
) -> None:
    monkeypatch.setattr(shares, "document", lambda: 1 << 10)
    monkeypatch.setattr(shares, "row", lambda: 100)
    report = scan(tmp_path / name, make(PEOPLE * 20).replace("<email>", "<email>" + " " * 200))  # type: ignore[operator]
    (table,) = report.tables
    assert table.format == "text" and "EMAIL_ADDRESS" in found(report)
    assert table.notes


def masked(piiscan: Run, path: Path, out: Path) -> tuple[int, str]:
    done = piiscan("mask", path, "-o", out, "--key", key_file(path.parent))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("a.html", html_of(PEOPLE), "HTML"),
    ],
)
def test_a_document_in_which_something_would_change_is_left_out(
    tmp_path: Path, piiscan: Run, name: str, text: str, what: str
) -> None:
    (tmp_path / name).write_text(text)
    out = tmp_path / "out"
    status, said = masked(piiscan, tmp_path / name, out)
    assert status == 3 and not out.exists()
    assert f"{what} is read but not written" in said and "convert it to JSON or CSV" in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", yaml_of(PEOPLE)),
        ("a.toml", toml_of(PEOPLE)),
        ("a.ini", ini_of(PEOPLE)),
        ("a.properties", f"user.email={MAIL}\n"),
        (".env", f"EMAIL={MAIL}\n"),
    ],
)
def test_a_document_is_masked_under_any_name(tmp_path: Path, piiscan: Run, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    for out in (tmp_path / "out", tmp_path / "made" / name):
        status, said = masked(piiscan, tmp_path / name, out)
        assert status == 0, said
        after = out.read_text()
        assert not any(value in after for value in (MAIL, *(value for row in PEOPLE for value in row)))
        assert after.count("\n") == text.count("\n")
    assert {(t.format, t.rows) for t in scan(tmp_path / name, text).tables} == {
        (t.format, t.rows) for t in scan(out, after).tables
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "# settings\ncolour: red  # warm\nsizes: [1, 2]\n"),
        ("a.toml", "# settings\ncolour = 'red'\n"),
        ("a.xml", "<!-- settings --><a><colour>red</colour></a>"),
        ("a.ini", "; settings\n[a]\ncolour = red\n"),
        (".env", "# settings\nCOLOUR=red\n"),
        (".env.local", "# settings\nCOLOUR=red\n"),
        ("a.html", "<p>red</p>"),
    ],
)
def test_a_document_in_which_nothing_changes_is_copied(tmp_path: Path, piiscan: Run, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    status, said = masked(piiscan, tmp_path / name, tmp_path / "out" / name)
    assert status == 0, said
    assert (tmp_path / "out" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_a_comment_with_an_identifier_is_not_copied(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "a.yaml").write_text(f"colour: red  # ask {MAIL}\n")
    status, said = masked(piiscan, tmp_path / "a.yaml", tmp_path / "out")
    assert status == 3 and "#comments: it contains an identifier" in said and not (tmp_path / "out").exists()


CODE = {
    "a.py": f'"""Ask {MAIL}."""\nx = 1\nssn = "219-09-9999"  # card 4539 1488 0343 6467\ndef name(Ann, Lee): pass\n',
    "a.js": f"// {MAIL}\nconst x = {{ssn: '219-09-9999'}}\n/* card\n * 4539 1488 0343 6467 */\n",
    "a.go": f'package a\n// {MAIL}\nvar ssn = "219-09-9999" // card 4539148803436467\n',
    "a.sh": f"#!/bin/sh\n# {MAIL}\nssn='219-09-9999'\ncard=4539148803436467\n",
    "a.php": f"<?php # {MAIL}\n$ssn = '219-09-9999'; $card = '4539148803436467';\n",
    "a.lua": f"-- {MAIL}\nssn = '219-09-9999' --[[ card\n4539 1488 0343 6467 ]]\n",
    "a.m": f"% {MAIL}\nssn = '219-09-9999' % card 4539148803436467\n",
}


@pytest.mark.parametrize("name", CODE)
def test_source_code_is_looked_at_when_asked(tmp_path: Path, piiscan: Run, name: str) -> None:
    (tmp_path / name).write_text(CODE[name])
    done = piiscan("scan", tmp_path / name, "-f", "json", "-q")
    assert done.returncode == 0, "passed over, even when named outright"
    assert json.loads(done.stdout)["skipped_kinds"] == {"source code, which --code looks at": 1}
    done = piiscan("scan", tmp_path / name, "-f", "json", "-q", "--code")
    (table,) = json.loads(done.stdout)["tables"]
    (column,) = table["columns"]
    assert (done.returncode, table["format"], column["entity"]) == (1, "code", None)
    assert {i["entity"] for i in column["inside"]} == {"EMAIL_ADDRESS", "US_SSN", "CREDIT_CARD"}


GIVEN = {
    "a.py": 'password = "Hunter2x!9kLm"\ndb_password: str = "S3cr3tPa55"\nconnect(user="anna", passwd="S3cr3tPa55")\n',
    "a.js": "const password = 'Hunter2x!9'\nx = {password: `Hunter2x!9kLm`}\ny = {\"pwd\": 'S3cr3tPa55'}\n",
    "a.ts": "let password: string = 'Hunter2x!'\nthis.dbPassword = 'Hunter2x!9kLm'\nf({password: 'Hunter2x!9kLm'})\n",
    "A.java": 'final String PASSWORD = "S3cr3tPa55";\nString userPassword="S3cr3tPa55";\nsetPassword("S3cr3tPa55");\n',
    "a.go": 'var dbPassword string = "S3cr3tPa55"\npassword := "S3cr3tPa55"\nc := C{Password: "S3cr3tPa55"}\n',
    "a.cs": 'const string Password = "S3cr3tPa55";\nvar pwd = "S3cr3tPa55";\no.Password = "S3cr3tPa55";\n',
    "a.php": "$password = 'S3cr3tPa55';\n$x = ['password' => 'S3cr3tPa55'];\ndefine('DB_PASSWORD', 'S3cr3tPa55');\n",
    "a.bat": 'set DB_PASSWORD=S3cr3tPa55\n@set "PASSWORD=Hunter2x!9"\nsetx DB_PASSWORD "S3cr3tPa55"\n',
    "a.vb": 'Dim pwd As String = "S3cr3tPa55"\nDbPassword = "Hunter2x!9"\nConst PASSWORD As String = "S3cr3tPa55"\n',
    "a.vbs": 'strPassword = "S3cr3tPa55"\nConst PASSWORD = "Hunter2x!9"\nobj.Password = "S3cr3tPa55"\n',
    "a.sh": "export DB_PASSWORD=S3cr3tPa55\nPASSWORD='S3cr3tPa55'\ncat <<EOF\npassword: S3cr3tPa55\nEOF\n",
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_password_in_code_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(GIVEN[name])
    (column,) = piiscan.Scanner(jobs=1, code=True).scan(tmp_path).columns
    assert [(i.entity, i.rule, i.cells) for i in column.inside] == [("PASSWORD", "password", 3)]


@pytest.mark.parametrize(
    "line",
    [
        *(f'password = "{value}"' for value in ("", "xxx", "changeme", "password", "Password1", "${DB_PASSWORD_1}")),
        *(
            f'password = "{value}"'
            for value in ("your-password-123", "<password1x>", "/run/secrets/db1x", "{{ pw1x2y }}")
        ),
        *(
            f'password = "{value}"'
            for value in ("user.password2", "example-9Kx2y", "Enter your 2nd password:", "%s9x8y7z")
        ),
        'password = os.environ["PASSWORD"]',
        'x = input("Enter your password:")',
        'labels = {"password": "Passwort vergessen?", "password2": "Nochmals"}',
        'fields = ["password", "address1", "oauth2_token_v3"]',
        'password_hint = "S3cr3tPa55"',
        'password_reset_url = "a9b8c7d6e5"',
        'compass = "S3cr3tPa55"',
        'api_key = "your_api_key_goes_here_1"',
    ],
)
def test_other_literals_of_that_name_are_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(f"{line}\n")
    (column,) = piiscan.Scanner(jobs=1, code=True).scan(tmp_path).columns
    assert (column.pii, column.inside) == ("none", ())


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.bat", "set PASSWORD=%1"),
        ("a.bat", "set /p PASSWORD=Password1:"),
        ("a.bat", "set PASSWORD_FILE=a9b8c7d6e5"),
        ("a.bat", "echo offset password=done"),
        ("a.vb", 'Dim pwd As String = ""'),
        ("a.vb", 'Dim hint As String = "S3cr3tPa55"'),
        ("a.vbs", 'password = InputBox("Password1?")'),
    ],
)
def test_of_batch_files_and_basic_too(tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / name).write_text(f"{line}\n")
    (column,) = piiscan.Scanner(jobs=1, code=True).scan(tmp_path).columns
    assert (column.pii, column.inside) == ("none", ())


def test_here_documents_and_plain_values_of_scripts_are_literals(tmp_path: Path) -> None:
    text = "cat <<-'END' | sort\n\tTo: {0}\n\tEND\nif (( 1 << X )); then Y=2; fi\ncat <<<word\nMAIL={0} run\n"
    (tmp_path / "a.sh").write_text(
        text.format(MAIL) + "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI7K7MDENG2bPxRfiCYzz9zzKEYab\n"
    )
    (column,) = piiscan.Scanner(jobs=1, code=True).scan(tmp_path).columns
    found = {i.rule: i.first_rows for i in column.inside}
    assert found == {"email": (1, 5), "secret-aws-secret-key": (6,), "secret-named": (6,)}


def test_code_of_names_and_numbers_is_no_finding(tmp_path: Path) -> None:
    text = "".join(f'people.append("{a}")  # {a} lives in Berlin\n' for a, _, _ in PEOPLE * 9) + "x = 3.14 * 2718\n"
    (tmp_path / "a.py").write_text(text)
    report = piiscan.Scanner(jobs=1, code=True).scan(tmp_path)
    (column,) = report.columns
    assert (column.entity, column.pii, column.inside, column.review) == (None, "none", (), ())


def test_a_finding_in_code_has_its_line(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "a.py").write_text(f"x = '''\n\n'''\n\nmail = '{MAIL}'\n")
    (tmp_path / "piiscan.toml").write_text("code = true\n")
    out = piiscan("scan", "a.py", "-f", "github", "-q", cwd=tmp_path).stdout
    assert "line=5" in out and MAIL not in out


def test_data_by_other_names_is_read_without_asking(tmp_path: Path) -> None:
    for name in ("data", "a.dump", "a.sql", "a.ts"):
        text = xml_of(PEOPLE) if name == "a.ts" else f"insert into x values ('{MAIL}');\n"
        report = scan(tmp_path / name, '<?xml version="1.0"?>' * (name == "a.ts") + text)
        assert "EMAIL_ADDRESS" in found(report), name
