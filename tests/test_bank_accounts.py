"""Bank accounts as countries write them, found by their check digits alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

import piiscan
from piiscan.rules.checks import is_valid

ROWS = 12


def _digits(rng: random.Random, n: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(n))


FORMS: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "PL_NRB": ("pl_nrb", lambda rng: _digits(rng, 26)),
    "PL_NRB in groups": (
        "pl_nrb",
        lambda rng: " ".join([_digits(rng, 2), *(_digits(rng, 4) for _ in range(6))]),
    ),
    "HU_ACCOUNT": ("hu_account", lambda rng: "-".join(_digits(rng, 8) for _ in range(3))),
    "RS_ACCOUNT": ("rs_account", lambda rng: f"160-{_digits(rng, 13)}-{_digits(rng, 2)}"),
    "CZ_ACCOUNT": ("cz_account", lambda rng: f"{rng.randint(10**8, 10**9)}/0{rng.choice('138')}00"),
}


def _accounts(check: str, form: Callable[[random.Random], str], valid: bool) -> list[str]:
    rng = random.Random(check)
    found: list[str] = []
    while len(found) < ROWS:
        number = form(rng)
        if is_valid(check, number) is valid:
            found.append(number)
    return found


@pytest.mark.parametrize("name", FORMS)
def test_accounts_without_a_header_that_says_so(name: str) -> None:
    check, form = FORMS[name]
    report = piiscan.scan(pl.DataFrame({"x1": _accounts(check, form, valid=True)}))
    (column,) = report.tables[0].columns
    assert (column.entity, column.subtype, column.pii) == ("BANK_ACCOUNT", name.split()[0], "direct")


@pytest.mark.parametrize("name", FORMS)
def test_numbers_whose_digits_do_not_check(name: str) -> None:
    check, form = FORMS[name]
    report = piiscan.scan(pl.DataFrame({"x1": _accounts(check, form, valid=False)}))
    (column,) = report.tables[0].columns
    assert column.subtype != name.split()[0]
