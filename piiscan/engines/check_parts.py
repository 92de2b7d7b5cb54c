"""What masking did to a table, looked at in parts.

Counts, and keyed prints of originals and masks, which an engine joins. No cell leaves its worker.

Each row is a `kind`, a column of the plan by its place (-1: the table), a `print` (0: none) and how often it is met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.core.types import TableInfo
from piiscan.engines import value_counts
from piiscan.engines.key_specs import load
from piiscan.engines.mask_parts import MaskSpec
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table
from piiscan.io.frames import frame_table
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply.column_masker import ColumnMasker
from piiscan.masking.apply.distinct_values import filled, flat
from piiscan.masking.apply.originals import UNIQUE, normalised
from piiscan.masking.apply.planned_cells import masks_as_planned
from piiscan.masking.apply.table_masker import UNTOUCHED, TableMasker
from piiscan.masking.operators.operator import DECLARING
from piiscan.masking.plan import renames
from piiscan.masking.plan.frequencies import FEW, few
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.result import CheckResult
from piiscan.masking.surrogates.keyed_functions import prf

SCHEMA: Final = "kind string, place int, print bigint, n bigint"
TABLE: Final = -1
_LOOKED: Final = 64
"""Masks of a part whose digits are counted."""


class Counted(NamedTuple):
    """What an engine has added up: by kind and place, how many different prints there were, and the sum of `n`."""

    different: Mapping[tuple[str, int], int]
    sums: Mapping[tuple[str, int], int]

    def sum(self, kind: str, place: int = TABLE) -> int:
        return self.sums.get((kind, place), 0)


def before(batches: Iterable[Any], spec: MaskSpec) -> Iterator[Any]:
    """Of the rows that were masked: how many stay, their filled cells, and prints of unique originals."""
    secret, masker = _secret(spec), None
    for frame in rebatched(batches):
        masker = spec.masker() if masker is None else masker
        table, cells = masker.planned(frame)
        kept = table.kept_rows(cells)
        stay = cells if kept is None else cells.filter(kept.fill_null(True))
        rows = [_count("rows", TABLE, len(stay))]
        for i in own_columns(table, spec.before):
            action, own = table.columns[i].action, filled(stay[str(i)])
            rows.append(_count("filled", i, len(own) - own.null_count()))
            if action.operator not in (*UNTOUCHED, "spans") and action.entity in UNIQUE:
                rows.append(_prints("original", i, normalised(flat(cells[str(i)]).drop_nulls().unique()), secret))
        yield from _batches(rows)


def after(batches: Iterable[Any], spec: MaskSpec) -> Iterator[Any]:
    """Of the rows that came out.

    How many there are, their filled cells, masks that their operators don't declare, and prints of all cells.
    """
    secret, table = _secret(spec), None
    for frame in rebatched(batches):
        table = _ready(spec) if table is None else table
        info = _info(frame)
        places = _places(table, info, spec.before)
        for batch in part_table(frame, info).batches():
            rows = [_count("rows", TABLE, len(batch.frame))]
            for i, at in places.items():
                rows += _of_column(table.columns[i], batch.frame[str(at)], secret)
            yield from _batches(rows)


def _ready(spec: MaskSpec) -> TableMasker:
    table, nothing = spec.masker().planned(spec.before.empty_table())
    if spec.needs_counts:
        value_counts.fit(table, nothing, spec.counts, spec.key)
    return table


def own_columns(table: TableMasker, schema: Any) -> list[int]:
    """The columns of the frame itself, by their places: no JSON texts, and not what these or lists of structs hold."""
    fields = _info(schema.empty_table()).fields
    names = {name for name, field in zip(labels([f.name for f in fields]), fields, strict=True) if field.parent is None}
    held = [name for name in table.names if name not in names]
    texts = {field.name for field in fields if field.dtype == "string" and field.parent is None}
    names -= {text for text in texts if text and any(h.startswith((f"{text}.", f"{text}[")) for h in held)}
    return [i for i, name in zip(table.columns, table.names, strict=True) if name in names]


def results(
    table: TableMasker, schema: Any, one: Counted, other: Counted, hits: Mapping[int, int]
) -> list[CheckResult]:
    """The promises of a plan and how they went.

    `one`, `other`: what was counted before and after; `hits`: by column, how many different cells of the output are
    somebody's unique original.
    """
    source, name = table.plan.source, table.plan.table
    found = [
        CheckResult(
            source,
            name,
            None,
            "as many rows as the plan leaves",
            one.sum("rows"),
            abs(one.sum("rows") - other.sum("rows")),
        )
    ]
    originals: dict[str, int] = {}
    for i, column in table.columns.items():
        entity = column.action.entity or ""
        originals[entity] = originals.get(entity, 0) + one.different.get(("original", i), 0)
    for i in own_columns(table, schema):
        column = table.columns[i]
        if column.action.operator == "drop":
            continue
        held = _Column(column, one.sum("filled", i), other, i)
        found += (
            CheckResult(source, name, column.label, promise, cells, broken, expected)
            for promise, cells, broken, expected in held.promises(hits.get(i, 0), originals)
        )
    return found


class _Column(NamedTuple):
    column: ColumnMasker
    filled: int
    after: Counted
    place: int

    def promises(self, hits: int, originals: Mapping[str, int]) -> Iterator[tuple[str, int, int, float]]:
        """Each promise, of how many cells, broken by how many, and expected to be by how many."""
        action, operator, left = self.column.action, self.column.operator, self.after.sum("filled", self.place)
        different = self.after.different.get(("cell", self.place), 0)
        looked = self.after.sum("looked", self.place)
        digits = self.after.sum("digits", self.place) // looked if looked else 0
        chance = operator.originals_by_chance(different, originals.get(action.entity or "", 0), digits)
        yield "no unique original is left in a cell", left, hits, chance
        if operator.contract == "empty":
            yield "nothing is left in it", self.filled, left, 0.0
        if operator.contract in DECLARING:
            strange = self.after.sum("strange", self.place)
            yield "every mask lies in its operator's range", left, strange, 0.0
        if operator.contract not in ("empty", "coarser", "range"):
            yield "empty cells stay empty, others don't get empty", self.filled, abs(left - self.filled), 0.0
        if operator.deterministic and not action.accept_frequency:
            values = self.after.different.get(("value", self.place), 0)
            yield "how often masks occur doesn't reveal them", left, left if few(values, left) else 0, 0.0


def _of_column(column: ColumnMasker, cells: pl.Series, secret: Subkey) -> Iterator[pl.DataFrame]:
    action, i = column.action, column.index
    own = filled(cells)
    yield _count("filled", i, len(own) - own.null_count())
    values = filled(masks_as_planned(flat(cells), action)).drop_nulls().unique()
    if not len(values):
        return
    texts = values.cast(pl.String, strict=False).drop_nulls()
    yield _prints("cell", i, normalised(texts), secret)
    looked = texts.head(_LOOKED)
    yield _count("looked", i, len(looked))
    yield _count("digits", i, int(looked.str.count_matches("[0-9]").sum()))
    if column.operator.contract in DECLARING and action.operator != "spans":
        yield _count("strange", i, int((~column.operator.declares(values, column.key)).sum() or 0))
    if column.operator.deterministic:
        yield _prints("value", i, texts.sort().head(FEW + 1), secret)


def _info(frame: Any) -> TableInfo:
    return frame_table(frame, ReadOptions(), texts=False).info


def _places(table: TableMasker, info: TableInfo, schema: Any) -> dict[int, int]:
    """Where the plan's own columns are in the output."""
    here = {label: at for at, label in enumerate(labels([f.name for f in info.fields]))}
    stay = renames.left(table.plan.columns, table.plan.source)
    own = set(own_columns(table, schema))
    names = labels([name for _, name in stay])
    if missing := [n for (a, _), n in zip(stay, names, strict=True) if a.index in own and n not in here]:
        raise UsageError(f"{table.plan.source}: the masked frame has no column {missing[0]}")
    return {a.index: here[n] for (a, _), n in zip(stay, names, strict=True) if a.index in own}


