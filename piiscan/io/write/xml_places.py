"""Where each value of XML is in the file, and what takes its place: records as they were read, with places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import ReadError, WriteError
from piiscan.io.documents.xml_files import TAG, Builder, Element, Place, new_parser
from piiscan.io.nested.records import Record
from piiscan.io.write.divided_text import DividedText

_EMPTY: Final = "<![CDATA[]]>"
"""A text that was emptied, where its tags have to be read as those of a text still."""
_IMPOSSIBLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONG: Final = "a text with tags in it that doesn't fit into memory; allow more with --memory"
_PER_PLACE: Final = 256
"""Bytes of memory that it takes to know where a text or a tag is."""
_ATTRIBUTE: Final = re.compile(rb"(?<=\s)([^\s=<>\"'/]+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")


class Marks(NamedTuple):
    """How text is written in a file.

    `encodable`: gives a text in which characters that the file can't hold are references. `has_doctype`: what looks
    like an entity would be taken for one, in CDATA sections too.
    """

    encodable: Callable[[str], str]
    has_doctype: bool

    def text(self, value: str) -> str:
        """A value between tags."""
        value = _possible(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return self.encodable(value.replace("\r", "&#13;"))

    def attribute(self, value: str, quote: str) -> str:
        """A value between quotes."""
        value = self.text(value).replace("\n", "&#10;").replace("\t", "&#9;")
        return value.replace(quote, "&quot;" if quote == '"' else "&apos;")

    def section(self, value: str) -> str:
        """A value in a CDATA section, which ends and begins again where something can't stand in one."""
        value = _possible(value).replace("]]>", "]]]]><![CDATA[>")
        apart = "\r&" if self.has_doctype else "\r"
        if self.encodable(value) == value and not any(char in value for char in apart):
            return value
        return "".join(
            f"]]>{self.text(char)}<![CDATA[" if char in apart or self.encodable(char) != char else char
            for char in value
        )


def _possible(text: str) -> str:
    if _IMPOSSIBLE.search(text):
        raise WriteError("a new value has characters that XML can't hold; choose other values")
    return text


class Span:
    """Bytes of the file that change, from `start` to `end` (-1: not known yet)."""

    __slots__ = ("end", "start")

    def __init__(self, start: int) -> None:
        self.start, self.end = start, -1

    def written(self, raw: bytes, marks: Marks) -> bytes:
        """The bytes that take their place: none of them, for a row that is left out."""
        return b""


class Tag(Span):
    """The tag at which an element begins. `new`: of its attributes."""

    __slots__ = ("new",)

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.new: dict[str, str] = {}

    def written(self, raw: bytes, marks: Marks) -> bytes:
        new = {name.encode(): value for name, value in self.new.items()}

        def attribute(found: re.Match[bytes]) -> bytes:
            if (value := new.get(found[1])) is None:
                return found[0]
            quote = found[3][:1].decode()
            return found[1] + found[2] + f"{quote}{marks.attribute(value, quote)}{quote}".encode()

        return _ATTRIBUTE.sub(attribute, raw)


class Part(Span):
    """Text between two tags, comments, instructions or ends of CDATA sections.

    `is_section`: within a CDATA section; `place`: of the element that it is in; `stays_text`: even if it is empty, it
    is to be read as a text.
    """

    __slots__ = ("is_section", "new", "place", "stays_text")

    def __init__(self, start: int, is_section: bool, place: Place) -> None:
        super().__init__(start)
        self.is_section, self.place = is_section, place
        self.new = ""
        self.stays_text = False

    def written(self, raw: bytes, marks: Marks) -> bytes:
        new = marks.section(self.new) if self.is_section else marks.text(self.new)
        if b"\r\n" in raw:
            new = new.replace("\n", "\r\n")
        if self.stays_text and not self.is_section:
            new += _EMPTY
        return new.encode()


class Piece(str):
    """A piece of text, and its place."""

    __slots__ = ("part",)
    part: Part


class Text(str):
    """The text of an element. `version`: 1 where tags divide words and this is the text with spaces there."""

    __slots__ = ("version", "words")
    words: Words
    version: int


class Attribute(str):
    """The value of an attribute of a tag."""

    __slots__ = ("name", "tag")
    tag: Tag
    name: str


