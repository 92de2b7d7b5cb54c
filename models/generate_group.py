"""The people, shops, countries … that a table's rows speak of, and what several of its columns share of them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import generate_words as w
from generate_locales import City, Locale, big_cities, romanised

Values = list[str]
Maker = Callable[["Group"], Values]
"""Gives a value for each of a group's subjects."""


@dataclass(frozen=True, slots=True)
class Human:
    male: bool
    first: str
    middle: str
    last: str
    second_last: str
    born: dt.date
    place: Locale


class Group:
    """`size` distinct subjects of one kind in one country; what several columns share (names, cities, births) is made
    once.

    `others`: countries that people come from besides, where a table has guests from abroad. `world`: cities from
    everywhere.
    """

    def __init__(
        self,
        rng: random.Random,
        place: Locale,
        size: int,
        about: str,
        world: bool = False,
        others: tuple[Locale, ...] = (),
    ) -> None:
        self.rng = rng
        self.place = place
        self.size = size
        self.about = about
        self.world = world
        self.others = others
        own = place.roman_names is not None and rng.random() < 0.5
        self.latin = own or bool(others) or (place.language in ("ru", "uk", "bg", "el") and rng.random() < 0.3)
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
        rng = self.rng
        low, high = rng.choice(((18, 90), (18, 66), (0, 99), (20, 60), (6, 20), (17, 30), (40, 95), (17, 40)))
        women = rng.choice((0.5, 0.5, 0.5, 0.3, 0.7, 0.05))
        places = (self.place, *self.others)
        people = []
        for _ in range(self.size):
            male = rng.random() > women
            place = places[0] if len(places) == 1 else rng.choice(places)
            roman = place.roman_names if self.latin else None
            firsts = roman[0] if roman else place.male if male else place.female
            lasts = roman[1] if roman else place.last_male if male else place.last_female
            fathers = () if roman else place.fathers[0 if male else 1]
            names = [rng.choice(firsts), rng.choice(fathers or firsts), rng.choice(lasts), rng.choice(lasts)]
            if self.latin and place.language in ("ru", "uk", "bg", "el"):
                names = [romanised(n) for n in names]
            first, middle, last, second = names
            born = dt.date(self.year, 6, 30) - dt.timedelta(int(rng.uniform(low, high) * 365.25))
            people.append(Human(male, first, middle, last, second, born, place))
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
        """Latitude and longitude, near the subject's city."""
        rng = self.rng
        return [(c.latitude + rng.gauss(0, 0.03), c.longitude + rng.gauss(0, 0.04)) for c in self.cities]

    @cached_property
    def companies(self) -> tuple[str, ...]:
        """Names of companies as this country has them; well-known ones among them now and then."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.15:
            return tuple(w.FIRMS)
        if kind < 0.3:
            return tuple(
                f"{rng.choice(w.BRANDS)} {rng.choice(w.FIRM_WORDS)}{rng.choice(w.FIRM_ENDS)}" for _ in range(80)
            )
        if self.latin and self.place.roman_names:
            return tuple(
                f"{rng.choice(self.place.roman_names[1])} {rng.choice(w.FIRM_WORDS)}{rng.choice(w.FIRM_ENDS)}"
                for _ in range(80)
            )
        return self.place.companies

    @cached_property
    def names(self) -> Values:
        """Names of organisations or places, for groups that aren't people."""
        rng = self.rng
        if self.about == "org":
            return self.some(self.companies)
        forms = w.PLACE_FORMS.get(self.language, w.PLACE_FORMS["en"])
        if rng.random() < 0.6:
            forms = rng.sample(forms, min(len(forms), rng.choice((1, 2, 3))))
        roman = self.place.roman_names
        lasts = roman[1] if roman and self.latin else self.place.last_male
        brand = rng.choice(w.BRANDS)
        return [rng.choice(forms).format(c=c.name, l=rng.choice(lasts), b=brand) for c in self.cities]
