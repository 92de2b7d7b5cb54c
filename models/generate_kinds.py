"""Kinds of columns that are an entity: what its cells look like, for people and for the things that share their attributes.

A maker takes a `Group` (the distinct people, shops, countries … that a table's rows speak of) and returns a value for each.
"""

from __future__ import annotations

import datetime as dt
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import generate_samples as s
import generate_words as w
from generate_locales import SURNAME_FIRST, City, Locale, big_cities, cities_of, countries, romanised, states

Values = list[str]
EPOCH = dt.date(1970, 1, 1)
TODAY = dt.date(2025, 6, 30)


@dataclass(frozen=True, slots=True)
class Human:
    male: bool
    first: str
    middle: str
    last: str
    second_last: str
    born: dt.date


class Group:
    """`size` distinct subjects of one kind in one country; what several columns share (names, cities, births) is made once."""

    def __init__(self, rng: random.Random, place: Locale, size: int, about: str, world: bool = False) -> None:
        self.rng = rng
        self.place = place
        self.size = size
        self.about = about
        self.world = world
        self.latin = (place.roman_names is not None and rng.random() < 0.5) or (
            place.language in ("ru", "uk", "bg", "el") and rng.random() < 0.3
        )
        self.year = rng.randint(2005, 2025)

    @property
    def language(self) -> str:
        return "en" if self.latin else self.place.language

    def some(self, values: Sequence[str]) -> Values:
        """One of `values` for each subject."""
        return self.rng.choices(values, k=self.size)

    def skewed(self, values: Sequence[str]) -> Values:
        """The same, a few values much more often than the others."""
        kept = list(values)
        self.rng.shuffle(kept)
        return self.rng.choices(kept, [1 / (i + 1) ** 0.8 for i in range(len(kept))], k=self.size)

    def each(self, make: Callable[[], str]) -> Values:
        return [make() for _ in range(self.size)]

    @cached_property
    def humans(self) -> list[Human]:
        rng, place = self.rng, self.place
        roman = place.roman_names if self.latin else None
        low, high = rng.choice(((18, 90), (18, 66), (0, 99), (20, 60), (6, 20), (17, 30), (40, 95), (17, 40)))
        women = rng.choice((0.5, 0.5, 0.5, 0.3, 0.7, 0.05))
        people = []
        for _ in range(self.size):
            male = rng.random() > women
            if roman:
                first, middle, last, second = rng.choice(roman[0]), rng.choice(roman[0]), rng.choice(roman[1]), rng.choice(roman[1])
            else:
                first = rng.choice(place.male if male else place.female)
                fathers = place.fathers[0 if male else 1]
                middle = rng.choice(fathers or (place.male if male else place.female))
                lasts = place.last_male if male else place.last_female
                last, second = rng.choice(lasts), rng.choice(lasts)
            if self.latin:
                first, middle, last, second = romanised(first), romanised(middle), romanised(last), romanised(second)
            days = int(rng.uniform(low, high) * 365.25)
            people.append(Human(male, first, middle, last, second, dt.date(self.year, 6, 30) - dt.timedelta(days)))
        return people

    @cached_property
    def cities(self) -> list[City]:
        """A city for each subject; rows of one table often lie in few cities."""
        rng = self.rng
        if self.world:
            return [c for c, _ in rng.choices(big_cities(), k=self.size)]
        pool = self.place.cities
        if rng.random() < 0.25:
            pool = tuple(rng.sample(pool, min(len(pool), rng.choice((1, 3, 8, 20)))))
        return rng.choices(pool, k=self.size)

    @cached_property
    def points(self) -> list[tuple[float, float]]:
        rng = self.rng
        return [(c.latitude + rng.gauss(0, 0.03), c.longitude + rng.gauss(0, 0.04)) for c in self.cities]

    @cached_property
    def names(self) -> Values:
        """Names of organisations or places, for groups that aren't people."""
        rng = self.rng
        if self.about == "org":
            return self.some(self.place.companies)
        forms = rng.choice((w.PLACE_FORMS, w.TEAM_FORMS[:0] or w.PLACE_FORMS[:4], w.PLACE_FORMS))
        lasts = self.place.last_male
        return [
            rng.choice(forms).format(c=c.name, l=romanised(rng.choice(lasts)) if self.latin else rng.choice(lasts)) for c in self.cities
        ]


def _join_name(group: Group) -> Values:
    rng, language = group.rng, group.language
    form = rng.choices(range(9), (50, 14, 4, 7, 6, 4, 4, 3, 8))[0]
    if group.place.own_language in SURNAME_FIRST and not group.latin and form < 5:
        glue = (
            "" if language in ("ja", "zh", "ko") and rng.random() < 0.75 else rng.choice((" ", " ", "\u3000")) if language == "ja" else " "
        )
        return [f"{p.last}{glue}{p.first}" for p in group.humans]
    spanish = language in ("es", "pt") and rng.random() < 0.6
    prefixes = {
        "de": ("Herr", "Frau"),
        "fr": ("M.", "Mme"),
        "es": ("Sr.", "Sra."),
        "it": ("Sig.", "Sig.ra"),
        "pl": ("Pan", "Pani"),
        "nl": ("Dhr.", "Mevr."),
        "pt": ("Sr.", "Sra."),
    }
    out = []
    for p in group.humans:
        last = f"{p.last} {p.second_last}" if spanish else p.last
        match form:
            case 1:
                name = f"{last}, {p.first}"
            case 2:
                name = f"{last} {p.first}"
            case 3:
                name = f"{p.first} {p.middle[0]}. {last}" if rng.random() < 0.7 else f"{p.first} {last}"
            case 4:
                name = f"{p.first} {p.middle} {last}"
            case 5:
                male, female = prefixes.get(language, ("Mr.", "Ms."))
                name = f"{rng.choice((male if p.male else female, male if p.male else female, 'Dr.'))} {p.first} {last}"
            case 6:
                name = f"{p.first[0]}. {last}"
            case 7:
                name = f"{last}, {p.first} {p.middle[0]}"
            case _:
                name = f"{p.first} {last}"
        if form == 8 and rng.random() < 0.06:
            name += rng.choice((" Jr.", " III", ", PhD", " MD", ", MD"))
        out.append(name)
    return out


