"""Telephone rules beside phonenumbers, an independent account of every country's numbering plan."""

from __future__ import annotations

import random
from functools import cache

import phonenumbers as pn
import polars as pl
import pytest
import strategies as some

import piiscan
from piiscan.rules.definitions import Rule
from piiscan.rules.rule_sets import shipped

KINDS = {"mobile": pn.PhoneNumberType.MOBILE, "fixed": pn.PhoneNumberType.FIXED_LINE}
FEWEST_DIGITS = 10
"""Of an international number, its country code included. Shorter ones, of small places, look like too much else."""
NATIONAL = {r.country: r for r in shipped().rules.rules if r.entity == "PHONE_NUMBER" and r.pattern and r.country}
PARTIAL = {
    ("BD", "fixed"): "the rule is of mobile numbers",
    ("CN", "fixed"): "the rule is of mobile numbers",
    ("NG", "fixed"): "the rule is of mobile numbers",
    ("PH", "fixed"): "the rule is of mobile numbers",
    ("IE", "fixed"): "five digits after the area code",
    ("IT", "fixed"): "landlines in one group after the area code only",
    ("TR", "fixed"): "the trunk zero within brackets",
    ("VN", "fixed"): "the rule is of mobile numbers",
}
"""Numbers that a country's rule leaves to the rule `phone`, which a header has to name."""


def numbers(region: str, kind: str, count: int) -> list[pn.PhoneNumber]:
    """Random valid numbers of a region, made from the region's example."""
    example = pn.example_number_for_type(region, KINDS[kind])
    if example is None:
        return []
    rng, digits = random.Random(f"{region} {kind}"), pn.national_significant_number(example)
    found: list[pn.PhoneNumber] = []
    for _ in range(50 * count):
        kept = rng.randint(1, max(1, len(digits) - 3))
        national = digits[:kept] + "".join(rng.choices("0123456789", k=len(digits) - kept))
        number = pn.parse(f"+{example.country_code}{national}")
        if pn.is_valid_number(number):
            found.append(number)
        if len(found) == count:
            break
    return found


def written(number: pn.PhoneNumber, how: str) -> str:
    text: str = pn.format_number(number, getattr(pn.PhoneNumberFormat, how))
    return text


def is_possible(text: str) -> bool:
    """Whether a country code is known, and the rest of a length that its numbers have."""
    try:
        return bool(pn.is_possible_number(pn.parse(text)))
    except pn.NumberParseException:
        return False


@cache
def rule(name: str) -> Rule:
    return shipped().rules.by_id[name]


@pytest.mark.parametrize("how", ["E164", "INTERNATIONAL"])
def test_international_numbers_of_every_country(how: str) -> None:
    tried = 0
    for region in sorted(pn.SUPPORTED_REGIONS):
        texts = [written(number, how) for kind in KINDS for number in numbers(region, kind, 12)]
        long = [text for text in texts if sum(map(str.isdigit, text)) >= FEWEST_DIGITS]
        assert [text for text in long if not rule("phone-international").fullmatch(text)] == [], region
        tried += len(long)
    assert tried > 4000


def test_international_numbers_are_possible_ones() -> None:
    """Of random strings of the pattern, most are numbers that may be given out."""
    rng = random.Random("possible")
    texts = [some.draw(some.node_of(rule("phone-international")), rng) for _ in range(600)]
    possible = [is_possible(text) for text in texts if rule("phone-international").fullmatch(text)]
    assert len(possible) > 500
    assert sum(possible) / len(possible) > 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("country", sorted(NATIONAL))
def test_national_numbers(country: str, kind: str) -> None:
    """As each country writes its own. Every one of them is at least a number under a header that says so."""
    texts = [written(number, "NATIONAL") for number in numbers(country, kind, 80)]
    assert len(texts) > 40
    found = sum(map(NATIONAL[country].fullmatch, texts)) / len(texts)
    assert found < 0.1 if (country, kind) in PARTIAL else found > 0.9
    assert [text for text in texts if not rule("phone").fullmatch(text)] == []


OF_COUNTRIES = (
    "call me by phone on 0532 123 45 67",
    "mobile 0917 123 4567 please",
    "tel 020 7946 0958",
    "phone 010-1234-5678 or tel 020 7946 0958, fax 212-555-0143",
    "phone 9876543210",
)


def test_rules_of_many_countries_make_one_line() -> None:
    """Cells that hold any telephone number, each counted once, whatever countries its digits could be of. The rows are
    those of numbers that aren't kept for films."""
    notes = [*OF_COUNTRIES, "nothing at all is said here"] * 10
    inside = piiscan.scan(pl.DataFrame({"notes": notes}))[0].inside
    phones = [(i.subtype, i.cells, i.first_rows) for i in inside if i.entity == "PHONE_NUMBER"]
    assert phones == [(None, 50, (0, 1, 3, 4, 6))]


def test_the_rule_of_one_country_says_so() -> None:
    notes = ["the phone rang, 0905-123-4567", "nothing at all is said here"] * 10
    phones = [i for i in piiscan.scan(pl.DataFrame({"notes": notes}))[0].inside if i.entity == "PHONE_NUMBER"]
    assert [i.cells for i in phones] == [10]


def test_whole_cells_and_texts_add_up() -> None:
    said = ["nothing at all is said here", "the window in the hall was left open", "a parcel came for the neighbours"]
    cells = ["212-555-0143", "fax 212-555-0143 or mobile 0917 123 4567", *said] * 10
    phones = [i for i in piiscan.scan(pl.DataFrame({"notes": cells}))[0].inside if i.entity == "PHONE_NUMBER"]
    assert [(i.cells, i.first_rows) for i in phones] == [(20, (1, 6, 11, 16, 21))]


def test_headers_of_things_leave_their_whole_cells_out() -> None:
    cells = [f"212.555.014{i}" for i in range(9)] + ["phone 212-555-0143", "tel 020 7946 0958"]
    phones = [i for i in piiscan.scan(pl.DataFrame({"app version": cells}))[0].inside if i.entity == "PHONE_NUMBER"]
    assert sum(i.cells for i in phones) <= 2
