"""Draws tables from a release: the root first, then for each row its children, and so on.

Everything drawn here was paid for before. The same release and number give the same rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Number
from piiscan.dp.tally import codes
from piiscan.synthesis import draw_rows, needs, synthetic_rows
from piiscan.synthesis.linked import columns as c
from piiscan.synthesis.linked import conditional
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable
from piiscan.synthesis.synthetic_rows import MOST_ROWS

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope
    from piiscan.synthesis.linked.conditional import Bools

Json = dict[str, Any]


class DrawnTable(NamedTuple):
    """The rows of a table: `codes` by column of its model, `cells` by declared column.

    `parents`, `units`: the number of each row's parent, and of the row of the root that it belongs to.
    """

    codes: Mapping[str, Ints]
    cells: Mapping[str, pl.Series]
    parents: Ints | None
    units: Ints

    @property
    def rows(self) -> int:
        return len(next(iter(self.codes.values())))


def frames(text: str, schema: LinkedSchema, n: int | None = None) -> dict[str, pl.DataFrame]:
    """Draw tables from the text of a release, with `n` rows of the root; by default about as many as there were.

    Keys are 1, 2, 3 and so on in the order of rows; those of children refer to them. Columns are the key, the
    reference, and the declared ones. Raises `UsageError` where there would be too many rows.
    """
    release = json.loads(text)
    drawn: dict[str, DrawnTable] = {}
    entries = {entry["name"]: entry for entry in release["tables"]}
    for table in schema.tables:
        drawn[table.name] = draw(schema, table, entries[table.name], drawn, _generator(text, table.name), n)
    return {table.name: _frame(table, drawn[table.name]) for table in schema.tables}


def draw(
    schema: LinkedSchema,
    table: LinkedTable,
    entry: Json,
    drawn: Mapping[str, DrawnTable],
    random: np.random.Generator,
    n: int | None = None,
) -> DrawnTable:
    """Draw a table, the parents of which are `drawn`. `entry`: its part of the release. `n`: rows of the root."""
    if table.parent is None:
        return _root(schema, table, entry, n)
    return _children(schema, table, entry, drawn, random)


def generator(entry: Json) -> np.random.Generator:
    """Return a generator of random numbers that depends on a part of a release alone."""
    return _generator(json.dumps(entry, sort_keys=True), "")


def given(schema: LinkedSchema, table: LinkedTable, above: Mapping[str, DrawnTable]) -> tuple[dict[str, Ints], Floats]:
    """Return the codes of the given columns of a child's rows, for the parents that were drawn, and their weights.

    The weights of the rows that belong to one row of the root add up to 1.
    """
    parents, places = _children_of(table, above[table.parent or ""])
    units = above[table.parent or ""].units[parents]
    return _given(schema, table, above, parents, places), 1 / np.bincount(units)[units] if len(units) else np.empty(0)


def _generator(text: str, name: str) -> np.random.Generator:
    # The seed need not be secret: the release is public.
    seed = hashlib.sha256(f"{name}\0{text}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed)))


def _root(schema: LinkedSchema, table: LinkedTable, entry: Json, n: int | None) -> DrawnTable:
    drawn = [column for column in c.model_columns(schema, table)]
    digits = {c.own(table, name): places for name, places in table.decimals.items()}
    for child in schema.children(table.name):
        digits[c.children_of(child)] = 0
        if child.order is not None:
            digits[c.first_of(child)] = child.order_units[0]
    rows = synthetic_rows.frame(json.dumps(entry), n, digits)
    made = {column.name: codes(rows[column.name], column.domain) for column in drawn}
    cells = {name: rows[c.own(table, name)] for name, _ in table.columns}
    firsts = {column: rows[column] for column in _firsts(schema, table)}
    return DrawnTable(made, cells | firsts, None, np.arange(len(rows)))


def _firsts(schema: LinkedSchema, table: LinkedTable) -> list[str]:
    return [c.first_of(child) for child in schema.children(table.name) if child.order is not None]


def _children(
    schema: LinkedSchema, table: LinkedTable, entry: Json, above: Mapping[str, DrawnTable], random: np.random.Generator
) -> DrawnTable:
    parents, places = _children_of(table, above[table.parent or ""])
    needs.demand_rows(len(parents), len(entry["columns"]))
    model = _Model(entry, len(parents), random)
    model.know(_given(schema, table, above, parents, places))
    cells: dict[str, pl.Series] = {}
    if table.order is not None:
        cells[table.order] = _in_order(schema, table, model, above[table.parent or ""], parents, places)
    model.draw_rest()
    for column in c.model_columns(schema, table):
        if not column.given and column.name not in (c.own(table, table.order or ""), c.gap_of(table)):
            cells[column.name] = model.cells(column.name, _digits(schema, table, column.name))
    for name, _ in table.columns:
        if name != table.order:
            cells[name] = cells.pop(c.own(table, name))
    return DrawnTable(model.codes, cells, parents, above[table.parent or ""].units[parents])


def _children_of(table: LinkedTable, above: DrawnTable) -> tuple[Ints, Ints]:
    """Return for each child the number of its parent, and its place among the parent's children, from 0.

    Raises `UsageError` where there would be too many.
    """
    counts = above.codes[c.children_of(table)]
    counts = np.where(counts > table.max_rows, 0, counts)  # the code of missing counts: noise
    total = int(counts.sum())
    if total > MOST_ROWS:
        raise UsageError(f"table {table.name}: it would have {total:,} rows, and at most {MOST_ROWS:,} are drawn; ask for fewer rows with --rows")
    parents = np.repeat(np.arange(len(counts)), counts)
    places = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return parents, places


def _given(
    schema: LinkedSchema, table: LinkedTable, above: Mapping[str, DrawnTable], parents: Ints, places: Ints
) -> dict[str, Ints]:
    known: dict[str, Ints] = {}
    if table.order is not None:
        known[c.place_of(table)] = places
    at, lower = parents, table
    for ancestor in schema.ancestors(table):
        known[c.children_of(lower)] = above[ancestor.name].codes[c.children_of(lower)][at]
        lower = ancestor
        for name, _ in ancestor.columns:
            known[c.own(ancestor, name)] = above[ancestor.name].codes[c.own(ancestor, name)][at]
        upper = above[ancestor.name].parents
        at = at if upper is None else upper[at]
    return known


def _in_order(
    schema: LinkedSchema, table: LinkedTable, model: _Model, above: DrawnTable, parents: Ints, places: Ints
) -> pl.Series:
    """Draw the column that a table is in order by: the first of each parent as its parent says, then gap after gap.

    A gap is drawn among those after which the next row is within the bounds. Cells are empty only if more were than
    noise explains.
    """
    order = table.order or ""
    domain = dict(table.columns)[order]
    assert isinstance(domain, Number)
    digits, most = table.order_units
    unit, gap = 10**digits, c.gap_of(table)
    first = above.cells[c.first_of(table)]
    start = ((first.cast(pl.Float64).fill_null(float("nan")).to_numpy() - domain.low) * unit).round()[parents]
    ends = [round(edge * unit) for edge in table.gap.edges]
    lows, highs = np.array(ends[:-1]), np.array(ends[1:]) - 1
    missing, some_missing = len(lows), model.has_missing(c.own(table, order))
    at = np.full(len(parents), np.nan)
    at[places == 0] = np.minimum(start[places == 0], most)
    found = np.full(len(parents), missing, dtype=np.int64)
    unsaid = np.flatnonzero((places == 0) & np.isnan(at))  # its parent says when, save by noise
    if len(unsaid):
        may = np.ones((len(unsaid), len(domain.labels) + 1), dtype=bool)
        may[:, -1] = some_missing
        days = model.cells_of(c.own(table, order), unsaid, may, {gap: found}, digits)
        at[unsaid] = ((days.cast(pl.Float64).fill_null(float("nan")).to_numpy() - domain.low) * unit).round().clip(0, most)
    for place in range(1, int(places.max(initial=0)) + 1):
        rows = np.flatnonzero(places == place)
        room = most - at[rows - 1]
        there = ~np.isnan(room)
        rows, room = rows[there], room[there]
        allowed = np.hstack([lows[None] <= room[:, None], np.full((len(rows), 1), some_missing)])
        drawn = model.draw(gap, rows, allowed)
        far = np.minimum(highs[np.minimum(drawn, missing - 1)], room)
        low = np.minimum(lows[np.minimum(drawn, missing - 1)], far)
        step = low + np.floor(model.random.random(len(rows)) * (far - low + 1))
        found[rows] = np.where(drawn == missing, missing, np.searchsorted(ends, step, side="right") - 1)
        at[rows] = np.where(drawn == missing, np.nan, at[rows - 1] + step)
    values = domain.low + at / unit
    cells = pl.Series(order, np.round(values, digits)).fill_nan(None)
    cells = cells.cast(pl.Int64) if digits == 0 else cells
    model.know({gap: found, c.own(table, order): codes(cells, domain)})
    return cells


def _digits(schema: LinkedSchema, table: LinkedTable, name: str) -> int | None:
    declared = {c.own(table, column): places for column, places in table.decimals.items()}
    for child in schema.children(table.name):
        declared[c.children_of(child)] = 0
        if child.order is not None:
            declared[c.first_of(child)] = child.order_units[0]
    return declared.get(name)


@dataclass
class _Model:
    """The distribution of a table of children, and what is known so far of the rows that are drawn from it."""

    entry: Json
    rows: int
    random: np.random.Generator
    codes: dict[str, Ints] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = self.entry["columns"]
        self.names = [column["name"] for column in columns]
        self.groups = [np.array(column["groups"], dtype=np.int64) for column in columns]
        self.sizes = [int(groups[-1]) + 1 for groups in self.groups]
        self.factors: dict[Scope, Floats] = {}
        self.within: dict[int, Floats] = {}
        for table in self.entry["tables"]:
            scope = tuple(self.names.index(name) for name in table["columns"])
            if len(scope) == 1:
                (column,) = scope
                self.within[column] = np.array(table["factor"])
                self.factors[scope] = np.bincount(self.groups[column], weights=self.within[column])
            else:
                self.factors[scope] = np.array(table["factor"]).reshape([self.sizes[c] for c in scope])

    def know(self, codes: Mapping[str, Ints]) -> None:
        self.codes |= codes

    def draw(self, name: str, rows: Ints, allowed: Bools, also: Mapping[str, Ints] | None = None) -> Ints:
        """Draw the codes of one column for some rows.

        allowed: (rows, codes), which of them each row may get. also: what is known besides, by column.
        """
        column = self.names.index(name)
        groups = self.groups[column]
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        may = {column: np.logical_or.reduceat(allowed, starts, axis=1)}
        known = self._known({n: own[rows] for n, own in (self.codes | dict(also or {})).items()})
        drawn = conditional.codes(self.sizes, self.factors, known, may, len(rows), self.random)
        return draw_rows.within(drawn[column], groups, self.within[column], self.random)

    def draw_rest(self) -> None:
        """Draw all columns that aren't known yet."""
        drawn = conditional.codes(self.sizes, self.factors, self._known(self.codes), {}, self.rows, self.random)
        for column, own in drawn.items():
            made = draw_rows.within(own, self.groups[column], self.within[column], self.random)
            self.codes[self.names[column]] = made

    def _known(self, codes: Mapping[str, Ints]) -> dict[int, Ints]:
        """Return codes by the numbers of columns, as groups of codes."""
        columns = {self.names.index(name): own for name, own in codes.items()}
        return {column: self.groups[column][own] for column, own in columns.items()}

    def cells_of(
        self, name: str, rows: Ints, allowed: Bools, also: Mapping[str, Ints], digits: int | None
    ) -> pl.Series:
        """Draw the cells of one column for some rows; they aren't known afterwards."""
        column = self.entry["columns"][self.names.index(name)]
        return synthetic_rows.cells(column, self.draw(name, rows, allowed, also), digits, self.random)

    def has_missing(self, name: str) -> bool:
        """Return whether more cells of a column are missing than noise explains, with 95 %."""
        table = next(table for table in self.entry["tables"] if table["columns"] == [name])
        return bool(table["counts"][-1] > table["accuracy"])

    def cells(self, name: str, digits: int | None) -> pl.Series:
        column = self.entry["columns"][self.names.index(name)]
        return synthetic_rows.cells(column, self.codes[name], digits, self.random)


def _frame(table: LinkedTable, drawn: DrawnTable) -> pl.DataFrame:
    """Return the rows with their keys, dates as dates."""
    made: list[pl.Series] = []
    if table.key is not None:
        made.append(pl.Series(table.key, np.arange(1, drawn.rows + 1)))
    if drawn.parents is not None:
        made.append(pl.Series(table.reference, drawn.parents + 1))
    for name, _ in table.columns:
        cells = drawn.cells[name].alias(name)
        made.append(_dates(cells, table, name) if name in table.first_days else cells)
    return pl.DataFrame(made)


def _dates(days: pl.Series, table: LinkedTable, name: str) -> pl.Series:
    first: date = table.first_days[name]
    domain = dict(table.columns)[name]
    assert isinstance(domain, Number)
    last = int(domain.high) - 1
    return pl.select((pl.lit(first) + pl.duration(days=pl.lit(days.clip(0, last)))).cast(pl.Date)).to_series().alias(name)
