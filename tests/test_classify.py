"""Verdicts, through the public door: a small table in, what each column is out."""

from __future__ import annotations

import random
import uuid
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.core.types import Field, TableInfo
from piiscan.detection.summary.hit_counts import Hits
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules import rule_sets
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.header_evidence import named
from piiscan.scanning.classify.hit_evidence import beyond_chance, lift
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.verdicts import classify

GIVEN = (
    "Anna Peter Maria John Sofia Lukas Julia Thomas Elena David Laura Martin Sara Daniel Eva Michael Nina Robert "
    "Clara Paul"
).split()
FAMILY = (
    "Smith Müller Rossi Garcia Novak Jensen Kowalski Silva Weber Martin Nagy Jansen Popescu Moreau Lindberg "
    "Virtanen Ivanov Costa Horvat Brown"
).split()
CITIES = (
    "Berlin Paris London Madrid Rome Vienna Prague Warsaw Oslo Lisbon Hamburg Lyon Leeds Milan Porto Gdansk".split()
)
COUNTRIES = "Germany France Spain Italy Poland Norway Portugal Austria Sweden Greece".split()
STREETS = "Oak Street|Mill Road|High Street|Park Avenue|Station Road|Elm Drive|Church Lane|Garden Court".split("|")
STATES = "CA NY TX WA OR FL OH MI GA NC".split()
JOBS = "Nurse Teacher Engineer Accountant Lawyer Baker Carpenter Electrician Farmer Journalist".split()
ILLS = "Asthma|Type 2 diabetes|Migraine|Hypertension|Bronchitis|Depression|Chronic sinusitis".split("|")
ROWS = 120


def rng(name: str) -> random.Random:
    return random.Random(f"verdicts: {name}")


def pick(name: str, values: list[str], rows: int = ROWS) -> list[str]:
    r = rng(name)
    return [r.choice(values) for _ in range(rows)]


def numbers(name: str, low: int, high: int, rows: int = ROWS) -> list[str]:
    r = rng(name)
    return [str(r.randint(low, high)) for _ in range(rows)]


def dates(name: str, first: int = 1940, last: int = 2005, rows: int = ROWS) -> list[str]:
    r = rng(name)
    return [f"{r.randint(first, last)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}" for _ in range(rows)]


def keys(prefix: str = "", rows: int = ROWS) -> list[str]:
    return [f"{prefix}{i + 1}" for i in range(rows)]


def full(name: str) -> list[str]:
    return [f"{a} {b}" for a, b in zip(pick(name + "a", GIVEN), pick(name + "b", FAMILY), strict=True)]


def mails(name: str) -> list[str]:
    return [f"{n.lower().replace(' ', '.').replace('ü', 'ue')}{i}@example.org" for i, n in enumerate(full(name))]


def phones(name: str) -> list[str]:
    return [f"({a}) 555-{b}" for a, b in zip(numbers(name, 201, 299), numbers(name + "x", 1000, 9999), strict=True)]


def streets(name: str) -> list[str]:
    return [f"{n} {s}" for n, s in zip(numbers(name, 1, 300), pick(name, STREETS), strict=True)]


def decimals(name: str, low: float, high: float) -> list[str]:
    r = rng(name)
    return [f"{r.uniform(low, high):.5f}" for _ in range(ROWS)]


def pesel(date: str, serial: int) -> str:
    y, m, d = date.split("-")
    body = f"{y[2:]}{int(m) + (20 if y >= '2000' else 0):02}{d}{serial:04}"
    return body + str(-sum(int(c) * w for c, w in zip(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=True)) % 10)


Expected = dict[str, tuple[str | None, str]]
BIRTHS = dates("pesel")

