"""The check digits of Europe and Latin America agree with python-stdnum, an independent implementation."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import pytest
from test_rules import draw

from piiscan.core import resources
from piiscan.rules import definitions, dialect
from piiscan.rules.checks import valid_many

CANDIDATES = 1200

# Rule → module of python-stdnum.
ORACLES = {
    "al-nipt": "al.nipt",
    "ar-cbu": "ar.cbu",
    "ar-cuil": "ar.cuit",
    "ar-cuil-plain": "ar.cuit",
    "ar-cuit": "ar.cuit",
    "at-svnr": "at.vnr",
    "at-tax-number": "at.tin",
    "at-vat": "at.uid",
    "be-enterprise": "be.vat",
    "be-national-number": "be.nn",
    "be-national-number-plain": "be.nn",
    "bg-egn": "bg.egn",
    "bg-eik": "bg.vat",
    "bg-lnch": "bg.pnf",
    "br-cnpj": "br.cnpj",
    "br-cnpj-plain": "br.cnpj",
    "br-cpf": "br.cpf",
    "br-cpf-plain": "br.cpf",
    "by-unp": "by.unp",
    "ch-ahv": "ch.ssn",
    "ch-ahv-plain": "ch.ssn",
    "ch-uid": "ch.uid",
    "cl-rut": "cl.rut",
    "co-nit": "co.nit",
    "cy-vat": "cy.vat",
    "cz-ico": "cz.dic",
    "cz-rodne-cislo": "cz.rc",
    "cz-rodne-cislo-plain": "cz.rc",
    "cz-vat": "cz.dic",
    "de-tax-id": "de.idnr",
    "de-vat": "de.vat",
    "dk-cpr": "dk.cpr",
    "dk-cvr": "dk.cvr",
    "do-cedula": "do.cedula",
    "do-rnc": "do.rnc",
    "ec-cedula": "ec.ci",
    "ec-ruc": "ec.ruc",
    "ee-isikukood": "ee.ik",
    "ee-registrikood": "ee.registrikood",
    "ee-vat": "ee.kmkr",
    "es-ccc": "es.ccc",
    "es-cif": "es.cif",
    "es-dni": "es.nif",
    "es-nie": "es.nie",
    "es-vat": "es.nif",
    "fi-hetu": "fi.hetu",
    "fi-vat": "fi.alv",
    "fi-ytunnus": "fi.ytunnus",
    "fr-nir": "fr.nir",
    "fr-siren": "fr.siren",
    "fr-siret": "fr.siret",
    "fr-tax-id": "fr.nif",
    "fr-vat": "fr.tva",
    "gr-afm": "gr.vat",
    "gr-amka": "gr.amka",
    "gr-vat": "gr.vat",
    "gt-nit": "gt.nit",
    "hr-oib": "hr.oib",
    "hr-vat": "hr.oib",
    "hu-tax-number": "hu.anum",
    "is-kennitala": "is_.kennitala",
    "it-fiscal-code": "it.codicefiscale",
    "it-vat": "it.iva",
    "lt-asmens-kodas": "lt.asmens",
    "lt-vat": "lt.pvm",
    "lu-vat": "lu.tva",
    "lv-company": "lv.pvn",
    "lv-personas-kods": "lv.pvn",
    "md-idno": "md.idno",
    "md-idnp": "md.idno",
    "me-pib": "me.pib",
    "mk-edb": "mk.edb",
    "mt-vat": "mt.vat",
    "mx-curp": "mx.curp",
    "mx-rfc": "mx.rfc",
    "mx-rfc-company": "mx.rfc",
    "nl-bsn": "nl.bsn",
    "nl-vat": "nl.btw",
    "no-account": "no.kontonr",
    "no-fodselsnummer": "no.fodselsnummer",
    "no-organisasjonsnummer": "no.orgnr",
    "pe-dni-check": "pe.cui",
    "pe-ruc": "pe.ruc",
    "pe-ruc-company": "pe.ruc",
    "pl-nip": "pl.nip",
    "pl-pesel": "pl.pesel",
    "pl-regon": "pl.regon",
    "pl-regon-local": "pl.regon",
    "pt-citizen-card": "pt.cc",
    "pt-nif": "pt.nif",
    "pt-vat": "pt.nif",
    "py-ruc": "py.ruc",
    "ro-cnp": "ro.cnp",
    "ro-cui": "ro.cui",
    "rs-jmbg": "si.emso",
    "rs-pib": "rs.pib",
    "ru-inn-company": "ru.inn",
    "ru-inn-person": "ru.inn",
    "ru-ogrn": "ru.ogrn",
    "se-organisationsnummer": "se.orgnr",
    "se-personnummer": "se.personnummer",
    "se-vat": "se.vat",
    "si-emso": "si.emso",
    "si-tax": "si.ddv",
    "sk-vat": "sk.dph",
    "sv-nit": "sv.nit",
    "ua-edrpou": "ua.edrpou",
    "ua-tax-id": "ua.rntrc",
    "uy-rut": "uy.rut",
    "ve-rif": "ve.rif",
    "ve-rif-company": "ve.rif",
}


@dataclass(frozen=True)
class Wider:
    """Where piiscan accepts more on purpose. `number` is of letters and digits alone."""

    why: str
    example: str
    covers: Callable[[str], bool]


WIDER = {
    "ar-cuil": Wider("types 25 and 26 are issued too", "25-49949876-7", lambda n: n[:2] in ("25", "26")),
    "ar-cuil-plain": Wider("types 25 and 26 are issued too", "25991302029", lambda n: n[:2] in ("25", "26")),
    "at-tax-number": Wider("the list of tax offices changes, so it isn't tested", "442974911", lambda n: True),
    "be-national-number": Wider(
        "BIS numbers, births of any year", "20.46.20-799.51", lambda n: n[2] > "1" or n[:2] > "25"
    ),
    "be-national-number-plain": Wider(
        "BIS numbers, births of any year", "30020928224", lambda n: n[2] > "1" or n[:2] > "25"
    ),
    "cz-ico": Wider("the oracle knows tax numbers, which never begin with 9", "98100106", lambda n: n[0] == "9"),
    "dk-cpr": Wider(
        "births of any year: no test depends on the clock", "0408467243", lambda n: n[6] > "3" and n[4:6] > "25"
    ),
    "fi-hetu": Wider("temporary codes, as hospitals give them", "080940C923H", lambda n: n[7] == "9"),
    "is-kennitala": Wider(
        "people born in the 1800s, 2000s to come", "1708061078", lambda n: n[-1] == "8" or n[0] == "7"
    ),
    "mx-curp": Wider(
        "sex X, since 2023; any syllable", "RABO490218XSPXGDL2", lambda n: n[10] == "X" or n[:4] == "VACA"
    ),
    "mx-rfc": Wider("syllables that the tax office avoids", "BUEY710129IB3", lambda n: n[0] in "BCFGJKMPQR"),
    "no-fodselsnummer": Wider(
        "births of any year: no test depends on the clock", "70112951200", lambda n: n[4:6] > "25"
    ),
    "pe-ruc": Wider("type 16 is issued too", "16918437502", lambda n: n[:2] == "16"),
    "ru-ogrn": Wider("of a remainder above 9 the last digit counts", "385243529917732", lambda n: len(n) == 15),
    "se-personnummer": Wider("co-ordination numbers", "490490-7690", lambda n: n[-6] > "5"),
}


@cache
def shipped() -> dict[str, definitions.Rule]:
    return dict(definitions.load_folder(resources.folder("rules")).by_id)


def bare(text: str) -> str:
    """Without the separators that some oracles don't know."""
    return "".join(c for c in text if c not in " ./")


