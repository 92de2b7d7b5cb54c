"""What the values of a column look like, from its sample: kinds of text, lengths, ranges, words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from piiscan.core import shapes
from piiscan.core.header_words import fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.scanning.classify.text_forms import KINDS, TextForms
from piiscan.scanning.classify.usual_forms import usual
from piiscan.scanning.classify.word_lists import NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

SHOWN: Final = 96
"""Distinct values looked at: enough for shares within a few per cent."""

_MASK: Final = lazy_pattern(r"[*•●■█]{2,}|#{3,}|(?<![^\W_])[xX]{3,}(?![^\W\d_])|[xX]{4,}(?=\d)")
"""What a mask leaves in place of characters: stars, bullets, or a run of X that is no part of a word."""
_MARKS: Final = ("*", "•", "●", "■", "█", "###")
"""One of these is in what is masked without an X."""


@dataclass(frozen=True)
class Profile:
    """Shares are of the cells that the looked-at values stand for, those in `NOTHING` left out.

    `texts` and `counts`: the looked-at distinct values and how many cells hold each.
    `kinds`: share by kind, `text` for what is none of the others. `distinct` is of the column, `filled` its non-empty
    cells. `forms`: of the texts of all columns that were profiled together, of which this is number `at`.
    """

    texts: tuple[str, ...]
    counts: tuple[int, ...]
    kinds: dict[str, float]
    distinct: int
    filled: int
    nothing: int
    total: int
    forms: TextForms = field(repr=False)
    at: int

    def _of_each(self, by_form: Sequence[T]) -> tuple[T, ...]:
        return tuple(map(by_form.__getitem__, self.forms.own[self.at]))

    def _share(self, of: Callable[[TextForms], Sequence[int]]) -> float:
        """The share of cells, of sums that are made for all columns at once."""
        return self.forms.made(of)[self.at] / self.total

    @cached_property
    def kind_of(self) -> tuple[str, ...]:
        return self._of_each(self.forms.kinds)

    @cached_property
    def folded(self) -> tuple[str, ...]:
        if "".join(self.texts).isascii():
            return tuple(shapes.of_each(self.texts, str.lower))
        return tuple([t.lower() if t.isascii() else fold(t) for t in self.texts])

    @cached_property
    def folded_set(self) -> frozenset[str]:
        return frozenset(self.folded)

    @cached_property
    def digits(self) -> tuple[int, ...]:
        """How many digits each text has."""
        return self._of_each(self.forms.digits)

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each text, folded, without digits."""
        return self._of_each(self.forms.words)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words of the texts."""
        return frozenset().union(*map(self.forms.words.__getitem__, set(self.forms.own[self.at])))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """(texts,) the characters of each."""
        return self.forms.text_lengths[self.forms.places[self.at]]

    @cached_property
    def _cells(self) -> dict[int, int]:
        """Form → how many cells have it."""
        cells: dict[int, int] = {}
        for form, count in zip(self.forms.own[self.at], self.counts, strict=True):
            cells[form] = cells.get(form, 0) + count
        return cells

    def share_of(self, test: Callable[[str], bool]) -> float:
        """Share of cells whose form passes a test."""
        each = self.forms.each
        return sum([count for form, count in self._cells.items() if test(each[form])]) / self.total

    def share_by(self, by_form: Callable[[TextForms, int], bool]) -> float:
        """Share of cells by what is known of their form, which is given by its number."""
        return sum([count for form, count in self._cells.items() if by_form(self.forms, form)]) / self.total

    def share(self, flags: Sequence[bool]) -> float:
        """Share of cells whose value is flagged."""
        return sum(compress(self.counts, flags)) / self.total if True in flags else 0.0

    @cached_property
    def numeric(self) -> float:
        return self.kinds.get("integer", 0.0) + self.kinds.get("decimal", 0.0)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The distinct numbers among the looked-at values, in order."""
        if not self.numeric:
            return ()
        if len(self.kinds) == 1 and "integer" in self.kinds:
            return tuple(sorted(set(map(float, self.texts))))
        found = set()
        for text, kind in zip(self.texts, self.kind_of, strict=True):
            if kind in ("integer", "decimal"):
                try:
                    found.add(float(text.replace(",", ".")))
                except ValueError:
                    continue
        return tuple(sorted(found))

    def within(self, low: float, high: float) -> float:
        """Share of the distinct numbers in [low, high]; 0 where there are none."""
        numbers = self.numbers
        return (bisect_right(numbers, high) - bisect_left(numbers, low)) / len(numbers) if numbers else 0.0

    @cached_property
    def whole(self) -> float:
        """Share of the distinct numbers that are integers."""
        many = len(self.numbers)
        return sum([n.is_integer() for n in self.numbers if abs(n) < 1e18]) / many if many else 0.0

    @property
    def lettered(self) -> float:
        """Share of cells with a letter that aren't a number, date, time or boolean word."""
        return self._share(_lettered)

    @property
    def with_digit(self) -> float:
        return self._share(_with_digit)

    @property
    def spaced(self) -> float:
        return self._share(_spaced)

    @property
    def word_count(self) -> float:
        """Words per cell, on average."""
        return self._share(_word_count)

    @property
    def length(self) -> float:
        """Characters per cell, on average."""
        return self._share(_length)

    @property
    def phone_like(self) -> float:
        """Share of cells that could be telephone numbers: 7 to 15 digits and what is written between them."""
        return self._share(_phone_like)

    @cached_property
    def hashed(self) -> float:
        """Share of cells that look like a digest: one long word of letters and digits, all cells of one length."""
        cells = self.forms.made(_digest_like)[self.at]
        return cells / self.total if cells and len(set(self.lengths.tolist())) <= 2 else 0.0

    @cached_property
    def masked(self) -> float:
        """Share of cells in which marks stand for at least a third of the letters and digits."""
        joined = "\0".join(self.texts)
        if not any(mark in joined for mark in _MARKS) and "xxx" not in joined.lower():
            return 0.0
        if _MASK.search(joined) is None:
            return 0.0
        return self.share([_masked(t) for t in self.texts])

    @property
    def keyed(self) -> float:
        """Share of cells that look like keys.

        No date or decimal, and at least half of their letters and digits are digits; or a UUID.
        """
        return self._share(_key_like)

    @property
    def structured(self) -> float:
        """Share of cells that are JSON objects or lists."""
        return self._share(_structured)

    @cached_property
    def boolean(self) -> bool:
        """Two values at most, each a yes, a no, a 0 or a 1."""
        if self.distinct > 2 or not self.texts:
            return False
        return all(
            k == "boolean" or t.removesuffix(".0") in ("0", "1") for t, k in zip(self.texts, self.kind_of, strict=True)
        )

    @cached_property
    def unique(self) -> float:
        """Distinct values over filled cells."""
        return min(1.0, self.distinct / max(1, self.filled))


