"""Changes inside the cells of a frame, as changes of the frame's own columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.cells.nested_values import Derived
from piiscan.io.content import ReadTable
from piiscan.io.nested import attribute_values
from piiscan.io.nested.json_texts import Unfolded, with_columns
from piiscan.io.write.change import Changed, Column
from piiscan.io.write.folded import Folding
from piiscan.io.write.structs import ListOfStructs, firsts


class Held(NamedTuple):
    """A frame as a table: `own` is it without the contents of JSON texts, `cells` its cells, `table` the whole.

    `texts`: what is derived from JSON texts.
    """

    own: ReadTable
    table: ReadTable
    texts: tuple[Derived, ...]
    cells: pl.DataFrame

    @property
    def width(self) -> int:
        """How many columns the frame itself has."""
        return sum(field.parent is None for field in self.own.info.fields)


class _Change(NamedTuple):
    columns: tuple[Column, ...]
    changed: Changed

    def apply(self, batch: Batch) -> Changed:
        return self.changed


def by_names(names: Sequence[str | None], fields: Sequence[Field], cells: pl.DataFrame) -> tuple[Derived, ...]:
    """What a plan with columns of these names derives of the texts of a frame that has `fields`.

    Attributes in its `cells` that the plan doesn't know are new columns.
    """
    found: dict[int, list[str]] = {}
    texts = [i for i, field in enumerate(fields) if field.dtype == "string" and field.parent is None and field.name]
    for name in names[len(fields) :]:
        parents = [i for i in texts if name and name.startswith((f"{fields[i].name}.", f"{fields[i].name}["))]
        if parents and name:
            parent = max(parents, key=lambda i: len(fields[i].name or ""))
            found.setdefault(parent, []).append(name.removeprefix(fields[parent].name or ""))
    values = attribute_values.also(fields, cells, {parent: tuple(ends) for parent, ends in found.items()})
    others = (Derived(parent, tuple(ends)) for parent, ends in found.items() if not values or parent != values.parent)
    return (*others, values) if values else tuple(others)


def folded(held: Held, frame: Any, columns: Mapping[int, pl.Series], dropped: Set[int]) -> dict[int, pl.Series]:
    """New cells for the columns of `frame` alone.

    `columns`: those of the table that change, with all their cells; those that are `dropped` go. Raises `UsageError`
    for lists of objects in a frame that can't be put together again.
    """
    info: TableInfo = held.table.info
    own = {i: cells for i, cells in columns.items() if info.fields[i].parent is None}
    stay = [i for i in range(len(info.fields)) if i not in dropped]
    made = tuple(Column(info.fields[i], i, i not in columns) for i in stay)
    changed = Changed(
        pl.DataFrame([columns[i].alias(str(position)) for position, i in enumerate(stay) if i in columns])
    )
    first = held.width
    for d, at in zip(_structs(held), firsts(_structs(held), first), strict=True):
        structs = ListOfStructs(d, at, _Change(_texts(made, columns), changed))
        if structs.touches and d.parent not in dropped:
            old = _column(frame, d.parent, info)
            own[d.parent] = structs.series(old, changed)
    if held.texts:
        folding = Folding(_Change(made, changed), info, Unfolded(held.own, held.texts))
        new = folding.apply(Batch(held.cells, 0)).frame
        for position, column in enumerate(folding.columns):
            if not column.same and column.origin < first:
                own[column.origin] = new[str(position)]
    return own


def _texts(made: tuple[Column, ...], columns: Mapping[int, pl.Series]) -> tuple[Column, ...]:
    """Columns with the types of their masks: lists that aren't null altogether became texts."""
    return tuple(
        c._replace(field=c.field._replace(dtype="string"))
        if not c.same and c.field.dtype == "other" and columns[c.origin].null_count() < len(columns[c.origin])
        else c
        for c in made
    )


def _structs(held: Held) -> tuple[Derived, ...]:
    """What is derived of lists of structs."""
    names: dict[int, list[str]] = {}
    fields = held.own.info.fields
    for field in fields[held.width :]:
        parent = field.parent or 0
        names.setdefault(parent, []).append((field.name or "").removeprefix(fields[parent].name or ""))
    return tuple(Derived(parent, tuple(ends)) for parent, ends in names.items())


def _column(frame: Any, i: int, info: TableInfo) -> pl.Series:
    """A column of lists as polars has it."""
    if isinstance(frame, pl.DataFrame):
        return frame.to_series(i)
    if hasattr(frame, "schema"):
        return pl.Series(frame.column(i))
    raise UsageError(
        f"can't mask the content of lists in column {info.fields[i].name or i} of such a frame; convert it to a "
        "polars frame"
    )


def held(own: ReadTable, cells: pl.DataFrame, texts: Sequence[Derived]) -> Held:
    """A frame read into `cells`, and what is derived of its texts."""
    again = own._replace(read=lambda: iter([cells]), rows=None, pieces=None)
    return Held(again, with_columns(again, texts), tuple(texts), cells)
