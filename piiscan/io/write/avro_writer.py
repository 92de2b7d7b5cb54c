"""Avro files: same schema and codec, record by record. A field that changes takes null, too: any mask may be empty."""

from __future__ import annotations

import datetime
import pathlib
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import Any

from piiscan.core.errors import ReadError, WriteError
from piiscan.core.types import DType
from piiscan.io.cells.nested_values import EACH, REST, is_container, is_map, step
from piiscan.io.cells.nested_values import owner as owners
from piiscan.io.content import ReadTable
from piiscan.io.nested.records import VALUE
from piiscan.io.write.change import Change, where, writing
from piiscan.io.write.edits import Edit, Path, PathPlan, edits, path_plan
from piiscan.io.write.within import Supply, Within, rebuilt

_TYPES = {
    "string": "string",
    "integer": "long",
    "float": "double",
    "boolean": "boolean",
    "date": "string",
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
    new: dict[Path, tuple[DType, bool]] = {}
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
            new[path] = column.field.dtype, column.field.dtype == before
    inside = {path: names for path, names in inside.items() if names}
    with content.open() as stream, open(target, "wb") as file, writing(table.info):
        reader = fastavro.reader(stream)
        schema = reader.writer_schema
        if planned.dropped or new or inside:
            schema = _schema(schema, (), planned, new, inside, where(table.info))
        # Metadata of its own, nobody has looked at.
        fastavro.writer(file, schema, _records(iter(reader), todo, planned), codec=reader.codec)


def _records(found: Iterator[Any], todo: Iterator[Edit], planned: PathPlan) -> Iterator[Any]:
    for value in found:
        edit = next(todo, None)
        if edit is None:
            raise ReadError("changed while it was read; write it again")
        if not edit.gone:
            yield (
                _record(value, (), edit, planned)
                if isinstance(value, dict)
                else _changed(value, (VALUE,), edit, planned)
            )


def _record(value: Mapping[str, Any], path: tuple[str, ...], edit: Edit, planned: PathPlan) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, inner in value.items():
        here = (*path, key)
        if here not in planned.on_the_way:
            out[key] = inner
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
            raise ReadError("changed while it was read; write it again") from None
    return _cell(value, edit.cells[path]) if path in edit.cells else value


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


def _schema(
    schema: Any,
    path: Path,
    planned: PathPlan,
    new: Mapping[Path, tuple[DType, bool]],
    inside: Mapping[Path, Set[str]],
    table_name: str,
) -> Any:
    """The schema without the fields that are left out, and with types that take what stands in changed ones: null, and
    what the column is now (`new`: its type, and whether it was of that before)."""
    if isinstance(schema, list):
        return [_schema(branch, path, planned, new, inside, table_name) for branch in schema]
    if isinstance(schema, str) and path in planned.on_the_way and schema not in _PLAIN and path not in planned.dropped:
        raise WriteError(f"{table_name}: {_BY_NAME}")
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "map" and path in planned.on_the_way:
        return schema | {"values": _with_texts(schema["values"], _ANY, frozenset(), table_name)}
    if schema.get("type") != "record":
        return schema
    fields = []
    for field in schema["fields"]:
        here = (*path, field["name"])
        if here in planned.dropped:
            continue
        if here in new:
            dtype, stays = new[here]
            made = _open(field["type"], dtype) if stays else ["null", _TYPES[dtype]]
            field = (
                field if made == field["type"] else {k: v for k, v in field.items() if k != "default"} | {"type": made}
            )
        elif here in inside:
            field = {k: v for k, v in field.items() if k != "default"} | {
                "type": _with_texts(field["type"], "", inside[here], table_name)
            }
        elif here in planned.on_the_way:
            field = field | {"type": _schema(field["type"], here, planned, new, inside, table_name)}
        fields.append(field)
    return {k: v for k, v in schema.items() if not k.startswith("__")} | {"fields": fields}


def _open(schema: Any, dtype: DType) -> Any:
    """The type of a field that takes null and any value of its kind, not only one of a set, a length or a look."""
    out: list[Any] = []
    for branch in schema if isinstance(schema, list) else [schema]:
        kind = branch.get("type") if isinstance(branch, dict) else branch
        if kind == "enum" or (isinstance(branch, dict) and branch.get("logicalType") == "uuid"):
            made = ["string"]
        elif kind == "fixed":
            made = ["bytes"]
        elif branch == "int":
            made = ["long"]
        elif isinstance(kind, str) and kind not in (*_PLAIN, "record", "array", "map"):
            made = ["string", "bytes"]  # the name of an enum or fixed
        else:
            made = [branch]
        out += [b for b in made if b not in out]
    if dtype == "string" and not {"string", "bytes"} & {b for b in out if isinstance(b, str)}:
        out.append("string")  # moments and decimals are read as texts, and not every mask is one
    return out if "null" in out else ["null", *out]


def _with_texts(schema: Any, at: str, changed: Set[str], table_name: str) -> Any:
    """The type of a cell that holds other values, in which what stands at the `changed` paths may be text or null
    too."""
    if isinstance(schema, list):
        return _union_with_texts(schema, at, changed, table_name)
    kind = schema.get("type") if isinstance(schema, dict) else schema
    if kind == "array":
        items = schema["items"]
        made = schema | {"items": _with_texts(items, at if _is_array(items) else at + EACH, changed, table_name)}
        return [made, "null"] if at == _WHOLE and at in changed else made
    if kind == "map":  # keys may be paths or values: any of its values may have been changed
        return schema | {"values": _with_texts(schema["values"], _ANY, changed, table_name)}
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
        made = _with_texts(branch, at, changed, table_name)
        out += [b for b in (made if isinstance(made, list) else [made]) if b not in out]
    return out


def _record_with_texts(schema: Any, at: str, changed: Set[str], table_name: str) -> Any:
    fields = []
    for field in schema["fields"]:
        made = _with_texts(field["type"], at if at == _ANY else step(at, field["name"]), changed, table_name)
        if made != field["type"]:
            field = {k: v for k, v in field.items() if k != "default"} | {"type": made}
        fields.append(field)
    return {k: v for k, v in schema.items() if not k.startswith("__")} | {"fields": fields}


def _is_array(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "array"


_ANY = "*"
_WHOLE = ""
"""The path of a cell as a whole."""
_BY_NAME = "a type that is used by its name in several places can't change in one; write it as Parquet"
_PLAIN = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
