"""What changes in records: for each of them, the new values by path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from piiscan.errors import UsageError
from piiscan.io.content import ReadTable
from piiscan.io.write.change import Change, applied, where

Path = tuple[str, ...]


class Edit(NamedTuple):
    """What becomes of one record: it is `gone`, or `cells` of it are new."""

    cells: dict[Path, Any]
    gone: bool = False


class Plan(NamedTuple):
    """What becomes of all records of a table: paths that are left out, and all paths that lead to a change."""

    dropped: frozenset[Path]
    on_the_way: frozenset[Path]


def plan(table: ReadTable, change: Change, paths: Sequence[Path]) -> Plan:
    """Raises `UsageError` for new names: the path of a column is part of every record."""
    origins = {column.origin for column in change.columns}
    dropped = frozenset(path for i, path in enumerate(paths) if i not in origins)
    touched = set(dropped)
    for column in change.columns:
        if column.field.name != table.info.fields[column.origin].name:
            raise UsageError(f"{where(table.info)}: columns of {table.info.format} keep their names")
        if not column.same:
            touched.add(paths[column.origin])
    return Plan(dropped, frozenset(path[:n] for path in touched for n in range(len(path) + 1)))


def edits(table: ReadTable, change: Change, paths: Sequence[Path]) -> Iterator[Edit]:
    """One for each record, in order."""
    for batch in table.batches():
        changed = applied(change, batch, table.info)
        rows: list[dict[Path, Any]] = [{} for _ in range(batch.frame.height)]
        kept = range(len(rows)) if changed.kept is None else changed.kept.arg_true().to_list()
        for i, column in enumerate(change.columns):
            if column.same:
                continue
            old = batch.frame.to_series(column.origin)
            old = old if changed.kept is None else old.filter(changed.kept)
            new = changed.frame[str(i)]
            cells, path = new.to_list(), paths[column.origin]
            differs = range(len(cells)) if new.dtype != old.dtype else new.ne_missing(old).arg_true().to_list()
            for at in differs:
                rows[kept[at]][path] = cells[at]
        stays = set(kept)
        for at, cells_of_row in enumerate(rows):
            yield Edit(cells_of_row, at not in stays)
