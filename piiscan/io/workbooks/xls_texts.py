"""What an Excel 97 to 2003 workbook (xls) has beside the cells of its sheets.

Texts of records that are no cells, and other streams.

Sources: [MS-CFB], the container; [MS-XLS], the records.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned, Table
from piiscan.io import asides
from piiscan.io.content import Content
from piiscan.io.read_options import ReadOptions
from piiscan.io.workbooks import runs

_END: Final = 0xFFFFFFFA
"""Numbers of sectors from here on are marks."""
_FREE: Final = 0xFFFFFFFF
_DAMAGED: Final = "malformed workbook: its container is damaged; save it as .xlsx"
_STREAM: Final = 2
_CONTINUE: Final = 0x3C
_SAID: Final = {
    0x1C: "comments",
    0x1B6: "comments",
    0xEC: "drawings",
    0x14: "headers and footers",
    0x15: "headers and footers",
    0x18: "names and settings",
    0x5C: "properties",
    0x06: "formulas",
    0x221: "formulas",
    0x4BC: "formulas",
    0x1B1: "formulas",
    0x1BE: "validations",
    0x1B8: "hyperlinks",
    0x23: "external links",
    0x1AE: "external links",
    0x5A: "external links",
}
_SHEET: Final = 0x809
_CELLS: Final = frozenset((0x06, 0x7E, 0xBD, 0xBE, 0xD6, 0xFD, 0x201, 0x203, 0x204, 0x205, 0x27E))
"""Records of cells, and of several in a row (`_IN_A_ROW`), which hold the place of the last one at their end."""
_IN_A_ROW: Final = frozenset((0xBD, 0xBE))
_PLAIN: Final = ("Root Entry", "\x01CompObj", "\x01Ole")
_BOOKS: Final = ("Workbook", "Book")


class Stream(NamedTuple):
    """A stream of the container: its name, its first sector, its size."""

    name: str
    first: int
    size: int


def other_texts(content: Content, options: ReadOptions) -> Iterator[Table | NotScanned]:
    """Yield texts of comments, shapes, headers, formulas and properties.

    Streams that aren't read, such as macros, come by their names.
    """
    if not options.asides:
        return
    with content.open() as file:
        data = file.read()
    found: dict[str, dict[str, None]] = {}
    try:
        container = _Container(data)
        for stream in container.streams:
            if stream.name in _BOOKS:
                for kind, said in _of_records(container.read(stream)):
                    found.setdefault(kind, {}).update(dict.fromkeys(said))
            elif stream.name.startswith("\x05"):
                found.setdefault("properties", {}).update(dict.fromkeys(runs.texts(container.read(stream))))
            elif stream.name not in _PLAIN and stream.size:
                yield NotScanned(
                    f"{content.source}!{stream.name}",
                    "macros, a pivot table or an embedded document; save the workbook as .xlsx",
                )
    except (struct.error, IndexError, ReadError):
        yield NotScanned(content.source, "a damaged container; save the workbook as .xlsx", "workbook")
    for kind, texts in found.items():
        if texts:
            yield asides.texts(content, f"workbook!{kind}", list(texts))


def end_of(content: Content) -> int:
    """The end of the sectors that the container uses.

    Raises `ReadError` where chains of them lead in a circle, in which readers are lost, or beyond the file, up to which
    they allocate.
    """
    with content.open() as file:
        data = file.read()
    try:
        container = _Container(data)
        for stream in container.streams:
            container.read(stream)
        return container.end
    except (struct.error, IndexError):
        raise ReadError(_DAMAGED) from None


def sheet_cells(content: Content) -> int:
    """Rows times columns of the largest sheet, from its first filled cell to the last one; 0 where unknown."""
    with content.open() as file:
        data = file.read()
    largest = 0
    with suppress(struct.error, IndexError, ReadError):
        container = _Container(data)
        for stream in container.streams:
            if stream.name in _BOOKS:
                largest = max(largest, _most_cells(container.read(stream)))
    return largest


def _most_cells(data: bytes) -> int:
    largest, at = 0, 0
    rows, columns = list[int](), list[int]()
    while at + 4 <= len(data):
        record, size = struct.unpack_from("<HH", data, at)
        if record == _SHEET:
            rows, columns = [], []
        elif record in _CELLS and size >= 4 and at + 4 + size <= len(data):
            row, column = struct.unpack_from("<HH", data, at + 4)
            last = struct.unpack_from("<H", data, at + 2 + size)[0] if record in _IN_A_ROW else column
            rows = [min(row, *rows), max(row, *rows)] if rows else [row, row]
            columns = [min(column, *columns), max(column, last, *columns)] if columns else [column, max(column, last)]
            largest = max(largest, (rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1))
        at += 4 + size
    return largest


def _of_records(data: bytes) -> Iterator[tuple[str, list[str]]]:
    at, kind = 0, ""
    while at + 4 <= len(data):
        record, size = struct.unpack_from("<HH", data, at)
        kind = kind if record == _CONTINUE else _SAID.get(record, "")
        if kind:
            yield kind, runs.texts(data[at + 4 : at + 4 + size])
        at += 4 + size


class _Container:
    """A compound file, whose streams lie in chains of sectors."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        shift, small = struct.unpack_from("<HH", data, 30)
        if shift not in (9, 12) or small != 6:
            raise ReadError(_DAMAGED)
        self._sector: int = 1 << shift
        directory, _, cutoff, mini, _, more, count = struct.unpack_from("<7I", data, 48)
        tables = list(struct.unpack_from("<109I", data, 76))
        for _ in range(min(count, len(data) >> shift)):
            if more >= _END:
                break
            *numbers, more = self._numbers(more)
            tables += numbers
        self._next = [number for table in tables if table < _END for number in self._numbers(table)]
        self._cutoff = cutoff
        entries = self._chain(directory)
        self.streams = []
        self._small = b""
        for start in range(0, len(entries) - 127, 128):
            length, kind = struct.unpack_from("<HB", entries, start + 64)
            name = entries[start : start + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            first, size = struct.unpack_from("<II", entries, start + 116)
            if kind == 5:
                self._small = self._chain(first)
            elif kind == _STREAM:
                self.streams.append(Stream(name, first, size))
        chain = self._chain(mini) if mini < _END else b""
        self._next_small = struct.unpack(f"<{len(chain) // 4}I", chain[: len(chain) // 4 * 4])

    @property
    def end(self) -> int:
        """The bytes up to the end of the last sector that isn't free."""
        used = max((i for i, number in enumerate(self._next) if number != _FREE), default=-1)
        return (used + 2) * self._sector

    def read(self, stream: Stream) -> bytes:
        if stream.size >= self._cutoff:
            return self._chain(stream.first)[: stream.size]
        parts: list[bytes] = []
        at = stream.first
        while at < _END:
            if len(parts) > len(self._next_small):
                raise ReadError(_DAMAGED)
            parts.append(self._small[64 * at : 64 * at + 64])
            at = self._next_small[at]
        return b"".join(parts)[: stream.size]

    def _numbers(self, sector: int) -> tuple[int, ...]:
        return struct.unpack_from(f"<{self._sector // 4}I", self._data, (sector + 1) * self._sector)

    def _chain(self, at: int) -> bytes:
        parts: list[bytes] = []
        while at < _END:
            if len(parts) > len(self._next) or (at + 1) * self._sector >= len(self._data):
                raise ReadError(_DAMAGED)
            parts.append(self._data[(at + 1) * self._sector : (at + 2) * self._sector])
            at = self._next[at]
        return b"".join(parts)
