"""Texts side by side in one run of bytes: what an array of them takes beside its characters is 4 bytes for each."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

_TOGETHER: Final = 1 << 16
"""Texts that are joined at a time."""


class PackedTexts:
    """Texts by place."""

    def __init__(self, texts: pl.Series) -> None:
        """`texts`: String, no nulls."""
        parts = [texts.slice(at, _TOGETHER) for at in range(0, len(texts), _TOGETHER)]
        self._bytes = b"".join(part.str.join("").item().encode() for part in parts)
        ends = np.cumsum(texts.str.len_bytes().to_numpy(), dtype=np.int64)
        self._ends = np.concatenate([[0], ends]).astype(np.min_scalar_type(len(self._bytes)))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> str:
        return self._bytes[int(self._ends[place]) : int(self._ends[place + 1])].decode()
