"""How useful generalised labels are for prediction: a classifier's accuracy before and after."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.anonymity.histogram import Histogram, Ints
from piiscan.anonymity.result import Anonymized
from piiscan.core.errors import UsageError

ROWS: Final = 20_000
"""More rows are drawn from, with a fixed seed."""
FOLDS: Final = 5
_SEED: Final = 0


class Accuracy(NamedTuple):
    """The share of rows whose value of `target` is predicted correctly, in 0..1.

    Three predictions are compared: the most common value, a classifier trained on the original quasi-identifiers, and
    one trained on their labels.
    """

    target: str
    commonest: float
    before: float
    after: float


def accuracy(found: Anonymized, histogram: Histogram, target: str) -> Accuracy:
    """Logistic regression on one-hot columns, cross-validated over five folds of the same rows with a fixed seed.

    target: a quasi-identifier, which is then left out of the features, or a sensitive column; its own values are
    predicted, not their labels. A suppressed row adds nothing. Raises `UsageError` for another column, and if
    scikit-learn is missing.
    """
    columns = {c.name: c for c in found.columns if c.role in ("quasi", "sensitive")}
    if target not in columns:
        raise UsageError(
            f"a classifier predicts a quasi-identifier or a sensitive column, and {target} is neither; choose one "
            f"of {', '.join(columns)}"
        )
    features = [i for i, c in enumerate(found.quasi) if c.name != target]
    solution, histogram = found.solution, histogram.sorted()
    rows = np.repeat(np.arange(len(solution.kept)), solution.problem.rows)
    rows = np.sort(np.random.default_rng(_SEED).permutation(rows)[:ROWS])
    before = np.stack([solution.problem.leaves[i] for i in features], axis=1)
    after = np.stack([_codes(solution.labels[i], solution.kept) for i in features], axis=1)
    targets = histogram.coded(columns[target].index).codes[rows]
    often = np.bincount(targets)
    return Accuracy(target, float(often.max() / len(rows)), _right(before[rows], targets), _right(after[rows], targets))


def _codes(labels: pl.Series, kept: Any) -> Ints:
    shown = labels.set(~pl.Series(kept), None)
    known = shown.drop_nulls().unique().sort()
    return shown.cast(pl.Enum(known)).to_physical().cast(pl.Int64).fill_null(len(known)).to_numpy()


def _right(features: Ints, targets: Ints) -> float:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import KFold, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
    except ImportError:
        raise UsageError(
            "a classifier needs scikit-learn; install it with: pip install 'piiscan-toolkit[train]'"
        ) from None
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=200))
    folds = KFold(FOLDS, shuffle=True, random_state=_SEED)
    return float(np.mean(cross_val_score(model, features, targets, cv=folds)))
