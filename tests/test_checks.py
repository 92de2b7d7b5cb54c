"""Check digits: each module's examples, its behaviour on anything at all, and its agreement with python-stdnum."""

from __future__ import annotations

import doctest
import random
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_rules_europe_latam import ORACLES as MORE_ORACLES

from piiscan.core import resources
from piiscan.rules import checks, definitions, dialect
from piiscan.rules.chance import draw
from piiscan.rules.checks import arithmetic

FOLDER = Path(checks.__file__).parent
MODULES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in ("__init__", "arithmetic"))
DRAWN = 1500


@pytest.mark.parametrize("name", [*MODULES, "arithmetic", "__init__"])
def test_examples_in_the_documentation(name: str) -> None:
    module = checks if name == "__init__" else import_module(f"piiscan.rules.checks.{name}")
    done = doctest.testmod(module)
    assert done.failed == 0
    assert done.attempted > 0 or name == "arithmetic"


@pytest.mark.parametrize("name", MODULES)
def test_any_ascii_is_answered(name: str) -> None:
    """Whatever stands in the matrix: booleans come back, without a warning, and the matrix stays as it was."""
    module = checks.module(name)
    rng = np.random.default_rng(7)
    for length in module.LENGTHS or range(1, 41):
        chars = rng.integers(0, 128, (200, length), dtype=np.uint8)
        digits = rng.integers(48, 58, (200, length), dtype=np.uint8)
        for matrix in (chars, digits, chars[:0], np.where(rng.random((200, length)) < 0.1, chars, digits)):
            before = matrix.copy()
            found = module.valid(matrix)
            assert found.dtype == np.bool_
            assert found.shape == (len(matrix),)
            assert (matrix == before).all()
        assert module.valid(chars).mean() < 0.2


@pytest.mark.parametrize("name", MODULES)
def test_zeros_before_a_count_are_no_number(name: str) -> None:
    """0000000022: what is checked must not be zeros alone, or every count of that width passes."""
    for width in checks.module(name).LENGTHS:
        for most in (99, 999):
            counted = [str(i).zfill(width) for i in range(1, most + 1)]
            assert checks.valid_many(name, counted).mean() < 0.2


@pytest.mark.parametrize("name", MODULES)
def test_every_check_is_used(name: str) -> None:
    assert name in {r.check for r in shipped().values()} | {"iso7064_11_2", "iso7064_11_10"}


def test_a_value_of_another_length_fails() -> None:
    assert checks.valid_many("uk_nhs", ["943476591", "94347659199", "", "943 476 5919"]).tolist() == [
        False,
        False,
        False,
        True,
    ]


@settings(deadline=None)
@given(st.lists(st.text(st.characters(max_codepoint=0x250), max_size=25), max_size=8))
def test_one_and_many_agree(values: list[str]) -> None:
    for name in ("luhn", "iban", "vin", "bitcoin", "isbn"):
        assert checks.valid_many(name, values).tolist() == [checks.is_valid(name, v) for v in values]


@settings(deadline=None)
@given(st.text("0123456789", min_size=1, max_size=30))
def test_luhn_and_verhoeff_have_one_check_digit(number: str) -> None:
    for name in ("luhn", "verhoeff"):
        assert checks.valid_many(name, [f"{number}{d}" for d in range(10)]).sum() == 1


@settings(deadline=None)
@given(st.text("0123456789", min_size=2, max_size=20), st.data())
def test_luhn_and_verhoeff_see_a_changed_digit(number: str, data: st.DataObject) -> None:
    for name in ("luhn", "verhoeff"):
        whole = next(f"{number}{d}" for d in range(10) if checks.is_valid(name, f"{number}{d}"))
        at = data.draw(st.integers(0, len(whole) - 1))
        other = data.draw(st.sampled_from([d for d in "0123456789" if d != whole[at]]))
        assert not checks.is_valid(name, whole[:at] + other + whole[at + 1 :])


@settings(deadline=None)
@given(st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=40))
def test_mod_97_is_pythons(text: str) -> None:
    values = arithmetic.digits(np.frombuffer(text.encode(), dtype=np.uint8)[None, :])
    assert arithmetic.mod_97(values.T)[0] == int("".join(str(int(c, 36)) for c in text)) % 97


@settings(deadline=None)
@given(st.dates())
def test_days_of_the_calendar(day: object) -> None:
    year, month, number = (np.array([int(part)]) for part in str(day).split("-"))
    assert arithmetic.is_date(year, month, number)[0]


