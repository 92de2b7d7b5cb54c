"""Accounts for the bytes of a zip archive: members, directory and end; all others are reported as unread."""

from __future__ import annotations

import re
import struct
import zipfile
from typing import BinaryIO, Final

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.io.content import Content

_END: Final = (1 << 16) + 64
"""Bytes at the end of an archive in which its directory's place stands: a comment may follow that."""
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_HASH: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""What git leaves as the comment of an archive: the commit."""
_PLAIN_FIELDS: Final = frozenset(
    (0x0001, 0x000A, 0x5455, 0x5855, 0x7075, 0x7855, 0x7875, 0x9901, 0xA11E, 0xA220, 0xCAFE, 0xD935)
)
"""Extra fields of sizes, dates, owners' numbers, names, encryption and padding."""


def check_directory(raw: BinaryIO, size: int) -> None:
    """Raise `ReadError` where the directory of an archive of `size` bytes doesn't fit into memory.

    It takes about fourteen times as much once it is read.
    """
    tail = max(0, size - _END)
    raw.seek(tail)
    data = raw.read(_END)
    end = data.rfind(b"PK\5\6")
    if end < 0 or len(data) < end + 16:
        return
    length = int.from_bytes(data[end + 12 : end + 16], "little")
    place = data[max(0, end - 20) : end]
    if place[:4] == b"PK\6\7":
        raw.seek(min(size, int.from_bytes(place[8:16], "little")))
        length = max(length, int.from_bytes(raw.read(48)[40:48], "little"))
    if min(length, size) > shares.room() // 14:
        raise ReadError("a directory that doesn't fit into memory; allow more with --memory, or unpack it yourself")


def account(content: Content, raw: BinaryIO, archive: zipfile.ZipFile) -> None:
    """Account for the archive's directory and end, and for each member with its header."""
    _directory(content, raw, archive.start_dir)
    for entry in archive.infolist():
        raw.seek(entry.header_offset)
        header = raw.read(_LOCAL.size)
        if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
            continue  # reading the member says so
        *_, name, extra = _LOCAL.unpack(header)
        at = entry.header_offset + _LOCAL.size + name + extra + entry.compress_size
        if entry.flag_bits & 8:
            at = _after_descriptor(raw, at, entry)
        content.account.read(entry.header_offset, min(at, content.size))


def _directory(content: Content, raw: BinaryIO, start: int) -> None:
    """Account for the records that follow each other from `start` on: an entry for each member, then the end."""
    at = start
    while True:
        raw.seek(at)
        record = raw.read(46)
        mark = record[:4]
        if mark == b"PK\1\2" and len(record) == 46:
            length = 46 + sum(struct.unpack_from("<3H", record, 28))
        elif mark == b"PK\6\6" and len(record) >= 12:
            length = 12 + int.from_bytes(record[4:12], "little")
        elif mark == b"PK\6\7":
            length = 20
        elif mark == b"PK\5\6" and len(record) >= 22:
            content.account.read(start, min(at + 22 + int.from_bytes(record[20:22], "little"), content.size))
            return
        else:
            content.account.read(start, at)
            return
        at += length


def _after_descriptor(raw: BinaryIO, at: int, entry: zipfile.ZipInfo) -> int:
    """The end of the sizes that follow a member written to a stream.

    They are 32 or 64 bits wide, with a mark before them or without.
    """
    raw.seek(at)
    data = raw.read(24)
    for form in ("<4sLLL", "<4sLQQ", "<LLL", "<LQQ"):
        size = struct.calcsize(form)
        if len(data) >= size and struct.unpack(form, data[:size])[-3:] == (
            entry.CRC,
            entry.compress_size,
            entry.file_size,
        ):
            return at + size
    return at


def notes(archive: zipfile.ZipFile) -> list[str]:
    """The comments of the archive and its members, and extra fields of kinds that may hold text."""
    raw = [archive.comment, *(entry.comment for entry in archive.infolist())]
    raw += [data for entry in archive.infolist() for kind, data in _fields(entry.extra) if kind not in _PLAIN_FIELDS]
    return [_text(note) for note in raw if note and not _HASH.fullmatch(note)]


def _text(note: bytes) -> str:
    try:
        return note.decode()
    except UnicodeDecodeError:
        return note.decode("cp437")


def _fields(extra: bytes) -> list[tuple[int, bytes]]:
    """The kinds of a member's extra fields, and what they hold."""
    found, at = [], 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        found.append((kind, extra[at + 4 : at + 4 + length]))
        at += 4 + length
    return found
