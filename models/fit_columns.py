"""Fit the layers that say what a column is: each column by itself, then each among its neighbours."""

from __future__ import annotations

import collections
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from networks import Inputs, Recipe, linear, networks, targets
from scipy import sparse

from examples import SEED, Example, weights
from piiscan.scanning.classify.column_features import BUCKETS
from piiscan.scanning.classify.column_model import OF_VALUES, among, softmax
from piiscan.scanning.classify.value_grams import GRAM_BUCKETS

FOLDS = 5
SEEDS = (SEED, SEED + 1, SEED + 2)
"""Networks whose logits are averaged are alike but for their random start."""
ALONE = Recipe(hidden=128, dropout=0.5, epochs=8, decay=1e-3)
OF_GRAMS = Recipe(hidden=96, dropout=0.5, epochs=8, decay=1e-3)
GENERATED_GRAMS = 1.5
"""How much a generated column weighs for the network of columns without headers, beside its weight elsewhere: real
tables hold few numbers of documents, religions or accounts."""
AMONG = Recipe(hidden=96, dropout=0.5, epochs=8, decay=3e-3)


@dataclass(frozen=True)
class Columns:
    """Labelled columns among all those of some tables. x: header buckets and features, every column of every table;
    grams: n-grams of the values of those without a header; unnamed: which ones these are; labelled: which have labels;
    y: (labelled,) classes; weight, real: (labelled,); start: (tables + 1,)."""

    examples: Sequence[Example]
    classes: tuple[str, ...]
    x: Inputs
    grams: sparse.csr_matrix
    unnamed: np.ndarray
    labelled: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    real: np.ndarray
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
            _grams(found),
            np.array([f.grams is not None for e in found for f in e.features]),
            np.array([start[t] + i for t, e in enumerate(found) for i in e.labels]),
            np.array([place[label.target] for e in found for label in e.labels.values()]),
            np.array(weights(found)),
            np.array([e.real for e in found for _ in e.labels]),
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
        out |= folds_of_generated({e.group for e in self.examples} - set(out))
        return out, np.repeat([out[e.group] for e in self.examples], np.diff(self.start))


def folds_of_generated(groups: Collection[str]) -> dict[str, int]:
    """The fold of each source of generated tables."""
    return {group: i % FOLDS for i, group in enumerate(sorted(groups))}


def _inputs(found: Sequence[Example]) -> Inputs:
    every = [f for e in found for f in e.features]
    return Inputs(_bags([(f.buckets, f.weights) for f in every], BUCKETS), np.stack([f.dense for f in every]))


def _grams(found: Sequence[Example]) -> sparse.csr_matrix:
    nothing = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
    return _bags([f.grams or nothing for e in found for f in e.features], GRAM_BUCKETS)


def _bags(found: Sequence[tuple[np.ndarray, np.ndarray]], width: int) -> sparse.csr_matrix:
    """Buckets with their weights as rows."""
    ends = np.cumsum([0] + [len(buckets) for buckets, _ in found])
    buckets, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return sparse.csr_matrix((values, buckets, ends), shape=(len(found), width), dtype=np.float32)


def fit(columns: Columns, which: np.ndarray) -> dict[str, np.ndarray]:
    """The first layer, from the labelled columns that `which` (labelled,) marks: networks of one hidden layer, and a
    linear model, each trained by itself; their logits are averaged. Columns without a header have a network of their
    own besides."""
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
        **_fit_unnamed(columns, which & columns.unnamed[columns.labelled]),
    }


def _fit_unnamed(columns: Columns, which: np.ndarray) -> dict[str, np.ndarray]:
    """The network of columns without a header."""
    rows = columns.labelled[which]
    weight = (columns.weight * np.where(columns.real, 1.0, GENERATED_GRAMS))[which]
    dense = columns.x.dense[rows]
    spread = (1 / np.maximum(dense.std(axis=0), 0.1)).astype(np.float32)
    x = Inputs(columns.grams[rows], dense * spread)
    nets = networks(x, targets(columns.y[which], len(columns.classes)), weight, OF_GRAMS, (SEED,))
    return {
        "gram_hidden": nets.first[:GRAM_BUCKETS],
        "gram_dense": nets.first[GRAM_BUCKETS:] * spread[:, None],
        "gram_hidden_bias": nets.hidden_bias,
        "gram_output": nets.output,
        "gram_bias": nets.bias,
    }


def alone(layer: Mapping[str, np.ndarray], columns: Columns, rows: np.ndarray) -> np.ndarray:
    """(rows, classes): the first layer's probabilities for some of the columns, by their places."""
    x = columns.x.of_rows(rows)
    hidden = np.maximum(x.times(np.vstack([layer["hidden_header"], layer["hidden_dense"]])) + layer["hidden_bias"], 0)
    logits: np.ndarray = hidden @ layer["output"] + layer["bias"]
    logits += x.times(np.vstack([layer["linear_header"], layer["linear_dense"]]))
    unnamed = columns.unnamed[rows]
    x = Inputs(columns.grams[rows[unnamed]], x.dense[unnamed])
    hidden = np.maximum(x.times(np.vstack([layer["gram_hidden"], layer["gram_dense"]])) + layer["gram_hidden_bias"], 0)
    of_values = hidden @ layer["gram_output"] + layer["gram_bias"]
    logits[unnamed] = (1 - OF_VALUES) * logits[unnamed] + OF_VALUES * of_values
    return softmax(logits)


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
