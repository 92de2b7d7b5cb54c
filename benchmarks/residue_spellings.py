"""How the notes of `residue.py` spell a person's values: the fixed list that is planted, and looked for afterwards.

Nothing here is piiscan's, so that a mistake of its normaliser isn't made twice.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

DIRECT: Final = ("first", "last", "number", "email", "user", "phone", "street", "ssn")
"""What must never be left."""
REMOVED: Final = {"dob": "date_of_birth", "age": "date_of_birth", "zip": "zip", "city": "city"}
"""What must not be left where the plan changes this column."""

_LETTERS: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe", "ё": "е", "Ё": "Е"}
)
_CYRILLIC: Final = re.compile("[Ѐ-ӿ]")
_VOWELS: Final = "aeiouyáéíóúýàèìòùâêîôûäëïöüåæøąęőűıаеёиоуыэюя"


def plain(text: str) -> str:
    """Without accents."""
    if _CYRILLIC.search(text):
        return text.replace("ё", "е").replace("Ё", "Е")
    return "".join(c for c in unicodedata.normalize("NFKD", text.translate(_LETTERS)) if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class Phone:
    code: str
    trunk: str
    area: str
    rest: tuple[str, ...]

    def spellings(self) -> dict[str, str]:
        rest = self.rest
        return {
            "international": " ".join((f"+{self.code}", self.area, *rest)),
            "national": " ".join((self.trunk + self.area, *rest)),
            "dashes": "-".join((self.trunk + self.area, *rest)),
            "dots": ".".join((self.trunk + self.area, *rest)),
            "digits": self.trunk + self.area + "".join(rest),
            "e164": f"+{self.code}{self.area}{''.join(rest)}",
            "00": f"00{self.code} {self.area} {''.join(rest)}",
            "parentheses": f"({self.trunk + self.area}) {'-'.join(rest)}",
        }


@dataclass(frozen=True, slots=True)
class Person:
    number: str
    first: str
    nickname: str
    last: str
    female: bool
    born: dt.date
    email: str
    user: str
    phone: Phone
    phone_as: str
    street: str
    street_name: str
    zip: str
    city: str
    country: str
    ssn: str
    language: str

    def age(self, on: dt.date) -> int:
        return on.year - self.born.year - ((on.month, on.day) < (self.born.month, self.born.day))


def inflected(name: str, case: str, language: str, female: bool, last: bool) -> str:
    """A name in the genitive ("gen") or the instrumental ("ins"), by coarse rules; itself where there is none."""
    end, low = name[-1], name.lower()
    if language in ("en", "de", "nl", "sv", "da") and case == "gen":
        if language == "en":
            return name + "'s"
        if low.endswith(("s", "x", "z", "ß")):
            return name + ("'" if language in ("de", "nl") else "")
        return name + ("'s" if language == "nl" and end in "aiouy" else "s")
    if language == "tr" and case == "gen":
        vowels = [c for c in low if c in "aıoueiöü"]
        back = vowels[-1] if vowels else "i"
        suffix = {"a": "ın", "ı": "ın", "o": "un", "u": "un", "e": "in", "i": "in", "ö": "ün", "ü": "ün"}[back]
        return f"{name}'{'n' if end in 'aıoueiöü' else ''}{suffix}"
    if language == "ro" and case == "gen" and female and not last and end == "a":
        return name[:-1] + "ei"
    instrumental = case == "ins"
    if language == "pl":
        if last and low.endswith(("ski", "cki")):
            return name + ("m" if instrumental else "ego")
        if last and low.endswith(("ska", "cka")):
            return name[:-1] + ("ą" if instrumental else "iej")
        if end == "a":
            return name[:-1] + ("ą" if instrumental else "i" if name[-2] in "kglji" else "y")
        if female:
            return name
        if low.endswith("y"):
            return name + "m" if instrumental else name[:-1] + "ego"
        if end in _VOWELS:
            return name
        stem = name[:-2] + "k" if low.endswith("ek") and len(name) > 3 else name
        return stem + (("iem" if stem[-1] in "kg" else "em") if instrumental else "a")
    if language == "cs":
        if end == "á":
            return name[:-1] + ("ou" if instrumental else "é")
        if end == "ý":
            return name[:-1] + ("ým" if instrumental else "ého")
        if end == "a":
            return name[:-1] + ("ou" if instrumental else "y")
        if female or end in _VOWELS or end in "eí":
            return name
        stem = name[:-2] + "k" if low.endswith("ek") and len(name) > 3 else name
        return stem + ("em" if instrumental else "a")
    if language == "ru":
        if last and low.endswith(("ский", "ный", "цкий")):
            return name[:-2] + ("им" if instrumental else "ого")
        if last and low.endswith("ая"):
            return name[:-2] + "ой"
        if last and female and end == "а":
            return name[:-1] + "ой"
        if low.endswith("ия"):
            return name[:-1] + ("ей" if instrumental else "и")
        if end == "я":
            return name[:-1] + ("ей" if instrumental else "и")
        if end == "а":
            return name[:-1] + ("ой" if instrumental else "и" if name[-2] in "гкхжшщч" else "ы")
        if end == "ь":
            return name if female else name[:-1] + ("ем" if instrumental else "я")
        if end == "й":
            return name[:-1] + ("ем" if instrumental else "я")
        if female or end in _VOWELS:
            return name
        return name + ("ым" if instrumental and last else "ом" if instrumental else "а")
    return name


def dates(day: dt.date, language: dict[str, Any]) -> dict[str, str]:
    """Spelling → a day as notes of a language write it."""
    out = {"iso": day.isoformat(), "compact": day.strftime("%Y%m%d")}
    for n, pattern in enumerate(language["dates"]):
        out["numeric" if not n else f"numeric_{n + 1}"] = day.strftime(pattern)
    for n, pattern in enumerate(language["words"]):
        month = language["months"][day.month - 1]
        out["words" if not n else f"words_{n + 1}"] = pattern.format(d=day.day, month=month, Y=day.year)
    return out


def numbers(number: str) -> dict[str, str]:
    bare = re.sub(r"\W", "", number)
    return {
        "as_column": number,
        "no_separators": bare,
        "spaces": re.sub(r"\W", " ", number),
        "slashes": re.sub(r"\W", "/", number),
        "lower": number.lower(),
    }


def streets(person: Person) -> dict[str, str]:
    short = person.street
    for long, brief in (("straße", "str."), ("strasse", "str."), ("Street", "St"), ("Road", "Rd"), ("Avenue", "Ave")):
        short = short.replace(long, brief)
    return {
        "as_column": person.street,
        "no_house_number": person.street_name,
        "upper": person.street.upper(),
        "no_accents": plain(person.street),
        "abbreviated": short,
    }


def emails(email: str) -> dict[str, str]:
    return {"as_column": email, "upper": email.upper(), "url": quote(email, safe="")}


def full_names(person: Person) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Spelling → a mention of the whole name, and what of it names the person."""
    first, last, nick, language, female = (
        person.first,
        person.last,
        person.nickname,
        person.language,
        person.female,
    )
    first_gen, first_ins = (inflected(first, case, language, female, False) for case in ("gen", "ins"))
    last_gen, last_ins = (inflected(last, case, language, female, True) for case in ("gen", "ins"))
    slavic = language in ("pl", "cs", "ru")
    whole = f"{first} {last}"
    jsmith = (first[0] + last).replace(" ", "")
    return {
        "full": (whole, (first, last)),
        "last_first": (f"{last}, {first}", (first, last)),
        "initial_last": (f"{first[0]}. {last}", (last,)),
        "last_initial": (f"{last} {first[0]}.", (last,)),
        "jsmith": (jsmith, (jsmith, last)),
        "upper": (whole.upper(), (first.upper(), last.upper())),
        "lower": (whole.lower(), (first.lower(), last.lower())),
        "upper_last": (f"{last.upper()} {first}", (first, last.upper())),
        "no_accents": (plain(whole), (plain(first), plain(last))),
        "nickname": (f"{nick or first} {last}", (nick or first, last)),
        "broken": (f"{first}\n{last}", (first, last)),
        "url": (quote(whole), (first, last)),
        "gen": (f"{first_gen if slavic else first} {last_gen}", (first_gen if slavic else first, last_gen)),
        "ins": (f"{first_ins} {last_ins}", (first_ins, last_ins)),
    }


