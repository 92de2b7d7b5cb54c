"""The columns of the model of each table: its own, what is known of its parents, and how many rows refer to it.

A model is over codes. Of a table that others refer to, the number of a row's children is a column, and so is the first
place of its children in their order. Of a child, what its parents are like is given before it is drawn.
"""

from __future__ import annotations

from typing import NamedTuple

from piiscan.dp.domains import Categories, Number
from piiscan.synthesis.constraints import Grid, Order, Sum
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable


class ModelColumn(NamedTuple):
    """A column of a model. `given`: it is known before a row is drawn, and costs nothing."""

    name: str
    domain: Number | Categories
    given: bool = False

    @property
    def size(self) -> int:
        """The number of its codes: bins or categories, other categories, missing."""
        return len(self.domain.labels) + (2 if isinstance(self.domain, Categories) else 1)


def own(table: LinkedTable, name: str) -> str:
    """Return the name that a declared column has in models."""
    return f"{table.name}.{name}"


def children_of(child: LinkedTable) -> str:
    """Return the name of the column that counts the rows of `child` that refer to a row."""
    return f"number of {child.name}"


def first_of(child: LinkedTable) -> str:
    """Return the name of the column of the first place in the order of a row's children."""
    return f"first {child.name}.{child.order}"


def gap_of(table: LinkedTable) -> str:
    """Return the name of the column of the distance from the row before, among rows of the same parent."""
    return f"gap of {table.name}.{table.order}"


def place_of(table: LinkedTable) -> str:
    """Return the name of the column of a row's place, 1 to N, among the rows of its parent."""
    return f"place among {table.name}"


def count_domain(most: int) -> Number:
    """Return the domain of a number of rows: code k is k rows."""
    return Number(0, most + 1, tuple(map(float, range(1, most + 1))))


def place_domain(most: int) -> Number:
    """Return the domain of a place from 1 to `most`: code k is the place k + 1."""
    return Number(1, most + 1, tuple(map(float, range(2, most + 1))) or (1.5,))


def orders_of(table: LinkedTable) -> tuple[Order, ...]:
    """Return the orders between columns of a table, by the names that these have in models."""
    return tuple(
        order._replace(low=own(table, order.low), high=own(table, order.high)) for order in table.constraints.orders
    )


def sums_of(table: LinkedTable) -> tuple[Sum, ...]:
    """Return the totals of a table, by the names that its columns have in models."""
    return tuple(
        Sum(own(table, total.total), tuple(own(table, name) for name in total.parts))
        for total in table.constraints.sums
    )


def grids_of(table: LinkedTable) -> dict[str, Grid]:
    """Return the numbers that the columns of a table may have, by the names that these have in models."""
    return {own(table, name): table.grid(name) for name, domain in table.columns if isinstance(domain, Number)}


def parent_columns(schema: LinkedSchema, table: LinkedTable) -> tuple[ModelColumn, ...]:
    """Return what is drawn of a row because of its children: how many there are, and the first place in their order."""
    found: list[ModelColumn] = []
    for child in schema.children(table.name):
        found.append(ModelColumn(children_of(child), count_domain(child.max_rows)))
        if child.order is not None:
            found.append(ModelColumn(first_of(child), dict(child.columns)[child.order]))
    return tuple(found)


def root_columns(schema: LinkedSchema) -> tuple[ModelColumn, ...]:
    """Return the columns of the root's model."""
    declared = tuple(ModelColumn(own(schema.root, name), domain) for name, domain in schema.root.columns)
    return declared + parent_columns(schema, schema.root)


def steps(schema: LinkedSchema, table: LinkedTable) -> tuple[tuple[ModelColumn, ...], ...]:
    """Return the columns of the models of a table of children, in the order in which they are drawn.

    If its rows are in order, gaps come first, and everything else is drawn for rows whose places are known.
    """
    given = [ModelColumn(children_of(table), count_domain(table.max_rows), True)]
    above = schema.ancestors(table)
    given += [ModelColumn(children_of(lower), count_domain(lower.max_rows), True) for lower in above[:-1]]
    given += [ModelColumn(own(at, name), domain, True) for at in above for name, domain in at.columns]
    rest = [ModelColumn(own(table, name), domain) for name, domain in table.columns if name != table.order]
    rest += parent_columns(schema, table)
    if table.order is None:
        return ((*rest, *given),)
    place = ModelColumn(place_of(table), place_domain(table.max_rows), True)
    domain = dict(table.columns)[table.order]
    gap = ModelColumn(gap_of(table), table.gap)
    first = (gap, place, ModelColumn(first_of(table), domain, True), *given)
    if not rest:
        return (first,)
    return first, (*rest, gap._replace(given=True), place, ModelColumn(own(table, table.order), domain, True), *given)