TABLES: dict[str, tuple[str, dict[str, list[str]], Expected]] = {
    "customers": (
        "person",
        {
            "customer_id": keys("C"),
            "first_name": pick("f", GIVEN),
            "last_name": pick("l", FAMILY),
            "email": mails("m"),
            "phone": phones("p"),
            "street": streets("s"),
            "city": pick("c", CITIES),
            "state": pick("st", STATES),
            "zip": numbers("z", 10000, 99999),
            "dob": dates("d"),
            "signup_date": dates("e", 2020, 2024),
        },
        {
            "customer_id": ("PERSON_ID", "quasi"),
            "first_name": ("FIRST_NAME", "direct"),
            "last_name": ("LAST_NAME", "direct"),
            "email": ("EMAIL_ADDRESS", "direct"),
            "phone": ("PHONE_NUMBER", "direct"),
            "street": ("STREET_ADDRESS", "direct"),
            "city": ("CITY", "quasi"),
            "state": ("REGION", "quasi"),
            "zip": ("POSTAL_CODE", "quasi"),
            "dob": ("DATE_OF_BIRTH", "quasi"),
            "signup_date": (None, "none"),
        },
    ),
    "patients": (
        "person",
        {
            "patient_id": keys("P"),
            "name": full("n"),
            "sex": pick("x", ["M", "F"]),
            "age": numbers("a", 1, 95),
            "diagnosis": pick("i", ILLS),
            "blood_type": pick("b", ["A+", "O-", "B+", "AB+"]),
        },
        {
            "patient_id": ("MEDICAL_RECORD", "direct"),
            "name": ("PERSON", "direct"),
            "sex": ("GENDER", "quasi"),
            "age": ("AGE", "quasi"),
            "diagnosis": ("HEALTH_CONDITION", "sensitive"),
            "blood_type": ("HEALTH_CONDITION", "sensitive"),
        },
    ),
    "orders": (
        "event",
        {
            "order_id": keys("O"),
            "order_date": dates("o", 2022, 2024),
            "customer_name": full("c"),
            "customer_email": mails("cm"),
            "shipping_city": pick("sc", CITIES),
            "total": decimals("t", 1, 900),
        },
        {
            "order_id": ("GENERIC_ID", "none"),
            "order_date": (None, "none"),
            "customer_name": ("PERSON", "direct"),
            "customer_email": ("EMAIL_ADDRESS", "direct"),
            "total": (None, "none"),
        },
    ),
    "hospitals": (
        "organisation",
        {
            "hospital_name": [f"{c} General Hospital {i}" for i, c in enumerate(pick("h", CITIES))],
            "address": streets("ha"),
            "city": pick("hc", CITIES),
            "phone": phones("hp"),
            "beds": numbers("hb", 20, 900),
        },
        {
            "hospital_name": ("ORGANIZATION", "none"),
            "address": ("STREET_ADDRESS", "none"),
            "city": ("CITY", "none"),
            "phone": ("PHONE_NUMBER", "none"),
            "beds": (None, "none"),
        },
    ),
    "countries": (
        "aggregate",
        {
            "country": [f"{c}" for c in COUNTRIES * 12],
            "year": [str(2010 + i // 10) for i in range(ROWS)],
            "population": numbers("pop", 10**5, 10**8),
            "median_age": decimals("ma", 20, 45),
            "gdp_per_capita": decimals("gdp", 900, 90000),
        },
        {
            "country": ("COUNTRY", "none"),
            "year": (None, "none"),
            "population": (None, "none"),
            "median_age": (None, "none"),
            "gdp_per_capita": (None, "none"),
        },
    ),
    "stations": (
        "place",
        {
            "station_id": keys("S"),
            "station_name": [f"{c} North" for c in pick("sn", CITIES)],
            "latitude": decimals("la", 45, 55),
            "longitude": decimals("lo", 1, 20),
            "elevation": numbers("el", 1, 2000),
        },
        {
            "station_id": ("GENERIC_ID", "none"),
            "latitude": ("GEO_COORDINATES", "none"),
            "longitude": ("GEO_COORDINATES", "none"),
        },
    ),
    "survey": (
        "person",
        {
            "Age": numbers("sa", 18, 80),
            "Gender": pick("sg", ["Male", "Female"]),
            "Marital Status": pick("sm", ["Single", "Married", "Divorced"]),
            "Education": pick("se", ["PhD", "Bachelor", "High School"]),
            "Occupation": pick("so", JOBS),
            "Religion": pick("sr", ["Muslim", "Christian", "Hindu"]),
            "Race": pick("sq", ["White", "Black", "Asian"]),
            "Income": numbers("si", 12000, 180000),
            "Satisfaction": numbers("ss", 1, 5),
        },
        {
            "Age": ("AGE", "quasi"),
            "Gender": ("GENDER", "quasi"),
            "Marital Status": ("MARITAL_STATUS", "quasi"),
            "Education": ("EDUCATION", "quasi"),
            "Occupation": ("OCCUPATION", "quasi"),
            "Religion": ("RELIGION", "sensitive"),
            "Race": ("ETHNICITY", "sensitive"),
            "Income": ("INCOME", "sensitive"),
            "Satisfaction": (None, "none"),
        },
    ),
    "accounts": (
        "person",
        {
            "username": [f"{a.lower()}{n}" for a, n in zip(pick("u", GIVEN), numbers("un", 1, 999), strict=True)],
            "password": [f"{rng(str(i)).getrandbits(48):x}!Q" for i in range(ROWS)],
            "full_name": full("acc"),
            "last_login_ip": [f"{i % 80 + 11}.51.100.{i % 250 + 1}" for i in range(ROWS)],
            "login_count": numbers("lc", 0, 400),
        },
        {
            "username": ("USERNAME", "direct"),
            "password": ("PASSWORD", "direct"),
            "full_name": ("PERSON", "direct"),
            "last_login_ip": ("IP_ADDRESS", "direct"),
            "login_count": (None, "none"),
        },
    ),
    "people in Polish": (
        "person",
        {
            "Imię": pick("pi", GIVEN),
            "Nazwisko": pick("pn", FAMILY),
            "PESEL": [pesel(d, 1000 + i) for i, d in enumerate(BIRTHS)],
            "Miasto": pick("pm", CITIES),
        },
        {
            "Imię": ("FIRST_NAME", "direct"),
            "Nazwisko": ("LAST_NAME", "direct"),
            "PESEL": ("NATIONAL_ID", "direct"),
            "Miasto": ("CITY", "quasi"),
        },
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str) -> None:
    subject, columns, expected = TABLES[name]
    report = piiscan.scan(pl.DataFrame(columns))
    assert {c: (report[c].entity, report[c].pii) for c in expected} == expected
    assert report.tables[0].subject == subject


HEADERS = [
    ("Vorname", GIVEN, "FIRST_NAME"),
    ("Prénom", GIVEN, "FIRST_NAME"),
    ("Voornaam", GIVEN, "FIRST_NAME"),
    ("Förnamn", GIVEN, "FIRST_NAME"),
    ("Fornavn", GIVEN, "FIRST_NAME"),
    ("Etunimi", GIVEN, "FIRST_NAME"),
    ("Prenume", GIVEN, "FIRST_NAME"),
    ("Keresztnév", GIVEN, "FIRST_NAME"),
    ("名字", GIVEN, "FIRST_NAME"),
    ("FNAME", GIVEN, "FIRST_NAME"),
    ("contactFirstName", GIVEN, "FIRST_NAME"),
    ("Nachname", FAMILY, "LAST_NAME"),
    ("Apellidos", FAMILY, "LAST_NAME"),
    ("Cognome", FAMILY, "LAST_NAME"),
    ("Sobrenome", FAMILY, "LAST_NAME"),
    ("Příjmení", FAMILY, "LAST_NAME"),
    ("Soyadı", FAMILY, "LAST_NAME"),
    ("Фамилия", FAMILY, "LAST_NAME"),
    ("Geburtsdatum", dates("h1"), "DATE_OF_BIRTH"),
    ("Date de naissance", dates("h2"), "DATE_OF_BIRTH"),
    ("fecha_nacimiento", dates("h3"), "DATE_OF_BIRTH"),
    ("Data di nascita", dates("h4"), "DATE_OF_BIRTH"),
    ("Doğum Tarihi", dates("h5"), "DATE_OF_BIRTH"),
    ("Syntymäaika", dates("h6"), "DATE_OF_BIRTH"),
    ("生年月日", dates("h7"), "DATE_OF_BIRTH"),
    ("تاريخ الميلاد", dates("h8"), "DATE_OF_BIRTH"),
    ("Wohnort", CITIES, "CITY"),
    ("Ville", CITIES, "CITY"),
    ("Woonplaats", CITIES, "CITY"),
    ("Kaupunki", CITIES, "CITY"),
    ("Город", CITIES, "CITY"),
    ("Straße", streets("h9"), "STREET_ADDRESS"),
    ("Dirección", streets("h10"), "STREET_ADDRESS"),
    ("Adres", streets("h11"), "STREET_ADDRESS"),
    ("住所", streets("h12"), "STREET_ADDRESS"),
    ("Telefonnummer", phones("h13"), "PHONE_NUMBER"),
    ("Teléfono", phones("h14"), "PHONE_NUMBER"),
    ("nr telefonu", phones("h15"), "PHONE_NUMBER"),
    ("電話番号", phones("h16"), "PHONE_NUMBER"),
    ("Geschlecht", ["männlich", "weiblich"], "GENDER"),
    ("Płeć", ["K", "M"], "GENDER"),
    ("Sesso", ["M", "F"], "GENDER"),
    ("Familienstand", ["ledig", "verheiratet", "geschieden"], "MARITAL_STATUS"),
    ("Estado civil", ["soltero", "casado", "viudo"], "MARITAL_STATUS"),
    ("Gehalt", numbers("h17", 20000, 90000), "INCOME"),
    ("Salaire", numbers("h18", 20000, 90000), "INCOME"),
    ("Zawód", ["lekarz", "nauczyciel", "kierowca"], "OCCUPATION"),
    ("Mitarbeiternummer", numbers("h19", 1000, 9999), "PERSON_ID"),
    ("客户编号", numbers("h20", 1000, 9999), "PERSON_ID"),
    ("Kundennr.", numbers("h21", 1000, 9999), "PERSON_ID"),
    ("PLZ", numbers("h22", 10000, 99999), "POSTAL_CODE"),
    ("Código postal", numbers("h23", 10000, 52999), "POSTAL_CODE"),
    ("Pays", COUNTRIES, "COUNTRY"),
    ("Страна", COUNTRIES, "COUNTRY"),
    ("Staatsangehörigkeit", ["deutsch", "polnisch", "türkisch"], "NATIONALITY"),
    ("Lieu de naissance", CITIES, "BIRTHPLACE"),
    ("Mot de passe", ["x7!kkq92", "Pa55wort?", "tr0ub4dor&3"], "PASSWORD"),
    ("Contraseña", ["x7!kkq92", "Pa55wort?", "tr0ub4dor&3"], "PASSWORD"),
    ("Passport No", [f"C{n}" for n in numbers("h24", 10**7, 10**8 - 1)], "PASSPORT"),
]


@pytest.mark.parametrize(("header", "values", "entity"), HEADERS, ids=[h for h, _, _ in HEADERS])
def test_headers_in_many_languages(header: str, values: list[str], entity: str) -> None:
    assert piiscan.scan(pl.DataFrame({header: pick(header, values)}))[0].entity == entity


@pytest.mark.parametrize(
    ("values", "entity"),
    [
        (full("w1"), "PERSON"),
        (mails("w2"), "EMAIL_ADDRESS"),
        (phones("w3"), "PHONE_NUMBER"),
        (pick("w4", COUNTRIES), "COUNTRY"),
        (pick("w5", ["Male", "Female"]), "GENDER"),
        (pick("w6", ["Married", "Divorced", "Widowed", "Never-married"]), "MARITAL_STATUS"),
        (streets("w7"), "STREET_ADDRESS"),
        ([f"{i % 80 + 11}.51.100.{i % 250 + 1}" for i in range(ROWS)], "IP_ADDRESS"),
        ([pesel(d, 2000 + i) for i, d in enumerate(BIRTHS)], "NATIONAL_ID"),
        (pick("w8", ["Muslim", "Hindu", "Buddhist", "Roman Catholic"]), "RELIGION"),
        (pick("w9", ["Heterosexual", "Bisexual", "Gay", "Lesbian"]), "SEXUALITY"),
        (pick("wa", ["hétérosexuelle", "bisexuel", "homosexuel"]), "SEXUALITY"),
    ],
)
def test_values_without_a_header(values: list[str], entity: str) -> None:
    assert piiscan.scan(pl.DataFrame({"": values}))[0].entity == entity


def test_roads_are_straight() -> None:
    values = pick("wb", ["straight"] * 9 + ["curved"])
    assert piiscan.scan(pl.DataFrame({"orientation": values}))[0].entity != "SEXUALITY"


@pytest.mark.parametrize(
    ("header", "entity"),
    [
        ("email_verified", "EMAIL_ADDRESS"),
        ("phone type", "PHONE_NUMBER"),
        ("product name", "PERSON"),
        ("company name", "PERSON"),
        ("file_name", "PERSON"),
        ("number of customers", "PERSON_ID"),
        ("average age", "AGE"),
        ("city_id", "CITY"),
        ("avg_income_per_capita", "INCOME"),
        ("is_married_flag_count", "GENDER"),
        ("acid_level", "GENERIC_ID"),
        ("public", "DRIVER_LICENSE"),
        ("race_time", "ETHNICITY"),
        ("state_of_order", "US_SSN"),
        ("country_rank", "COUNTRY"),
        ("passport_expiry", "PASSPORT"),
    ],
)
def test_headers_that_mean_something_else(header: str, entity: str) -> None:
    found = [n.logit for n in named(header, lexicon(rule_sets.shipped().rules)) if n.rule.entity == entity]
    assert max(found, default=-9.0) < 0


def test_wrong_check_digits_are_no_national_numbers() -> None:
    right = [pesel(d, 3000 + i) for i, d in enumerate(BIRTHS)]
    wrong = [n[:-1] + str((int(n[-1]) + 1) % 10) for n in right]
    assert piiscan.scan(pl.DataFrame({"number": right}))[0].subtype == "PL_PESEL"
    assert piiscan.scan(pl.DataFrame({"number": wrong}))[0].pii == "none"


def test_half_a_name_says_what_the_other_half_is() -> None:
    report = piiscan.scan(pl.DataFrame({"nombre": pick("x1", GIVEN), "apellido": pick("x2", FAMILY)}))
    assert [c.entity for c in report.columns] == ["FIRST_NAME", "LAST_NAME"]
    report = piiscan.scan(pl.DataFrame({"Name": pick("x3", FAMILY), "Vorname": pick("x4", GIVEN)}))
    assert [c.entity for c in report.columns] == ["LAST_NAME", "FIRST_NAME"]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Name,Email\nBrindle Quaverstone,bquaverstone@fastmail.com\n", ["PERSON", "EMAIL_ADDRESS"]),
        ("Naam,E-mail\nWiebrecht Oostergoor,w.oostergoor@kpnmail.nl\n", ["PERSON", "EMAIL_ADDRESS"]),
        ("Nome;Nascimento;Telefone\nIracilda Vorlandes;03/02/1987;+55 21 97731-2048\n", ["PERSON"]),
        ("Nombre,Apellidos\nIlduara,Zurbaniz\n", ["FIRST_NAME", "LAST_NAME"]),
        ("Anna,Kernweiler\n", ["FIRST_NAME", "LAST_NAME"]),
        ("Kernweiler:Ada:1815-03-02\n", ["LAST_NAME", "FIRST_NAME"]),
        ("Name,Email\nAcme Widgets,acmewidgets@gmail.com\n", [None, None]),
        ("Name,Price\nQuaverton Brimble,20.50\n", [None, None]),
    ],
)
def test_names_in_no_list_by_what_is_beside_them(tmp_path: Path, text: str, entities: list[str | None]) -> None:
    (tmp_path / "few.csv").write_text(text, encoding="utf-8")
    columns = piiscan.scan(tmp_path / "few.csv").tables[0].columns[: len(entities)]
    assert [c.entity if c.pii == "direct" else None for c in columns] == entities


@pytest.mark.parametrize(
    ("text", "is_doubtful"),
    [
        ("Nome,Citta\nZefirino Quaravalle,Ivrea\n", True),
        ("Name,IBAN\nBrindle Quaverstone,DE45500105175407324931\n", True),
        ("Name,Price\nBrindle Quaverstone,20.50\n", False),
        ("Brindle Quaverstone;1987-02-03\n", True),
        ("Dobrochna;Wrzesławicz;1987-02-03\n", True),
        ("Brindle Quaverstone;2026-02-03\n", False),
        ("Main Server;1987-02-03\n", False),
        ("open;closed;1987-02-03\n", False),
        ("Name,City\nMain Server,Lyon\n", False),
        ("Name,Phone\nKrumhold GmbH,05241 88371\n", False),
    ],
)
def test_few_full_names_may_be_those_of_persons(tmp_path: Path, text: str, is_doubtful: bool) -> None:
    (tmp_path / "few.csv").write_text(text, encoding="utf-8")
    assert [entry.index for entry in piiscan.scan(tmp_path / "few.csv").review if entry.index == 0] == [0] * is_doubtful


def test_identifiers_inside_other_columns_are_counted() -> None:
    notes = [f"called back, all fine, visit {i} went as planned" for i in range(1000)]
    for i in range(20):
        notes[i * 37] = f"please write to someone{i}@example.org before Friday"
    column = piiscan.scan(pl.DataFrame({"remarks": notes}))[0]
    assert [(i.entity, i.cells) for i in column.inside] == [("EMAIL_ADDRESS", 20)]
    mixed = [f"078-05-{1000 + i}" if i % 2 else f"person{i}@example.org" for i in range(200)]
    column = piiscan.scan(pl.DataFrame({"contact": mixed}))[0]
    assert {column.entity, *(i.entity for i in column.inside)} >= {"US_SSN", "EMAIL_ADDRESS"}


def test_names_of_persons_are_direct_wherever_they_stand() -> None:
    titles = [f"Story of {w} {i}" for i, w in enumerate(pick("t", JOBS))]
    report = piiscan.scan(
        pl.DataFrame(
            {
                "title": titles,
                "author": full("author"),
                "pages": numbers("pg", 80, 900),
                "isbn": numbers("is", 10**9, 10**10 - 1),
            }
        )
    )
    assert (report["author"].entity, report["author"].pii) == ("PERSON", "direct")
    assert [c.pii for c in report.columns if c.name != "author"] == ["none"] * 3


def test_hashed_values_are_pseudonyms() -> None:
    digests = [f"{rng(str(i)).getrandbits(256):064x}" for i in range(ROWS)]
    column = piiscan.scan(pl.DataFrame({"customer_email": digests}))[0]
    assert (column.entity, column.pii) == ("EMAIL_ADDRESS", "quasi")


@pytest.mark.parametrize(
    ("passed", "candidates", "chance", "more"),
    [
        (1, 1, 0.1, True),
        (3, 3, 0.1, True),
        (0, 3, 0.1, False),
        (1, 12, 0.1, False),
        (100, 1000, 0.1, False),
        (104, 1000, 0.1, False),
        (150, 1000, 0.1, True),
        (10, 10, 0.1, True),
        (12, 40, 0.01, True),
    ],
)
def test_passes_beyond_chance(passed: int, candidates: int, chance: float, more: bool) -> None:
    from dataclasses import replace

    rule = replace(rule_sets.shipped().rules.by_id["pl-pesel"], chance=chance)
    assert beyond_chance(rule, Hits(candidates, passed)) is more


@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(0.001, 0.5))
def test_lift_is_never_negative_and_grows_with_the_passes(candidates: int, share: float, chance: float) -> None:
    passed = int(share * candidates)
    assert (
        0
        <= lift(passed, candidates, chance)
        <= lift(min(candidates, passed + 1), candidates, chance) + 1e-9 * candidates
    )


