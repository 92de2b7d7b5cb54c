"""Telephones without a country code are of the country that the other numbers of their domain are of."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from plan_cases import columns

import piiscan

KEY = piiscan.Key(bytes(range(32)))
NAMES = [f"{first} {last}" for first in ("John", "Mary", "James", "Linda") for last in ("Smith", "Brown", "Wilson")]
Written = Callable[[int], str]


def berlin(i: int) -> str:
    return f"030 {1234567 + 911 * i}"


def abroad(number: Written) -> Written:
    return lambda i: f"+49 {number(i)[1:]}"


def new_york(i: int) -> str:
    return f"(212) {200 + i}-{3456 + 7 * i}"


def vienna(i: int) -> str:
    return f"+43 1 {2345678 + 77 * i}"


def table(rows: int = 60, **numbers: Written) -> pl.DataFrame:
    """Names that are read as those of Americans, and columns of telephones."""
    names = {"name": [NAMES[i % len(NAMES)] for i in range(rows)]}
    return pl.DataFrame(names | {column: [number(i) for i in range(rows)] for column, number in numbers.items()})


def digits(text: str) -> str:
    """A number's digits without its country code, or 0."""
    return re.sub(r"\D", "", text.removeprefix("+49")).lstrip("0")


def test_numbers_of_one_table_have_one_mask_in_either_form() -> None:
    frame = table(phone=abroad(berlin), mobile=berlin)
    plan = piiscan.plan(frame)
    masked = piiscan.mask(frame, plan, KEY)
    assert columns(plan)["mobile"].params["country"] == "DE"
    assert any("as numbers of DE" in note for note in columns(plan)["mobile"].notes)
    assert [*map(digits, masked["phone"])] == [*map(digits, masked["mobile"])]
    assert masked["mobile"].str.starts_with("0").all() and (masked["mobile"] != frame["mobile"]).all()


def test_numbers_of_countries_without_a_trunk_prefix_are_compared(tmp_path: Path) -> None:
    """As those of Americans are written, beside others with their code."""
    frame = table(phone=lambda i: f"+1 {new_york(i + 500)}", mobile=new_york)
    plan = piiscan.plan(frame)
    masked = piiscan.mask(frame, plan, KEY)
    assert columns(plan)["mobile"].params["country"] == "US"
    assert (masked["mobile"] != frame["mobile"]).all() and not masked["mobile"].str.contains("[+]").any()


@pytest.mark.parametrize("shift", [0, 1000], ids=["the same numbers", "other numbers"])
def test_numbers_of_two_files_have_one_mask_in_either_form(shift: int, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    table(phone=abroad(berlin)).write_csv(data / "people.csv")
    calls = pl.DataFrame({"caller_phone": [berlin(i + shift) for i in range(60)], "seconds": range(60)})
    calls.write_csv(data / "calls.csv")
    piiscan.mask(data, piiscan.plan(data), KEY, output=tmp_path / "out")
    whole = piiscan.mask(table(phone=lambda i: abroad(berlin)(i + shift)), piiscan.plan(data / "people.csv"), KEY)
    out = pl.read_csv(tmp_path / "out" / "calls.csv", infer_schema=False)
    assert [*map(digits, out["caller_phone"])] == [*map(digits, whole["phone"])]


def test_a_column_that_mixes_forms_has_one_mask_for_each_number() -> None:
    frame = table(phone=lambda i: berlin(i) if i % 2 else abroad(berlin)(i + 1))
    masked = piiscan.mask(frame, piiscan.plan(frame), KEY)["phone"]
    assert digits(masked[0]) == digits(masked[1]) != digits(masked[2])


@pytest.mark.parametrize(
    ("numbers", "country"),
    [
        ({"phone": new_york, "fax": abroad(berlin)}, "US"),  # not written as Germans do
        ({"phone": new_york, "fax": lambda i: new_york(i) if i % 2 else vienna(i)}, "US"),
        ({"phone": berlin, "fax": vienna}, "AT"),  # nothing but its other numbers shows where it is
        (
            {"phone": lambda i: berlin(i)[1:].replace(" ", ""), "fax": abroad(berlin)},
            "DE",
        ),  # zeros are lost, digits not
    ],
)
def test_which_country(numbers: dict[str, Written], country: str) -> None:
    assert columns(piiscan.plan(table(**numbers)))["phone"].params["country"] == country


def test_a_column_of_countries_goes_before_other_numbers() -> None:
    frame = table(phone=berlin, fax=vienna).with_columns(country=pl.lit("DE"))
    assert columns(piiscan.plan(frame))["phone"].params["country"] == "DE"


def test_foreign_numbers_beside_those_at_home_are_in_a_comment() -> None:
    names = [f"{first} {last}" for first in ("Jürgen", "Günther", "Käthe", "Uwe") for last in ("Müller", "Schröder")]
    frame = table(phone=lambda i: vienna(i) if i % 3 else berlin(i))
    frame = frame.with_columns(name=pl.Series([names[i % len(names)] for i in range(60)]))
    action = columns(piiscan.plan(frame))["phone"]
    assert action.params["country"] == "DE"
    assert any("of DE" in note and "of AT" in note and "its masks differ" in note for note in action.notes)


def test_american_numbers_are_none_of_the_country_of_three_names() -> None:
    frame = pl.DataFrame(
        {
            "phone": [f"({201 + i % 9}) 555-01{i % 100:02}" for i in range(120)],
            "interviewer": [("Mette Sørensen", "Lars Kjær", "Bo Østergaard")[i % 3] for i in range(120)],
        }
    )
    plan = piiscan.plan(frame)
    assert columns(plan)["phone"].params["country"] == "US"


def test_names_tell_a_form_that_several_countries_have() -> None:
    """Saudis have 050 123 4567 as the Irish have, and no Irish names."""
    people = "محمد الحربي,فاطمة العتيبي,خالد القحطاني,نورة الدوسري,سعد الشمري".split(",")
    draw = random.Random(1)
    numbers = [f"05{draw.randrange(10**4):04}{' ' * (i % 2)}{draw.randrange(10**4):04}" for i in range(60)]
    rows = [(people[i % 5], f"m{i * 7919}@mail.com", number) for i, number in enumerate(numbers)]
    plan = piiscan.plan(pl.DataFrame(rows, ["name", "email", "phone"], orient="row"))
    assert columns(plan)["phone"].params["country"] == "SA"
    irish = [("Niamh Byrne", *rest) for _, *rest in rows]
    plan = piiscan.plan(pl.DataFrame(irish, ["name", "email", "phone"], orient="row"))
    assert columns(plan)["phone"].params["country"] == "IE"
