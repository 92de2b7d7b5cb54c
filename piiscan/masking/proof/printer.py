"""Prints of texts and numbers: 64 bits, keyed by random numbers that are forgotten with the run.

A print is a polynomial over the bytes of a text, so that the print of several pieces put together follows from those
of the pieces, without putting them together.
"""

from __future__ import annotations

from functools import lru_cache
from secrets import token_bytes
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Prints = NDArray[np.uint64]
Rows = NDArray[np.int64]
PHONE, DAY, COMPACT_DAY = range(3)
"""Kinds of numbers."""
_BITS: Final = 11
_LONGEST: Final = 1 << _BITS
"""Bytes of a piece that is worked on as a whole."""
_TOGETHER: Final = 1 << 18
"""Bytes that are worked on together: each takes 16 for a while."""
_LEVELS: Final = 3


class Printer:
    """Makes the prints of one run, from a `secret` that only its processes know."""

    def __init__(self, secret: bytes = b"") -> None:
        self._secret = secret or token_bytes(16)
        draw = np.random.Generator(np.random.PCG64(int.from_bytes(self._secret, "little")))
        self._numbers: Prints = draw.integers(0, 1 << 64, size=256, dtype=np.uint64)
        # 3 modulo 8: then few powers of it are near to each other in their last bits.
        base = self._base = int(draw.integers(0, 1 << 61, dtype=np.uint64)) << 3 | 3
        self._salt = np.uint64(draw.integers(0, 1 << 64, dtype=np.uint64))
        self._powers = [_powers_of(pow(base, 1 << _BITS * level, 1 << 64)) for level in range(_LEVELS)]

    def __reduce__(self) -> tuple[type[Printer], tuple[bytes]]:
        return Printer, (self._secret,)

    def texts(self, texts: pl.Series) -> Prints:
        """The print of each text (String; null: as of an empty one)."""
        data, size = bytes_of(texts)
        return self.final(self.raw(data, size), size)

    def numbers(self, kind: int, *parts: Rows) -> Prints:
        """The print of some numbers in a row that mean something of a `kind`."""
        out = np.full(len(parts[0]), self._salt ^ np.uint64(kind), dtype=np.uint64)
        for part in parts:
            out = _mixed(out ^ (part.astype(np.uint64) * np.uint64(0xD1342543DE82EF95)))
        return out

    def raw(self, data: Bytes, size: Rows) -> Prints:
        """Of texts that follow each other in `data`, so many bytes each, what `joined` and `final` take."""
        out = np.zeros(len(size), dtype=np.uint64)
        at = np.flatnonzero(size)
        if not len(at):
            return out
        sizes = size[at]
        if int(sizes.max()) > _LONGEST:
            out[at] = self._raw_of_long(data, sizes)
            return out
        end = np.cumsum(sizes)
        begin = end - sizes
        # Bytes count by their place among all of these; what they count too much is taken from each text again.
        powers, inverse = _run_of_powers(self._base)
        bounds = np.unique(np.searchsorted(begin, np.arange(0, int(begin[-1]) + 1, _TOGETHER)))
        for first, stop in zip(bounds.tolist(), [*bounds[1:].tolist(), len(at)], strict=True):
            start, size_of_all = int(begin[first]), int(end[stop - 1] - begin[first])
            sums = np.zeros(size_of_all + 1, dtype=np.uint64)
            np.multiply(self._numbers.take(data[start : start + size_of_all]), powers[:size_of_all], out=sums[1:])
            np.cumsum(sums, out=sums)
            places = begin[first:stop] - start
            out[at[first:stop]] = (sums[end[first:stop] - start] - sums[places]) * inverse[places]
        return out

    def _raw_of_long(self, data: Bytes, size: Rows) -> Prints:
        """As `raw`, of texts (none of them empty) that are cut into pieces."""
        count = -(-size // _LONGEST)
        first = np.cumsum(count) - count
        which = np.arange(int(count.sum())) - np.repeat(first, count)
        pieces = np.minimum(_LONGEST, np.repeat(size, count) - which * _LONGEST)
        out: Prints = np.add.reduceat(self.raw(data, pieces) * self._power(which * _LONGEST), first)
        return out

    def joined(self, left: Prints, size: Rows, right: Prints) -> Prints:
        """Raw prints of texts that follow each other, the left ones of so many bytes."""
        return left + self._power(size) * right

    def final(self, raw: Prints, size: Rows) -> Prints:
        """Raw prints of so many bytes as they are stored and compared."""
        return _mixed(raw + size.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + self._salt)

    def _power(self, exponent: Rows) -> Prints:
        low, *others = self._powers
        out: Prints = low[exponent & (_LONGEST - 1)]
        if len(exponent) and int(exponent.max()) >= _LONGEST:
            for level, powers in enumerate(others, 1):
                out = out * powers[(exponent >> _BITS * level) & (_LONGEST - 1)]
        return out


def bytes_of(texts: pl.Series) -> tuple[Bytes, Rows]:
    """The bytes of some texts (String) one behind the other, and how many each has."""
    if not len(texts):
        return np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64)
    data = np.frombuffer((texts.str.join("").item() or "").encode(), dtype=np.uint8)
    return data, texts.str.len_bytes().fill_null(0).to_numpy().astype(np.int64)


def _powers_of(base: int, count: int = _LONGEST) -> Prints:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers)


@lru_cache(maxsize=2)
def _run_of_powers(base: int) -> tuple[Prints, Prints]:
    """The powers that the bytes of texts together are counted by, and their inverses."""
    return _powers_of(base, _TOGETHER + _LONGEST), _powers_of(pow(base, -1, 1 << 64), _TOGETHER + _LONGEST)


def _mixed(found: Prints) -> Prints:
    """Each bit of the outcome depends on each bit (the last step of MurmurHash3)."""
    found = (found ^ (found >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    found = (found ^ (found >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return found ^ (found >> np.uint64(33))
