"""Values in odd written forms, under headers that say nothing: found as in their usual form, and nothing else is."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

import piiscan
from piiscan.rules.checks import is_valid

FIRST = "Frieda Anna Jens Margaret Tomasz Giulia Pierre Camille Sven Ingrid Carlos Marek Emily Oliver Sophie".split()
LAST = "Lindqvist Müller Ashworth Kowalski Rossi Dupont Nilsson Nowak Clarke Thompson Patel Tanaka Silva".split()
THINGS = "lamp table chair sofa desk shelf rug bed".split()
N = 60


def cells(make: Callable[[random.Random], str]) -> list[str]:
    rng = random.Random(5)
    return [make(rng) for _ in range(N)]


def verdict(values: list[str], header: str = "value", beside: str = "score") -> piiscan.ColumnReport:
    rng = random.Random(7)
    other = [rng.choice(THINGS) if beside == "product" else str(rng.randrange(999)) for _ in values]
    return piiscan.scan(pl.DataFrame({beside: other, header: values}))[header]


def unnamed(values: list[str], folder: Path) -> piiscan.ColumnReport:
    """Behind a column of given names, without a header."""
    rng = random.Random(7)
    lines = [f'{rng.choice(FIRST)},{rng.randrange(999)},"{value}"' for value in values]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return piiscan.scan(folder / "t.csv").tables[0].columns[2]


def name(rng: random.Random) -> tuple[str, str]:
    return rng.choice(FIRST), rng.choice(LAST)


def born(rng: random.Random) -> date:
    return date(1940, 1, 1) + timedelta(days=rng.randrange(24000))


def number(rng: random.Random, form: str, check: str) -> str:
    """Digits in the places of 9 that pass a check."""
    while True:
        text = "".join(rng.choice("0123456789") if sign == "9" else sign for sign in form)
        if is_valid(check, text):
            return text


@pytest.mark.parametrize(
    "write",
    [
        "{}.{}".format,
        "{}{}".format,
        lambda first, last: f"{first}.{last}".lower(),
        lambda first, last: f"{first}-{last}".lower(),
        lambda first, last: f"CORP\\{first}.{last}".lower(),
        "CN={} {},OU=Users,DC=corp,DC=local".format,
    ],
)
def test_names_in_one_word_are_names(write: Callable[[str, str], str]) -> None:
    assert verdict(cells(lambda rng: write(*name(rng))), "ref", "product").pii == "direct"


@pytest.mark.parametrize(
    "value", ["mean.radius", "worst.area", "Quercus.robur", "HttpClient", "red-wine", "Sepal.Length", "acme.info"]
)
def test_other_words_in_one_are_not(value: str) -> None:
    rng = random.Random(3)
    first, sign, last = value.partition(next((s for s in ".-" if s in value), "C"))
    values = [value, *(f"{rng.choice(THINGS)}{sign}{last}" if sign != "C" else value for _ in range(N - 1))]
    assert first
    assert verdict(values, "value", "product").pii == "none"


@pytest.mark.parametrize("cell", ["born 12.03.1984", "geb. 03.05.1982", "Née: 12/03/1984"])
@pytest.mark.parametrize("count", [1, 9])
def test_a_date_that_is_said_to_be_a_birth_is_found(tmp_path: Path, cell: str, count: int) -> None:
    """Whatever the rows are about: its words say whose date it is."""
    rows = [cell.replace("198", f"19{n}", 1) for n in range(9, 9 - count, -1)]
    (tmp_path / "t.csv").write_text("note\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (column,) = piiscan.scan(tmp_path / "t.csv").tables[0].columns
    assert [entry.entity for entry in column.inside] == ["DATE_OF_BIRTH"]


@pytest.mark.parametrize(("header", "value"), [("path", "TopicArn"), ("GroupName", "my-cluster"), ("test", "p.value")])
def test_an_identifier_of_a_program_is_no_name(tmp_path: Path, header: str, value: str) -> None:
    (tmp_path / "t.csv").write_text(f"{header}\n{value}\n", encoding="utf-8")
    assert piiscan.scan(tmp_path / "t.csv").tables[0].columns[0].pii == "none"


@pytest.mark.parametrize(
    "write",
    [
        lambda d: f"{d:%a}, {d.day} {d:%b} {d.year}",
        lambda d: f"{'Mo Di Mi Do Fr Sa So'.split()[d.weekday()]}, {d:%d.%m.%Y}",
        lambda d: f"{d.day}.{'I II III IV V VI VII VIII IX X XI XII'.split()[d.month - 1]}.{d.year}",
        lambda d: f"* {d:%d.%m.%Y}",
        lambda d: f"{d:%d . %m . %Y}",
        lambda d: f"{d.day}th of {d:%B} {d.year}",
        lambda d: f"{d.day} de {d:%B} de {d.year}",
        lambda d: f"{d:%d%b%Y}",
        lambda d: f"{d:%a, %d %b %Y} 00:00:00 GMT",
        lambda d: f"/Date({(d - date(1970, 1, 1)).days * 86_400_000})/",
    ],
)
def test_dates_of_birth_in_odd_forms_are_found(write: Callable[[date], str], tmp_path: Path) -> None:
    assert unnamed(cells(lambda rng: write(born(rng))), tmp_path).entity == "DATE_OF_BIRTH"


def test_dates_of_deliveries_in_odd_forms_are_not() -> None:
    values = cells(lambda rng: f"{date(2023, 1, 1) + timedelta(days=rng.randrange(600)):%a, %d %b %Y}")
    assert verdict(values, "value", "product").entity != "DATE_OF_BIRTH"


def test_telephones_with_the_code_of_their_country_behind_zeros_are_found() -> None:
    values = cells(lambda rng: f"0049{rng.choice((30, 89, 40, 171))}{rng.randrange(1_000_000, 99_999_999)}")
    assert verdict(values, "col3", "product").pii == "direct"


def test_numbers_of_orders_behind_zeros_are_not() -> None:
    values = cells(lambda rng: f"00{rng.randrange(10**9, 10**10)}")
    assert verdict(values, "value", "product").entity != "PHONE_NUMBER"


@pytest.mark.parametrize(
    ("make", "entity"),
    [
        (lambda rng: number(rng, "de9999999999999999999 9".replace(" ", ""), "iban"), "IBAN_CODE"),
        (lambda rng: number(rng, "AT99.9999.9999.9999.9999", "iban"), "IBAN_CODE"),
        (lambda rng: number(rng, "4999.9999.9999.9999", "luhn"), "CREDIT_CARD"),
        (lambda rng: number(rng, "4,999,999,999,999,999", "luhn"), "CREDIT_CARD"),
        (lambda rng: number(rng, "4.999.999.999.999.999", "luhn"), "CREDIT_CARD"),
        (lambda rng: f"{rng.randrange(100, 665)} - {rng.randrange(10, 99)} - {rng.randrange(1000, 9999)}", "US_SSN"),
        (lambda rng: f"{rng.choice(FIRST).lower()}{rng.randrange(99)} @ mail.org", "EMAIL_ADDRESS"),
    ],
)
@pytest.mark.parametrize("beside", ["score", "product"])
def test_numbers_and_addresses_in_odd_forms_are_found(
    make: Callable[[random.Random], str], entity: str, beside: str
) -> None:
    found = verdict(cells(make), beside=beside)
    assert (found.entity, found.pii) == (entity, "direct")


@pytest.mark.parametrize("form", ["***-**-{}", "XXX-XX-{}"])
def test_the_end_of_a_social_security_number_is_a_pseudonym(form: str) -> None:
    found = verdict(cells(lambda rng: form.format(rng.randrange(1000, 9999))))
    assert (found.entity, found.pii) == ("US_SSN", "quasi")


def test_cards_are_masked_by_a_small_x_too() -> None:
    found = verdict(cells(lambda rng: f"41{rng.randrange(1000, 9999)}xxxxxx{rng.randrange(1000, 9999)}"), "card number")
    assert (found.entity, found.pii) == ("CREDIT_CARD", "quasi")


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: f"{rng.choice(('react', 'lodash', 'vue', 'chalk'))}@{rng.randrange(9)}.{rng.randrange(30)}.1",
        lambda rng: f"{rng.randrange(1, 20)}@{rng.randrange(90)}.{rng.randrange(10, 99)}",
        lambda rng: f"git@github.com:acme/{rng.choice(('app', 'lib', 'web'))}.git",
        lambda rng: f"{rng.choice(('getty', 'sshd', 'user'))}@{rng.choice(('tty1', 'tty2', '1000'))}.service",
    ],
)
def test_not_all_that_has_an_at_sign_is_an_address(make: Callable[[random.Random], str], tmp_path: Path) -> None:
    found = unnamed(cells(make), tmp_path)
    assert found.entity != "EMAIL_ADDRESS" or found.reserved


def test_powers_of_ten_are_no_pay() -> None:
    rng = random.Random(7)
    people = {"first_name": [rng.choice(FIRST) for _ in range(N)]}
    values = cells(lambda rng: f"{rng.uniform(1, 9.99):.2E}".replace("E+00", f"E+{rng.randrange(16):02}"))
    assert piiscan.scan(pl.DataFrame(people | {"value": values}))["value"].entity != "INCOME"


def test_telephones_as_addresses_are_not_cut(tmp_path: Path) -> None:
    rng = random.Random(7)
    lines = [
        f"{rng.choice(THINGS)},{rng.randrange(99)}.50,tel:+4930{rng.randrange(10**6, 10**7)},{i}" for i in range(N)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    table = piiscan.scan(tmp_path / "t.csv").tables[0]
    assert len(table.columns) == 4
    assert table.columns[2].pii == "direct"