def full_name(g: Group) -> Values:
    names = _join_name(g)
    return [n.upper() for n in names] if g.rng.random() < 0.06 else names


def people_lists(g: Group) -> Values:
    """Several people in a cell: authors, writers, hosts."""
    glue = g.rng.choice((", ", "; ", " and ", " & ", "|"))
    other = Group(g.rng, g.place, g.size, "person")
    short = g.rng.random() < 0.4
    some = [[f"{p.last} {p.first[0]}" if short else f"{p.first} {p.last}" for p in h] for h in (g.humans, other.humans, other.humans[::-1])]
    return [glue.join(list(names)[: g.rng.choice((1, 2, 2, 3))]) for names in zip(*some, strict=True)]


def first(g: Group) -> Values:
    return [p.first for p in g.humans]


def middle(g: Group) -> Values:
    kind = g.rng.random()
    if kind < 0.4:
        return [p.middle[:1] + ("." if kind < 0.15 else "") for p in g.humans]
    return [p.middle for p in g.humans]


def last(g: Group) -> Values:
    double = g.language in ("es", "pt") and g.rng.random() < 0.5
    return [f"{p.last} {p.second_last}" if double else p.last for p in g.humans]


def maiden(g: Group) -> Values:
    return [p.second_last for p in g.humans]


def _handle(g: Group, p: Human) -> str:
    rng = g.rng
    first_, last_ = ("".join(c for c in romanised(x).lower() if c.isascii() and c.isalnum()) for x in (p.first, p.last))
    if not first_ or not last_:
        roman = g.place.roman_names or (("alex", "kim", "sam"), ("lee", "chan", "ito"))
        first_, last_ = (rng.choice(x).lower().replace("-", "").replace(" ", "") for x in roman)
    number = rng.choice(("", "", str(rng.randint(1, 99)), str(p.born.year), str(p.born.year % 100), str(rng.randint(100, 9999))))
    form = rng.randrange(8)
    return (
        f"{first_}.{last_}", f"{first_[0]}{last_}{number}", f"{first_}{last_}{number}", f"{first_}_{last_}", f"{last_}.{first_}", f"{first_}{number or '1'}", f"{first_[0]}.{last_}", f"{last_}{first_[0]}{number}",
    )[form]  # fmt: skip


def _domain(name: str) -> str:
    text = "".join(c for c in romanised(name).lower().split(",")[0].split(" ")[0] if c.isascii() and c.isalnum())
    return text or "office"


def email(g: Group) -> Values:
    rng, place = g.rng, g.place
    tld = {"US": "com", "GB": "co.uk", "JP": "co.jp", "AU": "com.au", "BR": "com.br"}.get(place.country, place.country.lower())
    if g.about != "person":
        local = rng.choice(("info", "contact", "sales", "office", "")) or None
        return [
            f"{local or rng.choice(('info', 'hello', 'kontakt', 'support', 'admin'))}@{_domain(n)}.{rng.choice((tld, 'com', 'org'))}"
            for n in g.names
        ]
    domains = w.MAIL_DOMAINS[""] + w.MAIL_DOMAINS.get(place.language, []) * 2
    if rng.random() < 0.25:
        domains = [f"{_domain(rng.choice(place.companies))}.{tld}"]
    elif rng.random() < 0.4:
        domains = domains + [f"{_domain(c)}.{rng.choice((tld, 'com', 'net', 'org'))}" for c in place.companies[:40]]
    upper = rng.random() < 0.04
    out = [f"{_handle(g, p)}@{rng.choice(domains)}" for p in g.humans]
    return [v.upper() for v in out] if upper else out


def username(g: Group) -> Values:
    rng = g.rng
    at = "@" if rng.random() < 0.12 else ""
    words = "star cool night dragon red pixel sky gamer lucky the real tiger moon happy blue coder ninja".split()
    playful = rng.random() < 0.4
    short = rng.random() < 0.25
    out = []
    for p in g.humans:
        name = _handle(g, p)
        if playful and rng.random() < 0.6:
            name = rng.choice(
                (
                    f"{rng.choice(words)}_{rng.choice(words)}{rng.randint(1, 999)}",
                    f"{rng.choice(words)}{name[:6]}",
                    f"{rng.choice(words).title()}{rng.choice(words).title()}{rng.randint(1, 99)}",
                )
            )
        out.append(at + (name.replace(".", "")[:8] if short else name))
    return out


