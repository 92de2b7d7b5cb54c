"""Numbers that their header names stay what it says though their digits are made up; a look alone beats no header."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

import piiscan

SIZES = (8, 40)
LETTERS = "ABCDEFGHKLMNPRSTUVWXYZ"


def like(form: str) -> Callable[[random.Random], str]:
    """9 for a digit, A for a letter."""
    return lambda rng: "".join(
        rng.choice("0123456789") if c == "9" else rng.choice(LETTERS) if c == "A" else c for c in form
    )


NAMED = {
    ("ssn", "999-99-9999"): "US_SSN",
    ("SSN#", "999999999"): "US_SSN",
    ("passport no", "AA999999"): "PASSPORT",
    ("passport_number", "999999999"): "PASSPORT",
    ("pesel", "99999999999"): "NATIONAL_ID",
    ("account number", "9999999999"): "BANK_ACCOUNT",
    ("license no", "A9999999"): "DRIVER_LICENSE",
    ("driver license number", "A999999999999"): "DRIVER_LICENSE",
    ("Pag-ibig #", "9999-9999-9999"): "NATIONAL_ID",
    ("PhilSys ID", "9999-9999-9999-9999"): "NATIONAL_ID",
    ("GSIS No", "99999999999"): "NATIONAL_ID",
    ("cislo uctu", "9999999999/9999"): "BANK_ACCOUNT",
    ("aadhaar", "999999999999"): "NATIONAL_ID",
    ("PAN", "AAAAA9999A"): "NATIONAL_ID",
    ("cpf", "999.999.999-99"): "NATIONAL_ID",
    ("bsn", "999999999"): "NATIONAL_ID",
    ("iban", "DE99999999999999999999"): "IBAN_CODE",
    ("credit_card_number", "9999999999999999"): "CREDIT_CARD",
    ("nhs_number", "999 999 9999"): "NATIONAL_ID",
    ("tckn", "99999999999"): "NATIONAL_ID",
    ("personnummer", "999999-9999"): "NATIONAL_ID",
    ("hetu", "999999-999A"): "NATIONAL_ID",
    ("Steuer-ID", "99999999999"): "NATIONAL_ID",
    ("codice fiscale", "AAAAAA99A99A999A"): "NATIONAL_ID",
    ("curp", "AAAA999999AAAAAA99"): "NATIONAL_ID",
    ("nino", "AA999999A"): "NATIONAL_ID",
    ("imei", "999999999999999"): "DEVICE_ID",
    ("vin", "AAA999AAA99999999"): "VEHICLE_ID",
    # One digit too many or too few.
    ("iban", "GB99AAAA99999999999"): "IBAN_CODE",
    ("IBAN_Number", "DE999999999999999999999"): "IBAN_CODE",
    ("cpf", "9999999999"): "NATIONAL_ID",
    ("pesel", "9999999999"): "NATIONAL_ID",
    ("aadhaar", "9999999999999"): "NATIONAL_ID",
    ("curp", "AAAA999999AAAAAA999"): "NATIONAL_ID",
    ("dni", "9999999A"): "NATIONAL_ID",
}
OTHERWISE = (
    ("order_id", "999999999"),
    ("tracking", "999-99-9999"),
    ("case_no", "123-45-9999"),
    ("tracking_id", "123-45-9999"),
    ("order_number", "212-555-9999"),
    ("order_ref", "212-555-9999"),
    ("tracking number", "999999999999"),
    ("invoice_no", "99999999999"),
    ("product_code", "AA999999A"),
    ("part_number", "AAA9999999"),
    ("sku", "AA9999999"),
    ("isbn", "9789999999999"),
    ("ticket", "99999999A"),
    ("reference", "9999999999999999"),
)


def scanned(header: str, form: str, rows: int) -> piiscan.Report:
    rng = random.Random(f"{header} {form} {rows}")
    return piiscan.scan(pl.DataFrame({header: [like(form)(rng) for _ in range(rows)]}))


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize(("header", "form"), NAMED)
def test_made_up_numbers_are_what_their_header_says(header: str, form: str, rows: int) -> None:
    column = scanned(header, form, rows)[0]
    assert (column.entity, column.pii) == (NAMED[header, form], "direct"), column.reasons


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize(("header", "form"), OTHERWISE)
def test_a_look_beats_no_header_that_names_something_else(header: str, form: str, rows: int) -> None:
    report = scanned(header, form, rows)
    assert (report[0].pii, report.findings) == ("none", ()), report[0].reasons


def luhn(body: str) -> str:
    total = sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(body)))
    return body + str(-total % 10)


def test_a_check_that_all_pass_beats_a_header_of_keys() -> None:
    rng = random.Random(3)
    cards = [luhn(like("4999" + "9" * 11)(rng)) for _ in range(40)]
    assert piiscan.scan(pl.DataFrame({"order_ref": cards}))[0].entity == "CREDIT_CARD"


@pytest.mark.parametrize("header", ["order phone", "ticket holder ssn", "shipping telephone"])
def test_a_header_of_keys_that_names_the_number_too_says_what_it_is(header: str) -> None:
    entity = "US_SSN" if "ssn" in header else "PHONE_NUMBER"
    form = "123-45-9999" if "ssn" in header else "212-555-9999"
    assert scanned(header, form, 40)[0].entity == entity
