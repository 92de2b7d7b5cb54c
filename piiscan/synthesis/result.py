"""The release of synthetic rows as it is stored.

It contains every noisy table with its noise, and the distribution fitted to them.

Rows are drawn from it alone.
"""

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
from piiscan.synthesis.constraints import Order
from piiscan.synthesis.measurement_plan import MeasurementPlan, deviation, domains, sizes
from piiscan.synthesis.measuring import FittedModel, Measured
from piiscan.synthesis.private_bins import PrivateBins

SCHEMA_VERSION: Final = 2
"""1 had no groups: pairs were counted by codes."""

NOTES: Final = (
    "The rows are made up: they depend on the data only through the measurements with noise that are listed here.",
    (
        "Patterns of several columns together that are in no measured table are preserved only as far as they follow "
        "from the measured ones."
    ),
    (
        "The rows cost the epsilon and delta that are stated, however many are drawn. These cover only these rows, "
        "not a table, risk figure or exact number that is released beside them."
    ),
    (
        "An accuracy is a distance from the exact count: with a probability of 95 %, the noise stays within it. This "
        "holds for each count separately."
    ),
)


def release(
    request: Request,
    plan: MeasurementPlan,
    model: FittedModel,
    opendp: str,
    orders: Sequence[Order] = (),
    private: Sequence[PrivateBins] = (),
) -> Json:
    """Return the published release, in JSON types only.

    `orders`: the distribution was fitted under them. `private`: how bins of some columns were found.
    """
    factors, groups = model.factors, model.groups
    found = {column.name: _private(column, request, plan) for column in private}
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "dp-synthetic-rows",
        "tool": {"name": "piiscan", "version": __version__, "opendp": opendp},
        "dataset": {"name": request.dataset, "version": request.version},
        "privacy": privacy(request, Costs(plan.pair, 0.0, plan.loss)),
        "rows": {"value": round(model.rows), "accuracy": _rows_within(request, plan)},
        "columns": [
            _column(name, domain, groups.of(c).tolist()) | found.get(name, {})
            for c, (name, domain) in enumerate(zip(request.names, domains(request), strict=True))
        ],
        "tables": [
            _table(m, request, plan) | {"factor": _numbers(factors[m.scope].ravel().tolist())} for m in model.measured
        ],
        "choices": _choices(request, plan, len(model.measured) - len(request.names)),
        **({"constraints": list(map(str, orders))} if orders else {}),
        "notes": list(NOTES),
    }


def _rows_within(request: Request, plan: MeasurementPlan) -> int:
    """Return the accuracy of the number of rows: ± with 95 %.

    The number is the mean of all columns' totals, weighted by their noise; a sum of so much noise is nearly normal.
    """
    weight = sum(1 / size for size in sizes(request))
    return math.ceil(NormalDist().inv_cdf(0.975) * deviation(plan.single, request.max_rows) / math.sqrt(weight))


def _column(name: str, domain: Number | Categories, groups: Sequence[int]) -> Json:
    """Describe a column; `groups`: the group of each code, by which pairs are counted."""
    if isinstance(domain, Categories):
        return {"name": name, "kind": "categories", "categories": list(domain.values)}
    return {"name": name, "kind": "number", "edges": list(domain.edges), "groups": list(groups)}


def _private(column: PrivateBins, request: Request, plan: MeasurementPlan) -> Json:
    """Describe how a column's bins were found, and what that cost: `share` for each of the `widths` of cells."""
    assert plan.level is not None
    scale = noise.scale_of(plan.level, request.max_rows)
    own = {"share": plan.level.amount, "sensitivity": request.max_rows, "scale": scale}
    return {"decimals": column.decimals, "found": {"widths": list(map(float, column.widths)), **own}}


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
    """Describe how tables of several columns were chosen; None if all pairs were measured."""
    if not plan.selection.amount:
        return None
    scale = noise.selection_scale(plan.selection, request.max_rows)
    return {"made": made, "share": plan.selection.amount, "sensitivity": request.max_rows, "scale": scale}


def _numbers(values: Sequence[float]) -> list[float]:
    """Round to six digits, which are more than the noise leaves meaningful."""
    return [float(f"{value:.6g}") for value in values]