def password(g: Group) -> Values:
    rng = g.rng
    kind = rng.randrange(6)
    letters = string.ascii_letters + string.digits
    if kind == 0:
        return s.samples(rng, "password-hash", g.size)
    if kind == 1:
        return (
            g.each(lambda: rng.randbytes(rng.choice((16, 16, 20, 32))).hex())
            if rng.random() < 0.5
            else [rng.randbytes(32).hex() for _ in range(g.size)]
        )
    if kind == 2:
        return g.each(lambda: "".join(rng.choices(letters + "!@#$%&*?-_", k=rng.randint(8, 14))))
    if kind == 3:
        return g.some(
            [
                "123456",
                "password",
                "qwerty",
                "letmein",
                "welcome1",
                "iloveyou",
                "admin123",
                "Passw0rd!",
                "abc123",
                "dragon",
                "monkey12",
                "sunshine",
            ]
        )
    if kind == 4:
        return g.each(lambda: str(rng.randint(1000, 9999))) if rng.random() < 0.4 else ["********"] * g.size
    return [f"{p.first.title() if p.first.isascii() else 'Secret'}{rng.choice('!@#*_')}{p.born.year}" for p in g.humans]


def phone(g: Group) -> Values:
    rng, place = g.rng, g.place
    style = rng.randrange(7)
    codes = {"US": "1", "CA": "1", "GB": "44", "DE": "49", "FR": "33", "ES": "34", "IT": "39", "PT": "351", "BR": "55", "NL": "31", "BE": "32", "PL": "48", "SE": "46", "NO": "47", "DK": "45", "FI": "358", "CZ": "420", "RO": "40",
             "HU": "36", "TR": "90", "RU": "7", "UA": "380", "GR": "30", "JP": "81", "CN": "86", "KR": "82", "IN": "91", "AU": "61", "MX": "52", "CH": "41", "AT": "43", "IL": "972", "SA": "966", "EG": "20", "AR": "54"}  # fmt: skip
    rules = [r.id for r in s.rules_of("PHONE_NUMBER", place.country)]
    if style < 2 and place.phones:
        return g.some(place.phones)
    if style == 2 and rules:
        return s.samples(rng, rng.choice(rules), g.size)
    if style == 3:
        form = rng.choice(
            (
                "({a}) {b}-{c}",
                "{a}-{b}-{c}",
                "{a}.{b}.{c}",
                "+1 {a} {b} {c}",
                "+1-{a}-{b}-{c}",
                "{a} {b} {c}",
                "1-{a}-{b}-{c}",
                "{a}{b}{c}",
                "({a}){b}-{c}",
                "+1 ({a}) {b}-{c}",
            )
        )
        end = rng.random() < 0.12
        return g.each(
            lambda: (
                form.format(a=rng.randint(201, 989), b=rng.randint(200, 999), c=f"{rng.randint(0, 9999):04}")
                + (f" x{rng.randint(1, 9999)}" if end and rng.random() < 0.6 else "")
            )
        )
    code = codes.get(place.country, str(rng.choice((1, 44, 49, 33, 91))))
    width = rng.choice((8, 9, 9, 10))
    if style == 4:
        plus = rng.choice(("+", "", "00", "+"))
        return g.each(lambda: f"{plus}{code}{rng.randint(10 ** (width - 1), 10**width - 1)}")
    if style == 5:
        zero = rng.choice(("0", "0", ""))
        return g.each(lambda: f"{zero}{rng.randint(10 ** (width - 1), 10**width - 1)}")
    cut, glue = rng.randint(2, 3), rng.choice((" ", "-", "/", " "))
    return g.each(
        lambda: (
            f"+{code} {(d := str(rng.randint(10 ** (width - 1), 10**width - 1)))[:cut]}{glue}{d[cut:6]}{' ' if glue == ' ' else ''}{d[6:]}"
        )
    )


def street(g: Group) -> Values:
    rng, place = g.rng, g.place
    if g.latin and place.roman_names:
        return g.each(
            lambda: (
                f"{rng.randint(1, 300)} {rng.choice(place.roman_names[1] if place.roman_names else ())} {rng.choice(('Road', 'Street', 'St', 'Rd', 'Lane'))}"
            )
        )
    if place.language == "en" and rng.random() < 0.5:
        types = rng.choice(
            (
                ("St", "Ave", "Rd", "Blvd", "Dr", "Ln", "Ct", "Way"),
                ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Close"),
                ("ST", "AVE", "RD"),
            )
        )
        names = place.last_male
        ways = ("N", "S", "E", "W") if rng.random() < 0.3 else ("",)
        return [
            " ".join(
                x
                for x in (
                    str(rng.randint(1, 9999 if rng.random() < 0.3 else 399)),
                    rng.choice(ways),
                    rng.choice((rng.choice(names), rng.choice(("Main", "Oak", "Park", "High", "Church", "Elm", "1st", "42nd", "Mill")))),
                    rng.choice(types),
                )
                if x
            )
            for _ in range(g.size)
        ]
    out = g.some(place.streets)
    return [romanised(v) for v in out] if g.latin else out


def street_name(g: Group) -> Values:
    return g.some(g.place.street_names)


def street2(g: Group) -> Values:
    word = g.rng.choice(w.STREET_FREE)
    return g.each(lambda: f"{word} {g.rng.randint(1, 999)}{g.rng.choice(('', '', 'A', 'B'))}")


def house_number(g: Group) -> Values:
    return g.each(lambda: f"{g.rng.randint(1, 150)}{g.rng.choice(('', '', '', 'a', 'b', '/2'))}")


