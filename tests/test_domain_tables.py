"""Tables in the style of many domains: each stands for a cause of wrong verdicts that their headers or values have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import pytest

import piiscan
from piiscan.core.types import ColumnReport

ROWS = 40


GIVEN = ("Tamsin", "Ezekiel", "Oksana", "Callum", "Imani", "Nele", "Bronwen", "Lucian")


FAMILY = ("Pemberton", "Sandhu", "Karpinski", "Drummond", "Achebe", "Wolters", "Ashdown")


NAMES = tuple(f"{GIVEN[i % 8]} {FAMILY[i % 7]}" for i in range(ROWS))


FIRMS = tuple(f"{FAMILY[i % 7]} {('Ltd', 'Engineering', 'Foods PLC')[i % 3]}" for i in range(ROWS))


MAILBOXES = tuple(f"{GIVEN[i % 8]}.{FAMILY[i % 7]}@{FAMILY[i % 5]}-trading.co.uk".lower() for i in range(ROWS))


def repeated(*cells: object) -> list[object]:
    return [cells[i % len(cells)] for i in range(ROWS)]


def said(table: Mapping[str, Sequence[object]]) -> dict[str, ColumnReport]:
    return {str(c.name): c for c in piiscan.scan(pl.DataFrame({k: list(v) for k, v in table.items()})).columns}


@pytest.mark.parametrize("person", ["Contact", "Contact Person", "Contact name"])
def test_contact_data_belong_to_whom_their_header_begins_with(person: str) -> None:
    columns = said(
        {
            "Company": FIRMS,
            "Reg no": [f"0{6200000 + 7 * i}" for i in range(ROWS)],
            person: NAMES,
            "Contact email": MAILBOXES,
            "Industry": repeated("Food", "Machines", "Retail"),
        }
    )
    assert (columns[person].entity, columns[person].pii) == ("PERSON", "direct")
    assert (columns["Contact email"].entity, columns["Contact email"].pii) == ("EMAIL_ADDRESS", "direct")
    assert columns["Company"].pii == "none"


def test_contact_data_of_firms_are_no_persons_under_the_name_of_their_kind() -> None:
    columns = said(
        {
            "Supplier": FIRMS,
            "Supplier phone": [f"0121 {400 + i} {2000 + 37 * i}" for i in range(ROWS)],
            "Supplier address": [f"{i + 3} Mill Lane" for i in range(ROWS)],
        }
    )
    assert {c.pii for c in columns.values()} == {"none"}


@pytest.mark.parametrize(
    "header",
    [
        "Interpret",
        "Reżyser",
        "Sindaco",
        "árbitro",
        "Rechtsanwalt",
        "rendező",
        "Dommer",
        "Ohjaaja",
        "Verstorbene/r",
        "Lokator",
    ],
)
def test_persons_by_the_part_they_play_in_many_languages(header: str) -> None:
    columns = said({"Nr": range(1, ROWS + 1), header: NAMES, "Jahr": repeated(1998, 2004, 2011)})
    assert (columns[header].entity, columns[header].pii) == ("PERSON", "direct")


@pytest.mark.parametrize(
    ("header", "family", "given"),
    [
        ("監督", "鬼塚 小鳥遊 勅使河原 西園寺", "奏太 結衣 蓮司 千尋 美咲"),
        ("선수명", "남궁 제갈 탁 봉 선우", "하람 도윤 서아 예준 지호"),
        ("导演", "欧阳 慕容 邵 钱 司徒", "子墨 雨桐 浩然 思远"),
    ],
)
def test_such_persons_in_scripts_without_spaces(header: str, family: str, given: str) -> None:
    names = [f + g for f in family.split() for g in given.split()]
    columns = said({header: repeated(*names), "2": repeated("a", "b", "c")})
    assert (columns[header].entity, columns[header].pii) == ("PERSON", "direct")


@pytest.mark.parametrize("header", ["Interpret", "Sindaco", "Lokator", "監督"])
def test_flags_and_numbers_under_such_headers_are_no_names(header: str) -> None:
    for cells in (repeated("yes", "no"), repeated(3, 7, 11)):
        assert said({"item": range(ROWS), header: cells})[header].pii == "none"


@pytest.mark.parametrize(
    "headers", [("A_MSISDN", "B_MSISDN"), ("Numéro appelant", "Numéro appelé"), ("caller_number", "callee_number")]
)
def test_telephones_of_calls_are_those_of_persons(headers: tuple[str, str]) -> None:
    table = {h: [f"4915{k}{30000000 + 7919 * i}" for i in range(ROWS)] for k, h in enumerate(headers)}
    columns = said(table | {"seconds": range(20, 20 + ROWS), "type": repeated("voice", "text")})
    assert {(columns[h].entity, columns[h].pii) for h in headers} == {("PHONE_NUMBER", "direct")}


@pytest.mark.parametrize(
    "headers",
    [("edad_media", "renta_media"), ("âge moyen", "revenu moyen"), ("gemiddelde leeftijd", "gemiddeld inkomen")],
)
def test_means_are_nobodys(headers: tuple[str, str]) -> None:
    age, income = headers
    towns = [
        f"{first}{last}"
        for first in ("Villa", "Campo", "Ponte", "Rio")
        for last in ("nova", "real", "longo", "seco", "alto")
    ] * 2
    columns = said(
        {
            "place": towns,
            "inhabitants": range(900, 900 + 31 * ROWS, 31),
            age: repeated(39.4, 41.7, 44.2),
            income: range(11000, 11000 + ROWS),
        }
    )
    assert {columns[h].pii for h in headers} == {"none"}


def test_things_named_after_persons_are_none() -> None:
    things = [
        f"{given} {thing}"
        for given in ("Billy", "Anna", "Oscar", "Henrik", "Victoria", "Martin", "Emma", "Peter")
        for thing in ("shelf", "chair", "lamp", "table", "sofa")
    ]
    columns = said({"SKU": range(40000, 40000 + ROWS), "Name": things, "Price": repeated(9.5, 19.0, 49.0)})
    assert {c.pii for c in columns.values()} == {"none"}
    people = said({"No": range(ROWS), "Name": [n.replace(" ", " de ") for n in NAMES]})
    assert (people["Name"].entity, people["Name"].pii) == ("PERSON", "direct")


def test_the_town_of_a_persons_address_is_personal() -> None:
    columns = said(
        {
            "order_no": [f"SO-{204100 + 13 * i}" for i in range(ROWS)],
            "cust_email": MAILBOXES,
            "ship_line1": [f"{i + 3} Mill Lane" for i in range(ROWS)],
            "ship_town": repeated("Oxford", "Leeds", "Norwich"),
            "ship_pcode": [
                f"LS{1 + i % 9} {1 + i % 9}{'ABDEFGHJLN'[i % 10]}{'PQRSTUWXYZ'[i % 7]}" for i in range(ROWS)
            ],
            "sku": [f"KX-{4000 + i}" for i in range(ROWS)],
            "total": repeated(12.5, 40.0, 99.9),
        }
    )
    assert [columns[h].pii for h in ("ship_line1", "ship_town", "ship_pcode")] == ["direct", "quasi", "quasi"]


def test_towns_of_firms_stay_none() -> None:
    columns = said(
        {
            "Supplier": FIRMS,
            "Street": [f"{i + 3} Mill Lane" for i in range(ROWS)],
            "Town": repeated("Oxford", "Leeds", "Norwich"),
            "Postcode": [f"LS{1 + i % 9} {1 + i % 9}AB" for i in range(ROWS)],
        }
    )
    assert {c.pii for c in columns.values()} == {"none"}


SENSOR = [f"sn-{0xA1B200 + 4099 * i:06x}" for i in range(ROWS)]


def test_devices_that_measure_their_surroundings_are_nobodys() -> None:
    columns = said({"device_id": SENSOR, "temp_c": repeated(18.2, 21.4, 7.9), "humidity": repeated(40, 55, 61)})
    assert {(c.pii, c.review) for c in columns.values()} == {("none", ())}


@pytest.mark.parametrize("beside", [{"heart_rate": repeated(61, 75)}, {"user": NAMES}, {}])
def test_devices_that_persons_carry_stay_direct(beside: Mapping[str, Sequence[object]]) -> None:
    measured = {"temp_c": repeated(18.2, 21.4, 7.9), "humidity": repeated(40, 55, 61)} if beside else {}
    assert said({"device_id": SENSOR} | measured | beside)["device_id"].pii == "direct"


def test_names_of_streets_alone_are_nobodys_address() -> None:
    streets = repeated("Goethestraße", "Am Anger", "Mühlweg", "Ringstraße", "Birkenweg", "Lindenallee")
    names = said({"Straße": streets})["Straße"]
    assert (names.entity, names.pii) == ("STREET_ADDRESS", "none")
    assert names.review
    houses = said({"Straße": [f"{street} {i + 1}" for i, street in enumerate(streets)]})["Straße"]
    assert (houses.entity, houses.pii) == ("STREET_ADDRESS", "direct")
    apart = said({"Name": NAMES, "Straße": streets, "Hausnummer": range(1, ROWS + 1)})["Straße"]
    assert (apart.entity, apart.pii) == ("STREET_ADDRESS", "direct")


@pytest.mark.parametrize("header", ["Engineer", "Architect", "Journalist"])
def test_names_below_an_occupation_are_persons(header: str) -> None:
    columns = said({"Bridge": repeated("Severn", "Tamar", "Clifton"), "Span": range(100, 100 + ROWS), header: NAMES})
    assert (columns[header].entity, columns[header].pii) == ("PERSON", "direct")
    for cells in (repeated("yes", "no"), repeated(3, 7, 11), FIRMS):
        assert said({"item": range(ROWS), header: cells})[header].pii == "none"
