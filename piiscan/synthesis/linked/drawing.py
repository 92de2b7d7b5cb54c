"""Draws tables from a release: the root first, then for each row its children, and so on.

Everything drawn here was paid for before. The same release and number give the same rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Number
from piiscan.dp.tally import codes
from piiscan.synthesis import constrained_rows, constraints, draw_rows, junction_tree, needs, synthetic_rows
from piiscan.synthesis.constrained_rows import Numbers
from piiscan.synthesis.constraints import Grid, Order
from piiscan.synthesis.linked import columns as c
from piiscan.synthesis.linked import conditional
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable
from piiscan.synthesis.synthetic_rows import MOST_ROWS

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats, Scope
    from piiscan.synthesis.linked.conditional import Bools

Json = dict[str, Any]
_ROOM: Final = 20_000
"""Cells of the tables of one row that what can't occur may take: rows are put in order all the same."""


class DrawnTable(NamedTuple):
    """The rows of a table: `codes` by column of its model, `cells` likewise, of those that are drawn.

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
    above: Mapping[str, DrawnTable],
    random: np.random.Generator,
    n: int | None = None,
) -> DrawnTable:
    """Draw a table, the parents of which are drawn. `entry`: its part of the release. `n`: rows of the root."""
    if table.parent is None:
        return _root(schema, table, entry, n)
    rows = ChildRows(schema, table, above, random)
    for step in entry["steps"]:
        rows.advance(step)
    return rows.drawn()


def generator(entry: Json) -> np.random.Generator:
    """Return a generator of random numbers that depends on a part of a release alone."""
    return _generator(json.dumps(entry, sort_keys=True), "")


def _generator(text: str, name: str) -> np.random.Generator:
    # The seed need not be secret: the release is public.
    seed = hashlib.sha256(f"{name}\0{text}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed)))


def _root(schema: LinkedSchema, table: LinkedTable, entry: Json, n: int | None) -> DrawnTable:
    rows = synthetic_rows.frame(json.dumps(entry), n, _digits(schema, table), c.sums_of(table), c.grids_of(table))
    made = {column.name: codes(rows[column.name], column.domain) for column in c.root_columns(schema)}
    return DrawnTable(made, {name: rows[name] for name in rows.columns}, None, np.arange(len(rows)))


def _digits(schema: LinkedSchema, table: LinkedTable) -> dict[str, int]:
    """Return the digits after the decimal point of columns of a table's models."""
    found = {c.own(table, name): digits for name, digits in table.decimals.items()}
    for child in schema.children(table.name):
        found[c.children_of(child)] = 0
        if child.order is not None:
            found[c.first_of(child)] = child.order_units[0]
    return found


