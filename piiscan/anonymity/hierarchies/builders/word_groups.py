"""Words generalised by a given order, by a shipped list, or directly to "*"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from piiscan.anonymity.hierarchies.builders.builder import demand_grid
from piiscan.core.header_words import fold
from piiscan.masking.operators.preconditions import refusal

if TYPE_CHECKING:
    import polars as pl

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Suppression:
    """Two levels only: the values themselves and "*".

    Guarantee:
        Assumes nothing.
        Ensures that a value is either kept or removed.
        Does not protect a value that is kept.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    kind: ClassVar[str] = "suppression"

    def labels(self, values: pl.Series) -> list[pl.Series]:
        return []


@dataclass(frozen=True)
class Order:
    """Values in a given `order`, in groups of as many neighbours as `sizes` says: `[low, mid]`.

    `order` is the public list of all possible values, from the lowest.

    Guarantee:
        Assumes that the order lists the possible values, not only those that occur.
        Ensures that a group's ends come from the list.
        Does not protect against a group that contains only one person.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    order: tuple[str, ...]
    sizes: tuple[int, ...]

    kind: ClassVar[str] = "order"

    def __post_init__(self) -> None:
        if len(set(self.order)) < max(2, len(self.order)):
            raise refusal(self.kind, "'order' needs at least two values, all different")
        demand_grid(self.kind, "sizes", self.sizes)

    def labels(self, values: pl.Series) -> list[pl.Series]:
        import polars as pl

        found = []
        for size in self.sizes:
            groups = [self.order[i : i + size] for i in range(0, len(self.order), size)]
            names = {value: g[0] if len(g) == 1 else f"[{g[0]}, {g[-1]}]" for g in groups for value in g}
            found.append(values.replace_strict(names, default=None, return_dtype=pl.String))
        return found


@dataclass(frozen=True)
class Countries:
    """The sub-region of a country and its region, by the United Nations' M49: `Western Europe`, `Europe`.

    Countries are read by their names in English, ISO alpha-2 or alpha-3, case, accents and punctuation aside.

    Guarantee:
        Assumes nothing.
        Ensures that a label is one of 23 sub-regions or 6 regions.
        Does not protect against inferring a country from its sub-region if the data contain few other countries of it.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    kind: ClassVar[str] = "countries"

    def labels(self, values: pl.Series) -> list[pl.Series]:
        return listed(values, "countries")


@dataclass(frozen=True)
class Education:
    """The level of education by ISCED 2011, and one of three groups of levels: `Bachelor's`, `Tertiary`.

    It reads English words and degrees.

    Guarantee:
        Assumes English words; national degrees are placed as they usually are.
        Ensures that a label is one of 9 levels or 3 groups.
        Does not protect against a level that is rare in the data.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    kind: ClassVar[str] = "education"

    def labels(self, values: pl.Series) -> list[pl.Series]:
        return listed(values, "education")


def listed(values: pl.Series, name: str) -> list[pl.Series]:
    """Return the two labels of each value in a shipped list; null for a value that isn't listed."""
    import polars as pl

    known = _list(name)
    rows = [known.get(_plain(value), (None, None)) for value in values]
    return [pl.Series([row[i] for row in rows], dtype=pl.String) for i in (0, 1)]


@cache
def _list(name: str) -> Mapping[str, tuple[str, str]]:
    """Map folded words to their labels at level 1 and 2.

    In a list file, the line `[level 2; level 1]` precedes the words with these labels.
    """
    found: dict[str, tuple[str, str]] = {}
    labels = ("", "")
    for line in Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            higher, lower = line.strip("[]").split("; ")
            labels = (lower, higher)
        elif not line.startswith("#"):
            found.update((_plain(word), labels) for word in line.split("; "))
    return found


def _plain(word: str) -> str:
    return " ".join(_WORD.findall(fold(word)))
