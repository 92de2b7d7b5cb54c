"""Whose a name, a title or a word is, and which locale names are in."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from piiscan.masking.surrogates import gender
from piiscan.masking.surrogates.firstnames import share_of_women
from piiscan.masking.surrogates.locales import LOCALES
from piiscan.masking.surrogates.name_locale import locale_of


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["M", "F", "f ", "male", "FEMALE", None, ""], ["m", "f", "f", "m", "f", None, None]),
        (["weiblich", "männlich", "Frau", "Herr", "divers"], ["f", "m", "f", "m", None]),
        (["kobieta", "mężczyzna", "K", "x"], ["f", "m", "f", None]),
        (["жен", "муж", "Мужской", "女", "男性", "여", "男"], ["f", "m", "m", "f", "m", "f", "m"]),
        (["0", "1", "2"], [None, None, None]),
        (
            ["homme", "femme", "mujer", "hombre", "žena", "muž", "kvinna", "man"],
            ["m", "f", "f", "m", "f", "m", "f", "m"],
        ),
    ],
)
def test_words_of_a_gender_column(words: list[str | None], expected: list[str | None]) -> None:
    assert gender.of_words(pl.Series(words, dtype=pl.String)).to_list() == expected


def test_codes_say_what_is_declared() -> None:
    assert gender.of_words(pl.Series(["0", "1", "9", None]), {"0": "m", "1": "f"}).to_list() == ["m", "f", None, None]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Mr", "m"),
        ("Mrs.", "f"),
        ("Ms", "f"),
        ("Frau Dr.", "f"),
        ("Herr", "m"),
        ("Pani", "f"),
        ("pan", "m"),
        ("Mme", "f"),
        ("г-жа", "f"),
        ("Sig.ra", "f"),
        ("Dr.", None),
        ("Prof", None),
    ],
)
def test_titles(title: str, expected: str | None) -> None:
    assert gender.of_titles(pl.Series([title])).to_list() == [expected]


@pytest.mark.parametrize(
    ("name", "locale", "expected"),
    [
        ("Zofia", "pl_PL", "f"),
        ("Kuba", "pl_PL", None),
        ("Andrea", "it_IT", "m"),
        ("Sabine", "de_DE", "f"),
        ("Nikita", "ru_RU", None),
        ("Jean", "fr_FR", "m"),
        ("Jean", "en_US", "f"),
        ("Hans-Peter", "de_DE", "m"),
        ("MARY ANN", "en_US", "f"),
        ("Qwrtz", "en_US", None),
        ("Світлана", "uk_UA", "f"),
        ("José", "es_ES", "m"),
        ("J. Mary", "en_GB", "f"),
    ],
)
def test_first_names_by_locale(name: str, locale: str, expected: str | None) -> None:
    found = gender.of_first_names(pl.Series([name]), locale).to_list()[0]
    assert found == expected or expected is None


def test_surnames_reveal_where_they_are_inflected() -> None:
    assert gender.of_last_names(pl.Series(["Kowalska", "KOWALSKI", "Nowak", None]), "pl_PL").to_list() == [
        "f",
        "m",
        None,
        None,
    ]
    assert gender.of_last_names(pl.Series(["Nováková"]), "cs_CZ").to_list() == ["f"]


def test_the_columns_are_asked_in_turn() -> None:
    found = gender.of_rows(
        "pl_PL",
        gender=pl.Series(["F", None, "?", None, None]),
        title=pl.Series(["Pan", "Pan", None, None, None]),
        first_name=pl.Series(["Jan", "Zofia", "Zofia", "Q", "Q"]),
        last_name=pl.Series(["Nowak", "Nowak", "Nowak", "Kowalski", "Nowak"]),
    )
    assert found.to_list() == ["f", "m", "f", "m", None]


def test_shares_come_from_the_country_first() -> None:
    assert share_of_women("Andrea", "IT", "it") != share_of_women("Andrea", "US", "en")
    assert share_of_women("Qwrtz", "US", "en") is None


@pytest.mark.parametrize("locale", LOCALES)
def test_a_locale_is_reported_by_its_names(locale: str) -> None:
    from faker import Faker

    fake: Any = Faker(locale)
    fake.seed_instance(3)
    names = [f"{fake.first_name()} {fake.last_name()}" for _ in range(150)]
    found = locale_of(names)
    assert found.locale == locale
    assert not any(n.split()[0] in found.reason() for n in names if len(n.split()[0]) > 3)


def test_little_or_nothing_to_reveal_a_locale_by() -> None:
    assert locale_of([]).locale == "en_US" and not locale_of(["", "12"]).sure
    assert "default" in locale_of([]).reason()
    assert locale_of(["Müller, Hans"], hint="AT").locale == "de_AT"