@pytest.mark.parametrize(
    "triple", [(1900, 2, 29), (2001, 2, 29), (2000, 13, 1), (2000, 0, 1), (2000, 4, 31), (2000, 1, 0)]
)
def test_days_that_are_none(triple: tuple[int, int, int]) -> None:
    assert not arithmetic.is_date(*(np.array([part]) for part in triple))[0]


# Rule → module of python-stdnum, an independent implementation. Europe and Latin America have a table of their own.
ORACLES = {
    "au-abn": "au.abn",
    "au-acn": "au.acn",
    "au-tfn": "au.tfn",
    "bitcoin-address": "bitcoin",
    "ca-bc-health-number": "ca.bc_phn",
    "ca-business-number": "ca.bn",
    "ca-sin": "ca.sin",
    "card": "luhn",
    "card-rare": "luhn",
    "cn-resident-id": "cn.ric",
    "cn-uscc": "cn.uscc",
    "cz-account": "cz.bankaccount",
    "gh-tin": "gh.tin",
    "gtin": "ean",
    "iban": "iban",
    "iccid": "luhn",
    "id-npwp": "id.npwp",
    "id-npwp-plain": "id.npwp",
    "ie-pps": "ie.pps",
    "il-id": "il.idnr",
    "imei": "imei",
    "in-aadhaar": "in_.aadhaar",
    "in-gstin": "in_.gstin",
    "in-vid": "in_.vid",
    "in-voter": "in_.epic",
    "isbn": "isbn",
    "isin": "isin",
    "jp-corporate-number": "jp.cn",
    "jp-my-number": "jp.in_",
    "kr-rrn": "kr.rrn",
    "lei": "lei",
    "mu-nid": "mu.nid",
    "mx-nss": "luhn",
    "nz-ird": "nz.ird",
    "orcid": "isni",
    "sa-national-id": "luhn",
    "sg-uen": "sg.uen",
    "th-tnin": "th.pin",
    "th-tax-id": "th.moa",
    "tr-tckn": "tr.tckimlik",
    "tr-vkn": "tr.vkn",
    "tw-ubn": "tw.ubn",
    "uk-nhs": "gb.nhs",
    "uk-utr": "gb.utr",
    "uk-vat": "gb.vat",
    "us-aba-routing": "us.rtn",
    "vn-mst": "vn.mst",
    "za-id": "za.idnr",
    "za-income-tax": "za.tin",
    "za-vat": "luhn",
}

# Rules with a check that it doesn't know; their examples are documented numbers, or computed by hand.
WITHOUT_ORACLE = {
    "python-stdnum has no module for the number": """
        au-medicare br-cnh br-health-card br-pis br-renavam br-voter de-driver-license de-health-insurance de-id-card
        de-lanr de-social-security es-social-security hk-id hk-id-plain hu-account hu-personal-id hu-taj hu-tax-id
        ir-national-code kw-civil-id kz-iin lu-matricule mx-clabe nz-nhi pl-id-card pl-nrb pl-passport
        pt-social-security rs-account ru-snils ru-snils-plain sg-nric sv-dui tw-arc tw-id uk-nino-plain us-dea us-npi
        uy-ci vin
    """,
    "its module doesn't compute the check digit": "kr-brn",
}

# Rules without a check digit whose structure it knows: rule → (module, a number's layout, 9 for a digit and A for a
# letter).
STRUCTURES = {
    "bic": ("bic", "AAAAAA9AAAA"),
    "cr-cedula": ("cr.cpf", "9-9999-9999"),
    "in-pan": ("in_.pan", "AAAAA9999A"),
    "ke-pin": ("ke.pin", "A999999999A"),
    "pk-cnic": ("pk.cnic", "99999-9999999-9"),
    "us-ein": ("us.ein", "99-9999999"),
    "us-ssn": ("us.ssn", "999-99-9999"),
}
STRICTER = {
    "cr-cedula": ("provinces begin at 1", lambda n: n[0] == "0"),
    "pk-cnic": ("so do divisions", lambda n: n[1] == "0"),
}

