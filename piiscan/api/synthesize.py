"""The Python interface: synthetic rows for a frame or a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from piiscan.dp.declare import Declared, domains
from piiscan.dp.request import Request, check_unit
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import account_of
from piiscan.io.native_frames import like
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source, column_names
from piiscan.synthesis.request import SynthesisRequest
from piiscan.synthesis.run import Synthetic, charge_and_draw

if TYPE_CHECKING:
    pass


def synthesize(
    data: Any,
    *,
    epsilon: float,
    delta: float = 0.0,
    n: int | None = None,
    unit: str | None = None,
    one_row_per_person: bool = False,
    max_rows: int = 1,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    entities: Mapping[str, str] | None = None,
    decimals: Mapping[str, int] | None = None,
    schema: str | os.PathLike[str] | None = None,
    columns: Sequence[str] = (),
    dataset: str | None = None,
    version: str = "",
    budget: float | None = None,
    ledger: str | os.PathLike[str] | None = None,
    table: str | None = None,
    read: ReadOptions | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Synthetic:
    """`n` made-up rows that are like those of a data frame, or of the file at a path, with differential privacy,
    charged to the dataset's budget.

    Columns are those of which something is declared: `bounds` of numbers (and `edges` of bins between them),
    `categories`, `entities` the registry knows, a `schema` file; others are left out. `decimals`: with how many digits
    behind the point numbers are written. `n`: by default about as many as there are. All else is as in
    `piiscan.summarize`: `epsilon` and `delta` are totals, and cover any number of rows.

    Guarantee: see `charge_and_draw`. Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`.
    """
    check_unit(unit, one_row_per_person)
    source = Source(data, table, read or ReadOptions())
    book, name = account_of(source, dataset, ledger)
    told = schemas.with_file(
        Declared(bounds or {}, edges or {}, categories or {}, entities or {}, decimals=decimals or {}), schema
    )
    request = Request(
        dataset=name,
        version=version,
        columns=domains(told, columns),
        epsilon=float(epsilon),
        delta=float(delta),
        unit=unit,
        max_rows=max_rows,
        statistics=(),
        quantiles=(),
        table=table,
    )
    numbers_left_out = {*told.bounds, *told.entities} - set(request.names)  # a schema declares more than is asked for
    written = {name: places for name, places in told.decimals.items() if name not in numbers_left_out}
    text, repeated, rows = charge_and_draw(source, SynthesisRequest(request, n, written), book, budget, progress)
    names = column_names(source.opened().info.fields)
    left_out = tuple((i, name) for i, name in enumerate(names) if name not in (*request.names, unit))
    place = {name: i for i, name in enumerate(names)}
    order = sorted(request.names, key=lambda name: place.get(name, len(names)))
    return Synthetic(text, repeated, like(data, rows.select(order)), dict(request.columns), left_out)
