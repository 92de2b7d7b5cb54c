"""A model that has also learned columns which a user labelled: what `piiscan train` does.

Only the linear part of the model changes. To its logits comes a softmax regression on the labelled columns, whose
weights have Gaussian priors around 0: the model as it was. Maximising the posterior is a convex problem with one
solution, found without any random numbers. Words of a header, which little else shares, may weigh much after a few
columns; how values look, which speaks of other columns too, hardly changes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from piiscan.core.errors import MissingExtra, UsageError
from piiscan.core.types import Field, TableInfo
from piiscan.scanning.classify import arrays
from piiscan.scanning.classify.candidates import judge
from piiscan.scanning.classify.column_features import Features, features
from piiscan.scanning.classify.column_model import OF_VALUES, VERSION, ColumnModel, softmax
from piiscan.scanning.classify.header_prefix import fields_as_read
from piiscan.scanning.classify.table_signals import table_signals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from piiscan.detection.summary.table_summary import TableSummary
    from piiscan.scanning.classify.lexicon import Lexicon

HEADER, DENSE, BIAS = 3.0, 0.1, 0.05
"""Standard deviations of the priors of weights: of the header's words and n-grams, of other features, of the classes
themselves."""
WITHOUT_HEADER: Final = 0.3
"""The weight of a column learned as if it had no header, beside 1 with it."""
STEP: Final = 1 / 256
"""What weights other than those of headers move by are multiples of this. Unrounded, they would be sums of the few
columns' statistics, the least and the greatest number among them, and could be solved for those."""
SHARE: Final = 0.5
"""Of what a column says by itself in the model's answer, which is a geometric mean; the other half is taken as it
was."""


class Example(NamedTuple):
    """A column to learn.

    `before`: (classes,), its log-probabilities among its neighbours by the model to be adapted; `entity`: one of that
    model's classes.
    """

    features: Features
    before: NDArray[np.float64]
    entity: str
    weight: float


def examples(
    model: ColumnModel, info: TableInfo, summary: TableSummary, entities: Mapping[int, str], lexicon: Lexicon
) -> list[Example]:
    """The training examples of a table, for the columns that `entities` labels by their numbers.

    With their headers, where those are informative, and as if the table had none.
    """
    unnamed = [Field(None, f.dtype) for f in info.fields]
    out = []
    as_read = fields_as_read(info, lexicon)
    # A text file's one column is named by the reader. Rules that only a header calls count without it too: they say
    # little of others.
    for fields, weight in ((as_read, 1.0), (unnamed, WITHOUT_HEADER))[info.is_text :]:
        judged = [judge(i, field, summary.columns[i], lexicon) for i, field in enumerate(fields)]
        seen = features(judged, summary.columns, lexicon)
        signals = table_signals(info._replace(fields=tuple(fields)), judged, summary.rows)
        before = np.log(np.maximum(model.probabilities(seen, signals), 1e-12))
        named = weight < 1
        out += [
            Example(seen[i], before[i], entity, weight)
            for i, entity in entities.items()
            if named or judged[i].header is not None
        ]
    return out


def adapt(model: ColumnModel, learned: Sequence[Example]) -> ColumnModel:
    """Return the model after it has learned these columns, in whatever order they come.

    Its digest is still that of the model it came from. Raises `UsageError` for an entity that isn't one of its classes,
    `MissingExtra`.
    """
    minimize = minimizer()
    unknown = sorted({e.entity for e in learned} - set(model.classes))
    if unknown:
        raise UsageError(f"the model knows no columns of {', '.join(unknown)}")
    if not learned:
        return model
    learned = sorted(
        learned,
        key=lambda e: (
            e.entity,
            e.weight,
            e.features.dense.tobytes(),
            e.features.buckets.tobytes(),
            e.before.tobytes(),
        ),
    )
    buckets = np.unique(np.concatenate([e.features.buckets for e in learned]))
    x = _inputs(learned, buckets)
    before = np.stack([e.before for e in learned])
    labels = np.array([model.classes.index(e.entity) for e in learned])
    weight = np.array([e.weight for e in learned])
    shape = (x.shape[1], len(model.classes))

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        chances = softmax(before + SHARE * (x @ flat.reshape(shape)))
        error = chances.copy()
        error[np.arange(len(labels)), labels] -= 1
        surprise = -np.log(np.maximum(chances[np.arange(len(labels)), labels], 1e-300))
        return float(weight @ surprise + flat @ flat / 2), SHARE * (x.T @ (error * weight[:, None])).ravel() + flat

    found = minimize(
        loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500, "gtol": 1e-4}
    )
    return moved_by(model, buckets, found.x.reshape(shape))


def moved_by(model: ColumnModel, buckets: NDArray[np.integer], weights: NDArray[np.float64]) -> ColumnModel:
    """Return the model with weights added to its linear part: (buckets + WIDTH + 1, classes), in priors of variance 1.

    Its digest is still that of the model it came from.
    """
    header = model.linear_header.astype(np.float32)
    header[buckets] += HEADER * weights[: len(buckets)]
    return dataclasses.replace(
        model,
        linear_header=header.astype(np.float16),
        linear_dense=(model.linear_dense + _rounded(DENSE * weights[len(buckets) : -1])).astype(np.float32),
        bias=(model.bias + _rounded(BIAS * weights[-1])).astype(np.float32),
    )


def packed(model: ColumnModel) -> bytes:
    """The file of a model, the same for the same one."""
    parts = {
        f.name: getattr(model, f.name)
        for f in dataclasses.fields(model)
        if f.name not in ("classes", "subject", "pii", "thresholds", "digest")
    }
    parts |= {f"class_{f.name}": getattr(model.pii, f.name) for f in dataclasses.fields(model.pii)}
    parts["class_thresholds"] = np.array(model.thresholds)
    parts |= {"subject_terms": np.array(list(model.subject)), "subject_weights": np.array(list(model.subject.values()))}
    return arrays.packed({"version": np.array(VERSION), "classes": np.array(model.classes), **parts})


def _inputs(learned: Sequence[Example], buckets: NDArray[np.int32]) -> Any:
    """(examples, buckets + WIDTH + 1), a sparse matrix, scaled so that each weight's prior has the variance 1."""
    from scipy.sparse import csr_array, hstack

    header = [e.features for e in learned]
    ends = np.cumsum([0, *(len(f.buckets) for f in header)])
    at = np.searchsorted(buckets, np.concatenate([f.buckets for f in header]))
    named = csr_array(
        (HEADER * np.concatenate([f.weights for f in header]).astype(np.float64), at, ends),
        (len(learned), len(buckets)),
    )
    dense = DENSE * np.stack([f.dense for f in header]).astype(np.float64)
    # Of the logits of a column without a header, the linear part is a share.
    share = np.array([1.0 if f.grams is None else 1 - OF_VALUES for f in header])[:, None]
    return hstack([named, csr_array(share * dense), csr_array(share * BIAS)], format="csr")


def _rounded(moves: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.round(moves / STEP) * STEP)


def minimizer() -> Callable[..., Any]:
    """The solver, `minimize` of scipy. Raises `MissingExtra`, with the install command."""
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise MissingExtra("training needs optional packages: pip install 'piiscan-toolkit[train]'") from None
    found: Callable[..., Any] = minimize
    return found
