"""Frames in memory as tables, and frames made from their masks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from piiscan.api.plan import key_of
from piiscan.core import keys
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import PiiscanError, UsageError
from piiscan.core.types import TableInfo
from piiscan.io import inputs, native_frames
from piiscan.io.cells.nested_values import Derived
from piiscan.io.content import ReadTable
from piiscan.io.nested import json_texts
from piiscan.io.read_options import ReadOptions
from piiscan.io.struct_frames import Opened, opened
from piiscan.masking.apply.table_masker import MaskedBatch
from piiscan.masking.plan import renames
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.run import inside_cells
from piiscan.rules import rule_sets
from piiscan.scanning import printable_names

if TYPE_CHECKING:
    from piiscan.core.keys import Key


_LIKELY: Final = 0.8
"""How sure the recogniser has to be of a person in such a text."""


def load_key(plan: Plan, key: Key | str | None) -> Key | None:
    """Return the key that a caller passes or, if the plan needs one, that of the environment."""
    given = key_of(key)
    return keys.Key.load(None) if given is None and plan.keyed() else given


def known_columns(new_columns: str) -> None:
    """Raise `UsageError` for an unknown treatment of columns that a plan doesn't know."""
    if new_columns not in ("error", "suppress"):
        raise UsageError('new_columns must be "error" or "suppress"')


def laid_out(held: inside_cells.Held, shown: TableInfo, table: TablePlan) -> inside_cells.Held:
    """Lay out a frame's nested texts as the plan has them.

    Raises `UsageError` for a key or field of which the plan has the place only, as its name identifies somebody.
    """
    if hidden := [a.index for a in table.columns[held.width :] if a.name == f"column_{a.index}"]:
        return _with_hidden_names(held, table, hidden)
    names = [a.name for a in table.columns]
    if names[: held.width] == [f.name for f in shown.fields[: held.width]] and (
        derived := inside_cells.by_names(names, held.own.info.fields, held.cells)
    ):
        return inside_cells.held(held.own, held.cells, derived)
    return held


def _with_hidden_names(held: inside_cells.Held, table: TablePlan, hidden: Sequence[int]) -> inside_cells.Held:
    """Lay out a frame's texts by themselves, where columns that hold `hidden` names are dropped."""
    derived = json_texts.of_table(held.own, ReadOptions().limits.columns)
    held = inside_cells.held(held.own, held.cells, derived)
    fields, gone = held.table.info.fields, {a.index for a in table.columns if a.operator == "drop"}
    for i in hidden:
        parent = fields[i].parent if i < len(fields) else None
        if parent not in gone:
            raise UsageError(
                f"column_{i}: the name of a key or field in column {table.columns[parent or 0].name} identifies "
                "somebody, and masks don't change it; rename it in the data, or drop the column"
            )
    return held


def rebuilt(frame: Opened, table: TablePlan, held: inside_cells.Held, done: MaskedBatch) -> Any:
    """Return a frame of the library that was opened, with the masks of all its rows."""
    own, width = frame.frame, held.width
    dropped = {a.index for a in table.columns if a.operator == "drop"}
    columns = inside_cells.folded(held, own, done.columns, dropped)
    kind = native_frames.kind_of(own)
    gone = {i for i in dropped if i < width}
    made = kind.rebuilt(own, columns, gone, done.kept)
    new = _printed_names(held.own.info, width) | {
        a.index: a.rename for a, _ in renames.left(table.columns, table.source) if a.index < width and a.rename
    }
    if new and not frame.columns:
        made = kind.renamed(made, [new.get(i) for i in range(width) if i not in gone])
    return frame.given_back(kind.without_notes(made, identifies), gone, done.kept, new)


def _printed_names(info: TableInfo, width: int) -> dict[int, str]:
    """Return new names for columns whose names identify somebody: as files that are masked get them."""
    printed = printable_names.printable(info, rule_sets.shipped().rules)
    pairs = list(zip(info.fields[:width], printed.fields, strict=False))
    taken = {old.name for old, new in pairs if new.name in (None, old.name)}
    found = {}
    for i, (old, new) in enumerate(pairs):
        if new.name is not None and new.name != old.name:
            found[i] = next(name for n in count(1) if (name := new.name if n == 1 else f"{new.name}#{n}") not in taken)
            taken.add(found[i])
    return found


def identifies(texts: Sequence[str]) -> bool:
    """Return whether any of the texts beside a frame's rows holds a direct identifier, or names a person."""
    from piiscan.detection.text.analyzer import Analyzer

    found = Analyzer(min_score=_LIKELY).batch(texts) if texts else []
    return any(PII_CLASS[span.entity] == "direct" for spans in found for span in spans)


def read(frame: Any) -> tuple[TableInfo, pl.DataFrame]:
    """Return a frame's columns, by the names that a plan has for them, and its cells as "0", "1", …."""
    return whole(read_held(opened(frame).frame))


def read_held(frame: Any, texts: Sequence[Derived] | None = None) -> inside_cells.Held:
    """Hold a frame in memory. `texts`: the columns derived from JSON texts; None: read from their first rows."""
    try:
        table = inputs.from_frame(frame, texts=False)
        assert isinstance(table, ReadTable)
        batches = [b.frame for b in table.batches()]
    except PiiscanError:
        raise
    except Exception as error:  # libraries quote values in their messages
        raise UsageError(f"can't read a {type(frame).__name__} as a table ({type(error).__name__})") from None
    cells = pl.concat(batches) if batches else _empty(table.info)
    if texts is None:
        texts = json_texts.of_table(table._replace(read=lambda: iter([cells]), rows=None), ReadOptions().limits.columns)
    return inside_cells.held(table, cells, texts)


def whole(held: inside_cells.Held) -> tuple[TableInfo, pl.DataFrame]:
    """Return all columns, and their cells."""
    batches = [b.frame for b in held.table.batches()]
    info = held.table.info
    return printable_names.printable(info, rule_sets.shipped().rules), pl.concat(batches) if batches else _empty(info)


def _empty(info: TableInfo) -> pl.DataFrame:
    return pl.DataFrame(
        {str(i): pl.Series([], dtype=_EMPTY.get(f.dtype, pl.String)) for i, f in enumerate(info.fields)}
    )


_EMPTY: dict[str, Any] = {
    "integer": pl.Int64,
    "float": pl.Float64,
    "boolean": pl.Boolean,
    "date": pl.Date,
    "datetime": pl.Datetime,
}
