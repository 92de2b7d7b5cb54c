"""Columns that a database declares to hold keys of a table about persons are keys of persons."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan

SCHEMA = (
    "create table staff(id integer primary key, first_name text, last_name text, email text)",
    "create table products(id integer primary key, title text, price real)",
    "create table visits(nr integer primary key, who integer references staff(id), "
    "what integer references products(id), email text, priority integer)",
)


def filled(connection: Any, schema: tuple[str, ...] = SCHEMA) -> None:
    for statement in schema:
        connection.execute(statement)
    for i in range(1, 201):
        connection.execute("insert into staff values(?, 'Ada', 'Berg', ?)", (i, f"a{i}@mail.example"))
        connection.execute("insert into products values(?, ?, ?)", (i, f"Lamp {i}", i / 7))
    for i in range(1, 201):
        row = (i, i * 7 % 200 + 1, i * 11 % 200 + 1, f"b{i}@mail.example", i % 3)
        connection.execute("insert into visits values(?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()


def database(folder: Path, kind: str, schema: tuple[str, ...] = SCHEMA) -> Path:
    path = folder / f"shop.{kind}"
    filled(sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(str(path)), schema)
    return path


def columns(path: Path) -> dict[str, piiscan.ColumnReport]:
    (table,) = (t for t in piiscan.scan(path).tables if t.table == "visits")
    return {str(c.name): c for c in table.columns}


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_keys_of_persons_are_personal_and_keys_of_things_are_not(kind: str, tmp_path: Path) -> None:
    found = columns(database(tmp_path, kind))
    assert (found["who"].entity, found["who"].pii) == ("PERSON_ID", "quasi")
    assert any("keys of a table about persons" in (reason.text or "") for reason in found["who"].reasons)
    assert found["what"].pii == found["priority"].pii == "none"


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_without_the_declaration_nothing_else_changes(kind: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = tuple(statement.replace(" references staff(id)", "") for statement in SCHEMA)
    declared, bare = columns(database(tmp_path, kind)), columns(database(tmp_path / "plain", kind, plain))
    assert bare["who"].pii == "none"
    assert {n: c for n, c in declared.items() if n != "who"} == {n: c for n, c in bare.items() if n != "who"}


def test_a_class_is_only_raised(tmp_path: Path) -> None:
    """An address that is a key, too, stays an address; and what the other table holds makes no difference."""
    schema = (
        "create table staff(id integer, first_name text, last_name text, email text primary key)",
        *SCHEMA[1:2],
        SCHEMA[2].replace("email text", "email text references staff(email)").replace("staff(id)", "staff"),
    )
    path = database(tmp_path, "sqlite", schema)
    found = columns(path)
    (tmp_path / "plain").mkdir()
    bare = tuple(statement.replace(" references staff(email)", "") for statement in schema)
    assert found["email"].entity == "EMAIL_ADDRESS"
    assert found["email"] == columns(database(tmp_path / "plain", "sqlite", bare))["email"]
    with sqlite3.connect(path) as connection:
        connection.execute("delete from staff")
    assert columns(path)["who"] == found["who"]


@pytest.mark.parametrize("target", ["nowhere", "visits"])
def test_odd_declarations_do_no_harm(target: str, tmp_path: Path) -> None:
    """Of a table that isn't there, and of the table itself."""
    schema = (*SCHEMA[:2], SCHEMA[2].replace("staff(id)", f"{target}(nr)").replace("products(id)", "products"))
    found = columns(database(tmp_path, "sqlite", schema))
    assert found["who"].pii == "none"


def test_a_key_of_few_people_is_masked_and_the_command_says_what_that_reveals(tmp_path: Path) -> None:
    """Otherwise tables wouldn't join; a plan that a person wrote without saying so is refused."""
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.execute("create table staff(id integer primary key, first_name text, email text)")
    connection.execute("create table payments(nr integer primary key, who integer not null references staff(id))")
    connection.executemany("insert into staff values(?, ?, ?)", [(1, "Ada", "a@corp.org"), (2, "Ivo", "i@corp.org")])
    connection.executemany("insert into payments values(?, ?)", [(i, 1 + i % 3 // 2) for i in range(1, 400)])
    connection.commit()
    connection.close()
    key = key_file(tmp_path)  # the same each time: with few others one of two names stays by chance
    done = run_piiscan("mask", "shop.sqlite", "-o", "out.sqlite", "--key", key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "who" in done.stderr and "how often each occurs" in done.stderr
    with closing(sqlite3.connect(tmp_path / "out.sqlite")) as masked:
        joined = masked.execute("select count(*) from payments join staff on who = id").fetchone()
        assert joined == (399,)
        assert masked.execute("select count(*) from staff where id in (1, 2)").fetchone() != (2,)
    plan = run_piiscan("plan", "shop.sqlite", "-o", "plan.toml", cwd=tmp_path)
    assert plan.returncode == 0, plan.stderr
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert "accept_frequency = true" in text
    (tmp_path / "plan.toml").write_text(text.replace("accept_frequency = true", "accept_frequency = false"))
    refused = run_piiscan("mask", "shop.sqlite", "--plan", "plan.toml", "-o", "no.sqlite", "--key", key, cwd=tmp_path)
    assert refused.returncode == 2
    assert "shop.sqlite, table payments: column who has only 2 different masks" in refused.stderr
    assert not (tmp_path / "no.sqlite").exists()


@pytest.mark.parametrize("kept_by", ["id integer primary key", "id text primary key", "id integer"])
def test_rows_are_checked_where_the_database_keeps_them(kept_by: str, tmp_path: Path) -> None:
    """SQLite keeps rows in the order of such a key, so that they lie in another order when it was masked."""
    without = " without rowid" if "text" in kept_by else ""
    with closing(sqlite3.connect(tmp_path / "in.sqlite")) as connection:
        connection.execute(f"create table patients({kept_by}, first_name text, last_name text, tag text){without}")
        for i in range(200):
            last = "".join("abcdefghij"[int(c)] for c in f"{i * 7919 % 1000:03}").title() + "ow"
            key = str(700_001 + 13 * i) if "text" in kept_by else 700_001 + 13 * i
            connection.execute("insert into patients values(?, 'Ada', ?, ?)", (key, last, last))
        connection.commit()
    plan, masked = tmp_path / "plan.toml", tmp_path / "out.sqlite"
    assert run_piiscan("plan", tmp_path / "in.sqlite", "-o", plan).returncode == 0
    text = plan.read_text(encoding="utf-8")
    call = ["mask", tmp_path / "in.sqlite", "--plan", plan, "-o", masked, "--key", key_file(tmp_path)]
    lines = [line for line in text.splitlines() if not line.startswith("tag = ")]
    kept = 'tag = {operator = "keep", decided_by = "human"}'
    plan.write_text("\n".join([*lines, kept]), encoding="utf-8")
    done = run_piiscan(*call)
    assert done.returncode == 5 and "tag: nothing of the row's own person is left" in done.stderr
    plan.write_text("\n".join([*lines, kept.replace("keep", "suppress")]), encoding="utf-8")
    assert run_piiscan(*call).returncode == 0
    check = ["verify", tmp_path / "in.sqlite", masked, "--plan", plan]
    assert run_piiscan(*check, "--key", key_file(tmp_path)).returncode == 0
    alone = run_piiscan(*check)
    assert alone.returncode == (0 if kept_by == "id integer" else 3)
    assert ("name it with --key" in alone.stderr) == (kept_by != "id integer")
