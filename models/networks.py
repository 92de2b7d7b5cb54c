"""Networks of one hidden layer of rectified units, and linear models, fitted to weighted classes: the same weights for
the same inputs on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

BATCH = 256
RATE = 2e-3
DECAY, DECAY_OF_SQUARES, SMALL = 0.9, 0.999, 1e-8
"""Of Adam."""


class Inputs(NamedTuple):
    """What examples are told apart by. sparse: (examples, s); dense: (examples, d)."""

    sparse: sparse.csr_matrix
    dense: np.ndarray

    @classmethod
    def of(cls, dense: np.ndarray) -> Inputs:
        """Dense ones alone."""
        return cls(sparse.csr_matrix((len(dense), 0), dtype=np.float32), dense.astype(np.float32))

    def of_rows(self, which: np.ndarray) -> Inputs:
        """Some of the examples, by their places."""
        return Inputs(self.sparse[which], self.dense[which])

    def times(self, weights: np.ndarray) -> np.ndarray:
        """The product with weights, (s + d, k)."""
        width = self.sparse.shape[1]
        out: np.ndarray = self.dense @ weights[width:]
        if width:
            out += self.sparse @ weights[:width]
        return out

    def transposed_times(self, errors: np.ndarray) -> np.ndarray:
        """(s + d, k), of (examples, k)."""
        below: np.ndarray = self.dense.T @ errors
        if not self.sparse.shape[1]:
            return below
        above: np.ndarray = self.sparse.T @ errors
        return np.vstack([above, below])

    @property
    def width(self) -> int:
        return int(self.sparse.shape[1] + self.dense.shape[1])


@dataclass(frozen=True)
class Network:
    """first: (width, h); hidden_bias: (h,); output: (h, classes); bias: (classes,)."""

    first: np.ndarray
    hidden_bias: np.ndarray
    output: np.ndarray
    bias: np.ndarray


def targets(y: np.ndarray, classes: int) -> np.ndarray:
    """(examples, classes): 1 for the class of each example."""
    return np.asarray(np.eye(classes, dtype=np.float32)[y])


@dataclass(frozen=True)
class Recipe:
    """How a network is fitted: units of its hidden layer, the share of them that each batch goes without, how often
    all examples are seen, and the decay of weights for each batch's sum of example weights."""

    hidden: int
    dropout: float
    epochs: int
    decay: float


def network(x: Inputs, wanted: np.ndarray, weight: np.ndarray, recipe: Recipe, seed: int) -> Network:
    """A network fitted by Adam. `wanted`: (examples, classes), rows summing to 1; `weight`: (examples,)."""
    rng = np.random.default_rng(seed)
    weight = weight.astype(np.float32)
    parts = [*_start(rng, x.width, recipe.hidden), *_start(rng, recipe.hidden, wanted.shape[1])]
    first, hidden_bias, output, bias = parts
    means = [np.zeros_like(p) for p in parts]
    squares = [np.zeros_like(p) for p in parts]
    scale = np.float32(1 / (1 - recipe.dropout))
    step = 0
    for _ in range(recipe.epochs):
        order = rng.permutation(len(wanted))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            own = x.of_rows(rows)
            active = np.maximum(own.times(first) + hidden_bias, 0)
            active *= scale * (rng.random(active.shape, dtype=np.float32) >= recipe.dropout)
            errors = (_softmax(active @ output + bias) - wanted[rows]) * weight[rows, None]
            behind = (errors @ output.T) * (scale * (active > 0))
            slopes = [own.transposed_times(behind) + recipe.decay * first, behind.sum(axis=0)]
            slopes += [active.T @ errors + recipe.decay * output, errors.sum(axis=0)]
            step += 1
            rate = RATE * (1 - DECAY_OF_SQUARES**step) ** 0.5 / (1 - DECAY**step)
            total = weight[rows].sum()
            for part, slope, mean, square in zip(parts, slopes, means, squares, strict=True):
                slope /= total
                mean *= DECAY
                mean += (1 - DECAY) * slope
                square *= DECAY_OF_SQUARES
                square += (1 - DECAY_OF_SQUARES) * slope * slope
                part -= rate * mean / (np.sqrt(square) + SMALL)
    return Network(first, hidden_bias, output, bias)


def networks(x: Inputs, wanted: np.ndarray, weight: np.ndarray, recipe: Recipe, seeds: Sequence[int]) -> Network:
    """Networks of different random starts, as one whose logits are the mean of theirs."""
    nets = [network(x, wanted, weight, recipe, seed) for seed in seeds]
    return Network(
        np.hstack([net.first for net in nets]),
        np.concatenate([net.hidden_bias for net in nets]),
        np.vstack([net.output for net in nets]) / len(nets),
        np.mean([net.bias for net in nets], axis=0),
    )


def _start(rng: np.random.Generator, inputs: int, outputs: int) -> list[np.ndarray]:
    """Random weights and biases, as Glorot and Bengio (2010) draw them."""
    bound = (6 / (inputs + outputs)) ** 0.5
    shapes = ((inputs, outputs), (outputs,))
    return [rng.uniform(-bound, bound, shape).astype(np.float32) for shape in shapes]


def linear(
    x: Inputs, wanted: np.ndarray, weight: np.ndarray, spread: float, rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weights, (width, classes), and biases, (classes,), of a logistic regression, by L-BFGS. `spread`: the inverse of
    what squared weights cost, beside the sum of losses."""
    weight = weight.astype(np.float32)
    total = float(weight.sum())
    shape = (x.width + 1, wanted.shape[1])

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        both = flat.reshape(shape)
        logits = x.times(both[:-1].astype(np.float32)) + both[-1].astype(np.float32)
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        sums = odds.sum(axis=1, keepdims=True)
        surprise = float(weight @ (wanted * (np.log(sums) - logits)).sum(axis=1))
        errors = (odds / sums - wanted) * weight[:, None]
        slope = np.vstack([x.transposed_times(errors), errors.sum(axis=0)]).astype(np.float64)
        slope[:-1] += both[:-1] / spread
        cost = surprise + float((both[:-1] ** 2).sum()) / (2 * spread)
        return cost / total, slope.ravel() / total

    found = minimize(
        loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": rounds, "maxls": 50}
    ).x.reshape(shape)
    return found[:-1], found[-1]


def _softmax(logits: np.ndarray) -> np.ndarray:
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
