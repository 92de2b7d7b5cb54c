"""Dates with a year in texts, read one by one, and replaced by other days in the same format.

`written_dates` finds every reading of many texts at once, to look days up that are known; here each date has one
reading, which another day can take the place of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from piiscan.core.header_words import fold
from piiscan.masking.known.written_dates import months, written

if TYPE_CHECKING:
    import polars as pl

_SEPARATOR: Final = r"(?P<s>\s?[./\-\u2010\u2011\u2013]\s?)"
_NUMBERS: Final = (
    rf"(?<![\w./-])(?P<y>[0-9]{{4}}){_SEPARATOR}(?P<m>[0-9]{{1,2}})(?P=s)(?P<d>[0-9]{{1,2}})(?![0-9]|[./-][0-9])",
    rf"(?<![\w./-])(?P<a>[0-9]{{1,2}}){_SEPARATOR}(?P<b>[0-9]{{1,2}})(?P=s)(?P<y>[0-9]{{4}}|[0-9]{{2}})(?![0-9]|[./-][0-9])",
    r"(?<![0-9])(?P<y>[0-9]{4})\s?[年년]\s?(?P<m>[0-9]{1,2})\s?[月월]\s?(?P<d>[0-9]{1,2})(?=\s?[日일])",
    r"(?<![\w./-])(?P<y>(?:19|20)[0-9]{2})(?P<m>0[1-9]|1[0-2])(?P<d>[0-3][0-9])(?![\w]|[./-][0-9])",
)
_WORD: Final = r"(?P<m>[^\W\d_]{3,})"
_DAY: Final = r"(?P<d>[0-9]{1,2})(?P<th>st|nd|rd|th|er|[.ºª°])?"
_YEAR: Final = r"(?P<y>[0-9]{4})(?!\d)"
_OF: Final = r"(?:(?:de|del|of|den|d')\s+)?"
_NAMED: Final = (
    rf"(?<![\w./])(?:the\s+)?{_DAY}[\s-]*{_OF}{_WORD}[.,]?[\s-]*{_OF}{_YEAR}",
    rf"(?<!\w){_WORD}\.?\s+(?:the\s+)?{_DAY},?\s+{_YEAR}",
    rf"(?<!\w){_YEAR}[.,]?[\s-]+{_WORD}\.?[\s-]+{_DAY}(?!\w)",
)
_ANY: Final = re.compile(r"[0-9]{4}|[0-9]\s?[./\-\u2010\u2011\u2013]\s?[0-9]")
"""What every text with a date has: most have none, and are done with this."""
_ANY_OF_MANY: Final = r"[0-9]{4}|[0-9][\s\x1c-\x1f]?[./\-\u2010\u2011\u2013][\s\x1c-\x1f]?[0-9]"
"""The same for polars, whose white space lacks four characters."""
_LATEST: Final = 2035
"""Of years of two digits, the last one that is in this century."""
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


Order = Literal["dmy", "mdy", "mixed"]
"""How numbers are read that may be day and month or month and day: one way, or not at all."""
_ALIKE: Final = 0.98
"""Of the dates that can be read in one way only so many are written in one order where all texts of a column are."""
REMOVED: Final = "<DATE>"
"""The replacement of a date whose offset can't be known."""


class WrittenDate(NamedTuple):
    """A date in a text: where it is, its pieces "y", "m" and "d", and the day that it means.

    `numbers`: its month is a number; `dotted`: its pieces are separated by dots. `day` is None where two orders read
    it.
    """

    start: int
    end: int
    day: date | None
    pieces: dict[str, tuple[int, int]]
    ending: tuple[int, int] | None = None

    numbers: bool = True
    dotted: bool = False

    @property
    def day_first(self) -> bool:
        """Whether it was read with the day before the month."""
        return self.pieces["d"] < self.pieces["m"]

    @property
    def is_short(self) -> bool:
        """Whether it shows in which order a text writes dates: numbers with the year last, without dots."""
        return self.numbers and not self.dotted and self.pieces["y"] > max(self.pieces["d"], self.pieces["m"])


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in (*_NUMBERS, *_NAMED))


def dates_in(text: str, order: Order = "dmy", by_others: bool = True) -> list[WrittenDate]:
    """The dates of a text that have a year, in their order, none within another.

    What may be day and month or month and day is read as the others of the text are (`by_others`), else by `order`;
    with dots the day comes first.

    >>> [str(found.day) for found in dates_in("5/6/2024, 2023-12-31 and May 7th, 2020")]
    ['2024-06-05', '2023-12-31', '2020-05-07']
    """
    if not _ANY.search(text):
        return []
    found = sorted(_all(text), key=lambda readings: (readings[0].start, -readings[0].end))
    apart: list[tuple[WrittenDate, ...]] = []
    for each in found:
        if not apart or each[0].start >= apart[-1][0].end:
            apart.append(each)
    told = {each[0].day_first for each in apart if by_others and len(each) == 1 and each[0].is_short}
    first = told.pop() if len(told) == 1 else None if order == "mixed" else order == "dmy"
    return [_one(each, first) for each in apart]


