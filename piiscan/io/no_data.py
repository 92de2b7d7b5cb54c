"""Kinds of content that hold no data: pictures, sound and video, fonts, programs.

Each is known by its structure, not by its first bytes alone: only what surely is one of them may be passed over.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Final

PICTURE: Final = "picture"
MEDIA: Final = "sound or video"
FONT: Final = "font"
PROGRAM: Final = "program"

Test = Callable[[bytes, int], bool]
"""Whether a content that begins with some bytes and has some size is of a kind."""


def no_data(head: bytes, size: int) -> str | None:
    """Which kind of content without data begins with `head` and is `size` bytes long; None for all others."""
    return next(
        (kind for magic, kind, test in _KINDS if head.startswith(magic) and test(head, size)), None
    ) or _with_offset(head, size)


def _with_offset(head: bytes, size: int) -> str | None:
    """The kinds whose first bytes say a length or a date."""
    if head[4:8] == b"ftyp" and _boxes(head, size):
        return PICTURE if head[8:12] in (b"heic", b"heix", b"mif1", b"avif", b"avis", b"crx ") else MEDIA
    if head[2:4] == b"\r\n" and _number(head, 4, "<I") in (0, 1, 3) and head[16:17] in (b"\xe3", b"\x63"):
        return PROGRAM  # compiled Python: two bytes of a version, flags, a date, then a code object
    if head[:1] == b"G" and size >= 564 and all(head[at : at + 1] == b"G" for at in (188, 376)) and b"\0" in head[:188]:
        return MEDIA
    return None


def _number(head: bytes, at: int, form: str) -> int:
    """A number at a place of the head; -1 where the head has ended."""
    width = struct.calcsize(form)
    return int(struct.unpack_from(form, head, at)[0]) if len(head) >= at + width else -1


def _always(head: bytes, size: int) -> bool:
    return True


def _gif(head: bytes, size: int) -> bool:
    """A screen descriptor, a table of colours, then an extension, an image or the end."""
    if head[4:6] not in (b"7a", b"9a") or len(head) < 14:
        return False
    colours = 3 * 2 ** ((head[10] & 7) + 1) if head[10] & 0x80 else 0
    return head[13 + colours : 14 + colours] in (b"!", b",", b";")


def _riff(order: str) -> Test:
    return lambda head, size: 0 <= size - 8 - _number(head, 4, order + "I") <= 1


def _bmp(head: bytes, size: int) -> bool:
    return (
        _number(head, 2, "<I") in (size, 0)
        and head[6:10] == bytes(4)
        and _number(head, 14, "<I") in (12, 40, 52, 56, 64, 108, 124)
    )


def _tiff(order: str) -> Test:
    return lambda head, size: 8 <= _number(head, 4, order + "I") < size


def _icons(head: bytes, size: int) -> bool:
    """Whether it is a count of pictures, and the place of each."""
    count = _number(head, 4, "<H")
    ends = [_number(head, 6 + 16 * i + 8, "<I") + _number(head, 6 + 16 * i + 12, "<I") for i in range(max(0, count))]
    return 0 < count < 1000 and all(22 <= end <= size for end in ends)


def _id3(head: bytes, size: int) -> bool:
    """A version, flags, a size of four times seven bits, and the name of a first frame."""
    if len(head) < 20 or head[3] not in (2, 3, 4) or head[4] or head[5] & 15 or max(head[6:10]) > 127:
        return False
    return re.match(rb"[A-Z0-9]{3,4}|\0{4}", head[10:14]) is not None


def _mp3(head: bytes, size: int) -> bool:
    """A frame, and another where the first ends (MPEG 1, layer 3)."""
    if len(head) < 4 or head[2] >> 4 in (0, 15) or head[2] >> 2 & 3 == 3:
        return False
    rates = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
    length = 144_000 * rates[(head[2] >> 4) - 1] // (44_100, 48_000, 32_000)[head[2] >> 2 & 3] + (head[2] >> 1 & 1)
    return head[length : length + 2] == head[:2]


def _woff(head: bytes, size: int) -> bool:
    return _number(head, 8, ">I") == size and head[14:16] == b"\0\0"


def _sfnt(head: bytes, size: int) -> bool:
    """A directory of tables that lie within the file."""
    count = _number(head, 4, ">H")
    if not 0 < count < 200 or len(head) < 12 + 16 * count:
        return False
    tables = [struct.unpack_from(">4sIII", head, 12 + 16 * i) for i in range(count)]
    return all(re.fullmatch(rb"[ -~]{4}", tag) and at + length <= size for tag, _, at, length in tables)


def _collection(head: bytes, size: int) -> bool:
    return (
        _number(head, 4, ">I") in (0x10000, 0x20000)
        and 0 < _number(head, 8, ">I") < 1000
        and _number(head, 12, ">I") < size
    )


def _boxes(head: bytes, size: int) -> bool:
    """The first box is of a length that leads to a second one."""
    length = _number(head, 0, ">I")
    second = head[length + 4 : length + 8]
    return 16 <= length <= 4096 and not length % 4 and (length == size or bool(re.fullmatch(rb"[a-z]{4}", second)))


def _windows(head: bytes, size: int) -> bool:
    """A program of Windows, where the header of DOS says that it lies."""
    at = _number(head, 60, "<I")
    return 64 <= at < size and (head[at : at + 4] == b"PE\0\0" or head[at : at + 2] in (b"NE", b"LE", b"LX"))


def _java_or_mach(head: bytes, size: int) -> bool:
    return 45 <= _number(head, 6, ">H") < 120 or 0 < _number(head, 4, ">I") < 30


def _static_library(head: bytes, size: int) -> bool:
    """Members of which the first is a table of symbols or an object file; Debian's packages are such archives, too."""
    return head[66:68] == b"`\n" and not head.startswith(b"!<arch>\ndebian-binary")


