"""Fit the layers that say what a column is: each column by itself, then each among its neighbours."""

from __future__ import annotations

import collections
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from examples import SEED, Example, weights
from piiscan.scanning.classify.column_features import BUCKETS, WIDTH
from piiscan.scanning.classify.column_model import among, softmax

FOLDS = 5
NETS = 3
"""Networks whose logits are averaged, alike but for their random start."""
HIDDEN, EPOCHS = 64, 8
TABLE_HIDDEN, TABLE_EPOCHS = 48, 8


@dataclass(frozen=True)
class Columns:
    """Labelled columns among all those of some tables. x: (columns, BUCKETS + WIDTH), every column of every table;
    labelled: which of them have labels; y: (labelled,) classes; weight: (labelled,); start: (tables + 1,)."""

    examples: Sequence[Example]
    classes: tuple[str, ...]
    x: sparse.csr_matrix
    labelled: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    start: np.ndarray

    @classmethod
    def of(cls, found: Sequence[Example]) -> Columns:
        """The columns of some tables."""
        classes = tuple(sorted({label.target for e in found for label in e.labels.values()} | {"NONE"}))
        start = np.cumsum([0] + [len(e.features) for e in found])
        place = {c: i for i, c in enumerate(classes)}
        return cls(
            found,
            classes,
            _matrix(found),
            np.array([start[t] + i for t, e in enumerate(found) for i in e.labels]),
            np.array([place[label.target] for e in found for label in e.labels.values()]),
            np.array(weights(found)),
            start,
        )

    def folds(self) -> tuple[dict[str, int], np.ndarray]:
        """The fold of each source, and of each column. Sources of real tables go to the smallest fold, large ones
        first; generated ones in turn."""
        out: dict[str, int] = {}
        load = [0] * FOLDS
        sizes: collections.Counter[str] = collections.Counter()
        for e in self.examples:
            if e.real and e.kind == "full":
                sizes[e.group] += len(e.labels)
        for group, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
            out[group] = int(np.argmin(load))
            load[out[group]] += size
        rest = sorted({e.group for e in self.examples} - set(out))
        out |= {group: i % FOLDS for i, group in enumerate(rest)}
        return out, np.repeat([out[e.group] for e in self.examples], np.diff(self.start))


def _matrix(found: Sequence[Example]) -> sparse.csr_matrix:
    """(columns, BUCKETS + WIDTH)."""
    every = [f for e in found for f in e.features]
    ends = np.cumsum([0] + [len(f.buckets) for f in every])
    buckets = np.concatenate([f.buckets for f in every])
    values = np.concatenate([f.weights for f in every])
    header = sparse.csr_matrix((values, buckets, ends), shape=(len(every), BUCKETS), dtype=np.float32)
    return sparse.hstack([header, sparse.csr_matrix(np.stack([f.dense for f in every]))]).tocsr()


def fit(columns: Columns, which: np.ndarray) -> dict[str, np.ndarray]:
    """The first layer, from the labelled columns that `which` (labelled,) marks: networks of one hidden layer, and a
    linear model, each trained by itself; their logits are averaged."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    x, y, weight = columns.x[columns.labelled[which]], columns.y[which], columns.weight[which]
    spread = np.ones(BUCKETS + WIDTH, dtype=np.float32)
    dense = x[:, BUCKETS:].toarray()
    spread[BUCKETS:] = 1 / np.maximum(dense.std(axis=0), 0.1)
    scaled = x @ sparse.diags(spread)
    # A few epochs and iterations generalise better than convergence.
    warnings.simplefilter("ignore", ConvergenceWarning)
    nets = [
        MLPClassifier(
            (HIDDEN,), alpha=1e-3, max_iter=EPOCHS, batch_size=256, learning_rate_init=2e-3, random_state=SEED + i
        ).fit(scaled, y, sample_weight=weight)
        for i in range(NETS)
    ]
    line = LogisticRegression(C=3.0, max_iter=100).fit(x, y, sample_weight=weight)
    classes = len(columns.classes)
    first, hidden_bias, output, bias = stacked(nets, classes)
    first *= spread[:, None]
    linear = np.zeros((BUCKETS + WIDTH, classes))
    linear[:, line.classes_] = 0.5 * line.coef_.T
    bias[line.classes_] = 0.5 * (bias[line.classes_] + line.intercept_)
    return {
        "hidden_header": first[:BUCKETS],
        "hidden_dense": first[BUCKETS:],
        "hidden_bias": hidden_bias,
        "output": 0.5 * output,
        "linear_header": linear[:BUCKETS],
        "linear_dense": linear[BUCKETS:],
        "bias": bias,
    }


def alone(layer: Mapping[str, np.ndarray], x: sparse.csr_matrix) -> np.ndarray:
    """(columns, classes): the first layer's probabilities."""
    hidden = np.maximum(x @ np.vstack([layer["hidden_header"], layer["hidden_dense"]]) + layer["hidden_bias"], 0)
    linear = x @ np.vstack([layer["linear_header"], layer["linear_dense"]])
    return softmax(np.asarray(hidden @ layer["output"] + linear + layer["bias"]))


