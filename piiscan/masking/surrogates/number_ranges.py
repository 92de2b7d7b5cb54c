"""Ranges of numbers as patterns of digits: how many there are, the n-th of them, and whether a number is one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.surrogates.written_numbers import Codes
from piiscan.rules import number_signs
from piiscan.rules.number_signs import SETS


@dataclass(frozen=True)
class Range:
    """The texts of some patterns, all of one length."""

    patterns: tuple[str, ...]

    @property
    def length(self) -> int:
        return len(self.patterns[0])

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(math.prod(len(SETS.get(c, c)) for c in p) for p in self.patterns)

    @property
    def capacity(self) -> int:
        return sum(self.sizes)

    @cached_property
    def regex(self) -> str:
        """A pattern without anchors; K and digits only."""
        return f"(?:{'|'.join(map(number_signs.regex, self.patterns))})"

    def spell(self, numbers: NDArray[np.uint64]) -> Codes:
        """Texts by their number in [0, capacity), as (n, L) ASCII codes."""
        out = np.empty((len(numbers), self.length), dtype=np.uint8)
        start = 0
        for pattern, size in zip(self.patterns, self.sizes, strict=True):
            rows = np.flatnonzero((numbers >= start) & (numbers < start + size))
            rest = numbers[rows] - np.uint64(start)
            for position in range(len(pattern) - 1, -1, -1):
                signs = np.frombuffer(SETS.get(pattern[position], pattern[position]).encode(), dtype=np.uint8)
                out[rows, position] = signs[rest % np.uint64(len(signs))]
                rest //= np.uint64(len(signs))
            start += size
        return out


def wide_below(words: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Numbers in [0, size) out of 64 pseudorandom bits each, `size` below 2⁶³; uneven by at most size / 2⁶⁴."""
    return np.asarray(words % np.uint64(size))
