"""Labelled training tables: what people, systems and offices write down, in many languages, codings and styles of
header.

`tables(seed, count)` yields the same tables for the same arguments in every process. Nothing in them is about a real
person. Run `python models/generate.py --seed 1 --count 2000` for counts, `--show 5` to see some. Needs the extra
`train`.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import generate_headers as h
import generate_names as names
import generate_numbers as numbers
import generate_places as places
import generate_samples as s
import generate_things as things
import generate_traits as traits
import generate_words as w
from generate_group import Group, Maker
from generate_locales import LOCALES, Locale, locale
from generate_recipes import BOOK, WEIGHTS, Column, Recipe

from piiscan.core.entities import PII_CLASS


@dataclass(frozen=True, slots=True)
class GeneratedColumn:
    """A column with its labels: what the values are, and what they mean here. A value None is a missing cell."""

    header: str | None
    entity: str | None
    pii: str
    values: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """A table; `subject` is what a row is about: person, organization, place, thing, event or aggregate."""

    name: str
    subject: str
    columns: tuple[GeneratedColumn, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """How columns of a kind are made. `concept` finds headers, `rules` lend theirs; `text` may be cased and spaced
    anew."""

    entity: str | None
    concept: str
    make: Maker
    rules: tuple[str, ...] = ()
    text: bool = False
    key: bool = False


def _text(entity: str, concept: str, make: Maker, *rules: str) -> Kind:
    return Kind(entity, concept, make, rules, True)


KINDS: Mapping[str, Kind] = {
    "full_name": _text("PERSON", "full_name", names.full_name, "person-name"),
    "people_lists": _text("PERSON", "full_name", names.people_lists, "person-role"),
    "first": _text("FIRST_NAME", "first", names.first, "first-name"),
    "middle": _text("FIRST_NAME", "middle", names.middle),
    "last": _text("LAST_NAME", "last", names.last, "last-name"),
    "maiden": _text("LAST_NAME", "maiden", names.maiden),
    "email": Kind("EMAIL_ADDRESS", "email", names.email, ("email", "email-header")),
    "phone": Kind("PHONE_NUMBER", "phone", names.phone, ("phone-header",)),
    "mobile": Kind("PHONE_NUMBER", "mobile", names.phone),
    "fax": Kind("PHONE_NUMBER", "fax", names.phone),
    "address": _text("STREET_ADDRESS", "address", places.address, "street-address"),
    "street": _text("STREET_ADDRESS", "street", places.street, "street-address"),
    "street2": _text("STREET_ADDRESS", "street2", places.street2),
    "street_name": _text("STREET_ADDRESS", "street", places.street_name),
    "house_number": Kind("STREET_ADDRESS", "house_number", places.house_number),
    "city": _text("CITY", "city", places.city, "city"),
    "region": _text("REGION", "region", places.region, "region"),
    "county": _text("REGION", "region", places.county),
    "state_code": Kind("REGION", "state_code", places.state_code),
    "postal": Kind("POSTAL_CODE", "postal", places.postal, ("postal-code",)),
    "country": _text("COUNTRY", "country", places.country, "country"),
    "country_code": Kind("COUNTRY", "country_code", places.country_code),
    "lat": Kind("GEO_COORDINATES", "lat", places.latitude),
    "lon": Kind("GEO_COORDINATES", "lon", places.longitude),
    "coordinates": Kind("GEO_COORDINATES", "coordinates", places.coordinates, ("geo-pair",)),
    "ssn": Kind("US_SSN", "ssn", numbers.ssn, ("us-ssn-header",)),
    "national": Kind("NATIONAL_ID", "national", numbers.national_id, ("national-id-header",)),
    "passport": Kind("PASSPORT", "passport", numbers.passport, ("passport-header",)),
    "licence": Kind("DRIVER_LICENSE", "licence", numbers.licence, ("driver-license-header",)),
    "card": Kind("CREDIT_CARD", "card", numbers.card, ("credit-card-header",)),
    "cvv": Kind("CVV", "cvv", numbers.cvv, ("card-security-code",)),
    "iban": Kind("IBAN_CODE", "iban", numbers.iban, ("iban",)),
    "account": Kind("BANK_ACCOUNT", "account", numbers.account, ("bank-account",)),
    "swift": Kind("SWIFT_CODE", "swift", numbers.swift, ("bic",)),
    "ip": Kind("IP_ADDRESS", "ip", numbers.ip, ("ip-header",)),
    "mac": Kind("MAC_ADDRESS", "mac", numbers.mac, ("mac",)),
    "username": Kind("USERNAME", "username", names.username, ("username",)),
    "password": Kind("PASSWORD", "password", names.password, ("password",)),
    "mrn": Kind("MEDICAL_RECORD", "mrn", numbers.mrn, ("medical-record",), key=True),
    "plate": Kind("VEHICLE_ID", "plate", numbers.plate, ("vehicle-header",)),
    "vin": Kind("VEHICLE_ID", "vin", numbers.vin),
    "device": Kind("DEVICE_ID", "device", numbers.device, ("device-header",)),
    "birth": Kind("DATE_OF_BIRTH", "birth", traits.birth, ("date-of-birth",)),
    "birth_year": Kind("DATE_OF_BIRTH", "birth_year", traits.birth_year),
    "age": Kind("AGE", "age", traits.age, ("age",)),
    "age_band": Kind("AGE", "age_band", traits.age_band),
    "gender": _text("GENDER", "gender", traits.gender, "gender"),
    "marital": _text("MARITAL_STATUS", "marital", traits.marital, "marital-status"),
    "nationality": _text("NATIONALITY", "nationality", traits.nationality, "nationality"),
    "birthplace": _text("BIRTHPLACE", "birthplace", places.birthplace, "birthplace"),
    "language": _text("LANGUAGE", "language", traits.language, "language"),
    "occupation": _text("OCCUPATION", "occupation", traits.occupation, "occupation"),
    "education": _text("EDUCATION", "education", traits.education, "education"),
    "employer": _text("ORGANIZATION", "employer", traits.employer),
    "school": _text("ORGANIZATION", "school", traits.school),
    "party": _text("ORGANIZATION", "party", traits.party),
    "team": _text("ORGANIZATION", "team", traits.team),
    "pid": Kind("PERSON_ID", "pid", numbers.pid, ("person-id",), key=True),
    "manager_id": Kind("PERSON_ID", "manager_id", numbers.pid),
    "note": _text("FREE_TEXT", "note", names.note, "free-text"),
    "person_url": Kind("URL", "person_url", names.person_url),
    "ethnicity": _text("ETHNICITY", "ethnicity", traits.ethnicity, "ethnicity"),
    "religion": _text("RELIGION", "religion", traits.religion, "religion"),
    "sexuality": _text("SEXUALITY", "sexuality", traits.sexuality, "sexuality"),
    "diagnosis": _text("HEALTH_CONDITION", "diagnosis", traits.diagnosis),
    "icd": Kind("HEALTH_CONDITION", "icd", traits.icd),
    "blood": Kind("HEALTH_CONDITION", "blood", traits.blood),
    "income": Kind("INCOME", "income", traits.income, ("income",)),
    "income_band": Kind("INCOME", "income_band", traits.income_band),
    "generic_id": Kind("GENERIC_ID", "generic_id", numbers.generic_id, ("generic-id",), key=True),
    "org_id": Kind("ORGANIZATION_ID", "org_id", numbers.org_id),
    "secret": Kind("SECRET", "secret", numbers.secret),
    "org_name": _text("ORGANIZATION", "org_name", names.org_name),
    "url": Kind("URL", "url", names.url, ("url-header",)),
    "place_name": Kind(None, "place_name", names.org_name, text=True),
}
GROUPED = {
    "age": "age_band",
    "gender": "gender",
    "ethnicity": "ethnicity",
    "education": "education",
    "marital": "marital",
    "income": "income",
    "nationality": "nationality",
    "health": "diagnosis",
    "occupation": "occupation",
}
NAMES = frozenset(("PERSON", "FIRST_NAME", "LAST_NAME"))
ABROAD = {
    "players": 0.5,
    "athletes": 0.7,
    "races": 0.2,
    "passengers": 0.4,
    "publications": 0.6,
    "films": 0.4,
    "migrants": 0.8,
    "tweets": 0.3,
    "reviews": 0.3,
    "airbnb": 0.3,
    "app_users": 0.2,
}
"""Recipe → how often its people come from several countries."""
LATIN = [
    name
    for name in LOCALES
    if name[:2] in "en de fr es it pt nl pl sv no da fi cs ro hu tr ja zh ko ru uk hi ar hr".split()
]
MARKERS = (
    "NA",
    "NULL",
    "null",
    "-",
    "n/a",
    "N/A",
    "None",
    "nan",
    "?",
    "unknown",
    "--",
    ".",
    "Not available",
    "#N/A",
    "(blank)",
    "\\N",
    "k.A.",
    "b.d.",
    "",
)


def tables(seed: int, count: int) -> Iterator[Generated]:
    """`count` tables; table i depends on `seed` and i alone."""
    for i in range(count):
        yield TableMaker(random.Random(f"piiscan {seed} {i}")).build()


def pii_of(entity: str | None, about: str) -> str:
    """The class of a column whose values are about a `person`, or about an `org`, `place`, `thing`, `group`, `fiction`:
    names of real people and secrets are direct everywhere, lists of names and made-up characters are nobody’s."""
    if entity is None:
        return "none"
    if about == "person" or entity == "SECRET" or (entity in NAMES and about not in ("group", "fiction")):
        return PII_CLASS[entity]
    return "none"


@cache
def _recipe_weights() -> list[float]:
    return [WEIGHTS.get(r.name, 1.0) for r in BOOK]


@dataclass(slots=True)
class Draft:
    """A column in the making: its values for the table's rows, and what it was made of."""

    header: str
    entity: str | None
    pii: str
    values: list[str]
    text: bool = False
    key: bool = False


