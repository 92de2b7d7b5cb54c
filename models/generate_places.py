"""Where people and things are: streets, cities, regions, postal codes, countries, coordinates."""

from __future__ import annotations

import random

import generate_words as w
from generate_group import Group, Values
from generate_locales import big_cities, cities_of, countries, romanised, states


def street(g: Group) -> Values:
    rng, place = g.rng, g.place
    if g.latin and place.roman_names:
        return g.each(
            lambda: (
                f"{rng.randint(1, 300)} {rng.choice(place.roman_names[1] if place.roman_names else ())} "
                f"{rng.choice(('Road', 'Street', 'St', 'Rd', 'Lane'))}"
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
                    rng.choice(
                        (
                            rng.choice(names),
                            rng.choice(("Main", "Oak", "Park", "High", "Church", "Elm", "1st", "42nd", "Mill")),
                        )
                    ),
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
    return [
        form.format(s=a, z=z, c=c.name, r=c.region_code, n=g.place.country)
        for a, z, c in zip(streets, codes, g.cities, strict=True)
    ]


def city(g: Group) -> Values:
    out = [c.name for c in g.cities]
    return [romanised(v) for v in out] if g.rng.random() < 0.3 else out


def region(g: Group) -> Values:
    if g.place.country == "US" and not g.world:
        return [states().get(c.region_code, c.region_code) for c in g.cities]
    if g.place.country == "US":
        return g.skewed(["North America", "Europe", "Asia", "Africa", "Latin America", "Oceania", "EMEA", "APAC"])
    regions = g.place.regions
    if g.latin and not regions[0].isascii():
        regions = tuple(c.name for c in g.place.cities[:40])
    return g.skewed(regions)


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
    out = (
        [own] * g.size
        if kind < 0.3
        else g.some([own, own, *rng.sample(codes, 4)])
        if kind < 0.6
        else g.skewed(rng.sample(codes, 40))
    )
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


def birthplace(g: Group) -> Values:
    if g.rng.random() < 0.3:
        return country(g)
    if g.rng.random() < 0.25:
        return [f"{c.name}, {cc}" for c, cc in g.rng.choices(big_cities(), k=g.size)]
    found = cities_of(g.place.country) or g.place.cities
    return [c.name for c in g.rng.choices(found, k=g.size)]
