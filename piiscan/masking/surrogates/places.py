"""Streets and cities of a country from Faker's address lists.

Where Faker has no list, a thousand that its formats spell.

Spelled ones come from a fixed seed, once per process; the digest covers them as it covers the lists.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates.keyed_functions import Words, derived, prf
from piiscan.masking.surrogates.locales import checked, language
from piiscan.masking.surrogates.name_lists import faker_class, lists

if TYPE_CHECKING:
    import polars as pl

_STREETS, _CITIES = 2000, 1000
HIGHEST = 199
"""House numbers go from 1 to this."""
_SEED = 20261121
_LOOK = re.compile("number|street", re.IGNORECASE)


@cache
def streets(locale: str) -> tuple[str, ...]:
    """Names of streets, sorted; of surnames where Faker has none for the locale."""
    locale = checked(locale)
    names = faker_class("address", locale).towns if locale == "ja_JP" else _spelled(locale, "street_name", _STREETS)
    usable = {n.strip() for n in names if not re.search(r"[\d\n]", n) and n.strip()}
    return tuple(sorted(usable)) if len(usable) >= 50 else tuple(sorted(s.male for s in lists(locale).surnames))


@cache
def cities(locale: str) -> tuple[str, ...]:
    """Cities, sorted: of Faker, or of `cities.txt` where Faker has no addresses for the locale."""
    locale = checked(locale)
    try:
        provider = faker_class("address", locale)
    except ModuleNotFoundError:
        return tuple(sorted(_listed()[locale]))
    own = next((getattr(provider, k) for k in ("cities", "city_names") if k in vars(provider)), ())
    names: Iterable[str] = own or _spelled(locale, "city", _CITIES)
    return tuple(sorted({n.strip() for n in names if n.strip() and "\n" not in n}))


@cache
def _listed() -> dict[str, tuple[str, ...]]:
    lines = Path(__file__).with_name("cities.txt").read_text(encoding="utf-8").splitlines()
    each = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {locale: tuple(names.split("|")) for locale, _, names in each}


def _spelled(locale: str, what: str, number: int) -> list[str]:
    """Spell places by Faker's formats from a fixed seed; empty where it has no address formats for the locale."""
    from faker.generator import Generator

    try:
        classes = [faker_class(kind, locale) for kind in ("person", "address")]
    except ModuleNotFoundError:
        return []
    generator = Generator(locale=locale)  # type: ignore[arg-type]
    for made in classes:
        provider: Any = made(generator)
        provider.__use_weighting__ = True
        provider.random_element = _drawing(generator, provider.random_element)
        generator.add_provider(provider)
    generator.seed_instance(_SEED)
    try:
        return [getattr(generator, what)() for _ in range(number)]
    except AttributeError:  # a format names a provider that isn't there
        return []


