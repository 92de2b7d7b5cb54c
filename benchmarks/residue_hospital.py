"""The hospital that `residue.py` masks: five tables of made-up people of 24 countries, and notes in 14 languages of
which every mention is known."""

from __future__ import annotations

import csv
import datetime as dt
import json
import random
import re
import sqlite3
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from benchmarks.residue_spellings import (
    Person,
    Phone,
    dates,
    emails,
    first_names,
    full_names,
    inflected,
    last_names,
    numbers,
    plain,
    streets,
)

DATA: Final = Path(__file__).resolve().parent / "residue"
TODAY: Final = dt.date(2025, 6, 30)
_PATIENT: Final = (
    "patient_no", "first_name", "last_name", "gender", "date_of_birth", "email", "username", "phone", "street", "zip",
    "city", "country", "ssn",
)  # fmt: skip
_MARK: Final = re.compile(
    r"\{(?P<slot>\w+)(?::(?P<how>\w+))?\}|\[(?P<word>[^]|]+)(?:\|(?P<what>\w+))?\]|<(?P<m>[^|>]*)\|(?P<f>[^>]*)>"
)
_TRANSLITERATED: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch . y . e yu ya".split(),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a note. `kind`: "" for words of the template, "other" for what names somebody else or a visit, the
    category of a homograph, or what of the patient it tells, in which `spelling` and by which `parts`."""

    text: str
    kind: str = ""
    spelling: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    person: int
    language: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


HOMOGRAPHS: Final = ("word", "month", "disease")


@dataclass(frozen=True, slots=True)
class Hospital:
    people: list[Person]
    notes: list[Note]
    languages: dict[str, Any]


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def hospital(people: int, notes: int, seed: int) -> Hospital:
    """The same for the same numbers."""
    draw = random.Random(seed)
    languages = _toml("languages")
    who = list(_people(people, draw))
    doctors = [_full_name(draw, names) for names in _toml("names").values() for _ in range(4)]
    templates = {
        language: [
            line.replace("\\n", "\n")
            for line in (DATA / "templates" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
            if line
        ]
        for language in languages
    }
    written = [_note(draw, draw.randrange(people), who, templates, languages, doctors) for _ in range(notes)]
    return Hospital(who, written, languages)


def _people(count: int, draw: random.Random) -> Iterator[Person]:
    places, names = _toml("places"), _toml("names")
    languages = sorted({place["language"] for place in places.values()})
    weights = [4 if language == "en" else 1 for language in languages]
    users: set[str] = set()
    for n in range(count):
        language = draw.choices(languages, weights)[0]
        country = draw.choice([c for c, place in places.items() if place["language"] == language])
        place = places[country]
        female = draw.random() < 0.5
        first, nickname, last = _name(draw, names[place["names"]], female, place["names"])
        number = f"PT-{draw.randrange(100_000):05}-{n % 100:02}"
        latin = [re.sub("[^a-z]", "", _latin(part)) or "x" for part in (first, last)]
        user = draw.choice(["{0[0]}{1}", "{0}.{1}", "{1}{0[0]}", "{0}{1[0]}"]).format(*latin)
        while user in users:
            user += str(draw.randrange(10, 100))
        users.add(user)
        domain = draw.choice(["mail.example.org", "post.example.net", "example.com", "inbox.example.com"])
        email = draw.choice([f"{user}@{domain}", f"{latin[0]}.{latin[1]}{draw.randrange(1000)}@{domain}"])
        digits = ["".join(draw.choices("0123456789", k=size)) for size in place["groups"]]
        if digits[0][0] in "01":
            digits[0] = draw.choice("23456789") + digits[0][1:]
        phone = Phone(place["code"], place["trunk"], draw.choice(place["areas"]), tuple(digits))
        name = draw.choice(place["streets"])
        yield Person(
            number,
            first,
            nickname,
            last,
            female,
            dt.date(1925, 1, 1) + dt.timedelta(days=draw.randrange(365 * 98)),
            email,
            user,
            phone,
            phone.spellings()[draw.choice(["international", "international", "national", "e164"])],
            place["street"].format(s=name, n=draw.randrange(1, 240)),
            name,
            re.sub("[#@]", lambda m: draw.choice("0123456789" if m[0] == "#" else "ABDEGHKLNPRTX"), place["zip"]),
            draw.choice(place["cities"]),
            country,
            f"{draw.randrange(100, 665)}-{draw.randrange(10, 99)}-{draw.randrange(1000, 9999)}"
            if country == "US"
            else "",
            language,
        )


def _name(draw: random.Random, names: dict[str, str], female: bool, group: str) -> tuple[str, str, str]:
    """First name, nickname or "", last name."""
    first, _, nickname = draw.choice(names["female" if female else "male"].split()).partition("/")
    last = draw.choice(names["last"].split(", "))
    return first, nickname, _of_woman(last, group) if female else last


def _of_woman(last: str, group: str) -> str:
    if group == "pl":
        return last[:-1] + "a" if last.endswith(("ski", "cki")) else last
    if group == "cs":
        if last.endswith("ý"):
            return last[:-1] + "á"
        if last.endswith("ek"):
            return last[:-2] + "ková"
        return (last[:-1] if last[-1] in "aeě" else last) + "ová"
    if group == "ru":
        return last[:-2] + "ая" if last.endswith(("ий", "ый")) else last + "а"
    return last


def _full_name(draw: random.Random, names: dict[str, str]) -> tuple[str, str]:
    first, _, last = _name(draw, names, False, "")
    return first, last


def _latin(text: str) -> str:
    return plain("".join(_TRANSLITERATED.get(c, c) for c in text.lower())).lower()


def _stranger(draw: random.Random, person: Person, names: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Somebody who shares no name with a person, so that a name that is left is the person's."""
    own = {person.first, person.last, person.nickname}
    while True:
        first, last = draw.choice(names)
        if first not in own and last not in own:
            return first, last


