"""Mail whose parts are encoded: messages (RFC 5322, MIME), mailboxes (mbox) and web archives (MHTML).

What is in Base64 or quoted-printable can't be found in the lines of the file, so messages are taken apart: headers and
texts, decoded, are the lines of one table, and what is attached is read as the members of an archive are. Mail in which
nothing is encoded is a text like any other.
"""

from __future__ import annotations

import mimetypes
import quopri
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field, Found, NotScanned, TableInfo
from piiscan.io.archives.unpacking import copied
from piiscan.io.content import Content, ReadContent, ReadTable, describe
from piiscan.io.delimited import lines
from piiscan.io.documents import html_text
from piiscan.io.documents.beside import Unparsed
from piiscan.io.encodings.transfer import decoded, from_base64
from piiscan.io.printed_names import Members
from piiscan.io.read_options import Budget, ReadOptions

if TYPE_CHECKING:
    import polars as pl

FORMAT: Final = "mail"
_BLOCK: Final = 1 << 20
_ENCODED: Final = re.compile(
    rb"^content-transfer-encoding:\s{0,20}[\"']?(?!7bit|8bit|binary)[!-~]|=\?[\w*-]{1,40}\?[bq]\?", re.I | re.M
)
_LONGEST: Final = 128
_ATTACHES: Final = re.compile(
    rb"^content-type:\s{0,20}(?!text/|multipart/|message/)[!-~]|\bname\*?\d{0,2}\*?\s{0,4}="
    rb"|^content-transfer-encoding:\s{0,20}[\"']?(?!7bit|8bit|binary|quoted-printable)[!-~]",
    re.I | re.M,
)
"""Messages in which something is attached, or can be damaged, contain this."""
_WIDE: Final = re.compile("(?:\0[ -~]){4}|(?:[ -~]\0){4}")
_DAMAGED: Final = "a part of it can't be decoded; export it with its program"
_PLAIN: Final = frozenset(("", "7bit", "8bit", "binary"))


def is_encoded(content: Content) -> bool:
    """Whether something in a content, which begins as mail does, is encoded."""
    return content.contains(_ENCODED, _LONGEST)


def tables(content: Content, options: ReadOptions, read: ReadContent, budget: Budget, depth: int) -> Iterator[Found]:
    """The table of headers and texts, then what is found in attachments. `read`: reads one. Raises `ReadError`."""
    info = TableInfo(content.source, None, FORMAT, False, (Field("text"),), describe(content))
    yield ReadTable(info, partial(_frames, content, options), options.rows)
    names = Members(content.source, options.rules)
    for number, raw in enumerate(_messages(content), 1):
        if _ATTACHES.search(raw) is None:
            continue
        for part in _parts(_parsed(raw)):
            if part.is_damaged:
                yield NotScanned(content.source, f"message {number:,}: {_DAMAGED}")
            elif part.is_attached:
                name, found = names.printed(part.name(number))
                yield from found
                budget.member()
                file, _ = copied([part.data], max(1, part.size), budget)
                yield from read(Content.temporary(f"{content.source}!{name}", file), False, options, budget, depth)


def _frames(content: Content, options: ReadOptions) -> Iterator[pl.DataFrame | Batch]:
    wide = 0

    def texts() -> Iterator[str]:
        nonlocal wide
        for raw in _messages(content):
            for part in _parts(_parsed(raw)):
                for line in part.lines():
                    wide += "\0" in line and _WIDE.search(line) is not None
                    yield line

    yield from lines.batched(lines.pieces(texts(), options.limits.line_chars), options)
    content.read_whole()
    if wide:
        what = "1 line holds" if wide == 1 else f"{wide:,} lines hold"
        raise ReadError(f"{what} text in UTF-16, which wasn't read; export it with its program")


