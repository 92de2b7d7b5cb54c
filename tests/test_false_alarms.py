"""False alarms seen in public repositories: what made them is weighed less, in general and for no word alone."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest
from conftest import Run

import piiscan

N = 200


def dashed(rng: random.Random) -> str:
    """As a social security number looks."""
    return f"{rng.randrange(100, 665):03}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"


def rows_of_orders(header: str) -> pl.DataFrame:
    rng = random.Random(3)
    return pl.DataFrame(
        {
            header: [dashed(rng) for _ in range(N)],
            "qty": [rng.randrange(9) for _ in range(N)],
            "sku": [f"A{rng.randrange(999)}" for _ in range(N)],
            "price": [round(rng.random() * 99, 2) for _ in range(N)],
        }
    )


@pytest.mark.parametrize(
    "header", ["order", "ORDERNUMBER", "orderno", "PO", "Bestellnummer", "invoicenum", "N° facture", "номер заказа"]
)
def test_numbers_of_orders_are_no_social_security_numbers(header: str) -> None:
    assert piiscan.scan(rows_of_orders(header))[header].entity != "US_SSN"


@pytest.mark.parametrize("header", ["订单号", "注文番号", "주문번호", "order", "fakturanr"])
def test_numbers_of_orders_beside_persons_are_no_persons(header: str) -> None:
    rng = random.Random(3)
    names = ["龚志强", "苏丽华", "曹雪", "田芳", "贾建国", "程晓明"]
    orders = {
        header: [f"DD{rng.randrange(10**6):06}" for _ in range(30)],
        "收货人": [names[i % 6] for i in range(30)],
        "手机": [f"138{rng.randrange(10**8):08}" for _ in range(30)],
    }
    report = piiscan.scan(pl.DataFrame(orders))
    assert (report[header].pii, report["收货人"].pii, report["手机"].pii) == ("none", "direct", "direct")


@pytest.mark.parametrize("header", ["n", "number", "ssn", "customer"])
def test_under_other_headers_they_are(header: str) -> None:
    assert piiscan.scan(rows_of_orders(header))[header].entity == "US_SSN"


def patients(more: str) -> pl.DataFrame:
    rng = random.Random(5)
    return pl.DataFrame(
        {
            "patient": [f"P{i}" for i in range(N)],
            "sex": ["M", "F"] * (N // 2),
            "age": [rng.randrange(20, 80) for _ in range(N)],
            **{name: [rng.randrange(2) for _ in range(N)] for name in ("diabetes", "hypertension", "asthma")},
            more: [round(rng.random() * 40, 1) for _ in range(N)],
        }
    )


@pytest.mark.parametrize("header", ["fat_pct", "percentage of adherence", "% lean", "Anteil B", "share_2"])
def test_percentages_are_no_health_for_standing_among_it(header: str) -> None:
    assert piiscan.scan(patients(header))[header].entity != "HEALTH_CONDITION"


@pytest.mark.parametrize("header", ["OS_MONTHS", "status", "days to follow-up", "consent_verified", "visit count"])
def test_times_counts_and_states_are_no_health_for_standing_among_it(header: str) -> None:
    assert piiscan.scan(patients(header))[header].entity != "HEALTH_CONDITION"


def test_other_measurements_of_patients_are() -> None:
    assert piiscan.scan(patients("serum level"))["serum level"].entity == "HEALTH_CONDITION"


@pytest.mark.parametrize("version", ["^4.0.0", "~1.2", "4.0.1", ">=2.0.0-rc.1"])
def test_a_package_named_password_has_versions_and_no_passwords(version: str, tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "package.json").write_text(f'{{"name": "x", "dependencies": {{"@some/password": "{version}"}}}}\n')
    assert piiscan("scan", tmp_path / "package.json").returncode == 0


@pytest.mark.parametrize("value", ["hunter2", "4711", "S3cret.0.1!"])
def test_passwords_in_such_places_stay_passwords(value: str, tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "settings.json").write_text(f'{{"name": "x", "mail": {{"user": "ann", "password": "{value}"}}}}\n')
    assert "PASSWORD" in piiscan("scan", tmp_path / "settings.json").stdout


@pytest.mark.parametrize("values", [["PW-101", "PW-102", "PW-103"], ["Rampur East", "Dholpur West", "Amethi"]])
@pytest.mark.parametrize("header", ["assemblyPW", "boardPw", "seat_pw"])
def test_two_letters_behind_an_unknown_word_say_little(header: str, values: list[str]) -> None:
    frame = pl.DataFrame({header: values * 5, "district": ["North", "South", "East"] * 5, "votes": range(15)})
    assert piiscan.scan(frame)[header].entity != "PASSWORD"


@pytest.mark.parametrize("header", ["pw", "user_pw", "pw2"])
def test_elsewhere_they_say_what_they_said(header: str) -> None:
    frame = pl.DataFrame({header: ["a7Gk-q", "b9Lm-r", "c1Xz-s"] * 5, "user": ["ann", "bob", "eve"] * 5})
    assert piiscan.scan(frame)[header].entity == "PASSWORD"


@pytest.mark.parametrize("header", ["pm_name", "cand1_name", "cand2_name"])
def test_names_behind_an_abbreviation_are_names(header: str) -> None:
    names = ["Jawaharlal Nehru", "Indira Gandhi", "Morarji Desai", "Rajiv Gandhi", "Narendra Modi"]
    frame = pl.DataFrame({"start_year": [1947, 1966, 1977, 1984, 2014], header: names})
    assert piiscan.scan(frame)[header].entity == "PERSON"


MIGRATIONS = {
    "names": "ALTER TABLE candidates\n    ADD COLUMN name text NOT NULL;\nCREATE INDEX by_name ON candidates (name);\n",
    "birthplace": "-- Add birthplace\nBEGIN;\nALTER TABLE person ADD COLUMN birthplace varchar(200);\nCOMMIT;\n",
    "tables": "DROP TABLE IF EXISTS users;\nDROP TABLE IF EXISTS orders;\n",
}


@pytest.mark.parametrize("name", MIGRATIONS)
def test_migrations_are_text(name: str, tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "m.sql").write_text(MIGRATIONS[name])
    assert piiscan("scan", tmp_path / "m.sql", "--fail-on", "quasi").returncode == 0


def test_the_key_of_payments_is_not_the_persons() -> None:
    """People pay several times, by their national number."""
    payers = [f"{n:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}" for n in range(20_000_000, 20_000_060)]
    rows = pl.DataFrame(
        {
            "id": [str(i) for i in range(1, 301)],
            "dni": [payers[i * 7 % 60] for i in range(300)],
            "nombre": [f"{('Lucia', 'Pablo', 'Marta')[i * 7 % 60 % 3]} Ferrer" for i in range(300)],
            "importe": [f"{i * 37 % 900}.50" for i in range(300)],
        }
    )
    report = piiscan.scan(rows)
    assert report["dni"].entity == "NATIONAL_ID" and report["id"].entity != "PERSON_ID"


def counts(headers: str) -> pl.DataFrame:
    """As statistics are published: areas, sexes and age groups by their codes, and how many people there are."""
    rng = random.Random(3)
    rows = [
        (area, sex, age, rng.randrange(200, 90_000), year)
        for area in (101, 103, 105, 107) for sex in (1, 2) for age in range(4) for year in (2019, 2020)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=headers.split(), orient="row")


@pytest.mark.parametrize(
    "headers",
    [
        "FIPS SEX AGEGRP POP YR",
        "geo sex age_group population year",
        "area gender ageband n yr",
        "REGCD SEXCD AGECL POPUL YEAR",
    ],
)
def test_coded_groups_are_counted(headers: str) -> None:
    report = piiscan.scan(counts(headers))
    assert report.tables[0].subject == "aggregate"
    assert [c.name for c in report.columns if c.pii != "none"] == []


def test_persons_in_coded_groups_are_persons() -> None:
    rows = counts("REGCD SEXCD AGECL INC YEAR").with_columns(pl.Series("RESPID", [f"R{i:05}" for i in range(64)]))
    report = piiscan.scan(rows)
    assert {report[name].pii for name in ("SEXCD", "AGECL")} == {"quasi"}


def measured(headers: str, **beside: list[str]) -> pl.DataFrame:
    rng = random.Random(3)
    return pl.DataFrame({**beside, **{header: [rng.randrange(8, 90) for _ in range(60)] for header in headers.split()}})


def test_several_values_of_laboratories_are_of_patients() -> None:
    report = piiscan.scan(measured("HGB WBC PLT", SUBJ=[f"S-{i % 20:03}" for i in range(60)]))
    assert report.tables[0].subject == "person"
    assert {report[name].entity for name in ("HGB", "WBC", "PLT")} == {"HEALTH_CONDITION"}


@pytest.mark.parametrize(
    ("headers", "beside"),
    [
        ("kcal Protein Cholesterol Sodium", {"Food": ["Oats", "Milk", "Egg"] * 20}),
        ("HGB WBC PLT", {"breed": ["Collie", "Boxer", "Lurcher"] * 20}),
        ("Altersklasse Hoehe", {"Baumart": ["Linde", "Eiche", "Ahorn"] * 20}),
    ],
    ids=["food", "dogs", "trees"],
)
def test_values_of_food_animals_and_trees_are_not(headers: str, beside: dict[str, list[str]]) -> None:
    assert {c.pii for c in piiscan.scan(measured(headers, **beside)).columns} == {"none"}


@pytest.mark.parametrize(
    "headers", ["Width Depth Price", "Breite Tiefe Preis", "largeur prix matière", "szerokość cena materiał", "幅 価格"]
)
def test_given_names_of_what_has_a_price_and_a_size_are_doubtful(headers: str) -> None:
    names = ["Ashley Gray", "Rose", "Olive", "Jade", "Violet Dusk", "Lily White", "Amber", "Hazel Wood", "Ruby", "Ivy"]
    rng = random.Random(4)
    beside = {header: [rng.randrange(20, 90) for _ in names] for header in headers.split()}
    report = piiscan.scan(pl.DataFrame({"Name": names, **beside}))
    assert report.tables[0].subject == "thing"
    assert report["Name"].pii == "none" or report["Name"].review


@pytest.mark.parametrize("headers", ["Score Level", "Points Absences", "Punkte Fehltage"])
def test_given_names_beside_what_persons_have_are_persons(headers: str) -> None:
    rng = random.Random(4)
    names = ["Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Hannah", "Ivan", "Julia"]
    beside = {header: [rng.randrange(20, 90) for _ in names] for header in headers.split()}
    assert piiscan.scan(pl.DataFrame({"Name": names, **beside}))["Name"].pii == "direct"


NAMED_FOR = {
    "roses": ["Heidi Klarum", "Gertrude", "Leonardo da Vasi", "Graham Tomasz", "Friesia"],
    "dishes": ["Torta Caterina", "Pasta alla Norma", "Pollo alla Marengo", "Zuppa Margherita"],
    "streets": ["JOSE ORTEGA Y GASOL", "CLAUDIO COLLO", "MARQUES DE SALAZAR", "MARIA DE MOLINERO", "FELIPE II"],
    "software": ["Jasper", "Hudson", "Travis", "Chester", "Nelson", "Gerald"],
}


@pytest.mark.parametrize(
    ("header", "names"),
    [("Sorte", "roses"), ("Ricetta", "dishes"), ("nombre_via", "streets"), ("Project", "software")],
)
def test_a_few_names_of_which_nothing_says_that_they_are_persons_are_doubtful(header: str, names: str) -> None:
    rng = random.Random(4)
    table = {header: NAMED_FOR[names], "barrio": ["Norte", "Sur"] * 3, "Punkte": [rng.randrange(99) for _ in range(6)]}
    report = piiscan.scan(pl.DataFrame({name: cells[: len(NAMED_FOR[names])] for name, cells in table.items()}))
    assert {c.pii for c in report.columns} == {"none"}
    assert report[header].review


def test_many_names_of_things_are_doubtful_too() -> None:
    rng = random.Random(5)
    given = ["Harriet", "Callum", "Deborah", "Naomi", "Trevor", "Imogen", "Rose", "Martha", "Henry", "Grace"]
    kinds = ["Lady {}", "{}", "Sunset Glory {}", "Golden Star", "{} Penhaligon", "Aunt {}", "Velvet Mist"]
    shades = [
        kind.format(name) + (f" {i}" if "{" not in kind else "") for i, name in enumerate(given) for kind in kinds
    ]
    report = piiscan.scan(pl.DataFrame({"shade": shades, "litre": [rng.randrange(5, 90) for _ in shades]}))
    assert report["shade"].pii == "none"


@pytest.mark.parametrize("beside", ["foundry", "speakers", "weight"])
def test_a_family_is_a_name_beside_a_given_one_only(beside: str) -> None:
    cells = {"family": ["Alice Text", "Georgia", "Lora Display", "Courier New"], beside: ["1", "8", "3", "1"]}
    assert piiscan.scan(pl.DataFrame(cells))["family"].pii == "none"
    people = {"given": ["Alice", "Boris", "Clara", "Emil"], "family": ["Kerner", "Oakes", "Lindt", "Abadi"]}
    assert {c.pii for c in piiscan.scan(pl.DataFrame(people)).columns} == {"direct"}


@pytest.mark.parametrize(
    "names",
    [
        ["Hannelore Grothe", "Detlef Zöllner", "Friederike Ahlborn", "Torsten Kniep", "Uwe Ostertag", "Sigrid Pohlen"],
        ["Callum Oldroyd", "Naomi Lomax", "Tamsin Penhaligon", "Ellis Sowerby", "Gareth Platt", "Imogen Tindall"],
    ],
)
def test_a_few_names_that_are_all_written_alike_are_persons(names: list[str]) -> None:
    assert piiscan.scan(pl.DataFrame({"Zuständig": names, "x": [3, 1, 4, 1, 5, 9]}))["Zuständig"].pii == "direct"
    for beside in ({"email": [f"u{i}@mail.net" for i in range(5)]}, {"Geburtsdatum": ["1971-02-03"] * 5}):
        report = piiscan.scan(pl.DataFrame({"Wer": NAMED_FOR["roses"], **beside}))
        assert report["Wer"].pii == "direct" or report["Wer"].review


@pytest.mark.parametrize("header", ["Who", "Whose turn", "Belegt durch", "Dyżur", "Vinder", "дежурит"])
def test_names_of_which_a_header_asks_who_it_was_are_persons(header: str) -> None:
    table = {header: NAMED_FOR["software"], "n": [3, 1, 4, 1, 5, 9]}
    assert piiscan.scan(pl.DataFrame(table))[header].pii == "direct"


GIVEN = ["Emilia", "Noah", "Mia", "Matteo", "Ella", "Theo", "Lina", "Leon", "Anna", "Paul", "Clara", "Finn"]


def named(headers: str) -> pl.DataFrame:
    """Given names, sexes and numbers below headers that begin with "1" for a name, and "2" for a sex."""
    rng = random.Random(6)
    cells = {"1": lambda: GIVEN, "2": lambda: ["F", "M"] * 6, "3": lambda: [rng.randrange(3, 900) for _ in GIVEN]}
    return pl.DataFrame({header[1:]: cells[header[0]]() for header in headers.split()})


@pytest.mark.parametrize(
    "headers",
    ["1name 2sex 3count", "3year 2sex 1name 3births", "1Vorname 3Anzahl 2Geschlecht", "1PRENOM 2SEXE 3NOMBRE",
     "1Nombre 3Frecuencia 2Sexo", "1Vorname 3Anzahl"],
)  # fmt: skip
def test_names_with_how_often_they_are_given_are_doubtful(headers: str) -> None:
    report = piiscan.scan(named(headers))
    assert report.tables[0].subject == "aggregate"
    assert {c.pii for c in report.columns} == {"none"}
    assert [c.name for c in report.columns if c.review] == [h[1:] for h in headers.split() if h[0] == "1"]


@pytest.mark.parametrize(
    "headers",
    [
        "1name 2sex 3score",
        "1Vorname 2Geschlecht 3Anzahl_Kinder",
        "1first_name 2gender 3number",
        "1Vorname 3Anzahl_Mails",
    ],
)
def test_names_beside_other_numbers_are_persons(headers: str) -> None:
    assert [c.pii for c in piiscan.scan(named(headers)).columns if c.entity == "FIRST_NAME"] == ["direct"]


def test_a_selection_leaves_out_what_the_look_of_values_says() -> None:
    frame = pl.DataFrame(
        {
            "name": ["Anna Berg", "Tom Miller", "Clara Voss"] * 10,
            "column_1": [f"{i} {street}" for i in range(31, 41) for street in ("Elm Street", "Kings Road", "Oak Lane")],
            "email": [f"ann{i}@mail.net" for i in range(30)],
        }
    )
    assert {c.entity for c in piiscan.scan(frame, select="EMAIL_ADDRESS").columns} == {None, "EMAIL_ADDRESS"}
    assert "STREET_ADDRESS" in {c.entity for c in piiscan.scan(frame).columns}
    assert "STREET_ADDRESS" not in {c.entity for c in piiscan.scan(frame, ignore="STREET_ADDRESS").columns}


@pytest.mark.parametrize(
    "labels",
    [
        {"firstName": "Vorname", "lastName": "Nachname", "address": "Adresse", "save": "Speichern"},
        {"user": {"name": "Nom", "firstname": "Prénom", "username": "Nom d'utilisateur"}},
        {"nombre": "Nombre", "apellidos": "Apellidos", "usuario": "Usuario"},
    ],
)
def test_labels_in_the_language_of_a_program_are_nobodys(labels: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "messages.json").write_text(json.dumps(labels), encoding="utf-8")
    assert {c.pii for c in piiscan.scan(tmp_path / "messages.json").columns} == {"none"}


def test_people_called_as_a_label_are_people(tmp_path: Path) -> None:
    person = {"first_name": "Adi", "last_name": "Baker", "email": "adi.baker@mail.org"}
    (tmp_path / "person.json").write_text(json.dumps(person), encoding="utf-8")
    assert {c.pii for c in piiscan.scan(tmp_path / "person.json").columns} == {"direct"}


def test_names_beside_given_names_of_one_object_are_family_names(tmp_path: Path) -> None:
    driver = {"nom": "Kouamblegnon", "prenom": "Aristide", "naissance": "1982-04-30"}
    (tmp_path / "report.json").write_text(json.dumps({"vehicle": {"conducteur": driver, "marque": "Seat"}}), "utf-8")
    found = {c.name: (c.entity, c.pii) for c in piiscan.scan(tmp_path / "report.json").columns}
    assert found["vehicle.conducteur.nom"] == ("LAST_NAME", "direct") and found["vehicle.marque"][1] == "none"


@pytest.mark.parametrize(
    ("host", "pii"), [("grace.internal", "none"), ("jordan.local", "none"), ("frieda.lindqvist", "direct")]
)
def test_machines_called_as_people_are_no_persons(host: str, pii: str, tmp_path: Path) -> None:
    (tmp_path / "deploy.yaml").write_text(f"data:\n  LOG_LEVEL: info\n  HOST: {host}\n", encoding="utf-8")
    assert {c.name: c.pii for c in piiscan.scan(tmp_path / "deploy.yaml").columns}["data.HOST"] == pii
