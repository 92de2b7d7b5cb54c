"""Avro files: same schema and codec, record by record.

A field that changes takes null, too: any mask may be empty.
"""

from __future__ import annotations

import datetime
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from functools import partial
from typing import Any

from piiscan.core.errors import ReadError, WriteError
from piiscan.core.types import DType
from piiscan.io.cells.named_rows import Cells, are_heads, as_read, named
from piiscan.io.cells.nested_values import EACH, REST, is_container, is_map, step
from piiscan.io.cells.nested_values import owner as owners
from piiscan.io.columnar import metadata
from piiscan.io.content import ReadTable
from piiscan.io.nested.records import VALUE
from piiscan.io.write.change import CHANGED, Change, key_of, where, writing
from piiscan.io.write.edits import Edit, Path, PathPlan, edits, path_plan
from piiscan.io.write.within import Supply, Within, rebuilt

NewType = Callable[[Any], Any]
_TYPES = {
    "string": "string",
    "integer": "long",
    "float": "double",
    "boolean": "boolean",
    "date": {"type": "int", "logicalType": "date"},
    "datetime": "string",
    "other": "string",
}


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: pathlib.Path) -> None:
    """One table."""
    import fastavro

    (table,), (change,) = tables, changes
    if change is None:
        return
    content, paths = table.origin
    planned, todo = path_plan(table, change, paths), edits(table, change, paths)
    types: dict[Path, NewType] = {}
    inside: dict[Path, set[str]] = {path: set(within.dropped) for path, within in planned.within.items()}
    owner = owners(paths.derived, len(paths.own))
    for column in change.columns:
        if column.same:
            continue
        if column.origin in owner:
            inside[paths.own[owner[column.origin][0].parent]].add(owner[column.origin][1])
            continue
        path, before = paths.own[column.origin], table.info.fields[column.origin].dtype
        if before == "other":
            inside.setdefault(path, set()).update((_WHOLE, EACH))
        else:
            types[path] = partial(_open, before, column.field.dtype)
    name = where(table.info)
    types |= {path: partial(_with_texts, _WHOLE, names, name) for path, names in inside.items() if names}
    with content.open() as stream, open(target, "wb") as file, writing(table.info):
        reader = fastavro.reader(stream)
        schema = reader.writer_schema
        if planned.dropped or types:
            schema = _schema(schema, (), planned, types, name)
        # Metadata of its own, nobody has looked at.
        said = {metadata.KEY: key} if (key := key_of(change)) else None
        fastavro.writer(file, schema, _records(iter(reader), todo, planned), codec=reader.codec, metadata=said)


def _records(found: Iterator[Any], todo: Iterator[Edit], planned: PathPlan) -> Iterator[Any]:
    for value in found:
        edit = next(todo, None)
        if edit is None:
            raise ReadError(CHANGED)
        if not edit.gone:
            yield (
                _record(value, (), edit, planned)
                if isinstance(value, dict)
                else _changed(value, (VALUE,), edit, planned)
            )


def _record(value: Mapping[str, Any], path: tuple[str, ...], edit: Edit, planned: PathPlan) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, inner in named(value).items():
        here = (*path, key)
        if here not in planned.on_the_way or are_heads(inner):
            out[key] = as_read(inner)
        elif type(inner) is Cells:
            out[key] = list(_record(inner, here, edit, planned).values())
        elif type(inner) is dict and inner and not is_map(inner):
            out[key] = _record(inner, here, edit, planned)
        elif here not in planned.dropped:
            out[key] = _changed(inner, here, edit, planned)
    return out


def _changed(value: Any, path: Path, edit: Edit, planned: PathPlan) -> Any:
    """The cell of a column of the table's own, with what is derived from it."""
    if is_container(value):
        new = {**edit.inside.get(path, {}), **({EACH: edit.cells[path]} if path in edit.cells else {})}
        within = planned.within.get(path, Within())
        try:
            return rebuilt(value, Supply(new, within), _cell, maps=True) if new or within.dropped else value
        except StopIteration:
            raise ReadError(CHANGED) from None
    if path not in edit.cells:
        return value
    return edit.cells[path] if path in planned.retyped else _cell(value, edit.cells[path])


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


