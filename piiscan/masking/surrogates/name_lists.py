"""Lists of names per locale: taken out of Faker when they are needed, cleaned, and frozen by a digest in the plan.

Only the classes that hold Faker's lists are imported, and only those of the locale asked for; no Faker object is made.
Faker (MIT licence) changes its lists between versions: masks made with other lists would differ, so a plan carries the
digest.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from piiscan.core.errors import UsageError
from piiscan.masking.surrogates import inflect
from piiscan.masking.surrogates.firstnames import share_of_women
from piiscan.masking.surrogates.latin_letters import stem
from piiscan.masking.surrogates.locales import checked, country, language
from piiscan.masking.surrogates.patronymics import is_patronymic

SYLLABLES = ("katakana", "hiragana")
"""Scripts that write how a name is read."""
_HIRAGANA = {i: i - 0x60 for i in range(0x30A1, 0x30F7)}
_MILLION = 1_000_000
_NOT_NAMES = frozenset(
    "dr prof mr mrs ms miss jr sr md phd dds dvm ii iii iv v esq ing mgr sir lady herr frau pan pani san de la "
    "le van von der da dos du".split()
)

_LEGACY = {"ro": "cp1250", "uk": "cp1251"}
"""Language → the encoding of its older files, which lacks letters of a few names: ș and ț, or the apostrophe ʼ. Without
these names everybody can have the same made-up name in all files."""


@dataclass(frozen=True, slots=True)
class FirstName:
    """A first name of a list."""

    name: str
    initial: str  # a–z
    weight: int  # millionths of the list


@dataclass(frozen=True, slots=True)
class Surname:
    """A surname of a list, with its forms."""

    male: str
    female: str
    stem: str  # a–z, of the form that isn't inflected
    weight: int


@dataclass(frozen=True, slots=True)
class Lists:
    """The names of a locale.

    A name is one word, belongs to one gender, has a Latin initial, and can be written in older encodings of its
    language; each list is sorted. `patronymics`: of women and of men, where Faker has some.
    """

    locale: str
    female: tuple[FirstName, ...]
    male: tuple[FirstName, ...]
    surnames: tuple[Surname, ...]
    digest: str
    patronymics: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@cache
def lists(locale: str) -> Lists:
    """The names of a locale. Raises `UsageError` for an unknown one."""
    locale = checked(locale)
    provider = faker_class("person", locale)
    readings = _readings(provider)
    women, men = (_weighted(getattr(provider, f"first_names_{g}", ()), locale, readings) for g in ("female", "male"))
    shared = women.keys() & men.keys()
    only_women = {n: w for n, w in women.items() if n not in shared and not _mostly(n, locale, "m")}
    only_men = {n: w for n, w in men.items() if n not in shared and not _mostly(n, locale, "f")}
    f, m = (
        [FirstName(n, _read(n, readings)[0], w) for n, w in _millionths(names).items()]
        for names in (only_women, only_men)
    )
    surnames = list(_surnames(provider, locale, readings))
    of_women, of_men = (
        tuple(
            name
            for name in sorted(filter(is_patronymic, getattr(provider, f"middle_names_{g}", ())))
            if _is_writable(name, locale)
        )
        for g in ("female", "male")
    )
    fathers = (of_women, of_men) if of_women and of_men else ((), ())
    said = (locale, f, m, surnames, *(fathers if of_women else ()), *(["as read"] if readings else ()))
    digest = hashlib.sha256(repr(said).encode()).hexdigest()[:16]
    return Lists(locale, tuple(f), tuple(m), tuple(surnames), digest, fathers)


def lists_digest(locale: str) -> str:
    """What a plan records: a digest of the locale's lists and the version of Faker that they came with."""
    return f"{lists(locale).digest}@faker-{faker_version()}"


def check_digest(locale: str, recorded: str) -> None:
    """Raises `UsageError` where the installed lists aren't the ones that `lists_digest` gave when the plan was made."""
    digest, _, version = recorded.partition("@")
    if digest != lists(locale).digest:
        raise UsageError(
            f"the name lists of {locale} aren't those that the plan was made with ({version}; installed: "
            f"faker-{faker_version()}), so surrogates "
            f"wouldn't match earlier ones: install {version.replace('-', '==')}, or make the plan again to go "
            "on with the new lists"
        )


def faker_version() -> str:
    import faker

    return str(faker.VERSION)


