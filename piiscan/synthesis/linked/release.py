"""The release of linked tables as it is stored: every noisy table with its noise, and the distributions fitted to them.

Rows are drawn from it alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from statistics import NormalDist
from typing import Final

from piiscan.core.version import __version__
from piiscan.dp import noise
from piiscan.dp.domains import Categories
from piiscan.dp.noise import Share
from piiscan.dp.request import Request
from piiscan.dp.result import Json
from piiscan.synthesis import result
from piiscan.synthesis.code_groups import CodeGroups
from piiscan.synthesis.linked.columns import ModelColumn, orders_of
from piiscan.synthesis.linked.contributions import WHOLE, Contribution, counted
from piiscan.synthesis.linked.drawing import ChildRows, DrawnTable, draw, generator
from piiscan.synthesis.linked.measuring import ChildModel, measured
from piiscan.synthesis.linked.plans import ChildPlan, LinkedPlan
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable
from piiscan.synthesis.measurement_plan import deviation, sizes
from piiscan.synthesis.measuring import Measured
from piiscan.synthesis.measuring import measured as measured_alone

SCHEMA_VERSION: Final = 1
_SAMPLE: Final = 1_000_000
"""Made-up rows of one table, at most, from which it is known what parents are like."""
_FEWEST: Final = 1000

NOTES: Final = (
    *result.NOTES,
    "Keys are made up: 1, 2, 3 and so on. A row refers to the made-up row that it was drawn for.",
    (
        "Children of one row are drawn independently of each other, given that row, how many there are, and their "
        "order if they have one."
    ),
)


def sample_rows(schema: LinkedSchema) -> int:
    """Return how many made-up rows of the root the models of its children are fitted by, at most."""
    most = {schema.root.name: 1}
    for table in schema.tables[1:]:
        most[table.name] = most[table.parent or ""] * table.max_rows
    return max(_FEWEST, min(100_000, _SAMPLE // max(most.values())))


def measure(
    schema: LinkedSchema, request: Request, planned: LinkedPlan, found: Mapping[str, Contribution], opendp: str
) -> Json:
    """Measure all tables, the root first, and return the release, in JSON types only.

    `found`: the rows of each table that count. Everything that depends on them gets noise in `measured`.
    """
    root = schema.root
    of = sizes(request)
    exact = {scope: counted(found[root.name], request.names, of, scope) for scope in planned.root.scopes}
    model = measured_alone(of, exact, planned.root, request.max_rows)
    alone = result.release(request, planned.root, model, opendp, orders_of(root))
    entry = _described(root) | {part: alone[part] for part in ("rows", "columns", "tables", "choices")}
    entries = [entry]
    n = min(max(1, round(model.rows)), sample_rows(schema))
    drawn: dict[str, DrawnTable] = {root.name: draw(schema, root, entry, {}, generator(entry), n)}
    for table in schema.tables[1:]:
        made = ChildRows(schema, table, drawn, generator(entries[-1]))
        steps: list[Json] = []
        for plan in planned.children[table.name]:
            names = names_of(plan)
            known = {c: made.codes[name] for c, name in enumerate(names) if c not in plan.drawn}
            exact_of = partial(counted, found[table.name], names, plan.sizes)
            fitted = measured(plan, exact_of, known, made.weights)
            steps.append(_rendered(plan, fitted))
            made.advance(steps[-1])
        entries.append(_described(table) | {"weight_of_unit": WHOLE, "steps": steps})
        drawn[table.name] = made.drawn()
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "dp-synthetic-tables",
        "tool": {"name": "piiscan", "version": __version__, "opendp": opendp},
        "dataset": {"name": request.dataset, "version": request.version},
        "privacy": _privacy(schema, planned),
        "tables": entries,
        "notes": list(NOTES),
    }


def names_of(plan: ChildPlan) -> list[str]:
    """Return the names of the columns of a plan."""
    return [column.name for column in plan.columns]


def _privacy(schema: LinkedSchema, planned: LinkedPlan) -> Json:
    root = schema.root
    bounds = ", ".join(f"{table.max_rows_of_unit} of {table.name}" for table in schema.tables[1:])
    return {
        "epsilon": planned.loss.epsilon,
        "delta": planned.loss.delta,
        "rho": planned.loss.rho if planned.mechanism == "gaussian" else None,
        "mechanism": planned.mechanism,
        "unit": root.key,
        "max_rows": {table.name: table.max_rows_of_unit for table in schema.tables},
        "neighbours": (
            f"Tables that differ by all rows of one value of {root.key} in {root.name} and all rows that refer to "
            f"them, directly or not, added or removed. Of each value one row of {root.name} counts"
            + (f", and at most {bounds}" if bounds else "")
            + ": those with the smallest keyed hash. Rows that refer to no row that counts are left out."
        ),
    }


def _described(table: LinkedTable) -> Json:
    return {
        "name": table.name,
        "key": table.key,
        "parent": table.parent,
        "reference": table.reference,
        "order": table.order,
        "max_rows": table.max_rows,
        "max_rows_of_unit": table.max_rows_of_unit,
    } | ({"constraints": list(map(str, orders_of(table)))} if table.constraints.orders else {})


def _rendered(plan: ChildPlan, model: ChildModel) -> Json:
    """Return the part of a release about a table of children."""
    names = names_of(plan)
    weight = sum(1 / plan.sizes[c] for c in plan.drawn)
    accuracy = math.ceil(NormalDist().inv_cdf(0.975) * deviation(plan.single, 1) / math.sqrt(weight))
    choices = None
    if plan.selection.amount:
        made = len(model.measured) - len(plan.drawn) - len(plan.first)
        scale = noise.selection_scale(plan.selection, WHOLE)
        choices = {"made": made, "share": plan.selection.amount, "sensitivity": WHOLE, "scale": scale}
    return {
        "units": {"value": round(model.units), "accuracy": accuracy},
        "columns": [_column(column, model.groups, c) for c, column in enumerate(plan.columns)],
        "tables": [
            _table([names[c] for c in m.scope], plan.single if len(m.scope) == 1 else plan.pair, m, model)
            for m in model.measured
        ],
        "choices": choices,
    }


def _column(column: ModelColumn, groups: CodeGroups, index: int) -> Json:
    known = {"name": column.name, "given": column.given, "groups": groups.of(index).tolist()}
    if isinstance(column.domain, Categories):
        return known | {"kind": "categories", "categories": list(column.domain.values)}
    return known | {"kind": "number", "edges": list(column.domain.edges)}


def _table(names: list[str], share: Share, measured: Measured, model: ChildModel) -> Json:
    within: list[float] = []
    if len(measured.scope) == 1:
        within = [float(f"{value:.6g}") for value in model.groups.within[measured.scope[0]].tolist()]
    return {
        "columns": names,
        "share": share.amount,
        "sensitivity": WHOLE,
        "scale": measured.scale,
        "accuracy": noise.accuracy(share.mechanism, measured.scale),
        "counts": list(measured.counts),
        "log_factor": [float(f"{value:.6g}") for value in model.logs[measured.scope].ravel().tolist()],
    } | ({"within": within} if within else {})
