"""A file that declares tables: their keys, which table each refers to, and what is publicly known about columns.

[tables.customers]
key = "customer"

[tables.customers.columns.age]
bounds = [0, 120]

[tables.visits]
key = "visit"
parent = "customers"
reference = "customer"
max_rows = 10
order = "day"

[tables.visits.columns.day]
dates = ["2024-01-01", "2024-12-31"]
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from piiscan.core.errors import UsageError
from piiscan.dp.declare import domains
from piiscan.dp.domains import BINS, Categories, Number
from piiscan.dp.run import schema as schemas
from piiscan.synthesis import constraints as c
from piiscan.synthesis import synthetic_rows
from piiscan.synthesis.constraints import Constraints, Grid

MOST_CHILDREN: Final = 100
"""The largest number of rows of a parent that may count: more would be only noise."""
_KEYS: Final = ("key", "parent", "reference", "max_rows", "max_rows_of_unit", "order", "constraints", "columns")
_HALVINGS: Final = 10
"""Gaps in time have two bins for each halving of the whole range, for at most so many."""


@dataclass(frozen=True)
class LinkedTable:
    """What is publicly known of a table.

    key: the column that other tables refer to; None if none does. columns: the domains of those that are measured; a
    date is the number of days since the first one that is declared (`first_days`). decimals: the digits after the
    decimal point, by column. constraints: what its rows satisfy; their totals, of which `totals` are the domains,
    aren't measured.
    parent: the table that each row refers to by its column `reference`; None for the root.
    max_rows: how many rows of one parent count. max_rows_of_unit: how many rows count that belong to one row of the
    root. order: the column by which a parent's rows are in order.
    """

    name: str
    key: str | None
    columns: tuple[tuple[str, Number | Categories], ...]
    first_days: Mapping[str, date] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)
    parent: str | None = None
    reference: str | None = None
    max_rows: int = 1
    max_rows_of_unit: int = 1
    order: str | None = None
    constraints: Constraints = field(default_factory=Constraints)
    totals: Mapping[str, Number] = field(default_factory=dict)

    @property
    def declared(self) -> tuple[tuple[str, Number | Categories], ...]:
        """The domains of all declared columns, totals last."""
        return (*self.columns, *self.totals.items())

    def grid(self, name: str) -> Grid:
        """Return the numbers that a column may have; those of dates end with the last day."""
        domain = dict(self.columns)[name]
        assert isinstance(domain, Number)
        digits, bins = synthetic_rows.places(domain.edges, self.decimals.get(name))
        if name in self.first_days:
            bins = [*bins[:-1], (bins[-1][0], bins[-1][1] - 1)]
        return digits, bins

    @cached_property
    def gap(self) -> Number:
        """The domain of the distance from one row of a parent to the next, in the order of the column `order`."""
        digits, units = self.order_units
        cuts = sorted({max(1, (part * units) >> (j + 1)) for j in range(1, _HALVINGS + 1) for part in (2, 3)})
        return Number(0, (units + 1) / 10**digits, tuple(cut / 10**digits for cut in cuts))

    @cached_property
    def order_units(self) -> tuple[int, int]:
        """The digits after the decimal point of the column `order`, and its range in units of the last digit."""
        domain = dict(self.columns)[self.order or ""]
        assert isinstance(domain, Number)
        digits, _ = synthetic_rows.places(domain.edges, self.decimals.get(self.order or ""))
        return digits, max(1, round((domain.high - domain.low) * 10**digits))


@dataclass(frozen=True)
class LinkedSchema:
    """The declared tables: the root first, and each one after the table that it refers to."""

    tables: tuple[LinkedTable, ...]

    @property
    def root(self) -> LinkedTable:
        return self.tables[0]

    def table(self, name: str | None) -> LinkedTable:
        return next(table for table in self.tables if table.name == name)

    def children(self, name: str) -> tuple[LinkedTable, ...]:
        """Return the tables that refer to a table."""
        return tuple(table for table in self.tables if table.parent == name)

    def ancestors(self, table: LinkedTable) -> tuple[LinkedTable, ...]:
        """Return the table that a table refers to, the one that this refers to, and so on."""
        if table.parent is None:
            return ()
        above = self.table(table.parent)
        return (above, *self.ancestors(above))


def declares_tables(path: Path) -> bool:
    """Return whether a schema file declares tables rather than columns; False if it can't be read."""
    try:
        return "tables" in tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False


def load(schema: str | os.PathLike[str] | Mapping[str, Any]) -> LinkedSchema:
    """Load a schema from a TOML file, or from its content. Raises `UsageError`."""
    if isinstance(schema, Mapping):
        return _schema(schema, "schema")
    if not isinstance(schema, str | os.PathLike):
        raise UsageError(f"schema must be a path or a mapping, not an object of type {type(schema).__name__}")
    try:
        content = tomllib.loads(Path(schema).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"schema {schema}: can't be read as TOML ({type(error).__name__})") from None
    return _schema(content, f"schema {schema}")