def _secret(spec: MaskSpec) -> Subkey:
    key = load(spec.key)
    if key is None:
        raise UsageError("a key is needed to check by: prints of originals are made with it; name one, as for mask")
    return key.subkey("piiscan", "prints of originals")


def _count(kind: str, place: int, n: int) -> pl.DataFrame:
    return pl.DataFrame({"kind": [kind], "place": [place], "print": [0], "n": [n]})


def _prints(kind: str, place: int, texts: pl.Series, secret: Subkey) -> pl.DataFrame:
    once = texts.drop_nulls().unique()
    prints = pl.Series("print", prf(secret, once)[:, 0].view("int64") if len(once) else [], dtype=pl.Int64)
    return pl.DataFrame({"print": prints}).select(
        pl.lit(kind).alias("kind"), pl.lit(place, pl.Int64).alias("place"), "print", pl.lit(1, pl.Int64).alias("n")
    )


def _batches(rows: list[pl.DataFrame]) -> Iterator[Any]:
    pyarrow = import_module("pyarrow")
    types = (pyarrow.string(), pyarrow.int32(), pyarrow.int64(), pyarrow.int64())
    schema = pyarrow.schema(list(zip(("kind", "place", "print", "n"), types, strict=True)))
    yield from pl.concat(rows).to_arrow().cast(schema).to_batches()
