"""What a Parquet file's last bytes say of how it is packed: in the compact protocol of Apache Thrift.

Sources: github.com/apache/thrift, doc/specs/thrift-compact-protocol.md; github.com/apache/parquet-format, src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from piiscan.errors import ReadError
from piiscan.io.content import Content

_CODECS = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "zstd", "lz4")
_GROUP_BYTES = 1 << 28
_STALE = frozenset(("pandas", "ARROW:schema", "org.apache.spark.sql.parquet.row.metadata"))
"""Metadata that describe the columns, which may be others now."""


class Packing(NamedTuple):
    """`codec` as polars calls it, rows in a group, and what else the file says of itself."""

    codec: str
    group_rows: int | None
    metadata: dict[str, str]


def packing(content: Content) -> Packing:
    """How a Parquet file is packed: like its first group of rows; a group of more than 256 MiB is made smaller."""
    with content.open() as file:
        file.seek(content.size - 8)
        length = int.from_bytes(file.read(4), "little")
        file.seek(content.size - 8 - length)
        data = file.read(length)
    try:
        footer = _Compact(data).struct()
        groups = [group for group in footer.get(4, []) if group[3]]
        codec = _CODECS[groups[0][1][0][3][4]] if groups else "zstd"
        rows = groups[0][3] if groups else None
        if rows and groups[0][2] > _GROUP_BYTES:
            rows = max(1, rows * _GROUP_BYTES // groups[0][2])
        pairs = {pair[1].decode(): pair.get(2, b"").decode() for pair in footer.get(5, [])}
    except (IndexError, KeyError, TypeError, UnicodeDecodeError):
        raise ReadError("malformed Parquet: its metadata can't be read; write it again") from None
    return Packing(codec, rows, {key: value for key, value in pairs.items() if key not in _STALE})


class _Compact:
    """Reads one value after the other; structs as field number → value."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        result = shift = 0
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
        fields: dict[int, Any] = {}
        number = 0
        while header := self.byte():
            number = number + (header >> 4) if header >> 4 else self.integer()
            kind = header & 15
            fields[number] = kind == 1 if kind in (1, 2) else self.value(kind)
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
