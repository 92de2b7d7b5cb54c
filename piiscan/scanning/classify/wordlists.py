"""How common words are as names of persons and cities, as jobs, in streets, in prose: `models/wordlists.npz`."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.detection.distinct import distinct
from piiscan.scanning.classify.arrays import load

if TYPE_CHECKING:
    from numpy.typing import NDArray

LISTS: Final = ("female", "male", "last", "city", "job", "street", "plain")
EVERY: Final = (*LISTS, "given", "family")
"""All lists, those that features are made of first: `given` and `family` are names of scripts other than Latin, and
Japanese ones in it."""
_GIVEN: Final = [EVERY.index(name) for name in ("female", "male", "given")]
_FAMILY: Final = [EVERY.index(name) for name in ("last", "family")]
_PLAIN: Final = EVERY.index("plain")


@dataclass(frozen=True, eq=False)
class WordLists:
    """List → sorted CRC-32 of its folded words, and their log-frequencies, 1 to 255."""

    arrays: dict[str, NDArray[np.generic]]

    def weights(self, words: Sequence[str]) -> NDArray[np.float32]:
        """(words, EVERY): the log-frequency of each word in each list, 0 to 1; 0 where it isn't in it."""
        hashes, weights = self._joined
        keys = np.array([zlib.crc32(word.encode("utf-8", "replace")) for word in words], dtype=np.uint32)
        at = hashes.searchsorted(keys)  # the last of them is no hash, so that each key has a place
        found: NDArray[np.float32] = weights[at] * (hashes[at] == keys)[:, None] / np.float32(255)
        return found

    @cached_property
    def _joined(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The hashes of all words, sorted, and their log-frequency in each list."""
        every = [self.arrays[f"{name}.hash"].astype(np.int64) for name in EVERY]
        hashes = np.append(distinct(np.concatenate(every)), np.int64(1 << 32))
        weights = np.zeros((len(hashes), len(EVERY)), dtype=np.uint8)
        for j, (name, own) in enumerate(zip(EVERY, every, strict=True)):
            weights[hashes.searchsorted(own), j] = self.arrays[f"{name}.weight"]
        return hashes, weights


def as_names(weights: NDArray[np.float32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which words of these weights are given names, and which family names, more than they are words of prose."""
    plain = weights[:, _PLAIN]
    return weights[:, _GIVEN].max(axis=1) > plain, weights[:, _FAMILY].max(axis=1) > plain


@lru_cache(maxsize=1)
def wordlists() -> WordLists:
    """The shipped lists. Raises `ModelError` where the file is not the one that this version was made with."""
    return WordLists(load("wordlists")[0])