def first_names(person: Person) -> dict[str, str]:
    first = person.first
    return {
        "as_column": first,
        "upper": first.upper(),
        "lower": first.lower(),
        "no_accents": plain(first),
        "no_accents_lower": plain(first).lower(),
        "no_accents_upper": plain(first).upper(),
        "nickname": person.nickname or first,
        "gen": inflected(first, "gen", person.language, person.female, False),
        "ins": inflected(first, "ins", person.language, person.female, False),
    }


def last_names(person: Person) -> dict[str, str]:
    last = person.last
    words = [w for w in re.split(r"[ -]", last) if len(w) > 3 and w[0].isupper()]
    out = {
        "as_column": last,
        "upper": last.upper(),
        "lower": last.lower(),
        "no_accents": plain(last),
        "no_accents_lower": plain(last).lower(),
        "no_accents_upper": plain(last).upper(),
        "gen": inflected(last, "gen", person.language, person.female, True),
        "ins": inflected(last, "ins", person.language, person.female, True),
    }
    if len(words) > 1:
        out["part"] = words[0]
    return out


def forms(person: Person, language: dict[str, Any], on: dt.date) -> dict[str, dict[str, str]]:
    """Kind → spelling → what is looked for in the masked note of a person."""
    age = person.age(on)
    whole = full_names(person)
    return {
        "first": first_names(person),
        "last": last_names(person) | {"jsmith": whole["jsmith"][0]},
        "number": numbers(person.number),
        "email": emails(person.email),
        "user": {"as_column": person.user, "upper": person.user.upper()},
        "phone": person.phone.spellings(),
        "street": streets(person),
        "ssn": numbers(person.ssn) if person.ssn else {},
        "dob": dates(person.born, language),
        "age": {"as_column": str(age)} if age > 89 else {},
        "zip": {"as_column": person.zip},
        "city": {"as_column": person.city, "upper": person.city.upper(), "no_accents": plain(person.city)},
    }
