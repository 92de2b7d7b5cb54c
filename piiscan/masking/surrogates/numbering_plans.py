"""Telephone numbers by country: calling codes, trunk prefixes, and numbers that belong to no one.

`reserved_values` has small ranges that regulators keep for films; `numbering_plans.toml`, made from the metadata of
libphonenumber, has beginnings of numbers that a plan gives to nobody.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Literal

from piiscan.masking.surrogates.number_ranges import Range
from piiscan.rules import reserved_values

PhoneRange = Literal["fiction", "unassigned", "permuted"]
RANGES: Final[tuple[PhoneRange, ...]] = ("fiction", "unassigned", "permuted")
_ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "fiction": ("fiction", "unassigned"),
    "unassigned": ("unassigned", "fiction"),
    "permuted": (),
}
"""Where to look for numbers that belong to no one: not every plan has both kinds for every length."""


@dataclass(frozen=True)
class NumberingPlan:
    """The numbers of one calling code.

    `countries` share it, the one that it is mostly of first; `lengths`: digits that a national number may have,
    `usual` those of most; `ranges`: of each kind, by length.
    """

    code: str
    countries: tuple[str, ...]
    trunk: str
    lengths: tuple[int, ...]
    usual: int
    ranges: Mapping[str, Mapping[int, Range]]

    def of_length(self, kind: str, length: int) -> Range | None:
        """The numbers of that length that a range of telephone numbers means; None where there are none."""
        return next((r for k in _ORDER[kind] if (r := self.ranges.get(k, {}).get(length))), None)

    def best(self, kind: str) -> Range | None:
        """Those of the length that most numbers have, or else of the one that has most."""
        some = [r for n in self.lengths if (r := self.of_length(kind, n))]
        return self.of_length(kind, self.usual) or max(some, key=lambda r: r.capacity, default=None)

    def capacity(self, kind: str) -> int:
        """How many there are of the length that most numbers have."""
        return 0 if (found := self.best(kind)) is None else found.capacity

    @cached_property
    def international(self) -> bool:
        """It is of no country: satellites, and numbers that are free to call from anywhere."""
        return self.countries == ("001",)


@cache
def by_code() -> dict[str, NumberingPlan]:
    """The plans by calling code."""
    fiction = reserved_values.fictional_phones()
    out = {}
    file = Path(__file__).with_name("numbering_plans.toml")
    for code, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
        countries = tuple(entry["regions"])
        free = {int(n): begins for n, begins in entry["unassigned"].items()}
        unassigned = [b + "#" * (n - len(b)) for n, begins in free.items() for b in begins]
        kinds = {"fiction": _by_length(fiction.get(countries[0], ())), "unassigned": _by_length(unassigned)}
        out[code] = NumberingPlan(code, countries, entry["trunk"], tuple(free), entry["usual"], kinds)
    return out


@cache
def plans() -> dict[str, NumberingPlan]:
    """The plans by country (ISO 3166-1 alpha-2)."""
    return {country: plan for plan in by_code().values() if not plan.international for country in plan.countries}


def _by_length(patterns: Any) -> dict[int, Range]:
    return {n: Range(tuple(p for p in patterns if len(p) == n)) for n in sorted({len(p) for p in patterns})}