def faker_class(kind: str, locale: str) -> Any:
    """Faker's class with the lists of a locale (`kind`: person, address).

    Raises ModuleNotFoundError where it has none.
    """
    return import_module(f"faker.providers.{kind}.{locale}").Provider


def clean(name: str) -> str | None:
    """A name in one spelling, or None where it isn't one word.

    Titles, initials, particles and double names are left out.

    >>> clean(" ANNA "), clean("O’Brien"), clean("Anna Maria"), clean("Dr."), clean("Jr"), clean("J")
    ('Anna', 'O’Brien', None, None, None, None)
    """
    name = unicodedata.normalize("NFC", name.strip())
    letters = [c for c in name if c not in "-'’ʻ‘`´"]
    if not letters or not all(unicodedata.category(c)[0] in "LM" for c in letters) or not name[0].isalpha():
        return None
    if name.casefold() in _NOT_NAMES or (len(letters) < 2 and letters[0].isascii()):
        return None
    return name.capitalize() if name.isupper() or name.islower() else name


def in_syllables(locale: str, script: str) -> dict[str, str]:
    """Name → how it is read, in a script of `SYLLABLES`, where Faker's lists tell (Japanese); else empty."""
    read = {name: kana for name, kana, _ in _read_names(faker_class("person", locale))}
    return {name: kana.translate(_HIRAGANA) for name, kana in read.items()} if script == "hiragana" else read


@cache
def _readings(provider: Any) -> dict[str, str]:
    """Name → how it is written in Latin letters, where Faker's own lists tell (Japanese)."""
    return {name: latin.lower() for name, _, latin in _read_names(provider)}


def _read_names(provider: Any) -> Iterator[tuple[str, str, str]]:
    """Names with how they are read, in katakana and in Latin letters."""
    for kind in ("first_name_female_pairs", "first_name_male_pairs", "last_name_pairs"):
        yield from getattr(provider, kind, ())


def _read(name: str, readings: Mapping[str, str]) -> str:
    return readings.get(name) or stem(name)


def in_latin(name: str, locale: str) -> str:
    """A name of the locale's lists in a–z, as it is read: 洋介 is Yosuke in Japan; empty where nothing says how."""
    return _read(name, _readings(faker_class("person", locale)))


def _weighted(names: Any, locale: str, readings: Mapping[str, str]) -> dict[str, float]:
    """The names of a list that are one word with a Latin reading and can be written, and their weights."""
    found: dict[str, float] = {}
    for name, weight in names.items() if isinstance(names, Mapping) else ((n, 1.0) for n in names):
        if (tidy := clean(name)) and _read(tidy, readings) and _is_writable(tidy, locale):
            found[tidy] = max(found.get(tidy, 0.0), float(weight))
    return found


def _is_writable(name: str, locale: str) -> bool:
    """Whether older files in the language of a locale can hold a name."""
    try:
        name.encode(_LEGACY.get(language(locale), "utf-8"))
    except UnicodeEncodeError:
        return False
    return True


def _millionths(names: Mapping[str, float]) -> dict[str, int]:
    total = sum(names.values()) or 1.0
    return {name: max(1, round(weight / total * _MILLION)) for name, weight in sorted(names.items())}


def _mostly(name: str, locale: str, gender: str) -> bool:
    """Whether other lists know a name that Faker has as the other gender's, or as anybody's."""
    share = share_of_women(name, country(locale), language(locale))
    return share is not None and (share > 0.2 if gender == "f" else share < 0.8)


def _surnames(provider: Any, locale: str, readings: Mapping[str, str]) -> Iterable[Surname]:
    def some(*names: str) -> dict[str, float]:
        return {n: w for name in names for n, w in _weighted(getattr(provider, name, ()), locale, readings).items()}

    both = some("unisex_last_names", "last_names_unisex")
    male = some("male_last_names", "last_names_male")
    if locale == "is_IS":
        male = {f"{name}son": w for name, w in some("last_names_without_suffix").items()}
    elif not male and not both:
        male = some("last_names")
    forms = inflect.pairs(sorted(male), list(some("last_names_female")), language(locale)) | {
        name: name for name in both if name not in male
    }
    weights = male | both
    for name, weight in _millionths({name: weights[name] for name in forms}).items():
        yield Surname(name, forms[name], _read(name, readings)[:12], weight)
