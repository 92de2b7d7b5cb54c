"""The footer of a Parquet file: where its parts are and how they are packed.

It is in the compact protocol of Apache Thrift.

Sources: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md; github.com/apache/parquet-format,
src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, BinaryIO, Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.content import Content

_FAULTS: Final = (IndexError, KeyError, TypeError, AttributeError, OverflowError)
_PAGE_HEADER: Final = 1 << 16
"""Bytes that the header of a page or of a Bloom filter may take: statistics are in it."""
_AT_ONCE: Final = 1 << 20
_DICTIONARY_PAGE: Final = 2
_CUT: Final = 64
"""Bytes from which on programs cut values in statistics, some without saying so."""
_FIXED: Final = 7
"""The physical type of values of one length."""
_UUID: Final = 14
"""The logical type of UUIDs."""
WIDE: Final = 16
"""Bytes of a UUID."""
FLOATS: Final = (4, 5)
"""Physical types whose equal numbers may be different bytes."""


class Chunk(NamedTuple):
    """The cells of a column in a group of rows, and where they and their dictionary are.

    `kind`: the physical type; `unpacked`: bytes of its pages without compression; `slots`: cells, in lists their
    elements, and one for each that is null or empty. `bounds`: the least and the greatest value, if it tells both.
    """

    path: tuple[str, ...]
    kind: int
    start: int
    end: int
    dictionary: int | None
    unpacked: int = 0
    slots: int = 0
    bounds: tuple[bytes, bytes] | None = None


class Group(NamedTuple):
    """A group of rows."""

    rows: int
    size: int
    codec: int | None
    chunks: tuple[Chunk, ...]


class Footer(NamedTuple):
    """A Parquet footer: where indexes, filters and the footer itself are, `metadata`, and the writing `program`.

    A key of `metadata` may repeat. `rows`: of the file, None where its groups have others in all. `wide`: the columns
    of 16 bytes a value, and whether they are UUIDs.
    """

    groups: tuple[Group, ...]
    parts: tuple[tuple[int, int], ...]
    metadata: tuple[tuple[str, str], ...]
    program: str
    rows: int | None
    wide: Mapping[str, bool] = MappingProxyType({})


def opened(content: Content) -> BinaryIO:
    """A reader of a Parquet file, of which many parts are looked at: a small file is read at once."""
    if content.size > _AT_ONCE:
        return content.open()
    with content.open() as file:
        return io.BytesIO(file.read())


def footer(content: Content) -> Footer:
    """Parse the footer of a Parquet file. Raises `ReadError` where it can't be read, or there is none."""
    size = content.size
    with opened(content) as file:
        file.seek(max(0, size - 8))
        end = file.read()
        if end[-4:] == b"PARE":
            raise ReadError("encrypted Parquet; decrypt it first")
        if end[-4:] != b"PAR1" or size < 12:
            raise ReadError("truncated Parquet: its end is missing; fetch or write it again")
        file.seek(size - 8)
        length = int.from_bytes(file.read(4), "little")
        begin = size - 8 - length
        if begin < 4:
            raise ReadError("malformed Parquet: its metadata can't be read; write it again")
        file.seek(begin)
        reader = Compact(file.read(length))
        try:
            record = reader.struct()
            groups = tuple(_group(group) for group in record.get(4, []))
            chunks = [chunk for group in record.get(4, []) for chunk in group[1]]
            parts = [(0, 4), (begin, begin + reader.at), (size - 8, size)]
            parts += [part for chunk in chunks for part in _beside(chunk, file)]
            pairs = [*record.get(5, []), *(pair for chunk in chunks for pair in chunk.get(3, {}).get(8, []))]
            metadata = dict.fromkeys((_text(pair[1]), _text(pair.get(2, b""))) for pair in pairs)
            wide = dict(_wide(record[2]))
        except _FAULTS:
            raise ReadError("malformed Parquet: its metadata can't be read; write it again") from None
    rows = sum(group.rows for group in groups)
    rows_if_told = rows if rows == record.get(3) else None
    return Footer(groups, tuple(parts), tuple(metadata), _text(record.get(6, b"")), rows_if_told, wide)


def _wide(elements: Sequence[dict[int, Any]]) -> Iterator[tuple[str, bool]]:
    """The columns, not within others, of 16 bytes a value that are no numbers, and whether they are UUIDs."""
    inner = 0
    for element in elements[1:]:
        children = element.get(5, 0)
        if not inner and not children and element.get(1) == _FIXED and element.get(2) == WIDE and 6 not in element:
            kind = element.get(10, {})
            if not kind or _UUID in kind:
                yield _text(element[4]), _UUID in kind
        inner += children - (1 if inner else 0)


