"""Which encoding a text has, and its text as UTF-8."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable
from functools import cache
from typing import IO, BinaryIO, Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.content import HEAD_BYTES, Content, spool
from piiscan.io.encodings import ebcdic
from piiscan.io.encodings.survey import Survey, looks_like_text, survey

BOM_UTF8: Final = codecs.BOM_UTF8
_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MIXED: Final = "piiscan-mixed"
_JAPANESE: Final = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext", "iso2022_jp_2004")
_NARROW: Final = re.compile(rb"[\t\r\n\x20-\x7e]{24}")
"""What hardly ever stands in UTF-16 or UTF-32, whatever the script."""
_PACKED: Final = (
    b"\x1f\x8b\x08", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh", b"PAR1", b"ARROW1", b"Obj\x01",
    b"SQLite format 3\0", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
)  # fmt: skip
"""How archives, compressed files, binary tables and databases begin."""
_SHORT: Final = re.compile(rb"[\t\r\n\x20-\x7e]{12}")
_NARROW_PAIR: Final = re.compile(rb"[\t\r\n\x20-\x7e]{2}")
_ASCII: Final = "\t\n\r" + "".join(map(chr, range(0x20, 0x7F)))
_RARE_PAIR: Final = lazy_pattern("[\u2800-\u2fff\u3400-\u4dbf]")
"""Those that digits and marks make, and hardly any text has: Braille to radicals, and ideographs of extension A."""
_SHIFTED: Final = lazy_pattern("[" + "".join(chr(c << 8) for c in range(0x20, 0x7F)) + "]{8,}")
"""ASCII in UTF-16 of which a byte is missing, or has one too many: characters of one plane with nothing in their low
bytes."""
_TWICE: Final = re.compile("(?:[^\0]\0){8}")
"""Text in UTF-16 that a program took for one of a byte a character, and encoded again."""
_RUN: Final = re.compile("[^\x00-\x7f]+")
_AS_CP1252: Final = re.compile(rb"\xc3[\x82-\xb4][\x80-\xff]")
"""Of UTF-8 that a program took for cp1252, the first byte of a letter, and the next; to look for it takes no time."""
_NO_LIMIT: Final = 1 << 62


class Encoding(NamedTuple):
    """`name` as Python and the report call it.

    `lenient`: it was inferred, so stray bytes that don't fit are read as cp1252.

    `note`: what the report says of another encoding that fits nearly as well. `doubt`: why not all of the content can
    be a text in this one.
    """

    name: str
    lenient: bool
    note: str | None = None
    doubt: str | None = None

    @property
    def is_utf8(self) -> bool:
        return self.name in ("utf-8", "utf-8-sig")

    @property
    def errors(self) -> str:
        _register()
        return _MIXED if self.lenient and (self.is_utf8 or self.name == "cp1252") else "strict"


def detect(content: Content, head: bytes, named: str | None = None, whole: bool = True) -> Encoding | None:
    """The encoding of a content that begins with `head`, None for binary content.

    Reads all of it, unless it isn't asked for `whole`.

    `named` is what the user says; it must be a text codec Python knows. Raises `ReadError` where no part can be read as
    text.
    """
    if named is not None:
        return _named(named, head)
    most = _NO_LIMIT if whole else len(head)
    if not whole:
        head = head[:HEAD_BYTES]
    if head.startswith(BOM_UTF8):
        return _legacy_or_utf8(content, len(BOM_UTF8), "utf-8-sig", most)
    for mark, name in _BOMS:
        if head.startswith(mark):
            return _wide(content, head, len(mark), name)
    wide = _without_bom(head)
    if wide:
        return _wide(content, head, 0, wide)
    page = ebcdic.page_of(head if not whole or head.strip(ebcdic.BLANK) else content.head(1 << 20))
    if page:
        return Encoding(page, False, doubt=_all_of(content, ebcdic.is_all, "EBCDIC"))
    return _legacy_or_utf8(content, 0, "utf-8", most) if looks_like_text(head) else None


def _named(named: str, head: bytes) -> Encoding:
    try:
        codec = codecs.lookup(named)
        "".encode(codec.name)
    except LookupError:
        raise ReadError(f"unknown encoding {named!r}; use one that Python knows, such as utf-8 or cp1252") from None
    if codec.name in ("utf-8", "ascii") and head.startswith(BOM_UTF8):
        return Encoding("utf-8-sig", False)
    return Encoding(codec.name, False)


def _wide(content: Content, head: bytes, mark: int, name: str) -> Encoding:
    """UTF-16 or UTF-32, where what follows the byte order mark is not something else."""
    rest = head[mark:]
    if mark and len(rest) > 3 and b"\0" not in rest and looks_like_text(rest) and _is_valid(rest, "utf-8"):
        raise ReadError(f"a byte order mark of {name} before text that isn't {name}; remove its first {mark} bytes")
    if mark and rest.startswith(_PACKED):
        raise ReadError(f"a byte order mark of {name} before packed data; remove its first {mark} bytes")
    if mark and ebcdic.page_of(rest):
        raise ReadError(f"a byte order mark of {name} before EBCDIC; remove its first {mark} bytes")
    order = ("utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) else "utf-16-le") if name == "utf-16" else name
    doubt = _all_of(content, lambda data: _is_wide(data, order), name)
    if doubt is None and mark:
        from piiscan.io.encodings.guess import is_implausible

        text = rest[: 1 << 16].decode(order, "ignore")
        if not any(map(str.isascii, text)) and is_implausible(text, name):
            doubt = f"its letters make no sense in {name}; name its encoding with --encoding"
    return Encoding(name, False, doubt=doubt)


def _is_wide(data: bytes, name: str) -> bool:
    """Whether a part of a content could be UTF-16 or UTF-32, judged by characters that hardly ever occur in it.

    The part begins where a character does. Text of one byte a character, or of two bytes misaligned by one, has many.
    """
    if _NARROW.search(data):
        return False
    if not name.startswith("utf-16"):
        return True
    text = data.decode(name, "replace")
    if _SHORT.search(data) and (
        _pairs_prevail(data, name) or any(_RARE_PAIR.search(run[0]) for run in _pairs().finditer(text))
    ):
        return False
    return not _TWICE.search(text) and all(len(set(run[0])) < 3 for run in _SHIFTED.finditer(text))


@cache
def _pairs() -> re.Pattern[str]:
    """What two ASCII characters each make in UTF-16, as long as `_SHORT`."""
    return re.compile(f"[{''.join(chr(ord(a) << 8 | ord(b)) for a in _ASCII for b in _ASCII)}]{{6,}}")


def _pairs_prevail(data: bytes, name: str) -> bool:
    """Whether ideographs that two ASCII characters make outnumber what chance gives beside others."""
    pairs = others = 0
    for char in filter(lambda char: char > "\u2000", data.decode(name, "ignore")):
        is_pair = len(char.encode(name)) == 2 and _NARROW_PAIR.fullmatch(char.encode(name)) is not None
        pairs += is_pair
        others += not is_pair
    return pairs > 2 * others


def _all_of(content: Content, test: Callable[[bytes], bool], name: str) -> str | None:
    """Why a content is not all in an encoding that a test of its parts is for."""
    at = 0
    with content.open() as stream:
        while block := stream.read(1 << 16):
            if not test(block):
                return (
                    f"not {name} from about byte {at:,} on; make two files of it, or name its encoding with --encoding"
                )
            at += len(block)
    return None


def _legacy_or_utf8(content: Content, start: int, name: str, most: int) -> Encoding:
    with content.open() as stream:
        stream.seek(start)
        found = survey(stream, most)
    doubt = None
    if found.binary is not None:
        doubt = f"not text, or UTF-16, from about byte {found.binary:,} on; make two files of it"
    if found.is_utf8:
        if found.shifts and (japanese := next((j for j in _JAPANESE if _is_whole(content, j)), None)):
            return Encoding(japanese, False, doubt=doubt)
        return Encoding(name, True, doubt=doubt or _mojibake(content, found))
    if found.valid >= found.wrong or start:
        # Older encodings hardly ever make valid UTF-8 by chance. A few bytes strayed in, or much of another text.
        if 4 * found.bytes_dense > found.bytes_wrong:
            doubt = doubt or f"text in {name} and in another encoding; convert all of it to UTF-8"
        return Encoding(name, True, doubt=doubt)
    return _legacy(content, found, doubt)


def _legacy(content: Content, found: Survey, doubt: str | None) -> Encoding:
    """The first of the encodings that its odd lines may be in which all of the content is valid in."""
    from piiscan.io.encodings.guess import guess, is_implausible

    guessed = guess(found)
    name = next((name for name in guessed.names if name == "cp1252" or _is_whole(content, name)), "cp1252")
    if guessed.is_odd or is_implausible(found.sample.decode(name, "replace"), name):
        doubt = (
            doubt or f"its letters make no sense in {name}, nor in another encoding; name its encoding with --encoding"
        )
    if found.valid > 1 and 10 * found.valid > found.wrong:
        doubt = doubt or f"text in UTF-8 and in {name}; convert all of it to UTF-8"
    other = guessed.second if name == guessed.names[0] else None
    note = f"read as {name}; {other} fits nearly as well: choose with --encoding" if other else None
    return Encoding(name, name == "cp1252", note, doubt)


def _mojibake(content: Content, found: Survey) -> str | None:
    """Why UTF-8 may be the result of decoding another encoding wrongly; None where it isn't.

    That is the case where most of its letters are UTF-8 read as cp1252.
    """
    if not found.valid or not _AS_CP1252.search(head := content.head()):
        return None
    runs = _RUN.findall(head.decode("utf-8", "ignore"))
    twice = [text for run in runs if (text := _undone(run)) is not None]
    if len(twice) < 3 or 2 * len(twice) < len(runs) or not any(map(str.isalpha, "".join(twice))):
        return None
    return "its letters are UTF-8 that a program took for cp1252; undo that, and scan it again"


def _undone(run: str) -> str | None:
    """A run of letters as it was before a program took its UTF-8 for cp1252."""
    try:
        return run.encode("cp1252").decode("utf-8") if len(run) > 1 else None
    except UnicodeError:
        return None


def _is_valid(data: bytes, name: str) -> bool:
    try:
        codecs.getincrementaldecoder(name)().decode(data, False)
    except UnicodeDecodeError:
        return False
    return True


def _is_whole(content: Content, name: str) -> bool:
    """Whether all of a content is valid in an encoding."""
    decoder = codecs.getincrementaldecoder(name)()
    with content.open() as stream:
        try:
            while block := stream.read(1 << 20):
                decoder.decode(block)
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            return False
    return True


def _without_bom(head: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 by the positions of the zero bytes of its ASCII characters.

    Spaces and line ends are such characters in any script.
    """
    sample = head[: len(head) // 4 * 4][: 1 << 16]
    if len(sample) < 8:
        return None
    zeros = [sample[i::4].count(0) * 4 / len(sample) for i in range(4)]
    if not any(zeros):
        return None
    few, many = 0.1 * max(zeros), 0.01
    for name, empty in (("utf-32-le", (3,)), ("utf-32-be", (0,)), ("utf-16-le", (1, 3)), ("utf-16-be", (0, 2))):
        wide = name.startswith("utf-32")
        if not all(zeros[i] > (0.99 if wide else many) for i in empty):
            continue
        if not wide and any(zeros[i] > max(few, 0.001) for i in range(4) if i not in empty):
            continue
        try:
            text = codecs.getincrementaldecoder(name)().decode(sample)
        except UnicodeDecodeError:
            continue
        if sum(char.isprintable() or char in "\r\n\t\u3000\xa0" for char in text) >= 0.98 * len(text) and _has_words(
            text, sample
        ):
            return name
    return None


def _has_words(text: str, sample: bytes) -> bool:
    """Whether a text that has zero bytes isn't ASCII or UTF-8 with a few strays."""
    return 4 * sample.count(0) >= len(sample) or not (looks_like_text(sample) and _is_valid(sample, "utf-8"))


def open_text(content: Content, encoding: Encoding, newline: str | None = "") -> io.TextIOWrapper:
    """The text of `content`; `newline` as in `open`."""
    return io.TextIOWrapper(content.open(), encoding.name, encoding.errors, newline)


def as_utf8(content: Content, encoding: Encoding) -> tuple[Content, ReadError | None]:
    """`content` as UTF-8 in a temporary file, and the error that ended it early (the text up to there is kept)."""
    target = spool()
    with content.open() as stream:
        error = _transcode(stream, target, encoding)
    target.flush()
    return Content.temporary(content.source, target, content.compression), error


def _transcode(stream: BinaryIO, target: IO[bytes], encoding: Encoding) -> ReadError | None:
    decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
    while True:
        block = stream.read(1 << 20)
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            target.write(_until(error, encoding))
            return undecodable(encoding)
        target.write(text.encode("utf-8", "replace"))
        if not block:
            return None


def _until(error: UnicodeDecodeError, encoding: Encoding) -> bytes:
    """The text of a block up to where it can't be decoded, or nothing where what came before it matters, too."""
    try:
        return error.object[: error.start].decode(encoding.name.removesuffix("-sig")).encode()
    except UnicodeError:
        return b""


def undecodable(encoding: Encoding) -> ReadError:
    return ReadError(f"not valid {encoding.name} from some row on; name its encoding with --encoding")


def _mixed(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that aren't UTF-8 as cp1252, and the five that it lacks as Latin-1."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    text = "".join(bytes((b,)).decode("latin-1" if b in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else "cp1252") for b in wrong)
    return text, error.end


def _register() -> None:
    codecs.register_error(_MIXED, _mixed)
