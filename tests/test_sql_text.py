"""Statements of SQL below any ending, but for those with rows, are lines of text that `mask` doesn't write again."""

from __future__ import annotations

from pathlib import Path

import pytest
from mask_people import key_file

import piiscan

STATEMENTS = {
    "insert on several lines": "INSERT INTO people\n  (id, -- a number\n   name)\nVALUES\n  ({i}, 'Xavier Walsh');",
    "insert of what is selected": "INSERT INTO people SELECT {i}, 'Xavier Walsh'",
    "insert by names": "INSERT INTO people SET id = {i}, name = 'Xavier Walsh';",
    "insert all": "INSERT ALL\n  INTO people VALUES ({i}, 'Xavier Walsh')\nSELECT * FROM dual;",
    "insert overwrite": "INSERT OVERWRITE TABLE people PARTITION (day='1') VALUES ({i}, 'Xavier Walsh');",
    "upsert": "UPSERT INTO people VALUES ({i}, 'Xavier Walsh');",
    "merge by key": "MERGE INTO people KEY(id) VALUES ({i}, 'Xavier Walsh');",
    "merge of rows": "MERGE INTO people AS t USING (VALUES ({i}, 'Xavier Walsh')) AS s (id, name) ON t.id = s.id",
    "merge of a table": "MERGE people t USING new ON t.id = {i} WHEN MATCHED THEN UPDATE SET name = 'Xavier Walsh';",
    "update": "UPDATE people SET name='Xavier Walsh' WHERE id={i};",
    "update of an alias": "update [dbo].[people] as p set [name] = N'Xavier Walsh' where id = {i}",
    "delete": "DELETE FROM people WHERE id = {i} AND name = 'Xavier Walsh';",
    "create": "CREATE TABLE people{i} (id int, name text DEFAULT 'Xavier Walsh');",
    "alter": "ALTER TABLE ONLY public.people{i} ADD COLUMN a text DEFAULT 'Xavier Walsh';",
    "load": "LOAD DATA LOCAL INFILE 'Xavier Walsh {i}.csv' INTO TABLE people;",
}
TOPS = {
    "": "",
    "comments": "-- made by hand, of 3\n/* and\n by me */\n\n",
    "settings": "BEGIN;\nSET NAMES utf8, x = 1;\nUSE [shop]\nGO\n",
}


def refused(path: Path) -> bool:
    """Whether the file is left out for its statements."""
    plan, key = piiscan.plan(path), piiscan.Key.from_file(path.with_name("key"))
    try:
        piiscan.mask(path, plan, key, output=path.with_name("out"), overwrite=True)
    except piiscan.ReadError as error:
        assert "SQL, whose statements aren't read as tables" in str(error)
        return True
    return False


def kind(path: Path) -> tuple[str, int]:
    """What a scan reads, and how many columns."""
    table, *_ = piiscan.scan(path).to_dict()["tables"]
    return table["format"], len(table["columns"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the key is, and vaults of plans that nobody keeps."""
    key_file(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_are_recognised(tmp_path: Path, name: str) -> None:
    path = tmp_path / "people.txt"
    text = "\n".join(STATEMENTS[name].format(i=i) for i in range(30)) + "\n"
    for top in TOPS.values():
        path.write_text(top + text, encoding="utf-8")
        assert refused(path), top
    assert kind(path) == ("text", 1)


@pytest.mark.parametrize("name", ["people.txt", "people.dump", "people", "people.csv"])
def test_rows_to_copy(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{i}\tXavier Walsh\tx{i}@firm.com\n" for i in range(40))
    path = tmp_path / name
    path.write_text(f"COPY public.people (id, name, mail) FROM stdin;\n{rows}\\.\n", encoding="utf-8")
    assert not refused(path) and kind(path) == ("sql", 3)
    masked = (tmp_path / "out").read_text(encoding="utf-8")
    assert "firm.com" not in masked and "Walsh" not in masked


def test_it_is_read_as_one_that_is_named_sql(tmp_path: Path) -> None:
    found = []
    for name in ("people.sql", "people.txt"):
        path = tmp_path / name
        path.write_text("INSERT people VALUES (1, 'Xavier Walsh', 'x@firm.com');\n" * 30, encoding="utf-8")
        found.append([{**table, "source": ""} for table in piiscan.scan(path).to_dict()["tables"]])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "words",
    [
        "Update people set in their ways",
        "Insert coin (a quarter) to play",
        "Insert into slot (left, then right)",
        "Merge lanes using care on bends",
        "Delete from list where needed",
        "Replace into the drawer (second)",
        "Load data into the cache",
        "Alter table manners",
    ],
)
def test_prose_is_no_statement(tmp_path: Path, words: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("".join(f"{words}, says x{i}@firm.com\n" for i in range(30)), encoding="utf-8")
    assert not refused(path) and (tmp_path / "out").read_text(encoding="utf-8").count(words) == 30


@pytest.mark.parametrize("name", ["queries.csv", "queries.txt"])
@pytest.mark.parametrize(
    "row",
    [
        "DELETE FROM people WHERE id = {i},12,x{i}@firm.com",
        "INSERT INTO people SELECT {i},12,x{i}@firm.com",
        '"INSERT INTO people (id, name)\nVALUES ({i}, 2)",12,x{i}@firm.com',
        '"SELECT 1;\nINSERT INTO people\nVALUES ({i}, 2);",12,x{i}@firm.com',
    ],
)
def test_cells_that_hold_queries(tmp_path: Path, name: str, row: str) -> None:
    path = tmp_path / name
    rows = "".join(row.format(i=i) + "\n" for i in range(60))
    path.write_text("query,milliseconds,mail\n" + rows, encoding="utf-8")
    assert not refused(path) and "firm.com" not in (tmp_path / "out").read_text(encoding="utf-8")
    assert kind(path) == ("csv", 3)
