"""Columns that refer to keys of other tables are masked as these are, though nothing declares it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan

KEY = piiscan.Key(bytes(range(32)))
PEOPLE = 120
ROWS = 600
CASES = [
    ("patients", "id", "visits", "patient", 1),
    ("patients", "id", "visits", "patient", 100_001),
    ("accounts", "Id", "contacts", "AccountId", 100_001),
    ("people", "id", "visits", "person_id", 1),
    ("people", "pk", "visits", "person_fk", 100_001),
    ("users", "user_id", "posts", "author_id", 1),
]


def frames(table: str, key: str, other: str, column: str, first: int) -> dict[str, pd.DataFrame]:
    rng = random.Random(5)
    ids = [first + i for i in range(PEOPLE)]
    who = pd.DataFrame(
        {
            key: ids,
            "first_name": [rng.choice(["Anna", "Piotr", "Giulia", "Maria", "Jean"]) for _ in ids],
            "last_name": [rng.choice(["Nowak", "Schmidt", "Rossi", "Dupont", "Bauer"]) for _ in ids],
            "email": [f"somebody{i}@mailbox{i % 7}.org" for i in ids],
        }
    )
    rows = pd.DataFrame(
        {
            "nr": range(1, ROWS + 1),
            column: [rng.choice(ids) for _ in range(ROWS)],
            "total": [rng.randrange(10_000) / 100 for _ in range(ROWS)],
        }
    )
    return {table: who, other: rows}


def matches(tables: dict[str, pd.DataFrame], case: tuple[str, str, str, str, int]) -> int:
    table, key, other, column, _ = case
    return len(tables[table].merge(tables[other], left_on=key, right_on=column))


@pytest.fixture(autouse=True)
def vault_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}.{case[1]}-{case[3]}-{case[4]}")
def test_frames_of_one_plan_join_and_no_key_is_left(case: tuple[str, str, str, str, int]) -> None:
    tables = frames(*case)
    masked = piiscan.mask(tables, piiscan.plan(tables), KEY)
    assert matches(masked, case) == matches(tables, case) == ROWS
    assert (masked[case[0]][case[1]] != tables[case[0]][case[1]]).mean() > 0.9
    assert (masked[case[2]][case[3]] != tables[case[2]][case[3]]).mean() > 0.9


@pytest.mark.parametrize("case", CASES[:4], ids=lambda case: f"{case[0]}.{case[1]}-{case[3]}-{case[4]}")
def test_the_plan_is_the_same_for_any_order_of_tables(case: tuple[str, str, str, str, int]) -> None:
    tables = frames(*case)
    turned = dict(reversed(tables.items()))
    there, back = ({t.source: t for t in piiscan.plan(each).tables} for each in (tables, turned))
    assert there == back


@pytest.mark.parametrize("case", CASES[:4], ids=lambda case: f"{case[0]}.{case[1]}-{case[3]}-{case[4]}")
def test_files_of_one_folder_join(case: tuple[str, str, str, str, int], tmp_path: Path) -> None:
    tables = frames(*case)
    (tmp_path / "in").mkdir()
    for name, table in tables.items():
        table.to_csv(tmp_path / "in" / f"{name}.csv", index=False)
    done = run_piiscan("mask", "in", "-o", "out", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert matches({name: pd.read_csv(tmp_path / "out" / f"{name}.csv") for name in tables}, case) == ROWS


def database(path: Path, case: tuple[str, str, str, str, int]) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    for name, table in frames(*case).items():
        table.to_sql(name, connection, index=False)
    return connection


@pytest.mark.parametrize("kind", ["sqlite", "sql"])
@pytest.mark.parametrize("case", CASES[:4], ids=lambda case: f"{case[0]}.{case[1]}-{case[3]}-{case[4]}")
def test_tables_of_databases_join_without_declared_keys(
    case: tuple[str, str, str, str, int], kind: str, tmp_path: Path
) -> None:
    with closing(database(tmp_path / "in.sqlite", case)) as connection:
        (tmp_path / "in.sql").write_text("\n".join(connection.iterdump()), encoding="utf-8")
    done = run_piiscan("mask", f"in.{kind}", "-o", f"out.{kind}", "--key", key_file(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(tmp_path / "out.sqlite" if kind == "sqlite" else ":memory:")) as masked:
        if kind == "sql":
            masked.executescript((tmp_path / "out.sql").read_text(encoding="utf-8"))
        table, key, other, column, _ = case
        (joined,) = masked.execute(f'select count(*) from "{table}" a join "{other}" b on a."{key}" = b."{column}"')
        assert joined == (ROWS,)


def test_what_only_may_be_related_is_said_on_both_columns_and_left() -> None:
    tables = frames("people", "pk", "visits", "desk_no", 1)
    made = {t.source: {c.name: c for c in t.columns} for t in piiscan.plan(tables).tables}
    assert made["visits"]["desk_no"].operator == "keep"
    assert any("may be related to pk of people" in note for note in made["visits"]["desk_no"].notes)
    assert any("may be related to desk_no of visits" in note for note in made["people"]["pk"].notes)


def test_numbers_of_no_relation_stay() -> None:
    tables = frames("people", "id", "visits", "person_id", 1)
    tables["visits"]["priority"] = [i % 90 + 1 for i in range(ROWS)]
    made = {t.source: {c.name: c for c in t.columns} for t in piiscan.plan(tables).tables}
    assert {made["visits"][name].operator for name in ("nr", "priority", "total")} == {"keep"}


def test_a_persons_decision_stays_and_both_columns_say_that_they_do_not_join(tmp_path: Path) -> None:
    tables = frames("patients", "id", "visits", "patient", 100_001)
    (tmp_path / "in").mkdir()
    for name, table in tables.items():
        table.to_csv(tmp_path / "in" / f"{name}.csv", index=False)
    assert run_piiscan("plan", "in", "-o", "plan.toml", cwd=tmp_path).returncode == 0
    plan = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    lines = [
        'patient = {entity = "MEDICAL_RECORD", operator = "suppress", decided_by = "human"}'
        if line.startswith("patient =")
        else line
        for line in plan.splitlines()
    ]
    (tmp_path / "plan.toml").write_text("\n".join(lines), encoding="utf-8")
    done = run_piiscan("plan", "in", "-o", "plan.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    new = (tmp_path / "plan.toml").read_text(encoding="utf-8").splitlines()
    for column, other in (("patient", "id of patients.csv"), ("id", "patient of visits.csv")):
        (line,) = (each for each in new if each.startswith(f"{column} ="))
        assert f"related to {other}" in line and "a person decided" in line


def test_numbers_that_another_table_calls_by_another_name_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    """Called telephones, and accounts in a table of which nothing says that it is about persons."""
    rng = random.Random(4)
    numbers = [f"4930{n}" for n in rng.sample(range(10**6, 10**7), PEOPLE)]
    accounts = [f"{n}" for n in rng.sample(range(10**10, 10**11), PEOPLE)]
    people = frames("people", "id", "visits", "person_id", 1)["people"].assign(phone=numbers, account_number=accounts)
    calls = pd.DataFrame(
        {
            "caller_line": [rng.choice(numbers) for _ in range(ROWS)],
            "seconds": [rng.randrange(900) for _ in range(ROWS)],
            "cell": [f"B{rng.randrange(40)}" for _ in range(ROWS)],
        }
    )
    books = pd.DataFrame(
        {"account_number": accounts, "kind": "open", "branch": [rng.choice("ABC") for _ in range(PEOPLE)]}
    )
    tables = {"people": people, "calls": calls, "books": books}
    masked = piiscan.mask(tables, piiscan.plan(tables), KEY)
    assert len(masked["calls"].merge(masked["people"], left_on="caller_line", right_on="phone")) == ROWS
    assert len(masked["books"].merge(masked["people"], on="account_number")) == PEOPLE
    assert not set(masked["calls"]["caller_line"]) & set(numbers)


def test_short_words_under_one_name_join_where_one_of_them_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(6)
    classes = [f"{year}{letter}" for year in range(1, 9) for letter in "ABC"]
    given = "Marcin Natan Witold Anna Julia Ewa Piotr Jan Maria Olga Adam Igor".split()
    family = "Pytlarz Siwka Chylak Solich Raba Gryka Kohut Jakubiuk Bober Mazur Wilk Duda".split()
    teachers = [f"{given[i % 12]} {family[i * 5 % 12]}" for i in range(len(classes))]
    held = pd.DataFrame({"klasa": classes, "wychowawca": teachers, "sala": [rng.randrange(40) for _ in classes]})
    pupils = frames("pupils", "id", "visits", "person_id", 1)["pupils"].assign(
        klasa=[rng.choice(classes) for _ in range(PEOPLE)]
    )
    tables = {"held": held, "pupils": pupils}
    plan = piiscan.plan(tables)
    masked = piiscan.mask(tables, plan, KEY)
    assert len(masked["pupils"].merge(masked["held"], on="klasa")) == PEOPLE
    assert not set(masked["pupils"]["klasa"]) & set(classes), "one of them was masked, or this test shows nothing"


def test_what_is_removed_here_is_removed_there() -> None:
    """By a policy that leaves no numbers, columns that hold them under other names are emptied."""
    tables = frames("users", "user_id", "posts", "thanks", 7_100_001)
    made = {t.source: {c.name: c for c in t.columns} for t in piiscan.plan(tables, policy="hipaa-safe-harbor").tables}
    assert made["users"]["user_id"].operator == made["posts"]["thanks"].operator == "suppress"
    assert any("it seems to hold values of user_id" in note for note in made["posts"]["thanks"].notes)
    assert made["posts"]["total"].operator == "keep"


def test_tables_that_number_their_rows_alike_are_of_no_relation() -> None:
    people = frames("people", "id", "visits", "person_id", 1)["people"]
    things = pd.DataFrame({"id": range(1, PEOPLE + 1), "title": [f"Lamp {i}" for i in range(PEOPLE)], "price": 3.5})
    made = {t.source: {c.name: c for c in t.columns} for t in piiscan.plan({"people": people, "things": things}).tables}
    assert made["people"]["id"].operator == "fpe" and made["things"]["id"].operator == "keep"


def staff(number: Callable[[int], object]) -> pd.DataFrame:
    """Staff whose managers are some of them, and a code that only looks like their numbers."""
    numbers = [number(i) for i in range(PEOPLE)]
    return pd.DataFrame(
        {
            "employee_number": numbers,
            "name": [
                f"{('Anna', 'Piotr', 'Maria')[i % 3]} {('Nowak', 'Rossi', 'Bauer')[i % 5 % 3]}" for i in range(PEOPLE)
            ],
            "email": [f"somebody{i}@mailbox{i % 7}.org" for i in range(PEOPLE)],
            "boss": [numbers[i * 7 % 40] for i in range(PEOPLE)],
            "desk": [90_000 + i % 50 for i in range(PEOPLE)],
        }
    )


@pytest.mark.parametrize("number", [lambda i: f"E{40000 + 37 * i}", lambda i: 40_000 + 37 * i])
def test_numbers_of_managers_are_masked_as_those_of_staff(number: Callable[[int], object]) -> None:
    frame = staff(number)
    masked = piiscan.mask({"staff": frame}, piiscan.plan({"staff": frame}), KEY)["staff"]
    masks = dict(zip(frame["employee_number"], masked["employee_number"], strict=True))
    assert [masks[boss] for boss in frame["boss"]] == masked["boss"].tolist()
    assert not set(masked["boss"]) & set(frame["employee_number"])
    assert masked["desk"].tolist() == frame["desk"].tolist()


def test_numbers_that_are_all_taken_say_nothing_of_those_beside_them() -> None:
    """Of a thousand numbers in a row others are among them by chance."""
    frame = staff(lambda i: 40_000 + i)
    (table,) = piiscan.plan(frame).tables
    boss = next(c for c in table.columns if c.name == "boss")
    assert boss.operator == "keep" and any("may be related" in note for note in boss.notes)
