"""Labelled columns in whole numbers, and the gradient of the column classifier's linear part over them.

Everything that depends on a column is computed from that column (and its table) alone, in integers or in products of
integers that floating point holds exactly. So sums over sites are those of the pooled columns, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.dp.learning.model_sums import shares
from piiscan.dp.learning.row_vectors import ONE
from piiscan.scanning.classify.adapt_model import BIAS, DENSE, HEADER, WITHOUT_HEADER
from piiscan.scanning.classify.column_features import BUCKETS, WIDTH
from piiscan.scanning.classify.column_model import OF_VALUES

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats, Ints
    from piiscan.scanning.classify.adapt_model import Example

INPUTS: Final = BUCKETS + WIDTH + 1
"""Buckets of headers, other features, and a constant."""
FINER: Final = 1 << 4
"""Residuals are multiples of 1 / (ONE · FINER)."""
UNIT: Final = ONE * ONE * FINER
"""What represents 1 in a gradient."""
_STEP_BITS: Final = 6
"""Log-odds of 12 bits become the steps of 1/64 that `shares` knows."""
_BELOW_ONE: Final = 1 - 2.0**-40
_TOGETHER: Final = 1 << 12
"""Examples at a time."""


class Columns(NamedTuple):
    """Examples in whole numbers, as multiples of 1 / ONE, and scaled so that each weight's prior has the variance 1.

    `buckets`, `values`: (entries,), those of example i from `ends[i]` to `ends[i + 1]`. `dense`: (examples, WIDTH + 1),
    with the constant. `before`: (examples, classes), log-probabilities. `labels`, `weights`: (examples,). A labelled
    column has an example with its header, of weight ONE, and one without it, of less.
    """

    buckets: Ints
    values: Ints
    ends: Ints
    dense: Ints
    before: Ints
    labels: Ints
    weights: Ints

    @classmethod
    def of(cls, examples: Sequence[Example], classes: Sequence[str]) -> Columns:
        """Return examples by whole numbers. `classes`: those of the model they were made with."""
        sizes = [len(e.features.buckets) for e in examples]
        number = {name: i for i, name in enumerate(classes)}
        dense = np.zeros((len(examples), WIDTH + 1))
        for row, e in zip(dense, examples, strict=True):
            # Of the logits of a column without a header, the linear part is a share.
            share = 1.0 if e.features.grams is None else 1 - OF_VALUES
            row[:WIDTH], row[WIDTH] = share * DENSE * e.features.dense, share * BIAS
        empty = [np.zeros(0)]
        return cls(
            np.concatenate([*empty, *(e.features.buckets for e in examples)]).astype(np.int64),
            _whole(HEADER * np.concatenate([*empty, *(e.features.weights for e in examples)])),
            np.cumsum([0, *sizes]),
            _whole(dense),
            _whole(np.stack([e.before for e in examples]) if examples else np.zeros((0, len(classes)))),
            np.array([number[e.entity] for e in examples], dtype=np.int64),
            _whole(np.array([e.weight for e in examples], dtype=np.float64)),
        )


def sensitivity(clip: float) -> int:
    """Return how far one labelled column moves `gradient` in the L2 norm: both its examples, each at its weight."""
    return math.ceil(clip * UNIT * (ONE + round(WITHOUT_HEADER * ONE)) / ONE)


def gradient(columns: Columns, weights: Ints, trained: Ints, clip: float) -> Ints:
    """Return the sum of the examples' gradients, each shortened to `clip` times its weight: (INPUTS · trained,).

    `weights`: (INPUTS, trained), multiples of 1 / ONE; `trained`: the classes, by number, whose weights they are.

    Guarantee:
        Assumes: a labelled column has one example of weight ONE at most, and one of weight WITHOUT_HEADER · ONE.
        Ensures: adding or removing a labelled column moves the result by at most `sensitivity(clip)` in the L2 norm:
        an example's gradient is the outer product of its vector and its residual, whose norm is the product of theirs,
        and the residual is shortened and cut towards 0 so that this product is below the limit.
        Does not protect against: anything. Sums are exact, and stay at the site until noise is added.
        Test: test_federated_columns.py::test_no_column_moves_the_gradient_further_than_is_said
    """
    total = np.zeros((INPUTS, len(trained)), dtype=np.int64)
    for at in range(0, len(columns.labels), _TOGETHER):
        end = min(at + _TOGETHER, len(columns.labels))
        off = shortened(columns, at, end, weights, trained, clip)
        part = slice(columns.ends[at], columns.ends[end])
        np.add.at(total, columns.buckets[part], columns.values[part, None] * off[_rows(columns, at, end)])
        total[BUCKETS:] += np.rint(columns.dense[at:end].astype(np.float64).T @ off.astype(np.float64)).astype(np.int64)
    return total.reshape(-1)


def shortened(columns: Columns, at: int, end: int, weights: Ints, trained: Ints, clip: float) -> Ints:
    """Return what the vectors of examples `at` to `end` are multiplied with in `gradient`, in 1 / (ONE · FINER)."""
    off = residuals(columns, at, end, weights, trained)
    values = columns.values[columns.ends[at] : columns.ends[end]]
    squared = (columns.dense[at:end] ** 2).sum(axis=1)
    np.add.at(squared, _rows(columns, at, end), values * values)
    norms = np.sqrt(squared.astype(np.float64) * (off * off).sum(axis=1)) / (ONE * ONE)
    factor = np.minimum(1.0, clip / np.maximum(norms, 1e-300)) * columns.weights[at:end] / ONE * _BELOW_ONE
    made: Ints = np.trunc(off * (FINER * factor)[:, None]).astype(np.int64)
    return made


def residuals(columns: Columns, at: int, end: int, weights: Ints, trained: Ints) -> Ints:
    """Return the probabilities of the trained classes less the labels, for examples `at` to `end`, in 1 / ONE."""
    logits = columns.before[at:end].copy()
    logits[:, trained] += linear(columns, at, end, weights) >> 13  # of 24 bits; half of it counts (`adapt_model.SHARE`)
    chances = shares(logits >> _STEP_BITS)
    chances[np.arange(end - at), columns.labels[at:end]] -= ONE
    return chances[:, trained]


def linear(columns: Columns, at: int, end: int, weights: Ints) -> Ints:
    """Return the products of examples `at` to `end` with the weights, in 1 / ONE²."""
    part = slice(columns.ends[at], columns.ends[end])
    of = np.rint(columns.dense[at:end].astype(np.float64) @ weights[BUCKETS:].astype(np.float64)).astype(np.int64)
    np.add.at(of, _rows(columns, at, end), columns.values[part, None] * weights[columns.buckets[part]])
    return of


def _rows(columns: Columns, at: int, end: int) -> Ints:
    """Return for each entry of examples `at` to `end` which of them it is of."""
    made: Ints = np.repeat(np.arange(end - at), np.diff(columns.ends[at : end + 1]))
    return made


def _whole(values: Floats) -> Ints:
    made: Ints = np.rint(np.asarray(values, dtype=np.float64) * ONE).astype(np.int64)
    return made