def _messages(content: Content) -> Iterator[bytes]:
    """The messages of a mailbox; a file that isn't one is one message. Raises `ReadError` for one that is too large."""
    most = min(shares.document() // 8, 64 << 20)
    message: list[bytes] = []
    size, is_blank = 0, True
    with content.open() as stream:
        is_mailbox = stream.read(8).lstrip().startswith(b"From ")
        stream.seek(0)
        while line := stream.readline(_BLOCK):
            if is_mailbox and is_blank and line.startswith(b"From "):
                if message:
                    yield b"".join(message)
                message, size = [], 0
            is_blank = not line.strip()
            size += len(line)
            if size > most:
                raise ReadError(f"mail with a message above {most >> 20} MiB; save its attachments on their own")
            message.append(line)
    if message:
        yield b"".join(message)


class _Message(Message):
    """A message that keeps its content as it is in the file: `get_payload` replaces what isn't of its charset."""

    text: str = ""

    def set_payload(self, payload: Any, charset: Any = None) -> None:
        self.text = payload if isinstance(payload, str) else ""
        super().set_payload(payload, charset)


def _parsed(raw: bytes) -> Message:
    if raw.startswith(b"From "):  # the line of the mailbox names sender and time, as headers do
        line, _, raw = raw.partition(b"\n")
        raw = b"X-From-Line: " + line.strip() + b"\n" + raw.removeprefix(b">")
    return BytesParser(_Message, policy=compat32).parsebytes(raw)


class _Part(NamedTuple):
    """A part of a message with its headers. `data`: its content, decoded, of `size` bytes before that."""

    message: Message
    is_attached: bool
    data: bytes
    size: int
    is_damaged: bool
    position: int

    def name(self, number: int) -> str:
        """What the attachment of a message is called."""
        name = _text_of_header(self.message.get_filename() or "").replace("\\", "/").rpartition("/")[2].strip()
        if not name:
            name = f"part {self.position}" + (mimetypes.guess_extension(self.message.get_content_type()) or "")
        return name if number == 1 else f"{number}/{name}"

    def lines(self) -> Iterator[str]:
        """The lines of headers and, where nothing is attached, of the text."""
        message = self.message
        for key, value in message.raw_items():
            yield f"{key}: {_text_of_header(value)}"
        for around in (message.preamble, message.epilogue):
            yield from (around or "").splitlines()
        if self.is_attached or message.is_multipart():
            return
        text = decoded(self.data, message.get_content_charset())
        if message.get_content_subtype() == "html":
            try:
                page = html_text.parsed(text)
            except Unparsed:
                pass
            else:
                yield from page.lines
                for table in page.tables:
                    yield from ("\t".join(row) for row in ([table.header] if table.header else []) + table.rows)
                yield from page.markup
                return
        yield from text.splitlines()


def _parts(message: Message) -> Iterator[_Part]:
    """The parts in order, those of messages within messages too."""
    for position, part in enumerate(message.walk(), 1):
        if part.is_multipart():
            yield _Part(part, False, b"", 0, False, position)
            continue
        encoding = str(part.get("content-transfer-encoding") or "").strip("\"' ").lower()
        raw = part.text.encode("ascii", "surrogateescape") if isinstance(part, _Message) else b""
        data, is_damaged = _unpacked(raw, encoding)
        is_attached = bool(part.get_filename()) or part.get_content_maintype() != "text"
        yield _Part(part, is_attached, data, len(raw), is_damaged, position)


def _unpacked(raw: bytes, encoding: str) -> tuple[bytes, bool]:
    """The content of a part, and whether there is something that can't be decoded."""
    if encoding in _PLAIN:
        return raw, False
    if encoding == "quoted-printable":
        return quopri.decodestring(raw), False
    if encoding == "base64":
        data = from_base64(raw)
        return (raw, True) if data is None else (data, False)
    return raw, True


def _text_of_header(value: object) -> str:
    """A header on one line, its encoded words decoded."""
    text = str(value).encode("utf-8", "surrogateescape")
    line = " ".join(decoded(text, None).splitlines())
    if "=?" not in line:
        return line
    try:
        return str(make_header(decode_header(line)))
    except (MessageError, LookupError, ValueError):
        return line
