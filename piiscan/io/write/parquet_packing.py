"""How a Parquet file is packed, so that it is packed the same way again."""

from __future__ import annotations

from typing import NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.columnar.parquet_footer import footer
from piiscan.io.content import Content
from piiscan.io.write import stored_types

_CODECS = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "zstd", "lz4")
_GROUP_BYTES = 1 << 28


class Packing(NamedTuple):
    """`codec` as polars calls it, rows in a group, and the types that columns had before their cells became text."""

    codec: str
    group_rows: int | None
    types: str | None


def packing(content: Content) -> Packing:
    """How a Parquet file is packed: like its first group of rows; a group of more than 256 MiB is made smaller."""
    found = footer(content)
    groups = [group for group in found.groups if group.rows]
    if not groups:
        return Packing("zstd", None, None)
    first = groups[0]
    if first.codec is None or not 0 <= first.codec < len(_CODECS):
        raise ReadError("malformed Parquet: its metadata can't be read; write it again")
    rows = first.rows if first.size <= _GROUP_BYTES else max(1, first.rows * _GROUP_BYTES // first.size)
    return Packing(_CODECS[first.codec], rows, dict(found.metadata).get(stored_types.KEY))
