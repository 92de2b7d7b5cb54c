"""The Python interface: synthetic rows for a frame or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from piiscan.api.made_up_people import People, filled
from piiscan.api.table_input import several, table_source
from piiscan.api.verbs import verb
from piiscan.core import memory
from piiscan.dp.declare import Declared, domains
from piiscan.dp.privacy import Privacy
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import private_request
from piiscan.io.native_frames import like
from piiscan.io.table_source import column_names
from piiscan.synthesis import constraints as constraint_declarations
from piiscan.synthesis.request import SynthesisRequest
from piiscan.synthesis.run import Progress, Synthetic, charge_and_draw


@verb
def synthesize(
    data: Any,
    privacy: Privacy,
    *,
    n: int | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    entities: Mapping[str, str] | None = None,
    decimals: Mapping[str, int] | None = None,
    private_bins: Sequence[str] = (),
    constraints: Sequence[str] = (),
    schema: str | os.PathLike[str] | None = None,
    columns: Sequence[str] = (),
    people: People | str | os.PathLike[str] | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> Synthetic:
    """Draw `n` synthetic rows for a data frame or a file, with differential privacy, and charge the budget.

    privacy: the total cost of all rows, however many, whose rows the data are, and where the budget is kept. Only
    declared columns are included: `bounds` of numbers (and `edges` of bins between them), `categories`, `entities`
    that the registry knows, a `schema` file. decimals: the digits after the decimal point, by column. private_bins:
    columns of numbers whose bins are found from the data, at a part of the cost. constraints: public facts that every
    row satisfies, such as `discharged >= admitted` or `total = food + rooms`; a total isn't measured. n: by default
    about as many as the data have. people: fills columns of names and addresses with made-up people who fit the rows,
    so that the table looks real; a `People`, or the path of a file.
    table: which of a file's tables to read, if it has several. delimiter, encoding, header: how a file's text is
    written; None to infer.

    Guarantee: see `piiscan.synthesis.run.charge_and_draw`. Raises `MissingExtra`, `BudgetError`, `UsageError` and
    `ReadError`.
    """
    memory.begin()
    source = table_source(data, table, delimiter, encoding, header)
    declared = schemas.with_file(
        Declared(
            bounds or {},
            edges or {},
            categories or {},
            entities or {},
            decimals=decimals or {},
            private_bins=private_bins,
            constraints=constraints,
        ),
        schema,
    )
    fill = people if people is None or isinstance(people, People) else People.load(people)
    used = domains(declared, several(columns))
    asked_for = dict(used)
    satisfied = constraint_declarations.declared(declared.constraints, dict(domains(declared)), asked_for)
    measured = tuple((name, domain) for name, domain in used if name not in satisfied.totals)
    request, ledger = private_request(source, privacy, measured)
    totals = {name: asked_for[name] for name in satisfied.totals}
    own = declared.of(asked_for)
    asked = SynthesisRequest(request, n, own.decimals, satisfied, totals, own.private_bins)
    if fill is not None:
        fill.demand(tuple(asked_for))
    text, repeated, rows = charge_and_draw(source, asked, ledger, privacy.budget, progress)
    names = column_names(source.opened().info.fields)
    made_up = () if fill is None else tuple(fill.columns)
    left_out = tuple((i, name) for i, name in enumerate(names) if name not in (*asked_for, *made_up, privacy.unit))
    rows = filled(rows.select(*asked_for), fill, tuple(asked_for), text, names)
    return Synthetic(text, repeated, like(data, rows), asked_for, left_out, made_up, satisfied.texts)
