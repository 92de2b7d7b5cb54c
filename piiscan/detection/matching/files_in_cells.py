"""Cells that hold files of their own (pictures, documents, archives), as bytes or written in Base64 or hexadecimal.

No rule can look into them, so they are counted, and count as not scanned. Files are known from their magic numbers.
Sources: the specifications of the formats, and RFC 2397 for `data:` URLs.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.core.base64_texts import from_base64
from piiscan.detection.matching.canonical_cells import taken, texts_at

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detection.matching.column_ways import Index

PICTURES: Final = "pictures"
SOUND: Final = "sound or video"
DOCUMENTS: Final = "documents"
PACKED: Final = "archives or compressed data"
DATABASES: Final = "databases or tables"
BYTES: Final = "bytes of no kind that is known"
_ORDER: Final = (PICTURES, SOUND, DOCUMENTS, PACKED, DATABASES, BYTES)

_BEGINNINGS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", PICTURES),
    (b"GIF87a", PICTURES),
    (b"GIF89a", PICTURES),
    (b"II*\x00", PICTURES),
    (b"MM\x00*", PICTURES),
    (b"OggS\x00", SOUND),
    (b"fLaC\x00", SOUND),
    (b"FLV\x01", SOUND),
    (b"\x1aE\xdf\xa3", SOUND),
    (b"%PDF-", DOCUMENTS),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", DOCUMENTS),
    (b"PK\x03\x04", PACKED),
    (b"(\xb5/\xfd", PACKED),
    (b"\xfd7zXZ\x00", PACKED),
    (b'\x04"M\x18', PACKED),
    (b"7z\xbc\xaf'\x1c", PACKED),
    (b"Rar!\x1a\x07", PACKED),
    (b"PAR1\x15\x00", DATABASES),
    (b"ARROW1\x00", DATABASES),
    (b"Obj\x01", DATABASES),
    (b"SQLite format 3\x00", DATABASES),
)
_TAGGED: Final = re.compile(
    rb"RIFF.{4}(?:(?P<webp>WEBP)|WAVE|AVI )|\x00{3}.ftyp(?:(?P<heif>heic|heix|hevc|mif1|msf1|avif|avis)|[\x20-\x7e]{4})"
    rb"|ID3[\x02-\x04].[\x00-\x0f]|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<gzip>\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04])"
    rb"|(?P<jpeg>\xff\xd8\xff[\xc0\xc2\xc4\xdb\xdd\xe0-\xef\xfe])",
    re.DOTALL,
)
"""Three bytes alone are also what one of some million hashes begins with."""
_FIRST: Final = (b"RIFF", b"ID3", b"BZh", b"\xff\xd8\xff", b"\x1f\x8b\x08")
_LEAST_JPEG: Final = 100
"""Bytes of the smallest picture, which is longer than any hash."""
_ZLIB: Final = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_SHORTEST: Final = 24
"""Characters of the shortest cell that is looked at: less can't hold more than some letters, compressed."""
_HEAD: Final = 64
"""Bytes of a cell that tell what it is."""
_CONTROL: Final = "\x00-\x08\x0e-\x1f\x7f-\x9f"
_CONTROLS: Final = re.compile(f"[{_CONTROL}]".encode("latin-1"))
_MOST_OF_TEXTS: Final = 5
"""Different control characters in a text are fewer."""
_BLANKS: Final = " \t\r\n"
_IN_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}")
_SAFE: Final = str.maketrans("+/", "-_")
"""Base64 as it is in URLs (RFC 4648)."""
_IN_HEX: Final = re.compile(r"(?:\\x|0[xX]|[xX]')?([0-9a-fA-F]{32,})")
_URL: Final = re.compile(r"data:(image|audio|video|font|application)/([\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,", re.I)
_OF_URLS: Final = {"image": PICTURES, "audio": SOUND, "video": SOUND}
_TEXTS: Final = re.compile(r".*(?:json|xml|javascript|yaml|sql)", re.I)
_DRAWN: Final = re.compile(r"(?:.*\.)?outputs\[\]\.data\.image/[\w.+-]+")
_MOST_UNPACKED: Final = 1 << 16


def places(cells: pl.Series) -> Index:
    """Where cells may hold a file; all others hold none."""
    lengths = cells.str.len_bytes().to_numpy()
    index = np.flatnonzero(lengths >= _SHORTEST)
    if not len(index):
        return index
    are_few = 2 * len(index) < len(cells)
    may = (taken(cells, index) if are_few else cells).str.contains(_gate(bool(lengths.max() > _HEAD))).to_numpy()
    return index[may] if are_few else np.flatnonzero(may)


def count(cells: pl.Series, among: Index | None = None) -> dict[str, int]:
    """How many of some cells hold a file, by its kind. `among`: where they may, as `places` has it."""
    found = Counter(map(kind_of, texts_at(cells, places(cells) if among is None else among)))
    return {kind: found[kind] for kind in sorted(filter(None, found))}


