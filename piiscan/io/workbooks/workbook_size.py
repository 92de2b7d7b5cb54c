"""Estimates the memory of a workbook from its XML, before a reader allocates it."""

from __future__ import annotations

import re
import zipfile
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Final, NamedTuple

from piiscan.core import shares
from piiscan.io.content import Content

FAULTS: Final = (
    zipfile.BadZipFile, zlib.error, ValueError, OverflowError, NotImplementedError, RuntimeError, EOFError
)  # fmt: skip
"""What reading a damaged workbook as a zip archive raises."""
_COLUMN = re.compile(rb'r="([A-Z]{1,3})[0-9]')
_ROW = re.compile(rb'r="[A-Z]{1,3}([0-9]{1,7})"')
_SHARED: Final = re.compile(rb"""t=["']s["'][^>]*>\s*<(?:\w+:)?v>\s*(\d{1,9})""")
_CELL_XML: Final = 30
"""Bytes of the XML around a cell, at least."""
_CELL: Final = 90
"""Bytes that a cell takes while its sheet is loaded; a text thrice its length besides."""
_KEPT_CELL: Final = 16
"""Bytes that a cell takes once its sheet is loaded."""


class Size(NamedTuple):
    """The size of an xlsx workbook.

    Cells of its largest sheet, empty ones between filled ones too, and bytes of memory that it takes at most, about.
    """

    cells: int = 0
    memory: int = 0


class _SheetSize(NamedTuple):
    """The size of a sheet: its cells, bytes of its own texts, and how many shared texts it uses."""

    cells: int
    text: int
    shared: int

    def held(self, text: int) -> int:
        """Bytes of its frame, with a text of the shared ones."""
        return self.text + text + _KEPT_CELL * self.cells


def of(content: Content) -> Size:
    """Nothing for other kinds of workbooks.

    Two filled cells in opposite corners make a reader allocate 17 billion, and a long text that many cells share is
    copied for each.
    """
    with suppress(*FAULTS), content.open() as file, zipfile.ZipFile(file) as archive:
        sheets: dict[str, _SheetSize] = {}
        lengths = _Lengths()
        for name in archive.namelist():
            if name.startswith("xl/") and name.endswith(".xml"):
                with archive.open(name) as part:
                    if name.endswith("/sharedStrings.xml"):
                        lengths = _shared_lengths(part)
                    else:
                        sheets[name] = _spanned(part)
        texts = {name: sheet.shared * lengths.longest for name, sheet in sheets.items()}
        if (size := _memory(sheets, texts, lengths)).memory > shares.document():
            for name in sheets:
                with archive.open(name) as part:
                    texts[name] = _shared_text(part, lengths)
            size = _memory(sheets, texts, lengths)
        return size
    return Size()


class _Lengths(NamedTuple):
    """How long the shared texts are, with their XML, in their order."""

    each: Sequence[int] = ()
    longest: int = 0


def _memory(sheets: Mapping[str, _SheetSize], texts: Mapping[str, int], lengths: _Lengths) -> Size:
    """One sheet is loaded while the others are kept."""
    kept = {name: sheet.held(texts[name]) for name, sheet in sheets.items()}
    loading = max((3 * (s.text + texts[name]) + _CELL * s.cells - kept[name] for name, s in sheets.items()), default=0)
    shared = 3 * sum(lengths.each) // 2 + 48 * len(lengths.each)
    return Size(max((s.cells for s in sheets.values()), default=0), sum(kept.values()) + loading + shared)


def _blocks(part: IO[bytes], cut: bytes) -> Iterator[bytes]:
    """A part of a workbook in blocks that begin at a mark."""
    rest = b""
    while block := part.read(1 << 22):
        at = block.rfind(cut)
        if at > 0:
            yield rest + block[:at]
            rest = block[at:]
        else:
            rest += block
    yield rest


def _shared_lengths(part: IO[bytes]) -> _Lengths:
    each = array("q")
    for block in _blocks(part, b"<si"):
        each.extend(map(len, block.split(b"<si")[1:]))
    return _Lengths(each, max(each, default=0))


def _shared_text(part: IO[bytes], lengths: _Lengths) -> int:
    """Bytes of the shared texts that a sheet's cells hold."""
    count = len(lengths.each)
    return sum(
        lengths.each[index]
        for block in _blocks(part, b"<c")
        for index in map(int, _SHARED.findall(block))
        if index < count
    )


def _spanned(part: IO[bytes]) -> _SheetSize:
    """What a sheet's XML holds, by the places its cells are at. Those without one follow each other."""
    columns: set[bytes] = set()
    rows, counted, widest, size, cells, shared = 0, 0, 0, 0, 0, 0
    for data in _blocks(part, b"<"):
        placed = _COLUMN.findall(data)
        columns.update(placed)
        rows = max(rows, max(map(int, set(_ROW.findall(data))), default=0))
        counted += data.count(b"<row")
        found = data.count(b"<c ") + data.count(b"<c>") + data.count(b"<c/>")
        if found > len(placed):
            for row in data.split(b"<row"):
                widest = max(widest, row.count(b"<c"))
        size, cells, shared = size + len(data), cells + found, shared + data.count(b't="s"') + data.count(b"t='s'")
    letters = max((len(column), column) for column in columns)[1] if columns else b""
    width = 0
    for letter in letters:
        width = 26 * width + letter - 64
    return _SheetSize(max(rows, counted) * max(width, widest), max(0, size - _CELL_XML * cells), shared)
