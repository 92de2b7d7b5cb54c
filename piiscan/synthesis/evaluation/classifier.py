"""A classifier that has learned synthetic rows, tested on real ones that were held out, beside one that has learned the
other real rows.

Needs the extra `train`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from piiscan.core.errors import MissingExtra
from piiscan.dp.domains import MISSING
from piiscan.synthesis.evaluation.coded_table import Coded

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.coded_table import Ints

MOST: Final = 50_000
"""Rows that a classifier learns from or is tested on, the first of the table in seeded order."""


class Score(NamedTuple):
    """`accuracy`: the share of rows that are told right. `balanced`: the mean of that share over the classes that
    occur."""

    accuracy: float
    balanced: float


class Classifier(NamedTuple):
    """`target` is told from all other columns. `majority`: what always naming the commonest class of the training
    rows comes to."""

    target: str
    tested: int
    synthetic: Score
    real: Score
    majority: Score


def require() -> None:
    """Raises `MissingExtra` where scikit-learn isn't installed."""
    try:
        import sklearn.ensemble  # noqa: F401
    except ImportError:
        raise MissingExtra("a classifier needs an optional package: pip install 'piiscan-toolkit[train]'") from None


def classifier(train: Coded, test: Coded, synthetic: Coded, target: str, seed: int) -> Classifier | None:
    """None where there is nothing to learn: no row with the target, or no other column."""
    require()
    at = train.names.index(target)
    tables = [_spelled(table, at) for table in (train, test, synthetic)]
    if len(train.names) < 2 or not all(len(y) for _, y in tables):
        return None
    (x, y), (x_test, y_test), (x_synthetic, y_synthetic) = tables
    return Classifier(
        target,
        len(y_test),
        _score(y_test, _learned(x_synthetic, y_synthetic, seed).predict(x_test)),
        _score(y_test, _learned(x, y, seed).predict(x_test)),
        _score(y_test, np.full(len(y_test), np.bincount(y).argmax())),
    )


def _spelled(table: Coded, at: int) -> tuple[Ints, Ints]:
    """The other columns' codes, and the target's, of rows that have one."""
    there = np.flatnonzero(table.codes[at] != table.labels[at].index(MISSING))[:MOST]
    others = [c[there] for i, c in enumerate(table.codes) if i != at]
    return np.array(others, dtype=np.int64).reshape(len(others), len(there)).T, table.codes[at][there]


def _learned(x: Ints, y: Ints, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=50, min_samples_leaf=5, random_state=seed, n_jobs=1).fit(x, y)


def _score(truth: Ints, predicted: Ints) -> Score:
    right = truth == predicted
    return Score(float(right.mean()), float(np.mean([right[truth == c].mean() for c in np.unique(truth)])))
