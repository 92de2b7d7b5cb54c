"""Address books, calendars and directories as lines: vCard (RFC 6350), iCalendar (RFC 5545) and LDIF (RFC 2849).

Their programs break long lines, and encode values: a name in Base64, or an address with a line break in it, isn't found
in the lines of the file. So a row is a line put together again, its value decoded.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.delimited import lines
from piiscan.io.encodings.encoding import Encoding, as_utf8, undecodable
from piiscan.io.encodings.survey import looks_like_text
from piiscan.io.encodings.transfer import decoded, from_base64
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["vcard", "icalendar", "ldif"]
KINDS: Final = ("vcard", "icalendar", "ldif")
_PROPERTY: Final = re.compile(r'((?:[\w.-]+)((?:;(?:[^":;]|"[^"]*")*)*)):')
"""The name of a property and its parameters, in front of its value."""
_ATTRIBUTE: Final = re.compile(r"([\w.-]+(?:;[\w.-]+)*)::[ \t]*")
_QUOTED: Final = re.compile(r";(?:encoding=)?quoted-printable\b", re.IGNORECASE)
_BASE64: Final = re.compile(r";(?:encoding=)?(?:base64|b)(?=;|$)", re.IGNORECASE)
_CHARSET: Final = re.compile(r";charset=([\w-]+)", re.IGNORECASE)
_BEGINS: Final = re.compile(
    rb"[ \t]+(?:(?:BEGIN|END):V|[\w.-]+;[^:]*(?:ENCODING=|QUOTED-PRINTABLE|BASE64|CHARSET=))", re.IGNORECASE
)
"""What begins a property though it is indented, as in files that somebody laid out: no value goes on so."""
_LONGEST: Final = 75
"""Bytes of a line, without its end."""
_MOST: Final = 64 << 20
_BREAK: Final = "\\n"


class Line(NamedTuple):
    """A line as the file has it, in one or several pieces, and its text; `coding`: how its value is encoded."""

    raw: bytes
    text: str
    coding: Literal["", "quoted-printable", "base64", "binary"] = ""


def table(content: Content, encoding: Encoding, options: ReadOptions, kind: Kind) -> ReadTable:
    """The lines of a file as a table of one column."""
    details = (("encoding", encoding.name), *describe(content))
    info = TableInfo(content.source, None, kind, False, (Field("text"),), details)
    origin = lines.Lines(content, encoding, options.batch_rows)
    return ReadTable(info, lambda: _frames(content, encoding, options, kind), options.rows, origin)


def _frames(content: Content, encoding: Encoding, options: ReadOptions, kind: Kind) -> Iterator[pl.DataFrame | Batch]:
    binary = 0

    def texts() -> Iterator[str]:
        nonlocal binary
        for line in read(content, encoding, kind):
            binary += line.coding == "binary"
            yield line.text

    yield from lines.batched(lines.pieces(texts(), options.limits.line_chars), options)
    content.read_whole()
    if binary:
        values = "1 value is" if binary == 1 else f"{binary:,} values are"
        raise ReadError(f"{values} a picture, a sound or another file, which wasn't read; export it without them")


def read(content: Content, encoding: Encoding, kind: Kind) -> Iterator[Line]:
    """The lines of a file, put together. Raises `ReadError`."""
    plain, failure = (content, None) if encoding.is_utf8 else as_utf8(content, encoding)
    with plain.open() as stream:
        for raw in _together(stream, kind):
            try:
                line = _line(raw, kind, encoding.errors)
            except UnicodeDecodeError:
                raise undecodable(encoding) from None
            yield line
    if failure is not None:
        raise failure


def _together(stream: Iterable[bytes], kind: Kind) -> Iterator[bytes]:
    waiting = b""
    for piece in chain.from_iterable(line.splitlines(keepends=True) for line in stream):  # \r alone ends a line too
        goes_on = piece[:1] == b" " if kind == "ldif" else piece[:1] in (b" ", b"\t") and not _BEGINS.match(piece)
        if waiting and not goes_on and not _goes_on(waiting, kind):
            yield waiting
            waiting = b""
        waiting += piece
        if len(waiting) > _MOST:
            raise ReadError(f"a line above {_MOST >> 20} MiB; export it without pictures")
    if waiting:
        yield waiting


def _goes_on(raw: bytes, kind: Kind) -> bool:
    """Whether a value in quoted-printable has more lines."""
    body = raw.rstrip(b"\r\n")
    if kind == "ldif" or not body.endswith(b"="):
        return False
    return _QUOTED.search(body.partition(b":")[0].decode(errors="replace")) is not None


def _line(raw: bytes, kind: Kind, errors: str = "strict") -> Line:
    text = re.sub(r"\r?\n[ \t]", "", raw.decode("utf-8-sig", errors)).rstrip("\r\n")
    if kind == "ldif":
        found = _ATTRIBUTE.match(text)
        if found is None:
            return Line(raw, text)
        unpacked = _unpacked(text[found.end() :])
        return Line(raw, f"{found[1]}: {unpacked}", "base64") if unpacked is not None else Line(raw, text, "binary")
    text = text.lstrip(" \t")
    found = _PROPERTY.match(text)
    if found is None or not found[2]:
        return Line(raw, text)
    value, charset = text[found.end() :], _CHARSET.search(found[2])
    if _QUOTED.search(found[2]):
        data = quopri.decodestring(re.sub(r"=\r?\n", "", value).encode())
        plain = re.sub(r"\r?\n", lambda _: _BREAK, decoded(data, charset[1] if charset else None))
        return Line(raw, found[0] + plain, "quoted-printable")
    if _BASE64.search(found[2]):
        unpacked = _unpacked(value)
        return Line(raw, found[0] + unpacked, "base64") if unpacked is not None else Line(raw, text, "binary")
    return Line(raw, text)


def _unpacked(value: str) -> str | None:
    """The text in Base64; None for what is none."""
    data = from_base64(value.encode())
    if data is None or not looks_like_text(data):
        return None
    try:
        return re.sub(r"\r?\n", lambda _: _BREAK, data.decode())
    except UnicodeDecodeError:
        return None


def written(line: Line, text: str, kind: Kind) -> bytes:
    """A line with another text, encoded and broken as its own is. Raises `ReadError` where its name has changed."""
    end = line.raw[len(line.raw.rstrip(b"\r\n")) :]
    new = " ".join(text.splitlines())
    if kind == "ldif":
        name, colon, value = new.partition(": ")
        if line.coding or not (new.isascii() and value[:1] not in (" ", ":", "<")):
            if not colon:
                raise ReadError("a line without a name would have to be encoded; nothing of it is written")
            new = f"{name}:: {binascii.b2a_base64(value.encode(), newline=False).decode()}"
        return _broken(new, end)
    if not line.coding:
        return _broken(new, end)
    head = _PROPERTY.match(new)
    if head is None:
        raise ReadError("a line without a name would have to be encoded; nothing of it is written")
    data = new[head.end() :].replace(_BREAK, "\r\n").encode()
    if line.coding == "base64":
        return _broken(head[0] + binascii.b2a_base64(data, newline=False).decode(), end)
    packed = quopri.encodestring(data).replace(b"\r\n", b"=0D=0A").replace(b"=\n", b"=" + (end or b"\n"))
    return re.sub(r"(?i);charset=[\w-]+", ";CHARSET=UTF-8", head[0]).encode() + packed + end


def _broken(text: str, end: bytes) -> bytes:
    """A line of at most `_LONGEST` bytes, going on behind a space, never within a character."""
    out, size = [b""], 0
    for character in text:
        data = character.encode()
        if size + len(data) > _LONGEST:
            out.append(b" ")
            size = 1
        out[-1] += data
        size += len(data)
    return (end or b"\n").join(out) + end
