"""Which needles stand readable in some bytes: an independent look that shares no code with piiscan's readers.

It looks at the bytes as they are, in several encodings, and at whatever the standard library makes of them: what is
packed at any place, members of archives without their directories, texts of XML parts, escapes of JSON, rows of SQLite.
Where a format's own reading is needed (columns packed by Snappy or LZ4), pyarrow reads it. A needle counts only whole,
between characters that are no part of a word: cut ones are nobody's to find.
"""

from __future__ import annotations

import base64
import bz2
import contextlib
import io
import json
import lzma
import quopri
import re
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from .needles import NEEDLES

ENCODINGS: Final = ("latin-1", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp037")
DEEPEST: Final = 5
MOST: Final = 8 << 20
"""Bytes that are unpacked of one stream."""
STREAMS: Final = 60
"""Streams that are tried in one content."""
_PART_OF_A_WORD: Final = re.compile(r"[\w@%+./=&-]")
_OF_MAIL: Final = re.compile(rb"(?i)quoted-printable|base64|BEGIN:VCARD|=\?utf-8\?")
_BASE64: Final = re.compile(rb"(?:^|[?:\s])((?:[A-Za-z0-9+/]{4}){3,}(?:\r?\n[A-Za-z0-9+/]{4,})*={0,2})", re.MULTILINE)
_XML_TAGS: Final = re.compile(rb"<[^<>]*>")
_PDF_STRING: Final = re.compile(rb"\(((?:\\.|[^\\()])*)\)|<((?:[0-9a-fA-F]{2})+)>", re.DOTALL)
_PDF_CHARACTER: Final = re.compile(rb"<([0-9a-f]{4})> <([0-9a-f]{4})>")


def readable(data: bytes) -> frozenset[str]:
    """The entities whose needles stand readable in `data`, which is the content of a file."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting: list[tuple[bytes, int]] = [(data, 0)]
    while waiting and len(found) < len(NEEDLES):
        view, depth = waiting.pop()
        if (mark := hash(view)) in seen:
            continue
        seen.add(mark)
        found |= standing_in(view)
        if depth < DEEPEST:
            waiting += [(inner, depth + 1) for inner in _inner(view) if inner]
    return frozenset(found)


def standing_in(data: bytes) -> set[str]:
    """The entities whose needles stand in `data` as they are, in some encoding."""
    found = set()
    for encoding in ENCODINGS if _is_ebcdic(data) else ENCODINGS[:-1]:
        for entity, needle in NEEDLES.items():
            if entity not in found and any(
                _is_whole(data, at, needle, encoding) for at in _places(data, needle, encoding)
            ):
                found.add(entity)
    return found


def _is_ebcdic(data: bytes) -> bool:
    """Whether a content is EBCDIC throughout: among other bytes it is nobody's to tell from letters of other tables."""
    text = data[: 1 << 16].decode("cp037")
    return sum((c.isascii() and c.isprintable()) or c in "\t\r\n\x85" for c in text) > 0.95 * len(text)


def _places(data: bytes, needle: str, encoding: str) -> Iterator[int]:
    raw, at = needle.encode(encoding), -1
    while (at := data.find(raw, at + 1)) >= 0:
        yield at


def _is_whole(data: bytes, at: int, needle: str, encoding: str) -> bool:
    """Whether no word goes on before or behind. In binary content lengths tell where a text ends, and an e-mail address
    is one whatever stands beside it."""
    if b"\0" in data and encoding == "latin-1" and "@" in needle:
        return True
    width = len("x".encode(encoding))
    before, end = data[max(0, at - width) : at], at + len(needle) * width
    around = (before, data[end : end + width])
    return not any(_PART_OF_A_WORD.match(part.decode(encoding, "replace")) for part in around if len(part) == width)


def _inner(data: bytes) -> Iterator[bytes]:
    yield from _streams(data)
    yield from _zip_members(data)
    for kind, mark in (
        (_tar_members, b"ustar"),
        (_sqlite_rows, b"SQLite format 3"),
        (_avro_blocks, b"Obj\1"),
        (_pdf_strings, b"%PDF-"),
        (_columnar, b""),
    ):
        if mark in data:
            with contextlib.suppress(Exception):
                yield from kind(data)
    if b"<" in data and b">" in data:
        yield _XML_TAGS.sub(b"", data)
    if b"\\u" in data:
        yield from _json_texts(data)
    if _OF_MAIL.search(data):
        yield from _of_mail(data)


def _of_mail(data: bytes) -> Iterator[bytes]:
    """What mail and cards encode, and their lines put together."""
    yield quopri.decodestring(data)
    yield re.sub(rb"\r?\n[ \t]", b"", data)
    for found in _BASE64.finditer(data):
        with contextlib.suppress(ValueError):
            yield base64.b64decode(found[1])


def _unpacked(packer: object, data: bytes) -> bytes:
    """What can be had of a stream, whole or cut."""
    out = bytearray()
    with contextlib.suppress(Exception):
        for at in range(0, len(data), 4096):
            out += packer.decompress(data[at : at + 4096])  # type: ignore[attr-defined]
            if len(out) > MOST or getattr(packer, "eof", False):
                break
    return bytes(out)


def _zstd() -> object:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from backports import zstd
    return zstd.ZstdDecompressor()


_STREAMS: Final = (
    (b"\x1f\x8b\x08", lambda: zlib.decompressobj(31)),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(memlimit=256 << 20)),
    (b"\x28\xb5\x2f\xfd", _zstd),
)