_NO_TEXT: Final = frozenset(("integer", "decimal", "date", "time", "money"))


def _lettered(forms: TextForms) -> list[int]:
    pairs = zip(forms.has_letter, forms.kinds, strict=True)
    return forms.cells([has_letter and kind not in _NO_TEXT for has_letter, kind in pairs])


def _with_digit(forms: TextForms) -> list[int]:
    return forms.cells([n > 0 for n in forms.digits])


def _spaced(forms: TextForms) -> list[int]:
    return forms.cells(forms.spaces > 0)


def _word_count(forms: TextForms) -> list[int]:
    return forms.cells(forms.spaces + 1)


def _length(forms: TextForms) -> list[int]:
    return forms.cells(forms.lengths)


def _phone_like(forms: TextForms) -> list[int]:
    return forms.cells(forms.phone_like)


def _digest_like(forms: TextForms) -> list[int]:
    return forms.cells(forms.digest_like)


def _key_like(forms: TextForms) -> list[int]:
    return forms.cells(forms.key_like)


def _structured(forms: TextForms) -> list[int]:
    return forms.cells(forms.structured)


def _masked(text: str) -> bool:
    text = text.partition("@")[0]  # of a mailbox the name is masked, not the domain
    marks = sum(map(len, _MASK.findall(text)))
    return bool(marks) and 2 * marks >= sum(map(str.isalnum, _MASK.sub("", text)))


def profile(column: ColumnSummary, most: int = SHOWN) -> Profile:
    """The profile of a column's sample, of so many distinct values at most."""
    return profiles([column], most)[0]


def profiles(columns: Sequence[ColumnSummary], most: int = SHOWN) -> list[Profile]:
    """`profile` of each of some columns, which takes less time for many at once.

    Columns that are alike, as the empty ones of a wide table are, share one.
    """
    shown = [(*_shown(column, most), column.sample.distinct, column.filled) for column in columns]
    places: dict[_Shown, int] = {}
    of = [places.setdefault(own, len(places)) for own in shown]
    forms = TextForms([texts for texts, *_ in places], [counts for _, counts, *_ in places])
    out = []
    for (texts, counts, nothing, distinct, filled), at in places.items():
        total = max(1, sum(counts))
        kinds = {kind: n / total for kind, n in zip(KINDS, forms.cells_of_kinds[at], strict=True) if n}
        out.append(Profile(texts, counts, kinds, distinct, filled, nothing, total, forms, at))
    return [out[at] for at in of]


_Shown = tuple[tuple[str, ...], tuple[int, ...], int, int, int]


def _shown(column: ColumnSummary, most: int) -> tuple[tuple[str, ...], tuple[int, ...], int]:
    """The looked-at texts of a column with their counts, and how many cells hold a text in `NOTHING`."""
    first = column.sample.first(most)
    if not first:
        return (), (), 0
    written, counts = zip(*first, strict=True)
    texts = usual(written)
    if NOTHING.isdisjoint(shapes.of_each(texts, str.lower)):
        return texts, counts, 0
    is_value = [text.lower() not in NOTHING for text in texts]
    nothing = sum(counts) - sum(compress(counts, is_value))
    return tuple(compress(texts, is_value)), tuple(compress(counts, is_value)), nothing
