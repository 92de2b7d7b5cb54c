"""What a PDF file says beside the text of its pages: properties, form fields, links, bookmarks, attached files.

All objects that the file lists are looked at, whatever refers to them. Source: ISO 32000-2, 7.11, 8.11, 12.3 to 12.7,
14.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    StreamObject,
    TextStringObject,
)

from piiscan.io.cells import markup
from piiscan.io.documents.office_text import Texts, check, is_odd
from piiscan.io.documents.pdf_text import data_of, entry

_NOT_SAID: Final = frozenset(
    "/ID /CreationDate /ModDate /M /DA /DS /Registry /Ordering /Producer /Creator /CharSet /FontFamily /Panose /Style "
    "/Lang /Nums /O /U /OE /UE /Perms /Cert /ByteRange /DocChecksum /CheckSum /SeqNum /Lab /NM /AuthEvent "
    "/PTEX.Fullbanner /Trapped /Version /FontName".split()
)
"""Entries of times, programs, fonts, keys and sums."""
_UNNAMED: Final = frozenset(("anonymous", "unspecified", "untitled"))
"""What programs write for what they don't know."""
_FIELDS: Final = frozenset(("/T", "/V", "/DV", "/TU", "/TM"))
_NO_TEXT: Final = frozenset(
    "/FontFile /FontFile2 /FontFile3 /ToUnicode /CIDToGIDMap /CIDSet /CharProcs /Encoding /UseCMap /SMask /Mask /Thumb "
    "/ICCBased /Indexed /DestOutputProfile /XFA /Encrypt".split()
)
"""Streams of fonts, colours and masks, by what refers to them."""
_NO_TEXT_TYPES: Final = frozenset(("/XRef", "/ObjStm", "/CMap", "/Halftone"))
_NO_TEXT_WITH: Final = ("/FunctionType", "/ShadingType", "/HalftoneType")
_DEEPEST: Final = 40
"""The deepest that objects within objects are looked into."""
_PART: Final = re.compile(r"\[\d+\]|.*\.")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+)?(?:Z|[+-]\d\d:?\d\d)?|(?:uuid|xmp\.[di]id):[\w:-]+|[\d.]+")


