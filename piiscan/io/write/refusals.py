"""Say which constraint of a database refuses new values. What the database says itself quotes them."""

from __future__ import annotations

import re
from typing import Final

from piiscan.core.errors import TableRefusal
from piiscan.core.types import TableInfo
from piiscan.io.write.change import where

_FAILED: Final = re.compile(r"(NOT NULL|UNIQUE|CHECK|FOREIGN KEY) constraint failed(?: on table .*? with expression)?")
_KINDS: Final = (
    ("violates primary key", "the primary key"),
    ("violates unique", "the UNIQUE constraint"),
    ("foreign key", "a foreign key"),
    ("uplicate key", "a primary key or UNIQUE constraint"),
    ("datatype mismatch", "the type"),
)
_INSTEAD: Final = 'give it another operator in the plan, such as operator = "keep"'


def refused(info: TableInfo, message: str) -> TableRefusal:
    """Return the error for a constraint that a database named in a `message` of SQLite's or DuckDB's.

    Only the constraint's kind and names of the table's columns are taken of the message.
    """
    names = [field.name for field in info.fields if field.name]
    if (failed := _FAILED.search(message)) is not None:
        kind = ("the " if failed[1] != "FOREIGN KEY" else "a ") + failed[1] + " constraint"
        said = message[failed.end() :]
        columns = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)]
    else:
        kind = next((kind for words, kind in _KINDS if words in message), "a constraint")
        # A value follows the name of its column.
        key = message.partition('key "')[2]
        columns = [name for name in names if key.startswith(f"{name}: ")]
    return TableRefusal(f"{where(info)}: {kind}{_of(info, columns)} refuses the new values; {_INSTEAD}")


def _of(info: TableInfo, columns: list[str]) -> str:
    from piiscan.io.printed_names import column

    at = {field.name: i for i, field in enumerate(info.fields)}
    shown = [column(name, at[name]) for name in columns]
    return f" of column{'s' * (len(shown) > 1)} {', '.join(shown)}" if shown else ""