def _drawing(generator: Any, draw: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Replace a provider's `random_element`; Faker's own adds up all weights of a list at each call."""
    lists: dict[int, tuple[Any, tuple[Any, ...], list[float]]] = {}

    def random_element(elements: Any = ("a", "b", "c")) -> Any:
        if not isinstance(elements, dict):
            return draw(elements)
        if id(elements) not in lists:
            lists[id(elements)] = elements, tuple(elements), list(accumulate(elements.values()))
        _, names, sums = lists[id(elements)]
        return generator.random.choices(names, cum_weights=sums)[0]

    return random_element


_NUMBER_FIRST: Final = ("en", "fr", "hi")
_NUMBER_BEHIND_COMMA: Final = ("es", "it", "pt", "ru", "uk")


def look_in(locale: str, look: str) -> str:
    """The look of a column with the house number where people of a locale write it.

    >>> look_in("de_DE", "Number STREET"), look_in("it_IT", "Number Street"), look_in("de_DE", "Street")
    ('STREET Number', 'Street, Number', 'Street')
    """
    street = "STREET" if "STREET" in look else "Street"
    if "Number" not in look:
        return look
    if language(locale) in _NUMBER_FIRST:
        return f"Number {street}"
    return f"{street}, Number" if language(locale) in _NUMBER_BEHIND_COMMA else f"{street} Number"


def street_pattern_of(values: Iterable[str], locale: str = "") -> str:
    """Whether addresses have the house number first, last or nowhere; for a plan.

    Without values, as it is usual in the locale.

    >>> [street_pattern_of([street]) for street in ("12 High St", "Hauptstr. 5", "Via Roma, 3", "High St")]
    ['Number Street', 'Street Number', 'Street, Number', 'Street']
    """
    seen = Counter(_street_pattern(v.strip()) for v in values if v and v.strip())
    if not seen:
        return look_in(locale, "Street Number") if locale else "Street Number"
    return max(seen, key=lambda look: (seen[look], look))


def _street_pattern(value: str) -> str:
    name = "STREET" if value.isupper() else "Street"
    if re.match(r"\d", value):
        return f"Number, {name}" if re.match(r"\d+\w?,", value) else f"Number {name}"
    if re.search(r",\s*\d+\S*$", value):
        return f"{name}, Number"
    return f"{name} Number" if re.search(r"\d", value) else name


def mask_streets(values: pl.Series, key: Subkey, locale: str, look: str) -> pl.Series:
    """Surrogates for street addresses (distinct, not null): another street, another number."""
    return spell_streets(prf(derived(key, "street"), values), locale, look)


def spell_streets(words: Words, locale: str, look: str) -> pl.Series:
    import polars as pl

    names = pl.Series(streets(locale))
    street = names.gather((words[:, 0] % np.uint64(len(names))).astype(np.uint32))
    number = pl.Series((words[:, 1] % np.uint64(HIGHEST) + np.uint64(1)).astype(np.uint32)).cast(pl.String)
    frame = pl.DataFrame({"street": street, "STREET": street.str.to_uppercase(), "number": number})
    parts: list[pl.Expr] = []
    at = 0
    for m in _LOOK.finditer(look):
        parts += [
            pl.lit(look[at : m.start()]),
            pl.col(m[0] if m[0] == "STREET" else m[0].lower()),
        ]
        at = m.end()
    if not parts:
        raise UsageError(
            f"look {look!r}: write it with the words Street and Number, such as 'Street Number' or 'Number Street'"
        )
    return frame.select(pl.concat_str([*parts, pl.lit(look[at:])]).alias("street")).to_series()


def declared_streets(masks: pl.Series, locale: str, look: str) -> pl.Series:
    """Whether each mask (not null) is a street of the list with a number, as the look has it."""
    import polars as pl

    names = pl.Series(streets(locale))
    street = "STREET" in look
    pattern = (
        re.escape(look)
        .replace("Number", r"(?:[1-9]|[1-9][0-9]|1[0-9][0-9])")
        .replace("STREET" if street else "Street", "(.+)")
    )
    return (
        masks.str.extract(f"^{pattern}$")
        .is_in((names.str.to_uppercase() if street else names).implode())
        .fill_null(False)
    )


def mask_cities(values: pl.Series, key: Subkey, locale: str) -> pl.Series:
    """Surrogates for cities (distinct, not null).

    Those of the list become one another in one keyed round, so that none merge and none stays; others are drawn. How
    often a city of the list occurs, its surrogate does: their frequencies are those of the column.
    """
    import polars as pl

    names = pl.Series("city", cities(locale))
    subkey = derived(key, "city")
    order = np.argsort(prf(subkey, names)[:, 0], kind="stable")
    drawn = names.gather((prf(subkey, values)[:, 1] % np.uint64(len(names))).astype(np.uint32))
    lower = names.str.to_lowercase()
    known = pl.DataFrame({"v": lower.gather(order), "to": names.gather(np.roll(order, 1))}).unique(
        "v", keep="first", maintain_order=True
    )
    own = (
        values.str.strip_chars()
        .str.to_lowercase()
        .replace_strict(known["v"], known["to"], default=None, return_dtype=pl.String)
    )
    return own.zip_with(own.is_not_null(), drawn).alias(values.name)


def declared_cities(masks: pl.Series, locale: str) -> pl.Series:
    import polars as pl

    return masks.is_in(pl.Series(cities(locale)).implode())
