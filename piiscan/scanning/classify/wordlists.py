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
EVERY: Final = (*LISTS, "given", "family")
"""All lists, those that features are made of first: `given` and `family` are names of scripts other than Latin, and
Japanese ones in it."""
_GIVEN: Final = [EVERY.index(name) for name in ("female", "male", "given")]
_FAMILY: Final = [EVERY.index(name) for name in ("last", "family")]
_PLAIN: Final = EVERY.index("plain")
_WORDS: Final = [EVERY.index(name) for name in ("city", "job", "street", "plain")]


@dataclass(frozen=True, eq=False)
class WordLists:
    """List → sorted CRC-32 of its folded words, and their log-frequencies, 1 to 255."""

    arrays: dict[str, NDArray[np.generic]]

    def weights(self, words: Sequence[str]) -> NDArray[np.float32]:
        """(words, EVERY): the log-frequency of each word in each list, 0 to 1; 0 where it isn't in it."""
        # In order, so that keys looked up one after the other are beside each other in memory. Each list by itself:
        # joining all of them takes as long as looking up 40,000 words, and a small scan has fewer than 2,000.
        keys = np.array([zlib.crc32(word.encode("utf-8", "replace")) for word in words], dtype=np.uint32)
        order = keys.argsort()
        keys = keys[order]
        found = np.zeros((len(words), len(EVERY)), dtype=np.float32)
        for j, name in enumerate(EVERY):
            hashes, weights = self.arrays[f"{name}.hash"], self.arrays[f"{name}.weight"]
            at = hashes.searchsorted(keys)
            at[at == len(hashes)] = 0
            found[order, j] = np.where(hashes[at] == keys, weights[at], 0)
        return found / np.float32(255)


def as_names(weights: NDArray[np.float32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which words of these weights are given names, and which family names, more than they are words of prose."""
    plain = weights[:, _PLAIN]
    return weights[:, _GIVEN].max(axis=1) > plain, weights[:, _FAMILY].max(axis=1) > plain


def as_words(weights: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which words of these weights are of prose, jobs, streets or cities, more than they are names of persons."""
    found: NDArray[np.bool_] = weights[:, _WORDS].max(axis=1) > weights[:, [*_GIVEN, *_FAMILY]].max(axis=1)
    return found


@lru_cache(maxsize=1)
def wordlists() -> WordLists:
    """The shipped lists. Raises `ModelError` where the file is not the one that this version was made with."""
    return WordLists(load("wordlists")[0])
