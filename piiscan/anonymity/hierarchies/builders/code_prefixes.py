"""Codes whose first characters name a coarser place or class, such as postal codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final

from piiscan.masking.operators.categories import padded
from piiscan.masking.operators.preconditions import refusal

if TYPE_CHECKING:
    import polars as pl

REST: Final = "*"


@dataclass(frozen=True)
class Prefixes:
    """The first characters of a code, fewer at each level of `keep`, and one `*` for the rest: `123*`, `1*`.

    `width` fills numbers up with zeros on the left. A code that isn't longer than what is kept stays whole on that
    level.

    Guarantee:
        Assumes codes whose first characters name a coarser place or class.
        Ensures that a label shows only as many characters as the level keeps, and not how many there were.
        Does not protect against short codes, which stay whole until a level keeps less.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    keep: tuple[int, ...]
    width: int = 0

    kind: ClassVar[str] = "prefixes"

    def __post_init__(self) -> None:
        if not self.keep or any(a <= b for a, b in pairwise((*self.keep, 0))):
            raise refusal(self.kind, "'keep' must fall from level to level and end at 1 or more, such as 3, 2, 1")
        if not 0 <= self.width <= 100:
            raise refusal(self.kind, "'width' must be from 0 to 100")

    def labels(self, values: pl.Series) -> list[pl.Series]:
        import polars as pl

        x = pl.col("x")
        frame = pl.DataFrame({"x": padded(values, self.width)})
        return list(
            frame.select(
                pl.when(x.str.len_chars() > k).then(x.str.head(k) + REST).otherwise(x).alias(str(i))
                for i, k in enumerate(self.keep)
            )
        )


@dataclass(frozen=True)
class Redaction:
    """A code with its last characters hidden, more at each level of `hide`, a `*` for each: `1234*`, `123**`.

    The length stays, so codes of different lengths share a label only at "*". Use it for codes of one length;
    `prefixes` hides the length.

    Guarantee:
        Assumes codes of one length.
        Ensures that a label reveals nothing about the characters it hides.
        Does not protect against the length of a code, which stays visible.
        Test: test_hierarchy_build.py::test_what_values_become
    """

    hide: tuple[int, ...]

    kind: ClassVar[str] = "redaction"

    def __post_init__(self) -> None:
        if not self.hide or any(a >= b for a, b in pairwise((0, *self.hide))):
            raise refusal(self.kind, "'hide' must rise from level to level and start at 1 or more, such as 1, 2, 3")

    def labels(self, values: pl.Series) -> list[pl.Series]:
        import polars as pl

        x = pl.col("x")
        hidden = [x.str.tail(n).str.replace_all("(?s).", REST) for n in self.hide]
        return list(
            pl.DataFrame({"x": values}).select(
                (x.str.head(-n) + h).alias(str(n)) for n, h in zip(self.hide, hidden, strict=True)
            )
        )


@dataclass(frozen=True)
class _Country:
    """How one country writes its postal codes, and how their labels are derived.

    Codes are matched in capitals, without spaces and hyphens.
    """

    whole: str
    levels: tuple[str, ...]
    digits: int = 0


def _digits(number: int, *keep: int) -> _Country:
    return _Country(f"^[0-9]{{{number}}}$", tuple(f"^(.{{{k}}})" for k in keep), number)


