"""Documents and slides in zip archives: Office Open XML (docx, pptx) and OpenDocument (odt, odp, odg), part by part.

Every part is one of four: its texts are read, it is known to hold none, it is embedded and read as a content of its
own, or it is reported as not read.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Found, InName, NotScanned, Skipped
from piiscan.io import asides, authors
from piiscan.io.archives.archives import is_folder
from piiscan.io.archives.parts import SIGNATURES, SIGNED, failing, whole, within
from piiscan.io.archives.zipped import account, check_directory, notes
from piiscan.io.cells import markup
from piiscan.io.content import Content, ReadContent, ReadTable, describe
from piiscan.io.documents import office_text
from piiscan.io.documents.documents import grid_table, lines_table
from piiscan.io.documents.grids import GridTable
from piiscan.io.documents.office_text import Texts
from piiscan.io.printed_names import Members
from piiscan.io.read_options import ReadOptions

FORMAT: Final = "office document"
TABLE: Final = "office table"
_RUNNING: Final = re.compile(
    r"word/(?:glossary/)?(?:document|header|footer|footnotes|endnotes|comments)\d*\.xml"
    r"|ppt/(?:slides|notesslides|comments)/[^/]+\.xml|(?:content|styles)\.xml"
)
"""Parts of running text. What others say is beside it."""
_MAIN: Final = re.compile(r"word/document\d*\.xml|ppt/(?:slides/slide\d+|presentation)\.xml|content\.xml")
_PROPERTIES: Final = re.compile(r"docprops/\w+\.xml|(?:.*/)?meta\.xml")
_SETTINGS: Final = re.compile(r"(?:.*/)?settings\.xml")
_NO_TEXT: Final = re.compile(
    r"mimetype|_xmlsignatures/origin\.sigs|_xmlsignatures/_rels/.*|docprops/thumbnail\..*|thumbnails/.*"
    r"|(?:word|ppt)/(?:fonts|printersettings)/.*|(?:.*/)?configurations2/.*|layout-cache|fonts/.*"
    r"|object ?replacements/.*"
)
"""Parts without anybody's texts: fonts, settings of printers and menus, and pictures of what is read."""
_PICTURES: Final = re.compile(
    r"(?:.*/)?(?:media|pictures)/.*|.*\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|emz|wmz|wdp|svgz?|ico|webp)"
)
_MACROS: Final = re.compile(r"(?:.*/)?vbaproject\.bin|(?:basic|scripts)/.*")
_XML: Final = (".xml", ".rels", ".vml", ".rdf")
_ENCRYPTED: Final = b"encryption-data"
_MANIFEST: Final = "meta-inf/manifest.xml"
_NO_PROPERTY: Final = frozenset(
    "created modified lastPrinted revision language version Application AppVersion HeadingPairs TotalTime DocSecurity "
    "generator creation-date date print-date editing-cycles editing-duration document-statistic Pages Words Characters "
    "Lines Paragraphs CharactersWithSpaces Slides Notes HiddenSlides MMClips ScaleCrop LinksUpToDate SharedDoc "
    "HyperlinksChanged PresentationFormat DigSig".split()
)
"""Properties of times, versions and sizes."""
_BLOBS: Final = frozenset(("PrinterSetup", "RedlineProtectionKey"))
"""Settings in Base64 of printers and of passwords."""
_NUMBER: Final = re.compile(r"(\d{1,9})")


