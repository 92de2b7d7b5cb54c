"""The trained column classifier: plain arrays, run by numpy.

First each column by itself: logits = a hidden layer of rectified units over header buckets and dense features, plus a
linear term over the same; where there is no header, their mean with those of a hidden layer over n-grams of the values
and dense features. A softmax over the classes (entities, and `NONE` for nothing of the vocabulary) makes probabilities
of them. Then each among its neighbours: a second hidden layer over those probabilities, of the column, of
those beside it and of the whole table, and over the table's signals. The answer is the geometric mean of both. What
that means for persons here is `class_model`'s to say. How it was trained and measured stands in `models/columns.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ModelError
from piiscan.scanning.classify import arrays
from piiscan.scanning.classify.class_model import CLASSES, INPUT_WIDTH, ClassModel, Thresholds
from piiscan.scanning.classify.column_features import BUCKETS, GROUPS, WIDTH, Features
from piiscan.scanning.classify.products import finite, product
from piiscan.scanning.classify.table_signals import TABLE_WIDTH
from piiscan.scanning.classify.value_grams import GRAM_BUCKETS

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE: Final = "NONE"
_STARTS: Final = np.cumsum([0, *GROUPS.values()])[:-1]
"""Where each group of features begins."""
_SPANS: Final = tuple(pairwise(np.cumsum([0, *GROUPS.values()]).tolist()))
"""And where it begins and ends."""
_KEPT: Final = 1024
"""Headers whose part in the networks is kept for other tables."""
_HEADER: Final = list(GROUPS).index("header")
VERSION: Final = 6
"""Of the features and the arrays: a model of another version is refused."""
OF_VALUES: Final = 0.6
"""What n-grams of values and the like say of a column without a header, in its logits."""
LOOKED_UP: Final = frozenset(("hidden_header", "linear_header", "gram_hidden"))
"""Kept in 16 bits, since few of their rows are needed at a time."""
_NAMES: Final = (
    "version",
    "classes",
    "hidden_header",
    "hidden_dense",
    "hidden_bias",
    "output",
    "linear_header",
    "linear_dense",
    "bias",
    "gram_hidden",
    "gram_dense",
    "gram_hidden_bias",
    "gram_output",
    "gram_bias",
    "table_hidden",
    "table_hidden_bias",
    "table_output",
    "table_bias",
    "subject_terms",
    "subject_weights",
    "class_mean",
    "class_scale",
    "class_hidden",
    "class_hidden_bias",
    "class_output",
    "class_output_bias",
    "class_linear",
    "class_linear_bias",
    "class_sharpness",
    "class_thresholds",
)


@dataclass(frozen=True, eq=False)
class ColumnModel:
    """The arrays of the column classifier."""

    classes: tuple[str, ...]
    hidden_header: NDArray[np.float16]
    hidden_dense: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    output: NDArray[np.float32]
    linear_header: NDArray[np.float16]
    linear_dense: NDArray[np.float32]
    bias: NDArray[np.float32]
    gram_hidden: NDArray[np.float16]
    gram_dense: NDArray[np.float32]
    gram_hidden_bias: NDArray[np.float32]
    gram_output: NDArray[np.float32]
    gram_bias: NDArray[np.float32]
    table_hidden: NDArray[np.float32]
    table_hidden_bias: NDArray[np.float32]
    table_output: NDArray[np.float32]
    table_bias: NDArray[np.float32]
    subject: Mapping[str, float]
    pii: ClassModel
    thresholds: Thresholds
    digest: str

    def probabilities(self, columns: Sequence[Features], signals: NDArray[np.float32]) -> NDArray[np.float64]:
        """(columns, classes) for the columns of one table, in their order; rows summing to 1.

        `signals`: (TABLE_WIDTH,).
        """
        return self.probabilities_of([(columns, signals)])[0]

    def probabilities_of(
        self, tables: Sequence[tuple[Sequence[Features], NDArray[np.float32]]]
    ) -> list[NDArray[np.float64]]:
        """`probabilities` of each of some tables that have columns: each layer sees the columns of all at once."""
        columns = [c for own, _ in tables for c in own]
        stops = np.cumsum([len(own) for own, _ in tables])[:-1].tolist()
        dense = np.stack([c.dense for c in columns])
        alone = softmax(self._logits(columns, dense))
        parts = zip(np.split(alone, stops), np.split(dense, stops), tables, strict=True)
        inputs = np.concatenate([among(own, seen, signals) for own, seen, (_, signals) in parts])
        hidden = np.maximum(product(inputs, self.table_hidden) + self.table_hidden_bias, 0)
        together = np.sqrt(alone * softmax(product(hidden, self.table_output) + self.table_bias))
        return np.split(finite(together / together.sum(axis=1, keepdims=True)), stops)

    def logits(self, columns: Sequence[Features]) -> NDArray[np.float32]:
        """(columns, classes)."""
        return self._logits(columns, np.stack([c.dense for c in columns]))

    def _logits(self, columns: Sequence[Features], dense: NDArray[np.float32]) -> NDArray[np.float32]:
        headers = [self._of_header(c) for c in columns]
        hidden = np.stack([of_hidden for of_hidden, _ in headers]) + product(dense, self.hidden_dense)
        linear = np.stack([of_linear for _, of_linear in headers]) + product(dense, self.linear_dense)
        logits = product(np.maximum(hidden + self.hidden_bias, 0), self.output) + linear + self.bias
        unnamed = [i for i, c in enumerate(columns) if c.grams is not None]
        if unnamed:
            of_values = self._of_values([columns[i] for i in unnamed])
            logits[unnamed] = (1 - OF_VALUES) * logits[unnamed] + OF_VALUES * of_values
        return logits

    def _of_values(self, columns: Sequence[Features]) -> NDArray[np.float32]:
        """(columns, classes): what the values of columns without a header say."""
        different = {id(c.grams): c.grams for c in columns if c.grams is not None}  # columns that are alike share them
        summed = {key: _summed(self.gram_hidden, *grams) for key, grams in different.items()}
        grams = np.stack([summed[id(c.grams)] for c in columns])
        hidden = grams + product(np.stack([c.dense for c in columns]), self.gram_dense)
        return product(np.maximum(hidden + self.gram_hidden_bias, 0), self.gram_output) + self.gram_bias

    @cached_property
    def _headers(self) -> dict[bytes, tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """What is kept of `_of_header`."""
        return {}

    def _of_header(self, column: Features) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What a column's header adds to the hidden layer and to the linear term."""
        key = column.buckets.tobytes() + column.weights.tobytes()
        if (known := self._headers.get(key)) is None:
            known = (
                _summed(self.hidden_header, column.buckets, column.weights),
                _summed(self.linear_header, column.buckets, column.weights),
            )
            if len(self._headers) < _KEPT:
                self._headers[key] = known
        return known

    def weighed_most(self, asked: Sequence[tuple[Features, str]]) -> list[list[str]]:
        """For each of some columns and a class: the groups of features that matter most, in order.

        Those without which the logit of the class would be lowest; n-grams of values aren't among them.
        """
        if not asked:
            return []
        dense = np.stack([c.dense for c, _ in asked])
        headers = [self._of_header(c) for c, _ in asked]
        at = np.array([self.classes.index(entity) for _, entity in asked])
        hidden = np.stack([product(dense[:, a:b], self.hidden_dense[a:b]) for a, b in _SPANS], axis=1)
        hidden[:, _HEADER] += np.stack([of_hidden for of_hidden, _ in headers])
        linear = np.add.reduceat(dense * self.linear_dense[:, at].T, _STARTS, axis=1)
        linear[:, _HEADER] += [of_linear[i] for (_, of_linear), i in zip(headers, at.tolist(), strict=True)]
        every = hidden.sum(axis=1) + self.hidden_bias
        units = np.maximum(np.concatenate([every[:, None], every[:, None] - hidden], axis=1), 0)
        without = np.einsum("igh,hi->ig", units, self.output[:, at])
        lost = without[:, :1] - without[:, 1:] + linear
        return [
            [group for loss, group in sorted(zip(own, GROUPS, strict=True), reverse=True) if loss > 0.5]
            for own in lost.tolist()
        ]


def softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """Rows of logits as probabilities."""
    odds = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def among(alone: NDArray[np.float64], dense: NDArray[np.float32], signals: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the second layer sees of the n columns of a table, (n, 5c + 4 + WIDTH + TABLE_WIDTH).

    A column's own log-probabilities, the probabilities of those on its left and right, the greatest and the mean ones
    of all others, its place, its features, and the table's signals.
    """
    n, classes = alone.shape
    own = np.log(np.clip(alone, 1e-4, 1))
    adjacent = np.zeros((2, n, classes))
    adjacent[0, 1:], adjacent[1, :-1] = alone[:-1], alone[1:]
    highest = np.sort(alone, axis=0)
    greatest = np.where(alone >= highest[-1], highest[-2] if n > 1 else 0.0, highest[-1])
    mean = (alone.sum(axis=0) - alone) / max(1, n - 1)
    position = np.stack([np.arange(n) == 0, np.arange(n) / n, np.full(n, min(2, n / 10)), np.full(n, n == 1)], axis=1)
    context = 1.5 * np.hstack([*adjacent, greatest, mean, position])
    parts = [(own - own.mean(axis=1, keepdims=True)) / 4, context, dense, np.tile(signals, (n, 1))]
    return np.hstack(parts).astype(np.float32)


def _summed(
    matrix: NDArray[np.float16], buckets: NDArray[np.int32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    return np.asarray(product(weights[None], matrix[buckets].astype(np.float32))[0])


@lru_cache(maxsize=2)
def model(path: str | None = None) -> ColumnModel:
    """The shipped model, or one that `piiscan train` made.

    Raises `ModelError` for a file that is not of this version.
    """
    if path is None:
        return _model(*arrays.load("columns"), "models/columns.npz", is_shipped=True)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ModelError(f"model {path}: {error.strerror}") from None
    return _model(arrays.arrays(content, Path(path)), arrays.digest(content), path)


def _model(found: dict[str, NDArray[np.generic]], digest: str, name: str, *, is_shipped: bool = False) -> ColumnModel:
    if set(found) != set(_NAMES) or int(found["version"]) != VERSION:
        raise ModelError(f"model {name} was made for another version of piiscan; make it again with `piiscan train`")
    classes = tuple(str(c) for c in found["classes"])
    hidden = len(found["hidden_bias"])
    shapes = {
        "hidden_header": (BUCKETS, hidden), "hidden_dense": (WIDTH, hidden), "output": (hidden, len(classes)),
        "linear_header": (BUCKETS, len(classes)), "linear_dense": (WIDTH, len(classes)), "bias": (len(classes),),
        "gram_hidden": (GRAM_BUCKETS, len(found["gram_hidden_bias"])),
        "gram_dense": (WIDTH, len(found["gram_hidden_bias"])),
        "gram_output": (len(found["gram_hidden_bias"]), len(classes)), "gram_bias": (len(classes),),
        "table_hidden": (5 * len(classes) + 4 + WIDTH + TABLE_WIDTH, len(found["table_hidden_bias"])),
        "table_output": (len(found["table_hidden_bias"]), len(classes)), "table_bias": (len(classes),),
    }  # fmt: skip
    shapes |= {
        "class_mean": (INPUT_WIDTH,), "class_scale": (INPUT_WIDTH,),
        "class_hidden": (INPUT_WIDTH, len(found["class_hidden_bias"])),
        "class_output": (len(found["class_hidden_bias"]), len(CLASSES)), "class_output_bias": (len(CLASSES),),
        "class_linear": (INPUT_WIDTH, len(CLASSES)), "class_linear_bias": (len(CLASSES),), "class_sharpness": (2,),
        "class_thresholds": (len(Thresholds._fields),), "subject_weights": found["subject_terms"].shape,
    }  # fmt: skip
    if any(found[key].shape != shape for key, shape in shapes.items()) or not set(classes) <= {NONE, *PII_CLASS}:
        raise ModelError(f"model {name} was made for another version of piiscan; make it again with `piiscan train`")
    numbers = {
        key: found[key].astype(np.float16 if key in LOOKED_UP else np.float32, copy=False)
        for key in (*shapes, "hidden_bias", "gram_hidden_bias", "table_hidden_bias", "class_hidden_bias")
        if key != "subject_weights"
    }
    # What is shipped is known by its digest.
    if not is_shipped and not all(np.isfinite(a).all() for a in numbers.values()):
        raise ModelError(f"model {name} holds weights that aren't numbers; make it again with `piiscan train`")
    subject = dict(zip(map(str, found["subject_terms"]), found["subject_weights"].astype(float).tolist(), strict=True))
    thresholds = Thresholds(*numbers.pop("class_thresholds").astype(float).round(6).tolist())
    pii = ClassModel(**{key[6:]: numbers.pop(key) for key in [*numbers] if key.startswith("class_")})  # type: ignore[arg-type]
    return ColumnModel(classes, subject=subject, pii=pii, thresholds=thresholds, digest=digest[:16], **numbers)  # type: ignore[arg-type]
