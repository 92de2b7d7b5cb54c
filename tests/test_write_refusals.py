"""Refusals of databases name the constraint and its columns, and no value."""

from __future__ import annotations

import sqlite3
from typing import Any

import duckdb
import pytest

from piiscan.core.types import Field, TableInfo
from piiscan.io.write.refusals import refused

TABLE = (
    "CREATE TABLE people (id INTEGER PRIMARY KEY, email VARCHAR UNIQUE, name VARCHAR NOT NULL, age INTEGER CHECK (age "
    "> 0), a VARCHAR, b VARCHAR, UNIQUE (a, b))"
)
FIRST = "INSERT INTO people VALUES (1, 'needle@x.org', 'needle', 1, 'needle, b: needle', 'needle')"
INFO = TableInfo("shop.db", "people", "x", True, tuple(map(Field, ("id", "email", "name", "age", "a", "b"))))
REFUSED = {
    "1, 'm', 'n', 2, 'a', 'b'": ("the UNIQUE constraint of column id", "the primary key of column id"),
    "2, 'needle@x.org', 'n', 2, 'a', 'b'": ("the UNIQUE constraint of column email",) * 2,
    "2, 'm', NULL, 2, 'a', 'b'": ("the NOT NULL constraint of column name",) * 2,
    "2, 'm', 'n', -7, 'a', 'b'": ("the CHECK constraint of column age",) * 2,
    "2, 'm', 'n', 2, 'needle, b: needle', 'needle'": (
        "the UNIQUE constraint of columns a, b",
        "the UNIQUE constraint of column a",
    ),
}


@pytest.mark.parametrize("values", REFUSED)
@pytest.mark.parametrize("at", [0, 1], ids=["SQLite", "DuckDB"])
def test_a_refusal_names_no_value(values: str, at: int) -> None:
    base: Any = (sqlite3, duckdb)[at].connect(":memory:")
    base.execute(TABLE)
    base.execute(FIRST)
    with pytest.raises((sqlite3.IntegrityError, duckdb.ConstraintException)) as error:
        base.execute(f"INSERT INTO people VALUES ({values})")
    said = str(refused(INFO, str(error.value)))
    base.close()
    assert said.startswith(f"shop.db, people: {REFUSED[values][at]} refuses the new values; ") and "needle" not in said


def test_a_name_that_tells_of_somebody_is_a_number() -> None:
    info = INFO._replace(fields=(Field("anna.kowalski@firm.com"),))
    said = str(refused(info, "NOT NULL constraint failed: people.anna.kowalski@firm.com"))
    assert "constraint of column 0 refuses" in said and "kowalski" not in said
