"""What fits the column model: it learns what a line can't part, is the same for the same seed, and agrees with an
implementation of others where there is one right answer."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

sys.path.insert(0, str(Path(__file__).parent.parent / "models"))
from networks import Inputs, Network, Recipe, linear, network, networks, targets

RECIPE = Recipe(hidden=16, dropout=0.2, epochs=60, decay=1e-3)


def rings() -> tuple[np.ndarray, np.ndarray]:
    """Points on one of three rings, and which."""
    chance = np.random.default_rng(3)
    y = np.arange(900) % 3
    angle, away = chance.uniform(0, 2 * np.pi, 900), y + chance.uniform(0.5, 0.9, 900)
    return np.stack([away * np.cos(angle), away * np.sin(angle)], axis=1).astype(np.float32), y


def said(net: Network, x: Inputs) -> np.ndarray:
    return np.asarray((np.maximum(x.times(net.first) + net.hidden_bias, 0) @ net.output + net.bias).argmax(axis=1))


def test_a_network_learns_what_a_line_cannot_part() -> None:
    points, y = rings()
    x, weight = Inputs.of(points), np.ones(len(y))
    assert (said(network(x, targets(y, 3), weight, RECIPE, 0), x) == y).mean() > 0.95
    weights, biases = linear(x, targets(y, 3), weight, 1.0, 50)
    assert ((x.times(weights) + biases).argmax(axis=1) == y).mean() < 0.6


def test_examples_without_weight_teach_nothing() -> None:
    points, y = rings()
    wrong, weight = y.copy(), np.ones(len(y))
    wrong[::4], weight[::4] = (y[::4] + 1) % 3, 0
    net = networks(Inputs.of(points), targets(wrong, 3), weight, RECIPE, (0, 1))
    assert (said(net, Inputs.of(points)) == y).mean() > 0.9


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_weights_whether_inputs_are_sparse_or_not(seed: int) -> None:
    points, y = rings()
    few = Recipe(hidden=8, dropout=0.5, epochs=2, decay=1e-3)
    wanted, weight = targets(y, 3), np.linspace(0.1, 1, len(y))
    one, again = (network(Inputs.of(points), wanted, weight, few, seed) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(vars(one).values(), vars(again).values(), strict=True))
    split = Inputs(sparse.csr_matrix(points[:, :1]), points[:, 1:])
    assert np.allclose(network(split, wanted, weight, few, seed).first, one.first, atol=1e-4)


def test_a_linear_model_is_that_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    points, y = rings()
    x, weight = np.hstack([points, points**2]), np.linspace(0.1, 1, len(y))
    weights, biases = linear(Inputs.of(x), targets(y, 3), weight, 0.5, 1000)
    theirs = LogisticRegression(C=0.5, max_iter=1000, tol=1e-8).fit(x, y, sample_weight=weight)
    assert np.allclose(weights, theirs.coef_.T, atol=0.02)
    assert np.allclose(biases - biases.mean(), theirs.intercept_ - theirs.intercept_.mean(), atol=0.05)
