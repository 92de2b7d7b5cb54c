"""The format of a value: which of its characters are digits and letters, and where they are.

What a mask of the same look keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto.text_bytes import Bytes, Ints, Texts, texts, unjoined

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]
_OTHER, _DIGIT, _LETTER, _STRANGE = range(4)
# Per byte. Strange: control characters and whatever isn't ASCII, whose letters have no alphabet here.
_KINDS: Final = np.full(256, _STRANGE, dtype=np.uint8)
_KINDS[32:127] = _OTHER
_KINDS[48:58] = _DIGIT
_KINDS[65:91] = _KINDS[97:123] = _LETTER


@dataclass(frozen=True)
class FormatPatterns:
    """Non-empty texts, and the digits and letters of each (`codes`), in one row of bytes for all (`codes.data`).

    `letters` and `strange` count a text's letters and the bytes that no look can keep. `places` are where the codes lie
    in `found.data`.
    """

    found: Texts
    codes: Texts
    letters: Ints
    strange: Ints
    places: Ints

    def rewritten(self, rows: Ints, codes: list[tuple[Ints, Bytes]]) -> pl.Series:
        """The texts of `rows` with other codes: rows, and an (n, k) matrix of what their k codes become. Cases stay."""
        changed = self.codes.data.copy()
        for of, matrix in codes:
            length = matrix.shape[1]
            windows: NDArray[np.void] = np.ndarray(
                (len(changed) - length + 1,), dtype=f"V{length}", buffer=changed, strides=(1,)
            )
            windows[self.codes.starts[of]] = np.ascontiguousarray(matrix).view(f"V{length}")[:, 0]
        changed = changed[: len(self.places)]
        changed |= (changed >= 65) * (self.codes.data[: len(self.places)] & 0x20)
        data = self.found.data.copy()
        data[self.places] = changed
        return unjoined(Texts(data, self.found.starts, self.found.lengths).take(rows))


def format_patterns(values: pl.Series) -> FormatPatterns:
    """The format patterns of a String series without nulls and empty texts."""
    found = texts(values)
    total = int(found.lengths.sum())
    kinds = _KINDS[found.data[:total]]
    kept = (kinds == _DIGIT) | (kinds == _LETTER)
    places = np.flatnonzero(kept)
    counts = _sums(kept, found)
    codes = np.zeros(len(places) + 16, dtype=np.uint8)
    codes[: len(places)] = found.data[places]
    return FormatPatterns(
        found,
        Texts(codes, np.cumsum(counts) - counts, counts),
        _sums(kinds == _LETTER, found),
        _sums(kinds == _STRANGE, found),
        places,
    )


def upper(codes: Bytes) -> Bytes:
    """Letters upper-cased."""
    return codes & ~((codes >= 97) * np.uint8(0x20))


def _sums(flags: Mask, found: Texts) -> Ints:
    if not len(found.starts) or not flags.any():
        return np.zeros(len(found.starts), dtype=np.int64)
    return np.add.reduceat(flags, found.starts, dtype=np.int64)
