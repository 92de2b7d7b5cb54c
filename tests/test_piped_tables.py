"""Tables between bars amid other text are read as tables, and masked where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan

PEOPLE = [
    ("Hannelore Brandt", "hannelore.brandt@gmx.de", "09.03.1957"),
    ("Giuseppe Marangoni", "g.marangoni@libero.it", "23.11.1981"),
    ("Siobhan Gallagher", "siobhan.g@eircom.net", "30.07.1974"),
    ("Katarzyna Wojcik", "kasia.w@wp.pl", "17.01.1990"),
]
HEADER = ("Name", "E-mail", "Born")


def markdown(outer: str = "|") -> str:
    rows = [f"{outer} {' | '.join(row)} {outer}".strip() for row in (HEADER, *PEOPLE)]
    return "\n".join(
        ["# Team", "", "Ask Linda Davis first.", "", rows[0], "--- | :---: | ---", *rows[1:], "", "The end.", ""]
    )


def psql() -> str:
    rows = [f" {a:<20} | {b:<26} | {c}" for a, b, c in (HEADER, *PEOPLE)]
    return "\n".join([rows[0], "-" * 22 + "+" + "-" * 28 + "+------------", *rows[1:], "(4 rows)", ""])


def grid(head: str) -> str:
    ruler = "+" + "-" * 22 + "+" + "-" * 28 + "+" + "-" * 12 + "+"
    rows = [f"| {a:<20} | {b:<26} | {c:<10} |" for a, b, c in (HEADER, *PEOPLE)]
    between = "\n" + ruler + "\n" if head == "=" else "\n"
    return f"{ruler}\n{rows[0]}\n{ruler.replace('-', head)}\n{between.join(rows[1:])}\n{ruler}\n4 rows in set\n"


def sap() -> str:
    ruler = "-" * 64
    rows = [f"|{a:<20}|{b:<28}|{c:<12}|" for a, b, c in (HEADER, *PEOPLE)]
    return "\n".join(
        ["12.03.2025      Dynamic list display       1", "", ruler, rows[0], ruler, *rows[1:], ruler, "4 rows", ""]
    )


TEXTS = {
    "markdown": markdown(),
    "markdown without outer bars": markdown(""),
    "psql": psql(),
    "mysql": grid("-"),
    "rst": grid("="),
    "sap": sap(),
}


def write(folder: Path, text: str, name: str = "team.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["team.md", "team.txt", "team"])
def test_they_are_tables(tmp_path: Path, kind: str, end: str, name: str) -> None:
    report = piiscan.scan(write(tmp_path, TEXTS[kind].replace("\n", end), name))
    found = {str(t.table): t for t in report.tables}
    assert report.complete and set(found) == {"table 1", "None"}
    assert [(c.name, c.entity) for c in found["table 1"].columns] == [
        ("Name", "PERSON"), ("E-mail", "EMAIL_ADDRESS"), ("Born", "DATE_OF_BIRTH")
    ]  # fmt: skip
    assert found["table 1"].rows == len(PEOPLE)


@pytest.mark.parametrize("kind", TEXTS)
def test_mask_changes_cells_alone(tmp_path: Path, kind: str) -> None:
    write(tmp_path, TEXTS[kind])
    done = run_piiscan(
        *("mask", "team.txt", "-o", "out", "--policy", "gdpr", "--key", key_file(tmp_path)), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    masked = (tmp_path / "out").read_text()
    assert not [value for row in PEOPLE for value in row if value in masked]
    assert masked.count("\n") == TEXTS[kind].count("\n") and masked.count("|") == TEXTS[kind].count("|")
    for line, was in zip(masked.splitlines(), TEXTS[kind].splitlines(), strict=True):
        assert line == was or any(value in was for row in PEOPLE for value in row) or "Davis" in was


def test_other_lines_are_text_with_their_numbers(tmp_path: Path) -> None:
    text = f"{TEXTS['markdown']}\nWrite to ann@corp.org or bob@corp.org\n"
    (lines,) = [t for t in piiscan.scan(write(tmp_path, text)).tables if t.table is None]
    assert lines.is_text
    assert [(i.entity, i.cells, i.first_rows) for i in lines.columns[0].inside if i.entity == "EMAIL_ADDRESS"] == [
        ("EMAIL_ADDRESS", 1, (text.splitlines().index("Write to ann@corp.org or bob@corp.org"),))
    ]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("| Surname |\n|---|\n| Kernweiler |\n", {"Surname": "LAST_NAME"}),
        ("+---+\n| surname |\n+---+\n| Kernweiler |\n+---+\n1 row in set\n", {"surname": "LAST_NAME"}),
        ("+---+---+\n| Linda Davis | 13.11.1961 |\n+---+---+\n", {None: "PERSON"}),
        ("+---+---+\n| Linda Davis | Bath |\n+---+---+\n| Mary Smith | Rome |\n+---+---+\n", {None: "PERSON"}),
        ("+---+---+\n| Linda Davis | 13.11.1961 |\n| Mary Smith | 2.4.1970 |\n+---+---+\n", {None: "PERSON"}),
    ],
    ids=["a column", "a box", "a row", "a grid", "rows"],
)
def test_few_cells_and_no_header(tmp_path: Path, text: str, columns: dict[str | None, str]) -> None:
    table = piiscan.scan(write(tmp_path, text)).tables[1]
    assert {table.columns[0].name: table.columns[0].entity} == columns


def test_bars_within_cells(tmp_path: Path) -> None:
    rows = [f"| oak \\| ash {i} | ann{i}@corp.org |" for i in range(5)]
    write(tmp_path, "\n".join(["| wood | mail |", "|---|---|", *rows, ""]))
    done = run_piiscan("mask", "team.txt", "-o", "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    masked = (tmp_path / "out").read_text().splitlines()
    assert all(line.startswith(f"| oak \\| ash {i} | ") and "@corp" not in line for i, line in enumerate(masked[2:]))


@pytest.mark.parametrize(
    "text",
    [
        "a | b\n1 | 2\n3 | 4\n",
        "a|b\n---\nc\n",
        "left | right\n",
        "-----+-----\n",
        'id,note\n1,"see\n| a | b |\n|---|---|\n| x | y |\n"\n2,none\n3,"more\nlines"\n',
    ],
)
def test_other_texts_stay_what_they_are(tmp_path: Path, text: str) -> None:
    assert {t.format for t in piiscan.scan(write(tmp_path, text)).tables} <= {"csv", "text"}


def test_a_named_delimiter_decides(tmp_path: Path) -> None:
    path = write(tmp_path, "\n".join(["Name|Mail", "---|---", *(f"{a}|{b}" for a, b, _ in PEOPLE), ""]))
    done = run_piiscan("scan", path, "--delimiter", "|", "-f", "json", cwd=tmp_path)
    assert '"format": "csv"' in done.stdout


@pytest.mark.parametrize(
    "text", ["|a|b|\n|-|-|\n", "|a|b|\n|--|--|", "|a|b|\n|--|--|\n||\n", "||\n|--|\n", "| | |\n|--|--|\n|x|y|\n"]
)
def test_odd_tables_are_read_to_their_end(tmp_path: Path, text: str) -> None:
    report = piiscan.scan(write(tmp_path, text + "\nann@corp.org\n"))
    assert report.complete and "EMAIL_ADDRESS" in {f.entity for f in report.findings}


def test_a_header_without_a_row_is_text(tmp_path: Path) -> None:
    report = piiscan.scan(write(tmp_path, "| wood | ann@corp.org |\n|---|---|\n\nThe end.\n"))
    assert "EMAIL_ADDRESS" in {f.entity for f in report.findings}
