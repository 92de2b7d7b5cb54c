"""The linear chain of labels: the likeliest ones of sentences, and how probable the spans are that they make.

Everything is done element by element, so what is found in a sentence doesn't depend on those beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.text.text_model import SCALE, Ids

_NEVER: Final = -1e4
_GOES_ON: Final = 64
_CLEAR: Final = 1e-3
"""By how much no name must be likelier than any, for a sentence to be left out unread; rounding is far below it."""

Scores = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """Tokens `start` to `stop` of a sentence are a PER, LOC or ORG, with the probability that exactly they are."""

    sentence: int
    start: int
    stop: int
    label: str
    p: float


class Chain:
    """`labels`: O first, and B- and I- of each entity. `transitions`: (labels, labels), from the row to the column.

    Scores are those of every label at every token, in thousandths: (tokens, labels). Sentences lie in them one after
    the other.
    """

    def __init__(self, labels: tuple[str, ...], transitions: NDArray[np.float32]) -> None:
        self._entities = [label[2:] for label in labels if label.startswith("B-")]
        self._begins = np.array([labels.index(f"B-{entity}") for entity in self._entities])
        self._inside = np.array([labels.index(f"I-{entity}") for entity in self._entities])
        self._kinds = np.full(len(labels), -1)
        self._kinds[self._begins] = np.arange(len(self._entities))
        self._kinds[self._inside] = np.arange(len(self._entities)) + _GOES_ON
        self._moves = transitions.astype(np.float64)

    def may_name(self, scores: Scores, begins: Ids) -> NDArray[np.bool_]:
        """Whether a sentence's likeliest labels may be others than O throughout.

        By what labels other than O can gain at most over a run of tokens: at each the best of them, with the best of
        their transitions, whether or not one path has them all. Where that is below nothing, O throughout is likeliest.
        """
        moves = self._moves - self._moves[0, 0]
        within = moves[1:, 1:].max()
        edges = max(0.0, moves[0, 1:].max()) + max(0.0, moves[1:, 0].max())
        gain = (scores[:, 1:].max(axis=1) - scores[:, 0]) / SCALE + within
        most = np.maximum(np.add.reduceat(np.maximum(gain, 0), begins), np.maximum.reduceat(gain, begins))
        may: NDArray[np.bool_] = most - within + edges > -_CLEAR
        return may

    def decode(self, scores: Scores, begins: Ids, lengths: Ids, numbers: Ids) -> list[Found]:
        """Likeliest labels (Viterbi) and the probabilities of the spans they make (forward-backward).

        The longest comes first.
        """
        padded = self._padded(scores, begins, lengths)
        best = self._likeliest(padded, _alive(lengths))
        named = np.flatnonzero((best != 0).any(axis=0))
        if not len(named):
            return []
        lengths, best = lengths[named], best[:, named]
        longest, alive = int(lengths[0]), _alive(lengths)
        padded = padded[:longest, named]
        emitted = np.exp(padded - padded.max(axis=2, keepdims=True))
        moves = np.exp(self._moves)
        forward = np.zeros_like(emitted)
        scale = np.ones((longest, len(lengths), 1))
        for t in range(longest):
            n = alive[t]
            now = emitted[t, :n] if t == 0 else _through(forward[t - 1, :n], moves) * emitted[t, :n]
            scale[t, :n] = now.sum(axis=1, keepdims=True)
            forward[t, :n] = now / scale[t, :n]
        backward = np.ones_like(emitted)
        for t in range(longest - 2, -1, -1):
            n = alive[t + 1]
            backward[t, :n] = _through(emitted[t + 1, :n] * backward[t + 1, :n] / scale[t + 1, :n], moves.T)
        return self._found(best, lengths, forward, backward, emitted / scale, numbers[named])

    def _found(
        self, best: Ids, lengths: Ids, forward: Floats, backward: Floats, emitted: Floats, numbers: Ids
    ) -> list[Found]:
        """Return the spans of the likeliest labels with their probabilities.

        A probability is that of the way to a span's begin, times that of its labels, times that of not continuing it.
        """
        moves = np.exp(self._moves)
        starts, stops, of, kind = _spans(best, self._kinds)
        last, inside = self._begins[kind], self._inside[kind]
        p = forward[starts, of, last]
        for k in range(1, int((stops - starts).max())):
            on = np.flatnonzero(starts + k < stops)
            p[on] *= moves[last[on], inside[on]] * emitted[starts[on] + k, of[on], inside[on]]
            last[on] = inside[on]
        on = np.flatnonzero(stops < lengths[of])
        after = moves[last[on]] * emitted[stops[on], of[on]] * backward[stops[on], of[on]]
        p[on] *= after.sum(axis=1) - after[np.arange(len(on)), inside[on]]
        p = np.minimum(p, 1.0)
        rows = zip(numbers[of].tolist(), starts.tolist(), stops.tolist(), kind.tolist(), p.tolist(), strict=True)
        return [Found(number, start, stop, self._entities[k], score) for number, start, stop, k, score in rows]

    def _padded(self, scores: Scores, begins: Ids, lengths: Ids) -> Floats:
        """The scores of some sentences, (tokens, sentences, labels); zero after a sentence's end.

        None begins within a name.
        """
        of = np.repeat(np.arange(len(lengths)), lengths)
        within = np.arange(len(of)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        padded = np.zeros((int(lengths[0]), len(lengths), len(self._kinds)))
        padded[within, of] = scores[begins[of] + within] / SCALE
        padded[0, :, self._inside] = _NEVER
        return padded

    def _likeliest(self, scores: Floats, alive: list[int]) -> Ids:
        """The likeliest labels, (tokens, sentences); 0 after a sentence's end."""
        longest, sentences, _ = scores.shape
        total = np.array(scores)
        for t in range(1, longest):
            n = alive[t]
            total[t, :n] += (total[t - 1, :n, :, None] + self._moves).max(axis=1)
        best = np.zeros((longest, sentences), dtype=np.int64)
        came = np.ascontiguousarray(self._moves.T)
        for t in range(longest - 1, -1, -1):
            n, more = alive[t], alive[t + 1] if t + 1 < longest else 0
            best[t, more:n] = total[t, more:n].argmax(axis=1)
            if more:
                best[t, :more] = (total[t, :more] + came[best[t + 1, :more]]).argmax(axis=1)
        return best


