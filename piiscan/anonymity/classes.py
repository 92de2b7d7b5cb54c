"""Equivalence classes: the rows that have the same label in every quasi-identifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from piiscan.anonymity.histogram import Ints

_DENSE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The class that each entry of a histogram belongs to, and the size of each class.

    of: (entries,) class of each entry, from 0, in the order of the labels' codes.
    sizes: (classes,) how many rows a class has, or distinct units if a unit was given.
    """

    of: Ints
    sizes: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """How often each sensitive value occurs in each class: parallel arrays, sorted by class and then value.

    `counts` are positive: rows, or distinct units if a unit was given. `values` is the number of distinct values in
    the whole table.
    """

    classes: Ints
    codes: Ints
    counts: Ints
    values: int


def grouped(columns: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, int]:
    """Number the distinct combinations of some columns of codes in ascending order, and return how many there are.

    `columns`: (entries,) each, codes from 0 and below that column's `sizes`.
    """
    return _numbered(*keyed(columns, sizes))


def keyed(columns: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, int]:
    """Number combinations as `grouped` does, but allow gaps: (entries,) ascending numbers, and their upper bound."""
    entries = len(columns[0]) if columns else 0
    key, span = np.zeros(entries, np.int64), 1
    for codes, size in zip(columns, sizes, strict=True):
        if span * size >= 1 << 62:
            key, span = _numbered(key, span)
        key = key * size + codes
        span *= max(size, 1)
    return key, span


def classes_of(columns: Sequence[Ints], sizes: Sequence[int], rows: Ints, unit: Ints | None = None) -> Classes:
    """Return the equivalence classes of entries with these labels.

    columns, sizes: as in `grouped`. rows: (entries,) rows of each entry. unit: (entries,) the unit each entry belongs
    to; sizes then count units.
    """
    of, number = grouped(columns, sizes) if columns else (np.zeros(len(rows), np.int64), min(1, len(rows)))
    return Classes(of, counted(of, number, rows, unit))


def tally(classes: Classes, sensitive: Ints, values: int, rows: Ints, unit: Ints | None = None) -> Tally:
    """Count the sensitive values of each class.

    sensitive: (entries,) code of each entry's value, below `values`.
    """
    pairs, number = grouped([classes.of, sensitive], [len(classes.sizes), values])
    first = members(pairs, number)
    return Tally(classes.of[first], sensitive[first], counted(pairs, number, rows, unit), values)


def members(of: Ints, number: int) -> Ints:
    """(number,) one entry of each group. of: (entries,) the group of each."""
    found = np.zeros(number, np.int64)
    found[of] = np.arange(len(of))
    return found


def counted(of: Ints, number: int, rows: Ints, unit: Ints | None) -> Ints:
    """(number,) how many rows each group has, or distinct units if `unit` is given.

    of, rows, unit: (entries,).
    """
    if unit is None:
        sums = np.zeros(number, np.int64)
        np.add.at(sums, of, rows)
        return sums
    pairs, different = grouped([of, unit], [number, int(unit.max(initial=0)) + 1])
    first = np.zeros(different, np.int64)
    first[pairs] = of
    return np.bincount(first, minlength=number).astype(np.int64)


def _numbered(key: Ints, span: int) -> tuple[Ints, int]:
    if span <= _DENSE:  # a table of all keys is faster than sorting
        seen = np.zeros(span, bool)
        seen[key] = True
        return (np.cumsum(seen) - 1)[key], int(seen.sum())
    different, numbers = np.unique(key, return_inverse=True)
    return numbers.astype(np.int64, copy=False), len(different)
