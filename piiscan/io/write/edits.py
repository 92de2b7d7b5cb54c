"""The changes of records: for each of them, the new values by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.io.cells import nested_values
from piiscan.io.cells.named_rows import Place
from piiscan.io.content import ReadTable
from piiscan.io.nested.records import UNNAMED, Paths
from piiscan.io.write.change import Change, Changed, applied, where
from piiscan.io.write.within import New, Within

if TYPE_CHECKING:
    import polars as pl

    from piiscan.io.cells.nested_values import Derived

Path = tuple[str, ...]
_TOGETHER: Final = 4096
"""Rows whose edits are made together: as objects, they take many times the room of their batch."""


class Edit(NamedTuple):
    """What becomes of one record: it is `gone`, or `cells` of it are new, or values `inside` of some."""

    cells: dict[Path, Any]
    gone: bool = False
    inside: Mapping[Path, New] = {}

    @property
    def is_empty(self) -> bool:
        return not self.cells and not self.inside


@dataclass(frozen=True)
class PathPlan:
    """The changes of all records of a table.

    Paths that are left out, all paths that lead to a change, those whose cells get another type, and what is known of
    paths within cells.
    """

    dropped: frozenset[Path] = frozenset()
    on_the_way: frozenset[Path] = frozenset()
    retyped: frozenset[Path] = frozenset()
    within: Mapping[Path, Within] = field(default_factory=dict)

    @property
    def drops(self) -> bool:
        return bool(self.dropped) or any(within.dropped for within in self.within.values())


def path_plan(table: ReadTable, change: Change, paths: Paths) -> PathPlan:
    """Raises `UsageError` for new names, since they are part of every record, and for cells that must stay."""
    own, owner = paths.own, nested_values.owner(paths.derived, len(paths.own))
    origins = {column.origin for column in change.columns}
    dropped = frozenset(path for i, path in enumerate(own) if i not in origins)
    if any(map(_must_stay, dropped)):
        raise UsageError(
            f"{where(table.info)}: a cell of a row whose names stand elsewhere can't be left out; suppress its column"
        )
    touched = set(dropped)
    retyped = set[Path]()
    for column in change.columns:
        if column.field.name != table.info.fields[column.origin].name:
            raise UsageError(f"{where(table.info)}: columns of {table.info.format} keep their names")
        if not column.same:
            touched.add(own[owner[column.origin][0].parent if column.origin in owner else column.origin])
        if column.origin not in owner and column.field.dtype != table.info.fields[column.origin].dtype:
            retyped.add(own[column.origin])
    within = {}
    for d in paths.derived:
        gone = frozenset(name for i, (of, name) in owner.items() if of is d and i not in origins)
        within[own[d.parent]] = Within(frozenset(d.names), gone)
        if gone:
            touched.add(own[d.parent])
    on_the_way = frozenset(path[:n] for path in touched for n in range(len(path) + 1))
    return PathPlan(dropped, on_the_way, frozenset(retyped), within)


def _must_stay(path: Path) -> bool:
    """Whether a path leads into a cell of a list: others would take its place."""
    return len(path) > 1 and any(key.startswith(UNNAMED) or isinstance(key, Place) for key in path)


def edits(table: ReadTable, change: Change, paths: Paths) -> Iterator[Edit]:
    """One for each record, in order."""
    owner = nested_values.owner(paths.derived, len(paths.own))
    for batch in table.batches():
        changed = applied(change, batch, table.info)
        first = 0  # of the rows that stay
        for start in range(0, batch.frame.height, _TOGETHER):
            before = batch.frame.slice(start, _TOGETHER)
            stay = None if changed.kept is None else changed.kept.slice(start, _TOGETHER)
            rows = before.height if stay is None else int(stay.sum())
            yield from _edits(before, Changed(changed.frame.slice(first, rows), stay), change, paths, owner)
            first += rows


def _edits(
    before: pl.DataFrame, changed: Changed, change: Change, paths: Paths, owner: Mapping[int, tuple[Derived, str]]
) -> Iterator[Edit]:
    height = before.height
    rows: list[dict[Path, Any]] = [{} for _ in range(height)]
    inside: list[dict[Path, New]] = [{} for _ in range(height)]
    kept = range(height) if changed.kept is None else changed.kept.arg_true().to_list()
    for i, column in enumerate(change.columns):
        if column.same:
            continue
        old = before.to_series(column.origin)
        old = old if changed.kept is None else old.filter(changed.kept)
        new = changed.frame[str(i)]
        differs = range(len(new)) if new.dtype != old.dtype else new.ne_missing(old).arg_true().to_list()
        cells = new.to_list()
        if column.origin in owner:
            d, name = owner[column.origin]
            path = paths.own[d.parent]
            for at in differs:
                inside[kept[at]].setdefault(path, {})[name] = cells[at]
        else:
            path = paths.own[column.origin]
            for at in differs:
                rows[kept[at]][path] = cells[at]
    stays = set(kept)
    for at, cells_of_row in enumerate(rows):
        yield Edit(cells_of_row, at not in stays, inside[at])