def address(g: Group) -> Values:
    """The whole address in one line."""
    rng = g.rng
    streets, codes = street(g), postal(g)
    form = rng.choice(
        (
            "{s}, {z} {c}",
            "{s}, {c}, {z}",
            "{s}, {c}",
            "{s}, {c}, {r} {z}",
            "{z} {c}, {s}",
            "{s}\n{z} {c}",
            "{s} {c} {z}",
            "{s}, {z} {c}, {n}",
        )
    )
    return [form.format(s=a, z=z, c=c.name, r=c.region_code, n=g.place.country) for a, z, c in zip(streets, codes, g.cities, strict=True)]


def city(g: Group) -> Values:
    out = [c.name for c in g.cities]
    return [romanised(v) for v in out] if g.rng.random() < 0.3 else out


def region(g: Group) -> Values:
    if g.place.country == "US" and not g.world:
        return [states().get(c.region_code, c.region_code) for c in g.cities]
    if g.place.country == "US":
        return g.skewed(["North America", "Europe", "Asia", "Africa", "Latin America", "Oceania", "EMEA", "APAC"])
    return g.skewed(g.place.regions)


def county(g: Group) -> Values:
    rng = g.rng
    names = [c.name for c in g.place.cities[:60]]
    form = {
        "en": ("{} County", "{}", "{}shire", "{} District"),
        "de": ("Landkreis {}", "{}", "Kreis {}", "Bezirk {}"),
        "pl": ("powiat {}", "gmina {}", "{}"),
        "ru": ("{} район", "{}"),
        "zh": ("{}区", "{}县"),
    }.get(g.language, ("{}",))
    chosen = rng.choice(form)
    return [chosen.format(n) for n in g.skewed(names)]


def state_code(g: Group) -> Values:
    if g.place.country == "US" or g.rng.random() < 0.4:
        return [c.region_code for c in g.cities] if g.place.country == "US" else g.skewed(list(states()))
    codes = {
        "CA": "ON QC BC AB MB SK NS NB NL PE",
        "AU": "NSW VIC QLD WA SA TAS ACT NT",
        "BR": "SP RJ MG BA PR RS PE CE PA SC GO AM",
        "IT": "RM MI TO NA BO FI VE GE PA BA",
        "DE": "BY NW BW HE NI SN BE HH RP SH",
        "CH": "ZH BE VD GE AG SG LU TI",
    }.get(g.place.country)
    if codes:
        return g.skewed(codes.split())
    return g.skewed(sorted({r[:3].upper() for r in g.place.regions}))


def postal(g: Group) -> Values:
    out = g.some(g.place.postcodes)
    if g.place.country == "US" and g.rng.random() < 0.2:
        return [f"{v[:5]}-{g.rng.randint(0, 9999):04}" for v in out]
    if all(v.isdigit() for v in out) and g.rng.random() < 0.08:
        return [f"{int(v)}.0" if g.rng.random() < 1 else v for v in out]
    return out


def country(g: Group) -> Values:
    """Names of countries: one, a few, or the whole world."""
    rng = g.rng
    if g.about == "country":
        return [c[0] for c in _chosen(g)]
    names = [c[0] for c in countries()] if rng.random() < 0.6 or g.latin else list(g.place.country_names)
    own = next((c[0] for c in countries() if c[1] == g.place.country), "USA")
    kind = rng.random()
    if kind < 0.3:
        return [own] * g.size
    if kind < 0.6:
        few = [own, own, own, *rng.sample(names, min(len(names), 4))]
        return g.some(few)
    return g.skewed(rng.sample(names, min(len(names), 40)))


def country_code(g: Group) -> Values:
    rng = g.rng
    column = rng.choice((1, 1, 2))
    if g.about == "country":
        return [c[column] for c in _chosen(g)]
    lower = rng.random() < 0.08
    codes = [c[column] for c in countries()]
    own = next((c[column] for c in countries() if c[1] == g.place.country), "US")
    kind = rng.random()
    out = [own] * g.size if kind < 0.3 else g.some([own, own, *rng.sample(codes, 4)]) if kind < 0.6 else g.skewed(rng.sample(codes, 40))
    return [v.lower() for v in out] if lower else out


def _chosen(g: Group) -> list[tuple[str, str, str, str]]:
    """The countries that a table of countries is about, the same in all its columns."""
    return random.Random(g.year * 1000 + g.size).choices(countries(), k=g.size)


def _decimal(values: list[float], rng: random.Random) -> Values:
    places = rng.choice((2, 4, 4, 5, 6, 6, 7))
    comma = rng.random() < 0.07
    scale = rng.random() < 0.02
    out = [f"{v:.{places}f}" if not scale else str(int(v * 10**6)) for v in values]
    return [v.replace(".", ",") for v in out] if comma else out


def latitude(g: Group) -> Values:
    return _decimal([p[0] for p in g.points], g.rng)


def longitude(g: Group) -> Values:
    return _decimal([p[1] for p in g.points], g.rng)


def coordinates(g: Group) -> Values:
    form = g.rng.choice(
        (
            "{a:.5f}, {o:.5f}",
            "{a:.6f},{o:.6f}",
            "({a:.4f}, {o:.4f})",
            "POINT ({o:.6f} {a:.6f})",
            "{a:.4f} {o:.4f}",
            "[{a:.5f}, {o:.5f}]",
            "dms",
            "dms1",
        )
    )
    if not form.startswith("dms"):
        return [form.format(a=a, o=o) for a, o in g.points]

    def dms(value: float, letters: str) -> str:
        letter, value = letters[value < 0], abs(value)
        minutes = value % 1 * 60
        return f"{int(value)}°{int(minutes):02}'{minutes % 1 * 60:04.1f}\"{letter}"

    return [dms(a, "NS") + " " * (form == "dms") + ("" if form == "dms1" else dms(o, "EW")) for a, o in g.points]