class ChildRows:
    """Rows of a table of children while they are drawn, step by step.

    `codes`: what is known of them so far, by column. `weights`: those of rows that belong to one row of the root add
    up to 1.
    """

    def __init__(
        self, schema: LinkedSchema, table: LinkedTable, above: Mapping[str, DrawnTable], random: np.random.Generator
    ) -> None:
        """Begin with what is known of parents. Raises `UsageError` where there would be too many rows."""
        self.table = table
        self.above = above[table.parent or ""]
        self.random = random
        self.digits = _digits(schema, table)
        self.parents, self.places = _children_of(table, self.above)
        self.orders, self.grids = c.orders_of(table), c.grids_of(table)
        columns = constraints.drawn_columns(sum(map(len, c.steps(schema, table))), self.orders, c.sums_of(table))
        needs.demand_rows(len(self.parents), columns)
        self.units = self.above.units[self.parents]
        self.weights = 1 / np.bincount(self.units)[self.units] if len(self.units) else np.empty(0)
        self.codes: dict[str, Ints] = {c.place_of(table): self.places}
        self.cells: dict[str, pl.Series] = {}
        at, lower = self.parents, table
        for ancestor in schema.ancestors(table):
            known = above[ancestor.name]
            self.codes[c.children_of(lower)] = known.codes[c.children_of(lower)][at]
            for name, _ in ancestor.columns:
                self.codes[c.own(ancestor, name)] = known.codes[c.own(ancestor, name)][at]
            at, lower = at if known.parents is None else known.parents[at], ancestor
        if table.order is not None:
            self.codes[c.first_of(table)] = self.above.codes[c.first_of(table)][self.parents]

    def advance(self, step: Json) -> None:
        """Draw the columns of the next step; `step`: its part of the release."""
        model = _Model(step, self.codes, self.random, self.orders, self.grids)
        if c.gap_of(self.table) in model.drawn:
            self._draw_order(model)
            return
        self.codes |= model.draw_all()
        numbers: dict[str, Numbers] = {}
        for name in model.drawn:
            column, code = model.columns[name], self.codes[name]
            if column["kind"] == "number":
                grid = self.grids.get(name) or synthetic_rows.places(column["edges"], self.digits.get(name))
                numbers[name] = synthetic_rows.drawn(grid, code, self.random)
            else:
                self.cells[name] = synthetic_rows.words(column, code)
        self._settle(numbers)
        self.cells |= {name: synthetic_rows.cells_of(own).alias(name) for name, own in numbers.items()}
        ordered = {name for order in self.orders for name in order.columns}
        for name, domain in self.table.columns:
            if (known := c.own(self.table, name)) in ordered:  # a number may have moved out of its bin
                self.codes[known] = codes(self.cells[known], domain)
        for total in c.sums_of(self.table):
            whole = constrained_rows.total([numbers[name] for name in total.parts], self.digits.get(total.total, 0))
            self.cells[total.total] = synthetic_rows.cells_of(whole).alias(total.total)

    def _settle(self, numbers: dict[str, Numbers]) -> None:
        """Draw numbers (in place) again, within their bins, until they are in order."""
        if not self.orders:
            return
        held = dict(numbers)
        if self.table.order is not None:
            first = c.own(self.table, self.table.order)
            digits, cells = self.grids[first][0], self.cells[first]
            units = np.round(cells.cast(pl.Float64).fill_null(0.0).to_numpy() * 10**digits).astype(np.int64)
            held[first] = Numbers(self.grids[first], units, cells.is_null().to_numpy())

        def redrawn(name: str, rows: Ints) -> Ints:
            if name not in numbers:
                return held[name].units[rows]
            return synthetic_rows.drawn(self.grids[name], self.codes[name][rows], self.random).units

        settled = constrained_rows.settle(self.orders, held, redrawn)
        numbers |= {name: own for name, own in settled.items() if name in numbers}

    def drawn(self) -> DrawnTable:
        """Return all rows."""
        return DrawnTable(self.codes, self.cells, self.parents, self.units)

    def _draw_order(self, model: _Model) -> None:
        """Draw the column that rows are in order by: the first of each parent as its parent says, then gap after gap.

        A gap is drawn among those after which the next row is within the bounds. Cells are empty only if more were than
        noise explains.
        """
        name, gap = c.own(self.table, self.table.order or ""), c.gap_of(self.table)
        domain = dict(self.table.columns)[self.table.order or ""]
        assert isinstance(domain, Number)
        digits, most = self.table.order_units
        ends = np.array([round(edge * 10**digits) for edge in self.table.gap.edges])
        missing, some_missing = len(ends) - 1, model.has_missing(gap, c.place_of(self.table))
        at = np.where(self.places == 0, self._first(domain, some_missing), np.nan)
        found = np.full(len(at), missing, dtype=np.int64)
        for place in range(1, int(self.places.max(initial=0)) + 1):
            rows = np.flatnonzero(self.places == place)
            rows = rows[~np.isnan(at[rows - 1])]
            room = most - at[rows - 1]
            allowed = np.hstack([ends[None, :-1] <= room[:, None], np.full((len(rows), 1), some_missing)])
            code = model.draw(gap, rows, allowed)
            there = code != missing
            rows, room, code = rows[there], room[there], code[there]
            last = np.minimum(ends[code + 1] - 1, room)
            low = np.minimum(ends[code], last)
            length = low + np.floor(self.random.random(len(rows)) * (last - low + 1))
            at[rows] = at[rows - 1] + length
            found[rows] = np.searchsorted(ends, length, side="right") - 1
        cells = pl.Series(name, np.round(domain.low + at / 10**digits, digits)).fill_nan(None)
        self.cells[name] = cells.cast(pl.Int64) if digits == 0 else cells
        self.codes |= {gap: found, name: codes(cells, domain)}

    def _first(self, domain: Number, some_missing: bool) -> Floats:
        """Return for each row the first place of its parent's children, in units of the last digit from the bound.

        Where noise alone says that a parent with children has none, it is that of some other parent.
        """
        digits, most = self.table.order_units
        cells = self.above.cells[c.first_of(self.table)].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        known = cells[~np.isnan(cells)]
        if not some_missing and len(known):
            cells = np.where(np.isnan(cells), known[self.random.integers(0, len(known), len(cells))], cells)
        first = np.clip(np.round((cells - domain.low) * 10**digits), 0, most)
        result: Floats = first[self.parents]
        return result


def _children_of(table: LinkedTable, above: DrawnTable) -> tuple[Ints, Ints]:
    """Return for each child the number of its parent, and its place among the parent's children, from 0.

    Raises `UsageError` where there would be too many.
    """
    counts = above.codes[c.children_of(table)]
    counts = np.where(counts > table.max_rows, 0, counts)  # the code of missing counts: noise
    total = int(counts.sum())
    if total > MOST_ROWS:
        raise UsageError(
            f"table {table.name}: it would have {total:,} rows, and at most {MOST_ROWS:,} are drawn; ask for fewer "
            "rows with --rows"
        )
    parents = np.repeat(np.arange(len(counts)), counts)
    places = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return parents, places


