"""The columns of the model of each table: its own, what is known of its parents, and how many rows refer to it.

A model is over codes. Of a table that others refer to, the number of a row's children is a column, and so is the first
place of its children in their order. Of a child, what its parent is like is given before it is drawn.
"""

from __future__ import annotations

from typing import NamedTuple

from piiscan.dp.domains import Categories, Number
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


def model_columns(schema: LinkedSchema, table: LinkedTable) -> tuple[ModelColumn, ...]:
    """Return the columns of a table's model: those that are drawn, then those that are given."""
    drawn = [ModelColumn(own(table, name), domain) for name, domain in table.columns]
    if table.order is not None:
        drawn.append(ModelColumn(gap_of(table), table.gap))
    for child in schema.children(table.name):
        drawn.append(ModelColumn(children_of(child), count_domain(child.max_rows)))
        if child.order is not None:
            drawn.append(ModelColumn(first_of(child), dict(child.columns)[child.order]))
    given: list[ModelColumn] = []
    if table.parent is not None:
        for lower in (table, *schema.ancestors(table)[:-1]):
            given.append(ModelColumn(children_of(lower), count_domain(lower.max_rows), True))
        if table.order is not None:
            given.append(ModelColumn(place_of(table), place_domain(table.max_rows), True))
        for above in schema.ancestors(table):
            given += [ModelColumn(own(above, name), domain, True) for name, domain in above.columns]
    return (*drawn, *given)
