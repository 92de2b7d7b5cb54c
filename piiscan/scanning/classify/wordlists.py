"""How common words are as names of persons and cities, as jobs, in streets, in prose: `models/wordlists.npz`."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.scanning.classify.arrays import load

if TYPE_CHECKING:
    from numpy.typing import NDArray

LISTS: Final = ("female", "male", "last", "city", "job", "street", "plain")
NAMES: Final = ("female", "male", "given", "last", "family", "plain")
"""Where names are looked up: `given` and `family` are those of scripts other than Latin, and Japanese ones in it."""


@dataclass(frozen=True, eq=False)
class WordLists:
    """List → sorted CRC-32 of its folded words, and their log-frequencies, 1 to 255."""

    arrays: dict[str, NDArray[np.generic]]

    def weights(self, words: Sequence[str], lists: Sequence[str] = LISTS) -> NDArray[np.float32]:
        """(words, lists): the log-frequency of each word in each list, 0 to 1; 0 where it isn't in it."""
        out = np.zeros((len(words), len(lists)), dtype=np.float32)
        keys = np.array([zlib.crc32(word.encode("utf-8", "replace")) for word in words], dtype=np.uint32)
        for j, name in enumerate(lists):
            hashes, weights = self.arrays[f"{name}.hash"], self.arrays[f"{name}.weight"]
            at = np.minimum(np.searchsorted(hashes, keys), len(hashes) - 1)
            out[:, j] = np.where(hashes[at] == keys, weights[at], 0)
        return out / np.float32(255)


@lru_cache(maxsize=1)
def wordlists() -> WordLists:
    """The shipped lists. Raises `ModelError` where the file is not the one that this version was made with."""
    return WordLists(load("wordlists")[0])