def kind_of(text: str) -> str | None:
    """The kind of file that a cell holds, None for none."""
    text = text.lstrip(_BLANKS)
    if len(text) < _SHORTEST:
        return None
    if (url := _URL.match(text[:200])) is not None:
        return _of_url(url[1].lower(), url[2])
    raw = _raw(text)
    if raw is not None:
        return _known(raw, len(text)) or (_kind_of_bytes(raw) if len(text) > _HEAD else None)
    if (digits := _IN_HEX.match(text[: 2 * _HEAD + 3])) is not None:
        if digits[1].startswith("78") and (whole := _IN_HEX.match(text)) is not None:  # it may be compressed
            digits = whole
        if (kind := _known(bytes.fromhex(digits[1][: len(digits[1]) & ~1]), len(text) // 2)) is not None:
            return kind
    return _known(_of_base64(text), len(text) * 3 // 4)


def is_drawn(name: str | None) -> bool:
    """Whether a column of this name has the pictures that a notebook draws: plots, which its program makes again."""
    return name is not None and _DRAWN.fullmatch(name) is not None


def reason(found: Mapping[str, int], is_text: bool = False) -> str:
    """Why such cells count as not scanned. `is_text`: they are lines of a text."""
    n = sum(found.values())
    kinds = [kind for kind in _ORDER if kind in found]
    what = " or ".join((", ".join(kinds[:-1]), kinds[-1])) if len(kinds) > 1 else kinds[0]
    where = "line" if is_text else "cell"
    cells = f"1 {where} holds" if n == 1 else f"{n:,} {where}s hold"
    rest = "take them out" if is_text else "leave the column out"
    return f"{cells} {what}, which weren't read; export and scan them, or {rest}"


def _of_url(family: str, subtype: str) -> str | None:
    """The kind of a `data:` URL."""
    if family in _OF_URLS:
        return _OF_URLS[family]
    if family == "font" or "font" in subtype or _TEXTS.match(subtype):
        return None
    return DOCUMENTS


def _raw(text: str) -> bytes | None:
    """The bytes of a cell that was read as text although it is none; None where it is a text."""
    head = text[: _HEAD * 4]
    if not _has_control(head) and not head.startswith("%PDF-"):
        return None
    try:
        return (text if head.startswith("x") else head).encode("latin-1")
    except UnicodeEncodeError:
        return head.encode("utf-8", "surrogatepass")


def _has_control(text: str) -> bool:
    return re.search(f"[{_CONTROL}]", text) is not None


def _kind_of_bytes(raw: bytes) -> str | None:
    """What bytes are that begin as no file does.

    Shapes in well-known binary hold no text. Texts may have control characters as separators or colours, but few of
    them.
    """
    found = _CONTROLS.findall(raw)
    if _is_shape(raw) or (len(set(found)) < _MOST_OF_TEXTS and found.count(b"\x00") * 4 < len(raw)):
        return None
    return BYTES


def _is_shape(raw: bytes) -> bool:
    """Whether bytes are a shape in well-known binary (ISO 13249-3, and PostGIS' own flags)."""
    if raw[0] > 1:
        return False
    number = int.from_bytes(raw[1:5], "little" if raw[0] else "big") & 0x1FFFFFFF
    return 1 <= number % 1000 <= 17 and number // 1000 <= 3


def _of_base64(text: str) -> bytes:
    """The first bytes of a text in Base64; all of it where it may be compressed."""
    head = text[:4]
    part = "".join(text.split()) if head.startswith(("eJ", "eN", "eA", "eF")) else text[: _HEAD * 2]
    found = _IN_BASE64.match(part)
    return b"" if found is None else from_base64(found[0]) or b""


def _known(raw: bytes, size: int) -> str | None:
    """The kind of file of some `size` in bytes that begins so, None where no known one does."""
    for beginning, kind in _BEGINNINGS:
        if raw.startswith(beginning):
            return kind
    if (tagged := _TAGGED.match(raw)) is not None:
        if tagged["jpeg"]:
            return PICTURES if size >= _LEAST_JPEG else None
        if tagged["bzip2"] or tagged["gzip"]:
            return PACKED
        return PICTURES if tagged["webp"] or tagged["heif"] else SOUND
    return PACKED if raw.startswith(_ZLIB) and _is_compressed(raw) else None


def _is_compressed(raw: bytes) -> bool:
    """Whether bytes are compressed by zlib: the first of them alone may be those of any others."""
    unpacking = zlib.decompressobj()
    try:
        out = unpacking.decompress(raw, _MOST_UNPACKED)
    except zlib.error:
        return False
    return unpacking.eof or len(out) == _MOST_UNPACKED


@cache
def _gate(with_bytes: bool) -> str:
    """The regex of polars for cells that are looked at one by one: beginnings of files, and bytes of any kind."""
    beginnings = [*(one for one, _ in _BEGINNINGS), *_FIRST]
    hexed = [*(one.hex() for one in beginnings), "000000..66747970"]
    coded = [_sure_base64(one) for one in beginnings]
    within = r"\x00\x00\x00.ftyp", r"AAAA[A-Za-z0-9+/]{2}Z0eX[AB]"
    parts: tuple[str, ...] = (
        *(re.escape(one.decode("latin-1")) for one in beginnings),
        *map(re.escape, dict.fromkeys((*coded, *(one.translate(_SAFE) for one in coded)))),
        *within,
        "x[\x01\x5e\x80-\u009f\u00da]",
        "e(?:J[w-z]|No|AE|F4|F5|F6|F7)[A-Za-z0-9+/]",
        rf"(?i:\\x|0x|x')?(?i:{'|'.join(hexed)}|78(?:01|5e|9c|da))",
        "(?i:data:(?:image|audio|video|font|application)/)",
    )
    if with_bytes:
        parts = *parts, f"[^{_CONTROL}]{{0,15}}[{_CONTROL}]"
    return f"^[{_BLANKS}]*(?s:{'|'.join(parts)})"


def _sure_base64(raw: bytes) -> str:
    """The letters of Base64 that some bytes have at the beginning, whatever comes behind them."""
    return base64.b64encode(raw).decode()[: len(raw) * 8 // 6]
