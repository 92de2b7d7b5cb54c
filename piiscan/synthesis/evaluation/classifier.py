"""A classifier trained on synthetic rows, compared with one trained on real rows.

Both are tested on real rows that were held out. Needs the extra `train`.
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
"""The largest number of rows for training or testing: the first of the table in a seeded order."""


class Score(NamedTuple):
    """The quality of predictions.

    `accuracy`: the share of rows that are predicted correctly. `balanced`: the mean of that share over the classes
    that occur.
    """

    accuracy: float
    balanced: float


class Classifier(NamedTuple):
    """The scores of predicting `target` from all other columns.

    `majority`: the score of always predicting the most common class of the training rows.
    """

    target: str
    tested: int
    synthetic: Score
    real: Score
    majority: Score


def require() -> None:
    """Raise `MissingExtra` if scikit-learn isn't installed."""
    try:
        import sklearn.ensemble  # noqa: F401
    except ImportError:
        raise MissingExtra("a classifier needs an optional package: pip install 'piiscan-toolkit[train]'") from None


def classifier(train: Coded, test: Coded, synthetic: Coded, target: str, seed: int) -> Classifier | None:
    """Train and test the classifiers; None if there is no row with the target, or no other column."""
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
    """Return the other columns' codes, and the target's, for rows that have a target."""
    there = np.flatnonzero(table.codes[at] != table.labels[at].index(MISSING))[:MOST]
    others = [c[there] for i, c in enumerate(table.codes) if i != at]
    return np.array(others, dtype=np.int64).reshape(len(others), len(there)).T, table.codes[at][there]


def _learned(x: Ints, y: Ints, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=50, min_samples_leaf=5, random_state=seed, n_jobs=1).fit(x, y)


def _score(truth: Ints, predicted: Ints) -> Score:
    right = truth == predicted
    return Score(float(right.mean()), float(np.mean([right[truth == c].mean() for c in np.unique(truth)])))