def ssn(g: Group) -> Values:
    out = s.samples(g.rng, "us-ssn", g.size)
    kind = g.rng.random()
    if kind < 0.2:
        return [v.replace("-", "") for v in out]
    if kind < 0.27:
        return [v[-4:] for v in out]
    return [f"XXX-XX-{v[-4:]}" for v in out] if kind < 0.32 else out


def _by_rule(entity: str, g: Group, *, own: float = 0.75) -> Values:
    """Values of a rule of an entity, of the table's own country where there is one; sometimes without what parts the digits."""
    rules = s.rules_of(entity, g.place.country) if g.rng.random() < own else ()
    rules = rules or s.rules_of(entity)
    out = s.samples(g.rng, g.rng.choice(rules).id, g.size)
    return [v.upper() for v in out] if out[0].islower() else out


def national_id(g: Group) -> Values:
    return _by_rule("NATIONAL_ID", g)


def passport(g: Group) -> Values:
    return _by_rule("PASSPORT", g, own=0.6)


def licence(g: Group) -> Values:
    return _by_rule("DRIVER_LICENSE", g, own=0.6)


def card(g: Group) -> Values:
    rng = g.rng
    if rng.random() < 0.07:
        return g.each(
            lambda: f"{rng.choice(('****', 'XXXX-XXXX-XXXX', '************'))}{'-' if rng.random() < 0 else ''}{rng.randint(0, 9999):04}"
        )
    out = s.samples(rng, "card-rare" if rng.random() < 0.08 else "card", g.size)
    if rng.random() < 0.6:
        return [v.replace(" ", "").replace("-", "") for v in out]
    return out


def cvv(g: Group) -> Values:
    amex = g.rng.random() < 0.1
    return g.each(lambda: f"{g.rng.randint(0, 9999):04}" if amex and g.rng.random() < 0.3 else f"{g.rng.randint(0, 999):03}")


def iban(g: Group) -> Values:
    return s.ibans(g.rng, g.place.country, g.size)


def account(g: Group) -> Values:
    rng = g.rng
    kind = rng.randrange(5)
    if kind == 0:
        return s.samples(
            rng, rng.choice(("es-ccc", "mx-clabe", "no-account", "nz-bank-account", "uk-sort-code", "ar-cbu", "ethereum-address")), g.size
        )
    width = rng.choice((8, 9, 10, 10, 11, 12, 16))
    if kind == 1:
        return g.each(lambda: f"{rng.randint(10, 99)}-{rng.randint(10**5, 10**6 - 1)}-{rng.randint(0, 9)}")
    return g.each(lambda: "".join(rng.choices("0123456789", k=width)))


def swift(g: Group) -> Values:
    rng = g.rng
    pool = s.samples(rng, "bic", min(g.size, 12))
    own = g.place.country
    branch = rng.choice(("", "", "XXX"))
    pool = [f"{v[:4]}{own if rng.random() < 0.6 else v[4:6]}{v[6:8]}{branch}" for v in pool]
    return g.some(pool)


def ip(g: Group) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.12:
        return g.each(
            lambda: (
                ":".join(f"{rng.randint(0, 65535):x}" for _ in range(8)) if rng.random() < 0.6 else f"2001:db8::{rng.randint(1, 65535):x}"
            )
        )
    if kind < 0.35:
        net = rng.choice(("192.168.{}.{}", "10.0.{}.{}", "172.16.{}.{}", "10.12.{}.{}"))
        return g.each(lambda: net.format(rng.randint(0, 30), rng.randint(1, 254)))
    out = g.each(lambda: ".".join((str(rng.randint(1, 223)), *(str(rng.randint(0, 255)) for _ in range(3)))))
    if kind < 0.4:
        return [f"{v}:{rng.randint(1024, 65535)}" for v in out]
    return [str(int.from_bytes(bytes(map(int, v.split("."))), "big")) for v in out] if kind < 0.43 else out


def mac(g: Group) -> Values:
    rng = g.rng
    glue, upper = rng.choice(((":", False), (":", True), ("-", True), ("", False), (".", False)))
    step = {".": 4, "": 12}.get(glue, 2)
    out = []
    for _ in range(g.size):
        digits = rng.randbytes(6).hex()
        text = glue.join(digits[i : i + step] for i in range(0, 12, step))
        out.append(text.upper() if upper else text)
    return out


