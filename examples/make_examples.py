"""Makes the files in this folder. Everybody and everything in them is made up; the check digits are right.

`python examples/make_examples.py` writes the same rows every time (polars and xlsxwriter have to be installed).
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import random
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
Row = dict[str, Any]

FIRST = (
    "Amelia Brandon Clara Dmitri Elena Farid Grace Hugo Irene Jonas Katya Liam Miriam Noah Olivia Paul Quentin "
    "Rosa Samuel Tessa"
).split()
LAST = (
    "Abbott Bergström Castillo Donovan Eriksen Fontaine Grant Hughes Ivanova Jensen Keller Lindgren Morales "
    "Nakamura Osei Price Quinn Romero Sinclair Turner"
).split()
STREETS = "Alder Birch Cherry Dogwood Elm Foxglove Garden Hazel Juniper Laurel".split()
TOWNS = [
    ("Springfield", "IL", "627"),
    ("Portland", "OR", "972"),
    ("Austin", "TX", "787"),
    ("Denver", "CO", "802"),
    ("Boston", "MA", "021"),
]
GERMAN = {
    "first": "Anke Bernd Claudia Dieter Elke Frank Gisela Heiko Jürgen Sören".split(),
    "last": "Bäcker Fuchs Groß Hoffmann König Lange Möller Schröder Vogel Weiß".split(),
}
POLISH = {
    "f": "Agnieszka Barbara Ewa Joanna Małgorzata Zofia".split(),
    "m": "Adam Grzegorz Łukasz Marek Paweł Tomasz".split(),
}
POLISH_LAST = "Dąbrowicz Górniak Jabłoń Leśniak Mazurek Sosna Wróbel Zięba".split()
DIAGNOSES = [
    "Asthma",
    "Type 2 diabetes",
    "Hypertension",
    "Migraine",
    "Epilepsy",
    "Psoriasis",
    "Depression",
    "Coeliac disease",
]


def luhn(body: str) -> str:
    """`body` with its Luhn check digit (ISO/IEC 7812-1, annex B)."""
    doubled = [int(d) * (2 if i % 2 == 0 else 1) for i, d in enumerate(reversed(body))]
    return body + str(-sum(d - 9 if d > 9 else d for d in doubled) % 10)


def german_iban(rng: random.Random) -> str:
    bban = f"{rng.randrange(10**8):08d}{rng.randrange(10**10):010d}"
    return f"DE{98 - int(bban + '131400') % 97:02d}{bban}"


def german_tax_id(rng: random.Random) -> str:
    """Ten digits of which exactly one stands twice, and an ISO 7064 MOD 11,10 check digit."""
    digits = rng.sample(range(10), 9)
    digits.insert(rng.randrange(1, 10), rng.choice(digits))
    if digits[0] == 0:
        digits = digits[::-1] if digits[-1] else digits[1:] + digits[:1]
    product = 10
    for d in digits:
        product = ((d + product) % 10 or 10) * 2 % 11
    return "".join(map(str, digits)) + str((11 - product) % 10)


def pesel(born: dt.date, female: bool, rng: random.Random) -> str:
    month = born.month + (20 if born.year >= 2000 else 0)
    body = (
        f"{born.year % 100:02d}{month:02d}{born.day:02d}{rng.randrange(1000):03d}{rng.randrange(5) * 2 + (not female)}"
    )
    return body + str(-sum(int(d) * w for d, w in zip(body, (1, 3, 7, 9) * 3, strict=False)) % 10)


def birthday(rng: random.Random) -> dt.date:
    return dt.date(1945, 1, 1) + dt.timedelta(days=rng.randrange(22_000))


def phone(rng: random.Random) -> str:
    return (
        f"({rng.choice((212, 303, 415, 512, 617, 773))}) 555-01{rng.randrange(100):02d}"  # 555-01xx is kept for fiction
    )


def person(rng: random.Random) -> Row:
    first, last = rng.choice(FIRST), rng.choice(LAST)
    town, state, area = rng.choice(TOWNS)
    return {
        "first_name": first,
        "last_name": last,
        "email": f"{first}.{last}{rng.randrange(100)}@example.com".lower().replace("ö", "o"),
        "phone": phone(rng),
        "ssn": f"{rng.randrange(100, 660)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}",
        "date_of_birth": birthday(rng).isoformat(),
        "street": f"{rng.randrange(1, 990)} {rng.choice(STREETS)} {rng.choice(('Street', 'Avenue', 'Lane'))}",
        "city": town,
        "state": state,
        "zip": f"{area}{rng.randrange(100):02d}",
    }


def people(rng: random.Random) -> Row:
    return person(rng) | {"card_number": luhn("4" + f"{rng.randrange(10**14):014d}"), "newsletter": rng.choice((0, 1))}


def employees_de(rng: random.Random) -> Row:
    return {
        "Personalnummer": f"P{rng.randrange(10_000, 99_999)}",
        "Vorname": rng.choice(GERMAN["first"]),
        "Nachname": rng.choice(GERMAN["last"]),
        "Geburtsdatum": birthday(rng).strftime("%d.%m.%Y"),
        "Straße": f"{rng.choice(('Birkenweg', 'Gartenstraße', 'Lindenallee', 'Schulstraße'))} {rng.randrange(1, 120)}",
        "PLZ": f"{rng.randrange(10_115, 99_998)}",
        "Ort": rng.choice(("Bremen", "Kassel", "Köln", "München")),
        "IBAN": german_iban(rng),
        "Steuer-ID": german_tax_id(rng),
        "Bruttogehalt": f"{rng.randrange(28, 96)}.{rng.randrange(1000):03d},00",
    }


def customers_pl(rng: random.Random) -> Row:
    sex, born = rng.choice("fm"), birthday(rng)
    return {
        "imię": rng.choice(POLISH[sex]),
        "nazwisko": rng.choice(POLISH_LAST),
        "PESEL": pesel(born, sex == "f", rng),
        "data urodzenia": born.isoformat(),
        "telefon": f"+48 {rng.randrange(500, 800)} {rng.randrange(100, 999)} {rng.randrange(100, 999)}",
        "miasto": rng.choice(("Gdańsk", "Kraków", "Łódź", "Poznań", "Warszawa")),
    }


def orders(rng: random.Random) -> Row:
    return {
        "order_id": f"ORD-{rng.randrange(10**6):06d}",
        "customer_email": person(rng)["email"],
        "sku": f"{rng.choice('ABCD')}{rng.randrange(10_000):04d}",
        "quantity": rng.randrange(1, 9),
        "price": round(rng.uniform(3, 400), 2),
        "ordered_at": dt.datetime(2025, 1, 1) + dt.timedelta(seconds=rng.randrange(31_000_000)),
    }


def patients(rng: random.Random) -> Row:
    who = person(rng)
    return {
        "Patient": f"{who['first_name']} {who['last_name']}",
        "MRN": f"MRN-{rng.randrange(10**7):07d}",
        "Sex": rng.choice(("F", "M")),
        "Age": rng.randrange(1, 95),
        "Diagnosis": rng.choice(DIAGNOSES),
    }


def visit(rng: random.Random) -> Row:
    """Of a table whose direct identifiers are gone: a patient has one visit or a few."""
    number = rng.randrange(160)
    patient = random.Random(number)
    diagnosis = patient.choice(DIAGNOSES[:4])
    return {
        "patient": f"p{number:03d}",
        "age": patient.randrange(20, 70) // 10 * 10 + patient.choice((1, 4, 8)),
        "sex": patient.choice("FM"),
        "zip": patient.choice(("62701", "62702", "62704", "62711")),
        "diagnosis": diagnosis if rng.random() < 0.7 else rng.choice(DIAGNOSES[:4]),
    }


def voter(rng: random.Random) -> Row:
    """Somebody of a public register, who may be a patient of `visit`."""
    patient = visit(rng)
    return {
        "name": f"{rng.choice(FIRST)} {rng.choice(LAST)}",
        "age": patient["age"],
        "sex": patient["sex"],
        "zip": patient["zip"],
    }


def clinic(rng: random.Random) -> Row:
    """A row for each patient of one clinic: the data of docs/tutorial.md."""
    who = person(rng)
    who["email"] = f"{who['first_name']}.{who['last_name']}{rng.randrange(10_000)}@example.com".lower().replace(
        "ö", "o"
    )
    age = rng.randrange(18, 90)
    diagnosis = rng.choices(DIAGNOSES[:5], weights=(5, age / 12, age / 10, 4, 2))[0]
    note = rng.choice(("", "Came back for the results.", "No change since spring.", "Asked about side effects."))
    if rng.random() < 0.1:
        note = f"{who['first_name']} {who['last_name']} asked for a copy by mail to {who['email']}."
    return {
        "mrn": f"MRN-{rng.randrange(10**7):07d}",
        "name": f"{who['first_name']} {who['last_name']}",
        "email": who["email"],
        "age": age,
        "sex": rng.choice("FM"),
        "zip": rng.choice(("62701", "62702", "62703", "62704", "62707", "62711")),
        "diagnosis": diagnosis,
        "cost": f"{rng.lognormvariate(5.8, 0.5) + 6 * age:.2f}",
        "seen_by": rng.choice(("Hugo", "Irene", "Katya", "Miriam", "Paul", "Rosa", "Samuel", "Tessa")),
        "note": note,
    }


def clinics(rng: random.Random) -> Row:
    return {
        "Clinic": f"{rng.choice(STREETS)} Valley Hospital",
        "City": rng.choice(TOWNS)[0],
        "Telephone": "(888" + phone(rng)[4:],  # a number of nobody else's: it is kept, and nobody's may be left
        "Beds": rng.randrange(20, 900),
    }


def tickets(rng: random.Random) -> Row:
    who = person(rng)
    text = rng.choice(
        (
            "The parcel came late and the box was open.",
            "Please cancel the second item of the order.",
            "The lamp flickers after an hour.",
        )
    )
    if rng.random() < 0.1:
        text += rng.choice(
            (f" You reach me at {who['email']}.", f" My number is {who['phone']}.", f" SSN {who['ssn']} is on file.")
        )
    return {"ticket": rng.randrange(10**5), "status": rng.choice(("open", "closed", "waiting")), "text": text}


def logins(rng: random.Random) -> Row:
    who = person(rng)
    return {
        "at": (dt.datetime(2025, 6, 1) + dt.timedelta(seconds=rng.randrange(10**6))).isoformat() + "Z",
        "event": rng.choice(("login", "logout", "failed")),
        "user": {
            "name": f"{who['first_name']} {who['last_name']}",
            "email": who["email"],
            "verified": rng.random() < 0.9,
        },
        "ip": f"198.51.100.{rng.randrange(1, 255)}",
        "roles": rng.sample(["reader", "editor", "admin"], rng.randrange(1, 3)),
    }


def sensors(rng: random.Random) -> Row:
    return {
        "reading": rng.randrange(10**9, 2 * 10**9),
        "recorded_at": 1_735_689_600 + rng.randrange(10**7),
        "temperature": round(rng.gauss(20, 5), 6),
        "pressure_hpa": round(rng.gauss(1013, 12), 9),
        "acid_level": round(rng.uniform(0, 14), 2),
        "firmware": f"{rng.randrange(4)}.{rng.randrange(20)}.{rng.randrange(200)}",
        "season": rng.choice(("1999/2000", "2000/2001", "2001/2002")),
        "checksum": f"{rng.getrandbits(128):032x}",
        "part": f"SCN-{rng.randrange(100, 999)}",
    }


def delimited(rows: Sequence[Row], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def log_line(rng: random.Random) -> str:
    at = dt.datetime(2025, 6, 1) + dt.timedelta(seconds=rng.randrange(10**6))
    rest = f"worker-{rng.randrange(8)} job {rng.getrandbits(32):08x} took {rng.randrange(5000)} ms"
    if rng.random() < 0.05:
        rest = f"password reset for {person(rng)['email']} from 203.0.113.{rng.randrange(1, 255)}"
    return f"{at.isoformat()} INFO {rest}\n"


def write_sqlite(path: Path, tables: dict[str, Sequence[Row]]) -> None:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        for name, rows in tables.items():
            columns = ", ".join(f'"{c}"' for c in rows[0])
            db.execute(f'CREATE TABLE "{name}" ({columns})')
            db.executemany(
                f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(rows[0]))})', [tuple(r.values()) for r in rows]
            )
    db.close()


def write_workbook(path: Path, sheets: dict[str, Sequence[Row]]) -> None:
    import polars as pl
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        book.set_properties({"created": dt.datetime(2025, 1, 1)})
        for name, rows in sheets.items():
            pl.DataFrame(rows).write_excel(book, worksheet=name)


def main() -> None:
    import polars as pl

    def made(make: Callable[[random.Random], Any], rows: int) -> list[Any]:
        rng = random.Random(make.__name__)
        return [make(rng) for _ in range(rows)]

    (HERE / "people.csv").write_text(delimited(made(people, 150)), encoding="utf-8")
    (HERE / "mitarbeiter.csv").write_bytes(delimited(made(employees_de, 80), ";").encode("cp1252"))
    (HERE / "klienci.tsv").write_text(delimited(made(customers_pl, 80), "\t"), encoding="utf-8")
    (HERE / "sensors.csv").write_text(delimited(made(sensors, 300)), encoding="utf-8")
    (HERE / "tickets.csv.gz").write_bytes(gzip.compress(delimited(made(tickets, 200)).encode(), mtime=0))
    (HERE / "logins.jsonl").write_text("".join(json.dumps(r) + "\n" for r in made(logins, 100)), encoding="utf-8")
    (HERE / "customers.json").write_text(
        json.dumps({"exported": "2025-06-01", "customers": made(person, 60)}, indent=1), encoding="utf-8"
    )
    (HERE / "worker.log").write_text("".join(made(log_line, 400)), encoding="utf-8")
    pl.DataFrame(made(orders, 300)).write_parquet(HERE / "orders.parquet")
    (HERE / "visits.csv").write_text(delimited(made(visit, 240)), encoding="utf-8")
    (HERE / "voters.csv").write_text(delimited(made(voter, 90)), encoding="utf-8")
    (HERE / "clinic.csv").write_text(delimited(made(clinic, 600)), encoding="utf-8")
    write_workbook(HERE / "hospital.xlsx", {"patients": made(patients, 80), "clinics": made(clinics, 20)})
    write_sqlite(HERE / "shop.sqlite", {"customers": made(person, 60), "stock": made(sensors, 60)})


if __name__ == "__main__":
    main()
