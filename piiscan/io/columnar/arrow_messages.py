"""Where the parts of an Arrow file or stream are, and the metadata in its messages, which are FlatBuffers.

Sources: arrow.apache.org/docs/format/Columnar.html; github.com/apache/arrow, format/{Schema,Message,File}.fbs;
flatbuffers.dev/internals.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType
from typing import BinaryIO, Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.content import Content

_CONTINUES: Final = b"\xff\xff\xff\xff"
_MAGIC: Final = b"ARROW1"
_MESSAGE_BYTES: Final = 1 << 28
_SLACK: Final = 64
SCHEMA, DICTIONARY, RECORDS = 1, 2, 3
_ODD: Final = frozenset((11, 14, 22, 25, 26))
"""Types that polars doesn't read: intervals, unions, run-end encoded cells, and two kinds of views of lists."""
_INTEGER: Final = 2
FIXED_SIZE_BINARY: Final = 15
_WIDE: Final = 16
"""Bytes of a UUID."""
_FAULTS: Final = (struct.error, IndexError, RecursionError, MemoryError)


class Dictionary(NamedTuple):
    """A column that is coded by a dictionary: its path, and the dictionary's id."""

    path: tuple[str, ...]
    id: int


class Schema(NamedTuple):
    """What a schema says.

    Metadata, columns with dictionaries, those of 16 bytes a value, and whether these are UUIDs, and whether any column
    is of a type that polars doesn't read.
    """

    metadata: list[tuple[str, str]]
    columns: list[Dictionary]
    wide: dict[str, bool]
    is_odd: bool = False


