"""Which encoding a text has, and its text as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import IO, BinaryIO, NamedTuple

from piiscan.errors import ReadError
from piiscan.io.content import Content, spool

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control bytes that text has no use for. Separators (Hive uses 1 to 3, ASCII 28 to 31) and a stray NUL, ESC or ^Z are not among them.
_CONTROLS = bytes((4, 5, 6, 8, *range(14, 26), 127))
_ASCII = frozenset(map(chr, range(128)))
_MIXED = "piiscan-mixed"


class Encoding(NamedTuple):
    """`name` as Python and the report call it. `lenient`: it was inferred, so bytes that don't fit are read as cp1252."""

    name: str
    lenient: bool

    @property
    def is_utf8(self) -> bool:
        return self.name in ("utf-8", "utf-8-sig")

    @property
    def errors(self) -> str:
        _register()
        return _MIXED if self.lenient and not self.name.startswith(("utf-16", "utf-32")) else "strict"


def detect(head: bytes, complete: bool, named: str | None = None) -> Encoding | None:
    """The encoding of a file that begins with `head`, None for binary content.

    `complete` says that `head` is all of it. `named` is what the user says; it must be a text codec Python knows.
    """
    if named is not None:
        try:
            codec = codecs.lookup(named)
            "".encode(codec.name)
        except LookupError:
            raise ReadError(f"unknown encoding {named!r}; use one that Python knows, such as utf-8 or cp1252") from None
        if codec.name in ("utf-8", "ascii") and head.startswith(codecs.BOM_UTF8):
            return Encoding("utf-8-sig", False)
        return Encoding(codec.name, False)
    for bom, name in _BOMS:
        if head.startswith(bom):
            return Encoding(name, True)
    wide = _without_bom(head)
    if wide:
        return Encoding(wide, True)
    if not looks_like_text(head):
        return None
    decoder = codecs.getincrementaldecoder("utf-8")
    try:
        decoder().decode(head, complete)
        return Encoding("utf-8", True)
    except UnicodeDecodeError:
        text = decoder("ignore").decode(head, complete)
    foreign = sum(map(text.count, set(text) - _ASCII))
    wrong = len(head) - len(text.encode())
    # An older encoding hardly ever makes valid UTF-8 by chance: where most is valid, a few bytes strayed in.
    return Encoding("utf-8" if 4 * wrong <= foreign else "cp1252", True)


def looks_like_text(head: bytes) -> bool:
    """Whether bytes could be a text in an encoding that extends ASCII; a stray NUL doesn't make a binary."""
    if not head:
        return True
    nuls = head.count(b"\0")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return (nuls <= 4 or nuls * 50 <= len(head)) and controls * 200 <= len(head)


def _without_bom(head: bytes) -> str | None:
    """UTF-16 or UTF-32 shows in where the zero bytes of its ASCII characters stand."""
    sample = head[: len(head) // 4 * 4][:4096]
    if len(sample) < 8 or sample.count(0) * 4 < len(sample):
        return None
    zeros = [sample[i::4].count(0) * 4 / len(sample) for i in range(4)]
    for name, wanted in (
        ("utf-32-le", (0, 1, 1, 1)),
        ("utf-32-be", (1, 1, 1, 0)),
        ("utf-16-le", (0, 1, 0, 1)),
        ("utf-16-be", (1, 0, 1, 0)),
    ):
        if all(zeros[i] > 0.7 if wanted[i] else zeros[i] < 0.3 for i in range(4)):
            try:
                text = codecs.getincrementaldecoder(name)().decode(sample)
            except UnicodeDecodeError:
                continue
            if sum(c.isprintable() or c in "\r\n\t" for c in text) >= 0.95 * len(text):
                return name
    return None


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
        except UnicodeDecodeError:
            return undecodable(encoding)
        target.write(text.encode("utf-8", "replace"))
        if not block:
            return None


def undecodable(encoding: Encoding) -> ReadError:
    return ReadError(f"not valid {encoding.name} from some row on; name its encoding with --encoding")


def _mixed(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8 (or undefined in cp1252) as cp1252, and the five that it lacks as Latin-1."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    text = "".join(bytes((b,)).decode("latin-1" if b in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else "cp1252") for b in wrong)
    return text, error.end


def _register() -> None:
    codecs.register_error(_MIXED, _mixed)