class Words:
    """The text of an element, in its parts.

    `needs_mark`: where nothing is left of it, it would be read as no text at all.
    """

    __slots__ = ("_changes", "_groups", "_mixed", "_needs_mark", "_pieces")

    def __init__(self, element: Element) -> None:
        self._mixed = element.place if element.place.is_mixed else None
        self._needs_mark = self._mixed is not None or bool(element.pairs)
        self._pieces: list[Piece] = []
        self._groups: list[int] = []
        self._changes: dict[int, str] = {}
        group = 0
        for piece in element.flow:
            if piece == TAG:
                group += 1
            elif isinstance(piece, Piece):
                self._pieces.append(piece)
                self._groups.append(group)

    def change(self, version: int, new: str) -> None:
        """Note what one version of the text becomes."""
        self._changes[version] = new

    def spans(self) -> Iterator[Part]:
        """The parts that change, with what is new in them."""
        filled = [i for i, piece in enumerate(self._pieces) if not piece.isspace()]
        new = self._new(filled)
        parts = [piece.part for piece in self._pieces]
        own = [i for i in filled if parts[i].place is self._mixed] or filled
        if self._needs_mark and all(_is_blank(new[i]) for i in own):
            parts[own[0]].stays_text = True
        for part, text in zip(parts, new, strict=True):
            if text is not None:
                part.new = text
                yield part

    def _new(self, filled: Sequence[int]) -> list[str | None]:
        whole = next(iter(self._changes.values())).strip()
        if self._mixed is not None and len(filled) > 1 and any(self._changes.values()):
            if sum(map(len, self._pieces)) > shares.row() // 16:
                raise ReadError(_LONG)
            text = DividedText(self._pieces, self._groups)
            for version in sorted(self._changes, reverse=True):
                text.replace(self._changes[version], apart=version > 0)
            new = text.pieces()
            if len(self._changes) > 1 or _joined(self._pieces, new) == whole.split():
                return new
        new = [None] * len(self._pieces)
        for i in filled:
            piece = self._pieces[i]
            before, behind = piece[: len(piece) - len(piece.lstrip())], piece[len(piece.rstrip()) :]
            new[i] = before + ("" if i > filled[0] else whole) + behind
        return new


def _is_blank(text: str | None) -> bool:
    return text is not None and not text.strip()


def _joined(pieces: Sequence[str], new: Sequence[str | None]) -> list[str]:
    """The words of a text with new pieces."""
    return "".join(old if text is None else text for old, text in zip(pieces, new, strict=True)).split()


class PlacedElement(Element):
    """An element whose values know where they stand."""

    __slots__ = ()

    def texts(self) -> list[str]:
        """As of other elements, with places."""
        made: list[str] = []
        found = super().texts()
        words = Words(self) if found else None
        for version, text in enumerate(found):
            placed = Text(text)
            placed.words, placed.version = words, version  # type: ignore[assignment]
            made.append(placed)
        return made


class PlacedRecords(Builder):
    """Passes records whose values have places to `take`; with their place, and with the span of their element.

    `safe`: up to where bytes of the file can be in no record that is still to come.
    """

    element = PlacedElement

    def __init__(self, root: Place, take: Callable[[Place, Record, Span], None]) -> None:
        super().__init__(root)
        self._take = take
        self._at = 0
        self._tag: Tag | None = None
        self._part: Part | None = None
        self._texts: list[str] = []
        self._in_section = False
        self._row_span = Span(0)
        self._row_span.end = 0
        self.parser = new_parser(
            {
                "StartElementHandler": self.start,
                "EndElementHandler": self.end,
                "CharacterDataHandler": self.characters,
                "StartCdataSectionHandler": self.section,
                "EndCdataSectionHandler": self.end_section,
                "CommentHandler": self._mark,
                "ProcessingInstructionHandler": self._mark,
            }
        )

    @property
    def safe(self) -> int:
        return self._row_span.start if self._row is not None or self._row_span.end < 0 else self._at

    def _mark(self, *_: Any) -> None:
        """Something new begins: what came before ends here."""
        at = self._at = self.parser.CurrentByteIndex
        if self._tag is not None:
            self._tag.end = at
            self._tag = None
        if self._row_span.end < 0 and self._row is None:
            self._row_span.end = at
        if self._part is not None:
            self._part.end = at
            piece = Piece("".join(self._texts))
            piece.part = self._part
            self._part = None
            self._texts.clear()
            super().characters(piece)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""
        self._mark()
        self._tag = Tag(self._at)
        for name, value in attributes.items():
            placed = attributes[name] = Attribute(value)
            placed.tag, placed.name = self._tag, name
        was_in_row = self._row is not None
        super().start(tag, attributes)
        if attributes:
            self.hold(_PER_PLACE * len(attributes))
        if self._row is not None and not was_in_row:
            self._row_span = Span(self._at)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        self._mark()
        super().end(tag)

    def characters(self, text: str) -> None:
        """Take some text."""
        if self._part is None:
            self._mark()
            self._part = Part(self._at, self._in_section, self._open[-1].place)
        self._texts.append(text)

    def hold(self, count: int) -> None:
        """Count what is held, and its place."""
        super().hold(count + _PER_PLACE)

    def section(self) -> None:
        """Take the beginning of a CDATA section."""
        self._mark()
        self._in_section = True
        super().section()

    def end_section(self) -> None:
        """Take the end of a CDATA section."""
        self._mark()
        self._in_section = False

    def row(self, place: Place, record: Record) -> None:
        """Pass a row on."""
        self._take(place, record, self._row_span)

    def say(self, text: str) -> None:
        """Pass over texts beside elements, which are copied."""
