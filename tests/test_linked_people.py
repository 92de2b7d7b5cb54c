"""Linked synthetic tables filled with made-up people, table by table: they fit their rows, and cost nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import run_piiscan
from test_linked import SCHEMA, people, released

import piiscan
from piiscan import People
from piiscan.core.errors import UsageError
from piiscan.masking.surrogates.name_lists import lists

FAMILIES: dict[str, Any] = {
    "tables": {
        "families": {"key": "family", "columns": {"country": {"categories": ["US", "PL"]}}},
        "members": {
            "key": "member",
            "parent": "families",
            "max_rows": 4,
            "columns": {"sex": {"categories": ["f", "m"]}, "age": {"bounds": [0, 100], "decimals": 0}},
        },
    }
}
TOML = """
[tables.families]
key = "family"
[tables.families.columns]
country.categories = ["US", "PL"]
[tables.members]
key = "member"
parent = "families"
max_rows = 4
[tables.members.columns]
sex.categories = ["f", "m"]
age = {bounds = [0, 100], decimals = 0}
"""
PEOPLE = """
[tables.families]
country = "country"
[tables.families.columns]
contact = "name"
mail = "email"
city = "city"
[tables.members]
locale = "pl_PL"
sex = "sex"
age = "age"
as_of = 2026-01-31
[tables.members.columns]
name = "first_name"
mail = "email"
login = "username"
born = "date_of_birth"
"""


def families(n: int = 200) -> dict[str, pl.DataFrame]:
    names = [f"F{i}" for i in range(n)]
    return {
        "families": pl.DataFrame(
            {"city": ["Zebulon City"] * n, "family": names, "country": ["US", "PL"] * (n // 2), "tax": ["secret"] * n}
        ),
        "members": pl.DataFrame(
            {
                "member": range(2 * n),
                "name": ["Zebulon"] * (2 * n),
                "family": names * 2,
                "sex": ["f"] * n + ["m"] * n,
                "age": [i % 90 for i in range(2 * n)],
            }
        ),
    }


def synthesized(folder: Path, data: Any, **asked: Any) -> Any:
    privacy = piiscan.Privacy(epsilon=20, delta=1e-9, unit="family", dataset="families", ledger=folder / "ledger")
    return piiscan.synthesize_tables(data, privacy, FAMILIES, **asked)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name, frame in families().items():
        frame.write_csv(tmp_path / "in" / f"{name}.csv")
    (tmp_path / "schema.toml").write_text(TOML)
    (tmp_path / "people.toml").write_text(PEOPLE)
    return tmp_path


def command(*more: str) -> list[str]:
    return ["synthesize", "in", "--schema", "schema.toml", "--unit", "family", "--epsilon", "20", "--delta", "1e-9",
            *more]  # fmt: skip


def test_people_of_every_table_fit_their_rows(folder: Path) -> None:
    done = run_piiscan(*command("--people", "people.toml", "-o", "with"), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Made-up people who don't exist, in families: contact, mail, city." in done.stderr
    assert "Made-up people who don't exist, in members: name, mail, login, born." in done.stderr
    assert "Left out of families, since they aren't declared: tax." in done.stderr
    found = {name: pl.read_csv(folder / "with" / f"{name}.csv", try_parse_dates=True) for name in families()}
    assert found["families"].columns == ["city", "family", "country", "contact", "mail"]  # as in the data, then others
    assert found["members"].columns == ["member", "name", "family", "sex", "age", "mail", "login", "born"]
    assert not any("Zebulon" in (folder / "with" / f"{name}.csv").read_text() for name in found)
    polish = lists("pl_PL")
    women, men = ({n.name for n in names} for names in (polish.female, polish.male))
    for row in found["members"].iter_rows(named=True):
        assert row["name"] in {"f": women, "m": men}.get(row["sex"], women | men)
        assert row["mail"] == f"{row['login']}@mail.example"
        if row["age"] is not None:
            assert 2026 - row["born"].year - ((row["born"].month, row["born"].day) > (1, 31)) == row["age"]
    for frame in found.values():
        assert frame["mail"].n_unique() == frame.height
    local = {"US": lists("en_US"), "PL": polish}
    for row in found["families"].drop_nulls("country").filter(pl.col("country") != "(other)").iter_rows(named=True):
        names = local[row["country"]]
        assert any(row["contact"].startswith(n.name + " ") for n in (*names.female, *names.male))
    plain = run_piiscan(*command("-o", "without"), cwd=folder)
    assert plain.returncode == 0 and "for free" in plain.stderr
    for name, frame in found.items():
        drawn = pl.read_csv(folder / "without" / f"{name}.csv")
        assert frame.select(drawn.columns).equals(drawn)


def test_the_same_release_has_the_same_people_and_tables_have_different_ones(tmp_path: Path) -> None:
    own = {name: People({"who": "name", "mail": "email"}) for name in families()}
    first, again = (synthesized(tmp_path, families(n), people=own, n=30) for n in (200, 8))
    assert again.repeated and first.text == again.text
    assert all(first.frames[name].equals(again.frames[name]) for name in own)
    assert first.made_up == {"families": ("who", "mail"), "members": ("who", "mail")}
    pairs = zip(first.frames["families"]["who"], first.frames["members"]["who"], strict=False)
    assert sum(a == b for a, b in pairs) < 5  # not the same people by the number of the row
    pandas = {name: frame.to_pandas() for name, frame in families().items()}
    frames = synthesized(tmp_path, pandas, people={"members": own["members"]}, n=30).frames
    assert list(frames["families"].columns) == ["family", "country"]
    assert list(frames["members"]["who"]) == first.frames["members"]["who"].to_list()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"pets": People({"a": "name"})}, "people: table pets: the schema doesn't declare it"),
        ({"customers": People({"dept": "name"})}, "table customers: people: column dept is declared"),
        ({"visits": People({"a": "name"}, sex="dept")}, "table visits: people: sex is column dept, which the synth"),
        ({"visits": People({"visit": "name"})}, "table visits: people: column visit is a key"),
        ({"visits": People({"customer": "name"})}, "table visits: people: column customer is a key"),
        ({"visits": People({"a": "name"}, age="customer")}, "age is column customer, which the synthetic rows don't"),
        (People({"a": "name"}), "by the name of a table"),
        ({"visits": {"columns": {"a": "name"}}}, "by the name of a table"),
    ],
)
def test_people_that_do_not_fit_the_schema_cost_nothing(tmp_path: Path, given: Any, problem: str) -> None:
    privacy = piiscan.Privacy(epsilon=1, unit="customer", dataset="shop", ledger=tmp_path / "ledger")
    with pytest.raises(UsageError, match=problem):
        piiscan.synthesize_tables(people(5), privacy, SCHEMA, people=given)
    assert not (tmp_path / "ledger").exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[columns]\na = 'name'", "it contains a table [tables.NAME] for each"),
        ("[tables.visits]\nsex = 'dept'", "table visits: people people.toml: columns must be there"),
        ("[tables.visits.columns]\na = 'shoe'", "table visits: people: column a: 'shoe' is none of name, "),
        ("[tables]\nvisits = 1", "table visits: people people.toml: it must be a table, with columns"),
        ("[tables", "can't be read as TOML"),
    ],
)
def test_files_that_do_not_fit(folder: Path, text: str, problem: str) -> None:
    (folder / "people.toml").write_text(text)
    done = run_piiscan(*command("--people", "people.toml", "-o", "out"), cwd=folder, width=300)
    assert done.returncode == 2 and problem in done.stderr
    assert not (folder / "out").exists() and not list(folder.rglob("*.sqlite"))


def test_nothing_changes_without_people(tmp_path: Path) -> None:
    done = released(tmp_path, n=10)
    assert done.made_up == {"customers": (), "visits": (), "items": ()}


def test_the_output_does_not_replace_the_file_of_people(folder: Path) -> None:
    (folder / "members.csv").write_text(PEOPLE)
    done = run_piiscan(*command("--people", "members.csv", "-o", ".", "--overwrite"), cwd=folder)
    assert done.returncode == 2 and (folder / "members.csv").read_text() == PEOPLE