_KINDS: tuple[tuple[bytes, str, Test], ...] = (
    (b"\x89PNG\r\n", PICTURE, _always),
    (b"\xff\xd8\xff", PICTURE, lambda head, size: len(head) > 3 and head[3] >= 0xC0),
    (b"GIF8", PICTURE, _gif),
    (b"BM", PICTURE, _bmp),
    (b"II*\0", PICTURE, _tiff("<")),
    (b"MM\0*", PICTURE, _tiff(">")),
    (b"8BPS\0\1\0\0", PICTURE, _always),
    (b"\0\0\0\x0cjP  \r\n\x87\n", PICTURE, _always),
    (b"gimp xcf ", PICTURE, lambda head, size: head[13:14] == b"\0"),
    (b"\0\0\1\0", PICTURE, _icons),
    (b"\0\0\2\0", PICTURE, _icons),
    (b"RIFF", MEDIA, lambda head, size: head[8:12] != b"WEBP" and _riff("<")(head, size)),
    (b"RIFF", PICTURE, _riff("<")),
    (b"FORM", MEDIA, lambda head, size: head[8:12] in (b"AIFF", b"AIFC") and _riff(">")(head, size)),
    (b"ID3", MEDIA, _id3),
    (b"\xff\xfb", MEDIA, _mp3),
    (b"\xff\xfa", MEDIA, _mp3),
    (b"OggS\0", MEDIA, lambda head, size: head[5:6] == b"\2" and head[18:22] == bytes(4)),
    (b"fLaC", MEDIA, lambda head, size: head[4:8] in (b"\0\0\0\x22", b"\x80\0\0\x22")),
    (b"MThd\0\0\0\6", MEDIA, _always),
    (b"\x1aE\xdf\xa3", MEDIA, lambda head, size: b"matroska" in head[:64] or b"webm" in head[:64]),
    (b"0&\xb2u\x8ef\xcf\x11", MEDIA, _always),
    (b"FLV\1", MEDIA, lambda head, size: head[5:9] == b"\0\0\0\x09"),
    (b"\0\0\1\xba", MEDIA, lambda head, size: len(head) > 4 and (head[4] & 0xC4 == 0x44 or head[4] & 0xF1 == 0x21)),
    (b"wOFF", FONT, _woff),
    (b"wOF2", FONT, _woff),
    (b"OTTO", FONT, _sfnt),
    (b"\0\1\0\0", FONT, _sfnt),
    (b"true", FONT, _sfnt),
    (b"ttcf", FONT, _collection),
    (b"\x7fELF", PROGRAM, lambda head, size: head[4:5] in (b"\1", b"\2") and head[5:7] in (b"\1\1", b"\2\1")),
    (b"MZ", PROGRAM, _windows),
    (b"\xca\xfe\xba\xbe", PROGRAM, _java_or_mach),
    *(
        (magic, PROGRAM, _always)
        for magic in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf")
    ),
    (b"\0asm\1\0\0\0", PROGRAM, _always),
    (b"dex\n0", PROGRAM, lambda head, size: head[7:8] == b"\0"),
    (b"!<arch>\n", PROGRAM, _static_library),
)
