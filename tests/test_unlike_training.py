"""Tables unlike those that the model learned from: each stands for a cause of wrong verdicts on tables of users."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

import piiscan
from piiscan.core.types import ColumnReport
from piiscan.rules import rule_sets
from piiscan.scanning.classify.header_evidence import named
from piiscan.scanning.classify.lexicon import lexicon

ROWS = 30
NAMES = ("Tamsin Pemberton", "Ezekiel Sandhu", "Oksana Karpinski", "Callum Drummond", "Imani Achebe", "Nele Wübbena")
MACHINES = ("srv1", "web-02", "db-03", "cache01", "mx2", "node-17", "build-9", "proxy-1")


def drawn(pattern: str, seed: int = 0) -> list[str]:
    """Cells by a pattern: # is a digit, & a hexadecimal one."""
    rng = random.Random(f"{pattern} {seed}")
    made = {"#": string.digits, "&": "0123456789abcdef"}
    return ["".join(rng.choice(made.get(c, c)) for c in pattern) for _ in range(ROWS)]


def repeated(cells: Sequence[object]) -> list[object]:
    return [cells[i % len(cells)] for i in range(ROWS)]


def said(table: Mapping[str, Sequence[object]]) -> dict[str, ColumnReport]:
    return {str(c.name): c for c in piiscan.scan(pl.DataFrame(table)).columns}


@pytest.mark.parametrize("header", ["Account", "cislo_zdroj_uctu", "Acct #", "compte", "N° de compte", "Kto-Nr"])
def test_accounts_are_found_by_digits_under_a_word_for_any_account(header: str) -> None:
    column = said({"date": repeated(["2024-03-01", "2024-04-02"]), header: drawn("1#########")})[header]
    assert column.entity == "BANK_ACCOUNT"
    assert column.pii == "direct" or column.review


@pytest.mark.parametrize("header", ["Account", "Cuenta"])
def test_accounts_of_a_ledger_are_none_of_a_bank(header: str) -> None:
    table = {header: repeated(["4000", "4010", "5100", "6200"]), "debit": repeated([10.5, 220.1, 37.0])}
    column = said(table)[header]
    assert column.entity != "BANK_ACCOUNT"
    assert (column.pii, column.review) == ("none", ())


def test_both_tracks_of_a_card() -> None:
    track = "%B4111111111111111^DOE/JANE^2512101000000000000?;4111111111111111=25121010000012345678?"
    column = piiscan.scan(pl.DataFrame({"swipe": [track] * 3})).columns[0]
    assert (column.entity, column.pii) == ("CREDIT_CARD", "direct")


@pytest.mark.parametrize("beside", [{}, {"status": ["up", "down"]}, {"load": [0.2, 1.7, 80.4]}])
def test_machines_are_nobodys(beside: Mapping[str, Sequence[object]]) -> None:
    host = said({"host": repeated(MACHINES)} | {name: repeated(cells) for name, cells in beside.items()})["host"]
    assert (host.entity, host.pii, host.review) == (None, "none", ())


def test_hosts_of_shows_are_persons() -> None:
    host = said({"show": repeated(["Morning Mix", "Late Talk", "Deep Dive"]), "host": repeated(NAMES)})["host"]
    assert (host.entity, host.pii) == ("PERSON", "direct")


def test_licences_beside_names_are_persons() -> None:
    given, family = zip(*map(str.split, NAMES), strict=True)
    names = [f"{given[i % 6]} {family[i // 6]}" for i in range(ROWS)]
    column = said({"Name": names, "License": drawn("RN######")})["License"]
    assert (column.entity, column.pii) == ("DRIVER_LICENSE", "direct")


@pytest.mark.parametrize(
    "table",
    [
        {"Business Name": ["Acme Ltd", "Globex Inc", "Initech LLC"], "License": ["BL-10233", "BL-22010", "BL-33991"]},
        {"package": ["left-pad", "chalk", "lodash"], "License": ["MIT", "Apache-2.0", "GPL-3.0"]},
        {"dataset": ["roads", "schools", "trees"], "License": ["CC-BY-4.0", "CC0-1.0", "CC-BY-4.0"]},
    ],
)
def test_licences_of_firms_software_and_data_are_nobodys(table: Mapping[str, Sequence[str]]) -> None:
    column = said({name: repeated(cells) for name, cells in table.items()})["License"]
    assert (column.pii, column.review) == ("none", ())


