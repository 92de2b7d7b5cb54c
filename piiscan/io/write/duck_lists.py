"""Lists of structs for DuckDB: written as JSON, which it casts to their type."""

from __future__ import annotations

import json
from typing import Any

from piiscan.core.errors import TableRefusal
from piiscan.io.cells.nested_values import EACH, Derived, step
from piiscan.io.cells.plain import text_of
from piiscan.io.content import ReadTable
from piiscan.io.databases.duck import Stored
from piiscan.io.write.change import Changed, Column, where
from piiscan.io.write.structs import ListOfStructs


def structure(kind: Any) -> Any:
    """What JSON of such cells is read as: everything as text, which is then cast."""
    if kind.id in ("list", "array"):
        return [structure(dict(kind.children)["child"])]
    return {name: structure(inner) for name, inner in kind.children} if kind.id == "struct" else "VARCHAR"


def lists(made: ListOfStructs, cells: list[Any], changed: Changed) -> Any:
    """Lists of structs with their new values, as JSON."""
    import numpy as np

    array = np.empty(len(cells), dtype=object)
    array[:] = [None if cell is None else json.dumps(cell, default=text_of) for cell in made.values(cells, changed)]
    return array


def fits_inside(table: ReadTable, column: Column, derived: Derived, name: str) -> None:
    """Raises `TableRefusal` for masks that have no place in a list of structs, whose types stay."""
    stored: Stored = table.origin
    kind = stored.cells[derived.parent].kind
    if not column.same and "TIMESTAMP_NS" in str(kind).upper():
        raise TableRefusal(
            f"{where(table.info)}, column {column.origin}: moments beside it in its list would lose their nanoseconds; "
            "suppress the list, or cast them to TIMESTAMP first"
        )
    text = column.field.dtype == "string" and not column.same
    if (text and _kind_of(kind, name) != "varchar") or (not column.same and "BLOB" in str(kind).upper()):
        raise TableRefusal(
            f"{where(table.info)}, column {column.origin}: its masks would need another type, which it can't "
            "get within a list; suppress it"
        )


def _kind_of(kind: Any, name: str, at: str = "") -> str | None:
    """The type of the values at a path in cells of a type."""
    if kind.id in ("list", "array"):
        inner = dict(kind.children)["child"]
        return _kind_of(inner, name, at if inner.id in ("list", "array") else at + EACH)
    if kind.id == "struct":
        return next((found for key, inner in kind.children if (found := _kind_of(inner, name, step(at, key)))), None)
    return str(kind.id) if at == name else None
