"""One release of synthetic tables: exact tables first, then the charge, then the noise.

This order is what makes it safe.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from piiscan.dp import noise
from piiscan.dp.ledger import Ledger
from piiscan.dp.request import Request
from piiscan.synthesis import needs
from piiscan.synthesis.linked import drawing, plans, release
from piiscan.synthesis.linked.contributions import Progress, Read, contributions
from piiscan.synthesis.linked.plans import LinkedPlan
from piiscan.synthesis.linked.schema import LinkedSchema

if TYPE_CHECKING:
    import polars as pl


class DrawnTables(NamedTuple):
    """The release and the tables drawn from it, by name. `text`, `repeated`: as in `SyntheticTables`."""

    text: str
    repeated: bool
    frames: Mapping[str, pl.DataFrame]


def charge_and_draw_tables(
    read: Mapping[str, Read],
    schema: LinkedSchema,
    request: Request,
    ledger: Ledger,
    budget: float | None = None,
    n: int | None = None,
    progress: Progress | None = None,
) -> DrawnTables:
    """Measure tables that refer to each other, charge the ledger once, and draw tables with `n` rows of the root.

    request: that of the root, whose ε and δ are those of all tables together. budget: the ε that is fixed at the
    dataset's first use.

    Guarantee:
        Assumes: each value of the root's key is one person (or other unit), and each row belongs to the person that it
        refers to, directly or through other tables; the declarations weren't read from the data.
        Ensures: (ε, δ)-differential privacy of the release, and so of all tables drawn from it, for neighbouring data
        that differ by all rows of one person, in all tables, where ε and δ are totals; the ledger is charged before
        noise is drawn; the same query gives the same release for free, and the same rows for the same number. Cells
        contain only declared words, `(other)`, numbers and dates within declared bounds, sums of these, and keys that
        are made up; every row satisfies every constraint of its table.
        Does not protect against: what is released beside it; a row that belongs to several people, which counts for
        each of them; anyone who can read the data or the memory of this process. How long it takes isn't hidden.
        Test: test_linked_attacks.py
    Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`; nothing is charged then.
    """
    noise.require()
    planned = plans.linked_plan(schema, request)
    plans.demand(schema, planned)
    _demand_sample(schema)
    if n is not None:
        needs.demand_rows(n, len(request.columns))
    query = _query(schema, request, planned)
    text, repeated = ledger.stored(query), True
    if text is None:
        ledger.check(request.dataset, planned.loss, budget)
        found = contributions(read, schema, progress)
        charge = ledger.charge(request.dataset, request.version, query, planned.loss, budget)
        if isinstance(charge, str):
            text = charge
        else:
            made = release.measure(schema, request, planned, found, version("opendp"))
            text, repeated = json.dumps(made, ensure_ascii=False, indent=1) + "\n", False
            ledger.store(charge, text)
    return DrawnTables(text, repeated, drawing.frames(text, schema, n))


def _query(schema: LinkedSchema, request: Request, planned: LinkedPlan) -> str:
    """Return the text by which ledgers know this query again; it contains only public facts."""
    tables = []
    for table in sorted(schema.tables, key=lambda table: table.name):
        of = request
        if table.parent is not None:
            columns = [column for step in planned.children[table.name] for column in step.columns]
            of = Request(
                dataset=request.dataset,
                version=request.version,
                columns=tuple((column.name, column.domain) for column in columns if not column.given),
                epsilon=request.epsilon,
                delta=request.delta,
                unit=request.unit,
                max_rows=table.max_rows_of_unit,
                statistics=(),
                quantiles=(),
                table=table.name,
            )
        days = {name: first.isoformat() for name, first in sorted(table.first_days.items())}
        link = [table.key, table.parent, table.reference, table.max_rows, table.order, days]
        # Rows of children are measured given made-up parents, which satisfy these.
        satisfied = [list(map(str, table.constraints.orders))] if table.constraints.orders else []
        tables.append([table.name, link, of.canonical(planned.mechanism), *satisfied])
    return json.dumps({"synthesize_tables": 1, "of": tables}, sort_keys=True, ensure_ascii=False)


def _demand_sample(schema: LinkedSchema) -> None:
    """Check that the memory suffices for the made-up rows that models are fitted by. Raises `UsageError`."""
    rows = release.sample_rows(schema)
    for table in schema.tables:
        rows *= table.max_rows if table.parent is not None else 1
        needs.demand_rows(rows, len(table.columns) + 2)