def test_hashes_of_names_are_pseudonyms_and_those_of_files_are_not() -> None:
    column = said({"name_hash": drawn("&" * 64), "age": repeated([31, 44, 52])})["name_hash"]
    assert (column.entity, column.pii) == ("PERSON", "quasi")
    column = said({"file_name_hash": drawn("&" * 64), "size": repeated([311, 4415, 52])})["file_name_hash"]
    assert (column.entity, column.pii) == ("GENERIC_ID", "none")


@pytest.mark.parametrize("header", ["plat", "Lön", "Brutto", "Base (GBP)"])
def test_pay_by_a_header_that_means_other_things_elsewhere(header: str) -> None:
    pay = repeated([24500, 31000, 27850, 42100, 38000])
    assert said({"Name": repeated(NAMES), header: pay})[header].entity == "INCOME"
    assert said({"movie": repeated(["Tidal", "Paper Moons", "Night Ferry"]), header: pay})[header].pii == "none"


@pytest.mark.parametrize(
    ("header", "entity"),
    [
        ("Kto-Nr", "BANK_ACCOUNT"),
        ("Member #", "PERSON_ID"),
        ("N° adhérent", "PERSON_ID"),
        ("N° de téléphone", "PHONE_NUMBER"),
        ("N° sécurité sociale", "NATIONAL_ID"),
        ("Nom d'usage", "LAST_NAME"),
        ("Bruttolohn", "INCOME"),
        ("Cinsiyeti", "GENDER"),
        ("Doğum Yeri", "BIRTHPLACE"),
        ("Medeni Hali", "MARITAL_STATUS"),
        ("Quê quán", "BIRTHPLACE"),
        ("Nhóm máu", "HEALTH_CONDITION"),
        ("Trình độ học vấn", "EDUCATION"),
        ("籍贯", "BIRTHPLACE"),
        ("住院号", "MEDICAL_RECORD"),
        ("月薪", "INCOME"),
        ("供应商", "ORGANIZATION"),
        ("診断名", "HEALTH_CONDITION"),
        ("진단명", "HEALTH_CONDITION"),
        ("जिला", "REGION"),
        ("पदनाम", "OCCUPATION"),
        ("الرقم الوظيفي", "PERSON_ID"),
        ("ตำแหน่ง", "OCCUPATION"),
        ("Työntekijänumero", "PERSON_ID"),
        ("Morsmål", "LANGUAGE"),
        ("No. Polisi", "VEHICLE_ID"),
        ("PERNR", "PERSON_ID"),
        ("NACHN", "LAST_NAME"),
        ("GBDAT", "DATE_OF_BIRTH"),
        ("# of clients", ""),
        ("Data urodz.", "DATE_OF_BIRTH"),
        ("Staatsangeh.", "NATIONALITY"),
        ("Tfno. part.", "PHONE_NUMBER"),
        ("Vol.", ""),
        ("カルテNo", "MEDICAL_RECORD"),
        ("رقم الجواز", "PASSPORT"),
        ("கைபேசி எண்", "PHONE_NUMBER"),
        ("వయస్సు", "AGE"),
        ("jinsia", "GENDER"),
        ("დაბადების თარიღი", "DATE_OF_BIRTH"),
        ("kennitala", "NATIONAL_ID"),
        ("تنخواہ", "INCOME"),
        ("Max. Temp.", ""),
        ("Start (lat,lng)", "GEO_COORDINATES"),
        ("Kolumna (Phone Number)", "PHONE_NUMBER"),
        ("Wert (°C)", ""),
        ("Rate (per capita income)", ""),
        ("Текући рачун", "BANK_ACCOUNT"),
        ("Име, презиме, фамилия", "PERSON"),
    ],
)
def test_headers_as_exports_abbreviate_them(header: str, entity: str) -> None:
    sure = [n.rule.entity for n in named(header, lexicon(rule_sets.load(()))) if n.logit > 0]
    assert (sure or [""])[0] == entity


def test_one_account_in_all_rows_is_an_account() -> None:
    column = said({"Auftragskonto": repeated(["DE89370400440532013000"]), "Betrag": repeated([10.5, -3.2])})
    assert (column["Auftragskonto"].entity, column["Auftragskonto"].pii) == ("IBAN_CODE", "direct")


