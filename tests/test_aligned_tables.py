"""Tables whose columns stand below each other are read as tables, and masked so that they still do."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from mask_people import key_file
from mask_people import piiscan as run

import piiscan
from piiscan.core.display_width import width

GIVEN = "Hannelore Giuseppe Siobhan Katarzyna Thandeka Jens Marta Aoife Bogdan Ines Yusuf Petra".split()
FAMILIES = (
    "Kernweiler Dobrzanek Okwumabua Strellhorn Quistgaard Zwirnmann Marangoni Gallagher Wojcik Brandt Demir Oyelaran"
).split()
HEADER = ("id", "name", "mail", "born")
PEOPLE = [
    (str(7 * i + 3), f"{given} {family}", f"{family.lower()}@gmx.de", f"19{40 + 5 * i}-0{1 + i % 9}-1{i % 9}")
    for i, (given, family) in enumerate(zip(GIVEN, FAMILIES, strict=True))
]
WIDTHS = [max(len(row[i]) for row in (HEADER, *PEOPLE)) for i in range(len(HEADER))]
Row = tuple[str, ...]


def line(row: Row, blanks: int, right: str = "") -> str:
    cells = [
        cell.rjust(width) if str(i) in right else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(row, WIDTHS, strict=True))
    ]
    return (" " * blanks).join(cells).rstrip()


def ruler(mark: str, blanks: int, widths: list[int] = WIDTHS) -> str:
    return (" " * blanks).join((mark * n).ljust(width) for n, width in zip(widths, WIDTHS, strict=True)).rstrip()


def lines(*some: str) -> str:
    return "\n".join(some) + "\n"


TEXTS = {
    "a report": lines(line(HEADER, 3), *(line(row, 3) for row in PEOPLE)),
    "R and pandas": lines(line(HEADER, 1, "0123"), *(line(row, 1, "0123") for row in PEOPLE)),
    "sqlcmd": lines(line(HEADER, 1), ruler("-", 1), *(line(row, 1) for row in PEOPLE), "", "(12 rows affected)"),
    "db2": lines("", line(HEADER, 1, "0"), ruler("-", 1), *(line(row, 1, "0") for row in PEOPLE), "  12 record(s)"),
    "powershell": lines(
        "", line(HEADER, 1, "0"), line(("--", "----", "----", "----"), 1, "0"), *(line(row, 1, "0") for row in PEOPLE)
    ),
    "sqlplus": lines(
        "SQL> SELECT * FROM people;", "", line(HEADER, 1), ruler("-", 1), *(line(row, 1) for row in PEOPLE[:6]), "",
        line(HEADER, 1), ruler("-", 1), *(line(row, 1) for row in PEOPLE[6:]), "", "12 rows selected.",
    ),
    "rst": lines(
        "Team", "====", "", "Ask Linda Davis first.", "", ruler("=", 2), line(HEADER, 2), ruler("=", 2),
        *(line(row, 2) for row in PEOPLE), ruler("=", 2), "", "The end.",
    ),
}  # fmt: skip


WIDE = [("氏名", "年齢", "都市", "電話")]
WIDE += [("深沼津 由美子", "34", "大阪 北区", "090-4463-5526"), ("星川内 翔太", "28", "東京 港区", "080-0146-5661")]
WIDE += [("鹿毛山 彩花", "41", "名古屋 中区", "080-2983-5256"), ("Bela Kern", "9", "福岡", "070-1111-2222")]


def wide(by_width: bool, mark: str) -> str:
    """A table of wide characters, padded by columns of a terminal, or by characters."""
    size = width if by_width else len
    rows = [
        " ".join(cell + " " * (n - size(cell)) for cell, n in zip(row, (14, 5, 12, 13), strict=True)) for row in WIDE
    ]
    rows[1:1] = [" ".join(mark * n for n in (14, 5, 12, 13))] if mark else []
    return lines(*(row.rstrip() for row in rows))


@pytest.mark.parametrize("by_width", [True, False])
@pytest.mark.parametrize("mark", ["-", "=", ""])
def test_columns_of_wide_characters_stand_below_each_other_on_a_terminal_too(
    tmp_path: Path, by_width: bool, mark: str
) -> None:
    path = write(tmp_path, wide(by_width, mark))
    table = read(path)
    assert [column.name for column in table.columns] == list(WIDE[0])
    assert [c.entity for c in table.columns] == ["PERSON", "AGE", "CITY", "PHONE_NUMBER"] and table.rows == 4
    made = tmp_path / "out.txt"
    piiscan.mask(path, piiscan.plan(path), key_file(tmp_path), output=made)
    masked = made.read_text("utf-8").splitlines()
    assert not any(name in "\n".join(masked) for name, *_ in WIDE[1:])
    size = width if by_width else len
    assert {size(line[: line.index(row[2])]) for line, row in zip(masked[-4:], WIDE[1:], strict=True)} == {21}
    assert masked[0].split()[-1] == "電話"


def write(folder: Path, text: str, name: str = "team.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def read(path: Path) -> piiscan.TableReport:
    [table] = [table for table in piiscan.scan(path).tables if table.table]
    return table


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize(("end", "name"), [("\n", "team.txt"), ("\r\n", "team"), ("\n", "team.log")])
def test_they_are_tables(tmp_path: Path, kind: str, end: str, name: str) -> None:
    table = read(write(tmp_path, TEXTS[kind].replace("\n", end), name))
    assert (table.rows, [c.name for c in table.columns]) == (len(PEOPLE), list(HEADER))
    assert [c.entity for c in table.columns] == ["PERSON_ID", "PERSON", "EMAIL_ADDRESS", "DATE_OF_BIRTH"]


def test_text_around_them_is_read_too(tmp_path: Path) -> None:
    tables = piiscan.scan(write(tmp_path, TEXTS["rst"])).tables
    assert [t.table for t in tables] == [None, "table 1"]
    assert [found.entity for found in tables[0].columns[0].inside] == ["PERSON"]
    assert [t.table for t in piiscan.scan(write(tmp_path, TEXTS["a report"])).tables] == ["table 1"]


@pytest.mark.parametrize("kind", TEXTS)
def test_masks_keep_columns_below_each_other(tmp_path: Path, kind: str) -> None:
    source, plan, target = write(tmp_path, TEXTS[kind]), tmp_path / "plan.toml", tmp_path / "out.txt"
    run("plan", source, "-o", plan)
    run("mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path))
    text = target.read_text(encoding="utf-8")
    assert not any(row[1] in text or row[2] in text for row in PEOPLE)
    before, after = read(source), read(target)
    assert (after.rows, [c.name for c in after.columns]) == (before.rows, [c.name for c in before.columns])
    masked = [one for one in text.splitlines() if "@" in one]
    assert len(masked) == len(PEOPLE)
    # The last column begins at the same place; each page of SQL*Plus is a table of its own.
    assert len({one.rindex(" 19") for one in masked}) <= (2 if kind == "sqlplus" else 1)


def test_rows_may_be_left_out_and_cells_emptied(tmp_path: Path) -> None:
    source, target = write(tmp_path, TEXTS["sqlcmd"]), tmp_path / "out.txt"
    plan = tmp_path / "plan.toml"
    run("plan", source, "-o", plan)
    text = plan.read_text(encoding="utf-8")
    start = text.index("\nname = {")
    stop = text.index("\n", start + 1)
    plan.write_text(text[:start] + '\nname = {operator = "suppress"}' + text[stop:], encoding="utf-8")
    run("mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path))
    table = read(target)
    assert (table.rows, [c.name for c in table.columns]) == (len(PEOPLE), list(HEADER))
    assert table.columns[1].nulls == len(PEOPLE)


NONE = {
    "prose": lines(*["We met  on a  Monday and  talked about the  plans for the  year and what  comes next."] * 3),
    "a poem": lines(
        "The road  goes on  and never ends,",
        "The sky   is wide  above the bends,",
        "And so we walk  with heavy feet,",
        "To where  the land  and water meet.",
    ),
    "labels": lines("Room:        East Wing", "Telephone:   0171 5558213", "City:        Bath", "Age:         44"),
    "headings": lines(
        "Release notes", "-------------", "", "First  things", "------------", "", "None  at all.", "x  y"
    ),
    "no header": lines(*(line((row[1], "Bad Ems", row[2], row[3]), 3) for row in PEOPLE)),
}


@pytest.mark.parametrize("kind", NONE)
def test_other_texts_stay_texts(tmp_path: Path, kind: str) -> None:
    assert {t.format for t in piiscan.scan(write(tmp_path, NONE[kind])).tables} <= {"text", "csv"}


def test_lines_with_many_blanks_are_read_once(tmp_path: Path) -> None:
    # Each place of two blanks is a way to match a line: tried in all combinations, these three lines take hours.
    text = lines(*["one  more  word" * 300] * 3, "and a line without any")
    [table] = piiscan.scan(write(tmp_path, text)).tables
    assert (table.format, table.rows) == ("text", 4)


def test_rows_that_do_not_fit_are_lines_of_text(tmp_path: Path) -> None:
    text = TEXTS["sqlcmd"].replace(
        "\n\n(", "\nAsk Linda Davis first, she said, before you change anything in this list.\n\n("
    )
    tables = piiscan.scan(write(tmp_path, text)).tables
    assert [(t.table, t.rows) for t in tables] == [(None, 17), ("table 1", len(PEOPLE))]
    assert "PERSON" in {found.entity for found in tables[0].columns[0].inside}


def test_cells_may_be_wider_than_those_above(tmp_path: Path) -> None:
    rows = [(str(9 * i), f"{GIVEN[i % 12]} {FAMILIES[i % 7]}", f"{i**2}") for i in range(1500)]
    text = lines("id           name                         points", *(f"{a:<12} {b:<24} {c:>10}" for a, b, c in rows))
    table = read(write(tmp_path, text))
    assert (table.rows, [c.name for c in table.columns]) == (len(rows), ["id", "name", "points"])
    assert [c.nulls for c in table.columns] == [0, 0, 0]


def test_what_frames_print_is_read_as_they_are(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(PEOPLE, columns=list(HEADER))
    for index in (True, False):
        table = read(write(tmp_path, frame.to_string(index=index) + "\n"))
        assert [c.name for c in table.columns][-4:] == list(HEADER)
        assert table.rows == len(frame)
    assert pl.DataFrame(PEOPLE, orient="row").height == len(frame)
