"""Packs texts into one run of bytes: an array of them takes 4 bytes per text beside its characters."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

_TOGETHER: Final = 1 << 16
"""Texts that are joined at a time."""


class PackedTexts:
    """Texts by place."""

    def __init__(self, texts: pl.Series, held: NDArray[np.bool_]) -> None:
        """`texts`: String, no nulls; those of them that are `held`."""
        self._bytes = bytearray()
        lengths = [np.zeros(1, dtype=np.uint32)]
        for at in range(0, len(texts), _TOGETHER):
            part = texts.slice(at, _TOGETHER).filter(pl.Series(held[at : at + _TOGETHER]))
            self._bytes += part.str.join("").item().encode()
            lengths.append(part.str.len_bytes().to_numpy())
        self._ends = np.cumsum(np.concatenate(lengths), dtype=np.min_scalar_type(len(self._bytes)))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> str:
        return self._bytes[int(self._ends[place]) : int(self._ends[place + 1])].decode()
