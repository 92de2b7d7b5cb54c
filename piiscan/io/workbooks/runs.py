"""Readable texts within binary records: what `strings` finds, of one and of two bytes a character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from piiscan.io.cells.markup import has_content

_NARROW: Final = re.compile(rb"[\x20-\x7e\xa0-\xff]{6,}")
_WIDE: Final = re.compile(rb"(?:[\x20-\x7e\xa0-\xff]\x00){6,}")
_CELLS: Final = frozenset(range(20))
"""Records of a sheet in xlsb that are rows and cells, whose texts are read as cells; formulas among them follow with
their results."""
_FORMULAS: Final = frozenset((8, 9, 10, 11))


def texts(data: bytes, narrow: bool = True) -> list[str]:
    """Runs of six readable characters or more, each once."""
    found = [run[::2] for run in _WIDE.findall(data)] + (_NARROW.findall(data) if narrow else [])
    return [text for text in dict.fromkeys(run.decode("latin-1").strip() for run in found) if has_content(text)]


def of_sheet(data: bytes) -> list[str]:
    """The texts of a sheet's records in xlsb that are no cells. Source: [MS-XLSB], section 2.1.4."""
    return list(
        dict.fromkeys(
            text for kind, record in _records(data) if kind not in _CELLS - _FORMULAS for text in texts(record, False)
        )
    )


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        kind, at = _number(data, at, 2)
        size, at = _number(data, at, 4)
        yield kind, data[at : at + size]
        at += size


def _number(data: bytes, at: int, most: int) -> tuple[int, int]:
    value = 0
    for i in range(most):
        byte = data[at + i] if at + i < len(data) else 0
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    return value, at + most