CODES = (
    r"MRN\d{6}", r"MRN-\d{7}", r"\d{6}", r"\d{7}", r"\d{8}", r"P\d{5}", r"PT-\d{5}", r"PAT\d{4}", r"H\d{7}", r"\d{3}-\d{2}-\d{3}", r"[A-Z]{2}\d{6}", r"\d{2}-\d{6}", r"00\d{6}",
)  # fmt: skip
PERSON_CODES = (
    r"C\d{5}", r"CUST\d{4}", r"CUST-\d{5}", r"EMP\d{4}", r"EMP-\d{3}", r"E\d{6}", r"\d{4}", r"\d{5}", r"\d{6}", r"\d{8}", r"\d{10}", r"[A-Z]{5}", r"[A-Z]{2}-\d{5}", r"U\d{7}", r"S\d{8}", r"M-\d{4}", r"[a-z]{5}\d{2}", r"\d{4}-[A-Z]{5}",
    r"K-\d{6}", r"100\d{4}", r"00000\d{5}", r"STU\d{3}", r"[A-Z]\d{4}[A-Z]", r"user_\d{4}", r"\d{17}", r"[0-9a-f]{24}", r"cus_[A-Za-z0-9]{14}", r"003[A-Za-z0-9]{15}", r"ID\d{4}", r"R\d{3}", r"D-\d{3}/\d{2}",
)  # fmt: skip
THING_CODES = (
    r"ORD-\d{6}", r"ORD\d{5}", r"INV-20\d{2}-\d{4}", r"INV\d{6}", r"SKU-\d{5}", r"[A-Z]{3}-\d{4}", r"[A-Z]{2}\d{4}", r"\d{5}", r"\d{6}", r"\d{8}", r"\d{10}", r"\d{12}", r"TXN\d{9}", r"TK-\d{4}", r"#\d{4}", r"[A-Z0-9]{8}", r"[A-Z]{3}\d{3}", r"P-\d{4}-[A-Z]",
    r"RE-\d{4}/\d{2}", r"4500\d{6}", r"S\d{2}_\d{4}", r"[A-Z]{2}-[A-Z]{2}-\d{7}", r"SO\d{5}", r"[0-9a-f]{24}", r"st_\d{3}", r"B0[A-Z0-9]{8}", r"WX\d{3}", r"N\d{3}[A-Z]{2}", r"[A-Z]{2}\d{3}", r"\d{3}\.\d{3}-\d{3}", r"LOT\d{5}", r"AT-\d{4}", r"\d{2}[A-Z]\d{3}",
)  # fmt: skip


def _codes(g: Group, forms: Sequence[str]) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.28:
        start = rng.choice((0, 1, 1, 1, 100, 1000, 10001, rng.randint(1, 10**6)))
        return [str(start + i) for i in range(g.size)]
    if kind < 0.38:
        start = rng.randint(1, 500)
        prefix, width = rng.choice((("", 5), ("", 8), ("A", 4), ("C", 5), ("ID-", 4), ("K", 6), ("N", 3)))
        return [f"{prefix}{start + i:0{width}}" for i in range(g.size)]
    if kind < 0.5:
        text = g.each(lambda: rng.randbytes(16).hex())
        return [f"{t[:8]}-{t[8:12]}-4{t[13:16]}-a{t[17:20]}-{t[20:]}" for t in text]
    drawer = s.Drawer(rng, s.pattern(rng.choice(forms)))
    return g.each(drawer.draw)


def mrn(g: Group) -> Values:
    return _codes(g, CODES)


def pid(g: Group) -> Values:
    return _codes(g, PERSON_CODES)


def generic_id(g: Group) -> Values:
    if g.rng.random() < 0.12:
        return s.samples(g.rng, g.rng.choice(("gtin", "isbn", "isin", "hex-digest", "uuid")), g.size)
    return _codes(g, THING_CODES)


def org_id(g: Group) -> Values:
    return _by_rule("ORGANIZATION_ID", g)


def plate(g: Group) -> Values:
    rules = [r.id for r in s.rules_of("VEHICLE_ID", g.place.country)]
    if rules and g.rng.random() < 0.5:
        return s.samples(g.rng, g.rng.choice(rules), g.size)
    return g.some(g.place.plates)


def vin(g: Group) -> Values:
    return s.samples(g.rng, g.rng.choice(("vin", "vin", "vin-unchecked")), g.size)


def device(g: Group) -> Values:
    kind = g.rng.randrange(7)
    if kind < 4:
        return s.samples(g.rng, ("imei", "imei", "device-id", "iccid")[kind], g.size)
    if kind == 4:
        return g.each(
            lambda: (
                f"{g.rng.choice(('iPhone', 'MacBook', 'LAPTOP', 'DESKTOP', 'PC'))}-{''.join(g.rng.choices(string.ascii_uppercase + string.digits, k=7))}"
            )
        )
    if kind == 5:
        return g.each(
            lambda: f"(01){g.rng.randint(10**13, 10**14 - 1)}(11)2{g.rng.randint(10**4, 10**5 - 1)}(21){g.rng.randint(10**8, 10**9)}"
        )
    return g.each(lambda: g.rng.randbytes(8).hex())


DATE_FORMS = {
    "en": ("%Y-%m-%d", "%Y-%m-%d", "%m/%d/%Y", "%d/%m/%Y", "%d-%b-%Y", "%B %d, %Y", "%m/%d/%y", "%Y%m%d", "%Y-%m-%d 00:00:00", "%d %b %Y", "%Y/%m/%d", "%-m/%-d/%Y", "%Y-%m-%dT00:00:00Z", "%d-%m-%Y"),
    "de": ("%d.%m.%Y", "%d.%m.%Y", "%Y-%m-%d", "%d.%m.%y", "%d.%m.%Y 00:00"), "fr": ("%d/%m/%Y", "%Y-%m-%d", "%d/%m/%y"), "ja": ("%Y/%m/%d", "%Y年%m月%d日", "%Y-%m-%d"), "zh": ("%Y-%m-%d", "%Y年%m月%d日", "%Y/%m/%d", "%Y%m%d"),
    "ko": ("%Y-%m-%d", "%Y.%m.%d", "%Y년 %m월 %d일"), "nl": ("%d-%m-%Y", "%Y-%m-%d"), "ru": ("%d.%m.%Y", "%Y-%m-%d"), "hu": ("%Y.%m.%d.", "%Y-%m-%d"), "sv": ("%Y-%m-%d",),
}  # fmt: skip