def test_totals_beside_persons_are_nobodys_pay() -> None:
    totals = drawn("R$ 1##,##")
    assert said({"Nome do cliente": repeated(NAMES), "Valor total": totals})["Valor total"].entity is None


@pytest.mark.parametrize(
    ("header", "cells"), [("L/P", "LP"), ("H/F", "HF"), ("Pronouns", ["she/her", "he/him", "they/them"])]
)
def test_sexes_by_other_words(header: str, cells: Sequence[str]) -> None:
    assert said({"Name": repeated(NAMES), header: repeated(cells)})[header].entity == "GENDER"


def test_a_list_of_checksums_has_a_header(tmp_path: Path) -> None:
    path = tmp_path / "sums.txt"
    digests = drawn("&" * 64)
    path.write_text("file,sha256\n" + "".join(f"build/core-{i}.tar.gz,{x}\n" for i, x in enumerate(digests)))
    assert [c.name for c in piiscan.scan(path).columns] == ["file", "sha256"]


def test_reasons_claim_nothing_where_nothing_is_known() -> None:
    column = said({"cislo_uctu": drawn("1#########"), "castka": repeated([10, 20, 300])})["cislo_uctu"]
    assert column.pii == "none"
    assert column.review
    assert [r.text for r in column.reasons if r.by == "subject"] == ["nothing shows that rows are about persons"]


def test_what_is_too_unsure_to_say_may_be_it() -> None:
    table = {"N° de sécu": drawn("1 ## ## ## ### ### ##"), "Nom": repeated(NAMES)}
    report = piiscan.scan(pl.DataFrame(table), min_confidence=0.999)
    column = report.columns[0]
    assert column.entity is None
    assert [x.partition(" (")[0] for x in column.review] == ["it may be NATIONAL_ID"]


@pytest.mark.parametrize("header", ["Lp.", "Nr. crt.", "№ п/п", "क्रम संख्या", "序号", "№"])
def test_numbers_of_rows_are_nobodys(header: str) -> None:
    table = {header: list(range(1, ROWS + 1)), "Name": repeated(NAMES), "DOB": repeated(["1980-02-03", "1971-11-30"])}
    column = said(table)[header]
    assert (column.entity, column.pii, column.review) == ("GENERIC_ID", "none", ())


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("Nr", [str(i + 1) for i in range(ROWS)]),
        ("nr gabinetu", drawn("1#")),
        ("encounter", drawn("&&&&&&&&-&&&&-4&&&-8&&&-&&&&&&&&&&&&")),
    ],
)
def test_keys_of_things_beside_persons_are_nobodys(header: str, cells: Sequence[str]) -> None:
    table = {
        header: cells,
        "Patient": repeated(NAMES),
        "DOB": repeated(["1980-02-03", "1971-11-30"]),
        "sum": drawn("##"),
    }
    assert (said(table)[header].entity, said(table)[header].pii) == ("GENERIC_ID", "none")


def test_a_key_that_is_a_quasi_identifier_is_called_a_persons() -> None:
    table = {"id": drawn("4###"), "firstName": repeated(["Tamsin", "Nele", "Imani"]), "email": drawn("ann##@mail.net")}
    assert all(c.pii == "none" for c in said(table).values() if c.entity == "GENERIC_ID")
    assert (said(table)["id"].entity, said(table)["id"].pii) == ("PERSON_ID", "quasi")


@pytest.mark.parametrize("before", [{}, {"nr crt": list(range(1, ROWS + 1))}, {"Unit": drawn("#A")}])
def test_rows_are_about_whom_the_first_column_of_words_names(before: Mapping[str, Sequence[object]]) -> None:
    people = [f"{a.split()[0]} {b.split()[1]}" for a in NAMES for b in NAMES][:ROWS]
    table = {
        **before,
        "elev": people,
        "clasa": repeated(["V A", "VI B"]),
        "localitate": repeated(["Satu Nou", "Valea"]),
    }
    assert piiscan.scan(pl.DataFrame(table)).tables[0].subject == "person"
    assert said(table)["localitate"].pii == "quasi"


