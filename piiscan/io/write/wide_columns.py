"""Columns of 16 bytes a value, such as UUIDs, written as what they were.

Polars has no type for values of one length. It writes numbers of 128 bits as their 16 bytes, so the cells become such
numbers, and then what the file says of their columns is changed.

Sources: github.com/apache/parquet-format, src/main/thrift/parquet.thrift and LogicalTypes.md;
github.com/apache/arrow, format/{Schema,Message,File}.fbs.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from piiscan.io.columnar import arrow_messages, parquet_footer

if TYPE_CHECKING:
    import polars as pl

_NAME: Final = "arrow.uuid"
_CONTINUES: Final = b"\xff\xff\xff\xff"
"""What a message of Arrow begins with, before its length."""
_SLACK: Final = 64
_IS_UUID: Final = bytes((0x6C, 0xEC, 0, 0))
"""A field of a schema's element behind its name: the logical type, a union with its member for UUIDs."""


def dtype(is_uuid: bool) -> pl.DataType:
    """The type that columns of 16 bytes are written in."""
    import polars as pl

    is_known = is_uuid and hasattr(pl, "Extension")  # an older polars loses the name of the type in Arrow
    return pl.Extension(_NAME, pl.Int128(), "") if is_known else pl.Int128()


def cells(frame: pl.DataFrame, wide: Mapping[str, bool]) -> pl.DataFrame:
    """A frame with these columns of bytes in that type."""
    import polars as pl

    made = []
    for name, is_uuid in wide.items():
        numbers = pl.col(name).bin.reinterpret(dtype=pl.Int128, endianness="little")
        made.append(numbers if (wanted := dtype(is_uuid)) == pl.Int128 else numbers.ext.to(wanted))
    return frame.with_columns(made)


def say_in_parquet(path: Path, wide: Mapping[str, bool]) -> None:
    """Change what a Parquet file that was written so says of these columns, in its own schema and in Arrow's."""
    with open(path, "r+b") as file:
        file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        begin = file.seek(-8 - length, 2)
        footer = file.read(length)
        footer = _with_uuids(footer, {name for name, is_uuid in wide.items() if is_uuid})
        footer = _with_arrow(footer, wide.keys())
        file.seek(begin)
        file.write(footer + len(footer).to_bytes(4, "little") + b"PAR1")
        file.truncate()


def _with_uuids(footer: bytes, names: Set[str]) -> bytes:
    """A footer in which these columns are UUIDs."""
    reader = parquet_footer.Compact(footer)
    for _ in range(2):  # the version, and the header of the schema's list
        kind = reader.byte() & 15
        if kind == 9:
            break
        reader.value(kind)
    header = reader.byte()
    count = header >> 4 if header >> 4 < 15 else reader.varint()
    out, done, inner = [], 0, 0
    for number in range(count):
        element = reader.struct()
        name, children = element[4].decode(), element.get(5, 0)
        if number and not inner and not children and name in names:
            out += [footer[done : reader.at - 1], _IS_UUID]
            done = reader.at - 1
        inner += children - (1 if inner else 0) if number else 0
    return b"".join((*out, footer[done:]))


def _with_arrow(footer: bytes, names: Set[str]) -> bytes:
    """A footer in whose schema of Arrow these columns are of fixed size; it is as long as before."""
    key = footer.find(b"ARROW:schema")
    if key < 0:
        return footer
    reader = parquet_footer.Compact(footer)
    reader.at = key + len(b"ARROW:schema") + 1  # and the header of the field that is the value
    text = reader.value(8)
    data = bytearray(base64.b64decode(text))
    _say(data, 8 if data.startswith(_CONTINUES) else 4, names)
    return footer[: reader.at - len(text)] + base64.b64encode(data) + footer[reader.at :]


def say_in_arrow(path: Path, names: Set[str]) -> None:
    """Change what an Arrow file or stream that was written so says of these columns."""
    with open(path, "r+b") as file:
        start, most = 0, 0
        if file.read(6) == b"ARROW1":
            start = 8
            file.seek(-10, 2)
            most = int.from_bytes(file.read(4), "little")
            _change(file, file.seek(-10 - most, 2), most, names, 1)
        file.seek(start)
        prefix = file.read(8)
        if prefix.startswith(_CONTINUES):
            _change(file, start + 8, int.from_bytes(prefix[4:], "little"), names, 2)
        elif start and int.from_bytes(prefix[:4], "little") <= _SLACK:  # without its length, as polars writes it
            _change(file, start, most + _SLACK, names, 2)
        else:
            _change(file, start + 4, int.from_bytes(prefix[:4], "little"), names, 2)


def _change(file: BinaryIO, at: int, length: int, names: Set[str], field: int) -> None:
    """Change the schema that is a field of the FlatBuffer there."""
    file.seek(at)
    data = bytearray(file.read(length))
    _say(data, 0, names, field)
    file.seek(at)
    file.write(data)


def _say(data: bytearray, start: int, names: Set[str], field: int = 2) -> None:
    for place, kind, new in arrow_messages.of_fixed_size(bytes(data[start:]), names, field):
        struct.pack_into(kind, data, start + place, new)
