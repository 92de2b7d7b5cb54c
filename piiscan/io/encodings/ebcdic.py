"""EBCDIC: the codecs that Python lacks, and which of four code pages a content is in.

IBM's text has two line ends: 0x25, which Python's codecs read as a line feed, and 0x15, which they read as U+0085. A
name that ends in `-nel` has the two the other way round, as ICU's `swaplfnl` does.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from typing import Any, Final

from piiscan.core.errors import ReadError
from piiscan.core.lazy_pattern import lazy_pattern

_PAGES: Final = ("cp037", "cp1047", "cp500", "cp273")
_BRACKETS_1047: Final = ((0xAD, 0xBA), (0xBD, 0xBB), (0x5F, 0xB0))
"""Where code page 1047 differs from 037: [ ] ^ and the signs in their places."""
_NEW_LINE, _LINE_FEED = 0x15, 0x25
_ASCII: Final = bytes(filter(lambda byte: bytes((byte,)).isalnum(), range(128)))
_SAMPLE: Final = 1 << 14
_ODD: Final = lazy_pattern(r"[¢¬¦§¨´¸¯±µ¶·¹²³ºª«»¤©®¼½¾×÷£¥°¿¡]|(?<=[a-zA-Z])(?:[{}~!|\[\]^]|\\(?![nrt]))(?=[a-zA-Z])")
"""Signs that names and addresses hardly have, and brackets within words, but for escapes."""


@cache
def _table(name: str) -> str | None:
    """The characters of all 256 bytes in a code page, None for one that isn't here."""
    page, _, ends = name.replace("-", "_").partition("_")
    if page not in _PAGES or ends not in ("", "nel") or (page != "cp1047" and not ends):
        return None
    chars = list(bytes(range(256)).decode("cp037" if page == "cp1047" else page))
    if page == "cp1047":
        for one, other in _BRACKETS_1047:
            chars[one], chars[other] = chars[other], chars[one]
    if ends:
        chars[_NEW_LINE], chars[_LINE_FEED] = chars[_LINE_FEED], chars[_NEW_LINE]
    return "".join(chars)


def _codec(name: str) -> codecs.CodecInfo | None:
    table = _table(name)
    if table is None:
        return None
    back = codecs.charmap_build(table)

    class Encoder(codecs.IncrementalEncoder):
        def encode(self, input: str, final: bool = False) -> bytes:  # noqa: A002
            return codecs.charmap_encode(input, self.errors, back)[0]

    class Decoder(codecs.IncrementalDecoder):
        def decode(self, input: Any, final: bool = False) -> str:  # noqa: A002
            return codecs.charmap_decode(input, self.errors, table)[0]

    return codecs.CodecInfo(
        lambda text, errors="strict": codecs.charmap_encode(text, errors, back),
        lambda data, errors="strict": codecs.charmap_decode(data, errors, table),
        incrementalencoder=Encoder,
        incrementaldecoder=Decoder,
        name=name.replace("_", "-"),
    )


codecs.register(_codec)

_SMALL: Final = re.compile(rb"[\x2d-\x39\x40\x5f\x61-\x7a]{10,}")
_MANY: Final = 4


BLANK: Final = bytes((_NEW_LINE, _LINE_FEED))
"""What blank lines are; ASCII has a percent sign there."""


def page_of(head: bytes) -> str | None:
    """The code page of a content that begins with `head`, None where it isn't EBCDIC.

    Raises `ReadError` for records without line ends.
    """
    sample = head.lstrip(BLANK)[:_SAMPLE]
    if len(sample) < 8 or 2 * (len(sample) - len(sample.translate(None, _ASCII))) > len(sample):
        return None
    text = sample.decode("cp500")
    plain = sum((char.isascii() and char.isprintable()) or char in "\t\r\n\x85" for char in text)
    letters = sum((char.isascii() and char.isalnum()) or char == " " for char in text)
    if 20 * plain < 17 * len(sample) or 2 * letters < len(sample):
        return None
    ends = head.count(_NEW_LINE), head.count(_LINE_FEED)
    if not any(ends):
        raise ReadError("EBCDIC in records without line ends; convert it to text with line ends")
    page = min(_PAGES, key=lambda name: len(_ODD.findall(head.decode(name))))
    return f"{page}-nel" if ends[0] > ends[1] else page


def _controls(data: bytes) -> int:
    """Bytes that EBCDIC has as controls, line ends and tabs left out."""
    return sum(map(data.count, (bytes((b,)) for b in range(0x40) if b not in (0x05, 0x0D, _NEW_LINE, _LINE_FEED))))


def is_all(data: bytes) -> bool:
    """Whether a part of a content in EBCDIC is EBCDIC, too, with no words of ASCII in it."""
    return _controls(data) * 100 <= len(data) and not any(map(_is_ascii, _SMALL.findall(data)))


def _is_ascii(run: bytes) -> bool:
    """Whether bytes that are small letters of ASCII are many letters with accents in EBCDIC, as no word has."""
    accents = [b for b in run if 0x62 <= b <= 0x69 or 0x70 <= b <= 0x78]
    return len(accents) >= _MANY and len(set(accents)) >= _MANY
