"""XML of any size: elements that repeat become rows, tags and attributes the names of columns.

A first pass learns how elements stand within one another, a second one writes records to temporary files, which tables
are made of. No entity is expanded and nothing is fetched: a document that declares any is read as lines.
"""

from __future__ import annotations

import codecs
import json
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Any, Final, NamedTuple
from xml.parsers import expat

from piiscan.core import shares
from piiscan.io.content import Content, ReadTable
from piiscan.io.documents import beside
from piiscan.io.documents.beside import Unparsed
from piiscan.io.documents.glue import glued
from piiscan.io.encodings.encoding import Encoding, as_utf8
from piiscan.io.nested.printed_values import merged
from piiscan.io.nested.records import Paths, Record, record_table
from piiscan.io.read_options import ReadOptions

DEEPEST: Final = 64
_KINDS_OF_ELEMENTS: Final = 20_000
"""Paths of elements that are distinguished, at most."""
_TABLES: Final = 100
_IN_MEMORY: Final = 1 << 20
_BLOCK: Final = 1 << 16
TEXT: Final = "#text"
TAG: Final = "\0"
"""Where a tag divides the pieces of a text; no XML holds this character."""
_ENTITY: Final = re.compile(rb"&(?!#|(?:amp|lt|gt|quot|apos);)[^\s;]{4}(?=[\s\S])|&(?!#|(?:amp|lt|gt);)[^\s;&]{1,3};")


