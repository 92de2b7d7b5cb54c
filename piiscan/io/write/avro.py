"""Avro files: same schema, codec and metadata, record by record."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from piiscan.errors import ReadError, WriteError
from piiscan.io.content import ReadTable
from piiscan.io.records import VALUE, is_map
from piiscan.io.write.change import Change, where, writing
from piiscan.io.write.edits import Edit, Plan, edits, plan
from piiscan.types import Field

_TYPES = {
    "string": "string",
    "integer": "long",
    "float": "double",
    "boolean": "boolean",
    "date": "string",
    "datetime": "string",
    "other": "string",
}


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """One table."""
    import fastavro

    (table,), (change,) = tables, changes
    if change is None:
        return
    content, paths = table.origin
    asked, todo = plan(table, change, paths), edits(table, change, paths)
    new = {
        paths[column.origin]: column.field
        for column in change.columns
        if not column.same and column.field.dtype != table.info.fields[column.origin].dtype
    }
    with content.open() as stream, open(target, "wb") as file, writing(table.info):
        reader = fastavro.reader(stream)
        schema = reader.writer_schema
        if asked.dropped or new:
            schema = _schema(schema, (), asked, new, where(table.info))
        # Metadata of its own, nobody has looked at.
        fastavro.writer(file, schema, _records(iter(reader), todo, asked), codec=reader.codec)


def _records(found: Iterator[Any], todo: Iterator[Edit], asked: Plan) -> Iterator[Any]:
    for value in found:
        edit = next(todo, None)
        if edit is None:
            raise ReadError("changed while it was read; write it again")
        if not edit.gone:
            yield _record(value, (), edit, asked) if isinstance(value, dict) else _cell(value, edit.cells.get((VALUE,), value))


def _record(value: Mapping[str, Any], path: tuple[str, ...], edit: Edit, asked: Plan) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, inner in value.items():
        here = (*path, key)
        if here not in asked.on_the_way:
            out[key] = inner
        elif type(inner) is dict and inner and not is_map(inner):
            out[key] = _record(inner, here, edit, asked)
        elif here not in asked.dropped:
            out[key] = _cell(inner, edit.cells[here]) if here in edit.cells else inner
    return out


def _cell(old: Any, new: Any) -> Any:
    """A new cell as the type of the old one where it can be."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_cell(a, b) for a, b in zip(old, new, strict=True)]
    if isinstance(old, bytes) and isinstance(new, str):
        return new.encode()
    if not isinstance(new, str) or old is None or isinstance(old, str | bool):
        return new
    try:
        if isinstance(old, datetime.datetime | datetime.date | datetime.time):
            return type(old).fromisoformat(new)
        return type(old)(new) if isinstance(old, int | float | Decimal) else new
    except (ValueError, ArithmeticError):
        return new


def _schema(schema: Any, path: tuple[str, ...], asked: Plan, new: Mapping[tuple[str, ...], Field], told: str) -> Any:
    """The schema without the fields that are left out, and with new types for those whose cells are of another kind."""
    if isinstance(schema, list):
        return [_schema(branch, path, asked, new, told) for branch in schema]
    if isinstance(schema, str) and path in asked.on_the_way and schema not in _PLAIN and path not in asked.dropped:
        raise WriteError(f"{told}: a type that is used by its name in several places can't change in one; write it as Parquet")
    if not isinstance(schema, dict) or schema.get("type") != "record":
        return schema
    fields = []
    for field in schema["fields"]:
        here = (*path, field["name"])
        if here in asked.dropped:
            continue
        if here in new:
            field = {k: v for k, v in field.items() if k != "default"} | {"type": ["null", _TYPES[new[here].dtype]]}
        elif here in asked.on_the_way:
            field = field | {"type": _schema(field["type"], here, asked, new, told)}
        fields.append(field)
    return {k: v for k, v in schema.items() if not k.startswith("__")} | {"fields": fields}


_PLAIN = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
