"""Compressed streams, one after the other, to the last byte of a file.

What can be unpacked comes before the reason why the rest can't.
"""

from __future__ import annotations

import bz2
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import BinaryIO, Final, Protocol

from piiscan.core.errors import ReadError

_IN: Final = 1 << 16
_OUT: Final = 1 << 20
_SKIPPABLE: Final = tuple(bytes((0x50 + i, 0x2A, 0x4D, 0x18)) for i in range(16))
"""How frames of zstd begin that no program unpacks."""
_EXTRA, _NAME, _COMMENT = 4, 8, 16
"""Flags of gzip's header: which fields follow its first ten bytes."""
_MOST_EXTRA: Final = 64
"""Bytes of an extra field that programs fill with sizes; longer ones may hold text."""
_WORDS: Final = re.compile(rb"[ -~]{8}")


class Unpacker(Protocol):
    """What unpacks one stream, at most `max_length` bytes at a time; bytes behind its end are `unused_data`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """One member of a gzip file, in the form that the other unpackers have."""

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(wbits=31)
        self._waiting = b""

    @property
    def eof(self) -> bool:
        return self._unpacker.eof

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def unused_data(self) -> bytes:
        return self._unpacker.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._unpacker.decompress(self._waiting + data, max_length)
        self._waiting = self._unpacker.unconsumed_tail
        return out


def _zstd() -> Unpacker:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    unpacker: Unpacker = zstd.ZstdDecompressor()
    return unpacker


_UNPACKERS: dict[str, tuple[Callable[[], Unpacker], tuple[bytes, ...]]] = {
    "gzip": (_Gzip, (b"\x1f\x8b",)),
    "bzip2": (bz2.BZ2Decompressor, (b"BZh",)),
    "xz": (lzma.LZMADecompressor, (b"\xfd7zXZ\0", b"\x5d\0\0")),
    "zstd": (_zstd, (b"\x28\xb5\x2f\xfd", *_SKIPPABLE)),
}


def unpacked(raw: BinaryIO, kind: str, names: list[str] | None = None) -> Iterator[bytes]:
    """Yield what the streams of a compressed file hold; names in their headers are added to `names`.

    Zero bytes between and behind them are padding. Raises `ReadError` where one is damaged, and where anything else
    follows, with all before it given.
    """
    make, marks = _UNPACKERS[kind]
    data, unread = raw.read(_IN), None
    while data:
        if kind == "gzip":
            data += raw.read(_IN) if len(data) < _IN else b""
            name, reason = _header(data)
            unread = unread or reason
            if name and names is not None:
                names.append(name)
        if data.startswith(_SKIPPABLE) and kind == "zstd":
            data, is_plain = _after_frame(raw, data)
            unread = unread if is_plain else "it has a skippable frame, which no program unpacks; compress it again"
            continue
        data = _next(raw, (yield from _stream(raw, data, make(), kind)))
        if data and not data.startswith(marks):
            raise ReadError(
                f"data after the end of its {kind} stream, which was not read; "
                "cut it off, or make a file of its own of it"
            )
    if unread is not None:
        raise ReadError(unread)


def _header(data: bytes) -> tuple[str, str | None]:
    """The name of the file in the header of a gzip stream, and what in the header isn't read, if any."""
    if len(data) < 10 or data[2] != 8:
        return "", None
    flags, at, unread, name = data[3], 10, None, b""
    if flags & _EXTRA:
        length = int.from_bytes(data[at : at + 2], "little")
        extra = data[at + 2 : at + 2 + length]
        at += 2 + length
        if length > _MOST_EXTRA or _WORDS.search(extra):
            unread = "its header has an extra field, which isn't read; compress it again without one"
    if flags & _NAME:
        name, end, _ = data[at:].partition(b"\0")
        at += len(name) + 1
        if not end:
            unread = "its header has a name without an end, which isn't read; compress it again"
    if flags & _COMMENT:
        unread = "its header has a comment, which isn't read; compress it again without one"
    try:
        return name.decode(), unread
    except UnicodeDecodeError:
        return name.decode("latin-1"), unread


def _stream(raw: BinaryIO, data: bytes, unpacker: Unpacker, kind: str) -> Generator[bytes, None, bytes]:
    """Yield what one stream holds that begins with `data`; return what was read after its end.

    Raises `ReadError` where it is damaged.
    """
    try:
        while not unpacker.eof:
            out = unpacker.decompress(data, _OUT)
            data = b""
            if out:
                yield out
            if unpacker.needs_input and not unpacker.eof:
                data = raw.read(_IN)
                if not data:
                    raise EOFError
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ReadError(f"damaged or truncated {kind} file; fetch it again") from None
    return unpacker.unused_data


def _next(raw: BinaryIO, data: bytes) -> bytes:
    """What follows a stream, without padding; enough to tell what it is."""
    while True:
        data = data.lstrip(b"\0")
        if len(data) >= 16:
            return data
        more = raw.read(_IN)
        if not more:
            return data
        data += more


def _after_frame(raw: BinaryIO, data: bytes) -> tuple[bytes, bool]:
    """What follows a skippable frame, and whether that was no more than a table of places, or too short for text."""
    length = int.from_bytes(data[4:8], "little")
    end = b""
    rest = data[8 + length :]
    frame = data[8 : 8 + length]
    left = length - len(frame)
    while left > 0 and (block := raw.read(min(left, _IN))):
        left -= len(block)
        end = block
    frame = (frame + end)[-4:]
    return _next(raw, rest), length <= 16 or frame == b"\xb1\xea\x92\x8f"
