"""Where the blocks of an Avro file are, and how large each is once unpacked: readers unpack them whole.

Source: avro.apache.org/docs/1.12.0/specification, "Object Container Files".
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, NamedTuple, cast

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.io.content import Content

_MAGIC: Final = b"Obj\x01"
_MARK: Final = 16
_CHUNK: Final = 1 << 16
_OUT: Final = 1 << 20
_RATIOS: Final = {"null": 1, "deflate": 1032, "snappy": 64}
"""How many times its size a packed block is at most."""


class Block(NamedTuple):
    """So many records between these bytes of the file."""

    records: range
    start: int
    end: int


def large(content: Content) -> list[Block]:
    """The blocks that are above their share of the memory. Raises `ReadError`."""
    size, most = content.size, shares.row()
    found: list[Block] = []
    with content.open() as file:
        codec = _codec(file)
        row = 0
        while (start := file.tell()) < size:
            records, length = _number(file), _number(file)
            data = file.tell()
            end = data + length + _MARK
            if records < 0 or length < 0 or end > size:
                return found  # the reader says so
            if length > most // _RATIOS.get(codec, 1 << 30) and _is_above(file, length, codec, most):
                found.append(Block(range(row, row + records), start, end))
            row += records
            file.seek(end)
    return found


def _codec(file: BinaryIO) -> str:
    """What blocks are packed with, by the header of the file, which is read to its end."""
    if file.read(4) != _MAGIC:
        raise ReadError("malformed Avro; write it again")
    codec = b"null"
    while count := _number(file):
        if count < 0:  # followed by the bytes that its entries take
            count = -count
            _number(file)
        for _ in range(count):
            key, value = _bytes(file), _bytes(file)
            if key == b"avro.codec":
                codec = value
    file.seek(_MARK, io.SEEK_CUR)
    return codec.decode("latin-1")


def _number(file: BinaryIO) -> int:
    value = shift = 0
    while shift < 70:
        byte = file.read(1)
        if not byte:
            raise ReadError("truncated or malformed Avro; write it again")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value >> 1 ^ -(value & 1)
        shift += 7
    raise ReadError("truncated or malformed Avro; write it again")


def _bytes(file: BinaryIO) -> bytes:
    length = _number(file)
    if not 0 <= length <= shares.row():
        raise ReadError("malformed Avro; write it again")
    return file.read(length)


def _is_above(file: BinaryIO, length: int, codec: str, most: int) -> bool:
    """Whether a packed block is above `most` bytes once unpacked, of a damaged one as much as can be unpacked."""
    if codec == "null":
        return True
    if codec == "snappy":
        shift = told = 0
        for byte in file.read(5):
            told |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return told > most
        return True
    unpacked = 0
    try:
        for part in _parts(file, length, codec):
            unpacked += len(part)
            if unpacked > most:
                return True
    except Exception:  # the reader says so
        return False
    return False


def _parts(file: BinaryIO, length: int, codec: str) -> Iterator[bytes]:
    from piiscan.io.archives import streams

    if codec == "deflate":
        unpacker = zlib.decompressobj(-15)
        left = length
        waiting = b""
        while not unpacker.eof and (waiting or left):
            if not waiting:
                waiting = file.read(min(_CHUNK, left))
                left -= len(waiting)
            part = unpacker.decompress(waiting, _OUT)
            waiting = unpacker.unconsumed_tail
            yield part
        return
    kind = {"zstandard": "zstd", "bzip2": "bzip2", "xz": "xz"}.get(codec)
    if kind is None:
        return
    yield from streams.unpacked(io.BytesIO(file.read(length)), kind)


def left_out(blocks: Sequence[Block]) -> str:
    """The message about blocks that aren't read."""
    first = blocks[0].records
    others = f", as do {len(blocks) - 1:,} others" if len(blocks) > 1 else ""
    return (
        f"a block may take {shares.row() >> 20:,} MiB of memory, and that of the records {first.start + 1:,} to "
        f"{first.stop:,} takes more{others}; the rest was read; allow more with --memory, or write it in smaller blocks"
    )


def without(file: BinaryIO, blocks: Sequence[Block]) -> BinaryIO:
    """The file without these blocks, to be read once from where it is."""
    return cast(BinaryIO, _Without(file, blocks))


class _Without(io.RawIOBase):
    def __init__(self, file: BinaryIO, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._file, self._blocks = file, list(blocks)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        out = b""
        while size < 0 or len(out) < size:
            at = self._file.tell()
            if self._blocks and at >= self._blocks[0].start:
                self._file.seek(self._blocks.pop(0).end)
                continue
            left = self._blocks[0].start - at if self._blocks else -1
            wanted = size - len(out) if size >= 0 else -1
            part = self._file.read(min((n for n in (left, wanted) if n >= 0), default=-1))
            if not part:
                break
            out += part
        return out