def alnum(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def oracle(name: str) -> Callable[[str], bool]:
    module = import_module(f"stdnum.{name}")
    if name == "mx.rfc":
        return lambda number: bool(module.is_valid(number, validate_check_digits=True))
    if name == "sk.dph":
        # The oracle takes birth numbers for VAT numbers too.
        return lambda number: bool(module.is_valid(number)) and int(number.removeprefix("SK")) % 11 == 0
    if name == "hu.anum":
        return lambda number: bool(module.is_valid(number.removeprefix("HU")[:8]))
    if name in ("ch.uid", "no.orgnr"):
        return lambda number: bool(
            module.is_valid("".join(c for c in number if c.isdigit() or c in "CHE").removesuffix("E"))
        )
    return lambda number: bool(module.is_valid(number))


def candidates(rule: definitions.Rule) -> list[str]:
    """Random strings of the rule's pattern, its examples, and each example with one digit changed."""
    rng = random.Random(rule.id)
    node = dialect.parse(rule.pattern or "", rule.id)
    drawn = [draw(node, rng) for _ in range(CANDIDATES)]
    changed = [m[:i] + str((int(c) + 1) % 10) + m[i + 1 :] for m in rule.match for i, c in enumerate(m) if c.isdigit()]
    return drawn + list(rule.match) + changed


@pytest.mark.parametrize(("rule_id", "name"), sorted(ORACLES.items()))
def test_check_agrees_with_stdnum(rule_id: str, name: str) -> None:
    rule = shipped()[rule_id]
    valid = oracle(name)
    texts = [t for t in candidates(rule) if definitions.replace(rule, check=None, chance=1.0).fullmatch(t)]
    ours = dict(zip(texts, valid_many(rule.check, texts).tolist() if rule.check else [True] * len(texts), strict=True))
    yes = [t for t in texts if ours[t]][:120]
    no = [t for t in texts if not ours[t]][:250]
    assert yes and (no or rule.check is None)
    wider = WIDER[rule_id].covers if rule_id in WIDER else lambda number: False
    assert not [t for t in yes if not valid(bare(t)) and not wider(alnum(t))]
    assert not [t for t in no if valid(bare(t))]


@pytest.mark.parametrize("rule_id", sorted(WIDER))
def test_wider_than_stdnum_on_purpose(rule_id: str) -> None:
    example = WIDER[rule_id].example
    assert shipped()[rule_id].fullmatch(example)
    assert WIDER[rule_id].covers(alnum(example))
    assert not oracle(ORACLES[rule_id])(bare(example))


COUNTRIES = set(
    """
        AL AR AT BE BG BR BY CH CL CO CR CY CZ DE DK DO EC EE ES FI FR GR GT HN HR HU IS IT LT LU LV MD ME MK MT MX NL
        NO PE PL PT PY RO RS RU SE SI SK SV UA UY VE
    """.split()
)


@pytest.mark.parametrize("rule_id", sorted(r.id for r in shipped().values() if r.country in COUNTRIES and r.check))
def test_check_judges_each_value_by_itself(rule_id: str) -> None:
    rule = shipped()[rule_id]
    assert rule.check
    texts = candidates(rule)[::7] + list(rule.match) + list(rule.no_match)
    assert valid_many(rule.check, texts).tolist() == [bool(valid_many(rule.check, [text])[0]) for text in texts]


@pytest.mark.parametrize(
    "rule_id", sorted(r.id for r in shipped().values() if r.country in COUNTRIES and r.search == "anywhere")
)
def test_look_is_distinctive(rule_id: str) -> None:
    """Rules that claim cells anywhere don't claim what tables of machines and trade are full of."""
    rng = random.Random(rule_id)
    digits = [f"{rng.randrange(10**12):012d}" for _ in range(400)]
    machine = [
        text
        for d in digits
        for text in (
            d,
            d[:9],
            d[:11],
            f"{d[:6]}.{d[6:]}",
            f"20{d[0]}{d[1]}-0{d[2]}-1{d[3]}T1{d[4]}:2{d[5]}:3{d[6]}",
            f"SN-{d[:4]}-{d[4:8]}",
            f"{int(d):x}",
            f"{d[:2]}.{d[2:5]}.{d[5:8]}",
            f"{d[0]}.{d[1:3]}.{d[3]}",
            f"+1 {d[:3]}-{d[3:6]}-{d[6:10]}",
            f"{d[:3]}-{d[3:5]}-{d[5:9]}",
            f"{d[:5]}-{d[5:9]}",
        )
    ]
    assert not [text for text in machine if shipped()[rule_id].fullmatch(text)]
