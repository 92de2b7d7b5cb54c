"""Persons, places and organisations in sentences: a linear-chain CRF with word lists, run by numpy over many sentences at once.

After Lafferty, McCallum and Pereira, "Conditional random fields" (ICML 2001). A label's score at a word is a sum over features
of that word, of the words up to two places away, and of pairs of neighbours (`features`); the sums of a word and of a pair are
kept, so that common words cost a look-up. Arithmetic is element by element: what is found in a sentence doesn't depend on
what other sentences are looked at with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.text import features
from piiscan.text.model import Floats, Model

OFFSETS: Final = ("0 ", "-1 ", "+1 ", "-2 ", "+2 ")
"""How a feature is marked: of the word itself, of the one before it, after it, two before, two after."""
KEPT: Final = 200_000
"""Words and pairs whose sums are kept; above it, all are forgotten."""
TOGETHER: Final = 256
"""Sentences decoded together."""

_NEVER: Final = -1e4
_STARTS: Final = tuple(zlib.crc32(offset.encode()) for offset in OFFSETS)
_PAIR: Final = (zlib.crc32(b"L "), zlib.crc32(b"R "))
BEGIN: Final = "<s>"
END: Final = "</s>"

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Found:
    """Tokens `start` to `stop` of a sentence are a PER, LOC or ORG, with the probability that exactly they are."""

    sentence: int
    start: int
    stop: int
    label: str
    p: float


class _Rows:
    """A growing matrix of sums, and which row belongs to what."""

    def __init__(self, width: tuple[int, ...]) -> None:
        self.sums: Floats = np.zeros((1024, *width), dtype=np.float32)
        self.count = 0

    def append(self, rows: Floats) -> None:
        stop = self.count + len(rows)
        if stop > len(self.sums):
            grown = np.zeros((max(stop, 2 * len(self.sums)), *self.sums.shape[1:]), dtype=np.float32)
            grown[: self.count] = self.sums[: self.count]
            self.sums = grown
        self.sums[self.count : stop] = rows
        self.count = stop


class Recogniser:
    """Finds persons, places and organisations in sentences. Can be used by several threads, one at a time."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._lock = Lock()
        self._begins = {label[2:]: i for i, label in enumerate(model.labels) if label.startswith("B-")}
        self._inside = {label[2:]: i for i, label in enumerate(model.labels) if label.startswith("I-")}
        self._forget()

    def _forget(self) -> None:
        labels = len(self.model.labels)
        self._word_rows = _Rows((len(OFFSETS), labels))
        self._pair_rows = _Rows((2, labels))
        self._words: dict[tuple[str, str], int] = {}
        self._pairs: dict[int, int] = {}
        self._texts: dict[str, int] = {}
        self._spelled: list[str] = []
        self._group_of: list[int] = []  # row of a word → its category
        self._text_of: list[int] = []  # row of a word → its own text, or what stands for it
        for edge in (BEGIN, END):
            self._add([(edge, "mixed")])

    def find(self, sentences: Sequence[Sequence[str]]) -> list[Found]:
        """What the likeliest labels of each sentence (a sequence of tokens) say, in the order of sentences and tokens."""
        with self._lock:
            if len(self._words) + len(self._pairs) > KEPT:
                self._forget()
            filled = [i for i, words in enumerate(sentences) if words]
            ids = self._ids([sentences[i] for i in filled])
            if not ids:
                return []
            scores = self._scores(ids)
            found: list[Found] = []
            order = sorted(range(len(ids)), key=lambda k: (-len(ids[k]), k))
            for at in range(0, len(order), TOGETHER):
                some = order[at : at + TOGETHER]
                found += self._decode([scores[k] for k in some], [filled[k] for k in some])
        return sorted(found, key=lambda f: (f.sentence, f.start))

    def _ids(self, sentences: list[Sequence[str]]) -> list[list[int]]:
        """The rows of the words of each sentence."""
        known = self._words
        modes = [features.mode(words) for words in sentences]
        pairs = zip(sentences, modes, strict=True)
        missing = {(w, how): None for words, how in pairs for w in words if (w, how) not in known}
        if missing:
            self._add(list(missing))
        return [[known[w, how] for w in words] for words, how in zip(sentences, modes, strict=True)]

    def _text(self, text: str) -> int:
        number = self._texts.get(text)
        if number is None:
            number = self._texts[text] = len(self._spelled)
            self._spelled.append(text)
        return number

    def _add(self, words: list[tuple[str, features.Mode]]) -> None:
        """Sum up the weights of words that weren't met before."""
        folded = [_bytes(features.folded(w)) for w, _ in words]
        lists = self.model.lists_of(np.array([zlib.crc32(w) for w in folded], dtype=np.uint32)).tolist()
        hashes: list[int] = []
        counts: list[int] = []
        for (word, how), listed in zip(words, lists, strict=True):
            self._words[word, how] = len(self._text_of)
            if word in (BEGIN, END):
                own, beside, far = list[str](), [f"w={word}"], list[str]()
                group, low = word, word
            else:
                own, beside, far = features.of_word(word, listed, how)
                group, low = features.category(word, listed, how), features.kind(word) or word.lower()
            self._group_of.append(self._text(group))
            self._text_of.append(self._text(low))
            for start, texts in zip(_STARTS, (own, beside, beside, far, far), strict=True):
                hashes += [zlib.crc32(_bytes(t), start) for t in texts]
                counts.append(len(texts))
        self._word_rows.append(self._summed(hashes, counts).reshape(len(words), len(OFFSETS), -1))

    def _summed(self, hashes: list[int], counts: list[int]) -> Floats:
        """The weights of runs of features, `counts` long each, summed."""
        weights = self.model.weights_of(np.array(hashes, dtype=np.uint32))
        out: Floats = np.zeros((len(counts), weights.shape[1]), dtype=np.float32)
        np.add.at(out, np.repeat(np.arange(len(counts)), counts), weights)
        return out

    def _pair_sums(self, left: Ids, right: Ids) -> Floats:
        """For neighbours (rows of words): the sums for the right one's label, and for the left one's."""
        group, text = np.array(self._group_of), np.array(self._text_of)
        width = len(self._spelled)
        total: Floats | None = None
        for kind, (a, b) in enumerate(((group[left], group[right]), (text[left], group[right]), (group[left], text[right]))):
            codes, inverse = np.unique(a * width + b, return_inverse=True)
            names = [(int(c) // width, int(c) % width) for c in codes]
            keys = [(x * 3 + kind) << 32 | y for x, y in names]
            missing = [i for i, key in enumerate(keys) if key not in self._pairs]
            if missing:
                mark = ("cc", "wc", "cw")[kind]
                texts = [_bytes(f"{mark}={self._spelled[names[i][0]]} {self._spelled[names[i][1]]}") for i in missing]
                hashes = np.array([zlib.crc32(t, start) for t in texts for start in _PAIR], dtype=np.uint32)
                first = self._pair_rows.count
                self._pairs.update((keys[i], first + n) for n, i in enumerate(missing))
                self._pair_rows.append(self.model.weights_of(hashes).reshape(len(missing), 2, -1))
            rows = np.array([self._pairs[key] for key in keys])
            sums = self._pair_rows.sums[rows][inverse]
            total = sums if total is None else total + sums
        assert total is not None
        return total

    def _scores(self, sentences: list[list[int]]) -> list[Floats]:
        """For each sentence the score of every label at every token: (tokens, labels)."""
        begin, end = self._words[BEGIN, "mixed"], self._words[END, "mixed"]
        flat = np.array([w for ids in sentences for w in (begin, begin, *ids, end, end)], dtype=np.int64)
        # The edges' own texts count one place away only, as in training; two away they have none.
        sums = self._word_rows.sums[flat]
        middle = np.array(sums[2:-2, 0])
        middle += sums[1:-3, 1]
        middle += sums[3:-1, 2]
        middle += sums[:-4, 3]
        middle += sums[4:, 4]
        pairs = self._pair_sums(flat[1:-2], flat[2:-1])
        middle += pairs[:-1, 0]
        middle += pairs[1:, 1]
        out = []
        at = 0
        for ids in sentences:
            out.append(middle[at : at + len(ids)])
            at += len(ids) + 4
        return out

    def _decode(self, scores: list[Floats], numbers: list[int]) -> list[Found]:
        """Likeliest labels (Viterbi) and the probabilities of the spans they make (forward-backward). The longest comes first."""
        lengths = np.array([len(s) for s in scores])
        longest, labels = int(lengths[0]), len(self.model.labels)
        padded = np.zeros((longest, len(scores), labels))
        for i, score in enumerate(scores):
            padded[: len(score), i] = score
        padded[0, :, list(self._inside.values())] = _NEVER
        alive = [int((lengths > t).sum()) for t in range(longest)]
        best = self._likeliest(padded, alive, lengths)
        if not (best != 0).any():
            return []
        peaks = padded.max(axis=2, keepdims=True)
        emitted = np.exp(padded - peaks)
        moves = np.exp(self.model.transitions.astype(np.float64))
        forward = np.zeros_like(emitted)
        scale = np.ones((longest, len(scores), 1))
        for t in range(longest):
            n = alive[t]
            now = emitted[t, :n] if t == 0 else _through(forward[t - 1, :n], moves) * emitted[t, :n]
            scale[t, :n] = now.sum(axis=1, keepdims=True)
            forward[t, :n] = now / scale[t, :n]
        backward = np.ones_like(emitted)
        for t in range(longest - 2, -1, -1):
            n = alive[t + 1]
            backward[t, :n] = _through(emitted[t + 1, :n] * backward[t + 1, :n] / scale[t + 1, :n], moves.T)
        out = []
        for i in np.flatnonzero((best != 0).any(axis=0)).tolist():
            length = int(lengths[i])
            for start, stop, label in _spans([self.model.labels[k] for k in best[:length, i].tolist()]):
                inside = self._inside[label]
                p = forward[start, i, self._begins[label]]
                last = self._begins[label]
                for t in range(start + 1, stop):
                    p *= moves[last, inside] * emitted[t, i, inside] / scale[t, i, 0]
                    last = inside
                if stop < length:
                    after = moves[last] * emitted[stop, i] * backward[stop, i] / scale[stop, i, 0]
                    p *= after.sum() - after[inside]
                out.append(Found(numbers[i], start, stop, label, min(1.0, float(p))))
        return out

    def _likeliest(self, scores: NDArray[np.float64], alive: list[int], lengths: Ids) -> Ids:
        """The likeliest labels, (tokens, sentences); 0 after a sentence's end."""
        longest, sentences, labels = scores.shape
        moves = self.model.transitions.astype(np.float64)
        came = np.zeros((longest, sentences, labels), dtype=np.int64)
        total = np.array(scores[0])
        for t in range(1, longest):
            n = alive[t]
            steps = total[:n, :, None] + moves
            came[t, :n] = steps.argmax(axis=1)
            total[:n] = steps.max(axis=1) + scores[t, :n]
        best = np.zeros((longest, sentences), dtype=np.int64)
        label = total.argmax(axis=1)
        for t in range(longest - 1, -1, -1):
            n = alive[t]
            best[t, :n] = label[:n]
            if t:
                label[:n] = came[t, np.arange(n), label[:n]]
        return best


def _bytes(text: str) -> bytes:
    """UTF-8; halves of surrogate pairs, which Python lets a text have, as they are."""
    return text.encode("utf-8", "surrogatepass")


def _through(weights: NDArray[np.float64], moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """`weights` @ `moves`, in one order of additions whatever the number of rows is."""
    out: NDArray[np.float64] = weights[:, :1] * moves[0]
    for i in range(1, len(moves)):
        out += weights[:, i : i + 1] * moves[i]
    return out


def _spans(labels: Iterable[str]) -> list[tuple[int, int, str]]:
    """Runs of B- and I- as (start, stop, entity); an I- that follows nothing of its kind begins one."""
    out: list[tuple[int, int, str]] = []
    for i, label in enumerate(labels):
        if label == "O":
            continue
        if label[0] == "I" and out and out[-1][1] == i and out[-1][2] == label[2:]:
            out[-1] = (out[-1][0], i + 1, label[2:])
        else:
            out.append((i, i + 1, label[2:]))
    return out
