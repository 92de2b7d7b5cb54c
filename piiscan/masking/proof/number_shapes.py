"""Of how many characters and digits numbers are: which may be one person's, and which a telephone."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.proof.cut_cells import LAST_DIGITS, Numbers
from piiscan.masking.proof.printer import Rows, bytes_of

_LONGEST_PHONE: Final = 15
LONGEST: Final = 63
"""Characters of a number by which it is counted, at most."""
MIXED_NUMBER, _PLAIN_NUMBER = 6, 9
"""Characters of numbers with letters, and of others, that must not occur anywhere."""


def are_unique(size: Rows, digits: Rows) -> NDArray[np.bool_]:
    """Whether numbers of so many characters and digits are long enough to be one person's."""
    out: NDArray[np.bool_] = (digits < size) & (digits >= MIXED_NUMBER // 2) & (size >= MIXED_NUMBER)
    out |= (digits == size) & (size >= _PLAIN_NUMBER)
    return out


def may_be_phones(numbers: Numbers) -> NDArray[np.bool_]:
    out: NDArray[np.bool_] = numbers.digits == numbers.size
    return out & (numbers.size >= LAST_DIGITS) & (numbers.size <= _LONGEST_PHONE)


def shape_of(numbers: pl.Series) -> tuple[Rows, Rows]:
    """How many characters each has, and how many of them are digits (of ASCII: they are folded)."""
    data, size = bytes_of(numbers)
    before = np.concatenate([[0], np.cumsum((data >= ord("0")) & (data <= ord("9")), dtype=np.int64)])
    end = np.cumsum(size)
    return numbers.str.len_chars().to_numpy().astype(np.int64), before[end] - before[end - size]


def in_table(size: Rows, digits: Rows) -> tuple[Rows, Rows]:
    """Where numbers of so many characters and digits are counted: very long ones together."""
    size = np.minimum(size, LONGEST)
    return size, np.minimum(size, digits)
