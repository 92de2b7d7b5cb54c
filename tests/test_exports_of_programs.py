"""Files as programs of businesses export them are read, judged and masked for what they are."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import run_piiscan
from mask_people import key_file

import piiscan
from piiscan.core.types import ColumnReport, TableReport

PEOPLE = [
    ("Hannelore", "Brandt", "h.brandt@gmx.de", "(918) 555-2231", "12 Sycamore Road", "Tulsa", "74105", 41),
    ("Giuseppe", "Marangoni", "gmarangoni@libero.it", "(208) 731-0092", "9 Mill Lane", "Boise", "83702", 67),
    ("Siobhan", "Gallagher", "siobhan.g@eircom.net", "(937) 662-1408", "730 Fowler Ave", "Dayton", "45402", 29),
    ("Katarzyna", "Wojcik", "kasia.w@wp.pl", "(541) 384-7715", "88 Old Church St", "Eugene", "97401", 35),
    ("Darnell", "Whitfield", "dwhitfield@yahoo.com", "(478) 920-3316", "4 Magnolia Blvd", "Macon", "31201", 52),
    ("Maribel", "Castellanos", "maribel.c@gmail.com", "(806) 447-5820", "1519 47th St", "Lubbock", "79401", 23),
] * 4  # fmt: skip


def write(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def table(path: Path) -> TableReport:
    return max(piiscan.scan(path).tables, key=lambda found: len(found.columns))


def columns(path: Path) -> dict[str | None, ColumnReport]:
    return {column.name: column for column in table(path).columns}


def masked(path: Path) -> str:
    out = path.with_name(f"masked{path.suffix}")
    done = run_piiscan("mask", path.name, "--key", key_file(path.parent), "-o", out.name, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return out.read_text(encoding="utf-8")


QUALTRICS = [
    ["StartDate", "IPAddress", "RecipientLastName", "Q1", "Q2", "Q3"],
    ["Start Date", "IP Address", "Recipient Last Name", "What is your age?", "How can we reach you?", "Happy?"],
    [f'{{"ImportId":"{name}"}}' for name in ("startDate", "ipAddress", "lastName", "QID1", "QID2_TEXT", "QID3")],
    *([f"2025-03-{i + 1:02} 10:00:00", f"91.14.7.{i}", p[1], p[7], p[3], "Yes"] for i, p in enumerate(PEOPLE)),
]


def test_the_three_lines_above_a_qualtrics_survey_name_its_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "survey.csv", QUALTRICS)
    found = columns(path)
    assert table(path).rows == len(PEOPLE)
    assert list(found)[:3] == QUALTRICS[0][:3], "a question that only repeats a name is left out"
    assert found["Q1 What is your age?"].entity == "AGE"
    assert found["Q2 How can we reach you?"].entity == "PHONE_NUMBER"
    lines = masked(path).splitlines()
    assert lines[:3] == path.read_text().splitlines()[:3]
    assert not any(p[3] in line for p in PEOPLE for line in lines)


@pytest.mark.parametrize("width", [5, 7])
def test_lines_of_few_cells_above_a_header_are_no_data(tmp_path: Path, width: int) -> None:
    header = ["Date", "Concept", "Payee", "Amount", "Currency", "Balance", "Reference"][:width]
    rows = [
        [f"2025-03-{i + 1:02}", "Transfer", f"{p[0]} {p[1]}", f"{i}.50", "EUR", f"{90 + i}.00", f"R{i}"][:width]
        for i, p in enumerate(PEOPLE)
    ]
    titles = [["Last movements"], ["Account holder", "Jordi Puig"], ["Account", "ES9121000418450200051332"], []]
    path = write(tmp_path / "statement.csv", [*([*t, *[""] * (width - len(t))] for t in titles), header, *rows])
    assert [column.name for column in table(path).columns] == header
    assert table(path).rows == len(PEOPLE)


ORDER = "Name,Email,Paid at,Currency,Total,Lineitem quantity,Lineitem name,Lineitem sku,Vendor".split(",")


@pytest.mark.parametrize("part", ["Billing", "Shipping", "Delivery"])
def test_contact_data_headed_as_a_persons_name_is_are_theirs(tmp_path: Path, part: str) -> None:
    """Of orders, whose other columns speak of things and places."""
    address = [
        f"{part} {word}" for word in ("Name", "Street", "Company", "City", "Zip", "Province", "Country", "Phone")
    ]
    rows = [
        [f"#{1001 + i}", p[2], "2025-03-12 10:00:00", "USD", f"{10 + i}.90", 1, "Linen Towel", "TWL-01", "Fig & Clay"]
        + [f"{p[0]} {p[1]}", p[4], "", p[5], p[6], "OK", "US", p[3]]
        for i, p in enumerate(PEOPLE)
    ]
    found = columns(write(tmp_path / "orders.csv", [[*ORDER, *address], *rows]))
    assert {found[name].pii for name in ("Email", *(f"{part} {w}" for w in ("Name", "Street", "Phone")))} == {"direct"}
    assert found[f"{part} Zip"].pii == "quasi"


@pytest.mark.parametrize("cells", [["15:00"], ["07:30", "11:15", "22:40"], ["15:00:00", "9:05"]])
def test_times_are_no_ages(tmp_path: Path, cells: list[str]) -> None:
    """ETA is an hour of arrival in English, an age in Italian."""
    rows = [[f"{p[0]} {p[1]}", p[2], cells[i % len(cells)]] for i, p in enumerate(PEOPLE)]
    found = columns(write(tmp_path / "guests.csv", [["Guest", "Email", "ETA"], *rows]))["ETA"]
    assert (found.entity, found.pii) == (None, "none")


def test_particles_of_surnames_alone_are_no_direct_identifier(tmp_path: Path) -> None:
    particles = ["van der", "", "de", "", "'t", "van den"]
    rows = [[p[0], particles[i % 6], p[1]] for i, p in enumerate(PEOPLE)]
    found = columns(write(tmp_path / "leden.csv", [["Voornaam", "Tussenvoegsel", "Achternaam"], *rows]))
    assert [found[name].pii for name in ("Voornaam", "Tussenvoegsel", "Achternaam")] == ["direct", "quasi", "direct"]


@pytest.mark.parametrize(
    ("header", "cells", "entity", "pii"),
    [
        ("المحمول", "010{:08}", "PHONE_NUMBER", "direct"),
        ("HN", "{:02}-386088", "MEDICAL_RECORD", "direct"),
        ("被保険者証番号", "{:07}", "NATIONAL_ID", "direct"),
        ("买家会员名", "tb{:07}", "USERNAME", "direct"),
        ("Postinro", "{:05}", "POSTAL_CODE", "quasi"),
        ("Total Base Pay Annualized - Amount", "{:05}", "INCOME", "sensitive"),
    ],
)
def test_headers_of_other_programs_and_languages(
    tmp_path: Path, header: str, cells: str, entity: str, pii: str
) -> None:
    rows = [[p[0], p[1], f"19{40 + i}-03-12", cells.format(38221 + 7919 * i)] for i, p in enumerate(PEOPLE)]
    path = write(tmp_path / "people.csv", [["First name", "Last name", "Date of birth", header], *rows])
    found = columns(path)[header]
    assert (found.entity, found.pii) == (entity, pii)


def test_letters_that_all_headers_begin_with_say_nothing(tmp_path: Path) -> None:
    """Files of old systems have a short name, and their columns begin with it."""
    header = ["CLINUM", "CLINOM", "CLIADR", "CLITEL", "CLIMAIL", "CLINAIS"]
    rows = [
        [
            f"{8210 + i}",
            p[1],
            f"{i + 3} rue des Tilleuls",
            f"06 12 34 {i:02} 78",
            f"a{i}@orange.fr",
            f"19{40 + i}-03-12",
        ]
        for i, p in enumerate(PEOPLE)
    ]
    found = columns(write(tmp_path / "cli.csv", [header, *rows]))
    assert {found[name].pii for name in ("CLINOM", "CLIADR", "CLITEL", "CLIMAIL")} == {"direct"}
    things = [
        ["PNUM", "PLABEL", "PPRICE", "PQTY", "PCOLOR"],
        *([f"{i}", "Lamp", f"{i}.50", "3", "red"] for i in range(30)),
    ]
    assert {c.pii for c in columns(write(tmp_path / "p.csv", things)).values()} == {"none"}


@pytest.mark.parametrize(
    "label", ["Account holder,", "Account holder:,", "Müşteri Adı Soyadı:,", "Nom du titulaire ,", "Kontoinhaber: "]
)
def test_an_account_holder_above_a_table_is_found_and_masked(tmp_path: Path, label: str) -> None:
    path = tmp_path / "statement.csv"
    rows = "".join(f"2025-03-{i + 1:02},Card payment,{i}.50,{90 + i}.00\n" for i in range(20))
    path.write_text(
        f"Account activity\n{label}KATARZYNA WOJCIK\n\nDate,Remarks,Amount,Balance\n{rows}", encoding="utf-8"
    )
    inside = [found.entity for report in piiscan.scan(path).tables for c in report.columns for found in c.inside]
    assert inside == ["PERSON"]
    out = masked(path)
    assert "WOJCIK" not in out
    assert label in out


@pytest.mark.parametrize(
    "line", ["Account holder,First Data Services", "Author: Build Server", "Client: Acme Tools Inc"]
)
def test_others_behind_such_labels_are_no_persons(tmp_path: Path, line: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(f"{line}\nNothing else here.\n")
    assert not any(column.inside for report in piiscan.scan(path).tables for column in report.columns)


def test_a_telephone_above_a_table_is_found_by_the_cell_before_it(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    rows = "Schraube;1,20;Stk;100\nMutter;0,80;Stk;250\n" * 9
    path.write_text(f"Preisliste\nTelefon;0441 8143206\n\nArtikel;Preis;Einheit;Menge\n{rows}")
    inside = [found.entity for report in piiscan.scan(path).tables for c in report.columns for found in c.inside]
    assert inside == ["PHONE_NUMBER"]


def test_russian_notes_of_calls_are_searched_for_numbers(tmp_path: Path) -> None:
    notes = [f"12.03.2025 10:14;u12{i:02};Позвонил 8 (902) 714-96-{i:02}" for i in range(20)]
    path = write(tmp_path / "issues.csv", [["Ключ", "Комментарий"], *([f"HELP-{i}", n] for i, n in enumerate(notes))])
    assert [found.entity for found in columns(path)["Комментарий"].inside] == ["PHONE_NUMBER"]


TRADERS = [f"{p[0]} {p[1]}" for p in PEOPLE]
EMPLOYERS = [
    "Blue Harbor Logistics",
    "Morgan Stanley",
    "Ford",
    "Kestrel Analytics GmbH",
    "St. Mary School",
    "Anna & Co",
]


@pytest.mark.parametrize(("firms", "entity"), [(TRADERS, "PERSON"), (EMPLOYERS * 4, "ORGANIZATION")])
def test_customers_who_trade_under_their_own_names_are_persons(tmp_path: Path, firms: list[str], entity: str) -> None:
    """As accounting programs list them, under a header for firms."""
    header = ["CustomerID", "CompanyName", "Email", "Street", "City", "Telephone", "Date of birth"]
    rows = [[800 + i, firms[i], p[2], p[4], p[5], p[3], f"19{40 + i}-05-17"] for i, p in enumerate(PEOPLE)]
    found = columns(write(tmp_path / "customers.csv", [header, *rows]))["CompanyName"]
    assert found.entity == entity
    assert (found.pii == "direct") == (entity == "PERSON")


def test_title_lines_of_workbooks_keep_their_cells_but_for_names(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    header = ["Date", "Concept", "Amount", "Currency", "Balance"]
    titles = [["Last movements"], ["Account holder", "Giuseppe Marangoni"], ["Branch", "Mill Lane"], []]
    rows = [[f"2025-03-{i + 1:02}", "Transfer", i + 0.5, "EUR", 90 + i] for i in range(20)]
    for row in [*titles, header, *rows]:
        book.active.append(row)
    book.save(tmp_path / "statement.xlsx")
    done = run_piiscan("mask", "statement.xlsx", "--key", key_file(tmp_path), "-o", "out.xlsx", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = list(openpyxl.load_workbook(tmp_path / "out.xlsx").active.iter_rows(max_row=5, values_only=True))
    assert out[1][0] == "Account holder" and out[1][1] not in (None, "Giuseppe Marangoni")
    assert out[2][:2] == ("Branch", "Mill Lane") and list(out[4]) == header


REMARKS = {
    "NEFT-{n}-{name}": ["PRIYANKA BANERJEE", "VENKATESH PILLAI", "RAMESH IYER", "SUNITA PATIL"],
    "UPI/{n}/{name}/HDFC BANK": ["PRIYA SHARMA", "RAJESH KUMAR"],
    "{name}-KIRA-FAST": ["MEHMET YILMAZ", "NURHAN ŞAHIN", "ELIF KARAGÖZ", "TOLGA AYDIN"],
    "SEPA-Überweisung {n} {name}": ["ANNA KOWALSKA", "OBERMAIER HEIKE"],
    "PIX RECEBIDO {n} {name}": ["JOAO SILVA", "MARIA APARECIDA SANTOS"],
    "VIR SEPA M. {name} LOYER": ["JEAN DUPONT", "MAËLLE CHARPENTIER"],
    "BONIFICO DA {name} CAUSALE AFFITTO": ["ROSSI MARIO"],
    "166?00GUTSCHR. UEBERWEISUNG?20EREF+{n}?21SVWZ+Miete Maerz?32{name}?34992": ["THIEL GUDRUN"],
}


@pytest.mark.parametrize("look", REMARKS)
def test_names_in_texts_of_payments_are_found_and_masked(tmp_path: Path, look: str) -> None:
    names = REMARKS[look]
    rows = [[f"2025-03-{i + 1:02}", look.format(n=30766108 + i, name=names[i % len(names)]), i] for i in range(20)]
    path = write(tmp_path / "statement.csv", [["Date", "Remarks", "Amount"], *rows])
    assert "PERSON" in [found.entity for found in columns(path)["Remarks"].inside]
    out = masked(path)
    assert [name for name in names if any(word in out for word in name.split())] == []
    before, behind = look.split("{name}")
    assert all(part in out for part in (before.split("{n}")[0], behind))


@pytest.mark.parametrize(
    "remark",
    [
        *("UPI/{}/AMAZON PAY/HDFC BANK", "SEPA-Überweisung {} DEICHMANN SCHUHE", "VIREMENT CARREFOUR MARKET {}"),
        *("ACHAT CB CARREFOUR {}", "BIL/ONL/{}/BESCOM", "EFT-TURK TELEKOM-FATURA {}", "PIX ENVIADO MERCADO LIVRE {}"),
        *("VIREMENT SALAIRE MARS {}", "HAVALE KIRA OCAK {}", "SEPA-Überweisung {} Lindenstraße 4 Miete"),
        *("NEFT-{}-TATA MOTORS", "VIREMENT RUE JEAN JAURES {}", "TRANSFER SAN JOSE {}", "Bonifico ENEL ENERGIA {}"),
    ],
)
def test_texts_of_payments_to_others_name_no_persons(tmp_path: Path, remark: str) -> None:
    rows = [[f"2025-03-{i + 1:02}", remark.format(30766108 + i), i] for i in range(20)]
    found = columns(write(tmp_path / "statement.csv", [["Date", "Remarks", "Amount"], *rows]))["Remarks"]
    assert "PERSON" not in [inside.entity for inside in found.inside]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("Account Number,734835686845 ( INR )  - VENKATESH PILLAI", "734835686845"),
        ("Kontonummer: 4711 223 311 - VENKATESH PILLAI", "4711 223 311"),
        ("A/C No. 00481234567 / VENKATESH PILLAI", "00481234567"),
        ("Hesap No: 1234-6543210, VENKATESH PILLAI", "1234-6543210"),
        ("Konto: 12345678", "12345678"),
        ("Conta ;18274411", "18274411"),
        ("Numéro Compte   ;7134567A033", "7134567A033"),
        ("N° de compte : 00012345678", "00012345678"),
        ("口座番号 1234567", "1234567"),
    ],
)
def test_an_account_above_a_table_is_masked_with_its_holder(tmp_path: Path, line: str, number: str) -> None:
    path = tmp_path / "statement.csv"
    rows = "".join(f"2025-03-{i + 1:02},Card payment,{i}.50,{90 + i}.00\n" for i in range(20))
    path.write_text(f"Account activity\n{line}\n\nDate,Remarks,Amount,Balance\n{rows}", encoding="utf-8")
    inside = {found.entity for report in piiscan.scan(path).tables for c in report.columns for found in c.inside}
    assert inside == {"BANK_ACCOUNT", *(["PERSON"] if "PILLAI" in line else [])}
    out = masked(path)
    assert number not in out and "PILLAI" not in out


@pytest.mark.parametrize(
    "line", ["Konto 4400 Umsatz 123456", "Account number: 12.03.2024", "Account balance 1234567", "Accounts: 1234567"]
)
def test_other_numbers_near_the_word_for_an_account_are_none(tmp_path: Path, line: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(f"{line}\nNothing else here.\n")
    assert not any(column.inside for report in piiscan.scan(path).tables for column in report.columns)


MEMBERS = [
    "Hamish Pemberton, Alistair Birtwistle, Hamish MacLeod",
    "Gareth Pemberton; Callum MacLeod; Siobhan Llewellyn",
    "Ann Lee, Bob Stone and Morag Oyelaran",
    "Nicola Featherstone & Imran Hussain",
]


def test_every_name_in_cells_with_lists_of_persons_is_masked(tmp_path: Path) -> None:
    rows = [[f"PRJ-{i}", MEMBERS[i % 4], "Go, Rust", 100 * i + 7] for i in range(20)]
    path = write(tmp_path / "teams.csv", [["Project", "Members", "Skills", "Budget"], *rows])
    assert "PERSON" in [found.entity for found in columns(path)["Members"].inside]
    out = masked(path)
    words = {word.strip(",;&") for cell in MEMBERS for word in cell.split()} - {"and", ""}
    assert [word for word in words if word in out] == []
    assert "Go, Rust" in out and out.count(" & ") == 5


@pytest.mark.parametrize(
    "cell",
    [
        *("New York, Los Angeles, San Francisco", "Red Wine, White Wine", "San Marino, Costa Rica"),
        *("Black Pepper, Olive Oil, Lemon Juice", "Orange County, Santa Clara", "Douglas Fir, Scots Pine"),
        *("Science Fiction, Short Stories", "Pinot Noir, Cabernet Franc", "John Lewis, Marks Spencer"),
    ],
)
def test_lists_of_other_things_name_no_persons(tmp_path: Path, cell: str) -> None:
    rows = [[f"PRJ-{i}", f"{cell}, Item {i}" if i % 3 else cell, 100 * i] for i in range(20)]
    found = columns(write(tmp_path / "things.csv", [["Project", "Contents", "Budget"], *rows]))["Contents"]
    assert "PERSON" not in [inside.entity for inside in found.inside]


CARDS = [
    ["Name", *(p[1] for p in PEOPLE)],
    ["First name", *(p[0] for p in PEOPLE)],
    ["Date of birth", *(f"19{40 + i}-03-12" for i in range(len(PEOPLE)))],
    ["E-mail", *(p[2] for p in PEOPLE)],
    ["Telephone", *(p[3] for p in PEOPLE)],
    ["City", *(p[5] for p in PEOPLE)],
]


@pytest.mark.parametrize("people", [2, 5, len(PEOPLE)])
def test_a_column_per_person_is_read_as_attributes_and_masked(tmp_path: Path, people: int) -> None:
    path = write(tmp_path / "cards.csv", [row[: people + 1] for row in CARDS])
    found = [(c.name, c.entity, c.pii) for c in table(path).columns if c.parent is not None]
    assert found.count(("[E-mail]", "EMAIL_ADDRESS", "direct")) == people
    assert found.count(("[Telephone]", "PHONE_NUMBER", "direct")) == people
    assert [name for name, _, pii in found if name in ("[Name]", "[First name]") and pii != "direct"] == []
    out = [line.split(",") for line in masked(path).splitlines()]
    assert [line[0] for line in out] == [row[0] for row in CARDS]
    for at in (0, 3, 4):
        assert [i for i in range(1, people + 1) if out[at][i] == str(CARDS[at][i])] == [], CARDS[at][0]


@pytest.mark.parametrize(("first", "people"), [("field", len(PEOPLE)), ("Feld", 4), ("property", 4), ("", 4)])
def test_a_header_above_a_column_per_person_hides_nobody(tmp_path: Path, first: str, people: int) -> None:
    head = [first, *(f"record {i}" for i in range(people))]
    path = write(tmp_path / "cards.csv", [head, *(row[: people + 1] for row in CARDS)])
    found = [c for c in table(path).columns if c.parent is not None and (c.name or "").endswith("[E-mail]")]
    assert [c.pii for c in found] == ["direct"] * people
    out = [line.split(",") for line in masked(path).splitlines()]
    assert out[0] == head and [line[0] for line in out[1:]] == [row[0] for row in CARDS]
    for at in (0, 1, 3, 4):
        assert [i for i in range(1, len(head)) if out[at + 1][i] == str(CARDS[at][i])] == [], CARDS[at][0]


@pytest.mark.parametrize("head", [["field", "type", "example"], ["field", "name", "phone"], ["city", "a", "b"]])
def test_descriptions_of_fields_have_no_column_per_person(tmp_path: Path, head: list[str]) -> None:
    rows = [["Name", "text", "Ann Lee"], ["Telephone", "text", "020 7946 0018"], ["E-mail", "text", "a@b-post.com"]]
    assert not any(c.parent is not None for c in table(write(tmp_path / "fields.csv", [head, *rows])).columns)


@pytest.mark.parametrize(
    "rows",
    [
        [["Name", "text", "60"], ["Telephone", "text", "20"], ["E-mail", "text", "80"], ["City", "text", "60"]],
        [["Name", "Shown on letters", "yes"], ["Telephone", "For calls", "no"], ["City", "From the zip", "no"]],
    ],
)
def test_lists_of_fields_have_no_column_per_person(tmp_path: Path, rows: list[list[str]]) -> None:
    assert not any(c.pii == "direct" for c in table(write(tmp_path / "fields.csv", rows)).columns)


PLANTS = (
    "Marrowick Pemberthorn Quillaby Tannerfield Hedgecombe Ottermoor Wrenhollow Saltbury Gorsefell Larkenby".split()
)
GIVEN = "Tobiah Elspetha Corwyn Rhoswen Marnella Jaxley Barnet Kellina Derryn Isolde".split()
"""Of no list."""


def entities(**cells: Sequence[Any]) -> dict[str, tuple[str | None, str]]:
    frame = pl.DataFrame({header: list(values) * 2 for header, values in cells.items()})
    return {str(c.name): (c.entity, c.pii) for c in piiscan.scan(frame).columns}


@pytest.mark.parametrize(
    ("header", "cells", "entity", "pii"),
    [
        ("SORTL", [name.upper() for name in PLANTS], "LAST_NAME", "direct"),
        ("Description", [f"{a} {b}" for a, b in zip(GIVEN, PLANTS, strict=True)], "PERSON", "direct"),
        ("Matchcode", [f"{b}, {a}" for a, b in zip(GIVEN, PLANTS, strict=True)], "PERSON", "direct"),
        ("called", GIVEN, "FIRST_NAME", "direct"),
        ("ext_ref", [f"{a[0]}{b}".lower() for a, b in zip(GIVEN, PLANTS, strict=True)], "USERNAME", "direct"),
        ("batch", [f"{name}-{i}" for i, name in enumerate(PLANTS[1:] + PLANTS[:1])], None, "none"),
        ("particle", ["van", "van der", "de", "von", "du"] * 2, None, "none"),
        ("group", ["Tobiah", "Rhoswen"] * 5, None, "none"),
    ],
)
def test_what_repeats_the_names_of_its_rows_names_them(
    header: str, cells: list[str], entity: str | None, pii: str
) -> None:
    people = [f"{a} {b}" for a, b in zip(GIVEN, PLANTS, strict=True)]
    found = entities(customer_name=people, city=["Tulsa", "Boise"] * 5, **{header: cells})
    assert found["customer_name"] == ("PERSON", "direct")
    if entity is None:
        assert found[header][1] != "direct"
    else:
        assert found[header] == (entity, pii)


@pytest.mark.parametrize(("name", "given"), [("Name", "Vorname"), ("Naam", "Voornaam"), ("Nom", "Prénom")])
def test_names_beside_given_names_are_family_names(name: str, given: str) -> None:
    found = entities(Nr=range(10), **{name: PLANTS, given: GIVEN}, Eintritt=[f"{i + 1}.03.2021" for i in range(10)])
    assert found[name] == ("LAST_NAME", "direct")


def test_a_payment_is_about_whom_it_names_behind_date_and_time() -> None:
    found = entities(
        Date=[f"03/{i + 1:02}/2024" for i in range(10)],
        Time=[f"10:{i + 10}:00" for i in range(10)],
        TimeZone=["PST"] * 10,
        Name=[f"{p[0]} {p[1]}" for p in PEOPLE[:6]] + ["Olivia Carter", "James Smith", "Ethan Walsh", "Grace Brown"],
        Type=["Express Checkout Payment"] * 10,
        Gross=[f"{i * 7 + 3}.50" for i in range(10)],
        **{"Item Title": ["Ceramic mug", "Oak table"] * 5, "Item ID": [f"KX-{i}" for i in range(10)]},
        **{"Shipping Address": [f"{i + 4} Mill Lane, Boise, 8370{i}" for i in range(10)]},
        **{"Town/City": ["Boise", "Tulsa"] * 5, "Country": ["United States"] * 10},
        **{"Contact Phone Number": [f"(208) 731-00{i + 10}" for i in range(10)]},
    )
    assert found["Name"] == ("PERSON", "direct")
    assert found["Shipping Address"][1] == found["Contact Phone Number"][1] == "direct"


def test_mailboxes_at_providers_for_anybody_are_persons() -> None:
    boxes = [f"{word.lower()}{i}@{('gmail.com', 'web.de', 'qq.com')[i % 3]}" for i, word in enumerate(PLANTS * 2)]
    event: dict[str, Sequence[Any]] = {
        "timestamp": range(1704067200, 1704067220),
        "event": ["delivered", "open"] * 10,
        "sg_message_id": [f"x9{i}kq" for i in range(20)],
    }
    assert entities(email=boxes, **event)["email"] == ("EMAIL_ADDRESS", "direct")
    firms = {"company": [f"{word} Ltd" for word in PLANTS * 2], "industry": ["Retail", "Food"] * 10}
    assert entities(**firms, email=boxes)["email"][1] == "none"


@pytest.mark.parametrize(
    ("header", "cells", "entity"),
    [
        ("구매자명", ["김민준", "이서연", "박지우", "최하은", "정도윤"], "PERSON"),
        ("수취인연락처1", [f"010-3456-789{i}" for i in range(5)], "PHONE_NUMBER"),
        ("배송지", [f"서울특별시 강남구 테헤란로 {i + 3}" for i in range(5)], "STREET_ADDRESS"),
        ("基礎年金番号", [f"123456789{i}" for i in range(5)], "NATIONAL_ID"),
        ("Паспорт номер", [f"45617{i}" for i in range(5)], "PASSPORT"),
        ("رقم الآيبان", [f"03800000006080101675{i}9" for i in range(5)], "BANK_ACCOUNT"),
        ("Neto a percibir", [f"1{i}32,50" for i in range(5)], "INCOME"),
        ("К выплате", [f"5{i}320,50" for i in range(5)], "INCOME"),
        ("race_concept_id", ["8527", "8515", "8516", "8527", "8527"], "ETHNICITY"),
        ("gender_concept_id", ["8507", "8532", "8507", "8507", "8532"], "GENDER"),
        ("distinct_id", [f"a8f{i}b-77c1-4e" for i in range(5)], "PERSON_ID"),
        ("사원번호", [f"10{i}44" for i in range(5)], "PERSON_ID"),
        ("お客様番号", [f"C-{i}0077" for i in range(5)], "PERSON_ID"),
        ("会员卡号", [f"6000{i}12" for i in range(5)], "PERSON_ID"),
        ("Số điện thoại liên hệ", [f"0905 123 45{i}" for i in range(5)], "PHONE_NUMBER"),
        ("Lieferanschrift", [f"Gartenweg {i + 3}" for i in range(5)], "STREET_ADDRESS"),
        ("Bruttoentgelt", [f"3{i}10,00" for i in range(5)], "INCOME"),
        ("requester_id", [f"38100{i}22" for i in range(5)], "PERSON_ID"),
        ("Lineitem name", ["Jasper Candle", "Rosemary Soap", "Olive Board", "Ruby Ring", "Rose Vase"], None),
    ],
)
def test_headers_that_programs_write_say_what_is_below(header: str, cells: list[str], entity: str | None) -> None:
    people = [f"{p[0]} {p[1]}" for p in PEOPLE[:5]]
    born = [f"19{70 + i}-0{i + 1}-12" for i in range(5)]
    found = entities(full_name=people * 2, date_of_birth=born * 2, **{header: cells * 2})
    assert found[header][0] == entity


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("Valor Líquido", [f"{i}1,50" for i in range(10)]),
        ("Peso bruto", [f"{i},25" for i in range(10)]),
        ("Proventos", [f"0,{i + 1}5" for i in range(10)]),
        ("Insured", ["Y", "N"] * 5),
        ("order_line_id", [f"{i + 7}01" for i in range(10)]),
        ("ad_id", [f"88{i}0013" for i in range(10)]),
        ("구매자수", [str(40 + i) for i in range(10)]),
        ("resolved_by", ["cache", "dns"] * 5),
        ("Codice destinatario", ["0000000", "M5UXCR1"] * 5),
        ("result", ["SUCCESS", "FAILURE"] * 5),
    ],
)
def test_headers_of_things_that_read_like_them_say_nothing(header: str, cells: list[str]) -> None:
    found = entities(sku=[f"KX-{i}" for i in range(10)], product=["Ceramic mug", "Oak table"] * 5, **{header: cells})
    assert found[header][1] == "none"


def test_what_is_said_of_persons_beside_their_names_is_no_name() -> None:
    parties = ["EXD", "ENS", "NFP", "LRM", "DVG"] * 2
    said = [f"{a} {b} / {p} / Rally" for a, b, p in zip(GIVEN, PLANTS, parties, strict=True)]
    assert entities(candidate=said, party=parties, score=[f"{20 + i}.5" for i in range(10)])["party"][1] != "direct"


def test_dates_of_issue_in_vietnamese_are_no_postal_codes() -> None:
    people = {
        "Họ và tên": [f"{p[0]} {p[1]}" for p in PEOPLE[:10]],
        "Ngày sinh": [f"12/03/19{i + 70}" for i in range(10)],
    }
    found = entities(**people, **{"Ngày cấp": [f"{i + 1}/06/2021" for i in range(10)]})
    assert found["Ngày cấp"] == (None, "none")


def test_a_census_is_about_persons_by_its_short_headers() -> None:
    found = entities(
        SERIALNO=[f"2022GQ{i:07}" for i in range(30)],
        AGEP=[i * 7 % 80 + 5 for i in range(30)],
        SEX=[i % 2 + 1 for i in range(30)],
        RAC1P=[i % 5 + 1 for i in range(30)],
        WAGP=[i * 1700 for i in range(30)],
        PWGTP=[i % 17 + 20 for i in range(30)],
    )
    assert [found[h][0] for h in ("AGEP", "SEX", "RAC1P", "WAGP")] == ["AGE", "GENDER", "ETHNICITY", "INCOME"]
    assert all(found[h][1] != "none" for h in ("AGEP", "SEX", "RAC1P", "WAGP"))
    assert found["PWGTP"][1] == "none"


@pytest.mark.parametrize(
    ("member", "texts", "pii"),
    [
        ("text", [f"{a} {b}" for a, b in zip(GIVEN, PLANTS, strict=True)], "direct"),
        ("shown", [f"Dr. {a} {b}" for a, b in zip(GIVEN, PLANTS, strict=True)], "direct"),
        ("kind", ["usual name", "old name"] * 5, "none"),
    ],
)
def test_names_in_lists_of_objects_are_found_in_whole_and_in_parts(member: str, texts: list[str], pii: str) -> None:
    names = [
        [{member: text, "family": last, "given": [first]}]
        for text, first, last in zip(texts, GIVEN, PLANTS, strict=True)
    ]
    report = piiscan.scan(pl.DataFrame({"id": [f"P{i:04}" for i in range(10)], "name": names}))
    assert report[f"name[].{member}"].pii == pii


@pytest.mark.parametrize(
    "question",
    [
        "G01Q01. Vad heter du?", "What's your name?", "Q3 Wie heißen Sie?", "Comment vous appelez-vous ?",
        "¿Cómo se llama?", "Qual é o seu nome?", "Jak się nazywasz?", "Как вас зовут?", "您的姓名是？", "ما اسمك؟",
    ],
)  # fmt: skip
def test_answers_to_who_somebody_is_are_names_in_no_list_too(question: str) -> None:
    found = entities(id=["11", "12", "13"], **{question: ["Quillon Hambrecht", "anonym", "Yngvild Kråkmo"]})
    assert found[question] == ("PERSON", "direct")


def test_answers_to_other_questions_are_not() -> None:
    asked = {"Is your name on the list?": ["yes", "no", "no"], "Wie heißt das Produkt?": ["Lamp", "Hose", "Kettle"]}
    assert {pii for _, pii in entities(id=["11", "12", "13"], **asked).values()} == {"none"}


def test_the_handle_of_a_product_is_no_users() -> None:
    rows = {"Handle": ["mason-jar", "rosemary-soap", "olive-board"], "Title": ["Mason Jar", "Rosemary Soap", "Board"]}
    shop = {"Vendor": ["Ivy & Co"] * 3, "Type": ["Candle", "Soap", "Kitchen"], "Variant SKU": ["MJ1", "SO2", "OB3"]}
    assert entities(**rows, **shop, **{"Variant Price": ["29.00", "8.00", "62.00"]})["Handle"][1] == "none"