def stacked(nets: Sequence[Any], classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Networks as one whose logits are the mean of theirs: inputs to hidden, its bias, hidden to classes, its bias."""
    output = np.zeros((sum(len(net.intercepts_[0]) for net in nets), classes))
    bias = np.full(classes, -12.0)  # of a class that no example has
    known = nets[0].classes_
    output[:, known] = np.vstack([net.coefs_[1] for net in nets]) / len(nets)
    bias[known] = np.mean([net.intercepts_[1] for net in nets], axis=0)
    return (
        np.hstack([net.coefs_[0] for net in nets]),
        np.concatenate([net.intercepts_[0] for net in nets]),
        output,
        bias,
    )


def fit_table(columns: Columns, inputs: np.ndarray, which: np.ndarray) -> dict[str, np.ndarray]:
    """The second layer, over `table_inputs` that are made of probabilities by models which had not seen the source."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore", ConvergenceWarning)
    x, y, weight = inputs[columns.labelled[which]], columns.y[which], columns.weight[which]
    nets = [
        MLPClassifier(
            (TABLE_HIDDEN,),
            alpha=3e-2,
            max_iter=TABLE_EPOCHS,
            batch_size=256,
            learning_rate_init=2e-3,
            random_state=SEED + i,
        ).fit(x, y, sample_weight=weight)
        for i in range(NETS)
    ]
    names = ("table_hidden", "table_hidden_bias", "table_output", "table_bias")
    return dict(zip(names, stacked(nets, len(columns.classes)), strict=True))


def table_inputs(columns: Columns, chances: np.ndarray) -> np.ndarray:
    """`among` for every column, table by table."""
    parts = []
    for t, e in enumerate(columns.examples):
        own = chances[columns.start[t] : columns.start[t + 1]]
        parts.append(among(own, np.stack([f.dense for f in e.features]), e.signals))
    return np.vstack(parts)


def together(own: np.ndarray, inputs: np.ndarray, layer: Mapping[str, np.ndarray]) -> np.ndarray:
    """The geometric mean of what a column says by itself and among its neighbours."""
    hidden = np.maximum(inputs @ layer["table_hidden"] + layer["table_hidden_bias"], 0)
    both = np.sqrt(own * softmax(hidden @ layer["table_output"] + layer["table_bias"]))
    return np.asarray(both / both.sum(axis=1, keepdims=True))


def reliability(columns: Columns, chances: np.ndarray) -> str:
    """For the model card: how often the likeliest class is right, by variant and by its probability, on sources not
    seen."""
    kinds, right, sure = [], [], []
    for t, e in enumerate(columns.examples):
        for i, label in e.labels.items():
            p = chances[columns.start[t] + i]
            if e.real:
                kinds.append(e.kind)
                right.append(columns.classes[int(p.argmax())] in label.accepted)
                sure.append(p.max())
    kind, hit, stated = np.array(kinds), np.array(right), np.array(sure)
    lines = []
    for variant in dict.fromkeys(kinds):
        here = kind == variant
        lines.append(
            f"{variant}: {hit[here].mean():.3f} of {here.sum():,} right, mean probability {stated[here].mean():.3f}"
        )
        for low in np.arange(0.2, 1.0, 0.1):
            some = here & (stated >= low) & (stated < low + 0.1 + (low > 0.85))
            if some.sum() >= 20:
                share = f"{stated[some].mean():.3f} | {hit[some].mean():.3f}"
                lines.append(f"| {low:.1f}–{low + 0.1:.1f} | {some.sum():,} | {share} |")
    return "\n".join(lines)