def may_have_dates(texts: pl.Series) -> pl.Series:
    """Which of many texts (String) `dates_in` may find dates in: asking it of each takes ten times as long."""
    return texts.str.contains(_ANY_OF_MANY)


def order_of(texts: Iterable[str], otherwise: Order) -> Order:
    """The order in which texts write day and month, by the dates that can be read in one way only.

    `otherwise` where there are none.
    """
    each = (found for text in texts for found in dates_in(text, "mixed"))
    votes = Counter(found.day_first for found in each if found.is_short and found.day is not None)
    if not votes:
        return otherwise
    ((day_first, most),) = votes.most_common(1)
    if most < _ALIKE * votes.total():
        return "mixed"
    return "dmy" if day_first else "mdy"


def _one(readings: tuple[WrittenDate, ...], day_first: bool | None) -> WrittenDate:
    if len(readings) == 1:
        return readings[0]
    if day_first is None:
        return readings[0]._replace(day=None)
    return readings[0] if day_first else readings[1]


def _all(text: str) -> Iterator[tuple[WrittenDate, ...]]:
    """Each date with its readings: the one there is, or the day first and the month first."""
    for pattern in _patterns():
        for match in pattern.finditer(text):
            readings, dotted = [], "." in (match.groupdict().get("s") or "")
            for groups in _orders(match):
                pieces = {part: match.span(group) for part, group in groups.items()}
                day = _day({part: text[a:b] for part, (a, b) in pieces.items()})
                if day is not None:
                    ending = match.span("th") if match.groupdict().get("th") else None
                    numbers = match[groups["m"]].isdigit()
                    readings.append(WrittenDate(*match.span(), day, pieces, ending, numbers, dotted))
            if readings:
                same = len({each.day for each in readings}) == 1 or dotted
                yield tuple(readings[:1] if same else readings)


def _orders(match: re.Match[str]) -> Iterator[dict[str, str]]:
    """Which group of a match is the year, which the month, and which the day."""
    if "a" not in match.groupdict():
        yield {"y": "y", "m": "m", "d": "d"}
        return
    yield {"y": "y", "m": "b", "d": "a"}
    yield {"y": "y", "m": "a", "d": "b"}


def _day(parts: dict[str, str]) -> date | None:
    year, month = int(parts["y"]), parts["m"]
    if len(parts["y"]) == 2:
        year += 1900 if year + 2000 > _LATEST else 2000
    known = None if month.isdigit() else months().get(fold(month))
    if known is None and not month.isdigit():
        return None
    try:
        return date(year, int(month) if known is None else known.number, int(parts["d"]))
    except ValueError:
        return None


def moved(text: str, found: WrittenDate, days: int) -> str | None:
    """Return the replacement of a date that moves by so many days; None where it can't be read.

    Nor can it be replaced where no year of four digits would be left.
    """
    if found.day is None:
        return None
    try:
        new = found.day + timedelta(days=days)
    except OverflowError:
        return None
    old = {part: text[a:b] for part, (a, b) in found.pieces.items()}
    if not 1000 <= new.year <= 9999:
        return None
    padded = _is_padded(old)
    made = {found.pieces["y"]: f"{new.year % 100:02}" if len(old["y"]) == 2 else str(new.year)}
    made[found.pieces["d"]] = f"{new.day:02}" if padded else str(new.day)
    if old["m"].isdigit():
        made[found.pieces["m"]] = f"{new.month:02}" if padded else str(new.month)
    else:
        made[found.pieces["m"]] = _month(old["m"], new.month)
    if found.ending:
        made[found.ending] = _ending(text[slice(*found.ending)], new.day)
    out, at = [], found.start
    for (a, b), piece in sorted(made.items()):
        out += [text[at:a], piece]
        at = b
    return "".join([*out, text[at : found.end]])


def _is_padded(old: dict[str, str]) -> bool:
    """Whether a day below 10 gets a 0: where one has it, and where both numbers have two digits that say nothing."""
    numbers = [old["d"], *([old["m"]] if old["m"].isdigit() else [])]
    if any(n.startswith("0") for n in numbers):
        return True
    return len(numbers) == 2 and all(len(n) == 2 for n in numbers)


def _month(old: str, number: int) -> str:
    name = written(old, number) or str(number)
    if old.isupper():
        return name.upper()
    return name.capitalize() if old[0].isupper() else name


def _ending(old: str, day: int) -> str:
    """13th → 3rd; 1er is the only day that has one in French."""
    small = old.lower()
    if small in ("st", "nd", "rd", "th"):
        new = "th" if day in (11, 12, 13) else _ENDINGS.get(day % 10, "th")
        return new.upper() if old.isupper() else new
    return old if small != "er" or day == 1 else ""
