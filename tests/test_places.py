"""Made-up cities, regions and postal codes of one person are those of one place."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import polars as pl
import pytest
from mask_people import cells, key_file, piiscan
from test_subject_table import AMERICANS, GERMANS, SURNAMES

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.persona import PLACES, Persona
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action
from piiscan.masking.surrogates import cities_with_codes
from piiscan.masking.surrogates.cities_with_codes import cities_of, country, digest
from piiscan.masking.surrogates.locales import LOCALES

KEY = Subkey(bytes(range(32)))
PEOPLE = pl.Series([f"subject {i}" for i in range(400)])


def part(kind: str, locale: str, look: str = "", people: pl.Series = PEOPLE) -> pl.Series:
    operator = Persona(kind, locale, look=look, places=digest())  # type: ignore[arg-type]
    masks = operator.mask_rows(pl.Series(["x"] * len(people)), RowContext(people), KEY)
    assert operator.declares(masks.unique(), KEY).all()
    return masks


@pytest.mark.parametrize("locale", LOCALES)
def test_postal_code_city_and_region_are_of_one_place(locale: str) -> None:
    places = {p.city: p for p in country(locale).places}
    each = (part("postal_code", locale), part("city", locale), part("region", locale), part("region", locale, "CODE"))
    for code, city, region, short in zip(*each, strict=True):
        assert city in cities_of(code, locale)
        assert (region, short) == (places[city].region, places[city].code or places[city].region)


@pytest.mark.parametrize("locale", LOCALES)
def test_the_list_has_enough_cities_each_with_codes_of_its_own(locale: str) -> None:
    form, places = country(locale)
    assert len(places) >= 15 and len({p.city for p in places}) == len(places)
    codes = sorted((c, p.city) for p in places for c in p.codes if not isinstance(c, str))
    assert all(first <= last < 10 ** form.count("0") for (first, last), _ in codes)
    assert all(a[1] < b[0] for (a, _), (b, _) in itertools.pairwise(codes))
    assert ("*" in form) == any(isinstance(c, str) for p in places for c in p.codes) == (not codes)
    assert all(re.fullmatch(r"[A-ZÖ0-9]{0,3}", p.code) and p.region for p in places)


@pytest.mark.parametrize(
    ("locale", "city", "codes"),
    [
        ("de_DE", "Berlin", r"1[0-4]\d{3}"),
        ("en_GB", "London", r"(?:E|N|NW|SE|SW|W)\d\d? \d[A-Z]{2}"),
        ("nl_NL", "Amsterdam", r"1[01]\d\d [A-Z]{2}"),
        ("fr_CA", "Montréal", r"H\d[A-Z] \d[A-Z]\d"),
        ("pl_PL", "Warszawa", r"0[0-4]-\d{3}"),
        ("ja_JP", "大阪市", r"5[345]\d-\d{4}"),
        ("en_IE", "Galway", r"H91 [A-Z]\d[A-Z]\d"),
    ],
)
def test_codes_are_written_as_in_their_country(locale: str, city: str, codes: str) -> None:
    mine = part("postal_code", locale).filter(part("city", locale) == city)
    assert len(mine) and mine.str.contains(f"^{codes}$").all()


def test_looks() -> None:
    assert part("city", "de_DE", "CITY").equals(part("city", "de_DE").str.to_uppercase())
    assert part("region", "de_DE", "REGION").equals(part("region", "de_DE").str.to_uppercase())
    assert part("postal_code", "cs_CZ", "Plain").equals(part("postal_code", "cs_CZ").str.replace(" ", ""))
    with pytest.raises(UsageError, match="look 'region': choose one of Region, REGION, CODE"):
        Persona("region", "de_DE", look="region")
    with pytest.raises(UsageError, match="places is for city, region, postal_code"):
        Persona("name", "de_DE", places="0")


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("look", ["Code", "Plain"])
def test_only_codes_of_a_city_are_declared(locale: str, look: str) -> None:
    """As one by one."""
    draw = random.Random(3)
    masks = part("postal_code", locale, look).unique().to_list()
    wrong = ["".join(draw.choice("0123456789") if c.isdigit() else c for c in mask) for mask in masks]
    all_of = pl.Series([*masks, *wrong, "", "x", masks[0] + "0", " " + masks[0]]).unique()
    found = Persona("postal_code", locale, look=look, places=digest()).declares(all_of, KEY)
    assert found.to_list() == [cities_of(mask, locale, look) != () for mask in all_of.to_list()]


def test_codes_of_integers_are_those_of_texts_without_zeros_in_front() -> None:
    operator = Persona("postal_code", "en_US", places=digest(), locales=("en_GB",))
    numbers = operator.mask_rows(pl.Series([12345] * len(PEOPLE)), RowContext(PEOPLE), KEY)
    assert numbers.equals(part("postal_code", "en_US").cast(pl.Int64)) and numbers.min() < 10_000  # type: ignore[operator]
    assert operator.dtype("integer") == "integer" and operator.declares(numbers.unique(), KEY).all()
    assert not operator.declares(pl.Series([99999]), KEY).any()
    british = RowContext(PEOPLE, locales=pl.Series(["en_GB"] * len(PEOPLE)))
    assert operator.mask_rows(pl.Series([12345] * len(PEOPLE)), british, KEY).null_count() == len(PEOPLE)


def test_another_list_of_places_is_refused() -> None:
    with pytest.raises(UsageError, match="list of places"):
        Persona("city", "de_DE", places="0").mask_rows(pl.Series(["x"]), RowContext(PEOPLE.head(1)), KEY)


def test_cities_of_earlier_plans_stay() -> None:
    """Without the digest of the list, a city is drawn by itself as it was."""
    rows = RowContext(pl.Series(["a", "b", "c"]))
    masks = Persona("city", "pl_PL").mask_rows(pl.Series(["x"] * 3), rows, KEY)
    assert masks.to_list() == ["Pruszków", "Mława", "Konin"]


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("locale", ["is_IS", "en_US"])
def test_no_more_stay_than_chance_tells(kind: str, locale: str) -> None:
    operator = Persona(kind, locale, places=digest())  # type: ignore[arg-type]
    commonest = part(kind, locale).value_counts(sort=True)["count"][0] / len(PEOPLE)
    share = operator.share_that_stays
    assert share is not None and commonest <= max(2 * share, share + 0.05)
    masks = part(kind, locale).n_unique()
    assert len(PEOPLE) - masks == pytest.approx(operator.expected_collisions(len(PEOPLE)), abs=20)


# Plans


POLICY = """
name = "ours"
notes = ["Places are made up."]

