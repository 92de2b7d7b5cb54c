"""Fit the layers that say what a column is: each column by itself, then each among its neighbours."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from networks import Inputs, Recipe, linear, networks, targets
from scipy import sparse

from examples import SEED, Example, weights
from piiscan.scanning.classify.column_features import BUCKETS
from piiscan.scanning.classify.column_model import among, softmax

FOLDS = 5
SEEDS = (SEED, SEED + 1, SEED + 2)
"""Networks whose logits are averaged are alike but for their random start."""
ALONE = Recipe(hidden=128, dropout=0.5, epochs=8, decay=1e-3)
AMONG = Recipe(hidden=96, dropout=0.5, epochs=8, decay=3e-3)


@dataclass(frozen=True)
class Columns:
    """Labelled columns among all those of some tables. x: header buckets and features, every column of every table;
    labelled: which of them have labels; y: (labelled,) classes; weight: (labelled,); start: (tables + 1,)."""

    examples: Sequence[Example]
    classes: tuple[str, ...]
    x: Inputs
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
            _inputs(found),
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


def _inputs(found: Sequence[Example]) -> Inputs:
    every = [f for e in found for f in e.features]
    ends = np.cumsum([0] + [len(f.buckets) for f in every])
    buckets = np.concatenate([f.buckets for f in every])
    values = np.concatenate([f.weights for f in every])
    header = sparse.csr_matrix((values, buckets, ends), shape=(len(every), BUCKETS), dtype=np.float32)
    return Inputs(header, np.stack([f.dense for f in every]))


def fit(columns: Columns, which: np.ndarray) -> dict[str, np.ndarray]:
    """The first layer, from the labelled columns that `which` (labelled,) marks: networks of one hidden layer, and a
    linear model, each trained by itself; their logits are averaged."""
    x, weight = columns.x.of_rows(columns.labelled[which]), columns.weight[which]
    wanted = targets(columns.y[which], len(columns.classes))
    spread = (1 / np.maximum(x.dense.std(axis=0), 0.1)).astype(np.float32)
    scaled = Inputs(x.sparse, x.dense * spread)
    nets = networks(scaled, wanted, weight, ALONE, SEEDS)
    coefficients, intercepts = linear(x, wanted, weight, 3.0, 100)
    return {
        "hidden_header": nets.first[:BUCKETS],
        "hidden_dense": nets.first[BUCKETS:] * spread[:, None],
        "hidden_bias": nets.hidden_bias,
        "output": 0.5 * nets.output,
        "linear_header": 0.5 * coefficients[:BUCKETS],
        "linear_dense": 0.5 * coefficients[BUCKETS:],
        "bias": 0.5 * (nets.bias + intercepts),
    }


def alone(layer: Mapping[str, np.ndarray], x: Inputs) -> np.ndarray:
    """(columns, classes): the first layer's probabilities."""
    hidden = np.maximum(x.times(np.vstack([layer["hidden_header"], layer["hidden_dense"]])) + layer["hidden_bias"], 0)
    return softmax(
        hidden @ layer["output"] + x.times(np.vstack([layer["linear_header"], layer["linear_dense"]])) + layer["bias"]
    )


def fit_table(columns: Columns, inputs: np.ndarray, which: np.ndarray) -> dict[str, np.ndarray]:
    """The second layer, over `table_inputs` that are made of probabilities by models which had not seen the source."""
    x, weight = Inputs.of(inputs[columns.labelled[which]]), columns.weight[which]
    wanted = targets(columns.y[which], len(columns.classes))
    nets = networks(x, wanted, weight, AMONG, SEEDS)
    names = ("table_hidden", "table_hidden_bias", "table_output", "table_bias")
    return dict(zip(names, (nets.first, nets.hidden_bias, nets.output, nets.bias), strict=True))


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
