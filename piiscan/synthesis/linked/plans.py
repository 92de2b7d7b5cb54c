"""What is measured of each table, and what each part may cost. A function of public facts only.

Every table gets the same part of the budget; within a table it is divided as for a table by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.dp.accounting import Loss, zcdp_rho
from piiscan.dp.domains import Number
from piiscan.dp.noise import Mechanism, Share
from piiscan.dp.request import Request
from piiscan.synthesis import constraints, measurement_plan, needs
from piiscan.synthesis.junction_tree import Scope
from piiscan.synthesis.linked.columns import ModelColumn, gap_of, orders_of, place_of, root_columns, steps
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable
from piiscan.synthesis.measurement_plan import MOST_CELLS, SELECTIONS, SINGLES, MeasurementPlan, deviation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PAIRS: Final = 4
"""Pairs that are measured of a table of children, for each column that is drawn."""


@dataclass(frozen=True)
class ChildPlan:
    """The measurements of one step of a table of children.

    `single`, `selection`, `pair`: the share of each table or choice. `rounds` pairs are measured, of which `first` are
    named beforehand; if no pair is left to choose from, `selection` is 0. `possible`: of pairs of columns between which
    an order was declared, which codes can occur together.
    """

    columns: tuple[ModelColumn, ...]
    pairs: tuple[Scope, ...]
    first: tuple[Scope, ...]
    rounds: int
    single: Share
    selection: Share
    pair: Share
    possible: Mapping[Scope, npt.NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(column.size for column in self.columns)

    @property
    def drawn(self) -> tuple[int, ...]:
        """The columns that are measured and drawn; the others are given."""
        return tuple(c for c, column in enumerate(self.columns) if not column.given)

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """The columns whose neighbouring bins may be merged."""
        return tuple(c for c, column in enumerate(self.columns) if isinstance(column.domain, Number))

    @property
    def uses(self) -> tuple[tuple[int, Share], ...]:
        """How often each share is used at most."""
        choices = self.rounds - len(self.first) if self.selection.amount else 0
        return (len(self.drawn), self.single), (choices, self.selection), (self.rounds, self.pair)


class LinkedPlan(NamedTuple):
    """The plan of the root, those of the steps of all other tables by name, and what all of them cost together."""

    root: MeasurementPlan
    children: Mapping[str, tuple[ChildPlan, ...]]
    loss: Loss
    mechanism: Mechanism


def root_request(schema: LinkedSchema, dataset: str, version: str, epsilon: float, delta: float) -> Request:
    """Return what is asked of the root: its columns, and the number of children of each row."""
    columns = tuple((column.name, column.domain) for column in root_columns(schema))
    return Request(
        dataset=dataset,
        version=version,
        columns=columns,
        epsilon=epsilon,
        delta=delta,
        unit=schema.root.key,
        statistics=(),
        quantiles=(),
        table=schema.root.name,
    )


def linked_plan(schema: LinkedSchema, request: Request) -> LinkedPlan:
    """Plan the measurements of all tables; `request`: that of the root, whose ε and δ are those of all tables.

    Guarantee:
        Assumes: a unit has at most `max_rows_of_unit` rows in each table.
        Ensures: the shares of all tables, choices included, add up to ε, or to the ρ whose ε at δ is at most the one
        that is asked for; everything is a function of the schema, ε and δ.
        Does not protect against: other releases about the same people.
        Test: test_linked.py::test_shares_of_all_tables_add_up_to_the_budget
    Raises `UsageError` for a table with too many combinations.
    """
    possible = constraints.possible(orders_of(schema.root), dict(request.columns))
    alone = measurement_plan.plan(replace(request, delta=0.0))._replace(possible=possible)
    basic = _plans(schema, request, alone, Share("laplace", request.epsilon))
    # ε-differential privacy is ε²/2-zCDP (Bun and Steinke 2016, proposition 1.4).
    rho = alone.loss.rho / len(schema.tables) ** 2
    rho += sum(n * share.amount**2 / 2 for plans in basic.children.values() for of in plans for n, share in of.uses)
    if request.delta and (whole := zcdp_rho(request.epsilon, request.delta)) > 0:
        gaussian = _plans(schema, request, alone, Share("gaussian", whole))
        if sum(math.log(b / a) for a, b in zip(_noise(basic), _noise(gaussian), strict=True)) < 0:
            return gaussian._replace(loss=Loss(request.epsilon, request.delta, whole, 0.0))
    return basic._replace(loss=Loss(request.epsilon, request.delta, rho, 0.0))


def demand(schema: LinkedSchema, planned: LinkedPlan) -> None:
    """Check that the memory suffices before pairs are counted. Raises `UsageError`."""
    needs.demand_counts([column.size for column in root_columns(schema)], planned.root.scopes)
    for of in planned.children.values():
        for step in of:
            needs.demand_counts(step.sizes)


def _plans(schema: LinkedSchema, request: Request, alone: MeasurementPlan, whole: Share) -> LinkedPlan:
    """Divide a share. `alone`: the plan of the root by itself, whose shares add up to ε."""
    each = whole._replace(amount=whole.amount / len(schema.tables))

    def of_root(share: Share) -> Share:
        return each._replace(amount=each.amount * share.amount / request.epsilon)

    shares: dict[str, Any] = {name: of_root(own) for name, own in alone._asdict().items() if isinstance(own, Share)}
    children = {table.name: _child_plans(schema, table, each) for table in schema.tables[1:]}
    return LinkedPlan(alone._replace(**shares), children, alone.loss, whole.mechanism)


def _child_plans(schema: LinkedSchema, table: LinkedTable, share: Share) -> tuple[ChildPlan, ...]:
    """Divide a share among the steps of a table, by how many columns are drawn in each."""
    every = steps(schema, table)
    drawn = [sum(not column.given for column in columns) for columns in every]
    return tuple(
        _step_plan(table, columns, share._replace(amount=share.amount * n / sum(drawn)))
        for n, columns in zip(drawn, every, strict=True)
    )


def _step_plan(table: LinkedTable, columns: tuple[ModelColumn, ...], share: Share) -> ChildPlan:
    sizes = [column.size for column in columns]
    pairs: list[Scope] = [pair for pair in combinations(range(len(columns)), 2) if not columns[pair[0]].given]
    counted = sum(sizes[a] * sizes[b] for a, b in pairs)
    if counted > MOST_CELLS:
        raise UsageError(
            f"table {table.name}: the pairs of its columns and those of its parents have {counted:,} combinations of "
            f"values, and at most {MOST_CELLS:,} can be counted; declare fewer columns, bins or categories"
        )
    names = [column.name for column in columns]
    first: list[Scope] = []
    if names[0] == gap_of(table):  # the first row of a parent has no gap, and all others have
        first.append((0, names.index(place_of(table))))
    drawn = sum(not column.given for column in columns)
    rounds = min(PAIRS * drawn, len(pairs))
    chosen = 0 if rounds == len(pairs) else rounds - len(first)
    selecting = SELECTIONS if chosen else 0.0
    parts = SINGLES / drawn, selecting / max(chosen, 1), (1 - SINGLES - selecting) / rounds
    single, selection, pair = (share._replace(amount=share.amount * part) for part in parts)
    orders = orders_of(table)
    here = {name for order in orders for name in order.columns} <= {*names}
    possible = constraints.possible(orders, {c.name: c.domain for c in columns}) if here else {}
    return ChildPlan(columns, tuple(pairs), tuple(first), rounds, single, selection, pair, possible)


def _noise(planned: LinkedPlan) -> list[float]:
    """Return the noise of what most of each table's budget is for."""
    root = planned.root.pair if planned.root.rounds else planned.root.single
    return [deviation(share, 1) for share in (root, *(of.pair for steps in planned.children.values() for of in steps))]