def _note(
    draw: random.Random,
    index: int,
    people: Sequence[Person],
    templates: dict[str, list[str]],
    languages: dict[str, Any],
    doctors: Sequence[tuple[str, str]],
) -> Note:
    person = people[index]
    usable = [t for t in templates[person.language] if person.ssn or "{ssn" not in t]
    chosen = draw.sample(usable, 2 if draw.random() < 0.3 else 1)
    pieces: list[Piece] = []
    for n, template in enumerate(chosen):
        if n:
            pieces.append(Piece(draw.choice([" ", "\n"])))
        pieces += _filled(draw, template, person, people, languages[person.language], doctors)
    return Note(index, person.language, tuple(pieces))


def _filled(
    draw: random.Random,
    template: str,
    person: Person,
    people: Sequence[Person],
    language: dict[str, Any],
    doctors: Sequence[tuple[str, str]],
) -> Iterator[Piece]:
    at = 0
    for mark in _MARK.finditer(template):
        yield Piece(template[at : mark.start()])
        at = mark.end()
        if word := mark["word"]:
            yield Piece(word, mark["what"] or "word")
        elif mark["m"] is not None:
            yield Piece(mark["f"] if person.female else mark["m"])
        else:
            yield from _mention(draw, mark["slot"], mark["how"], person, people, language, doctors)
    yield Piece(template[at:])


def _one(draw: random.Random, kind: str, spellings: dict[str, str], usual: str = "as_column") -> Piece:
    """As the column spells it half the time."""
    spelling = usual if draw.random() < 0.5 and usual in spellings else draw.choice(list(spellings))
    return Piece(spellings[spelling], kind, spelling, (spellings[spelling],))


def _mention(
    draw: random.Random,
    slot: str,
    how: str | None,
    person: Person,
    people: Sequence[Person],
    language: dict[str, Any],
    doctors: Sequence[tuple[str, str]],
) -> Iterator[Piece]:
    case = person.language, person.female
    if slot == "name":
        spellings = full_names(person)
        usual = [s for s in spellings if s not in ("gen", "ins", "url")]
        spelling = how or ("full" if draw.random() < 0.5 else draw.choice(usual))
        text, parts = spellings[spelling]
        yield Piece(text, "name", spelling, parts)
    elif slot in ("first", "last") and how:
        text = inflected(getattr(person, slot), how, case[0], case[1], slot == "last")
        yield Piece(text, slot, how, (text,))
    elif slot == "first":
        usable = {s: t for s, t in first_names(person).items() if s in ("as_column", "upper", "no_accents", "nickname")}
        yield _one(draw, slot, usable)
    elif slot == "last":
        usable = {s: t for s, t in last_names(person).items() if s in ("as_column", "upper", "no_accents", "part")}
        yield _one(draw, slot, usable)
    elif slot == "number":
        yield _one(draw, slot, numbers(person.number))
    elif slot == "ssn":
        yield _one(
            draw, slot, {k: v for k, v in numbers(person.ssn).items() if k in ("as_column", "no_separators", "spaces")}
        )
    elif slot == "email":
        yield _one(draw, slot, emails(person.email))
    elif slot == "user":
        yield _one(draw, slot, {"as_column": person.user, "upper": person.user.upper()})
    elif slot == "phone":
        yield _one(draw, slot, {"as_column": person.phone_as} | person.phone.spellings())
    elif slot == "street":
        yield _one(draw, slot, streets(person))
    elif slot == "dob":
        yield _one(draw, slot, dates(person.born, language), "numeric")
    elif slot == "age":
        age = str(person.age(TODAY))
        yield Piece(age, "age", "over_89" if int(age) > 89 else "as_column", (age,))
    elif slot in ("zip", "city"):
        text = getattr(person, slot)
        yield Piece(text, slot, "as_column", (text,))
    elif slot == "url":
        name = quote(f"{person.first} {person.last}")
        yield Piece("https://portal.example/patients?name=")
        yield Piece(name, "name", "url", (person.first, person.last))
        yield Piece("&id=")
        yield Piece(person.number, "number", "in_url", (person.number,))
    elif slot == "doctor":
        yield Piece(language["doctor"])
        yield Piece(" ".join(_stranger(draw, person, doctors)), "other")
    elif slot == "other":
        stranger = _stranger(draw, person, [(p.first, p.last) for p in draw.choices(people, k=8)] + list(doctors))
        yield Piece(" ".join(stranger), "other")
    elif slot == "relative":
        first, _ = _stranger(draw, person, [(p.first, p.last) for p in draw.choices(people, k=8)] + list(doctors))
        yield Piece(first, "other")
        yield Piece(" ")
        yield Piece(person.last, "last", "of_relative", (person.last,))
    elif slot == "date":
        day = TODAY - dt.timedelta(days=draw.randrange(700))
        yield Piece(draw.choice(list(dates(day, language).values())), "other")
    else:
        raise ValueError(f"no slot is called {slot}")