def _group(group: dict[int, Any]) -> Group:
    chunks = []
    for chunk in group[1]:
        if (record := chunk.get(3)) is not None:
            dictionary, start = record.get(11) or None, _start(record)
            path = tuple(_text(name) for name in record[3])
            chunks.append(
                Chunk(
                    path,
                    record[1],
                    start,
                    start + record[7],
                    dictionary if dictionary and (dictionary < record[9] or not record[9]) else None,
                    record.get(6, 0),
                    record.get(5, 0),
                    _bounds(record.get(12, {})),
                )
            )
    codec = group[1][0][3][4] if group[1] and 3 in group[1][0] else None
    return Group(group[3], group[2], codec, tuple(chunks))


def _start(record: dict[int, Any]) -> int:
    """Where a column's part begins: with its dictionary, or its data, of which one without rows may have none."""
    offsets = [offset for offset in (record.get(11), record[9]) if offset]
    return min(offsets, default=0)


def _bounds(statistics: dict[int, Any]) -> tuple[bytes, bytes] | None:
    """The least and the greatest value of a column's part, unless they may be cut."""
    least, most = statistics.get(6), statistics.get(5)
    if not isinstance(least, bytes) or not isinstance(most, bytes) or not statistics.get(7, True):
        return None
    return (least, most) if statistics.get(8, True) and max(len(least), len(most)) < _CUT else None


def _beside(chunk: dict[int, Any], file: BinaryIO) -> Iterator[tuple[int, int]]:
    """The indexes and the Bloom filter of a column's part."""
    for at, length in ((4, 5), (6, 7)):
        if chunk.get(at):
            yield chunk[at], chunk[at] + chunk.get(length, 0)
    record = chunk.get(3, {})
    if 9 in record:  # some programs repeat behind a part what the footer tells of it
        start = _start(record) + record[7]
        file.seek(start)
        # Its type and the header of the list behind it: pages, which are there mostly, begin otherwise.
        if file.read(3) == bytes((0x15, 2 * record[1] & 0xFF, 0x19)):
            file.seek(start)
            copy = Compact(file.read(_PAGE_HEADER))
            with suppress(*_FAULTS):
                if copy.struct() == record:
                    yield start, start + copy.at
    if start := record.get(14):
        if 15 in record:
            yield start, start + record[15]
        else:
            file.seek(start)
            header = Compact(file.read(_PAGE_HEADER))
            bytes_ = header.struct()[1]
            yield start, start + header.at + bytes_


class Dictionary(NamedTuple):
    """How many values the dictionary of a column's part has, and their bytes."""

    values: int = 0
    size: int = 0


def dictionary(file: BinaryIO, chunk: Chunk) -> Dictionary:
    """Parse the dictionary of a column's part; empty where it has none. Raises `ReadError`."""
    if chunk.dictionary is None:
        return Dictionary()
    file.seek(chunk.dictionary)
    try:
        header = Compact(file.read(min(_PAGE_HEADER, max(0, chunk.end - chunk.dictionary)))).struct()
        return Dictionary(int(header[7][1]), int(header[2])) if header[1] == _DICTIONARY_PAGE else Dictionary()
    except _FAULTS:
        raise ReadError("malformed Parquet: the header of a page can't be read; write it again") from None


def largest_page(file: BinaryIO, chunk: Chunk) -> int:
    """Bytes of the largest page of a column's part without compression. Raises `ReadError`."""
    most, at = 0, chunk.start
    try:
        while at < chunk.end:
            file.seek(at)
            reader = Compact(file.read(min(_PAGE_HEADER, chunk.end - at)))
            header = reader.struct()
            most = max(most, int(header[2]))
            at += reader.at + int(header[3])
    except _FAULTS:
        raise ReadError("malformed Parquet: the header of a page can't be read; write it again") from None
    return most


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


class Compact:
    """Reads one value after the other; structs as field number → value."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        result = self.data[self.at]  # most numbers are one byte
        self.at += 1
        if result < 0x80:
            return result
        result, shift = result & 0x7F, 7
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
            shift += 7

    def integer(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def struct(self) -> dict[int, Any]:
        data, fields = self.data, dict[int, Any]()
        number = 0
        while header := data[self.at]:
            self.at += 1
            number = number + (header >> 4) if header >> 4 else self.integer()
            kind = header & 15
            if kind in (5, 6):
                fields[number] = self.integer()
            else:
                fields[number] = kind == 1 if kind in (1, 2) else self.value(kind)
        self.at += 1
        return fields

    def value(self, kind: int) -> Any:
        if kind in (1, 2):  # in a list, a flag takes a byte
            return self.byte() == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 7:
            self.at += 8
            return None
        if kind == 8:
            length = self.varint()
            self.at += length
            return self.data[self.at - length : self.at]
        if kind in (9, 10):
            header = self.byte()
            count = header >> 4 if header >> 4 < 15 else self.varint()
            return [self.value(header & 15) for _ in range(count)]
        if kind == 12:
            return self.struct()
        raise KeyError(kind)
