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
        hashes, weights = self._joined(tuple(lists))
        keys = np.array([zlib.crc32(word.encode("utf-8", "replace")) for word in words], dtype=np.uint32)
        at = hashes.searchsorted(keys)  # the last of them is no hash, so that each key has a place
        found: NDArray[np.float32] = weights[at] * (hashes[at] == keys)[:, None] / np.float32(255)
        return found

    @lru_cache(maxsize=4)  # noqa: B019 (there is one such object)
    def _joined(self, lists: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The hashes of all words of some lists, sorted, and their log-frequency in each."""
        every = [self.arrays[f"{name}.hash"].astype(np.int64) for name in lists]
        hashes = np.append(np.unique(np.concatenate(every)), np.int64(1 << 32))
        weights = np.zeros((len(hashes), len(lists)), dtype=np.uint8)
        for j, (name, own) in enumerate(zip(lists, every, strict=True)):
            weights[hashes.searchsorted(own), j] = self.arrays[f"{name}.weight"]
        return hashes, weights


@lru_cache(maxsize=1)
def wordlists() -> WordLists:
    """The shipped lists. Raises `ModelError` where the file is not the one that this version was made with."""
    return WordLists(load("wordlists")[0])
