"""Compares linked synthetic tables with the real ones: each table by itself, and what links them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.version import __version__
from piiscan.dp import domains as d
from piiscan.dp.domains import Number
from piiscan.synthesis.evaluation import column_likeness
from piiscan.synthesis.evaluation.coded_table import Declared, coded
from piiscan.synthesis.evaluation.column_likeness import ColumnComparison
from piiscan.synthesis.evaluation.compare_tables import SEED, STAMP, Comparison, compare_tables, plain
from piiscan.synthesis.evaluation.marginals import Crossed, crossed
from piiscan.synthesis.linked import columns as c
from piiscan.synthesis.linked.contributions import days
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable

if TYPE_CHECKING:
    import polars as pl

Frames = Mapping[str, "pl.DataFrame"]
KEY: Final = "key"
REFERENCE: Final = "reference"


class Across(NamedTuple):
    """Distances of pairs of a column of a table and one of a table above it, over rows joined with those above."""

    above: str
    pairs: Crossed


class Link(NamedTuple):
    """How a table is linked with the one that it refers to, its `parent`.

    `number`: how many of its rows each row of the parent has; `max_rows` or more are one label. `gap`: from one row of
    a parent to the next in their order, if they have one. `across`: by table above, the parent first. `unlinked`: the
    share of the real rows that no row above is found for. `cut`: the share of the linked real rows that exceed
    `max_rows` of their parent's row. A release can reproduce neither. All but `parent` are None, and `across` is empty,
    where there is no row to compare.
    """

    parent: str
    number: ColumnComparison | None
    gap: ColumnComparison | None
    across: tuple[Across, ...]
    unlinked: float | None
    cut: float | None


@dataclass(frozen=True)
class TablesComparison:
    """How far synthetic tables are from the real ones; all figures are exact.

    `tables`: the comparison of each table by itself, by name; None if the real or the synthetic one has no rows.
    `links`: by name of each table that refers to another. Dates are compared as days since the first declared one.

    Guarantee:
        Assumes: nothing.
        Ensures: the same figures for the same tables and declarations. Declared words and bins are the only cell
        values that appear; no key does.
        Does not protect against: anything. The figures depend on single real rows, and no ε covers them: they are only
        for people who may see the data.
        Test: test_linked_evaluation.py::test_everything_that_is_written_is_stamped
    """

    tables: Mapping[str, Comparison | None]
    links: Mapping[str, Link]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data as described by `piiscan/report/schemas/evaluation-tables-1.json`."""
        tables = []
        for name, compared in self.tables.items():
            link = self.links.get(name)
            tables.append(
                {
                    "name": name,
                    "evaluation": None if compared is None else compared.to_dict(),
                    "link": None if link is None else plain(link) | {"across": [plain(a) for a in link.across]},
                }
            )
        return {
            "stamp": STAMP,
            "schema_version": 1,
            "kind": "evaluation-tables",
            "tool": {"name": "piiscan", "version": __version__},
            "tables": tables,
        }

    def to_json(self) -> str:
        """Return the text of its JSON document, as the command writes it; it ends with a line break."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


def compare_linked(
    real: Frames, synthetic: Frames, schema: LinkedSchema, control: Frames | None = None
) -> TablesComparison:
    """Compare tables by their names, in the declared columns; others are ignored.

    Each needs its declared columns, its key if it has one, and its reference. `control`: rows of people that the
    synthetic tables weren't made from; with them, a membership attack is tried on each table. Raises `UsageError`, and
    `MissingExtra` without scikit-learn.
    """
    both = [{t.name: _prepared(frames[t.name], t) for t in schema.tables} for frames in (real, synthetic)]
    others = None if control is None else {t.name: _prepared(control[t.name], t) for t in schema.tables}
    tables = {
        table.name: _alone(
            table, both[0][table.name], both[1][table.name], None if others is None else others[table.name]
        )
        for table in schema.tables
    }
    links = {table.name: _link(schema, table, both[0], both[1]) for table in schema.tables if table.parent is not None}
    return TablesComparison(tables, links)


def _prepared(frame: pl.DataFrame, table: LinkedTable) -> pl.DataFrame:
    """Return the declared columns, of which dates are days since the first, and the key and reference as texts."""
    import polars as pl

    made = [days(frame[n], table.first_days[n]) if n in table.first_days else frame[n] for n, _ in table.declared]
    made = [cells.alias(c.own(table, cells.name)) for cells in made]
    for name, what in ((table.key, KEY), (table.reference, REFERENCE)):
        if name is not None:
            made.append(d.words(frame[name]).alias(what))
    return pl.DataFrame(made)


def _alone(
    table: LinkedTable, real: pl.DataFrame, synthetic: pl.DataFrame, control: pl.DataFrame | None
) -> Comparison | None:
    """Compare a table by itself; None if there are no rows."""
    if not real.height or not synthetic.height:
        return None
    own = {c.own(table, name): name for name, _ in table.declared}
    frames = [None if frame is None else frame.select(*own).rename(own) for frame in (real, synthetic, control)]
    assert frames[0] is not None and frames[1] is not None
    try:
        found = compare_tables(frames[0], frames[1], dict(table.declared), control=frames[2])
    except UsageError as error:
        raise UsageError(f"table {table.name}: {error}") from None
    return replace(found, columns=tuple(_with_dates(table, column) for column in found.columns))


def _with_dates(table: LinkedTable, column: ColumnComparison) -> ColumnComparison:
    """Label the bins of a column of dates by their first and last day."""
    domain = dict(table.declared)[column.name]
    if column.name not in table.first_days or not isinstance(domain, Number):
        return column
    first = table.first_days[column.name]
    starts = [first + timedelta(days=math.ceil(edge)) for edge in domain.edges]
    ends = [(a, b - timedelta(days=1)) for a, b in pairwise(starts)]
    spans = [str(a) if a == b else f"{a} to {b}" for a, b in ends]
    return column._replace(labels=(*spans, *column.labels[len(spans) :]))


def _link(schema: LinkedSchema, table: LinkedTable, real: Frames, synthetic: Frames) -> Link:
    name = c.children_of(table)
    parent = schema.table(table.parent)
    joined = [_joined(schema, table, frames) for frames in (real, synthetic)]
    numbers = [_number(table, frames[table.name], frames[parent.name]) for frames in (real, synthetic)]
    rows = real[table.name].height
    linked = int(numbers[0][name].sum())
    over = int((numbers[0][name] - table.max_rows).clip(0).sum())
    return Link(
        parent.name,
        _numbers(table, numbers[0], numbers[1]),
        _gaps(table, real, synthetic),
        _across(schema, table, joined[0], joined[1]),
        1 - joined[0].height / rows if rows else None,
        over / linked if linked else None,
    )


def _referred(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that others can refer to: of several with the same key, the first."""
    import polars as pl

    return frame.filter(pl.col(KEY).is_not_null()).unique(KEY, keep="first", maintain_order=True)


