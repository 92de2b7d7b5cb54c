"""What is released and stored: every noisy table with its noise, and the distribution that was made of them. Rows
are drawn from it alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

from piiscan.core.version import __version__
from piiscan.dp import noise
from piiscan.dp.domains import Categories, Number
from piiscan.dp.queries import Costs
from piiscan.dp.request import Request
from piiscan.dp.result import Json, privacy
from piiscan.synthesis.measurement_plan import MeasurementPlan, deviation, domains, sizes
from piiscan.synthesis.measuring import FittedModel, Measured

SCHEMA_VERSION: Final = 1

NOTES: Final = (
    "The rows are made up: what was measured with noise, as listed, is all that they know of the data.",
    "What stands in no table that was measured, of three columns together or of other pairs, is kept only as "
    "far as it follows from them.",
    "They cost epsilon and delta, however many are drawn. That covers these rows alone: no table, risk figure "
    "or exact number that is released beside them.",
    "An accuracy is the distance from the exact count that the noise keeps to "
    "with a probability of 95 %, each count by itself.",
)


def release(request: Request, plan: MeasurementPlan, model: FittedModel, opendp: str) -> Json:
    """The whole of what is published. JSON types only."""
    factors = model.fit.factors
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "dp-synthetic-rows",
        "tool": {"name": "piiscan", "version": __version__, "opendp": opendp},
        "dataset": {"name": request.dataset, "version": request.version},
        "privacy": privacy(request, Costs(plan.pair, 0.0, plan.loss)),
        "rows": {"value": round(model.rows), "accuracy": _rows_within(request, plan)},
        "columns": [_column(name, domain) for name, domain in zip(request.names, domains(request), strict=True)],
        "tables": [
            _table(m, request, plan) | {"factor": _numbers(factors[m.scope].ravel().tolist())} for m in model.measured
        ],
        "choices": _choices(request, plan, len(model.measured) - len(request.names)),
        "notes": list(NOTES),
    }


def _rows_within(request: Request, plan: MeasurementPlan) -> int:
    """Of the mean of all columns' totals, by the size of their noise: ± with 95 %, as a sum of so much noise is
    nearly normal."""
    weight = sum(1 / size for size in sizes(request))
    return math.ceil(NormalDist().inv_cdf(0.975) * deviation(plan.single, request.max_rows) / math.sqrt(weight))


def _column(name: str, domain: Number | Categories) -> Json:
    if isinstance(domain, Categories):
        return {"name": name, "kind": "categories", "categories": list(domain.values)}
    return {"name": name, "kind": "number", "edges": list(domain.edges)}


def _table(measured: Measured, request: Request, plan: MeasurementPlan) -> Json:
    share = plan.single if len(measured.scope) == 1 else plan.pair
    return {
        "columns": [request.names[c] for c in measured.scope],
        "share": share.amount,
        "sensitivity": request.max_rows,
        "scale": measured.scale,
        "accuracy": noise.accuracy(share.mechanism, measured.scale),
        "counts": list(measured.counts),
    }


def _choices(request: Request, plan: MeasurementPlan, made: int) -> Json | None:
    """How pairs were chosen; None where all there are were measured."""
    if not plan.selection.amount:
        return None
    scale = noise.selection_scale(plan.selection, request.max_rows)
    return {"made": made, "share": plan.selection.amount, "sensitivity": request.max_rows, "scale": scale}


def _numbers(values: Sequence[float]) -> list[float]:
    """Six digits are more than the noise leaves."""
    return [float(f"{value:.6g}") for value in values]
