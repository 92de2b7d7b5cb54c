"""Every shipped rule keeps its promises: its examples hold, its chance is what random strings give, its headers are
words."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from piiscan.core import header_words, resources
from piiscan.core.entities import PII_CLASS
from piiscan.rules import chance, definitions, dialect
from piiscan.rules.chance import draw

OPERATORS = {"surrogate", "token", "fpe", "hash", "suppress", "mask", "keep"}


@cache
def shipped() -> tuple[definitions.Rule, ...]:
    return definitions.load_folder(resources.folder("rules")).rules


def ids(found: object) -> str:
    assert isinstance(found, definitions.Rule)
    return found.id


PATTERNS = [r for r in shipped() if r.pattern is not None and r.engine == "linear"]
CHECKED = [r for r in PATTERNS if r.check is not None]


@pytest.mark.parametrize("rule", shipped(), ids=ids)
def test_examples_hold(rule: definitions.Rule) -> None:
    assert definitions.verify(rule) == []


@pytest.mark.parametrize("rule", PATTERNS, ids=ids)
def test_random_strings_of_a_pattern_match_it(rule: definitions.Rule) -> None:
    """The dialect's parse and Python's `re` mean the same by a pattern."""
    node, rng = dialect.parse(rule.pattern or "", rule.id), random.Random(rule.id)
    unchecked = definitions.replace(rule, check=None, chance=1.0)
    drawn = [text for text in (draw(node, rng) for _ in range(30)) if text == text.strip()]
    assert drawn
    assert [text for text in drawn if not unchecked.fullmatch(text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", CHECKED, ids=ids)
def test_chance_is_what_random_strings_give(rule: definitions.Rule) -> None:
    assert chance.verify(rule) == []


@pytest.mark.parametrize("rule", [r for r in PATTERNS if r.search == "anywhere"], ids=ids)
def test_what_is_found_anywhere_looks_like_nothing_else(rule: definitions.Rule) -> None:
    """Plain digits are looked for in running text only where they are payment cards; short words never are."""
    digits = [m for m in rule.match if m.isdigit()]
    assert not digits or rule.id in {"card", "ae-emirates-id"}
    assert min(map(len, rule.match)) >= 3


def test_headers_are_words() -> None:
    """A phrase without a token would be found in every header."""
    for rule in shipped():
        for phrase in (*rule.headers, *rule.not_headers, *rule.context):
            assert header_words.tokens(phrase), (rule.id, phrase)


def test_rules_are_documented() -> None:
    for rule in shipped():
        assert rule.operator is None or rule.operator in OPERATORS, rule.id
        if rule.country is not None:
            assert len(rule.country) == 2, rule.id
            assert rule.country.isupper(), rule.id
        if rule.pattern is not None:
            assert rule.operator in OPERATORS, rule.id
            assert rule.link is None or rule.link.startswith(("https://", "http://")), rule.id
            assert len(rule.match) >= 4, rule.id
            assert len(rule.no_match) >= 4, rule.id
        if rule.subtype is not None:
            assert rule.authority is not None, rule.id


def test_there_are_rules_for_every_entity() -> None:
    missing = PII_CLASS.keys() - {r.entity for r in shipped()}
    assert missing == set()
    assert Counter(r.pattern is not None for r in shipped())[True] >= 140


def test_every_country_entity_of_presidio_has_a_rule() -> None:
    named = {r.subtype for r in shipped()}
    wanted = """
        AU_ABN AU_ACN AU_MEDICARE AU_TFN CA_SIN CA_POSTAL_CODE FI_PERSONAL_IDENTITY_CODE DE_BSNR DE_FUEHRERSCHEIN
        DE_HANDELSREGISTER
        DE_HEALTH_INSURANCE DE_ID_CARD DE_KFZ DE_LANR DE_PASSPORT DE_PLZ DE_SOCIAL_SECURITY DE_TAX_ID DE_TAX_NUMBER
        DE_VAT_ID IN_AADHAAR
        IN_GSTIN IN_PAN IN_PASSPORT IN_VEHICLE_REGISTRATION IN_VOTER IT_DRIVER_LICENSE IT_FISCAL_CODE IT_IDENTITY_CARD
        IT_PASSPORT
        IT_VAT_CODE KR_BRN KR_DRIVER_LICENSE KR_FRN KR_PASSPORT KR_RRN NG_NIN NG_VEHICLE_REGISTRATION PH_TIN PH_PASSPORT
        PH_UMID PL_PESEL
        SG_NRIC_FIN SG_UEN ES_NIE ES_NIF ES_PASSPORT SE_ORGANISATIONSNUMMER SE_PERSONNUMMER TH_TNIN TR_LICENSE_PLATE
        TR_NATIONAL_ID
        ZA_ID_NUMBER ZA_PASSPORT ZA_DRIVER_LICENSE ZA_LICENSE_PLATE ZA_COMPANY_REGISTRATION ZA_INCOME_TAX_NUMBER
        ZA_VAT_NUMBER
        ZA_TRAFFIC_REGISTER_NUMBER UK_DRIVING_LICENCE UK_NHS UK_NINO UK_PASSPORT UK_POSTCODE UK_VEHICLE_REGISTRATION
        ABA_ROUTING_NUMBER
        MEDICAL_LICENSE US_BANK_NUMBER US_DRIVER_LICENSE US_HEALTH_INSURANCE_MEMBER_ID US_PRIOR_AUTHORIZATION_NUMBER
        US_ITIN US_MBI US_NPI
        US_PASSPORT
    """.split()
    assert [name for name in wanted if name not in named] == []


GOOD = {
    "id": "x-number",
    "entity": "NATIONAL_ID",
    "title": "X",
    "pattern": r"\d{4}",
    "match": ["1234"],
    "no_match": ["123"],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"match": []}, "a rule without examples doesn't load"),
        ({"no_match": []}, "a rule without examples doesn't load"),
        ({"title": ""}, "'title' is missing"),
        ({"id": "X_Number"}, "lower-case words"),
        ({"entity": "NATIONAL"}, "unknown entity"),
        ({"patern": "x"}, "did you mean 'pattern'"),
        ({"search": "everywhere"}, "must be one of"),
        ({"pattern": r"^\d+$"}, "outside the linear dialect"),
        ({"pattern": r"(?=a)b"}, "outside the linear dialect"),
        ({"pattern": r"a.b"}, "outside the linear dialect"),
        ({"pattern": r"[^ab]"}, "negated classes"),
        ({"pattern": r"(a"}, "not a regular expression"),
        ({"pattern": "é"}, "ASCII"),
        ({"check": "luhn"}, "'chance'"),
        ({"chance": 0.1}, "'chance'"),
        ({"match": "1234"}, "list of strings"),
        ({"gate": "1"}, "'gate' is only for"),
        ({"engine": "regex"}, "needs a 'gate'"),
    ],
)
def test_a_faulty_rule_does_not_load(change: dict[str, object], said: str) -> None:
    with pytest.raises(definitions.RuleError, match=said.replace("(", r"\(")) as caught:
        definitions.parse_rule(GOOD | change, "mine.toml", Path())
    assert "mine.toml" in str(caught.value)


def test_a_sound_rule_loads() -> None:
    rule = definitions.parse_rule(GOOD | {"search": "context", "headers": ["x number"]}, "mine.toml", Path())
    assert rule.context == ("x number",)
    assert definitions.verify(rule) == []
    assert definitions.verify(definitions.replace(rule, match=("123",), no_match=("1234",))) == [
        "should match: '123'",
        "should not match: '1234'",
    ]
