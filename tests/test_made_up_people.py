"""Synthetic rows filled with made-up people: they fit their rows, agree with themselves, and follow from rows alone."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import run_piiscan

import piiscan
from piiscan import People
from piiscan.core.errors import UsageError
from piiscan.masking.surrogates import cities_with_codes
from piiscan.masking.surrogates.name_lists import lists

DAY = dt.date(2026, 2, 28)
EVERYTHING = {
    "who": "name", "first": "first_name", "last": "last_name", "mail": "email", "login": "username", "page": "url",
    "street": "street", "town": "city", "land": "region", "code": "postal_code", "born": "date_of_birth",
}  # fmt: skip
ROWS = pl.DataFrame(
    {
        "sex": ["f", "Male", "weiblich", "m", None] * 40,
        "age": ["0", "34", "30-39", "67.5", "unknown"] * 40,
        "country": ["US", "Germany", "Polska", "FR", "nowhere", "DE", "DE"] * 28 + ["US"] * 4,
        "state": ["CA", "Bayern", "", None, "TX", "bayern", "Hessen"] * 28 + ["California"] * 4,
    }
)
FITTING = People(EVERYTHING, sex="sex", age="age", country="country", region="state", as_of=DAY)


def test_people_fit_their_rows() -> None:
    made = FITTING.made(ROWS, "seed")
    assert made.columns == list(EVERYTHING) and made.height == ROWS.height
    names = {locale: lists(locale) for locale in ("en_US", "de_DE", "pl_PL", "fr_FR")}
    locales = {"US": "en_US", "DE": "de_DE", "Germany": "de_DE", "Polska": "pl_PL", "FR": "fr_FR", "nowhere": "en_US"}
    for row, own in zip(ROWS.iter_rows(named=True), made.iter_rows(named=True), strict=True):
        locale = locales[row["country"]]
        women, men = ({n.name for n in found} for found in (names[locale].female, names[locale].male))
        expected = {"f": women, "weiblich": women, "m": men, "Male": men}.get(row["sex"], women | men)
        assert own["first"] in expected
        assert own["who"] == f"{own['first']} {own['last']}"
        assert own["mail"] == f"{own['login']}@mail.example" and own["page"] == f"https://mail.example/{own['login']}"
        assert own["town"] in cities_with_codes.cities_of(own["code"], locale)
        regions = {"CA": "California", "California": "California", "Bayern": "Bayern", "bayern": "Bayern",
                   "Hessen": "Hessen", "TX": "Texas"}  # fmt: skip
        if (wanted := regions.get(row["state"] or "")) is not None:
            assert own["land"] == wanted
        low, high = {"0": (0, 0), "34": (34, 34), "30-39": (30, 39), "67.5": (67, 67)}.get(row["age"], (None, None))
        if low is None:
            assert own["born"] is None
        else:
            age = DAY.year - own["born"].year - ((DAY.month, DAY.day) < (own["born"].month, own["born"].day))
            assert low <= age <= high
    assert made["mail"].n_unique() == made.height
    assert made["who"].n_unique() > 150  # each row gets a person of its own


def test_people_follow_from_rows_and_seed() -> None:
    assert FITTING.made(ROWS, "seed").equals(FITTING.made(ROWS, "seed"))
    assert not FITTING.made(ROWS, "seed").equals(FITTING.made(ROWS, "another"))
    assert FITTING.made(ROWS.clear(), "seed").height == 0


@pytest.mark.parametrize("day", [dt.date(2024, 2, 29), dt.date(2023, 3, 1), dt.date(2026, 1, 1)])
def test_everybody_has_the_age_on_that_day(day: dt.date) -> None:
    rows = pl.DataFrame({"age": [n for n in range(121) for _ in range(30)]})
    born = People({"born": "date_of_birth"}, age="age", as_of=day).made(rows, "x")["born"]
    for age, own in zip(rows["age"], born, strict=True):
        assert day.year - own.year - ((day.month, day.day) < (own.month, own.day)) == age
    assert born.n_unique() > 3_000


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"columns": {}}, "columns says what each new column holds"),
        ({"columns": {"a": "shoe"}}, "column a: 'shoe' is none of name, "),
        ({"columns": {"a": "name"}, "locale": "de_de"}, "write it 'de_DE'"),
        ({"columns": {"a": "name"}, "locale": "xx_XX"}, "no names in it"),
        ({"columns": {"a": "date_of_birth"}, "age": "age"}, "dates of birth need age"),
        ({"columns": {"a": "email"}, "domain": "mail"}, "domain is that of e-mail addresses"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        People(**wrong)


def test_columns_have_to_be_there_and_to_be_free() -> None:
    with pytest.raises(UsageError, match="sex is column gender, which the synthetic rows don't have"):
        People({"a": "name"}, sex="gender").made(ROWS, "x")
    with pytest.raises(UsageError, match="column age is declared"):
        People({"age": "name"}).made(ROWS, "x")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("columns = 1", "columns says"),
        ("[columns]\na = 'name'\n[more]\n", "not more"),
        ("locale = 'en_US'", "columns must be there"),
        ("sex = 1\n[columns]\na = 'name'", "sex must be there, as a text"),
        ("[columns", "can't be read as TOML"),
    ],
)
def test_files_that_do_not_fit(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(text)
    with pytest.raises(UsageError, match=problem):
        People.load(tmp_path / "people.toml")


def test_synthetic_rows_get_people_and_the_release_stays_the_same(tmp_path: Path) -> None:
    data = pl.DataFrame(
        {
            "name": ["Zebulon Quist"] * 500,
            "sex": ["f", "m"] * 250,
            "age": [20 + i % 50 for i in range(500)],
            "ssn": ["219-09-9999"] * 500,
        }
    )
    data.write_csv(tmp_path / "data.csv")
    (tmp_path / "schema.toml").write_text(
        '[columns]\nage.bounds = [0, 100]\nage.decimals = 0\nsex.categories = ["f", "m"]\n'
    )
    (tmp_path / "people.toml").write_text(
        'locale = "pl_PL"\nsex = "sex"\nage = "age"\nas_of = 2026-11-26\n'
        '[columns]\nname = "name"\nmail = "email"\nborn = "date_of_birth"\n'
    )
    command = [
        "synthesize", "data.csv", "--schema", "schema.toml", "--one-row-per-person", "--epsilon", "4",
        "--delta", "1e-9", "--budget", "9",
    ]  # fmt: skip
    done = run_piiscan(*command, "--people", "people.toml", "-o", "with.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Made-up people who don't exist: name, mail, born." in done.stderr
    assert "Left out, since they aren't declared: ssn." in done.stderr
    found = pl.read_csv(tmp_path / "with.csv", try_parse_dates=True)
    assert found.columns == ["name", "sex", "age", "mail", "born"]  # in the order of the data, new ones behind
    assert "Zebulon" not in (tmp_path / "with.csv").read_text()
    plain = run_piiscan(*command, "-o", "without.csv", cwd=tmp_path)
    assert plain.returncode == 0 and "for free" in plain.stderr
    assert found.select("sex", "age").equals(pl.read_csv(tmp_path / "without.csv"))


@pytest.mark.parametrize("option", ["-o", "--evaluate"])
def test_no_output_overwrites_the_file_of_people(option: str, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("sex,name\n" + "f,x\nm,y\n" * 20, encoding="utf-8")
    said = 'sex = "sex"\n[columns]\nname = "name"\n'
    (tmp_path / "people.csv").write_text(said, encoding="utf-8")
    command = "synthesize data.csv --categories sex=f,m --epsilon 8 --one-row-per-person --ledger ledger".split()
    outputs = {"-o": "out.csv", "--evaluate": "out.json", option: "people.csv"}
    given = [text for output in outputs.items() for text in output]
    done = run_piiscan(*command, "--people", "people.csv", *given, "--overwrite", cwd=tmp_path)
    assert done.returncode == 2 and "people.csv is read or written by this command" in done.stderr
    assert (tmp_path / "people.csv").read_text(encoding="utf-8") == said and not (tmp_path / "ledger").exists()


def test_frames_stay_what_they_were(tmp_path: Path) -> None:
    data = pl.DataFrame({"sex": ["f", "m"] * 100, "name": ["x"] * 200}).to_pandas()
    privacy = piiscan.Privacy(
        epsilon=8, delta=1e-9, one_row_per_person=True, dataset="frame", budget=9, ledger=tmp_path / "ledger"
    )
    people = People({"name": "name"}, sex="sex")
    done = piiscan.synthesize(data, privacy, categories={"sex": ["f", "m"]}, people=people, n=50)
    assert type(done.frame) is type(data) and list(done.frame.columns) == ["sex", "name"] and len(done.frame) == 50
    assert done.made_up == ("name",) and done.left_out == ()