def tables(content: Content, options: ReadOptions, read: ReadContent) -> Iterator[Found]:
    """The text of a document, its tables and its properties, then what is embedded in it.

    `read`: reads what is embedded. Raises `ReadError` where it is encrypted, or above its share of the memory.
    """
    with content.open() as raw:
        check_directory(raw, content.size)
    with content.open() as raw, zipfile.ZipFile(raw) as archive:
        account(content, raw, archive)
        entries = [_Entry(entry.filename.lower().lstrip("/"), entry, entry.filename) for entry in archive.infolist()]
        _check(archive, entries, options)
        texts, properties, others = Texts(), _Properties(), _Others()
        names = Members(content.source, options.rules)
        for i, one in enumerate(entries):
            printed, found = names.printed(one.printed)
            entries[i] = one._replace(printed=printed)
            yield from found
        for member, entry, printed in sorted(entries, key=lambda item: _order(item.member)):
            if is_folder(entry) or _NO_TEXT.fullmatch(member):
                continue
            if _PICTURES.fullmatch(member):
                others.hidden += 1
            elif _MACROS.fullmatch(member):
                others.macros += 1
            elif SIGNATURES.fullmatch(member):
                others.is_signed = True
            elif member.endswith(_XML):
                with failing("document") as failure:
                    _read_part(member, whole(archive, entry), texts, properties)
                if failure:
                    yield NotScanned(f"{content.source}!{printed}", failure[0])
            else:
                others.embedded.append((printed, entry))
        said = notes(archive)
        yield from _made(content, texts, properties, options)
        if said:
            yield asides.texts(content, "#comments of the archive", said, copied=True)
        yield from others.found(content, archive, options, read)


class _Entry(NamedTuple):
    """A part, by its name in small letters; `printed`: its name in reports."""

    member: str
    entry: zipfile.ZipInfo
    printed: str


def _check(archive: zipfile.ZipFile, entries: Sequence[_Entry], options: ReadOptions) -> None:
    """Raises `ReadError` for a document that can't be read as a whole."""
    for member, entry, _ in entries:
        if entry.flag_bits & 1 or (
            member == _MANIFEST
            and entry.file_size < options.limits.document_bytes >> 5
            and _is_encrypted(archive, entry)
        ):
            raise ReadError("encrypted document; save it without a password")
    if not any(_MAIN.fullmatch(entry.member) for entry in entries):
        raise ReadError("malformed document, without its text; save it again in its program")
    size = sum(entry.file_size for member, entry, _ in entries if member.endswith(_XML))
    most = min(options.limits.document_bytes, shares.document() // 4)
    if size > most:
        raise ReadError(
            f"a document of {size >> 20:,} MiB of text and marks, of which {most >> 20:,} fit into memory; allow more "
            "with --memory, or save it in parts"
        )


def _is_encrypted(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    with failing():
        return _ENCRYPTED in whole(archive, entry)
    return False


def _order(member: str) -> tuple[int, list[str | int]]:
    """The text first, slides by their numbers, then headers, notes and comments, then all other parts."""
    pieces: list[str | int] = [*_NUMBER.split(member)]
    pieces[1::2] = map(int, _NUMBER.findall(member))
    return 0 if _MAIN.fullmatch(member) else 1 if _RUNNING.fullmatch(member) else 2, pieces


class _Others:
    """Parts that aren't texts of the document's own: those that are embedded, and how many can't be read."""

    def __init__(self) -> None:
        self.embedded: list[tuple[str, zipfile.ZipInfo]] = []
        self.hidden = self.macros = 0
        self.is_signed = False

    def found(
        self, content: Content, archive: zipfile.ZipFile, options: ReadOptions, read: ReadContent
    ) -> Iterator[Found]:
        for name, entry in self.embedded:
            for item in within(archive, entry, f"{content.source}!{name}", options, read, "document"):
                if isinstance(item, ReadTable):
                    yield _copied(item)
                elif isinstance(item, NotScanned | InName):
                    yield item
                elif isinstance(item, Skipped) and item.reason != "empty":
                    self.hidden += 1
        if self.hidden:
            what = (
                "1 picture or embedded object" if self.hidden == 1 else f"{self.hidden:,} pictures or embedded objects"
            )
            yield NotScanned(
                content.source, f"{what} {'wasn' if self.hidden == 1 else 'weren'}'t read; save it without them"
            )
        if self.macros:
            yield NotScanned(content.source, "macros, which aren't read; save the document without them")
        if self.is_signed:
            yield NotScanned(content.source, SIGNED)


def _copied(table: ReadTable) -> ReadTable:
    """A table of something embedded, which is where the document is."""
    if asides.is_aside(table.info):
        return table
    return table._replace(info=table.info._replace(details=(*table.info.details, asides.COPIED)), origin=None)


def _made(content: Content, texts: Texts, properties: _Properties, options: ReadOptions) -> Iterator[ReadTable]:
    details = describe(content)
    if texts.lines:
        yield lines_table(content, texts.lines, options, details, FORMAT)
    tables = [(f"table {n}", table) for n, table in enumerate(texts.tables, 1)]
    if (people := properties.authors(list(texts.authors))) is not None:
        tables.append(("authors", people))
    for name, table in tables:
        yield grid_table(content, name, table, options, details, TABLE)
    if not options.asides:
        return
    for name, lines in (("#properties", properties.lines()), ("#markup", list(texts.markup))):
        if lines:
            yield asides.texts(content, name, lines, copied=True)


def _read_part(member: str, data: bytes, texts: Texts, properties: _Properties) -> None:
    """Add what a part says. Raises `ReadError`."""
    is_mixed = not member.startswith(("word/", "ppt/"))
    if _PROPERTIES.fullmatch(member):
        properties.read(data, texts)
    elif is_mixed and _SETTINGS.fullmatch(member):
        _read_settings(data, texts)
    elif _RUNNING.fullmatch(member):
        office_text.read(data, texts, is_mixed)
    else:
        if member.endswith(".rels"):
            _read_targets(data, texts)
        first = len(texts.lines)
        try:
            office_text.read(data, texts, is_mixed)
        finally:
            beside = texts.lines[first:]
            del texts.lines[first:]
            for line in beside:
                texts.say(line)


def _read_targets(data: bytes, texts: Texts) -> None:
    """What relations of a part lead to outside the document."""

    def start(_: str, attributes: dict[str, str]) -> None:
        if attributes.get("TargetMode") == "External":
            texts.say(attributes.get("Target", ""))

    markup.parse(markup.utf8(data), start, None, None)


def _read_settings(data: bytes, texts: Texts) -> None:
    """What settings of OpenDocument say."""
    held: list[str] = []
    name = ""

    def start(_: str, attributes: dict[str, str]) -> None:
        nonlocal name
        end("")
        name = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "name"), "")
        for value in attributes.values():
            if office_text.is_odd(value):
                texts.say(value)

    def end(_: str) -> None:
        nonlocal name
        if name not in _BLOBS:
            texts.say("".join(held))
        held.clear()
        name = ""

    markup.parse(markup.utf8(data), start, end, held.append)