# Where piiscan accepts more on purpose: rule → (why, the numbers meant).
WIDER: dict[str, tuple[str, Callable[[str], bool]]] = {
    "au-tfn": ("eight digits have weights of their own", lambda n: len(n) == 8),
    "bitcoin-address": ("Taproot addresses (BIP 350)", lambda n: n.lower().startswith("bc1p")),
    "ca-business-number": ("programme accounts RR and RZ", lambda n: n[10:11] in "RZ"),
    "cn-resident-id": ("old regions leave the registry, yet the people keep their numbers", lambda n: True),
    "cz-account": ("banks aren't looked up, whose codes come and go", lambda n: True),
    "cn-uscc": ("registrars A, N and Y", lambda n: not n[:2].isdigit()),
    "iban": (
        "the structure of each country's national part isn't tested, nor some national check digits",
        lambda n: True,
    ),
    "in-aadhaar": ("palindromes are not given", lambda n: n == n[::-1]),
    "in-gstin": (
        "state 97, other territory, 99, the centre, and 38, Ladakh; any serial",
        lambda n: n[:2] in ("38", "97", "99") or "0000" in n,
    ),
    "in-vid": ("palindromes are not given", lambda n: n == n[::-1]),
    "isin": ("the country isn't tested", lambda n: True),
    "sg-uen": ("years to come", lambda n: n[:4] > "2024" or n[1:3] > "24"),
    "za-id": ("births to come", lambda n: True),
}
# And where it accepts less.
NARROWER: dict[str, tuple[str, Callable[[str], bool]]] = {
    "au-tfn": ("eight digits have weights of their own", lambda n: len(n) == 8),
}


@cache
def shipped() -> dict[str, definitions.Rule]:
    return dict(definitions.load_folder(resources.folder("rules")).by_id)


@pytest.mark.parametrize(("rule_id", "name"), sorted(ORACLES.items()))
def test_agrees_with_stdnum(rule_id: str, name: str) -> None:
    """On random strings of the rule's pattern, on its examples, and on each example with one digit changed."""
    rule = shipped()[rule_id]
    validate = import_module(f"stdnum.{name}").is_valid

    def oracle(number: str) -> bool:
        try:
            return bool(validate(number))
        except KeyError:  # a region that its tables hold in part
            return False

    node, rng = dialect.parse(rule.pattern or "", rule.id), random.Random(rule.id)
    texts = [draw(node, rng) for _ in range(DRAWN)] + list(rule.match)
    texts += [m[:i] + str((int(c) + 1) % 10) + m[i + 1 :] for m in rule.match for i, c in enumerate(m) if c.isdigit()]
    without_check = definitions.replace(rule, check=None, chance=1.0)
    texts = [bare(rule_id, t) for t in texts if without_check.fullmatch(t)]
    ours = checks.valid_many(rule.check or "", texts)
    yes = [t for t, ok in zip(texts, ours, strict=True) if ok]
    no = [t for t, ok in zip(texts, ours, strict=True) if not ok]
    assert yes
    assert no
    _, more = WIDER.get(rule_id, ("", lambda n: False))
    _, less = NARROWER.get(rule_id, ("", lambda n: False))
    assert [t for t in no if oracle(t) and not less(t)] == []
    assert [t for t in yes if not oracle(t) and not more(t)] == []


@pytest.mark.parametrize("rule_id", sorted(STRUCTURES))
def test_structure_agrees_with_stdnum(rule_id: str) -> None:
    """On random strings of the pattern, and on strings of the number's layout."""
    rule, (name, layout) = shipped()[rule_id], STRUCTURES[rule_id]
    validate = import_module(f"stdnum.{name}").is_valid
    rng = random.Random(rule_id)
    texts = [draw(dialect.parse(rule.pattern or "", rule.id), rng) for _ in range(DRAWN)] + [
        *rule.match,
        *rule.no_match,
    ]
    texts += [
        "".join(
            {"9": rng.choice("0123456789"), "A": rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")}.get(c, c) for c in layout
        )
        for _ in range(DRAWN)
    ]
    ours = {text: rule.fullmatch(text) for text in texts}
    assert len(set(ours.values())) == 2
    # Spaces around the signs are a spelling that stdnum doesn't know.
    assert [text for text, ok in ours.items() if ok and not validate(text.replace(" - ", "-"))] == []
    _, stricter = STRICTER.get(rule_id, ("", lambda number: False))
    missed = [
        text
        for text, ok in ours.items()
        if not ok and validate(text) and len(text) == len(layout) and text == text.upper()
    ]
    assert [text for text in missed if not stricter(text)] == []


def test_every_check_has_an_oracle_or_a_reason() -> None:
    without = {rule_id for ids in WITHOUT_ORACLE.values() for rule_id in ids.split()}
    with_one = ORACLES.keys() | MORE_ORACLES.keys()
    assert not without & with_one
    assert {rule.id for rule in shipped().values() if rule.check} - with_one == without


def bare(rule_id: str, text: str) -> str:
    """Without what some oracles don't know: addresses, the T of invoices, separators."""
    if rule_id in ("bitcoin-address", "cz-account"):
        return text
    text = checks.compact_alnum(text.rpartition("/")[2] if rule_id == "orcid" else text)
    return text.removeprefix("T") if rule_id == "jp-corporate-number" else text
