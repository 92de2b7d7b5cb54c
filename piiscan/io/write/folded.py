"""Changes inside JSON texts, and of values of attributes, as changes of their own columns.

In a JSON text, only new values are written again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from piiscan.core.errors import UsageError
from piiscan.core.types import Batch, TableInfo
from piiscan.io.cells import nested_values
from piiscan.io.cells.nested_values import Derived
from piiscan.io.content import ReadTable
from piiscan.io.nested import attribute_values, json_texts
from piiscan.io.nested.json_texts import Unfolded
from piiscan.io.write.change import Change, Changed, Column, applied, key_of, where
from piiscan.io.write.splice import inside
from piiscan.io.write.within import Within

if TYPE_CHECKING:
    import polars as pl


def folded(table: ReadTable, change: Change | None) -> tuple[ReadTable, Change | None]:
    """For a table with texts laid out as columns: the table as in its file, and its change.

    Other tables are returned as they are.
    """
    if not isinstance(table.origin, Unfolded):
        return table, change
    return table.origin.table, None if change is None else Folding(change, table.info, table.origin)


class Folding:
    """A change of a table with derived columns, as one of the table without them.

    Raises `UsageError` for new names of derived columns.
    """

    def __init__(self, change: Change, info: TableInfo, origin: Unfolded) -> None:
        self._change, self._info, self._derived = change, info, origin.derived
        self._width = len(origin.table.info.fields)
        self.key_id = key_of(change)
        owner = nested_values.owner(origin.derived, self._width)
        self._new: dict[int, dict[str, int]] = {}
        kept: dict[int, set[str]] = {d.parent: set() for d in origin.derived}
        for position, column in enumerate(change.columns):
            if column.origin not in owner:
                continue
            d, name = owner[column.origin]
            if column.field.name != info.fields[column.origin].name:
                what = (
                    "values in JSON keep their names; take a rename back, rename a key that identifies somebody in the "
                    "data, or drop the column"
                    if d.key is None
                    else "values of attributes have no names"
                )
                raise UsageError(f"{where(info)}: {what}")
            kept[d.parent].add(name)
            if not column.same:
                self._new.setdefault(d.parent, {})[name] = position
        self._values = {d.parent: d for d in origin.derived if d.key is not None}
        self._within = {
            d.parent: Within(frozenset(d.names), frozenset(d.names) - kept[d.parent]) for d in origin.derived
        }

    def _touches(self, parent: int) -> bool:
        return parent in self._new or (parent in self._within and bool(self._within[parent].dropped))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        own = (column for column in self._change.columns if column.origin < self._width)
        return tuple(
            column._replace(same=False, inside=column.same) if self._touches(column.origin) else column
            for column in own
        )

    def apply(self, batch: Batch) -> Changed:
        import polars as pl

        laid = json_texts.rows(batch.frame, self._derived, self._width)
        changed = applied(self._change, Batch(laid, batch.offset), self._info)
        out: list[pl.Series] = []
        for position, column in enumerate(self.columns):
            if column.same:
                continue
            old = batch.frame.to_series(column.origin)
            old = old if changed.kept is None else old.filter(changed.kept)
            masks = None if self._change.columns[position].same else changed.frame[str(position)]
            if column.origin in self._values:
                own = old if masks is None else masks.cast(pl.String)
                masks = self._of_attributes(self._values[column.origin], batch.frame, own, changed)
            elif column.origin in self._within:
                masks = self._texts(column.origin, old, masks, changed)
            assert masks is not None
            out.append(masks.alias(str(position)))
        return Changed(pl.DataFrame(out), changed.kept)

    def _of_attributes(self, d: Derived, frame: pl.DataFrame, own: pl.Series, changed: Changed) -> pl.Series:
        """A column of values with the new ones of its attributes."""
        new: dict[str, pl.Series | None] = dict.fromkeys(self._within[d.parent].dropped)
        new |= {name: changed.frame[str(at)] for name, at in self._new.get(d.parent, {}).items()}
        kept = frame if changed.kept is None else frame.filter(changed.kept)
        return attribute_values.merged(kept, d, own, new)

    def _texts(self, parent: int, old: pl.Series, masks: pl.Series | None, changed: Changed) -> pl.Series:
        """A column of JSON texts with new values inside; other texts get the masks of the column itself."""
        import polars as pl

        within = self._within[parent]
        new = {name: changed.frame[str(position)].to_list() for name, position in self._new.get(parent, {}).items()}
        texts = old.to_list()
        own = texts if masks is None else masks.cast(pl.String).to_list()
        for at, text in enumerate(texts):
            value, notation = json_texts.read(text) if json_texts.begins(text) else (None, None)
            if value is None:
                texts[at] = own[at]
                continue
            start = len(text) - len(text.lstrip(" \t\r\n"))
            end = len(text.rstrip(" \t\r\n"))
            cells = {name: values[at] for name, values in new.items()}
            texts[at] = text[:start] + inside(text, start, end, value, cells, within, notation) + text[end:]
        return pl.Series(old.name, texts, dtype=pl.String)