[[rule]]
entity = ["PERSON", "FIRST_NAME", "LAST_NAME", "EMAIL_ADDRESS", "STREET_ADDRESS"{places}]
operator = "surrogate"

[[rule]]
entity = ["MEDICAL_RECORD"]
operator = "same-look"

[[rule]]
operator = "keep"
"""
_PLACES = {
    "DE": [("Berlin", "BE", "10115"), ("München", "BY", "80331"), ("Köln", "NW", "50667"), ("Potsdam", "BB", "14467")],
    "US": [
        ("Boston", "MA", "02108"),
        ("Chicago", "IL", "60601"),
        ("Houston", "TX", "77002"),
        ("Denver", "CO", "80202"),
    ],
}


def clinic(root: Path, size: int = 240) -> Path:
    """patients.csv has names and addresses, addresses.csv numbers and addresses, sites.csv places alone."""
    draw = random.Random(7)
    rows = []
    for i in range(size):
        here = "DE" if i % 3 == 0 else "US"
        first = draw.choice((GERMANS if here == "DE" else AMERICANS)[draw.choice("FM")])
        city, state, code = draw.choice(_PLACES[here])
        number = f"PT-{i * 3571 % 1000000:06}-{i % 97:02}"
        rows.append((number, first, draw.choice(SURNAMES[here]), f"u{i}@mail.example.org", code, city, state, here))
    frame = pl.DataFrame(
        rows, orient="row", schema="patient_no first_name last_name email zip city state country".split()
    )
    folder = root / "clinic"
    folder.mkdir()
    frame.write_csv(folder / "patients.csv")
    frame.sample(size, seed=1).select("patient_no", "zip", "city", "state").write_csv(folder / "addresses.csv")
    frame.select("zip", "city", "state").write_csv(folder / "sites.csv")
    return folder


def planned(root: Path, *places: str) -> dict[str, dict[str, Action]]:
    policy = root / "policy.toml"
    policy.write_text(POLICY.replace("{places}", "".join(f', "{p}"' for p in places)))
    piiscan("plan", root / "clinic", "--policy", policy, "-o", root / "plan.toml", "-q")
    tables = plan_toml.load(root / "plan.toml").tables
    return {t.source: {a.name or "": a for a in t.columns} for t in tables}


def test_places_agree_in_rows_and_tables(tmp_path: Path) -> None:
    clinic(tmp_path)
    tables = planned(tmp_path, "CITY", "POSTAL_CODE", "REGION")
    assert {tables["addresses.csv"][c].subject for c in ("zip", "city", "state")} == {"person"}
    assert {tables["sites.csv"][c].subject for c in ("zip", "city", "state")} == {"place"}
    assert tables["patients.csv"]["state"].params["look"] == "CODE"
    piiscan("mask", tmp_path / "clinic", "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path), "-o",
            tmp_path / "out")  # fmt: skip
    before = cells(tmp_path / "clinic/patients.csv")
    out = {name: cells(tmp_path / "out" / name) for name in ("patients.csv", "addresses.csv", "sites.csv")}
    for locale, rows in (
        ("de_DE", out["patients.csv"].filter(before["country"] == "DE")),
        ("en_US", out["patients.csv"].filter(before["country"] == "US")),
        ("en_US", out["sites.csv"]),
    ):
        places = {p.city: p for p in country(locale).places}
        assert len(rows) >= 80
        for code, city, state in rows.select("zip", "city", "state").iter_rows():
            assert city in cities_of(code, locale) and state == places[city].code
    both = out["patients.csv"].join(out["addresses.csv"], on="patient_no", suffix=" there")
    assert len(both) == len(before)
    assert all((both[c] == both[f"{c} there"]).all() for c in ("zip", "city", "state"))


def test_no_code_is_made_up_beside_a_city_that_is_kept(tmp_path: Path) -> None:
    clinic(tmp_path)
    zips = planned(tmp_path, "POSTAL_CODE")["patients.csv"]["zip"]
    assert (zips.operator, zips.subject, zips.domain) == ("zip3", None, None)
    assert "city is kept, with which a made-up postal code wouldn't agree" in (tmp_path / "plan.toml").read_text()
    some = planned(tmp_path, "CITY")["patients.csv"]
    assert some["city"].operator == "persona" and some["zip"].operator == "keep"
    assert (
        "zip and state and country are not made up, so the made-up place may disagree"
        in (tmp_path / "plan.toml").read_text()
    )


def test_regions_abbreviations_and_capitals_are_seen() -> None:
    assert cities_with_codes.region_look(["CA", "NY", "Texas", "IL", "MA"]) == "CODE"
    assert cities_with_codes.region_look(["Bayern"]) == "Region"
    assert cities_with_codes.city_look(["BERLIN", "KÖLN"]) == "CITY"
    assert cities_with_codes.code_look(["11000"], "cs_CZ") == "Plain"
