"""The vault of a plan, made of a Spark data frame: who its people are, before their rows are masked in parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Final

import polars as pl

from piiscan.api.mask import Masker
from piiscan.api.plan import Plan, key_of, plan_of
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.engines.mask_parts import without_vault
from piiscan.engines.spark_frames import arrow_schema, as_arrow, demand_frame
from piiscan.engines.workers import on_engine
from piiscan.masking.apply.subject_table import SubjectFigures
from piiscan.masking.apply.subjects_of_tables import subject_table
from piiscan.masking.plan import group_columns
from piiscan.masking.plan.plan_types import TablePlan

MOST: Final = 5_000_000
_NOBODY: Final = ("keep", "drop", "suppress", "redact", "spans")
"""Operators whose columns say nothing about people, unless the plan names them as a subject's or a country's."""
_SLICE: Final = 1 << 17
_COUNT: Final = "piiscan rows"


@verb
def remember(
    df: Any,
    plan: Plan | str | os.PathLike[str],
    key: Key | str | None = None,
    *,
    table: str | None = None,
    most: int = MOST,
) -> SubjectFigures | None:
    """Write into the plan's vault who the people of a Spark DataFrame are.

    So `mask` gives each of them the masks that one machine gives. Those that the vault knows already stay as they are.
    Returns counts; None if the plan knows no people.

    The engine groups rows by the columns about people, and the driver reads these groups twice; above `most` of
    them nothing is written. key: a `piiscan.Key`, or where it is, on the driver. Raises `UsageError`.
    """
    demand_frame(df)
    plan = plan_of(plan)
    if plan.vault_file is None:
        raise UsageError('the plan has no vault; write vault = "piiscan-people-vault" in it, if people are to have one')
    secret = key_of(key) or Key.load(None)
    schema = arrow_schema(df)
    masker = Masker(without_vault(plan), secret, table=table)
    found = masker.table_masker(schema.empty_table()).plan
    groups = _groups(df, _telling(found, schema), most)

    def rows(wanted: Callable[[TablePlan], bool]) -> Iterator[tuple[pl.DataFrame, TablePlan]]:
        if wanted(found):
            for part in _again(groups, schema):
                yield masker.planned(part)[1], found

    known = subject_table(plan, secret, rows)
    return None if known is None else known.figures


def _telling(table: TablePlan, schema: Any) -> list[str]:
    """The columns of the frame that are about people."""
    places = {i for s in table.subjects for i in s.source_columns}
    places |= {a.index for a in table.columns if a.operator not in _NOBODY}
    places |= set(group_columns.countries(table.columns, table.source).values())
    told = {table.columns[i].name or "" for i in places}
    own = [name for name in schema.names if any(t == name or t.startswith((f"{name}.", f"{name}[")) for t in told)]
    types = import_module("pyarrow").types
    if maps := [name for name in own if types.is_map(schema.field(name).type)]:
        raise UsageError(f"column {maps[0]} is a map, by which rows can't be grouped; keep or suppress it in the plan")
    return own


def _groups(df: Any, columns: list[str], most: int) -> Any:
    """Different rows of some columns, and how often each occurs: a pyarrow Table."""
    functions = import_module("pyspark.sql.functions")
    names = ["`" + name.replace("`", "``") + "`" for name in columns]
    grouped = df.groupBy(*names).agg(functions.count(functions.lit(1)).alias(_COUNT)).limit(most + 1)
    found = on_engine(partial(as_arrow, grouped))
    if found.num_rows > most:
        raise UsageError(
            f"more than {most:,} different rows about people; give a larger most, if the driver can hold them, or "
            'write vault = "" in the plan, and read there what that loses'
        )
    return found


def _again(groups: Any, schema: Any) -> Iterator[Any]:
    """The rows of the frame in some order, with nothing in the columns that aren't about people."""
    pyarrow = import_module("pyarrow")
    counts = pl.Series(groups[_COUNT]).to_numpy()
    each = pl.Series(range(len(counts)), dtype=pl.Int64).to_numpy().repeat(counts)
    for at in range(0, len(each), _SLICE):
        part = groups.take(each[at : at + _SLICE])
        there = set(part.column_names)
        columns = [part[f.name].cast(f.type) if f.name in there else pyarrow.nulls(len(part), f.type) for f in schema]
        yield pyarrow.table(columns, schema=pyarrow.schema([field.with_nullable(True) for field in schema]))
