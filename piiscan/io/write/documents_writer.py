"""YAML, TOML and settings: values that change are written where they are, and every other byte stays."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from piiscan.core.errors import ReadError, UsageError, WriteError
from piiscan.io.cells.nested_values import EACH, is_container
from piiscan.io.cells.plain import LISTS, text_of
from piiscan.io.content import ReadTable
from piiscan.io.content_kinds import ending
from piiscan.io.documents import beside
from piiscan.io.documents.beside import Unparsed
from piiscan.io.documents.documents import Tree, check_room
from piiscan.io.nested.json_files import tables_of
from piiscan.io.nested.records import Record
from piiscan.io.write.change import CHANGED, Change, reading, where
from piiscan.io.write.copied_texts import COMMENTED, CopiedTexts
from piiscan.io.write.edits import edits, path_plan
from piiscan.io.write.encoded import opened
from piiscan.io.write.placed import Edit, Lines, Notation, Placed, is_as_planned
from piiscan.io.write.within import Supply, Within, rebuilt, value_at, with_new

_PER_PLACE: Final = 1000
"""Bytes of memory that a value takes whose place is known, while all is parsed again."""
_NO_PLACE: Final = "a new value where there is no text; choose other values"
_OTHER: Final = "with its new values it would be read as another document; convert it to JSON or CSV, and use that"
_ALIKE: Final = "keys in it become equal; choose other values"
_ROWS: Final = "rows of {} can't be left out; suppress their columns"
_COLUMNS: Final = "columns of {} can't be left out; suppress them instead of dropping them"


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """All tables of a document."""
    origin: Tree = tables[0].origin
    with reading():
        lines = Lines(origin.content, origin.encoding)
    notation = _notation(origin.kind, ending(origin.content.source, origin.content.compression), lines.text)
    try:
        check_room(lines.text, _PER_PLACE)
        value, spent = notation.read(lines.text)
    except Unparsed as error:
        raise ReadError(str(error)) from None
    new = _NewValues(CopiedTexts(beside.lines_without(lines.text, spent)))
    rows = [(name, records) for name, records, *_ in tables_of(value, plain_lists=False) if records]
    if [name for name, _ in rows] != [table.info.table for table in tables]:
        raise ReadError(CHANGED)
    try:
        for (_, records), table, change in zip(rows, tables, changes, strict=True):
            if change is not None:
                _change(records, table, change, new)
        found = sorted(edit for placed in new.placed for edit in notation.written(lines.text, placed))
    except WriteError as error:
        raise ReadError(str(error)) from None
    _check(value, notation, _applied(lines.text, found))
    with opened(target, origin.content, origin.encoding) as out:
        out.write(codecs.BOM_UTF8 if lines.has_mark else b"")
        out.write(lines.spliced(found).encode("utf-8", "replace"))
    origin.content.read_whole()


def _notation(kind: str, name_ends_in: str, text: str) -> Notation:
    if kind == "yaml":
        from piiscan.io.write import yaml_places

        return yaml_places.notation()
    if kind == "toml":
        from piiscan.io.write import toml_places

        return toml_places.notation()
    if kind == "netrc":
        from piiscan.io.write import netrc_places

        return netrc_places.notation()
    from piiscan.io.write import settings_places

    return settings_places.notation(kind == "env", name_ends_in == "properties", text)


def _applied(text: str, found: Sequence[Edit]) -> str:
    parts, at = [], 0
    for edit in found:
        if edit.start < at:
            raise ReadError(_OTHER)
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*parts, text[at:]])


def _check(value: Any, notation: Notation, text: str) -> None:
    """Raises `ReadError` where the text isn't read as the document with its new values."""
    try:
        is_good = is_as_planned(value, notation.plain(text))
    except Unparsed:
        is_good = False
    if not is_good:
        raise ReadError(_OTHER)


def _change(records: Sequence[Record], table: ReadTable, change: Change, new: _NewValues) -> None:
    """Give the values of a table's records their new texts."""
    plan = path_plan(table, change, table.origin.paths)
    if plan.drops:
        raise UsageError(f"{where(table.info)}: {_COLUMNS.format(table.info.format)}")
    todo = edits(table, change, table.origin.paths)
    for record in records:
        edit = next(todo, None)
        if edit is None:
            raise ReadError(CHANGED)
        if edit.gone:
            raise ReadError(_ROWS.format(table.info.format))
        for path in {**edit.cells, **edit.inside}:
            value = value_at(record, path)
            if is_container(value):
                cells = {**edit.inside.get(path, {}), **({EACH: edit.cells[path]} if path in edit.cells else {})}
                new.within(value, Supply(cells, plan.within.get(path, Within())))
            elif path in edit.cells:
                new.replace(value, edit.cells[path])
    if next(todo, None) is not None:
        raise ReadError(CHANGED)


class _NewValues:
    """Collects the `placed` values that get new texts."""

    def __init__(self, copied: CopiedTexts) -> None:
        self._copied = copied
        self.placed: list[Placed] = []

    def replace(self, old: Any, new: Any) -> None:
        """A cell, element by element where it is a list."""
        for leaf, value in with_new(old, new):
            self.put(leaf, value)

    def within(self, old: Any, supply: Supply) -> None:
        """A cell that holds other values. Raises `ReadError` where there are more or fewer new ones than cells."""
        try:
            self._keys(old, rebuilt(old, supply, self.put, True))
        except StopIteration:
            raise ReadError(CHANGED) from None

    def _keys(self, old: Any, made: Any) -> None:
        if type(old) is dict:
            if len(old) != len(made):
                raise ReadError(_ALIKE)
            for (key, inner), (new_key, new_inner) in zip(old.items(), made.items(), strict=True):
                self.put(key, new_key)
                self._keys(inner, new_inner)
        elif type(old) in LISTS:
            for inner, new_inner in zip(old, made, strict=True):
                self._keys(inner, new_inner)

    def put(self, old: Any, new: Any) -> Any:
        """A value, with what takes its place, which is returned."""
        text = text_of(new) or ""
        if text == (old or ""):
            return old
        if not isinstance(old, Placed):
            raise WriteError(_NO_PLACE)
        if old.changes and old.after != text:
            raise ReadError(_OTHER)
        if self._copied.hold(str(old)):
            raise ReadError(COMMENTED)
        if not old.changes:
            old.changes, old.new = True, None if new is None else text
            self.placed.append(old)
        return old