class TableMaker:
    """One table in the making."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.recipe: Recipe = rng.choices(BOOK, _recipe_weights())[0]
        self.rows = min(400, max(5, int(rng.lognormvariate(3.3, 0.95))))
        self.place: Locale = locale(rng.choices(list(LOCALES), list(LOCALES.values()))[0])
        self.mixed = rng.random() < 0.06
        self.local_headers = self.place.language != "en" and rng.random() < 0.65
        self.style = h.styles(rng)
        self.groups: dict[tuple[str, str], tuple[Group, list[int]]] = {}
        self.prefix = rng.random() < 0.1
        self.drafts: list[Draft] = []

    def build(self) -> Generated:
        rng, recipe = self.rng, self.recipe
        wanted = [c for c in recipe.columns if rng.random() < c.share]
        for column in wanted:
            for one in self._spread(column):
                self._add(one)
        self._fill(rng.randint(recipe.fewest, recipe.most))
        if recipe.subject == "aggregate" and rng.random() < 0.12:
            self._add_years()
        if recipe.name not in ("identity", "single") and rng.random() < 0.5:
            self._mix()
        return self._finish()

    def _spread(self, column: Column) -> list[Column]:
        """A macro's columns: the usual ways to split a name, an address, a place on earth."""
        rng = self.rng

        def of(*kinds: str) -> list[Column]:
            return [Column(column.role, kind, column.about, None, 1.0) for kind in kinds]

        match column.kind:
            case "names":
                return rng.choices(
                    (
                        of("full_name"),
                        of("first", "last"),
                        of("last", "first"),
                        of("first", "middle", "last"),
                        of("full_name", "first", "last"),
                        of("last"),
                        of("first"),
                        of("last", "first", "maiden"),
                    ),
                    (36, 36, 12, 6, 5, 3, 4, 2),
                )[0]
            case "address":
                kinds = ["address"] if rng.random() < 0.3 else ["street"]
                if kinds == ["street"]:
                    if rng.random() < 0.12:
                        kinds = ["street_name", "house_number"]
                    if rng.random() < 0.12:
                        kinds.append("street2")
                rest = [
                    ("postal", 0.7),
                    ("city", 0.85),
                    (rng.choice(("region", "state_code", "county")), 0.4),
                    (rng.choice(("country", "country_code")), 0.4),
                ]
                if kinds == ["address"]:
                    rest = [(kind, share * 0.4) for kind, share in rest]
                tail = [kind for kind, share in rest if rng.random() < share]
                if rng.random() < 0.3 and "city" in tail and "postal" in tail:
                    tail.remove("postal")
                    tail.append("postal")
                return of(*([] if rng.random() < 0.15 else kinds), *tail)
            case "geo":
                return (
                    of("coordinates")
                    if rng.random() < 0.18
                    else of("lat", "lon")
                    if rng.random() < 0.8
                    else of("lon", "lat")
                )
            case "one":
                direct = [kind for kind in KINDS if kind not in ("place_name", "org_name")]
                return of(rng.choice(direct))
        return [column]

    def _group(self, role: str, about: str) -> tuple[Group, list[int]]:
        """The subjects of a role, and for each row which of them it speaks of."""
        key = (role, about)
        if key not in self.groups:
            rng, rows = self.rng, self.rows
            main = role == self.recipe.role
            event = self.recipe.subject in ("event", "aggregate") or not main
            size = rows if not event or rng.random() < 0.3 else max(1, int(rows * rng.uniform(0.05, 0.9)))
            place = self.place if not self.mixed else locale(rng.choice(list(LOCALES)))
            abroad = ABROAD.get(self.recipe.name, 0.04)
            others = (
                tuple(locale(rng.choice(LATIN)) for _ in range(rng.randint(3, 9)))
                if about == "person" and rng.random() < abroad
                else ()
            )
            group = Group(
                rng, place, size, about, world=about == "country" or (self.mixed and rng.random() < 0.5), others=others
            )
            index = (
                list(range(rows))
                if size == rows
                else [min(size - 1, int(size * rng.random() ** 1.5)) for _ in range(rows)]
            )
            self.groups[key] = (group, index)
        return self.groups[key]

    def _add(self, column: Column) -> None:
        rng = self.rng
        role = column.role or self.recipe.role
        about = column.about or ("person" if column.role else self.recipe.about)
        if column.about:
            role = column.about
        name = column.kind
        if name.startswith("group_"):
            name, about = GROUPED[name[6:]], "group"
        if name.startswith("list_"):
            name = name[5:]
            about = "group"
        if name in ("lab", "healthflag", "healthcode"):
            self._add_health(name, column, role, about)
            return
        if name == "org_typed":
            self._add_org(role, about)
            return
        kind = KINDS[name]
        group, index = self._group(role, about)
        made = kind.make(group)
        own_key = kind.key and role == self.recipe.role and name != "generic_id" and group.size == self.rows
        if name == "generic_id":
            rows = Group(rng, self.place, self.rows, "thing")
            made, index = kind.make(rows), list(range(self.rows))
        foreign_role = column.role is not None and role != self.recipe.role
        header = self._header(kind, column.header, role if foreign_role else None)
        self.drafts.append(
            Draft(
                header,
                kind.entity,
                self._class(kind.entity, name, about),
                [made[i] for i in index],
                kind.text,
                own_key or name == "generic_id",
            )
        )

    @staticmethod
    def _class(entity: str | None, kind: str, about: str) -> str:
        if kind == "person_url":
            return "quasi"
        if kind in ("org_name", "url", "place_name"):
            return "none"
        return pii_of(entity, about)

    def _add_health(self, name: str, column: Column, role: str, about: str) -> None:
        """A lab value, a yes or no, or a code under a header of medicine: its meaning stands in the header alone."""
        rng = self.rng
        group, index = self._group(role, about)
        if name == "lab":
            labs = [x.strip().split("|") for x in w.LABS.replace("\n", "").split(";") if x.strip()]
            chosen = next((x for x in labs if x[0] == column.header), None) or rng.choice(labs)
            low, high, places = float(chosen[1]), float(chosen[2]), int(chosen[3])
            middle = rng.uniform(0.3, 0.6) * (high - low) + low
            values = [
                f"{min(high, max(low, rng.gauss(middle, (high - low) / 7))):.{places}f}" for _ in range(group.size)
            ]
            header = chosen[0]
            if chosen[4] and rng.random() < 0.2:
                header += f" ({chosen[4]})"
        else:
            header = rng.choice(w.HEALTH_FLAGS)
            pair = rng.choice(w.FLAGS) if rng.random() < 0.8 else ("positive", "negative")
            share = rng.uniform(0.05, 0.6)
            values = [pair[0] if rng.random() < share else pair[1] for _ in range(group.size)]
            if name == "healthcode":
                codes = rng.choice(
                    (
                        "0 1 2 3",
                        "1 2 3",
                        "0 1 2 3 4",
                        "normal abnormal",
                        "none mild moderate severe",
                        "I II III IV",
                        "never smoked;formerly smoked;smokes;Unknown",
                    )
                )
                header = rng.choice(
                    (
                        "thal",
                        "cp",
                        "chest pain type",
                        "restecg",
                        "slope",
                        "stage",
                        "tumor grade",
                        "asa class",
                        "pain score",
                        "smoking status",
                        "nyha",
                        "disease severity",
                        "ecg result",
                        "ca",
                    )
                )
                values = group.skewed(codes.split(";" if ";" in codes else " "))
        if any(d.header == self.style(header) for d in self.drafts):
            return
        self.drafts.append(
            Draft(self.style(header), "HEALTH_CONDITION", pii_of("HEALTH_CONDITION", about), [values[i] for i in index])
        )

    def _add_org(self, role: str, about: str) -> None:
        """Well-known organisations under the header of their kind."""
        rng = self.rng
        headers, known = rng.choice(list(w.ORG_TYPES.items()))
        group, index = self._group(role, about)
        values = group.skewed(rng.sample(known.split(";"), rng.randint(3, 10)))
        pii = "quasi" if about == "person" and headers.split(";")[0] in ("university", "party") else "none"
        self.drafts.append(
            Draft(self.style(rng.choice(headers.split(";"))), "ORGANIZATION", pii, [values[i] for i in index], True)
        )

    def _add_years(self) -> None:
        """A wide table: a column of numbers for each year."""
        rng = self.rng
        first = rng.randint(1960, 2018)
        spec = rng.choice(("skew 10 90000", "float 0 100 2", "float 0 5 1", "int 0 400"))
        rows = Group(rng, self.place, self.rows, "thing")
        for year in range(first, min(2024, first + rng.randint(4, 14))):
            self.drafts.append(
                Draft(
                    rng.choice(("{}", "{}", "{}", "Y{}", "{} [YR{}]")).format(year, year),
                    None,
                    "none",
                    things.make(rows, spec),
                )
            )

    def _header(self, kind: Kind, override: str | None, role: str | None) -> str:
        rng = self.rng
        text = override or h.phrase(
            rng, kind.concept, self.place.language, self.local_headers, s.phrases(*kind.rules) if kind.rules else ()
        )
        if role and not self.local_headers:
            text = f"{role} {text}" if not text.startswith(role) else text
            if kind.concept == "full_name" and rng.random() < 0.45:
                text = rng.choice((role, f"{role} name"))
        elif self.prefix and not self.local_headers and not override:
            text = f"{self.recipe.role} {text}"
        elif rng.random() < 0.04:
            text = (
                f"{text} {rng.choice((1, 2))}"
                if rng.random() < 0.5
                else f"{rng.choice((self.recipe.role, 'primary', 'new', 'old', 'main'))} {text}"
            )
        return self.style(text)

    def _fill(self, count: int) -> None:
        """Columns that are no entity."""
        rng = self.rng
        domains = self.recipe.domains if rng.random() < 0.7 else (*self.recipe.domains, "generic")
        if self.recipe.subject == "thing" and rng.random() < 0.2:
            count += rng.randint(3, 12)
        rows = Group(rng, self.place, self.rows, "thing")
        few = Group(rng, self.place, max(1, self.rows // rng.randint(2, 8)), "thing")
        index = [min(few.size - 1, int(few.size * rng.random())) for _ in range(self.rows)]
        specs = things.some_specs(rng, domains, count)
        if rng.random() < 0.3:
            specs += things.some_specs(rng, ("traps",), rng.randint(1, 3))
        for concept, spec, english in specs:
            local = self.local_headers and concept in h.FOREIGN and self.place.language in h.FOREIGN[concept]
            text = rng.choice(h.FOREIGN[concept][self.place.language]) if local else english
            shared = rng.random() < 0.12
            values = things.make(few if shared else rows, spec)
            if shared:
                values = [values[i] for i in index]
            entity = "GENERIC_ID" if spec.startswith("pattern") or spec == "hash" else None
            self.drafts.append(
                Draft(self.style(text), entity, "none", values, spec in ("cat", "status", "words", "title", "product"))
            )

    def _mix(self) -> None:
        """Some columns change their places, as in tables that grew."""
        rng = self.rng
        for _ in range(max(1, len(self.drafts) // 4)):
            i, j = rng.randrange(len(self.drafts)), rng.randrange(len(self.drafts))
            if i and j:
                self.drafts.insert(j, self.drafts.pop(i))

    def _finish(self) -> Generated:
        rng = self.rng
        headers = self._headers()
        order = list(range(self.rows))
        if rng.random() < 0.12:
            by = rng.choice(self.drafts).values
            order.sort(key=lambda i: by[i])
        marker = rng.choice(MARKERS) if rng.random() < 0.55 else None
        gaps = rng.random() < 0.55
        shout, spaces = rng.random() < 0.06, rng.random() < 0.08
        twice = [rng.randrange(self.rows) for _ in range(max(1, self.rows // 20))] if rng.random() < 0.06 else []
        columns = []
        for header, draft in zip(headers, self.drafts, strict=True):
            values: list[str | None] = [draft.values[i] for i in order]
            if draft.text:
                values = self._dirty(values, shout, spaces)
            if gaps and not draft.key and rng.random() < 0.35:
                share = rng.choice((0.01, 0.05, 0.05, 0.2, 0.5, 0.9))
                values = [marker if rng.random() < share else v for v in values]
            kept = [v if v else None for v in values]
            columns.append(GeneratedColumn(header, draft.entity, draft.pii, tuple(kept + [kept[i] for i in twice])))
        files = self.recipe.files
        name = (
            rng.choice(files)
            if rng.random() < 0.8
            else rng.choice(
                (
                    "export",
                    "data",
                    "export_3",
                    "Sheet1",
                    "test",
                    "output",
                    "download",
                    "table",
                    "2023_q1",
                    "final_v2",
                    "Mappe1",
                    "dump",
                    "query_result",
                )
            )
        )
        if rng.random() < 0.12:
            name += rng.choice(("_2023", "_final", " (1)", "_v2", "_sample", "-2024-05-01", "_clean"))
        return Generated(name, self.recipe.subject, tuple(columns))

    def _headers(self) -> list[str | None]:
        rng = self.rng
        if rng.random() < 0.25:
            return h.unusable(rng, len(self.drafts))
        out: list[str | None] = []
        for draft in self.drafts:
            text: str | None = draft.header
            if rng.random() < 0.05:
                text = self.style(rng.choice(h.VAGUE))
            elif rng.random() < 0.025 and self.drafts:
                text = rng.choice(self.drafts).header
            out.append(text)
        return out

    def _dirty(self, values: list[str | None], shout: bool, spaces: bool) -> list[str | None]:
        rng = self.rng
        if shout:
            values = [v and v.upper() for v in values]
        if spaces:
            values = [
                f"{v} " if v and rng.random() < 0.05 else f" {v}" if v and rng.random() < 0.03 else v for v in values
            ]
        if rng.random() < 0.03:
            values = [v and rng.choice((v, v.lower(), v.upper(), v)) for v in values]
        if rng.random() < 0.008:
            values = [v and f'"{v}"' for v in values]
        return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--show", type=int, default=0, help="print this many tables")
    arguments = parser.parse_args()
    entities, classes, subjects, rows = Counter[str](), Counter[str](), Counter[str](), 0
    for i, table in enumerate(tables(arguments.seed, arguments.count)):
        subjects[table.subject] += 1
        rows += len(table.columns[0].values) if table.columns else 0
        for column in table.columns:
            entities[str(column.entity)] += 1
            classes[column.pii] += 1
        if i < arguments.show:
            print(f"## {table.name} ({table.subject}, {len(table.columns[0].values)} rows)")
            for column in table.columns:
                print(f"   {column.header!s:32} {column.entity!s:18} {column.pii:10} {list(column.values[:4])}")
    total = sum(entities.values())
    print(f"{arguments.count} tables, {total} columns, {rows} rows")
    print("subjects:", *(f"{n} {c}" for n, c in subjects.most_common()))
    print("classes:", *(f"{n} {c} ({c / total:.3f})" for n, c in classes.most_common()))
    print("entities:", *(f"{n} {c}" for n, c in entities.most_common()))


if __name__ == "__main__":
    main()