@given(st.text(max_size=80))
def test_any_header_can_be_read(header: str) -> None:
    assert all(-12 < n.logit < 6 for n in named(header, lexicon(rule_sets.shipped().rules)))


CELLS = st.one_of(
    st.none(),
    st.text(max_size=30),
    st.integers().map(str),
    st.floats().map(str),
    st.dates().map(str),
    st.emails(),
    st.sampled_from([*GIVEN, *CITIES, "N/A", "", " "]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=12),
    st.lists(
        st.sampled_from(["name", "id", "age", "lat", "long", "x", "email", "dob", "", "ssn", "first", "last"]),
        min_size=3,
        max_size=3,
    ),
)
def test_any_table_gets_a_verdict(rows: list[tuple[Any, Any, Any]], headers: list[str]) -> None:
    frame = pl.DataFrame(
        [list(c) for c in zip(*rows, strict=True)] if rows else [[], [], []],
        schema=[("0", pl.String), ("1", pl.String), ("2", pl.String)],
    )
    fields = tuple(Field(h) for h in headers)
    from piiscan.scanning.engine import partial

    rules = rule_sets.shipped().rules
    summary = partial(frame, fields, rules)
    info = TableInfo("table.csv", None, "csv", True, fields)
    once, again = (
        classify(info, summary, rules, model()),
        classify(info, summary + TableSummary.empty(3), rules, model()),
    )
    assert once == again
    for verdict in once[1]:
        assert 0 <= verdict.confidence <= 1
        assert (verdict.entity is None) == (verdict.rule is None)
        assert verdict.entity is not None or verdict.pii == "none"
        cells = {c for row in rows for c in row if c and len(c) > 5 and c not in CITIES}
        assert not any(c in (r.text or "") for r in verdict.reasons for c in cells)


