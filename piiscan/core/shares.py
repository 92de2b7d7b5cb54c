"""Shares of the memory that a process may take (`piiscan.core.memory.shared`), in bytes.

What is scanned takes up to fourteen times its size: rules look at folded copies, and at what they find in them. So a
value may take a twenty-eighth, and what is scanned at a time a twentieth.
"""

from __future__ import annotations

from typing import Final

from piiscan.core import memory

_PROGRAM: Final = 128 << 20
"""What the program and its libraries take before anything is read."""
_LEAST: Final = 64 << 20
_JSON_VALUE: Final = 72
"""Bytes of memory that a value of JSON takes; an object or a list counts as three."""


def room() -> int:
    """What is left for data."""
    return max(_LEAST, memory.shared() - _PROGRAM)


def batch() -> int:
    """A batch of rows."""
    return room() // 56


def in_flight() -> int:
    """All batches that are being scanned."""
    return room() * 3 // 56


def value() -> int:
    """A value, as UTF-8. Larger ones are not scanned."""
    return room() // 28


def row() -> int:
    """The texts of a row, and the text that a row is read from. Larger ones are not scanned."""
    return room() // 14


def piece() -> int:
    """What a reader decodes at a time, to be cut into batches."""
    return room() // 14


def document() -> int:
    """What has to be in memory whole, such as the cells of a sheet or the values of a JSON document."""
    return room() // 2


def data_sets() -> int:
    """What is counted of files that may be parts of one table, until all are read."""
    return room() // 5


def json(text: str) -> int:
    """Bytes of memory that the values of a JSON text take, by the marks between them: an upper bound."""
    return _JSON_VALUE * (text.count(",") + 3 * (text.count("[") + text.count("{")))
