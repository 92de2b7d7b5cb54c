"""Cells that write a value in another form than usual: found by `scan`, and gone after `mask`."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Sequence
from random import Random

import polars as pl
import pytest

import piiscan
import piiscan.text

RANDOM = Random(5)
ADDRESSES = [
    f"{RANDOM.choice((62, 81, 91, 203))}.{RANDOM.randint(1, 250)}.{RANDOM.randint(1, 250)}.{RANDOM.randint(1, 250)}"
    for _ in range(60)
]
MAILS = [f"{chr(97 + i % 7)}{'aeiou'[i % 5]}nn{i}.kernweiler@post{i % 9}.de" for i in range(60)]
PHONES = [f"+49 {RANDOM.choice((30, 171, 89))} {RANDOM.randint(2_000_000, 9_999_999)}" for _ in range(60)]
SSNS = [f"{RANDOM.randint(100, 665)}-{RANDOM.randint(10, 99)}-{RANDOM.randint(1000, 9999)}" for _ in range(60)]


def card(number: int) -> str:
    digits = [int(d) for d in f"453{number:012}"]
    doubled = [(d * 2 - 9 if d > 4 else d * 2) if i % 2 == 0 else d for i, d in enumerate(digits)]
    return "".join(map(str, digits)) + str(-sum(doubled) % 10)


CARDS = [card(RANDOM.randint(0, 10**12 - 1)) for _ in range(60)]


def wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isalnum() or c in "@+" else c for c in text)


def digits_from(zero: str, text: str) -> str:
    return "".join(chr(ord(zero) + int(c)) if c.isdigit() else c for c in text)


def scanned(name: str, cells: Sequence[str]) -> piiscan.ColumnReport:
    columns = {"no": range(10_001, 10_001 + len(cells)), name: cells, "points": [i % 7 for i in range(len(cells))]}
    return piiscan.scan(pl.DataFrame(columns)).tables[0].columns[1]


def as_number(address: str) -> str:
    return str(sum(int(part) << 8 * (3 - place) for place, part in enumerate(address.split("."))))


@pytest.mark.parametrize(
    "write",
    [
        lambda a: f"{a}:40813",
        lambda a: f"{a}/32",
        lambda a: f"{a},10.0.0.7",
        lambda a: a.replace(".", "[.]"),
        as_number,
    ],
)
def test_routed_addresses_are_direct_however_they_are_written(write: Callable[[str], str]) -> None:
    assert scanned("ip", [write(address) for address in ADDRESSES]).pii == "direct"


@pytest.mark.parametrize(
    ("entity", "cells", "write"),
    [
        ("EMAIL_ADDRESS", MAILS, lambda m: "".join(f"&#{ord(c)};" for c in m)),
        ("EMAIL_ADDRESS", MAILS, lambda m: m.replace("@", "&commat;")),
        ("EMAIL_ADDRESS", MAILS, lambda m: "".join(rf"\u{ord(c):04x}" for c in m)),
        ("EMAIL_ADDRESS", MAILS, lambda m: "".join(f"%{ord(c):02X}" for c in m)),
        ("EMAIL_ADDRESS", MAILS, lambda m: m.replace("@", "\u200b@\u2060")),
        ("EMAIL_ADDRESS", MAILS, wide),
        ("PHONE_NUMBER", PHONES, wide),
        ("PHONE_NUMBER", PHONES, lambda p: digits_from("٠", p)),
        ("PHONE_NUMBER", PHONES, lambda p: p.replace(" ", "\u00a0")),
        ("PHONE_NUMBER", PHONES, lambda p: p.replace(" ", "–")),
        ("PHONE_NUMBER", PHONES, lambda p: f"\u202a{p}\u202c"),
        ("PHONE_NUMBER", PHONES, lambda p: f'="{p}"'),
        ("US_SSN", SSNS, lambda s: s.replace("-", "\u2011")),
        ("US_SSN", SSNS, lambda s: digits_from("०", s)),
        ("CREDIT_CARD", CARDS, lambda c: f"'{c}"),
        ("CREDIT_CARD", CARDS, lambda c: f"{c}.0"),
        ("CREDIT_CARD", CARDS, lambda c: f"{c[:4]}\u202f{c[4:8]}\u202f{c[8:12]}\u202f{c[12:]}"),
    ],
)
def test_rules_take_cells_as_they_are_read(entity: str, cells: list[str], write: Callable[[str], str]) -> None:
    found, usual = scanned("value", [write(cell) for cell in cells]), scanned("value", cells)
    assert (found.entity, found.pii) == (entity, usual.pii)


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i % 97}.5%" for i in range(60)],
        [rf"C:\temp\new{i}\used" for i in range(60)],
        [f"R&D {i}&4" for i in range(60)],
        [f"{1990 + i % 20}–{2000 + i % 20}" for i in range(60)],
        [f"{3_000_000 + 97 * i}.5" for i in range(60)],
        [f"12\u00a0{100 + i}\u00a0km" for i in range(60)],
    ],
)
def test_nothing_is_read_into_cells(cells: list[str]) -> None:
    found = scanned("value", cells)
    assert (found.pii, found.inside) == ("none", ())


def test_texts_have_digits_and_spaces_of_any_script() -> None:
    text = "Tel.\u00a0:\u00a0+33\u202f6\u202f12\u202f34\u202f56\u202f78, hanna＠kernweiler.de, ５２４-５５-３２３９"
    found = {(s.entity, text[s.start : s.end]) for s in piiscan.text.spans(text)}
    assert ("PHONE_NUMBER", "+33\u202f6\u202f12\u202f34\u202f56\u202f78") in found
    assert ("EMAIL_ADDRESS", "hanna＠kernweiler.de") in found
    assert ("US_SSN", "５２４-５５-３２３９") in found


def test_digits_of_every_script_are_known() -> None:
    zeros = [chr(c) for c in range(128, sys.maxunicode) if unicodedata.decimal(chr(c), None) == 0]
    texts = [f"ID {digits_from(zero, '524-55-3239')}" for zero in zeros]
    found = piiscan.text.Analyzer(names=False).batch(texts)
    assert len(zeros) > 60
    assert [text for text, spans in zip(texts, found, strict=True) if "US_SSN" not in {s.entity for s in spans}] == []
