"""Texts in the XML parts of a workbook, whatever the vocabulary: the text between tags, and attributes."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from typing import Any, Final, NamedTuple
from xml.parsers import expat

from piiscan.core.errors import ReadError

_DIGITS: Final = 5
_RUNS: Final = frozenset(("r", "t", "span", "a", "s", "tab", "br", "fld", "rPr", "pPr", "endParaRPr"))
"""Elements within a text, which goes on after them."""
_LOOKS: Final = frozenset(("rPr", "pPr", "endParaRPr", "bodyPr"))
"""Elements that say how a text looks."""
_IDENTIFIERS: Final = re.compile(
    r"\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?|rId\w*|#[0-9A-Fa-f]{6}|[0-9A-F]{8}"
)
_SCHEMAS: Final = ("http://schemas.", "http://purl.org/", "http://www.w3.org/", "urn:", "http://openoffice.org/")
_PLACE: Final = re.compile(r"(?:\$?'?[^'!@]*'?!)?\$?[A-Z]{1,3}\$?\d*(?::\$?[A-Z]{1,3}\$?\d*)?")


class Text(NamedTuple):
    """A text and where it stands: in an element, or in an attribute of it."""

    element: str
    attribute: str | None
    text: str


def texts(data: bytes, skip: Collection[str] = ()) -> list[Text]:
    """The texts of a document, each once, in order; formatting within one is passed over.

    `skip`: elements that aren't looked into.

    Raises `ReadError` where the document is malformed, or has a type definition, which could make it grow without
    bounds.
    """
    found: dict[Text, None] = {}
    open_: list[str] = []
    held: list[str] = []
    hidden = 0

    def flush() -> None:
        text = "".join(held).strip()
        held.clear()
        if text:
            found[Text(next((e for e in reversed(open_) if e not in _RUNS), ""), None, text)] = None

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal hidden
        name = tag.rpartition(":")[2]
        if hidden or name in skip:
            hidden += 1
            return
        if name not in _RUNS and not _is_look(open_):
            flush()
        open_.append(name)
        for key, value in attributes.items():
            if value.strip() and not key.startswith("xmlns"):
                found[Text(name, key.rpartition(":")[2], value.strip())] = None

    def end(tag: str) -> None:
        nonlocal hidden
        if hidden:
            hidden -= 1
            return
        if tag.rpartition(":")[2] not in _RUNS and not _is_look(open_[:-1]):
            flush()
        open_.pop()

    def cells(text: str) -> None:
        if not hidden:
            held.append(text)

    parse(data, start, end, cells)
    return list(found)


def _is_look(elements: Collection[str]) -> bool:
    return not _LOOKS.isdisjoint(elements)


def utf8(data: bytes) -> bytes:
    """A document in UTF-8, whatever it was in."""
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data
    return re.sub(r"^<\?xml[^>]*\?>", "", data.decode("utf-16", "replace")).encode()


def parse(data: bytes, start: Any, end: Any, characters: Any, comment: Any = None) -> None:
    """Runs the handlers over a document. Raises `ReadError`."""
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.StartDoctypeDeclHandler, parser.CommentHandler = _refuse, comment
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        raise ReadError("a malformed part; save the file again in its program") from None


def _refuse(*_: Any) -> None:
    raise ReadError(
        "a part with a document type definition, which no program writes; save the file again in its program"
    )


def without_tags(data: bytes) -> list[Text]:
    """The texts of a part that is only nearly XML, as drawings of older programs are."""
    found = (html.unescape(text).strip() for text in re.split(r"<[^>]*>", data.decode("utf-8", "replace")))
    return [Text("", None, text) for text in dict.fromkeys(found) if text]


def has_content(text: str) -> bool:
    """Whether a text may be somebody's words or data: no setting, no key, no place of a cell."""
    if len(text) < 3 or text.lower() in ("true", "false", "none", "auto", "general") or text.startswith(_SCHEMAS):
        return False
    if not any(map(str.isalpha, text)):
        return sum(map(str.isdigit, text)) >= _DIGITS
    return not (_IDENTIFIERS.fullmatch(text) or _PLACE.fullmatch(text))


def is_striking(text: str) -> bool:
    """Whether a name that programs usually give, as one of a style, may be data."""
    return "@" in text or sum(map(str.isdigit, text)) >= _DIGITS