def _alive(lengths: Ids) -> list[int]:
    """How many sentences have a token at each place, for lengths in descending order."""
    alive: list[int] = (
        len(lengths) - np.searchsorted(lengths[::-1], np.arange(int(lengths[0])), side="right")
    ).tolist()
    return alive


def _through(weights: Floats, moves: Floats) -> Floats:
    """`weights` @ `moves`, in one order of additions whatever the number of rows is."""
    out: Floats = weights[:, :1] * moves[0]
    for i in range(1, len(moves)):
        out += weights[:, i : i + 1] * moves[i]
    return out


def _spans(best: Ids, kinds: Ids) -> tuple[Ids, Ids, Ids, Ids]:
    """Runs of B- and I- in labels, (tokens, sentences): start, stop, sentence, kind.

    An I- that follows nothing of its kind begins one.

    `kinds`: of a label the kind of entity, of an I- that and _GOES_ON, of O -1.
    """
    labels = kinds[np.vstack([best, np.zeros((1, best.shape[1]), dtype=np.int64)]).T].ravel()
    before = np.concatenate([[-1], labels[:-1]])
    goes_on = (labels >= _GOES_ON) & (before >= 0) & (before % _GOES_ON == labels % _GOES_ON)
    starts = np.flatnonzero((labels >= 0) & ~goes_on)
    rest = np.flatnonzero(~goes_on)
    stops = rest[np.searchsorted(rest, starts, side="right")]
    width = len(best) + 1
    return starts % width, stops - starts // width * width, starts // width, labels[starts] % _GOES_ON