@pytest.mark.parametrize(
    "table",
    [
        {"vessel": repeated(["Gull", "Tern", "Osprey"]), "owner": (), "port": repeated(["Harwick", "Port Alder"])},
        {"clinic": repeated(["Moor Clinic", "Vale Clinic"]), "director": (), "city": repeated(["Harwick", "Eastvale"])},
        {"isbn": drawn("978-0-###-#####-#"), "author": (), "publisher": repeated(["Alder"]), "age": repeated(["8+"])},
    ],
    ids=["vessels", "clinics", "books"],
)
def test_rows_are_about_what_is_named_before_a_person(table: Mapping[str, Sequence[object]]) -> None:
    people = [f"{a.split()[0]} {b.split()[1]}" for a in NAMES for b in NAMES][:ROWS]
    columns = said({name: cells or people for name, cells in table.items()})
    assert {name for name, column in columns.items() if column.pii != "none"} == {list(table)[1]}


@pytest.mark.parametrize("header", ["Name, Vorname", "Achternaam, voornaam", "Last, First", "Soyadı Adı"])
def test_headers_that_name_both_parts_of_a_name(header: str) -> None:
    names = [", ".join(reversed(name.split())) for name in NAMES]
    assert said({header: repeated(names), "x1": repeated([3, 1, 2])})[header].entity == "PERSON"


def test_what_is_likely_personal_is_in_review_where_it_is_called_none() -> None:
    loans = {"borrower_id": drawn("1##"), "book_id": drawn("4###"), "due": repeated(["2024-05-01", "2024-06-11"])}
    column = said(loans)["borrower_id"]
    assert (column.entity, column.pii) == ("PERSON_ID", "none")
    assert column.pii_confidence < 0.35
    assert [x.partition(" (")[0] for x in column.review] == ["PERSON_ID may be personal"]


@pytest.mark.parametrize(
    "header", ["Date d'embauche", "Eintrittsdatum", "入职日期", "Fecha de ingreso", "Data przyjęcia"]
)
def test_days_of_appointments_are_none_of_birth(header: str) -> None:
    days = [f"{year}-0{year % 9 + 1}-1{year % 10}" for year in range(1975, 1975 + ROWS)]
    assert said({"Name": repeated(NAMES), header: days})[header].entity is None


@pytest.mark.parametrize("entity", ["FIRST_NAME", "LAST_NAME"])
def test_two_hundred_names_each_once_are_a_list_of_names(entity: str) -> None:
    header = {"FIRST_NAME": "first_name", "LAST_NAME": "last_name"}[entity]
    names = [name.capitalize() for name in sorted(lexicon(rule_sets.load(())).values(entity))][:240]
    column = said({header: names, "rank": list(range(1, 241))})[header]
    assert (column.entity, column.pii, column.review) == (entity, "none", ())
    # Of so many persons some share a name, and a second column of names makes persons of them.
    shared = said({header: names[:60] * 4, "rank": list(range(1, 241))})[header]
    assert shared.pii == "direct" or shared.review
    other = {"FIRST_NAME": "last_name", "LAST_NAME": "first_name"}[entity]
    both = said({header: names, other: [names[-i] for i in range(240)], "rank": list(range(1, 241))})
    assert both[header].pii == "direct" or both[header].review


def test_a_table_about_firms_says_nothing_of_persons_by_their_names_in_networks() -> None:
    firms = {
        "company": repeated(["Acorn Systems Ltd", "Birch Foods Inc", "Cedar Bank plc", "Dune Motors GmbH"]),
        "vat number": drawn("GB#########"),
        "industry": repeated(["software", "food", "finance", "cars"]),
        "twitter_handle": repeated(["@acornsystems", "@birchfoods", "@cedarbank", "@dunemotors"]),
    }
    assert said(firms)["twitter_handle"].pii == "none"


def test_groups_and_a_count_of_each_are_nobody() -> None:
    table = {
        "Library": [f"Q{52000 + i // 4}" for i in range(48)],
        "Age group": ["Under 12", "12-17", "18-64", "65+"] * 12,
        "Count": [(i * 7919 + 104729) % 20011 for i in range(48)],
    }
    assert {(c.pii, c.review) for c in said(table).values()} == {("none", ())}


SHIPS = ("Marta Lindholm", "Anna Kristin", "Olga Maersund", "Erik Sten", "Giulia Conti", "Otto Hahnke", "Emma Ruth")


