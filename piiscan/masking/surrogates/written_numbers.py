"""Numbers as people write them: extracts the digits (or letters and digits), and puts others in their place.

They are matrices with one row per text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto.text_bytes import Texts, texts, unjoined

if TYPE_CHECKING:
    import polars as pl

Codes = NDArray[np.uint8]
"""(n, L): ASCII codes."""
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Written:
    """Texts (not null) as one run of bytes, and where their signs are: digits, or ASCII letters too."""

    found: Texts
    places: Rows  # of the signs, in order
    first: Rows  # per text, its first in `places`
    count: Rows  # per text, how many

    @classmethod
    def of(cls, values: pl.Series, letters: bool = False) -> Written:
        found = texts(values)
        found = found._replace(data=found.data.copy())
        is_sign = found.data - 48 <= 9  # unsigned: what is below "0" wraps to above 9
        if letters:
            is_sign |= (found.data | 32) - 97 <= 25
        places = np.flatnonzero(is_sign)
        first = np.searchsorted(places, found.starts)
        return cls(found, places, first, np.searchsorted(places, found.starts + found.lengths) - first)

    def by_length(self) -> Iterator[tuple[Rows, Codes]]:
        """For each number of signs that occurs: which texts have so many, and their signs, upper-cased."""
        for length in np.unique(self.count):
            if length:
                rows = np.flatnonzero(self.count == length)
                codes = self.found.data[self._places(rows, int(length))]
                yield rows, np.where(codes >= 97, codes - 32, codes).astype(np.uint8)

    def write(self, rows: Rows, codes: Codes) -> None:
        """Put other signs into some texts; small letters stay small."""
        places = self._places(rows, codes.shape[1])
        small = (self.found.data[places] >= 97) & (codes >= 65)
        self.found.data[places] = np.where(small, codes + 32, codes)

    def texts(self, name: str = "") -> pl.Series:
        return unjoined(self.found).alias(name)

    def _places(self, rows: Rows, length: int) -> Rows:
        if len(rows) == len(self.first):  # all texts have that many
            return self.places.reshape(-1, length)
        return np.asarray(self.places[self.first[rows][:, None] + np.arange(length)])


def groups(codes: Codes) -> Iterator[tuple[bytes, Rows]]:
    """The distinct rows of a matrix, as bytes, and where each stands."""
    if codes.shape[1] == 0:
        yield b"", np.arange(len(codes))
        return
    whole = np.ascontiguousarray(codes).view(f"V{codes.shape[1]}").ravel()
    keys, inverse = np.unique(whole, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    stops = np.cumsum(np.bincount(inverse, minlength=len(keys)))
    for key, start, stop in zip(keys, [0, *stops[:-1].tolist()], stops.tolist(), strict=True):
        yield key.tobytes(), order[start:stop]


def decimal(numbers: NDArray[np.uint64], length: int) -> Codes:
    """Numbers as `length` digits (ASCII), with zeros in front."""
    out = np.empty((len(numbers), length), dtype=np.uint8)
    rest = numbers.copy()
    for position in range(length - 1, -1, -1):
        rest, out[:, position] = rest // np.uint64(10), rest % np.uint64(10) + np.uint64(48)
    return out


def tweaks(kept: Codes) -> NDArray[np.uint64]:
    """The digits beside a permuted part as one number a row: different for different digits.

    At most 18 a row; zero bytes are left out.
    """
    out = np.ones(len(kept), dtype=np.uint64)
    for column in kept.T:
        out = np.where(column == 0, out, out * np.uint64(10) + (column - np.uint8(48)))
    return out