def _streams(data: bytes) -> Iterator[bytes]:
    """What packed streams hold, wherever they begin."""
    for mark, packer in _STREAMS:
        at, tried, whole = -1, 0, b""
        while (at := data.find(mark, at + 1)) >= 0 and tried < STREAMS:
            tried += 1
            part = _unpacked(packer(), data[at:])
            yield part
            whole += part
        if tried > 1:
            yield whole  # a text that streams share


def _zip_members(data: bytes) -> Iterator[bytes]:
    """Members by the headers before them, and names, comments and members as the directory has them."""
    at, tried = -1, 0
    while (at := data.find(b"PK\3\4", at + 1)) >= 0 and tried < STREAMS:
        tried += 1
        head = data[at : at + 30]
        if len(head) < 30:
            return
        method = int.from_bytes(head[8:10], "little")
        body = at + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        if method == 8:
            yield _unpacked(zlib.decompressobj(-15), data[body:])
    with contextlib.suppress(Exception), zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist()[:STREAMS]:
            if member.file_size <= MOST:
                with contextlib.suppress(Exception):
                    yield archive.read(member)


def _tar_members(data: bytes) -> Iterator[bytes]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if (file := archive.extractfile(member) if member.isfile() else None) is not None:
                yield file.read(MOST)


def _sqlite_rows(data: bytes) -> Iterator[bytes]:
    if not data.startswith(b"SQLite format 3\0"):
        return
    db = sqlite3.connect(":memory:")
    with contextlib.closing(db):
        db.text_factory = bytes
        db.deserialize(data)
        for (name,) in db.execute("select name from sqlite_master where type in ('table', 'view')").fetchall():
            quoted = b'"' + name.replace(b'"', b'""') + b'"'
            with contextlib.suppress(Exception):
                yield _joined(db.execute((b"select * from " + quoted).decode()))


def _joined(rows: Iterable[tuple[object, ...]]) -> bytes:
    lines = []
    for row in rows:
        lines.append(b"\n".join(c if isinstance(c, bytes) else str(c).encode() for c in row if c is not None))
    return b"\n".join(lines)


def _columnar(data: bytes) -> Iterator[bytes]:
    """Cells and metadata of Parquet and Arrow, by pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if data[:4] == b"PAR1":
        table = pq.read_table(pa.BufferReader(data), use_threads=False)
    elif data[:6] == b"ARROW1":
        table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
    elif data[:4] == b"\xff\xff\xff\xff":
        table = pa.ipc.open_stream(pa.BufferReader(data)).read_all()
    else:
        return
    table.validate(full=True)  # or wrong places of cells would end the process
    cells = [str(cell) for row in table.to_pylist() for cell in row.values()]
    yield "\n".join([*cells, *table.column_names]).encode(errors="replace")
    said = [table.schema.metadata or {}, *(field.metadata or {} for field in table.schema)]
    yield b"\n".join(part for pairs in said for pair in pairs.items() for part in pair)


def _pdf_strings(data: bytes) -> Iterator[bytes]:
    """What streams of a PDF file hold, and strings in it: put together, and apart."""
    begun = [found.end() for found in re.finditer(rb"stream\r?\n", data)][:STREAMS]
    parts = [data, *(_unpacked(zlib.decompressobj(), data[at:]) for at in begun)]
    yield from parts[1:]
    codes = {pair[1]: bytes.fromhex(pair[2].decode()) for part in parts for pair in _PDF_CHARACTER.finditer(part)}
    for part in parts:
        strings = []
        for literal, coded in _PDF_STRING.findall(part):
            if literal:
                strings.append(re.sub(rb"\\(.)", rb"\1", literal, flags=re.DOTALL))
                continue
            known = [codes.get(coded[at : at + 4]) for at in range(0, len(coded), 4)]
            text = b"".join(known) if None not in known else bytes.fromhex(coded.decode())  # type: ignore[arg-type]
            is_wide = text.startswith(b"\xfe\xff") or None not in known
            strings.append(text.decode("utf-16", "replace").encode() if text.startswith(b"\xfe\xff") else
                           text.decode("utf-16-be", "replace").encode() if is_wide else text)  # fmt: skip
        yield b"".join(strings)
        yield b" ".join(strings)


def _avro_blocks(data: bytes) -> Iterator[bytes]:
    """What blocks hold that are packed as one deflate stream each, with a count and a size before it."""
    mark, at, tried = data[-16:], -1, 0
    while (at := data.find(mark, at + 1)) >= 0 and tried < STREAMS:
        tried += 1
        body = at + 16
        for _ in range(2):
            while data[body : body + 1] > b"\x7f":
                body += 1
            body += 1
        yield _unpacked(zlib.decompressobj(-15), data[body:])


def _json_texts(data: bytes) -> Iterator[bytes]:
    """The texts of a document, or of lines each of which is one; in any other text an escape is what it is."""
    with contextlib.suppress(UnicodeDecodeError, ValueError, RecursionError):
        text = data.decode("utf-8-sig")
        try:
            documents = [json.loads(text)]
        except ValueError:
            documents = [json.loads(line) for line in text.splitlines() if line.strip()]
        yield json.dumps(documents, ensure_ascii=False, indent=0).encode(errors="replace")