class _Properties:
    """What a document says of itself: names of properties, and their values."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}
        self._count = 0

    def read(self, data: bytes, texts: Texts) -> None:
        """Add the properties of a part: an element for each, with its name or under it. Raises `ReadError`."""
        names: list[str] = []
        held: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            add()
            element = tag.rpartition(":")[2]
            given = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "name"), None)
            outer = names[-1] if names else ""
            # Values of custom properties, and those of lists, are elements within that of the property.
            names.append(given if given is not None else outer if tag.startswith("vt:") else element)
            for key, value in attributes.items():
                if office_text.is_said(element, key.rpartition(":")[2], value):
                    texts.say(value)

        def add() -> None:
            text = " ".join("".join(held).split())
            held.clear()
            if not names or not text or (names[-1] in authors.PROPERTIES and authors.is_nobody(text)):
                return
            if names[-1] not in _NO_PROPERTY:
                self._values.setdefault(names[-1], []).append(text)
                self._count += 1
                office_text.check(self._count, office_text.PER_TEXT)
            elif office_text.is_odd(text):
                texts.say(text)

        def end(_: str) -> None:
            add()
            names.pop()

        markup.parse(markup.utf8(data), start, end, held.append)

    def authors(self, others: list[str]) -> GridTable | None:
        """Who wrote the document, a column for each property that says so, and `others`, who wrote in it."""
        columns = {name: values for name, values in self._values.items() if name in authors.PROPERTIES}
        if others:
            columns["author"] = others
        if not columns:
            return None
        height = max(map(len, columns.values()))
        filled = [[*values, *[""] * (height - len(values))] for values in columns.values()]
        return GridTable(list(columns), [list(row) for row in zip(*filled, strict=True)])

    def lines(self) -> list[str]:
        """The other properties.

        They are lines, since a row of them is of no one subject: what it is about would say whose a telephone is.
        """
        rest = [(name, value) for name, values in self._values.items() for value in values]
        rest = [(name, value) for name, value in rest if name not in authors.PROPERTIES]
        return [f"{name}: {value}" for name, value in rest]