def _joined(schema: LinkedSchema, table: LinkedTable, frames: Frames) -> pl.DataFrame:
    """Return the rows of a table with the columns of those above, as far as all of these are found."""
    rows = frames[table.name].drop(KEY, strict=False)
    for above in schema.ancestors(table):
        upper = _referred(frames[above.name])
        rows = rows.rename({REFERENCE: "to"}).join(
            upper, left_on="to", right_on=KEY, how="inner", maintain_order="left"
        )
        rows = rows.drop("to")
    return rows


def _across(
    schema: LinkedSchema, table: LinkedTable, real: pl.DataFrame, synthetic: pl.DataFrame
) -> tuple[Across, ...]:
    """Compare pairs of an own column and one of each table above, over joined rows."""
    if not real.height or not synthetic.height:
        return ()
    tables = (table, *schema.ancestors(table))
    declared: Declared = {c.own(of, name): domain for of in tables for name, domain in of.declared}
    a, b = coded(real, declared, "real"), coded(synthetic, declared, "synthetic")
    bootstrap = a.taken(np.random.default_rng(SEED).integers(0, a.rows, b.rows))
    found, at = [], len(table.declared)
    for above in tables[1:]:
        upper = range(at, at + len(above.declared))
        found.append(Across(above.name, crossed(a, b, bootstrap, range(len(table.declared)), upper, SEED)))
        at = upper.stop
    return tuple(found)


def _number(table: LinkedTable, rows: pl.DataFrame, parents: pl.DataFrame) -> pl.DataFrame:
    """Return for each row that can be referred to how many rows refer to it."""
    import polars as pl

    counts = rows.group_by(REFERENCE).agg(pl.len().cast(pl.Int64).alias(c.children_of(table)))
    every = _referred(parents).select(KEY)
    return every.join(counts, left_on=KEY, right_on=REFERENCE, how="left").drop(KEY).fill_null(0)


def _numbers(table: LinkedTable, real: pl.DataFrame, synthetic: pl.DataFrame) -> ColumnComparison | None:
    found = _compared(c.children_of(table), c.count_domain(table.max_rows), real, synthetic)
    if found is None or found.numbers is None:
        return None
    labels = (*map(str, range(table.max_rows)), f"{table.max_rows} or more")
    beyond = float((real[c.children_of(table)] > table.max_rows).mean())  # type: ignore[arg-type]
    return found._replace(labels=(*labels, *found.labels[len(labels) :]), numbers=found.numbers._replace(beyond=beyond))


def _gaps(table: LinkedTable, real: Frames, synthetic: Frames) -> ColumnComparison | None:
    """Compare the distances from one row of a parent to the next."""
    import polars as pl

    if table.order is None:
        return None
    place, name = c.own(table, table.order), c.gap_of(table)
    found = []
    for frames in (real, synthetic):
        rows = frames[table.name].select(REFERENCE, d.numbers(frames[table.name][place])).drop_nulls()
        rows = rows.join(_referred(frames[table.parent or ""]), left_on=REFERENCE, right_on=KEY, how="semi")
        rows = rows.sort(REFERENCE, place)
        found.append(rows.select((pl.col(place) - pl.col(place).shift(1)).over(REFERENCE).alias(name)).drop_nulls())
    return _compared(name, table.gap, *found)


def _compared(name: str, domain: Number, real: pl.DataFrame, synthetic: pl.DataFrame) -> ColumnComparison | None:
    if not real.height or not synthetic.height:
        return None
    declared: Declared = {name: domain}
    a, b = coded(real, declared, "real"), coded(synthetic, declared, "synthetic")
    return column_likeness.columns(a, b, declared)[0]