def test_a_table_without_rows_or_columns() -> None:
    assert (
        classify(TableInfo("x.csv", None, "csv", True, ()), TableSummary(), rule_sets.shipped().rules, model())[1] == ()
    )
    empty = pl.DataFrame({"email": []}, schema={"email": pl.String})
    (column,) = piiscan.scan(empty).columns
    assert column.entity is None
    assert "EMAIL_ADDRESS" in (column.reasons[0].text or "")
    (column,) = piiscan.scan(empty, empty_columns=True).columns
    assert column.entity == "EMAIL_ADDRESS"


CLEAN: dict[str, dict[str, list[str]]] = {
    "animals": {
        "ear_tag": keys("UK"),
        "breed": pick("br", ["Angus", "Holstein", "Jersey"]),
        "sex": pick("as", ["M", "F"]),
        "birth_date": dates("ab", 2015, 2023),
        "weight": decimals("aw", 200, 900),
    },
    "totals among groups": {
        "sex": pick("ts", ["Male", "Female", "Total"]),
        "age_group": pick("ta", ["18-24", "25-34", "35-44", "Total"]),
        "value": numbers("tv", 100, 9000),
    },
    "a column for each year": {
        "country": COUNTRIES * 12,
        "sex": pick("ys", ["Male", "Female"]),
        "age_group": pick("ya", ["0-14", "15-64", "65+"]),
        **{f"y{y}": decimals(f"y{y}", 0, 9) for y in range(1990, 2010)},
    },
    "numbers of persons": {
        "month": pick("pm", ["Jan", "Feb", "Mar"]),
        "branch": [f"Branch {i}" for i in range(ROWS)],
        "customers": numbers("pc", 5, 900),
        "employees": numbers("pe", 2, 40),
        "turnover": decimals("pt", 100, 9000),
    },
    "ships that bear names": {
        "vessel": keys("V"),
        "name": pick("vn", GIVEN),
        "ship": pick("vt", ["tanker", "cargo"]),
        "latitude": decimals("vla", 45, 55),
        "longitude": decimals("vlo", 1, 20),
        "speed": decimals("vs", 0, 25),
    },
    "offices": {
        "library": [f"{c} Library" for c in pick("ol", CITIES)],
        "e_mail": [f"info@library{i}.example.org" for i in range(ROWS)],
        "phone": phones("op"),
        "seats": numbers("os", 10, 200),
    },
    "plants": {
        "name": [f"Prison of {c}" for c in pick("pr", GIVEN)],
        "city": pick("prc", CITIES),
        "beds": numbers("prb", 20, 900),
    },
    "accounts of a ledger": {
        "account": pick("la", ["Cash", "Bank", "Wages", "Rent", "Fuel"]),
        "debit": decimals("ld", 1, 900),
        "credit": decimals("lc", 1, 900),
    },
    "services": {
        "module": pick("sm", GIVEN[:6]),
        "theme": ["Jasmine", "Ruby", "Amber", "Aurora"] * (ROWS // 4) + ["Ruby"] * (ROWS % 4),
        "container_name": [f"{a.lower()}_{b}" for a, b in zip(pick("sc", GIVEN), ["db", "web"] * ROWS, strict=False)],
        "replicas": numbers("sr", 1, 9),
    },
    "variables": {f"x{i}": decimals(f"x{i}", -5, 5) for i in range(6)},
    "documents": {
        "document number": [f"INV-{n}" for n in numbers("dn", 10**5, 10**6)],
        "cc": numbers("cc", 1, 900),
        "point": numbers("pn", 1, 90),
        "cp": decimals("cp", 1, 9),
        "fin": numbers("fi", 1, 9),
    },
}


@pytest.mark.parametrize("name", CLEAN)
def test_tables_without_persons_raise_no_alarm(name: str) -> None:
    report = piiscan.scan(pl.DataFrame(CLEAN[name]))
    assert {c.name: (c.entity, c.reasons) for c in report.columns if c.pii != "none" or c.inside} == {}


@pytest.mark.parametrize(
    "keys",
    [[str(uuid.UUID(int=n**9)) for n in range(2, 2 + ROWS)], numbers("rk", 10**6, 10**7)],
    ids=["uuid", "number"],
)
def test_keys_of_rows_about_persons_may_be_theirs(keys: list[Any]) -> None:
    people = {"first_name": pick("k1", GIVEN), "last_name": pick("k2", FAMILY), "key": keys, "email": mails("k3")}
    assert piiscan.scan(pl.DataFrame(people))["key"].pii == "quasi"


PLAIN_TELEPHONES = [f"06 {a[:2]} {a[2:4]} {a[4:6]} {a[6:]}" for a in numbers("tel", 10**7, 10**8 - 1)]


@pytest.mark.parametrize("header", ["", "col_{}", "V{}", "Spalte {}"])
def test_persons_without_headers(header: str) -> None:
    columns = [pick("q1", GIVEN), pick("q2", FAMILY), PLAIN_TELEPHONES, mails("q3"), pick("q4", ["x", "y", "z"])]
    frame = pl.DataFrame({header.format(i + 1) or f"{i}": c for i, c in enumerate(columns)})
    entities = [c.entity for c in piiscan.scan(frame).columns]
    assert entities == ["FIRST_NAME", "LAST_NAME", "PHONE_NUMBER", "EMAIL_ADDRESS", None]


@pytest.mark.parametrize(
    ("header", "values", "entity"),
    [
        ("What is your age?", numbers("h30", 18, 80), "AGE"),
        ("Wie alt sind Sie?", numbers("h31", 18, 80), "AGE"),
        ("Which country do you live in?", pick("h32", COUNTRIES), "COUNTRY"),
        ("Attendee no.", numbers("h33", 10000, 99999), "PERSON_ID"),
        ("Kd.-Nr.", numbers("h34", 10000, 99999), "PERSON_ID"),
        ("matricula", numbers("h35", 10000, 99999), "PERSON_ID"),
        ("placa", [f"ABC-{n}" for n in numbers("h36", 1000, 9999)], "VEHICLE_ID"),
        ("DL No Michigan", [f"S{n}" for n in numbers("h37", 10**11, 10**12)], "DRIVER_LICENSE"),
        ("Which film did you see first?", pick("h38", CITIES), None),
        ("Customer since", dates("h39", 2010, 2024), None),
    ],
)
def test_headers_that_ask_or_abbreviate(header: str, values: list[str], entity: str | None) -> None:
    assert piiscan.scan(pl.DataFrame({header: values}))[0].entity in (entity, None if entity else "CITY")


def test_a_header_that_names_one_number_speaks_for_no_other() -> None:
    births = dates("cpr", 1950, 1999)
    looks_danish = [f"{d[8:]}{d[5:7]}{d[2:4]}{n}" for d, n in zip(births, numbers("cpr2", 1000, 9999), strict=True)]
    column = piiscan.scan(pl.DataFrame({"npi": looks_danish}))[0]
    assert column.subtype != "DK_CPR"
    assert (
        piiscan.scan(pl.DataFrame({"PESEL": [pesel(d, 5000 + i) for i, d in enumerate(BIRTHS)]}))[0].subtype
        == "PL_PESEL"
    )


def test_many_mailboxes_of_few_providers_are_peoples() -> None:
    """Nothing beside them speaks of persons, and no local part holds a name."""
    sales = {
        "id": numbers("mb0", 1, 9999),
        "email": [
            f"u{n}@{d}"
            for n, d in zip(
                numbers("mb1", 10**4, 10**6), pick("mb2", ["mail.example.com", "post.example.net"]), strict=True
            )
        ],
        "amount": decimals("mb3", 1, 900),
    }
    assert [c.pii for c in piiscan.scan(pl.DataFrame(sales)).columns] == ["none", "direct", "none"]
    firms = {
        "company": [f"Acme {i} Ltd" for i in range(ROWS)],
        "email": [f"box{i}@acme{i}.example.com" for i in range(ROWS)],
    }
    assert [c.pii for c in piiscan.scan(pl.DataFrame(firms)).columns] == ["none", "none"]


def test_contact_data_beside_names_is_a_persons() -> None:
    guests = {"guest": full("g1"), "table": numbers("g2", 1, 20), "address": streets("g3"), "phone": phones("g4")}
    assert [c.pii for c in piiscan.scan(pl.DataFrame(guests)).columns] == ["direct", "none", "direct", "direct"]
    beside_firms = {"company": [f"Acme {i} Ltd" for i in range(ROWS)], "manager": full("g5"), "phone": phones("g6")}
    assert [c.pii for c in piiscan.scan(pl.DataFrame(beside_firms)).columns][:2] == ["none", "direct"]


PAGES = {
    "homepage": "https://www.{}.example/",
    "Home Page": "http://{}.example",
    "LinkedIn": "https://www.linkedin.com/in/{}",
    "link": "https://github.com/{}",
    "profile_url": "https://example.org/p?id={}",
    "web": "https://example.org/~{}",
    "website": "https://example.org/users/{}",
}
OTHER_PAGES = {
    "website": "https://www.{}.example/",
    "company_homepage": "https://www.{}.example/",
    "url": "https://github.com/{}/project/issues/7",
    "source": "https://news.example/{}.html",
}


@pytest.mark.parametrize(("pages", "pii"), [(PAGES, "quasi"), (OTHER_PAGES, "none")])
def test_pages_of_persons_reveal_who_they_are(pages: dict[str, str], pii: str) -> None:
    names = [f"{a}{b}{i}".lower() for i, (a, b) in enumerate(zip(pick("pa", GIVEN), pick("pb", FAMILY), strict=True))]
    people = {
        "first_name": pick("pa", GIVEN),
        "last_name": pick("pb", FAMILY),
        **{h: [p.format(n) for n in names] for h, p in pages.items()},
    }
    report = piiscan.scan(pl.DataFrame(people))
    assert {h: (report[h].entity, report[h].pii) for h in pages} == dict.fromkeys(pages, ("URL", pii))
    firms = {
        "company": [f"{n} Ltd" for n in pick("pf", CITIES)],
        "vat": numbers("pv", 10**8, 10**9),
        **{h: [p.format(n) for n in names] for h, p in pages.items()},
    }
    assert {c.pii for c in piiscan.scan(pl.DataFrame(firms)).columns if c.entity == "URL"} == {"none"}


def test_the_verdict_none_says_what_came_nearest() -> None:
    column = piiscan.scan(pl.DataFrame({"location": decimals("row", 1, 90)}))[0]
    assert column.entity is None
    assert "nearest to " in (column.reasons[0].text or "")


def test_addresses_with_given_names_are_to_be_reviewed_where_rows_are_firms() -> None:
    firms = {
        "company": [f"{n} Ltd" for n in pick("fc", CITIES)],
        "vat": numbers("fv", 10**8, 10**9),
        "e_mail": [f"{g.lower()}.{i}@firm{i}.example" for i, g in enumerate(pick("fg", GIVEN))],
    }
    report = piiscan.scan(pl.DataFrame(firms))
    assert report.tables[0].subject != "person"
    assert report["e_mail"].entity == "EMAIL_ADDRESS" and (report["e_mail"].pii == "direct" or report["e_mail"].review)


def test_an_account_is_no_iban_by_its_header_alone() -> None:
    accounts = {"first_name": pick("an", GIVEN), "bank_account": [f"{n}" for n in numbers("ba", 10**9, 10**10)]}
    assert piiscan.scan(pl.DataFrame(accounts))["bank_account"].entity == "BANK_ACCOUNT"


def test_the_company_of_an_address_is_no_address() -> None:
    orders = {
        "order_id": keys("O"),
        "shipping_address_company": pick(
            "sc", ["Hooli", "Initech", "Globex", "Umbrella", "Stark", "Wayne", "Acme", "Vandelay"]
        ),
    }
    assert piiscan.scan(pl.DataFrame(orders))["shipping_address_company"].entity != "STREET_ADDRESS"


def test_what_the_header_names_counts_more_than_what_values_look_like() -> None:
    table = {"religion": pick("rl", [f"{g} {n}" for g in GIVEN[:6] for n in ("Church", "Temple")])}
    assert piiscan.scan(pl.DataFrame(table))["religion"].entity != "PERSON"


@pytest.mark.parametrize(("accounts", "whole"), [(3, False), (9, False), (100, True)])
def test_what_few_cells_hold_is_inside_a_column_and_not_what_it_is(accounts: int, whole: bool) -> None:
    rng = random.Random(5)
    cells = [iban(rng) if i < accounts else f"{rng.randrange(10**5)}/{rng.randrange(10**6):06}-X" for i in range(100)]
    column = piiscan.scan(pl.DataFrame({"lot": range(100), "domestic_example": cells}))["domestic_example"]
    assert (column.entity == "IBAN_CODE", sum(i.cells for i in column.inside)) == (whole, 0 if whole else accounts)


def iban(rng: random.Random) -> str:
    bban = f"{rng.randrange(10**18):018}"
    return f"DE{98 - int(bban + '131400') % 97:02}{bban}"


@pytest.mark.parametrize("header", ["pan", "pan_masked", "Masked PAN", "card_pan"])
def test_truncated_cards_are_no_numbers_of_taxpayers(header: str) -> None:
    """PAN stands for both."""
    cards = ["411111******1111", "550000XXXXXX0004", "520082******8210", "371449*****8431"]
    assert piiscan.scan(pl.DataFrame({header: cards, "amount": [1, 2, 3, 4]}))[header].entity == "CREDIT_CARD"
    taxpayers = ["ACUPA7085R", "AAAPL1234C", "BNZPM2501F", "AFZPK7190K"]
    assert piiscan.scan(pl.DataFrame({"pan": taxpayers, "amount": [1, 2, 3, 4]}))["pan"].subtype == "IN_PAN"
    hidden = ["XXXXXX7085", "XXXXXX1234", "XXXXXX2501", "XXXXXX7190"]
    assert piiscan.scan(pl.DataFrame({"pan": hidden, "amount": [1, 2, 3, 4]}))["pan"].entity == "NATIONAL_ID"