def _schema(schema: Any, path: Path, planned: PathPlan, types: Mapping[Path, NewType], table_name: str) -> Any:
    """The schema without the fields that are left out, and with types that take the new values of changed ones."""
    if isinstance(schema, list):
        return [_schema(branch, path, planned, types, table_name) for branch in schema]
    if isinstance(schema, str) and path in planned.on_the_way and schema not in _PLAIN and path not in planned.dropped:
        raise WriteError(f"{table_name}: {_BY_NAME}")
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "map" and path in planned.on_the_way:
        return schema | {"values": _with_texts(_ANY, frozenset(), table_name, schema["values"])}
    if schema.get("type") != "record":
        return schema
    fields = []
    for field in schema["fields"]:
        here = (*path, field["name"])
        if here in planned.dropped:
            continue
        if here in types:
            field = _retyped(field, types[here](field["type"]))
        elif here in planned.on_the_way:
            field = field | {"type": _schema(field["type"], here, planned, types, table_name)}
        fields.append(field)
    return _unparsed(schema) | {"fields": fields}


def _retyped(field: Mapping[str, Any], made: Any) -> Mapping[str, Any]:
    """A field of another type; a default might be none of it."""
    return field if made == field["type"] else {k: v for k, v in field.items() if k != "default"} | {"type": made}


def _unparsed(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in schema.items() if not k.startswith("__")}


def _open(before: DType, after: DType, schema: Any) -> Any:
    """The type of a field that takes null and any value its column may have now.

    Types of one set, length or form are widened.
    """
    if after != before:
        return ["null", _TYPES[after]]
    out: list[Any] = []
    for branch in schema if isinstance(schema, list) else [schema]:
        out += [b for b in _opened(branch) if b not in out]
    if after == "string" and "string" not in out and "bytes" not in out:
        out.append("string")  # moments and decimals are read as texts, and not every mask is one
    return out if "null" in out else ["null", *out]


def _opened(branch: Any) -> list[Any]:
    kind = branch.get("type") if isinstance(branch, dict) else branch
    if kind == "enum" or (isinstance(branch, dict) and branch.get("logicalType") == "uuid"):
        return ["string"]
    if kind == "fixed":
        return ["bytes"]
    if branch == "int":
        return ["long"]
    if isinstance(kind, str) and kind not in (*_PLAIN, "record", "array", "map"):
        return ["string", "bytes"]  # the name of an enum or of a fixed length
    return [branch]


def _with_texts(at: str, changed: Set[str], table_name: str, schema: Any) -> Any:
    """The type of a cell that holds other values, widened at the `changed` paths.

    What is at those paths may be text or null too.
    """
    if isinstance(schema, list):
        return _union_with_texts(schema, at, changed, table_name)
    kind = schema.get("type") if isinstance(schema, dict) else schema
    if kind == "array":
        items = schema["items"]
        made = schema | {"items": _with_texts(at if _is_array(items) else at + EACH, changed, table_name, items)}
        return [made, "null"] if at == _WHOLE and at in changed else made
    if kind == "map":  # keys may be paths or values: any of its values may have been changed
        return schema | {"values": _with_texts(_ANY, changed, table_name, schema["values"])}
    if kind == "record":
        return _record_with_texts(schema, at, changed, table_name)
    if isinstance(kind, str) and kind not in (*_PLAIN, "fixed", "enum"):
        raise WriteError(f"{table_name}: {_BY_NAME}")
    if at not in changed and REST not in changed and at != _ANY:
        return schema
    return schema if kind == "null" else [schema, *(t for t in ("null", "string") if t != kind)]


def _union_with_texts(branches: Sequence[Any], at: str, changed: Set[str], table_name: str) -> list[Any]:
    out: list[Any] = []
    for branch in branches:
        made = _with_texts(at, changed, table_name, branch)
        out += [b for b in (made if isinstance(made, list) else [made]) if b not in out]
    return out


def _record_with_texts(schema: Any, at: str, changed: Set[str], table_name: str) -> Any:
    fields = [
        _retyped(
            field,
            _with_texts(at if at == _ANY else step(at, field["name"]), changed, table_name, field["type"]),
        )
        for field in schema["fields"]
    ]
    return _unparsed(schema) | {"fields": fields}


def _is_array(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "array"


_ANY = "*"
_WHOLE = ""
"""The path of a cell as a whole."""
_BY_NAME = "a type that is used by its name in several places can't change in one; write it as Parquet"
_PLAIN = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
