"""What is scored by folds has no say in the layer and the limits that it is judged by."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "models"))
from fit_classes import Classes, thresholds
from fit_columns import FOLDS
from train import Model, learn_classes

from piiscan.scanning.classify.class_model import FAMILIES, INPUT_WIDTH

COLUMNS, IN_A_TABLE = 600, 4


def of_tables(seen: int | None) -> Classes:
    """Columns whose class their first input tells; those of the fold `seen` have classes that nothing tells."""
    chance = np.random.default_rng(5)
    x = chance.normal(size=(COLUMNS, INPUT_WIDTH)).astype(np.float32)
    y = np.digitize(x[:, 0] + 0.3 * chance.normal(size=COLUMNS), (0, 1))
    table = np.arange(COLUMNS) // IN_A_TABLE
    fold = table % FOLDS
    y = np.where(fold == seen, chance.integers(3, size=COLUMNS), y)
    every = np.ones(COLUMNS, dtype=bool)
    families = np.array(FAMILIES)[np.arange(COLUMNS) % len(FAMILIES)]
    owner = np.where(np.arange(COLUMNS) % IN_A_TABLE < 2, table, -1)
    least, most = np.zeros(COLUMNS, dtype=int), np.full(COLUMNS, 2)
    return Classes(
        x, y, np.ones(COLUMNS), fold, table % 2 == 0, families, table, every, owner, least, most, every, every
    )


def learned(classes: Classes) -> list[Model]:
    models = [Model((), {}) for _ in range(FOLDS + 1)]
    learn_classes(classes, models, 1)
    return models


def layer(model: Model) -> list[bytes]:
    return [a.tobytes() for name, a in model.pii.items() if name != "sharpness"]


def test_the_layer_of_a_fold_learns_nothing_from_its_columns_and_that_of_the_whole_does() -> None:
    before, after = learned(of_tables(None)), learned(of_tables(2))
    same = [layer(a) == layer(b) for a, b in zip(before, after, strict=True)]
    assert same == [k == 2 for k in range(FOLDS + 1)]


def test_columns_that_facts_acquit_have_no_say_in_the_limits_of_the_rest() -> None:
    """Whatever the layers make of them, they are called none, so that no limit keeps them from raising an alarm."""
    whole = of_tables(None)
    found = np.random.default_rng(7).dirichlet(np.ones(3), size=COLUMNS)
    acquitted = whole.table % 3 == 0
    y, most = np.where(acquitted, 0, whole.y), np.where(acquitted, 0, whole.most)
    likely = np.where(acquitted[:, None], (0.02, 0.03, 0.95), found)
    unlikely = np.where(acquitted[:, None], (0.98, 0.01, 0.01), found)
    bounded, free = replace(whole, y=y, most=most), replace(whole, y=y)
    assert thresholds(bounded, likely) == thresholds(bounded, unlikely)
    assert thresholds(free, likely) != thresholds(free, unlikely)


def test_columns_of_a_fold_have_no_say_in_its_limits() -> None:
    """Of columns that no layer learns from, since they weigh nothing, only the limits of other folds hear."""
    whole = of_tables(None)
    chance = np.random.default_rng(6)
    silent = whole.fold == 2
    weight = np.where(silent, 0.0, 1.0)
    noise = np.where(silent, chance.integers(3, size=COLUMNS), whole.y)
    before, after = (learned(replace(whole, weight=weight, y=y)) for y in (whole.y, noise))
    assert all(layer(a) == layer(b) for a, b in zip(before, after, strict=True))
    assert [a.thresholds == b.thresholds for a, b in zip(before, after, strict=True)] == [
        k == 2 for k in range(FOLDS + 1)
    ]
