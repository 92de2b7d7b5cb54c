"""Finds people, places and organisations in sentences: a linear-chain CRF with word lists.

It is run by numpy over many sentences at once.

After Lafferty, McCallum and Pereira, "Conditional random fields" (ICML 2001). A label's score at a word is a sum over
features of that word, of the words up to two places away, and of pairs of neighbours (`features`); the sums of a word
are kept, so that common words cost a look-up. Weights are added as whole numbers and the rest is done element by
element: what is found in a sentence doesn't depend on what other sentences are looked at with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.text import token_features
from piiscan.detection.text.chain import Chain, Found
from piiscan.detection.text.text_model import TextModel
from piiscan.detection.text.token_arrays import CAPITAL, MIXED, SMALL, Ids, Read, Rows, Words, read

KEPT: Final = 32 << 20
"""Bytes of words that are kept with their sums, about; above it, all are forgotten."""
TOKENS: Final = 32_768
"""Tokens scored together, about."""
TOGETHER: Final = 512
"""Sentences decoded together."""

_OFFSETS: Final = np.array([token_features.salt(mark) for mark in token_features.OFFSETS], dtype=np.uint32)
_SIDES: Final = [
    [np.uint32(token_features.salt(f"{side} {kind}")) for side in token_features.SIDES] for kind in token_features.PAIRS
]
_MODES: Final[tuple[token_features.Mode, ...]] = ("mixed", "upper", "lower")


class _Keys(dict[str, int]):
    """The CRC-32 of texts met so far."""

    def __missing__(self, text: str) -> int:
        found = self[text] = token_features.crc(text)
        return found


class Recogniser:
    """Finds persons, places and organisations in sentences. Can be used by several threads, one at a time."""

    def __init__(self, model: TextModel) -> None:
        self.model = model
        self._lock = Lock()
        self._chain = Chain(model.labels, model.transitions)
        self._forget()

    def _forget(self) -> None:
        self._words = Words()
        self._keys = _Keys()
        self._rows: Rows[np.int64] = Rows(np.int64, len(_MODES))  # of a word in each mode; −1 where it wasn't met so
        self._sums: list[Rows[np.int32]] = [Rows(np.int32, len(self.model.labels)) for _ in _OFFSETS]
        self._low: Rows[np.uint32] = Rows(np.uint32)  # key of a word's own text, or what stands for it
        self._group: Rows[np.uint32] = Rows(np.uint32)  # key of its category
        self._sum_up([token_features.of_edge(edge) for edge in (token_features.BEGIN, token_features.END)], edges=True)

    def read(self, texts: Sequence[str]) -> tuple[Read, list[Found]]:
        """The tokens of texts, and what is found in their windows, in the order of windows and tokens."""
        with self._lock:
            self._make_room()
            known = read(texts, self._words)
            return known, self._find(known.words, known.first, known.stop)

    def find(self, sentences: Sequence[Sequence[str]]) -> list[Found]:
        """What is found in sentences (sequences of tokens), in the order of sentences and tokens."""
        with self._lock:
            self._make_room()
            words = np.array([self._words.number(word) for sentence in sentences for word in sentence], dtype=np.int64)
            bounds = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
            return self._find(words, bounds[:-1], bounds[1:])

    def forget(self) -> None:
        """Forget the words met so far: they may be a cell's."""
        with self._lock:
            if self._words.numbers:
                self._forget()

    def _make_room(self) -> None:
        if self._words.size > KEPT:
            self._forget()

    def _find(self, words: Ids, first: Ids, stop: Ids) -> list[Found]:
        found: list[Found] = []
        numbers = np.flatnonzero(stop > first)
        part = np.cumsum(stop[numbers] - first[numbers]) // TOKENS
        for some in np.split(numbers, np.flatnonzero(np.diff(part)) + 1) if len(numbers) else ():
            found += self._find_in(words, first[some], (stop - first)[some], some)
        return sorted(found, key=lambda f: (f.sentence, f.start))

    def _find_in(self, words: Ids, first: Ids, lengths: Ids, numbers: Ids) -> list[Found]:
        begins = np.cumsum(lengths) - lengths
        of = np.repeat(np.arange(len(lengths)), lengths)
        words = words[np.arange(len(of)) + (first - begins)[of]]
        scores = self._scores(self._rows_of(words, begins, of), begins, lengths, of)
        may = np.flatnonzero(self._chain.may_name(scores, begins))
        may = may[np.argsort(-lengths[may], kind="stable")]
        found: list[Found] = []
        for at in range(0, len(may), TOGETHER):
            some = may[at : at + TOGETHER]
            found += self._chain.decode(scores, begins[some], lengths[some], numbers[some])
        return found

    def _rows_of(self, words: Ids, begins: Ids, of: Ids) -> Ids:
        """The rows of words, each in the mode of its sentence: see `features.mode`."""
        flags = self._words.flags.all[words]
        written = np.bitwise_or.reduceat(flags, begins)
        capitals = np.add.reduceat((flags & CAPITAL > 0).astype(np.int64), begins)
        small, capital = written & SMALL > 0, capitals > 0
        mixed = (written & MIXED > 0) | (small == capital) | (capital & (capitals == 1))
        mode = np.where(mixed, 0, np.where(capital, 1, 2))[of]
        new = len(self._words.numbers) - len(self._rows.all)
        self._rows.extend(np.full((new, len(_MODES)), -1, dtype=np.int64))
        rows = self._rows.all[words, mode]
        if rows.min() < 0:
            missing = np.zeros(self._rows.all.shape, dtype=np.bool_)
            missing[words[rows < 0], mode[rows < 0]] = True
            self._add(*np.nonzero(missing))
            rows = self._rows.all[words, mode]
        return rows

    def _add(self, words: Ids, modes: Ids) -> None:
        """Sum up the weights of words that weren't met before in a mode."""
        spelled = self._words.spelled
        texts = [spelled[n] for n in words.tolist()]
        lists = self.model.lists_of(
            np.array([token_features.crc(token_features.folded(t)) for t in texts], dtype=np.uint32)
        ).tolist()
        seen = [
            token_features.of_word(t, listed, _MODES[how])
            for t, listed, how in zip(texts, lists, modes.tolist(), strict=True)
        ]
        self._rows.all[words, modes] = np.arange(len(words)) + len(self._low.all)
        self._sum_up(seen)

    def _sum_up(self, seen: Sequence[token_features.Seen], edges: bool = False) -> None:
        """Put the sums of words in the next rows. Edges have no label, and two places away they count for nothing."""
        key = self._keys.__getitem__
        counts = np.array([len(s.texts) for s in seen])
        keys = np.fromiter(
            map(key, chain.from_iterable(s.texts for s in seen)), dtype=np.uint32, count=int(counts.sum())
        )
        within = np.arange(len(keys)) - np.repeat(np.cumsum(counts) - counts, counts)
        of_neighbours = within < np.repeat([s.of_neighbours for s in seen], counts)
        far = within < token_features.FAR
        for sums, offset, used in zip(
            self._sums, _OFFSETS, (within >= 0, of_neighbours, of_neighbours, far, far), strict=True
        ):
            if edges and used is not of_neighbours:
                sums.extend(np.zeros((len(seen), len(self.model.labels)), dtype=np.int32))
                continue
            weights = self.model.weights[self.model.features.rows(keys[used] ^ offset)]
            sums.extend(
                np.add.reduceat(weights, np.flatnonzero(within[used] == 0), dtype=np.int32)
            )  # a word has one text at least
        self._low.extend([key(s.low) for s in seen])
        self._group.extend([key(s.group) for s in seen])

    def _scores(self, rows: Ids, begins: Ids, lengths: Ids, of: Ids) -> NDArray[np.int32]:
        """The score of every label at every token: (tokens, labels), in thousandths."""
        # Every sentence with two edges before and behind it. The first row is that of beginnings, the next that of
        # ends.
        flat = np.zeros(len(rows) + 4 * len(begins), dtype=np.int64)
        at = np.arange(len(rows)) + 4 * of + 2
        flat[at] = rows
        after = begins + lengths + 4 * np.arange(len(begins)) + 2
        flat[after] = flat[after + 1] = 1
        middle = np.zeros((len(rows), len(self.model.labels)), dtype=np.int32)
        for sums, offset in zip(self._sums, (0, -1, 1, -2, 2), strict=True):
            middle += sums.all[flat[at + offset]]
        low, group = self._low.all[flat], self._group.all[flat]
        for (left, right), sides in zip(((group, group), (low, group), (group, low)), _SIDES, strict=True):
            keys = left[:-1] * np.uint32(token_features.PAIRED) + right[1:]
            for position, side in zip((at - 1, at), sides, strict=True):
                found = self.model.features.rows(keys[position] ^ side)
                hit = np.flatnonzero(found >= 0)
                middle[hit] += self.model.weights[found[hit]]
        return middle
