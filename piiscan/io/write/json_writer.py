"""JSON lines and JSON documents: nesting, spacing and everything that doesn't change stay as they are written."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.cells.nested_values import is_map
from piiscan.io.content import ReadTable
from piiscan.io.encodings.encoding import as_utf8, open_text, undecodable
from piiscan.io.nested.column_layouts import KEY, is_by_column
from piiscan.io.nested.json_files import DECODER, Written, is_keyed, place_in, rows_of, unwrap, value_of
from piiscan.io.nested.records import UNNAMED, VALUE, Paths
from piiscan.io.write.change import CHANGED, Change, reading
from piiscan.io.write.edits import Edit, PathPlan, edits, path_plan
from piiscan.io.write.encoded import opened
from piiscan.io.write.lines_writer import blocks
from piiscan.io.write.splice import Child, cell, children, dumped, joined, record
from piiscan.io.write.within import only

_BATCH = 100_000


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """The table of JSON lines, or the tables of a JSON document."""
    if tables[0].info.format == "jsonl" and changes[0] is not None:
        _lines(tables[0], changes[0], target)
    else:
        _document(tables, changes, target)


def _lines(table: ReadTable, change: Change, target: Path) -> None:
    origin: Written = table.origin
    planned, todo = path_plan(table, change, origin.paths), edits(table, change, origin.paths)
    with reading():
        content, failure = (
            (origin.content, None) if origin.encoding.is_utf8 else as_utf8(origin.content, origin.encoding)
        )
    errors = origin.encoding.errors
    with content.open() as stream, opened(target, origin.content, origin.encoding) as out:
        # Of what was recoded, a mark that is left is a character of the first line, as its reader has it.
        has_mark = origin.encoding.is_utf8 and stream.read(3) == codecs.BOM_UTF8
        mark = codecs.BOM_UTF8 if has_mark else b""
        stream.seek(len(mark))
        out.write(mark)
        for lines in blocks(stream, _BATCH):
            for line in lines:
                try:
                    text = line.decode("utf-8", errors)
                except UnicodeDecodeError:
                    raise undecodable(origin.encoding) from None
                if not text.strip():
                    out.write(line)
                    continue
                edit = next(todo, None)
                if edit is None:
                    raise ReadError(CHANGED)
                if not edit.gone:
                    out.write(line if edit.is_empty and not planned.drops else _line(text, edit, planned).encode())
    if failure is not None or next(todo, None) is not None:
        raise failure or ReadError(CHANGED)


def _line(text: str, edit: Edit, planned: PathPlan) -> str:
    body = text.rstrip("\r\n")
    start = len(body) - len(body.lstrip(" \t"))
    value = value_of(body)
    if isinstance(value, str) and value == body:  # no JSON
        new = only(edit.cells.get((VALUE,), value))
        return " ".join(str("" if new is None else new).splitlines()) + text[len(body) :]
    if type(value) is dict and edit.cells.get((VALUE,)) is not None:
        raise ReadError(CHANGED)  # the new text of a line that was no object
    end = DECODER.raw_decode(body, start)[1]
    return text[:start] + record(body, start, end, value, edit, planned) + text[end:]


class _Rows(NamedTuple):
    """What becomes of one table of a document; without a change, nothing."""

    path_plan: PathPlan
    edits: Iterator[Edit]
    paths: Paths


_KEPT = _Rows(PathPlan(), iter(()), Paths(()))


def _document(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    origin: Written = tables[0].origin
    todo = iter(
        [
            _KEPT
            if change is None
            else _Rows(
                path_plan(table, change, table.origin.paths),
                edits(table, change, table.origin.paths),
                table.origin.paths,
            )
            for table, change in zip(tables, changes, strict=True)
        ]
    )
    with reading(), open_text(origin.content, origin.encoding, "") as stream:
        text = stream.read()
    head = origin.content.head(3) == codecs.BOM_UTF8
    with opened(target, origin.content, origin.encoding) as out:
        out.write(codecs.BOM_UTF8 if head and not text.startswith("\ufeff") else b"")
        start, end = place_in(text)
        written = text[:start] + _written(text[start:end], lambda: next(todo)) + text[end:]
        out.write(written.encode("utf-8", "replace"))


def _written(text: str, table: Callable[[], _Rows]) -> str:
    held: list[Child] = []
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text.rstrip()):
            break
        value, end = DECODER.raw_decode(text, at)
        held.append(Child("", at, at, end, value))
        at = end
    if len(held) != 1:
        return _array(text, 0, len(text), held, table())
    (root,) = held
    if isinstance(root.value, list):
        inner = (
            _array(text, root.at, root.end, children(text, root.at), table())
            if rows_of(root.value)
            else text[root.at : root.end]
        )
    elif not isinstance(root.value, dict):
        rows = table()
        inner = _row(text, root, next(rows.edits), rows) if rows is not _KEPT else text[root.at : root.end]
    elif _is_keyed(root.value):
        inner = _keyed(text, root, table())
    else:
        inner = _wrapped(text, root, table)
    return text[: root.at] + inner + text[root.end :]


def _array(text: str, at: int, end: int, held: Sequence[Child], rows: _Rows) -> str:
    """The rows of an array; where its elements are arrays, the first of them may name the columns."""
    if rows is _KEPT:
        return text[at:end]
    if rows.paths.by_column:
        keyed = [child._replace(key=f"{UNNAMED}{i}") for i, child in enumerate(held)]
        return _by_column(text, at, end, keyed, rows)
    new: list[str | None] = []
    names: list[str] | None = None
    first = rows.paths.heads
    if all(isinstance(child.value, list) for child in held):
        names = [f"{UNNAMED}{i}" for i in range(max(len(child.value) for child in held))]
        if rows.paths.own and not rows.paths.own[0][0].startswith(UNNAMED):
            names, first = held[0].value, 1
    for i, child in enumerate(held):
        if i < first and names is None:
            new.append(text[child.start : child.end])
            continue
        if i < first:
            parts = children(text, child.at)
            left = [None if (part.value,) in rows.path_plan.dropped else text[part.at : part.end] for part in parts]
            new.append(joined(text, child.at, child.end, parts, left))
            continue
        edit = next(rows.edits)
        new.append(None if edit.gone else record(text, child.at, child.end, child.value, edit, rows.path_plan, names))
    return joined(text, at, end, held, new)


def _row(text: str, child: Child, edit: Edit, rows: _Rows) -> str:
    return record(text, child.at, child.end, child.value, edit, rows.path_plan)


def _is_keyed(value: Any) -> bool:
    """Whether an object is a table, as `json_files.keyed_rows` reads it."""
    return is_by_column(value) or is_keyed(value)


def _keyed(text: str, parent: Child, rows: _Rows) -> str:
    """An object whose members are rows, or columns of rows; the keys of rows are a column too."""
    if rows is _KEPT:
        return text[parent.at : parent.end]
    held = children(text, parent.at)
    if is_by_column(parent.value):
        return _by_column(text, parent.at, parent.end, held, rows)
    new: list[str | None] = []
    for n, child in enumerate(held):
        edit = next(rows.edits)
        new.append(None if edit.gone else _head(text, child, n, edit, rows) + _row(text, child, edit, rows))
    return joined(text, parent.at, parent.end, held, new)


def _head(text: str, child: Child, number: int, edit: Edit, rows: _Rows) -> str:
    """The text before a value whose key is a cell: the key after an edit, and a colon; nothing in a list."""
    head = text[child.start : child.at]
    key = child.key if (KEY,) not in rows.path_plan.dropped else str(number)
    if (KEY,) in edit.cells:
        key = str("" if edit.cells[(KEY,)] is None else edit.cells[(KEY,)])
    if not head or key == child.key:
        return head
    return dumped(key) + head[head.rindex(":") :] if head.rstrip().endswith(":") else dumped(key) + ":"


def _by_column(text: str, at: int, end: int, held: Sequence[Child], rows: _Rows) -> str:
    """An object or a list whose members are columns, each an object or a list of cells."""
    made = list(rows.edits)
    new: list[str | None] = []
    for column in held:
        path = (column.key,)
        if path in rows.path_plan.dropped:
            new.append(None)
            continue
        cells = children(text, column.at)
        left = [
            None
            if edit.gone
            else _head(text, child, n, edit, rows)
            + cell(text, child.at, child.end, child.value, path, edit, rows.path_plan)
            for n, (child, edit) in enumerate(zip(cells, made, strict=True))
        ]
        new.append(text[column.start : column.at] + joined(text, column.at, column.end, cells, left))
    return joined(text, at, end, held, new)


def _wrapped(text: str, root: Child, table: Callable[[], _Rows]) -> str:
    """An object around tables; what else it holds is a row of its own, which comes first."""
    rest = table() if unwrap(root.value, (), []) else _KEPT
    edit = Edit({}) if rest is _KEPT else next(rest.edits)

    def visit(parent: Child, path: tuple[str, ...]) -> str:
        held = children(text, parent.at)
        new: list[str | None] = []
        for child in held:
            here = (*path, child.key)
            head = text[child.start : child.at]
            if isinstance(child.value, list) and child.value:
                inner = text[child.at : child.end]
                new.append(
                    head
                    + (
                        _array(text, child.at, child.end, children(text, child.at), table())
                        if rows_of(child.value)
                        else inner
                    )
                )
            elif isinstance(child.value, dict) and _is_keyed(child.value):
                new.append(head + _keyed(text, child, table()))
            elif (
                isinstance(child.value, dict)
                and not (is_map(child.value) and here in rest.path_plan.within)
                and here not in rest.path_plan.dropped
            ):
                new.append(head + visit(child, here))
            elif here in rest.path_plan.dropped or edit.gone:
                new.append(None)
            elif here not in edit.cells and here not in edit.inside and here not in rest.path_plan.on_the_way:
                new.append(text[child.start : child.end])
            elif _holds_list(child.value):
                raise ReadError("an object of values with a list in it; reshape it to rows")
            else:
                new.append(head + cell(text, child.at, child.end, child.value, here, edit, rest.path_plan))
        return joined(text, parent.at, parent.end, held, new)

    return visit(root, ())


def _holds_list(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(inner, list) or _holds_list(inner) for inner in value.values())
