"""Finds days whose month is a word among tokens of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
import polars as pl

from piiscan.masking.known.fingerprint_index import FingerprintIndex
from piiscan.masking.known.written_dates import months
from piiscan.masking.proof import cut_cells
from piiscan.masking.proof.cut_cells import LONGEST_VALUE, Cut
from piiscan.masking.proof.printer import DAY, Printer, Prints, Rows

_BETWEEN: Final = frozenset("de del of the st nd rd th год года г".split())


class WrittenDays:
    """Knows the names of months, and words that stand between the parts of a day."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._months = _Words({word: month.number for word, month in months().items()}, printer)
        self._between = _Words(_BETWEEN, printer)

    def find(self, found: Cut) -> Iterator[tuple[Rows, Prints]]:
        """The rows and prints of days in some cells."""
        month = self._months.numbers(found.print)
        rows = np.unique(found.row[month > 0])
        if not len(rows):
            return
        at = np.flatnonzero(np.isin(found.row, rows) & (self._between.numbers(found.print) == 0))
        month, row, number = month[at], found.row[at], np.full(len(at), -1)
        digits = found.digits[at] & (found.size[at] <= LONGEST_VALUE)
        number[digits] = cut_cells.value(found, at[digits])
        three = np.flatnonzero(row[2:] == row[:-2])
        for year, mon, day in ((2, 1, 0), (2, 0, 1), (0, 1, 2)):
            is_day = (month[three + mon] > 0) & (number[three + year] >= 0) & (number[three + day] >= 0)
            each = three[is_day]
            yield row[each], self._printer.numbers(DAY, number[each + year], month[each + mon], number[each + day])


class _Words:
    """Words with a number each, or 1 each, found by their prints."""

    def __init__(self, words: Mapping[str, int] | Iterable[str], printer: Printer) -> None:
        known = words if isinstance(words, Mapping) else dict.fromkeys(words, 1)
        prints = printer.texts(pl.Series(list(known), dtype=pl.String))
        order = np.argsort(prints)
        self._prints, self._numbers = prints[order], np.array(list(known.values()), dtype=np.int64)[order]
        self._index = FingerprintIndex([self._prints])

    def numbers(self, prints: Prints) -> Rows:
        """The number of each word, 0 for any other."""
        out = np.zeros(len(prints), dtype=np.int64)
        at = np.flatnonzero(self._index.has(prints))
        out[at] = self._numbers[np.searchsorted(self._prints, prints[at])]
        return out
