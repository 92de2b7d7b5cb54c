"""How personal a column is said to be, how sure that is, and what is left for a person to review."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import polars as pl
import pytest

import piiscan
from piiscan.core.entities import PII_CLASS

FIRST = "Anna Peter Maria John Julia Thomas Laura Michael Sofia David Emma Daniel Nina Lukas Clara Felix".split()
LAST = "Novak Smith Garcia Rossi Martin Weber Silva Jansen Kowalski Dubois Moreau Fischer Lopez Costa".split()
CHANCE = random.Random(3)
NAMES = [f"{CHANCE.choice(FIRST)} {CHANCE.choice(LAST)}" for _ in range(40)]
MAILS = [f"{n.lower().replace(' ', '.')}{i}@example.org" for i, n in enumerate(NAMES)]
PHONES = [f"+1 202-555-{100 + i:04}" for i in range(40)]
BOXES = [f"box{i * 7919 % 9973}@example.org" for i in range(40)]


def columns(**cells: list[Any]) -> dict[str, Any]:
    return {c.name: c for c in piiscan.scan(pl.DataFrame(cells)).columns}


@pytest.mark.parametrize("header", ["email", "mail", "contact", "x"])
@pytest.mark.parametrize("rows", [1, 2, 40])
def test_contact_data_of_which_nothing_is_known_are_direct(header: str, rows: int) -> None:
    found = columns(**{header: BOXES[:rows]})[header]
    assert (found.entity, found.pii) == ("EMAIL_ADDRESS", "direct")


@pytest.mark.parametrize(
    ("header", "names", "reached"),
    [
        ("Имя", ["Ютавар"], {"Телефон": ["+7 912 445-88-01"]}),
        ("Name", ["Zelquorin", "Barquin"], {"Phone": ["+44 7911 123456", "+44 7911 123457"]}),
        ("Nom", ["Zelquorin"], {"Email": ["zq88@orange.fr"], "Tél": ["06 44 12 98 70"]}),
    ],
)
def test_contact_data_beside_what_may_be_anybodys_name_are_direct(
    header: str, names: list[str], reached: dict[str, list[str]]
) -> None:
    report = piiscan.scan(pl.DataFrame({header: names, **reached}))
    assert {report[name].pii for name in reached} == {"direct"}
    assert report[header].review
    firm = piiscan.scan(pl.DataFrame({header: ["Barnum Plc"] * len(names), **reached}))
    assert {firm[name].pii for name in reached} == {"none"}


def test_a_list_of_one_address_is_no_clean_file() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "piiscan", "scan", "-"], input="email\na@b.org\n", capture_output=True, text=True
    )
    assert done.returncode == 1 and "Clean" not in done.stdout


SUPPLIERS = {"supplier": [f"Acme {i} Ltd" for i in range(40)], "vat_number": [f"GB{i:09}" for i in range(40)]}
STATIONS = {"station": [f"Station {i}" for i in range(40)], "latitude": [50 + i / 100 for i in range(40)]}


@pytest.mark.parametrize(("others", "word"), [(SUPPLIERS, "office_phone"), (STATIONS, "station_phone")])
def test_telephones_of_organisations_and_places_are_nobodys(others: dict[str, list[Any]], word: str) -> None:
    found = columns(**others, **{word: PHONES})
    assert (found[word].entity, found[word].pii) == ("PHONE_NUMBER", "none")
    assert found[word].reasons[-1].by == "subject", "an identifier of nobody says why"


def test_one_owners_contact_data_are_of_one_class() -> None:
    found = columns(full_name=NAMES, age=[20 + i for i in range(40)], email=MAILS, phone=PHONES)
    assert found["email"].pii == found["phone"].pii == "direct"
    assert found["email"].pii_confidence == found["phone"].pii_confidence


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_and_classes_agree_with_entities(seed: int) -> None:
    """Whatever the table: a class is one that the entity can have, and doubts are said of what is in doubt."""
    chance = random.Random(seed)
    pool = {
        "name": NAMES, "mail": MAILS, "phone": PHONES, "code": [f"A-{i:04}" for i in range(40)],
        "amount": [f"{chance.gauss(100, 30):.2f}" for _ in range(40)], "city": ["Paris", "Rome", "Oslo", "Bern"] * 10,
        "born": [f"19{50 + i}-0{1 + i % 9}-1{i % 9}" for i in range(40)], "note": ["called back, was fine"] * 40,
        "card": ["4111 1111 1111 1111"] * 40, "masked": [f"****{1000 + i}" for i in range(40)],
    }  # fmt: skip
    names = chance.sample(sorted(pool), chance.randint(1, len(pool)))
    for c in columns(**{n: pool[n] for n in names}).values():
        assert 0 <= c.pii_confidence <= 1
        own = PII_CLASS.get(c.entity or "", "none")
        assert (
            c.pii in ("none", own)
            or own == "direct"
            or (c.entity, c.pii) in (("PERSON_ID", "direct"), ("URL", "quasi"))
        )
        assert c.entity is not None or c.pii == "none"
        assert all("%" in text for text in c.review)


@pytest.mark.parametrize("masked", ["****{n}", "XXX-XX-{n}", "j***{n}@example.org"])
def test_what_a_mask_leaves_is_never_direct(masked: str) -> None:
    cells = [masked.format(n=1000 + i) for i in range(40)]
    found = columns(full_name=NAMES, ssn=cells)["ssn"]
    assert found.pii != "direct" and not found.review


def test_a_secret_is_direct_whatever_rows_are_about() -> None:
    keys = [f"AKIA{CHANCE.randrange(36**7):07X}".ljust(20, "Q")[:20] for _ in range(40)]
    found = columns(machine=[f"host-{i}" for i in range(40)], aws_access_key=keys)["aws_access_key"]
    assert found.entity is None or (found.entity, found.pii) == ("SECRET", "direct")


def _taxpayer(rng: random.Random) -> str:
    """A Hungarian tax identifier, whose check is that of ISBN as well."""
    while True:
        body = f"8{rng.randrange(21000, 52000):05}{rng.randrange(1000):03}"
        check = sum(int(d) * i for i, d in enumerate(body, 1)) % 11
        if check < 10:
            return body + str(check)


@pytest.mark.parametrize(
    "others", [{}, {"last_name": [n.split()[1] for n in NAMES], "age": [20 + i for i in range(40)]}]
)
def test_numbers_whose_check_is_that_of_books_too_are_not_surely_nobodys(others: dict[str, list[Any]]) -> None:
    rng = random.Random(5)
    found = columns(**others, nr=[_taxpayer(rng) for _ in range(40)])["nr"]
    assert (found.entity, found.subtype, found.pii) == ("NATIONAL_ID", "HU_TAX_ID", "direct")
    assert found.pii_confidence < 1.0


def test_families_of_species_are_no_surnames() -> None:
    family = ["Apiaceae", "Rosaceae", "Iridaceae", "Nymphalidae", "Phasianidae", "Muscicapidae"] * 6
    species = [
        "Daucus carota",
        "Rosa canina",
        "Iris sibirica",
        "Vanessa atalanta",
        "Perdix perdix",
        "Erithacus rubecula",
    ]
    found = columns(scientificName=species * 6, family=family, count=list(range(36)))["family"]
    assert found.entity is None and not found.review
    assert (
        columns(family=["Novak", "Smith", "Garcia", "Rossi", "Bandidae", "Weber"] * 6)["family"].entity == "LAST_NAME"
    )


def test_hospitals_named_after_persons_are_none() -> None:
    """Clinics, hospitals and schools, in Dutch, Swedish and Finnish."""
    first = "Maria Elisabeth Wilhelmina Catharina Franciscus Albert Beatrix Anna".split()
    for kind in ("Kliniek", "Gasthuis", "Sjukhus", "Sairaala", "Apteekki"):
        found = columns(
            nr=list(range(40)), naam=[f"{name} {kind}" for name in first * 5], bedden=[90 + 7 * i for i in range(40)]
        )
        assert found["naam"].entity not in ("PERSON", "LAST_NAME", "FIRST_NAME"), kind


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("NOMBRE_CENTRO", ["CEIP Miguel Ferrero", "IES Rosa Chazal", "Colegio Santa Teresa", "CEIP Antonio Macho"]),
        ("KURUM_ADI", ["Mustafa Kemal Anadolu Lisesi", "Yunus Emre Ortaokulu", "Fatma Hatun İlkokulu", "Ali Lisesi"]),
        ("NOM", ["CAMPING SAINT MICHEL", "CAMPING ANNE MARIE", "CAMPING LE LOUIS", "CAMPING JEAN BART"]),
    ],
)  # fmt: skip
def test_contact_data_of_what_is_named_after_persons_are_nobodys(header: str, names: list[str]) -> None:
    mail = [f"{i}90{i}@edu-x.org" for i in range(4)] if header != "NOM" else [None, "lelouis@orange.fr", None, None]
    found = columns(**{header: names}, TELEFON=[f"03124{i}{i}12{i}2" for i in range(4)], EMAIL=mail)
    assert {c.pii for c in found.values()} == {"none"}