def _schema(content: Mapping[str, Any], place: str) -> LinkedSchema:
    entries = content.get("tables")
    if "constraints" in content:
        raise UsageError(f"{place}: constraints are between columns of one table; declare them in its [tables.NAME]")
    if set(content) != {"tables"} or not isinstance(entries, Mapping) or not entries:
        raise UsageError(f"{place}: it may contain only a table [tables.NAME] for each table")
    for name, entry in entries.items():
        _check_entry(name, entry, f"{place}: table {name}")
    made: dict[str, LinkedTable] = {}
    left = dict(entries)
    while left:
        ready = [name for name, entry in left.items() if entry.get("parent") is None or entry["parent"] in made]
        if not ready:
            name = next(iter(left))
            raise UsageError(
                f"{place}: table {name}: its parent, {left[name]['parent']}, isn't declared, or refers back to it"
            )
        for name in ready:
            made[name] = _table(name, left.pop(name), made, f"{place}: table {name}")
    _check_links(made, place)
    return LinkedSchema(tuple(made.values()))


def _check_entry(name: str, entry: Any, place: str) -> None:
    """Check the names in a table's declaration. Raises `UsageError`."""
    if not re.fullmatch(r"[\w -]+", name):
        raise UsageError(f"{place}: a table's name has letters, digits, _ and - only")
    if not isinstance(entry, Mapping) or (wrong := sorted(set(entry) - set(_KEYS))):
        raise UsageError(
            f"{place}: it may contain {', '.join(_KEYS)}" + (f", not {wrong[0]}" if isinstance(entry, Mapping) else "")
        )
    for link in ("key", "parent", "reference", "order"):
        if link in entry and not (isinstance(entry[link], str) and entry[link]):
            raise UsageError(f"{place}: {link} must be a name")


def _check_links(made: Mapping[str, LinkedTable], place: str) -> None:
    """Check that there is one root, and that tables that are referred to have keys. Raises `UsageError`."""
    roots = [table.name for table in made.values() if table.parent is None]
    if len(roots) > 1:
        raise UsageError(
            f"{place}: tables {roots[0]} and {roots[1]} have no parent, and only the table of the people may be "
            "without one; add parent and reference, or synthesise the other table by itself"
        )
    referred = {table.parent for table in made.values()}
    for table in made.values():
        if table.key is None and (table.name in referred or table.parent is None):
            raise UsageError(f"{place}: table {table.name}: name its key, the column that tells its rows apart")


def _table(name: str, entry: Mapping[str, Any], made: Mapping[str, LinkedTable], place: str) -> LinkedTable:
    key, parent, order = entry.get("key"), entry.get("parent"), entry.get("order")
    above = None if parent is None else made[parent]
    if above is None and (wrong := [k for k in _KEYS if k in entry and k not in ("key", "constraints", "columns")]):
        raise UsageError(f"{place}: {wrong[0]} needs a parent")
    reference = None if above is None else entry.get("reference", above.key)
    if above is not None and reference is None:
        raise UsageError(f"{place}: name the column that refers to {above.name}, as reference")
    most = _count(entry.get("max_rows"), MOST_CHILDREN, f"{place}: max_rows") if above is not None else 1
    whole = most * above.max_rows_of_unit if above is not None else 1
    if "max_rows_of_unit" in entry:
        whole = _count(entry["max_rows_of_unit"], whole, f"{place}: max_rows_of_unit")
    columns, first_days, decimals = _columns(entry.get("columns"), place)
    _check_keys(key, reference, parent, columns, place)
    if order is not None and not isinstance(dict(columns).get(order), Number):
        raise UsageError(f"{place}: column {order}, by which rows are in order, needs declared bounds or dates")
    satisfied = _constraints(entry.get("constraints", []), columns, order, place)
    totals = {name: domain for name, domain in columns if name in satisfied.totals and isinstance(domain, Number)}
    made_table = LinkedTable(
        name,
        key,
        tuple((name, domain) for name, domain in columns if name not in totals),
        first_days,
        decimals,
        parent,
        reference,
        most,
        whole,
        order,
        satisfied,
        totals,
    )
    _check_constraints(made_table, place)
    return made_table


def _check_keys(
    key: str | None,
    reference: str | None,
    parent: str | None,
    columns: Sequence[tuple[str, Number | Categories]],
    place: str,
) -> None:
    """Check that keys are columns of their own. Raises `UsageError`."""
    if special := [name for name, _ in columns if name in (key, reference)]:
        raise UsageError(f"{place}: column {special[0]} is a key, and keys are made up; don't declare its values")
    if key is not None and key == reference:
        raise UsageError(f"{place}: column {key} can't be its key and refer to {parent} too")


