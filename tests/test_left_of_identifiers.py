"""Columns of masked or hashed identifiers keep their entity with a lower class; magnetic stripes are cards."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

import polars as pl
import pytest

import piiscan
from piiscan.text import spans

ROWS = 40
Make = Callable[[random.Random], str]


def digits(rng: random.Random, n: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(n))


def letter(rng: random.Random) -> str:
    return rng.choice("ABCDEFGHK")


def judged(header: str, make: Make) -> tuple[str | None, str]:
    rng = random.Random(header)
    column = piiscan.scan(pl.DataFrame({header: [make(rng) for _ in range(ROWS)]}))[0]
    return column.entity, column.pii


MASKED: dict[tuple[str, str], Make] = {
    ("card_number", "CREDIT_CARD"): lambda r: f"****{digits(r, 4)}",
    ("Credit Card", "CREDIT_CARD"): lambda r: f"XXXX-XXXX-XXXX-{digits(r, 4)}",
    ("cc_num", "CREDIT_CARD"): lambda r: f"4{digits(r, 5)}******{digits(r, 4)}",
    ("email", "EMAIL_ADDRESS"): lambda r: f"{letter(r).lower()}***@{r.choice(['x.example', 'mail.example.com'])}",
    ("ssn", "US_SSN"): lambda r: f"***-**-{digits(r, 4)}",
    ("Social Security Number", "US_SSN"): lambda r: f"XXX-XX-{digits(r, 4)}",
    ("phone", "PHONE_NUMBER"): lambda r: f"+1 *** *** {digits(r, 4)}",
    ("last_name", "LAST_NAME"): lambda r: f"{letter(r)}****",
    ("iban", "IBAN_CODE"): lambda r: f"DE** **** **** **** {digits(r, 2)}",
    ("passport_no", "PASSPORT"): lambda r: f"{letter(r)}XXXXX{digits(r, 3)}",
    ("주민등록번호", "NATIONAL_ID"): lambda r: f"{r.randrange(50, 99)}0101-1******",
    ("pesel", "NATIONAL_ID"): lambda r: f"{digits(r, 2)}*********",
}

HASHED = [
    ("email_hash", "EMAIL_ADDRESS"),
    ("customer_email", "EMAIL_ADDRESS"),
    ("hashed_ssn", "US_SSN"),
    ("card_number", "CREDIT_CARD"),
    ("ip_address", "IP_ADDRESS"),
    ("phone_sha256", "PHONE_NUMBER"),
    ("iban", "IBAN_CODE"),
]


@pytest.mark.parametrize(("header", "entity"), MASKED)
def test_masked_columns_keep_their_entity(header: str, entity: str) -> None:
    assert judged(header, MASKED[header, entity]) == (entity, "quasi")


@pytest.mark.parametrize("digest", ["md5", "sha1", "sha256"])
@pytest.mark.parametrize(("header", "entity"), HASHED)
def test_hashed_columns_keep_their_entity(header: str, entity: str, digest: str) -> None:
    assert judged(header, lambda r: hashlib.new(digest, digits(r, 9).encode()).hexdigest()) == (entity, "quasi")


@pytest.mark.parametrize(
    ("header", "make"),
    [
        ("size", lambda r: r.choice(["XL", "XXL", "XXXL"])),
        ("rating", lambda r: r.choice(["**", "***", "****"])),
        ("sku", lambda r: f"XXX-{digits(r, 4)}"),
        ("order_id", lambda r: f"###{digits(r, 4)}"),
        ("commit", lambda r: hashlib.sha1(digits(r, 9).encode()).hexdigest()),
        ("checksum", lambda r: hashlib.md5(digits(r, 9).encode()).hexdigest()),
    ],
)
def test_marks_and_digests_of_things_are_nobodys(header: str, make: Make) -> None:
    assert judged(header, make)[1] == "none"


def test_secrets_stay_direct_though_marks_stand_in_them() -> None:
    assert judged("password", lambda r: f"{letter(r)}##{digits(r, 2)}**{letter(r)}") == ("PASSWORD", "direct")


TRACK_1 = "%B4111111111111111^DOE/JANE^2512101000000000000?"
TRACK_2 = ";4111111111111111=25121010000012345678?"


@pytest.mark.parametrize("text", [TRACK_1, TRACK_2, f"read {TRACK_2} at till 4", f"swipe: {TRACK_1}, accepted"])
def test_magnetic_stripes_are_cards(text: str) -> None:
    found = [(text[s.start : s.end], s.entity) for s in spans(text) if s.entity == "CREDIT_CARD"]
    assert found == [(TRACK_1 if TRACK_1 in text else TRACK_2, "CREDIT_CARD")]


@pytest.mark.parametrize("header", ["track2", "value", "swiped"])
@pytest.mark.parametrize(
    "make",
    [
        lambda r: f";4{digits(r, 15)}=2512{digits(r, 16)}?",
        lambda r: f"%B5{digits(r, 15)}^DOE/JANE^2612101{digits(r, 12)}?",
    ],
)
def test_columns_of_stripes_are_cards(header: str, make: Make) -> None:
    assert judged(header, make) == ("CREDIT_CARD", "direct")


@pytest.mark.parametrize("text", ["width=4111111111=2512", "4111=2512101", "a;b=25121010000012345678"])
def test_other_equations_are_no_stripes(text: str) -> None:
    assert [s for s in spans(text) if s.rule == "card-track"] == []