def write(made: Hospital, folder: Path, seed: int) -> None:
    """The five files."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed + 1)
    _patients(made.people, folder / "patients.csv")
    _visits(made.people, folder / "visits.parquet", draw)
    with open(folder / "notes.jsonl", "w", encoding="utf-8", newline="\n") as out:
        for n, note in enumerate(made.notes):
            row = {
                "note_id": n + 1,
                "patient_no": made.people[note.person].number,
                "language": note.language,
                "text": note.text,
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    _billing(made.people, folder / "billing.xlsx", draw)
    _portal(made.people, folder / "portal.sqlite", draw)


def _patients(people: Sequence[Person], path: Path) -> None:
    with open(path, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(_PATIENT)
        for p in people:
            rows.writerow(
                [
                    p.number, p.first, p.last, "F" if p.female else "M", p.born.isoformat(), p.email, p.user,
                    p.phone_as, p.street, p.zip, p.city, p.country, p.ssn,
                ]
            )  # fmt: skip


def _visits(people: Sequence[Person], path: Path, draw: random.Random) -> None:
    import polars as pl

    rows = []
    for n in range(2 * len(people)):
        person = draw.choice(people)
        rows.append(
            {
                "visit_id": 700_000 + n,
                "patient_no": person.number,
                "admitted": TODAY - dt.timedelta(days=draw.randrange(700)),
                "ward": draw.choice(["A1", "A2", "B1", "C3", "ICU"]),
                "icd10": draw.choice(["I10", "E11.9", "J45.0", "K50.9", "M54.5", "N18.3", "G20", "C81.9", "E05.0"]),
                "pulse": draw.randrange(52, 118),
            }
        )
    pl.DataFrame(rows).write_parquet(path)


def _billing(people: Sequence[Person], path: Path, draw: random.Random) -> None:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("invoices")
    sheet.append(["invoice", "patient_no", "payer", "email", "iban", "amount", "paid"])
    for n in range(len(people)):
        person = draw.choice(people)
        account = f"{draw.randrange(10**8):08}{draw.randrange(10**10):010}"
        check = 98 - int(account + "131400") % 97
        sheet.append(
            [
                f"INV-{2025000 + n}", person.number, f"{person.last}, {person.first}", person.email,
                f"DE{check:02}{account}", round(draw.uniform(20, 4000), 2), draw.choice(["yes", "no"]),
            ]
        )  # fmt: skip
    book.save(path)


def _portal(people: Sequence[Person], path: Path, draw: random.Random) -> None:
    path.unlink(missing_ok=True)
    portal = sqlite3.connect(path)
    portal.execute("CREATE TABLE accounts (username TEXT PRIMARY KEY, patient_no TEXT, email TEXT, phone TEXT)")
    portal.execute("CREATE TABLE logins (id INTEGER PRIMARY KEY, username TEXT, at TEXT, ip TEXT)")
    portal.executemany(
        "INSERT INTO accounts VALUES (?, ?, ?, ?)", [(p.user, p.number, p.email, p.phone_as) for p in people]
    )
    portal.executemany(
        "INSERT INTO logins (username, at, ip) VALUES (?, ?, ?)",
        [
            (
                draw.choice(people).user,
                str(dt.datetime(2025, 1, 1) + dt.timedelta(minutes=draw.randrange(250_000))),
                f"84.{draw.randrange(256)}.{draw.randrange(256)}.{draw.randrange(1, 255)}",
            )
            for _ in range(2 * len(people))
        ],
    )
    portal.commit()
    portal.close()
