"""Finds parts of names that are common words too, from how the texts themselves use them.

Notes in which other people's rows have `will` and `may` in lower case use them as words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from piiscan.masking.known.folded_text import Flags, Folded, Hasher, Hashes, Ints, chunks, paired

SAMPLE: Final = 1 << 16
"""Rows of a table that are looked at."""
_LONG: Final = 1_000
"""Words of a text from which on repeated ones aren't kept."""
_BEFORE: Final = [ord(sign) for sign in "@._-/"]
_BEHIND: Final = [ord(sign) for sign in "@_-/"]
"""Signs within addresses; a dot behind a word ends a sentence, too."""
_ROWS: Final = 2
"""In so many rows of others a word has to stand in small letters."""


def _are_words(f: Folded, tokens: Ints) -> Flags:
    """Whether tokens are words, and no parts of addresses: `ann.lee@mail.org`."""
    before = f.codes[np.maximum(f.begins_at(f.start[tokens]) - 1, 0)]
    behind = f.codes[np.minimum(f.ends_at(f.stop[tokens]), len(f.codes) - 1)]
    return ~np.isin(before, _BEFORE) & ~np.isin(behind, _BEHIND)


class SmallWords:
    """Words in small letters, and in whose rows they stand. Only what `Gathering` holds of a run, in memory."""

    def __init__(self, hasher: Hasher) -> None:
        self._hasher = hasher
        self._words: list[Hashes] = [np.zeros(0, dtype=np.uint64)]
        self._keys: list[Hashes] = [np.zeros(0, dtype=np.uint64)]

    def add(self, texts: Sequence[str], keys: Hashes) -> None:
        """Some texts, each with the key of its row."""
        for begin, end in chunks(texts):
            f = Folded(texts[begin:end], self._hasher)
            small = np.flatnonzero(~f.capitals & (f.token_digits == 0))
            small = small[_are_words(f, small)]
            words, own = f.hashes(f.start[small], f.stop[small]), keys[begin:end][f.text[small]]
            if len(words) > _LONG * (end - begin):  # long texts repeat their words, and each counts once
                once = np.unique(paired(words, own), return_index=True)[1]
                words, own = words[once], own[once]
            self._words.append(words)
            self._keys.append(own)

    def common(self, values: Hashes, pairs: Hashes) -> Flags:
        """Which of some values (sorted) occur in lower case in rows of other people.

        `pairs`: values and whose they are, sorted.
        """
        words, keys = np.concatenate(self._words), np.concatenate(self._keys)
        out = np.zeros(len(values), dtype=np.bool_)
        if not len(words) or not len(values):
            return out
        at = np.minimum(np.searchsorted(values, words), len(values) - 1)
        known = values[at] == words
        at, both = at[known], paired(words[known], keys[known])
        if len(pairs):
            place = np.minimum(np.searchsorted(pairs, both), len(pairs) - 1)
            others = pairs[place] != both
            at, both = at[others], both[others]
        once = np.unique(both, return_index=True)[1]
        return np.bincount(at[once], minlength=len(values)) >= _ROWS
