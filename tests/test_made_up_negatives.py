"""What rules for running text find in made-up lines of business and logs that hold nobody's number.

Forms that only such numbers are written in (123-45-6789, 212-555-0143) are left out: nobody could tell.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from functools import cache

import polars as pl
import pytest

import piiscan
from piiscan.core.entities import PII_CLASS
from piiscan.detection.matching.match_column import count
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.rules.rule_sets import shipped

LINES = 400
MOST = 0.01
"""Share of the lines of one kind that a rule searched anywhere may hit."""
Make = Callable[[random.Random], str]


def digits(rng: random.Random, n: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(n))


def letters(rng: random.Random, n: int) -> str:
    return "".join(rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(n))


def like(form: str) -> Make:
    """9 for a digit, A for a letter, X for either."""
    signs = {"9": "0123456789", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "X": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    return lambda rng: "".join(rng.choice(signs.get(c, c)) for c in form)


KINDS: dict[str, Make] = {
    **{f"{n} digits": lambda r, n=n: f"{r.randrange(1, 10)}{digits(r, n - 1)}" for n in range(5, 21)},  # type: ignore[misc]
    **{
        form: like(form)
        for form in (
            "999-999 9999-9999 999-9999 99-9999999 9999-9999-9999 99999-9999 9999-999999 999999-9999 99-99-99 9999.99 "
            "99.999.999 999.999.999 99/999/99999 99999/99 999-999-999 9999/9999 9999999-9 99 999 9999 "
            "A999999 AA999999 A9999999 AA9999999 AAA9999999 AA9999999AA A-9999999 AAA-999999 AA999999A A9999999A "
            "9999999A AA-9999-A 9999-AAA AAA9999 AAA999 AA99AAA AAAA9999999 AAAAA9999A XXXXXXXX XXXXXXXXXX "
            "XXXX-XXXX-XXXX XXXXX-XXXXX-XXXXX 1ZXXXXXXXXXXXXXXXX"
        ).split()
    },
    "epoch": lambda r: str(1_600_000_000 + r.randrange(90_000_000)),
    "epoch in milliseconds": lambda r: str(1_600_000_000_000 + r.randrange(90_000_000_000)),
    "timestamp": lambda r: (
        f"20{r.randrange(10, 27)}{r.randrange(1, 13):02}{r.randrange(1, 29):02}{r.randrange(24):02}"
        f"{r.randrange(60):02}{r.randrange(60):02}"
    ),
    "day and counter": lambda r: (
        f"20{r.randrange(10, 27)}{r.randrange(1, 13):02}{r.randrange(1, 29):02}-{digits(r, 4)}"
    ),
    "date": lambda r: f"20{r.randrange(10, 27)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}",
    "amount": lambda r: f"{r.uniform(1, 1e6):,.2f}",
    "version": lambda r: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(99)}",
    "hexadecimal": lambda r: f"{r.getrandbits(64):016x}",
    "digest": lambda r: f"{r.getrandbits(160):040x}",
    "uuid": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "isbn": lambda r: f"978-{digits(r, 1)}-{digits(r, 3)}-{digits(r, 5)}-{digits(r, 1)}",
    "decimal": lambda r: f"{r.uniform(-180, 180):.7f}",
    "size": lambda r: f"{r.randrange(4000)}x{r.randrange(3000)}",
}
FRAMES = (
    "{}",
    "order {} was shipped to the customer",
    "Invoice line {} qty 4 net 120.50",
    "2024-03-05 12:33:01 INFO worker 7 finished job {} in 31 ms",
    "see ticket {}, and the attached file",
)
CARDS = {"16 digits"}
"""One in ten passes Luhn, and three in ten of these are in a range of issuers: what a card number looks like."""


@cache
def prefilter() -> Prefilter:
    return Prefilter(shipped())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_rules_searched_anywhere_find_hardly_anything(kind: str, frame: str) -> None:
    rng = random.Random(f"{kind} {frame}")
    lines = pl.Series([frame.format(KINDS[kind](rng)) for _ in range(LINES)])
    rules = shipped().rules.by_id
    shares = {
        rule: len(hits.cells) / LINES
        for (rule, whole), hits in count(lines, prefilter()).items()
        if PII_CLASS[rules[rule].entity] != "none" and (rules[rule].search == "anywhere" or not whole)
    }
    most = {"card": 0.06} if kind in CARDS else {}
    assert {rule: share for rule, share in shares.items() if share > most.get(rule, MOST)} == {}


@pytest.mark.parametrize(("header", "entity"), [("Gebühr", None), ("Abteilung", "INCOME")])
def test_amounts_beside_a_fee_are_no_pay(header: str, entity: str | None) -> None:
    rng = random.Random(7)
    names = [
        f"{rng.choice(['Anna', 'Jürgen', 'Karin', 'Peter'])} {rng.choice(['Weber', 'Huber', 'Lang'])}"
        for _ in range(40)
    ]
    amounts = [f"{rng.randrange(1800, 5200)},{rng.randrange(10, 99)}" for _ in names]
    beside = [f"-0,{rng.randrange(10, 99)}" for _ in names] if entity is None else ["Vertrieb", "Einkauf"] * 20
    table = pl.DataFrame({"Name": names, "Brutto": amounts, header: beside})
    assert piiscan.scan(table)["Brutto"].entity == entity