def date_form(g: Group) -> str:
    language = {
        "es": "fr",
        "it": "fr",
        "pt": "fr",
        "el": "fr",
        "pl": "nl",
        "cs": "de",
        "fi": "de",
        "no": "de",
        "da": "nl",
        "tr": "de",
        "uk": "ru",
        "ro": "de",
        "bg": "ru",
        "hr": "de",
    }.get(g.language, g.language)
    return g.rng.choice(DATE_FORMS["en" if g.rng.random() < 0.25 else language if language in DATE_FORMS else "en"])


def write_date(day: dt.date, form: str) -> str:
    return day.strftime(form)


def birth(g: Group) -> Values:
    kind = g.rng.random()
    days = [p.born for p in g.humans]
    if kind < 0.03:
        return [str((d - EPOCH).days) for d in days]
    if kind < 0.05:
        return [str((d - EPOCH).days * 86400) for d in days]
    if kind < 0.07:
        return [str((d - dt.date(1899, 12, 30)).days) for d in days]
    form = date_form(g)
    return [d.strftime(form) for d in days]


def birth_year(g: Group) -> Values:
    return [str(p.born.year) for p in g.humans]


def _age(p: Human, year: int) -> int:
    return max(0, (dt.date(year, 6, 30) - p.born).days * 4 // 1461)


def age(g: Group) -> Values:
    kind = g.rng.random()
    ages = [_age(p, g.year) for p in g.humans]
    if kind < 0.1:
        return [f"{a}.0" for a in ages]
    if kind < 0.13:
        return [f"{a + g.rng.random():.1f}" for a in ages]
    if kind < 0.15:
        return [str(-(a * 365)) for a in ages]
    return [f"{a} years" for a in ages] if kind < 0.16 else [str(a) for a in ages]


def age_band(g: Group) -> Values:
    rng = g.rng
    forms = ("{}-{}", "{}-{}", "{} - {}", "{} to {}", "[{},{})", "{}–{}", "{}_{}")
    form, width = rng.choice(forms), rng.choice((5, 10, 10, 15, 20))
    if rng.random() < 0.12:
        words = rng.choice(
            (
                ("child", "adult", "senior"),
                ("Under 18", "18-34", "35-54", "55+"),
                ("young", "middle-aged", "old"),
                ("Adult", "Child", "Infant"),
                ("1", "2", "3", "4"),
                ("U10", "U14", "U18", "Senior"),
            )
        )
        return [words[min(len(words) - 1, _age(p, g.year) * len(words) // 90)] for p in g.humans]
    top = rng.choice((65, 70, 80, 90, 200))
    start = rng.choice((0, 0, 5, 8)) if width == 10 else 0
    out = []
    for p in g.humans:
        a = _age(p, g.year)
        low = max((a - start) // width * width + start, 0)
        out.append(f"{top}+" if low >= top else form.format(low, low + width - 1))
    return out


def _coded(g: Group, lists: dict[str, list[list[str]]]) -> Values:
    rng = g.rng
    choices = w.pick(lists, g.language) if rng.random() < 0.7 else lists["en"]
    return g.skewed(rng.choice(choices))


def gender(g: Group) -> Values:
    rng = g.rng
    choices = w.pick(w.GENDER, g.language) if rng.random() < 0.7 else w.GENDER["en"]
    codes = rng.choice(choices)
    out = [codes[0] if p.male else codes[1] for p in g.humans]
    return [rng.choice(codes[2:]) if len(codes) > 2 and rng.random() < 0.03 else v for v in out]


def marital(g: Group) -> Values:
    return _coded(g, w.MARITAL)


def education(g: Group) -> Values:
    return _coded(g, w.EDUCATION)


def ethnicity(g: Group) -> Values:
    return _coded(g, w.ETHNICITY)


def religion(g: Group) -> Values:
    return _coded(g, w.RELIGION)


def sexuality(g: Group) -> Values:
    return _coded(g, w.SEXUALITY)


def language(g: Group) -> Values:
    return _coded(g, w.LANGUAGES)


def nationality(g: Group) -> Values:
    return _coded(g, w.NATIONALITY)


def birthplace(g: Group) -> Values:
    if g.rng.random() < 0.3:
        return country(g)
    if g.rng.random() < 0.25:
        return [f"{c.name}, {cc}" for c, cc in g.rng.choices(big_cities(), k=g.size)]
    found = cities_of(g.place.country) or g.place.cities
    return [c.name for c in g.rng.choices(found, k=g.size)]


def occupation(g: Group) -> Values:
    rng = g.rng
    kind = rng.random()
    if kind < 0.12:
        return g.skewed(w.JOB_CODES)
    if kind < 0.35 or g.latin:
        return g.skewed(w.JOBS)
    few = rng.random() < 0.5
    return g.skewed(rng.sample(g.place.jobs, min(len(g.place.jobs), 12)) if few else g.place.jobs)


def employer(g: Group) -> Values:
    return g.skewed(g.rng.sample(g.place.companies, g.rng.choice((5, 20, 100)))) if g.rng.random() < 0.5 else g.some(g.place.companies)


def school(g: Group) -> Values:
    rng = g.rng
    forms = w.SCHOOL_FORMS.get(g.language, w.SCHOOL_FORMS["en"]).split(";")
    names = [rng.choice(forms).format(c=c.name, l=rng.choice(g.place.last_male)) for c in rng.choices(g.place.cities, k=min(g.size, 15))]
    return g.skewed(names)


def party(g: Group) -> Values:
    return g.skewed(w.PARTIES)


def team(g: Group) -> Values:
    rng = g.rng
    return g.skewed([rng.choice(w.TEAM_FORMS).format(c=c.name) for c in rng.choices(g.place.cities, k=min(20, g.size + 3))])


def org_name(g: Group) -> Values:
    return g.names


def person_url(g: Group) -> Values:
    form = g.rng.choice(
        (
            "https://www.linkedin.com/in/{}",
            "https://twitter.com/{}",
            "http://{}.example.com",
            "https://www.facebook.com/{}",
            "https://en.wikipedia.org/wiki/{}",
            "https://example.org/users/{}",
            "www.{}.net",
            "https://github.com/{}",
        )
    )
    return [form.format(_handle(g, p)) for p in g.humans]


def url(g: Group) -> Values:
    rng = g.rng
    names = g.names if g.about in ("org", "place") else g.some(g.place.companies)
    tld = g.place.country.lower()
    form = rng.choice(
        (
            "https://www.{n}.{t}",
            "http://{n}.com",
            "www.{n}.{t}",
            "{n}.{t}",
            "https://{n}.com/{k}",
            "https://shop.example.com/p/{k}",
            "https://img.example.net/{k}.jpg",
            "https://www.{n}.org/{k}/index.html",
            "/{k}",
        )
    )
    return [form.format(n=_domain(n), t=tld, k=rng.randint(100, 99999)) for n in names]


def income(g: Group) -> Values:
    rng = g.rng
    monthly = rng.random() < 0.3
    middle_, step = (
        (rng.choice((1800, 3200, 5000, 25000)), rng.choice((1, 10, 50)))
        if monthly
        else (rng.choice((32000, 52000, 75000, 420000)), rng.choice((1, 100, 500, 1000)))
    )
    values = [round(middle_ * rng.lognormvariate(0, 0.35) / step) * step for _ in range(g.size)]
    kind = rng.randrange(12)
    sign = {"en": "$", "de": "€", "ja": "¥", "zh": "¥"}.get(g.language, "€")
    if kind == 0:
        return [f"{sign}{v:,}" for v in values]
    if kind == 1:
        return [f"{v:,}".replace(",", ".") + " €" for v in values]
    if kind == 2:
        return [f"{v / 1000:.0f}k" for v in values]
    if kind == 3:
        return [f"{v}.{rng.randint(0, 99):02}" for v in values]
    if kind == 4:
        return [f"{v:,}.00" for v in values]
    if kind == 5:
        return [f"{v / 100:.2f}" if monthly else f"{v / 2000:.2f}" for v in values]
    return [f"{v}.0" for v in values] if kind == 6 else [str(v) for v in values]


def income_band(g: Group) -> Values:
    rng = g.rng
    lists = (
        "Low;Medium;High", "<=50K;>50K", "$0-25k;$25k-50k;$50k-75k;$75k-100k;$100k+", "Below Rs.10000;10001 to 25000;25001 to 50000;More than 50000;No Income", "$0 - $24,999;$25,000 - $49,999;$50,000 - $99,999;$100,000 - $149,999;$150,000+",
        "1;2;3;4;5", "Less than $40K;$40K - $60K;$60K - $80K;$80K - $120K;$120K +", "< 1.000 €;1.000 - 2.000 €;2.000 - 3.500 €;> 3.500 €", "low;lower-middle;upper-middle;high", "A;B;C;D;E",
    )  # fmt: skip
    return g.skewed(rng.choice(lists).split(";"))


def diagnosis(g: Group) -> Values:
    return _coded(g, w.DIAGNOSES)


def icd(g: Group) -> Values:
    out = g.skewed(w.ICD)
    return [v.replace(".", "") for v in out] if g.rng.random() < 0.2 else out


def blood(g: Group) -> Values:
    return g.skewed(w.BLOOD)


def secret(g: Group) -> Values:
    rules = [r.id for r in s.rules_of("SECRET")]
    return s.samples(g.rng, g.rng.choice(rules), g.size)


def note(g: Group) -> Values:
    """Sentences about people, with names in some of them."""
    rng, humans = g.rng, g.humans
    templates = [t.strip() for t in w.NOTES.get(g.language, w.NOTES["en"]).split("|")]
    filler = list(g.place.sentences) if g.language not in w.NOTES else []
    if rng.random() < 0.4:
        templates = rng.sample(templates, min(len(templates), 5))
    phones = phone(g)
    handles = [_handle(g, p) for p in humans]
    streets = g.place.streets
    most = rng.choice((1, 1, 2, 4))
    out = []
    for i in range(g.size):
        p = humans[i]
        parts = [
            rng.choice(filler) if filler and rng.random() < 0.6 else rng.choice(templates).format(
                n=rng.randint(1000, 99999), d=f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.", p=f"{p.first} {p.last}", f=p.first, l=p.last, t=phones[i], m=f"{handles[i]}@example.com", a=rng.choice(streets), u=handles[i],
            )
            for _ in range(rng.randint(1, most))
        ]  # fmt: skip
        out.append(" ".join(parts))
    return out