def _constraints(
    texts: Any, columns: Sequence[tuple[str, Number | Categories]], order: str | None, place: str
) -> Constraints:
    """Return the constraints between columns of a table. Raises `UsageError`."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f'{place}: constraints must be a list of texts, such as ["discharged >= admitted"]')
    domains = dict(columns)
    try:
        found = c.declared(texts, domains, domains)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    every: list[c.Order | c.Sum] = [*found.orders, *found.sums]
    for own in every:
        if order in own.columns and not (isinstance(own, c.Order) and own.low == order):
            raise UsageError(
                f"{place}: constraint {own}: {order}, by which rows are in order, is drawn first, so it can only be "
                "the lower one of two columns"
            )
    return found


def _check_constraints(table: LinkedTable, place: str) -> None:
    """Check that there are numbers that satisfy all constraints of a table. Raises `UsageError`."""
    orders, sums = table.constraints.orders, table.constraints.sums
    every: list[c.Order | c.Sum] = [*orders, *sums]
    for own in every:
        days = {table.first_days.get(name) for name in own.columns}
        if len(days) > 1 or (isinstance(own, c.Sum) and days != {None}):
            raise UsageError(
                f"{place}: constraint {own}: it compares numbers, or dates that are declared from the same first day"
            )
    numbers = [name for name, domain in table.columns if isinstance(domain, Number)]
    grids = {name: table.grid(name) for name in numbers}
    try:
        last = c.highest(orders, grids)
        for total in sums:
            c.check_total(total, grids, table.decimals.get(total.total), table.totals[total.total])
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    if table.order in last and last[table.order] < grids[table.order][1][-1][1] - 1:
        raise UsageError(
            f"{place}: {table.order}, by which rows are in order, has higher bounds than a column that it can't be "
            "above; declare higher bounds for that one"
        )


def _columns(
    entries: Any, place: str
) -> tuple[tuple[tuple[str, Number | Categories], ...], dict[str, date], dict[str, int]]:
    """Return the domains of columns, the first day of those of dates, and the digits of those of numbers."""
    if not isinstance(entries, Mapping) or not entries:
        raise UsageError(f"{place}: declare at least one column, as [tables.NAME.columns.COLUMN]")
    found: dict[str, Number | Categories] = {}
    first_days: dict[str, date] = {}
    rest: dict[str, Any] = {}
    for name, entry in entries.items():
        if isinstance(entry, Mapping) and "dates" in entry:
            found[name], first_days[name] = _dates(entry, f"{place}: column {name}")
        else:
            rest[name] = dict(entry) if isinstance(entry, Mapping) else entry
    declared = schemas.declared(rest, place)
    if declared.private_bins:
        raise UsageError(
            f"{place}: column {declared.private_bins[0]}: private bins are found for one table by itself; declare edges"
        )
    for name, domain in domains(declared):
        if not isinstance(domain, Number | Categories):
            raise UsageError(f"{place}: column {name}: synthetic rows need declared bounds, dates or categories")
        found[name] = domain
    for name in entries:
        if name not in found:
            raise UsageError(f"{place}: column {name}: declare its bounds, dates or categories")
    digits = {**declared.decimals, **dict.fromkeys(first_days, 0)}
    for name, domain in found.items():
        if isinstance(domain, Number):
            try:
                synthetic_rows.places(domain.edges, digits.get(name))
            except UsageError as error:
                raise UsageError(f"{place}: column {name}: {error}") from None
        elif name in digits:
            raise UsageError(f"{place}: column {name}: decimals need a numeric column; declare its bounds")
    return tuple((name, found[name]) for name in entries), first_days, digits


def _dates(entry: Mapping[str, Any], place: str) -> tuple[Number, date]:
    """Return the domain of a column of dates, in whole days since the first one, and that day."""
    if wrong := sorted(set(entry) - {"dates"}):
        raise UsageError(f"{place}: a column with dates may not have {wrong[0]}")
    ends = entry["dates"]
    if not isinstance(ends, Sequence) or isinstance(ends, str) or len(ends) != 2:
        raise UsageError(f'{place}: dates must be the first and the last day, such as ["2024-01-01", "2024-12-31"]')
    first, last = (_day(end, place) for end in ends)
    days = (last - first).days
    if days < 1:
        raise UsageError(f"{place}: the last day must be after the first")
    cuts = sorted({round((days + 1) * i / BINS) for i in range(1, BINS)} - {0, days + 1})
    return Number(0, days + 1, tuple(map(float, cuts))), first


def _day(value: Any, place: str) -> date:
    try:
        return value if type(value) is date else date.fromisoformat(value)
    except (TypeError, ValueError):
        raise UsageError(f"{place}: dates are written as 2024-12-31") from None


def _count(value: Any, most: int, what: str) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise UsageError(f"{what} must be a number from 1 to {most}: how many rows count, of those that there may be")
    return value