class _Model:
    """The distribution of one step, and rows of which some columns are known."""

    def __init__(
        self,
        step: Json,
        known: Mapping[str, Ints],
        random: np.random.Generator,
        orders: Sequence[Order],
        grids: Mapping[str, Grid],
    ) -> None:
        self.columns = {column["name"]: column for column in step["columns"]}
        self.names = list(self.columns)
        self.drawn = [name for name in self.names if not self.columns[name]["given"]]
        self.random = random
        self.measured = step["tables"]
        self.groups = [np.array(column["groups"], dtype=np.int64) for column in step["columns"]]
        self.sizes = [int(groups[-1]) + 1 for groups in self.groups]
        self.logs: dict[Scope, Floats] = {}
        self.within: dict[int, Floats] = {}
        for table in self.measured:
            scope = tuple(self.names.index(name) for name in table["columns"])
            self.logs[scope] = np.array(table["log_factor"]).reshape([self.sizes[c] for c in scope])
            if len(scope) == 1:
                self.within[scope[0]] = np.array(table["within"])
        self.given = {c: known[name] for c, name in enumerate(self.names) if self.columns[name]["given"]}
        self.known = {c: self.groups[c][own] for c, own in self.given.items()}
        self.allowed: dict[Scope, Bools] = {}
        if orders and {name for order in orders for name in order.columns} <= {*self.names}:
            every = [np.arange(len(groups)) for groups in self.groups]
            self.allowed = constrained_rows.possible(orders, self.names, grids, every)
            for scope, table in constrained_rows.possible(orders, self.names, grids, self.groups).items():
                if self._has_room(scope):
                    self.logs[scope] = self.logs.get(scope, 0.0) + np.log(constrained_rows.factor_of(table))

    def _has_room(self, scope: Scope) -> bool:
        """Return whether a factor keeps the tables of rows small enough."""
        inner = {c: i for i, c in enumerate(c for c in range(len(self.names)) if c not in self.known)}
        scopes = {tuple(inner[c] for c in own if c in inner) for own in (*self.logs, scope)} - {()}
        tree = junction_tree.tree([self.sizes[c] for c in inner], sorted(scopes))
        return junction_tree.cells(tree.sizes, tree.cliques) <= _ROOM

    def draw(self, name: str, rows: Ints, allowed: Bools) -> Ints:
        """Draw the codes of the one column of this step for some rows. allowed: (rows, codes), what each may get."""
        column = self.names.index(name)
        starts = np.flatnonzero(np.diff(self.groups[column], prepend=-1))
        known = {c: own[rows] for c, own in self.known.items()}
        may = {column: np.logical_or.reduceat(allowed, starts, axis=1)}
        drawn = conditional.codes(self.sizes, self.logs, known, may, len(rows), self.random)
        return self._within(column, drawn[column])

    def draw_all(self) -> dict[str, Ints]:
        """Draw the codes of all columns of this step."""
        rows = len(next(iter(self.known.values())))
        drawn = conditional.codes(self.sizes, self.logs, self.known, {}, rows, self.random)
        found = self.given | {c: self._within(c, drawn[c]) for c in map(self.names.index, self.drawn)}
        if self.allowed:

            def redrawn(column: int, some: Ints) -> Ints:
                return self._within(column, drawn[column][some])

            every = [found[c] for c in range(len(self.names))]
            constrained_rows.arrange(self.allowed, every, self.groups, redrawn, self.random, self.given)
            found = dict(enumerate(every))
        return {name: found[self.names.index(name)] for name in self.drawn}

    def _within(self, column: int, groups: Ints) -> Ints:
        """Return codes of groups of codes."""
        return draw_rows.within(groups, self.groups[column], self.within[column], self.random)

    def has_missing(self, gap: str, place: str) -> bool:
        """Return whether more gaps are missing after first places than noise explains: twice its bound of 95 %."""
        table = next(table for table in self.measured if set(table["columns"]) == {gap, place})
        groups = self.groups[self.names.index(place)]
        after = np.flatnonzero(np.arange(groups[-1] + 1) > groups[0])
        shape = [self.sizes[self.names.index(name)] for name in table["columns"]]
        counts = np.array(table["counts"]).reshape(shape)[-1, after]
        alone = bool(groups[0] not in groups[1:])  # else first places are among them
        return alone and float(counts.sum()) > 2 * table["accuracy"] * max(1.0, len(after) ** 0.5)


def _frame(table: LinkedTable, drawn: DrawnTable) -> pl.DataFrame:
    """Return the rows with their keys, dates as dates."""
    made: list[pl.Series] = []
    if table.key is not None:
        made.append(pl.Series(table.key, np.arange(1, drawn.rows + 1)))
    if drawn.parents is not None:
        made.append(pl.Series(table.reference, drawn.parents + 1))
    for name, _ in table.declared:
        cells = drawn.cells[c.own(table, name)].alias(name)
        made.append(_dates(cells, table, name) if name in table.first_days else cells)
    return pl.DataFrame(made)


def _dates(days: pl.Series, table: LinkedTable, name: str) -> pl.Series:
    first: date = table.first_days[name]
    domain = dict(table.columns)[name]
    assert isinstance(domain, Number)
    last = int(domain.high) - 1
    return (
        pl.select((pl.lit(first) + pl.duration(days=pl.lit(days.clip(0, last)))).cast(pl.Date)).to_series().alias(name)
    )
