"""What the texts of a run may mention, so that of millions of values only those are kept that occur in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.known.folded_text import Flags, Folded, Hasher, Hashes, chunks
from piiscan.masking.known.mentions import as_read, decoded_among, runs_in, stems_in
from piiscan.masking.known.written_dates import DateReader

_BITS: Final = 27
"""Bits of a hash: the bitmap takes 16 MB, and 20,000,000 different runs fill a seventh of it."""


class TextHashes:
    """The hashes of all that `Search` looks up in texts, in a bitmap.

    A hash that isn't there is mentioned in no text; one that is may be another's.
    """

    def __init__(self, hasher: Hasher) -> None:
        self._hasher, self._dates = hasher, DateReader(hasher)
        self._map: NDArray[np.uint8] = np.zeros(1 << (_BITS - 3), dtype=np.uint8)

    def add(self, texts: Sequence[str]) -> None:
        for begin, end in chunks(texts):
            some = texts[begin:end]
            f = Folded(as_read(some, decoded_among(some)), self._hasher)
            for _, _, hashes in runs_in(f, self._dates):
                self._put(hashes)
            for *_, hashes in stems_in(f):
                self._put(hashes)

    def has(self, hashes: Hashes) -> Flags:
        at = (hashes >> np.uint64(64 - _BITS)).view(np.int64)
        found: Flags = (self._map[at >> 3] >> (at & 7).astype(np.uint8)) & np.uint8(1) == 1
        return found

    def _put(self, hashes: Hashes) -> None:
        at = (hashes >> np.uint64(64 - _BITS)).view(np.int64)
        np.bitwise_or.at(self._map, at >> 3, np.left_shift(np.uint8(1), (at & 7).astype(np.uint8)))
