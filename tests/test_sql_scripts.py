"""Scripts of INSERTs, as people and tools write them without a dump's marks: rows of tables where every one can be
read, and lines of text where not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import run_piiscan
from hypothesis import given
from hypothesis import strategies as st
from mask_people import key_file

import piiscan
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.read_options import ReadOptions

_NAMES = "Ann O'Brien,Paul Walsh,Mary Keller,Tom Fischer,Lucy Adams,Mark Novak,Jane Moreno,Peter Lind,Eva Rossi".split(
    ","
)
PEOPLE = [(70 + i, name, f"{name[:3].lower()}{i}@firm.com", f"19{60 + i}-03-1{i}") for i, name in enumerate(_NAMES)]
SCRIPTS = {
    "by hand": (
        "-- seeds\nCREATE TABLE people (id int, name text, email text, born date);\n\n",
        "INSERT INTO people VALUES ({0}, '{1}', '{2}', '{3}');\n",
        "COMMIT;\n",
    ),
    "without its last semicolon": (
        "",
        "insert into people (id, name, email, born) values ({0},'{1}','{2}','{3}');\n",
        "",
    ),
    "SQL Server": (
        "USE [Shop]\r\nGO\r\nSET IDENTITY_INSERT [dbo].[people] ON\r\n",
        "INSERT [dbo].[people] ([id], [name], [email], [born]) VALUES ({0}, N'{1}', N'{2}', CAST(N'{3}' AS Date))\r\n",
        "GO\r\nSET IDENTITY_INSERT [dbo].[people] OFF\r\nGO\r\n",
    ),
    "SQL Server with semicolons": (
        "SET NOCOUNT ON\r\n",
        "INSERT INTO dbo.people (id, name, email, born) VALUES ({0}, N'{1}', N'{2}', '{3}');\r\n",
        "",
    ),
    "Oracle": (
        "REM INSERTING into PEOPLE\nSET DEFINE OFF;\n",
        "Insert into PEOPLE (ID,NAME,EMAIL,BORN) values ({0},'{1}','{2}',to_date('{3}','YYYY-MM-DD'));\n",
        "",
    ),
    "PostgreSQL": (
        "BEGIN;\n",
        'INSERT INTO "public"."people" ("id", "name", "email", "born") '
        "VALUES ({0}, '{1}', '{2}'::text, DATE '{3}');\n",
        "COMMIT;\n",
    ),
    "MySQL": (
        "/* export */\n",
        "REPLACE INTO `shop`.`people` (`id`, `name`, `email`, `born`) VALUES ({0}, '{4}', '{2}', '{3}');\n",
        "",
    ),
    "conflicts": (
        "",
        "INSERT INTO people (id, name, email, born) VALUES ({0}, '{1}', '{2}', '{3}') ON CONFLICT DO NOTHING;\n",
        "",
    ),
}  # fmt: skip


def script(name: str) -> str:
    top, row, end = SCRIPTS[name]
    rows = [row.format(i, n.replace("'", "''"), m, b, n.replace("'", "\\'")) for i, n, m, b in PEOPLE]
    text = top + "".join(rows) + end
    return text.rstrip(";\n") if name == "without its last semicolon" else text


def tables(path: Path) -> dict[str | None, list[tuple[str | None, ...]]]:
    """The cells of every table as texts; nothing may be unread."""
    found: dict[str | None, list[tuple[str | None, ...]]] = {}
    for table in inputs.discover([str(path)], ReadOptions()):
        assert isinstance(table, ReadTable), table
        rows = [row for batch in table.batches() for row in batch.frame.rows()]
        found[table.info.table] = [tuple(None if cell is None else str(cell) for cell in row) for row in rows]
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key_file(tmp_path)
    monkeypatch.chdir(tmp_path)


def masked(path: Path, policy: str = "default") -> bytes:
    out = path.with_name("out")
    plan, key = piiscan.plan(path, policy=policy), piiscan.Key.from_file(path.with_name("key"))
    piiscan.mask(path, plan, key, output=out, overwrite=True)
    return out.read_bytes()


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_rows_are_rows_of_tables(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / "seed.sql"
    path.write_bytes(script(name).encode(encoding))
    found = tables(path)
    (people,) = [rows for table, rows in found.items() if table is not None and table.lower().endswith("people")]
    assert people == [tuple(map(str, row)) for row in PEOPLE]
    columns = {c.entity for t in piiscan.scan(path).tables for c in t.columns if t.format == "sql"}
    assert {"PERSON", "EMAIL_ADDRESS", "DATE_OF_BIRTH"} <= columns


@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_masking_changes_cells_and_nothing_else(tmp_path: Path, name: str, policy: str) -> None:
    path = tmp_path / "seed.sql"
    path.write_bytes(script(name).encode())
    out = masked(path, policy).decode()
    assert not re.search(r"Brien|Walsh|Novak|firm\.com", out)
    dates = re.findall(r"'(\d{4}-\d\d-\d\d)'", out)
    assert [date[:4] for date in dates] == [row[3][:4] for row in PEOPLE]
    assert (dates == [row[3] for row in PEOPLE]) == (policy == "default")
    cells = re.compile(r"N?'(?:[^'\\]|''|\\.)*'(?:::text)?|\bNULL\b|(?<=\()\d+")
    assert cells.sub("?", out) == cells.sub("?", script(name))


def test_types_named_beside_strings_stay(tmp_path: Path) -> None:
    path = tmp_path / "seed.sql"
    path.write_bytes(script("SQL Server").encode())
    assert len(re.findall(rb"N'[^']*', N'[^']*', CAST\(N'19\d\d-01-01' AS Date\)\)\r\n", masked(path, "gdpr"))) == 9


NO_TABLES = {
    "an update": "UPDATE people SET name = 'Xavier Walsh';\n",
    "rows that are selected": "INSERT INTO people SELECT 1, 'Xavier Walsh', 'x', 'y';\n",
    "other columns": "INSERT INTO people (name, id) VALUES ('Xavier Walsh', 7);\n",
    "a row of another width": "INSERT INTO people (id, name, email, born) VALUES (7, 'Xavier Walsh');\n",
    "an update of conflicts": (
        "INSERT INTO people (id, name, email, born) VALUES (7, 'Walsh', 'x', 'y') "
        "ON CONFLICT (id) DO UPDATE SET name = 'X';\n"
    ),
    "what comes back": "INSERT INTO people (id, name, email, born) VALUES (7, 'X. Walsh', 'x', 'y') RETURNING id;\n",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON a BEGIN\nINSERT INTO log VALUES ('Xavier Walsh');\nEND;\n",
    "no semicolon before rows": "GRANT ALL ON people TO walsh\nINSERT INTO people VALUES (9, 'Xavier');\n",
    "quotes that don't end": "INSERT INTO people (id, name, email, born) VALUES (7, 'Xavier Walsh, 'x', 'y');\n",
    "half a row": "INSERT INTO people (id, name, email, born) VALUES (7, 'Xavier Wal",
    "words behind a row": "INSERT INTO people (id, name, email, born) VALUES (7, 'Walsh', 'x', 'y') of Xavier;\n",
}


@pytest.mark.parametrize("name", NO_TABLES)
@pytest.mark.parametrize("top", ["PostgreSQL", "SQL Server"])
def test_what_cannot_be_read_as_rows_is_text_and_not_masked(tmp_path: Path, name: str, top: str) -> None:
    path = tmp_path / "seed.sql"
    more = NO_TABLES[name].replace("INTO people", "INTO dbo.people") if top == "SQL Server" else NO_TABLES[name]
    path.write_bytes((script(top) + more).encode())
    report = piiscan.scan(path)
    assert report.complete and [(t.format, t.table) for t in report.tables] == [("text", None)]
    with pytest.raises(piiscan.ReadError, match="SQL, whose statements aren't read as tables"):
        masked(path)


@pytest.mark.parametrize("value", ["nextval('people_seq')", "'a' || 'b'", "(SELECT 1)", "DEFAULT"])
def test_expressions_stay(tmp_path: Path, value: str) -> None:
    path = tmp_path / "seed.sql"
    names = [row[1].replace("O'", "") for row in PEOPLE]
    rows = [f"INSERT INTO people (k, name) VALUES ({value}, '{name}');\n" for name in names]
    path.write_text("".join(rows))
    seen = None if value == "DEFAULT" else value
    assert tables(path)["people"] == [(seen, name) for name in names]
    out = masked(path).decode()
    assert out.count(f"({value}, '") == 9 and "Walsh" not in out


def test_a_stream_of_a_script_is_masked(tmp_path: Path) -> None:
    text = script("by hand")
    done = run_piiscan("mask", "-", "-o", "-", "--key", f"file:{tmp_path / 'key'}", stdin=text.encode(), cwd=tmp_path)
    assert done.returncode == 0 and "Brien" not in done.stdout and done.stdout.count("INSERT INTO people") == 9


_CELLS = st.one_of(
    st.none(),
    st.integers(-99, 10**9),
    st.text("aZë'\\;(),\n\"`$N -/*#%", max_size=9),
    st.sampled_from(
        ["INSERT INTO t VALUES (1)", "\nGO\n", "x\nINSERT [dbo].[t] ([a]) VALUES (", "ON CONFLICT", "$$", "--"]
    ),
)


@st.composite
def _written(draw: st.DrawFn) -> tuple[str, list[tuple[object, ...]]]:
    """A script of one of three kinds, and its rows."""
    kind = draw(st.sampled_from(["standard", "MySQL", "SQL Server"]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[_CELLS] * width), min_size=1, max_size=6))
    names = [f"[c{i}]" if kind == "SQL Server" else f"c{i}" for i in range(width)]
    table = {"standard": "INTO people", "MySQL": "INTO `people`", "SQL Server": "[dbo].[people]"}[kind]
    words, stop = f"INSERT {table} ({', '.join(names)}) VALUES ", "" if kind == "SQL Server" else ";"
    comma = draw(st.sampled_from([",", ", "]))
    tuples = [f"({comma.join(_literal(cell, kind) for cell in row)})" for row in rows]
    if draw(st.booleans()):
        text = words + f",{draw(st.sampled_from(['', ' ', end]))}".join(tuples) + stop + end
    else:
        between = st.sampled_from(["", "", "", f"-- it's{end}", *([f"GO{end}"] if kind == "SQL Server" else [])])
        text = "".join(words + one + stop + end + draw(between) for one in tuples)
    return (text.rstrip() if draw(st.booleans()) else text), rows


def _literal(cell: object, kind: str) -> str:
    if cell is None:
        return "NULL"
    if not isinstance(cell, str):
        return str(cell)
    if kind == "MySQL":
        return "'" + cell.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"{'N' * (kind == 'SQL Server')}'{cell.replace(chr(39), chr(39) * 2)}'"


@given(_written())
def test_any_values_are_read_as_they_are(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[str, Sequence[tuple[object, ...]]]
) -> None:
    text, rows = case
    path = tmp_path_factory.mktemp("script") / "a.sql"
    path.write_bytes(text.encode())
    (found,) = [cells for table, cells in tables(path).items() if table in ("people", "dbo.people")]
    assert found == [tuple(None if cell is None else str(cell) for cell in row) for row in rows]


def test_binary_data_behind_a_script_is_reported(tmp_path: Path) -> None:
    rows = "".join(f"INSERT INTO stock VALUES ('oak', {i}, `x`);\n" for i in range(9))
    (tmp_path / "a.sql").write_bytes(rows.encode() + bytes(range(256)) * 8)
    assert not piiscan.scan(tmp_path / "a.sql").complete