_ANY: Final = _Country("^[A-Z0-9]*[0-9][A-Z0-9]*$", ("^(...)", "^(..)", "^(.)"))
_COUNTRIES: Final[Mapping[str, _Country]] = {
    "": _ANY,
    # Outward code and area: Royal Mail, Programmer's Guide to the Postcode Address File.
    "GB": _Country(
        "^[A-Z]{1,2}[0-9][A-Z0-9]?(?:[0-9][A-Z]{2})?$",
        ("^([A-Z]{1,2}[0-9][A-Z0-9]?)(?:[0-9][A-Z]{2})?$", "^([A-Z]{1,2})[0-9]"),
    ),
    # Forward sortation area and postal district; routing key of an Eircode; place, region, zone of a Dutch code.
    "CA": _Country("^[A-Z][0-9][A-Z](?:[0-9][A-Z][0-9])?$", ("^(...)", "^(.)")),
    "IE": _Country("^[A-Z][0-9][0-9W](?:[A-Z0-9]{4})?$", ("^(...)", "^(.)")),
    "NL": _Country("^[0-9]{4}(?:[A-Z]{2})?$", ("^(....)", "^(..)", "^(.)")),
    # ZIP: sectional centre, and the first digit's group of states; ZIP+4 reads as well.
    "US": _Country("^[0-9]{5}(?:[0-9]{4})?$", _ANY.levels, 5),
    "PT": _Country("^[0-9]{4}(?:[0-9]{3})?$", ("^(....)", "^(..)", "^(.)")),
    # Digits; how many of them stand for an area, by each post's own structure.
    "AT": _digits(4, 2, 1),
    "AU": _digits(4, 2, 1),
    "BE": _digits(4, 2, 1),
    "BR": _digits(8, 5, 3, 2, 1),
    "CH": _digits(4, 2, 1),
    "CN": _digits(6, 4, 2),
    "CZ": _digits(5, 3, 1),
    "DE": _digits(5, 2, 1),
    "DK": _digits(4, 2, 1),
    "ES": _digits(5, 2),
    "FI": _digits(5, 3, 2, 1),
    "FR": _digits(5, 2),
    "IN": _digits(6, 3, 2, 1),
    "IT": _digits(5, 2, 1),
    "JP": _digits(7, 3, 2, 1),
    "MX": _digits(5, 2),
    "NO": _digits(4, 2, 1),
    "PL": _digits(5, 2, 1),
    "RU": _digits(6, 3),
    "SE": _digits(5, 2, 1),
}
_WRITTEN_FORMS: Final = {
    "GB": r"^[A-Za-z]{1,2}[0-9][A-Za-z0-9]? ?[0-9][A-Za-z]{2}$",
    "CA": "^[A-Za-z][0-9][A-Za-z][ -]?[0-9][A-Za-z][0-9]$",
    "IE": "^[A-Za-z][0-9][0-9Ww] ?[A-Za-z0-9]{4}$",
    "NL": "^[0-9]{4} ?[A-Za-z]{2}$",
    "US": "^[0-9]{5}-[0-9]{4}$",
    "PL": "^[0-9]{2}-[0-9]{3}$",
    "PT": "^[0-9]{4}-[0-9]{3}$",
    "BR": "^[0-9]{5}-[0-9]{3}$",
    "JP": "^[0-9]{3}-[0-9]{4}$",
}
"""Countries whose postal codes are recognised by how they are written."""


@dataclass(frozen=True)
class PostalCodes:
    """The areas of a `country`'s postal codes (ISO alpha-2), larger at each level.

    Codes of any other country keep their first three, two and one characters. Examples: the outward code and the area
    in Great Britain (`SW1A*`, `SW*`), the sortation area in Canada (`K1A*`, `K*`), two digits in France (`75*`),
    three, two and one in the United States (`123*`, `12*`, `1*`). Leading zeros that were lost are restored if all
    codes of the country have the same number of digits; `width` gives that number if no country is named.

    Guarantee:
        Assumes codes of that country.
        Ensures that a label reveals its area and no more.
        Does not protect against areas where few people live: some of the three-digit US areas have 20,000 inhabitants
        or fewer (`zip3` knows which).
        Test: test_hierarchy_build.py::test_what_values_become
    """

    country: str = ""
    width: int = 0

    kind: ClassVar[str] = "postal-codes"

    def __post_init__(self) -> None:
        if self.country not in _COUNTRIES:
            raise refusal(
                self.kind, f"'country' must be one of {', '.join(sorted(_COUNTRIES)[1:])}; or use the kind 'prefixes'"
            )
        if self.country and self.width:
            raise refusal(self.kind, "'width' follows from the 'country'; leave one of them out")
        if not 0 <= self.width <= 10:
            raise refusal(self.kind, "'width' must be from 0 to 10")

    def labels(self, values: pl.Series) -> list[pl.Series]:
        import polars as pl

        known, x = _COUNTRIES[self.country], pl.col("x")
        compact = padded(_compact(values), self.width or known.digits)
        code = pl.when(x.str.contains(known.whole)).then(x)
        # A code that isn't longer than the area is the area.
        areas = [(code.str.extract(level).fill_null(code) + REST).alias(str(i)) for i, level in enumerate(known.levels)]
        return list(pl.DataFrame({"x": compact}).select(areas))


def recognise(values: pl.Series, are_numbers: bool) -> PostalCodes:
    """Return the builder for a column of postal codes.

    It is that of the country in whose form half of the values are written, if there is one. Numbers have lost their
    leading zeros, so they are padded to the most common length.
    """
    for country, form in _WRITTEN_FORMS.items():
        if 2 * int(values.str.strip_chars().str.contains(form).sum()) >= max(1, len(values)):
            return PostalCodes(country)
    lengths = _compact(values).str.len_chars().mode().sort() if are_numbers and len(values) else [0]
    width = int(lengths[-1])
    return PostalCodes(width=width if width <= 10 else 0)


def _compact(values: pl.Series) -> pl.Series:
    """Return codes in capitals, without separators and without the `.0` that numeric columns with gaps acquire."""
    return values.str.to_uppercase().str.replace_all(r"[ -]|\.0$", "")
