"""Rows as vectors of small integers, by the public declarations of their columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.errors import UsageError
from piiscan.dp import domains as d
from piiscan.dp.domains import Categories, Number

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]
    Short = npt.NDArray[np.int16]

ONE: Final = 1 << 12
"""The entry of a vector for a column's upper bound, and for the category of a cell."""
_BELOW_ONE: Final = 1 - 2.0**-40


class Sensitivity(NamedTuple):
    """How far one row moves integers, at most: the L1 norm of its contribution, and the square of the L2 norm."""

    l1: int
    squared: int

    def __add__(self, other: object) -> Sensitivity:
        """The sensitivity of two groups of integers side by side."""
        assert isinstance(other, Sensitivity)
        return Sensitivity(self.l1 + other.l1, self.squared + other.squared)


CONSTANT: Final = Sensitivity(ONE, ONE * ONE)
"""The sensitivity of an entry that is `ONE` in every row, or at most that large."""


@dataclass(frozen=True)
class Features:
    """Columns as entries of a vector.

    A number becomes its place between its bounds, from −`ONE` to `ONE`; categories become an entry each, which is
    `ONE` in the rows of that category, else 0. `clip`: the greatest L2 norm of a vector, with `ONE` as 1; longer ones
    are shortened.

    Guarantee:
        Assumes: bounds, categories and `clip` are public.
        Ensures: a row's vector depends on that row alone, bit for bit, and has norms within `sensitivity`, whatever
        its cells are.
        Does not protect against: anything. Vectors are exact, and stay in memory.
        Test: test_dp_learning.py::test_no_row_reaches_further_than_it_is_said_to
    """

    columns: tuple[tuple[str, Number | Categories], ...]
    clip: float | None = None

    def __post_init__(self) -> None:
        if self.clip is not None and not (math.isfinite(self.clip) and self.clip * ONE >= 1):
            raise UsageError(
                "clip must be a length above 0, such as 1.0: the greatest norm of a row, to which each column "
                "contributes at most 1"
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each entry: the column, or column=category."""
        return tuple(n for name, domain in self.columns for n in _names(name, domain))

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """The largest norms of a row's vector.

        Each column has at most one entry other than 0, which is at most `ONE`: with m columns, the norms are at most
        m · ONE and √m · ONE. Shortened to R, they are at most R in the L2 norm and, over m entries, √m · R in the L1
        norm (Cauchy and Schwarz).
        """
        m = len(self.columns)
        whole = Sensitivity(m * ONE, m * ONE * ONE)
        return (
            whole
            if self._limit is None
            else Sensitivity(min(whole.l1, math.isqrt(m * self._limit**2)), min(whole.squared, self._limit**2))
        )

    @cached_property
    def middle(self) -> Floats:
        """For each entry the value that 0 represents, in the column's unit."""
        return np.array(
            [
                m
                for _, domain in self.columns
                for m in ([_middle(domain)] if isinstance(domain, Number) else [0.0] * len(domain.values))
            ]
        )

    @cached_property
    def half(self) -> Floats:
        """For each entry the distance that `ONE` represents, in the column's unit."""
        return np.array(
            [
                h
                for _, domain in self.columns
                for h in ([_half(domain)] if isinstance(domain, Number) else [1.0] * len(domain.values))
            ]
        )

    @cached_property
    def lowest(self) -> Floats:
        """The smallest value of each entry, with `ONE` as 1."""
        return np.array(
            [
                x
                for _, domain in self.columns
                for x in ([-1.0] if isinstance(domain, Number) else [0.0] * len(domain.values))
            ]
        )

    def scaled(self, frame: pl.DataFrame) -> tuple[Floats, Bools]:
        """Return rows as a model sees them, with `ONE` as 1 and nothing rounded, and which rows have all numbers.

        A row counts if each numeric column has a number.
        """
        made, there = self._places(frame)
        if self.clip is not None:
            made /= np.maximum(1.0, np.sqrt((made * made).sum(axis=1)) / self.clip)[:, None]
        return made, there

    def coded(self, frame: pl.DataFrame) -> tuple[Short, Bools]:
        """Return the vectors of rows, and which rows have all numbers.

        A cell without a number is put in the middle.
        """
        made, there = self._places(frame)
        return self._shortened(np.rint(made * ONE).astype(np.int16)), there

    def _places(self, frame: pl.DataFrame) -> tuple[Floats, Bools]:
        made = np.zeros((frame.height, len(self.names)))
        there = np.ones(frame.height, dtype=np.bool_)
        at = 0
        for name, domain in self.columns:
            if isinstance(domain, Number):
                cells = d.numbers(frame[name]).fill_null(float("nan")).to_numpy()
                there &= ~np.isnan(cells)
                made[:, at] = _place(np.where(np.isnan(cells), _middle(domain), cells), domain)
                at += 1
            else:
                made[:, at : at + len(domain.values)] = codes(frame[name], domain)[:, None] == np.arange(
                    len(domain.values)
                )
                at += len(domain.values)
        return made, there

    @cached_property
    def _limit(self) -> int | None:
        return None if self.clip is None else int(min(self.clip, float(len(self.columns))) * ONE)

    def _shortened(self, rows: Short) -> Short:
        """Scale vectors down and cut towards 0.

        The factor is, rounding included, below the exact one, so no entry and no norm is above its limit.
        """
        if self._limit is None:
            return rows
        squared = np.einsum("ij,ij->i", rows, rows, dtype=np.int64)
        long = squared > self._limit**2
        factor = self._limit / np.sqrt(squared[long].astype(np.float64)) * _BELOW_ONE
        rows[long] = np.trunc(rows[long] * factor[:, None]).astype(np.int16)
        return rows


def codes(cells: pl.Series, domain: Categories) -> Ints:
    """Return each cell's index among the categories; −1 for any other value."""
    made: Ints = d.codes(cells, domain).fill_null(-1).to_numpy()
    return made


def _names(name: str, domain: Number | Categories) -> tuple[str, ...]:
    return (name,) if isinstance(domain, Number) else tuple(f"{name}={value}" for value in domain.values)


def _half(domain: Number) -> float:
    return domain.high / 2 - domain.low / 2


def _middle(domain: Number) -> float:
    return domain.low + _half(domain)


def _place(cells: Floats, domain: Number) -> Floats:
    made: Floats = np.clip((np.clip(cells, domain.low, domain.high) - _middle(domain)) / _half(domain), -1.0, 1.0)
    return made