class Objects:
    """What the objects of a file say.

    `values`: of form fields, under their labels; `notes`: texts of annotations; `properties`: those of the document, by
    name; `streams`: all streams by number; `roles`: what refers to a number; `attached`: names of attached files, by
    the numbers of their streams.
    """

    def __init__(self) -> None:
        self.texts = Texts()
        self.values: dict[str, None] = {}
        self.properties: dict[str, str] = {}
        self.streams: dict[int, StreamObject] = {}
        self.roles: dict[int, set[str]] = {}
        self.attached: dict[int, str] = {}
        self.pictures = 0
        self.is_signed = False

    def properties_of(self, info: Any) -> None:
        for name in info if isinstance(info, DictionaryObject) else ():
            value = entry(info, name)
            if name in _NOT_SAID or not isinstance(value, TextStringObject | ByteStringObject):
                continue
            if (text := " ".join(_text(value).split())) and text.strip("()").lower() not in _UNNAMED:
                self.properties[name.removeprefix("/")] = text
                check(len(self.properties))

    def add(self, number: int, held: Any) -> None:
        """Add what an object says, and what is within it, but not what it refers to. Raises `ReadError`."""
        if isinstance(held, StreamObject):
            self.streams[number] = held
        waiting: list[tuple[str, Any, int]] = [("", held, 0)]
        while waiting:
            key, value, depth = waiting.pop()
            if isinstance(value, IndirectObject):
                self.roles.setdefault(value.idnum, set()).add(key)
            elif isinstance(value, DictionaryObject) and depth < _DEEPEST:
                waiting += self._of_dictionary(value, depth)
            elif isinstance(value, ArrayObject) and depth < _DEEPEST:
                first = value[0] if value and isinstance(value[0], NameObject) else None
                if first == "/Indexed":
                    key = first
                    value = [one for one in value if isinstance(one, IndirectObject | ArrayObject)]
                waiting += ((key if first is None else first, one, depth + 1) for one in value)
            elif isinstance(value, NameObject):
                if is_odd(value):
                    self.texts.say(value.removeprefix("/"))
            elif isinstance(value, TextStringObject | ByteStringObject) and key not in _NOT_SAID:
                self._said(key, _text(value))

    def _of_dictionary(self, held: DictionaryObject, depth: int) -> Iterator[tuple[str, Any, int]]:
        if (files := entry(held, "/EF")) is not None:
            self._attach(held, files)
        for glyph in (entry(held, "/CharProcs") or {}).values() if "/CharProcs" in held else ():
            if isinstance(glyph, IndirectObject):
                self.roles.setdefault(glyph.idnum, set()).add("/CharProcs")
        is_signature = "/ByteRange" in held and "/Contents" in held
        self.is_signed |= is_signature
        is_field = self._is_field(held)
        if is_field:
            self._field(held)
        for key, value in held.items():
            if is_odd(key):
                self.texts.say(key.removeprefix("/"))
            if (is_field and key in _FIELDS and not isinstance(value, IndirectObject)) or (
                is_signature and key == "/Contents"
            ):
                continue
            if key == "/T" and "/Subtype" in held and isinstance(value, TextStringObject):
                self.texts.wrote(_text(value))
                continue
            yield key, value, depth + 1

    @staticmethod
    def _is_field(held: DictionaryObject) -> bool:
        if "/FT" in held or entry(held, "/Subtype") == "/Widget":
            return True
        return "/V" in held and "/T" in held

    def _field(self, held: DictionaryObject) -> None:
        """A field of a form: its label, or the last part of its name, and its value."""
        label, at = "", held
        for _ in range(_DEEPEST):
            name = entry(at, "/TU") or entry(at, "/T")
            if isinstance(name, TextStringObject | ByteStringObject):
                label = _PART.sub("", _text(name)).strip() or _text(name)
                break
            parent = entry(at, "/Parent")
            if not isinstance(parent, DictionaryObject):
                break
            at = parent
        for key in ("/V", "/DV"):
            found = entry(held, key)
            for value in found if isinstance(found, ArrayObject) else (found,):
                value = value.get_object() if isinstance(value, IndirectObject) else value
                if isinstance(value, StreamObject):
                    value = TextStringObject(data_of(value).decode("utf-8", "replace"))
                if isinstance(value, TextStringObject | ByteStringObject) and (text := _text(value).strip()):
                    for line in text.splitlines():
                        self.values[f"{label}: {line}" if label else line] = None
                    check(len(self.values))
        if not label or is_odd(label):
            return
        for key in ("/TU", "/T", "/TM"):
            if isinstance(name := entry(held, key), TextStringObject):
                self.texts.say(name)

    def _attach(self, held: DictionaryObject, files: Any) -> None:
        name = next((n for key in ("/UF", "/F") if isinstance(n := entry(held, key), TextStringObject)), "")
        for key in files if isinstance(files, DictionaryObject) else ():
            if isinstance(reference := files.raw_get(key), IndirectObject):
                self.attached[reference.idnum] = str(name)

    def _said(self, key: str, text: str) -> None:
        if key == "/RC" or text.lstrip().startswith(("<?xml", "<body")):
            for piece in markup.without_tags(text.encode("utf-8", "replace")):
                self.texts.say(piece.text)
        else:
            for line in text.splitlines():
                self.texts.say(line)

    def unseen(self, seen: set[int], show: Callable[[StreamObject], None]) -> Iterator[tuple[int, StreamObject]]:
        """The streams that may hold text, and of which nobody has read anything. `show`: reads one that is a form."""
        for number, stream in self.streams.items():
            kind, roles = entry(stream, "/Subtype"), self.roles.get(number, set())
            if number in seen or entry(stream, "/Type") in _NO_TEXT_TYPES or not _NO_TEXT.isdisjoint(roles):
                continue
            if kind == "/Image":
                self.pictures += 1
            elif number in self.attached or "/V" in roles or _is_no_text(stream):
                continue
            elif kind == "/XML" or entry(stream, "/Type") == "/Metadata":
                self._read_xmp(data_of(stream))
            elif "/JS" in roles:
                self._said("/JS", data_of(stream).decode("utf-8", "replace"))
            elif kind == "/Form" or "/PatternType" in stream:
                show(stream)
            elif b"begincmap" not in data_of(stream):  # a table of characters that no font uses any more
                yield number, stream

    def _read_xmp(self, data: bytes) -> None:
        known = set(self.properties.values())
        for found in markup.texts(data):
            if found.text not in known and markup.has_content(found.text) and not _TIME.fullmatch(found.text):
                self.texts.say(found.text)


def _is_no_text(stream: StreamObject) -> bool:
    """Whether a stream is a function, a shading, or a list of places for those who read over a network."""
    return any(key in stream for key in _NO_TEXT_WITH) or isinstance(entry(stream, "/S"), int)


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else bytes(value).decode("utf-8", "replace")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
