"""The key of a table's rows, of which a header says no more than that it is one."""

from __future__ import annotations

from typing import Final

from piiscan.core.header_words import tokens
from piiscan.io.nested.column_layouts import KEY
from piiscan.scanning.classify.candidates import ColumnCandidates

_NAMES: Final = (("id",), ("ids",), ("uuid",), ("guid",))
_FIRST: Final = 2
"""Keys stand in so many first columns."""


def is_of_object(column: ColumnCandidates) -> bool:
    """Whether a column holds the keys of a JSON object, whose values are the rows."""
    return column.header == KEY


def is_named_key(column: ColumnCandidates) -> bool:
    """Whether a column is called a key and nothing else, where keys stand."""
    return column.index < _FIRST and tokens(column.header or "") in _NAMES