@pytest.mark.parametrize(
    "header",
    [
        "Vessel",
        "vessel name",
        "horse_name",
        "Glocke",
        "nome barca",
        "gemi adı",
        "nazwa statku",
        "название судна",
        "船名",
    ],
)
def test_names_of_what_bears_names_of_persons_are_nobodys(header: str) -> None:
    columns = said({header: repeated(SHIPS), "length": drawn("1#"), "owner": repeated(NAMES)})
    assert (columns[header].pii, columns["owner"].pii) == ("none", "direct")
    assert columns[header].pii_confidence <= 0.9, "a header is no proof"


@pytest.mark.parametrize("header", ["name", "crew name", "device name", "ship name", "item", "Rider"])
def test_under_headers_that_name_no_such_thing_they_are_persons(header: str) -> None:
    assert said({header: repeated(SHIPS), "year": drawn("19##")})[header].pii == "direct"


LOGINS = [
    f"{first}{last}"
    for first in "tgmrp"
    for last in ("herrera", "zanweiin", "tovhama", "lindqvist", "urbvik", "ostler")
]
THINGS = [f"{kind}-{n}" for kind in ("valve", "pump", "pipe", "hose", "tank", "drum") for n in range(5)]


@pytest.mark.parametrize(
    ("keys", "about", "pii"),
    [
        (LOGINS, {"email": "{0}@corp.example", "role": "member"}, "direct"),
        (LOGINS, {"email": "mail{1}@corp.example", "role": "member"}, "quasi"),
        (LOGINS, {"birth_date": "19{1}-03-04", "city": "Leeds"}, "quasi"),
        (THINGS, {"stock": "{1}", "unit": "pieces"}, "none"),
        ([str(n) for n in range(30)], {"email": "mail{1}@corp.example", "role": "member"}, "none"),
    ],
)
def test_keys_of_an_object_about_persons_are_theirs(
    tmp_path: Path, keys: list[str], about: dict[str, str], pii: str
) -> None:
    """Row numbers are nobody's."""
    rows = {key: {name: text.format(key, 60 + n) for name, text in about.items()} for n, key in enumerate(keys)}
    (tmp_path / "data.json").write_text(json.dumps(rows), encoding="utf-8")
    assert {str(c.name): c.pii for c in piiscan.scan(tmp_path / "data.json").columns}["(key)"] == pii


@pytest.mark.parametrize(
    ("cell", "pii"),
    [
        ("{0}\n{1} Mill Road\nLeeds, LS{1} 4AB", "direct"),
        ("c/o {0}, {1} Mill Road, Leeds LS{1} 4AB", "direct"),
        ("{1} Mill Road\nLeeds, LS{1} 4AB", "none"),
        ("Victoria Hall, {1} Mill Road, Leeds LS{1} 4AB", "none"),
        ("Martin Baker Ltd, {1} Mill Road, Leeds LS{1} 4AB", "none"),
    ],
)
def test_addresses_that_begin_with_persons_are_theirs(cell: str, pii: str) -> None:
    people = [f"{first} {last}" for first in ("Anna", "Robert", "Laura") for last in ("Zanweiin", "Tovhama", "Urbvik")]
    cells = [cell.format(people[i % len(people)], 10 + i) for i in range(ROWS)]
    columns = said({"order": drawn("######"), "ship_to": cells, "total": drawn("##.##")})
    assert (columns["ship_to"].entity, columns["ship_to"].pii) == ("STREET_ADDRESS", pii)


@pytest.mark.parametrize("headers", [("a_number", "b_number"), ("Caller", "Called"), ("origen", "destino")])
def test_who_called_whom_and_when_is_about_persons(headers: tuple[str, str]) -> None:
    times = [f"2024-05-{1 + i % 28:02} 10:{i:02}:07" for i in range(ROWS)]
    numbers = {header: drawn("+1415555####", n) for n, header in enumerate(headers)}
    columns = said({**numbers, "start_time": times, "duration": drawn("1##")})
    assert {columns[header].pii for header in headers} == {"direct"}
    firms = {"from": drawn("sales#@acme#.com"), "to": drawn("info#@brix#.com"), "start_time": times}
    assert said({**firms, "company": repeated(["Acme Ltd", "Brix GmbH"])})["from"].pii == "none"