class Message(NamedTuple):
    """One message at `start`: its header's kind, its metadata, and the ranges of the buffers behind it, up to `end`.

    `id`, `values` and `is_delta`: of a dictionary; of records, `values` are the rows. `held`: bytes of the buffers once
    they are unpacked, as they say.
    """

    kind: int
    start: int
    body: int
    end: int
    buffers: tuple[tuple[int, int], ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    columns: tuple[Dictionary, ...] = ()
    wide: Mapping[str, bool] = MappingProxyType({})
    is_odd: bool = False
    id: int = 0
    values: int = 0
    is_delta: bool = False
    held: int = 0
    is_packed: bool = False


class Stream(NamedTuple):
    """The messages from a schema to the end of a stream.

    `end`: behind its mark, or the last message where it has none.
    """

    start: int
    end: int
    messages: tuple[Message, ...]


class _Table:
    """A table of a FlatBuffer: fields by their numbers."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self.fields = at - _unpack("<i", data, at)
        self.size = _unpack("<H", data, self.fields)

    def offset_of(self, field: int) -> int:
        """Where a field is, 0 where it isn't told."""
        at = 4 + 2 * field
        offset = _unpack("<H", self.data, self.fields + at) if at < self.size else 0
        return self.at + offset if offset else 0

    def number(self, field: int, kind: str) -> int:
        at = self.offset_of(field)
        return _unpack(kind, self.data, at) if at else 0

    def table(self, field: int) -> _Table | None:
        at = self.offset_of(field)
        return _Table(self.data, at + _unpack("<I", self.data, at)) if at else None

    def text(self, field: int) -> str:
        at = self.offset_of(field)
        if not at:
            return ""
        at += _unpack("<I", self.data, at)
        return self.data[at + 4 : at + 4 + _unpack("<I", self.data, at)].decode("utf-8", "replace")

    def vector(self, field: int) -> tuple[int, int]:
        """Where the elements of a vector begin, and how many there are."""
        at = self.offset_of(field)
        if not at:
            return 0, 0
        at += _unpack("<I", self.data, at)
        return at + 4, _unpack("<I", self.data, at)

    def tables(self, field: int) -> Iterator[_Table]:
        at, count = self.vector(field)
        for i in range(at, at + 4 * count, 4):
            yield _Table(self.data, i + _unpack("<I", self.data, i))


def _unpack(kind: str, data: bytes, at: int) -> int:
    if at < 0:
        raise IndexError
    return int(struct.unpack_from(kind, data, at)[0])


def _root(data: bytes) -> _Table:
    return _Table(data, _unpack("<I", data, 0))


def _pairs(table: _Table, field: int) -> Iterator[tuple[str, str]]:
    for pair in table.tables(field):
        yield pair.text(0), pair.text(1)


def _of_schema(schema: _Table) -> Schema:
    metadata, columns, wide = list(_pairs(schema, 2)), list[Dictionary](), dict[str, bool]()
    kinds = set[int]()

    def visit(field: _Table, path: tuple[str, ...]) -> None:
        here = (*path, field.text(0))
        kinds.add(field.number(2, "<B"))
        metadata.extend(_pairs(field, 6))
        if (coding := field.table(4)) is not None:
            columns.append(Dictionary(here, coding.number(0, "<q")))
        for child in field.tables(5):
            visit(child, here)

    for field in schema.tables(1):
        visit(field, ())
        kind = field.table(3)
        if field.number(2, "<B") == FIXED_SIZE_BINARY and kind is not None and kind.number(0, "<i") == _WIDE:
            wide[field.text(0)] = ("ARROW:extension:name", "arrow.uuid") in _pairs(field, 6)
    return Schema(metadata, columns, wide, not _ODD.isdisjoint(kinds))


def of_fixed_size(data: bytes, names: Set[str], field: int) -> Iterator[tuple[int, str, int]]:
    """What makes columns of numbers of 128 bits in a schema ones of 16 bytes: places, their kinds, and new values.

    `field`: where the schema is in the FlatBuffer, of a message or of a file's footer.
    """
    schema = _root(data).table(field)
    for column in schema.tables(1) if schema is not None else ():
        kind = column.table(3)
        if column.text(0) in names and kind is not None and column.number(2, "<B") == _INTEGER:
            yield column.offset_of(2), "<B", FIXED_SIZE_BINARY
            yield kind.offset_of(0), "<i", _WIDE


def schema_metadata(data: bytes) -> list[tuple[str, str]]:
    """The metadata of a schema stored as a message, as in Parquet's key ARROW:schema.

    Empty where it can't be read.
    """
    try:
        header = _root(data[8:] if data.startswith(_CONTINUES) else data[4:]).table(2)
        return _of_schema(header).metadata if header is not None else []
    except _FAULTS:
        return []


def message(file: BinaryIO, start: int, size: int) -> Message | None:
    """The message at `start` of a content of `size` bytes; None at the end of a stream.

    Raises `ReadError` for a damaged one.
    """
    file.seek(start)
    prefix = file.read(8)
    if len(prefix) < 4 or prefix[:4] == bytes(4) or prefix == _CONTINUES + bytes(4):
        return None
    is_new = prefix[:4] == _CONTINUES
    length = int.from_bytes(prefix[4:8] if is_new else prefix[:4], "little", signed=True)
    begin = start + (8 if is_new else 4)
    if not 0 < length <= min(_MESSAGE_BYTES, size - begin):
        raise damaged()
    file.seek(begin)
    try:
        parsed = _message(file.read(length), start, begin + length, size)
    except _FAULTS:
        raise damaged() from None
    return parsed._replace(held=sum(_unpacked(file, parsed)))


def _unpacked(file: BinaryIO, parsed: Message) -> Iterator[int]:
    """Yield the size of each buffer once unpacked.

    Packed buffers begin with that size, or with -1 where they aren't packed.
    """
    for start, end in parsed.buffers:
        said = -1
        if parsed.is_packed and end - start >= 8:
            file.seek(start)
            said = int.from_bytes(file.read(8), "little", signed=True)
        yield end - start if said < 0 else said


def _message(data: bytes, start: int, body: int, size: int) -> Message:
    root = _root(data)
    kind, header, length = root.number(1, "<B"), root.table(2), root.number(3, "<q")
    if header is None or length < 0 or body + length > size:
        raise damaged()
    parsed = Message(kind, start, body, body + length, metadata=tuple(_pairs(root, 4)))
    if kind == SCHEMA:
        said = _of_schema(header)
        return parsed._replace(
            metadata=(*said.metadata, *parsed.metadata),
            columns=tuple(said.columns),
            wide=said.wide,
            is_odd=said.is_odd,
        )
    if kind == DICTIONARY:
        records = header.table(1)
        if records is None:
            raise damaged()
        parsed = parsed._replace(
            id=header.number(0, "<q"), values=records.number(0, "<q"), is_delta=bool(header.number(2, "<B"))
        )
    elif kind == RECORDS:
        records = header
        parsed = parsed._replace(values=records.number(0, "<q"))
    else:
        return parsed._replace(buffers=((body, body + length),))
    at, count = records.vector(2)
    buffers = [struct.unpack_from("<qq", data, at + 16 * i) for i in range(count)]
    if any(offset < 0 or held < 0 or offset + held > length for offset, held in buffers):
        raise damaged()
    return parsed._replace(
        buffers=tuple((body + offset, body + offset + held) for offset, held in buffers),
        is_packed=records.table(3) is not None,
    )


def streams(content: Content) -> list[Stream]:
    """The streams that follow one another in a content, up to its end or to what is no stream.

    Raises `ReadError` for a damaged one.
    """
    size = content.size
    found: list[Stream] = []
    with content.open() as file:
        at = 0
        while at < size:
            if found and not _is_schema(file, at, size):
                break
            start, messages = at, list[Message]()
            while at < size and (parsed := message(file, at, size)) is not None:
                if parsed.kind == SCHEMA and messages:
                    break  # the stream before has no mark at its end
                messages.append(parsed)
                at = parsed.end
            else:
                file.seek(at)
                mark = file.read(8)
                at += 8 if mark[:4] == _CONTINUES else min(4, len(mark))
            if not messages or messages[0].kind != SCHEMA:
                raise damaged()
            found.append(Stream(start, at, tuple(messages)))
    return found


def _is_schema(file: BinaryIO, at: int, size: int) -> bool:
    try:
        parsed = message(file, at, size)
    except ReadError:
        return False
    return parsed is not None and parsed.kind == SCHEMA


class File(NamedTuple):
    """An Arrow file: its messages, columns with dictionaries, ranges of everything else, metadata, and wide columns.

    The messages are those that its footer names.
    """

    messages: tuple[Message, ...]
    columns: tuple[Dictionary, ...]
    parts: tuple[tuple[int, int], ...]
    metadata: tuple[tuple[str, str], ...]
    wide: Mapping[str, bool]
    is_odd: bool


def in_file(content: Content) -> File:
    """Parse an Arrow file. Raises `ReadError` for a damaged one."""
    size = content.size
    with content.open() as file:
        file.seek(max(0, size - 10))
        end = file.read(10)
        length = int.from_bytes(end[:4], "little", signed=True)
        begin = size - 10 - length
        if end[4:] != _MAGIC or length <= 0 or begin < 8:
            raise damaged("file")
        file.seek(begin)
        data = file.read(length)
        try:
            root = _root(data)
            schema = root.table(1)
            said = _of_schema(schema) if schema is not None else Schema([], [], {})
            blocks = []
            for field in (2, 3):
                at, count = root.vector(field)
                blocks += [_unpack("<q", data, at + 24 * i) for i in range(count)]
            messages = [parsed for at in blocks if (parsed := message(file, at, begin)) is not None]
            first = min([begin, *blocks])
            repeated, schema_end = _first(file, first, length)
        except _FAULTS:
            raise damaged("file") from None
    last = max([schema_end, *(m.end for m in messages)])
    pairs = (*said.metadata, *_pairs(root, 4), *repeated, *(pair for m in messages for pair in m.metadata))
    return File(
        tuple(messages),
        tuple(said.columns),
        ((0, 8), (8, schema_end), (last, last + 8), (begin, size)),
        tuple(dict.fromkeys(pairs)),
        said.wide,
        said.is_odd,
    )


def _first(file: BinaryIO, first: int, length: int) -> tuple[list[tuple[str, str]], int]:
    """The metadata of the schema before the blocks, which begin at `first`, and where it ends.

    Some programs write it without its length.
    """
    file.seek(8)
    data = file.read(min(first - 8, length + _SLACK))
    if data.startswith(_CONTINUES) or int.from_bytes(data[:4], "little") > _SLACK:
        schema = message(file, 8, first)
        return (list(schema.metadata), schema.end) if schema is not None else ([], 8)
    header = _root(data).table(2)
    return (_of_schema(header).metadata if header is not None else []), 8 + len(data)


def damaged(what: str = "stream") -> ReadError:
    return ReadError(f"malformed Arrow {what}: damaged or truncated; fetch or write it again")