class _Rows:
    """Records in a temporary file, which is gone with the last table that reads it."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY, prefix="piiscan-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)

    def add(self, record: Record) -> None:
        self._file.write(json.dumps(record).encode() + b"\n")

    def read(self) -> Iterator[Record]:
        self._file.seek(0)
        for line in self._file:
            yield json.loads(line)


class Place:
    """Where elements stand: a path of tags.

    `repeats`: several stand side by side; `is_mixed`: they contain both text and elements. An empty CDATA section is a
    text that was emptied.
    """

    __slots__ = ("children", "has_text", "name", "repeats", "rows", "tag", "tags")

    def __init__(self, tag: str, name: str) -> None:
        self.tag, self.name = tag, name
        self.children: dict[str, Place] = {}
        self.tags: set[str] = set()
        self.repeats = self.has_text = False
        self.rows: _Rows | None = None

    @property
    def is_mixed(self) -> bool:
        return self.has_text and bool(self.children)

    def child(self, tag: str) -> Place:
        found = self.children.get(tag)
        if found is None:
            local = f"{tag} {len(self.tags) + 1}" if (local := _local(tag)) in self.tags else local
            self.tags.add(local)
            found = self.children[tag] = Place(local, f"{self.name}.{local}" if self.name else local)
        return found


class Origin(NamedTuple):
    """What it takes to find the cells of a table in its file again.

    How elements stand within the `root`, at which `place` the rows do (None: what doesn't repeat is one row), and the
    paths of the columns. `has_doctype`: nothing in it may look like an entity. `beside`: comments and what else no cell
    holds, by lines.
    """

    content: Content
    encoding: Encoding
    root: Place
    has_doctype: bool
    place: Place | None
    paths: Paths
    beside: Sequence[str]


def tables(
    content: Content, encoding: Encoding, options: ReadOptions, details: tuple[tuple[str, str], ...]
) -> list[ReadTable]:
    """The tables of an XML file. Raises `Unparsed`.

    It does so for what isn't well-formed, declares entities, or has values that exceed their share of the memory.
    """
    utf8, failure = (content, None) if encoding.is_utf8 else as_utf8(content, encoding)
    if failure is not None:
        raise Unparsed("not all of it can be decoded")
    root, has_doctype = _places(utf8)
    places = _row_places(root)
    if len(places) > _TABLES:
        raise Unparsed(f"XML with more than {_TABLES} kinds of rows")
    for place in places:
        place.rows = _Rows()
    rest, lines = _records(utf8, root)
    content.read_whole()
    found: list[tuple[Place | None, Callable[[], Iterator[Record]]]] = []
    if rest:
        found.append((None, lambda: iter([rest])))
    found += [(place, place.rows.read) for place in places if place.rows is not None]
    made = []
    for at, read in found:
        table = record_table(content.source, at.name if at else None, "xml", read, options, details)
        made.append(table._replace(origin=Origin(content, encoding, root, has_doctype, at, table.origin, lines)))
    if options.asides:
        made += beside.table(content, lines)
    return made


def _local(tag: str) -> str:
    """A tag without its prefix, unless that has digits, and may say something."""
    prefix, _, local = tag.rpartition(":")
    return tag if any(map(str.isdigit, prefix)) else local


def parse(content: Content, handlers: dict[str, Any]) -> None:
    """Raises `Unparsed`."""
    parser = new_parser(handlers)
    parser.buffer_text = True
    for _ in fed(parser, content):
        pass


def new_parser(handlers: dict[str, Any]) -> expat.XMLParserType:
    """A parser of UTF-8 that refuses entities."""
    parser = expat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    for name, handler in {"EntityDeclHandler": _refuse, "ExternalEntityRefHandler": _refuse, **handlers}.items():
        setattr(parser, name, handler)
    return parser


def fed(parser: expat.XMLParserType, content: Content) -> Iterator[bytes]:
    """Passes a content to a parser; yields each block behind it, and an empty one at the end. Raises `Unparsed`."""
    try:
        with content.open() as stream:
            while block := stream.read(_BLOCK):
                parser.Parse(block, False)
                yield block
            parser.Parse(b"", True)
            yield b""
    except expat.ExpatError:
        raise Unparsed("not well-formed XML") from None


def _refuse(*_: Any) -> int:
    raise Unparsed("XML that declares entities")


def _has_entities(content: Content) -> bool:
    """Whether there are other entities than those that XML itself declares."""
    return content.contains(_ENTITY, 8)


def _places(content: Content) -> tuple[Place, bool]:
    """The first pass: how elements stand within one another, and whether a document type is named."""
    root = Place("", "")
    open_: list[tuple[Place, dict[str, int]]] = [(root, {})]
    kinds, has_doctype = 0, False

    def doctype(name: str, system: str | None, public: str | None, has_internal_subset: bool) -> None:
        nonlocal has_doctype
        has_doctype = True
        if has_internal_subset:
            raise Unparsed("XML with a document type of its own")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal kinds
        parent, counts = open_[-1]
        if tag not in parent.children:
            kinds += 1
            if kinds > _KINDS_OF_ELEMENTS:
                raise Unparsed(f"XML with more than {_KINDS_OF_ELEMENTS} kinds of elements")
        place = parent.child(tag)
        counts[tag] = counts.get(tag, 0) + 1
        place.repeats |= counts[tag] > 1
        if len(open_) > DEEPEST:
            raise Unparsed(f"XML nested more than {DEEPEST} deep")
        open_.append((place, {}))

    def end(tag: str) -> None:
        open_.pop()

    def characters(text: str) -> None:
        place = open_[-1][0]
        if not place.has_text and not text.isspace():
            place.has_text = True

    def section() -> None:
        open_[-1][0].has_text = True

    parse(
        content,
        {
            "StartElementHandler": start,
            "EndElementHandler": end,
            "CharacterDataHandler": characters,
            "StartCdataSectionHandler": section,
            "StartDoctypeDeclHandler": doctype,
        },
    )
    if has_doctype and _has_entities(content):
        raise Unparsed("XML with entities that another document declares")
    return root, has_doctype


def _row_places(root: Place) -> list[Place]:
    """The outermost elements that repeat, but for those within texts."""
    found, waiting = [], [root]
    while waiting:
        place = waiting.pop()
        if place.repeats:
            found.append(place)
        elif not place.is_mixed:
            waiting.extend(reversed(place.children.values()))
    return found


class Element:
    """An element that isn't closed.

    `flow`: the pieces of text in it; where text and elements are mixed, with those of the elements, and where tags
    divide them. `has_section`: there is a CDATA section in it.
    """

    __slots__ = ("flow", "has_section", "mixed_in", "pairs", "place")

    def __init__(self, place: Place, attributes: dict[str, str], mixed_in: Element | None) -> None:
        self.place, self.mixed_in = place, mixed_in
        self.flow: list[str] = []
        self.has_section = False
        self.pairs: list[tuple[str, Any]] = [(f"@{_local(k)}", v) for k, v in attributes.items()]

    def value(self) -> Any:
        texts: list[Any] = self.texts()
        if not self.pairs:
            return texts[0] if len(texts) == 1 else texts or None
        if self.has_section and not texts:
            texts = [None]
        return merged([*self.pairs, *((TEXT, text) for text in texts)])

    def texts(self) -> list[str]:
        """The text in it: none, one, or where tags divide a word two."""
        whole = "".join(self.flow)
        return glued(whole.split(TAG)) if self.place.is_mixed else list(filter(None, (whole.strip(),)))


class Builder:
    """The second pass: elements as records. `lines`: the texts beside them."""

    element = Element

    def __init__(self, root: Place) -> None:
        self._open = [Element(root, {}, None)]
        self._row: Element | None = None
        self._most = shares.row()
        self._in_row = self._in_rest = self._said = 0
        self._seen: set[str] = set()
        self.lines: list[str] = []

    @property
    def rest(self) -> dict[str, Any]:
        return merged(self._open[0].pairs)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1]
        for name in [key for key in attributes if key.startswith("xmlns")]:
            self.once(attributes.pop(name))
        place = parent.place.children[tag]
        mixed = parent if parent.place.is_mixed else parent.mixed_in
        if mixed is not None:
            parent.flow.append(TAG)
        element = self.element(place, attributes, mixed)
        if place.rows is not None and self._row is None:
            self._row, self._in_row = element, 0
        self.hold(sum(map(len, attributes.values())) + 64)
        self._open.append(element)

    def end(self, tag: str) -> None:
        element = self._open.pop()
        place, parent = element.place, self._open[-1]
        if element.mixed_in is not None:
            # What stands within a text is part of it; attributes are values of their own.
            parent.flow += element.flow
            parent.flow.append(TAG)
            parent.has_section |= element.has_section
            parent.pairs += [(key if "@" in key[1:] else place.tag + key, v) for key, v in element.pairs]
            return
        value = element.value()
        if element is self._row:
            self.row(place, {place.tag: value} if type(value) is not dict else value)
            self._row = None
        elif value is not None or element.has_section or not place.children:
            # Any other held nothing but rows, whose table is named after it.
            parent.pairs.append((place.tag, value))

    def row(self, place: Place, record: Record) -> None:
        """Take a row, which is complete."""
        assert place.rows is not None
        place.rows.add(record)

    def section(self) -> None:
        """Take the beginning of a CDATA section."""
        self._open[-1].has_section = True

    def characters(self, text: str) -> None:
        element = self._open[-1]
        if element.flow or not text.isspace() or element.mixed_in is not None:
            element.flow.append(text)
            self.hold(len(text))

    def hold(self, count: int) -> None:
        if self._row is None:
            self._in_rest += count
        else:
            self._in_row += count
        if max(self._in_row, self._in_rest) > self._most:
            raise Unparsed("an XML element that doesn't fit into memory; allow more with --memory")

    def say(self, text: str) -> None:
        """Record a text that is beside elements."""
        self._said += len(text) + 64
        if self._said > self._most:
            raise Unparsed("more comments in XML than fit into memory; allow more with --memory")
        self.lines += [line.strip() for line in text.split("\n")]

    def once(self, text: str) -> None:
        if text not in self._seen:
            self._seen.add(text)
            self.say(text)

    def instruction(self, target: str, data: str) -> None:
        self.once(f"{target} {data}")

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        try:
            codecs.lookup(encoding or "utf-8")
        except LookupError:
            self.say(encoding or "")
        if not re.fullmatch(r"1\.\d", version):
            self.say(version)

    def doctype(self, name: str, system: str | None, public: str | None, has_internal_subset: bool) -> None:
        for text in (name, system, public):
            if text:
                self.say(text)


def _records(content: Content, root: Place) -> tuple[dict[str, Any], list[str]]:
    """The second pass: what doesn't repeat as one record, and the texts beside elements.

    Rows go to the files of their places.
    """
    builder = Builder(root)
    parse(
        content,
        {
            "StartElementHandler": builder.start,
            "EndElementHandler": builder.end,
            "CharacterDataHandler": builder.characters,
            "StartCdataSectionHandler": builder.section,
            "CommentHandler": builder.say,
            "ProcessingInstructionHandler": builder.instruction,
            "XmlDeclHandler": builder.declaration,
            "StartDoctypeDeclHandler": builder.doctype,
        },
    )
    return builder.rest, builder.lines
