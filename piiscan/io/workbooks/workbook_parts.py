"""What a workbook holds beside the cells of its sheets, part by part.

Texts, embedded workbooks, and parts that can't be read.

Every member of the file is one of four: read by calamine, known to hold no text of anybody's, read here, or named as
not scanned.
Sources: ECMA-376 (Office Open XML), OASIS OpenDocument 1.3.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.core.types import InName, NotScanned, Table
from piiscan.io import asides, authors
from piiscan.io.archives.parts import FAULTS, SIGNATURES, SIGNED, failing, whole, within
from piiscan.io.asides import left_out
from piiscan.io.cells import literals, markup
from piiscan.io.cells.markup import Text, has_content, is_striking
from piiscan.io.content import Content, ReadContent, ReadTable
from piiscan.io.read_options import ReadOptions
from piiscan.io.workbooks import runs, sheets

Item = Table | NotScanned | InName
_WORKBOOK: Final = "xl/workbook.xml"
_STRINGS: Final = "xl/sharedstrings.xml"
_UNKNOWN: Final = (
    "its formulas have no stored results, {:,} of them; open it in its program, which works them out, and save it"
)
_NO_TEXT: Final = re.compile(
    r"\[content_types\]\.xml|xl/theme/.*|xl/(?:calcchain\.(?:xml|bin)|sharedstrings\.bin|styles\.bin|worksheets/binaryindex\d*\.bin)|xl/charts/(?:style|colors)\d*\.xml|xl/media/.*|docprops/thumbnail\..*"
    r"|.*\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|wdp|svgz?)|xl/printersettings/.*|_xmlsignatures/(?:origin\.sigs|_rels/.*)|mimetype|meta-inf/manifest\.xml|manifest\.rdf"
    r"|thumbnails/.*|pictures/.*|configurations2/.*|layout-cache|fonts/.*|object ?replacements/.*"
)
"""Parts without anybody's texts: themes, fonts, orders of calculation, settings of printers; and pictures, which
aren't read anywhere."""
_KINDS: Final = (
    (r"xl/(?:threaded)?comments?\d*/.*|xl/(?:threaded)?comments?\d*\.xml", "comments"),
    (r"xl/persons/.*", "persons"),
    (r"xl/(?:drawings|charts|chartex|diagrams)/.*", "drawings"),
    (r"xl/tables/.*", "tables"),
    (r"xl/pivotcache/.*", "pivot caches"),
    (r"xl/pivottables/.*", "pivot tables"),
    (r"xl/externallinks/.*", "external links"),
    (r"xl/(?:connections\.xml|querytables/.*)", "connections"),
    (r"docprops/.*|meta\.xml", "properties"),
)
_RECORDS: Final = re.compile(
    r"xl/(?:workbook|connections|comments\d*|(?:worksheets|chartsheets|tables|pivotcache|pivottables|externallinks|querytables|comments)/\w+)\.bin"
)
_BY_SHEET: Final = ("comments", "drawings", "tables", "pivot tables")
_SKIPPED: Final = {
    "drawings": ("col", "colOff", "row", "rowOff", "Anchor", "Row", "Column", "f", "formatCode", "sqref"),
    "properties": (
        "created",
        "modified",
        "lastPrinted",
        "revision",
        "language",
        "version",
        "Application",
        "AppVersion",
        "HeadingPairs",
        "TotalTime",
        "DocSecurity",
        "generator",
        "creation-date",
        "date",
        "editing-cycles",
        "editing-duration",
        "document-statistic",
    ),
}
_ATTRIBUTES: Final = {
    "comments": ("author", "userId", "displayName"),
    "drawings": ("name", "descr", "title", "tooltip", "prompt", "alt", "href", "macro"),
    "tables": ("name", "totalsRowLabel", "comment", "altText", "altTextSummary"),
    "properties": ("name", "title", "href"),
}
"""Attributes with texts in parts that have many others; all of them are looked at elsewhere."""
_GENERATED: Final = re.compile(r"(?:[^\W\d_]+[ _]?){1,4}\d{0,4}")
"""Names as programs give them to shapes and tables: TextBox 3."""
_AUTHORS: Final = {
    "properties": authors.PROPERTIES,
    "comments": frozenset(("author",)),
    "persons": frozenset(("displayName",)),
}
"""Elements and attributes of parts that hold nothing but the names of people."""


class Book(NamedTuple):
    """An open workbook: its members by lower-case name, and the sheets' names by member.

    `recalculated`: whether results are placeholders until a program has opened it.
    """

    content: Content
    archive: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]
    sheets: dict[str, str]
    recalculated: bool

    def read(self, member: str) -> bytes:
        """A part of the workbook. Raises `ReadError` where it doesn't fit into memory."""
        return whole(self.archive, self.members[member])


def other_texts(
    content: Content, cells: Callable[[], frozenset[str]], options: ReadOptions, read: ReadContent
) -> Iterator[Item]:
    """What a workbook in XML has beside the cells of its sheets.

    `cells`: the texts in those, copies of which aren't repeated.

    Formulas whose results aren't stored are reported in any case, other things only where `options` asks for texts
    beside rows.
    """
    with content.open() as file, zipfile.ZipFile(file) as archive:
        book = _book(content, archive)
        shared: set[int] = set()
        texts: dict[str, dict[str, None]] = {}
        people: dict[str, None] = {}
        for member, name in book.sheets.items():
            with failing() as failure:
                found = sheets.around(book.read(member), book.recalculated)
                shared |= found.shared
                for kind, said in found.texts.items():
                    texts.setdefault(f"{name}!{kind}", {}).update(dict.fromkeys(said))
                if "/macrosheets/" in member:
                    yield NotScanned(
                        content.source, "a sheet of macros, which isn't read; save the workbook without it", name
                    )
                if found.unknown:
                    yield NotScanned(content.source, _UNKNOWN.format(found.unknown), name)
            if failure:
                yield NotScanned(content.source, failure[0], name)
        if not options.asides:
            return
        owners = _owners(book)
        for member, entry in book.members.items():
            if member in book.sheets or _NO_TEXT.fullmatch(member) or entry.is_dir():
                continue
            if member.startswith("xl/embeddings/"):
                yield from _within(book, entry, options, read)
                continue
            with failing() as failure:
                if SIGNATURES.fullmatch(member):
                    raise ReadError(SIGNED)
                if _is_binary(book, member):
                    kind, said = _binary_part(book, member)
                elif _is_markup(book, member):
                    kind, said = _part(book, member, shared, cells, people)
                else:
                    raise ReadError(_why(member))
                name = f"{owners.get(member, 'workbook') if kind in (*_BY_SHEET, 'hyperlinks') else 'workbook'}!{kind}"
                texts.setdefault(name, {}).update(dict.fromkeys(said))
            if failure:
                yield NotScanned(f"{content.source}!{entry.filename}", failure[0])
    if people:
        yield asides.table(content, "workbook!authors", "excel", {"author": list(people)})
    for name, each in texts.items():
        if each:
            yield asides.texts(content, name, list(each))


def _book(content: Content, archive: zipfile.ZipFile) -> Book:
    members = {entry.filename.lower().lstrip("/"): entry for entry in archive.infolist()}
    book = Book(content, archive, members, {}, False)
    if _WORKBOOK not in members:
        return book
    targets: dict[str, str] = {}
    for item in _relations(book, _WORKBOOK):
        targets[item["Id"]] = _target(_WORKBOOK, item["Target"])
    recalculated = False

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal recalculated
        name = tag.rpartition(":")[2]
        if name == "sheet":
            key = next((v for k, v in attributes.items() if k.rpartition(":")[2] == "id"), "")
            if targets.get(key, "") in members:
                book.sheets[targets[key]] = attributes.get("name", "")
        elif name == "calcPr":
            recalculated = attributes.get("fullCalcOnLoad") in ("1", "true")

    markup.parse(book.read(_WORKBOOK), start, None, None)
    return book._replace(recalculated=recalculated)


def _relations(book: Book, member: str) -> list[dict[str, str]]:
    folder, name = posixpath.split(member)
    found: list[dict[str, str]] = []
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    if rels in book.members:
        markup.parse(book.read(rels), lambda _, attributes: found.append(attributes), None, None)
    return [item for item in found if "Target" in item and "Id" in item]


def _target(member: str, target: str) -> str:
    """The member that a relation of another one leads to, in lower case."""
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(member), target)).lstrip("/").lower()


def _owners(book: Book) -> dict[str, str]:
    """Parts, and the sheets that lead to them."""
    owners: dict[str, str] = {}
    for sheet, name in book.sheets.items():
        todo = [sheet]
        while todo:
            member = todo.pop()
            folder, last = posixpath.split(member)
            owners[posixpath.join(folder, "_rels", f"{last}.rels")] = name
            with suppress(ReadError, *FAULTS):
                for item in _relations(book, member):
                    part = _target(member, item["Target"])
                    if part in book.members and part not in owners and part not in book.sheets:
                        owners[part] = name
                        todo.append(part)
    return owners


def _part(
    book: Book, member: str, shared: set[int], cells: Callable[[], frozenset[str]], people: dict[str, None]
) -> tuple[str, list[str]]:
    """What a part is, and its texts; who wrote it is added to `people`."""
    data = book.read(member)
    if member.endswith(".rels"):
        return "hyperlinks", [text for item in _external(data) if has_content(text := item["Target"])]
    if member == _STRINGS:
        return "unused strings", _unused(data, shared)
    if member == "xl/styles.xml":
        return "formats", _of_styles(markup.texts(data))
    if member in ("content.xml", "styles.xml", "settings.xml") and _WORKBOOK not in book.members:
        from piiscan.io.workbooks import opendocument

        return opendocument.texts(member, data)
    kind = next((kind for pattern, kind in _KINDS if re.fullmatch(pattern, member)), "other parts")
    found = _texts(data, kind)
    if member == _WORKBOOK:
        return "names and settings", [text for t in found for text in _of_workbook(t)]
    said = [t.text for t in found if _is_said(t, kind) and not _is_author(t, kind)]
    people.update(_authors(found, kind))
    if kind in ("tables", "drawings"):
        return kind, _without_copies(said, found, cells)
    return kind, _without_sheets(said, book) if kind == "properties" else said


def _of_styles(found: Sequence[Text]) -> list[str]:
    """The words in formats of numbers, and the names of styles that somebody chose."""
    codes = [t.text for t in found if t.attribute == "formatCode"]
    words = [text for code in codes for text in literals.of_number_format(code) if has_content(text)]
    return words + [t.text for t in found if t.attribute == "name" and is_striking(t.text)]


def _without_copies(said: Sequence[str], found: Sequence[Text], cells: Callable[[], frozenset[str]]) -> list[str]:
    """What tables and drawings say beside copies of cells, and the literals of their formulas."""
    formulas = [t.text for t in found if t.attribute is None and t.element.endswith("Formula")]
    known = cells() if said else frozenset()
    return [text for text in said if text not in known and text not in formulas] + literals.of_formulas(formulas)


def _without_sheets(said: Sequence[str], book: Book) -> list[str]:
    """Properties without names of programs and of sheets, which are reported as names."""
    names = set(book.sheets.values())
    return [
        text
        for text in said
        if not authors.is_nobody(text) and text not in names and text.rpartition("!")[0].strip("'") not in names
    ]


def _texts(data: bytes, kind: str) -> list[Text]:
    try:
        return markup.texts(data, _SKIPPED.get(kind, ()))
    except ReadError:
        if kind == "drawings" and b"<!DOCTYPE" not in data:
            return markup.without_tags(data)  # VML, as programs of its time wrote it
        raise


def _is_said(item: Text, kind: str) -> bool:
    if item.attribute is not None:
        allowed = _ATTRIBUTES.get(kind)
        if allowed is not None and item.attribute not in allowed:
            return False
        if (
            item.attribute in ("name", "displayName")
            and kind != "properties"
            and kind != "persons"
            and _GENERATED.fullmatch(item.text)
        ):
            return kind == "tables" and item.element == "tableColumn" and not item.text.startswith("Column")
    return has_content(item.text)


def _authors(found: Sequence[Text], kind: str) -> dict[str, None]:
    """Who wrote a part, and what it belongs to."""
    return {t.text: None for t in found if _is_author(t, kind) and not authors.is_nobody(t.text)}


def _is_author(item: Text, kind: str) -> bool:
    return has_content(item.text) and (item.attribute or item.element) in _AUTHORS.get(kind, ())


def _of_workbook(item: Text) -> list[str]:
    if item.attribute is None:
        return (
            literals.of_formulas([item.text]) if item.element == "definedName" else [item.text] * has_content(item.text)
        )
    is_text = item.attribute in ("url", "userName", "comment", "description", "help", "statusBar", "customMenu") or (
        item.element == "definedName" and item.attribute == "name" and is_striking(item.text)
    )
    return [item.text] if is_text and has_content(item.text) else []


def _external(data: bytes) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    markup.parse(data, lambda _, attributes: found.append(attributes), None, None)
    return [item for item in found if item.get("TargetMode") == "External" and "Target" in item]


def _unused(data: bytes, used: set[int]) -> list[str]:
    """Shared strings that no cell has, and how others are pronounced, which isn't in their cells either."""
    count = data.count(b"<si>") + data.count(b"<si ") + data.count(b"<si/>")
    if count and len(used) >= count and b"rPh" not in data:
        return []
    found: list[str] = []
    number = -1
    held: list[str] = []
    depth = 0

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal number, depth
        name = tag.rpartition(":")[2]
        if name == "si":
            number += 1
            held.clear()
        elif name == "rPh" and depth == 0:
            if number not in used:
                found.append("".join(held))
            held.clear()
            depth = 1

    def end(tag: str) -> None:
        nonlocal depth
        name = tag.rpartition(":")[2]
        if name == "rPh" or (name == "si" and not depth and number not in used):
            found.append("".join(held))
            held.clear()
        if name == "si":
            depth = 0

    markup.parse(data, start, end, held.append)
    return [text.strip() for text in dict.fromkeys(found) if text.strip()]


def _is_binary(book: Book, member: str) -> bool:
    """Whether a part is one of those that xlsb has in records rather than in XML."""
    return "xl/workbook.bin" in book.members and _RECORDS.fullmatch(member) is not None


def _binary_part(book: Book, member: str) -> tuple[str, list[str]]:
    kind = next(
        (kind for pattern, kind in _KINDS if re.fullmatch(pattern, member.replace(".bin", ".xml"))),
        "names and settings",
    )
    if member.startswith(("xl/worksheets/", "xl/chartsheets/")):
        return "settings", runs.of_sheet(book.read(member))
    return kind, runs.texts(book.read(member), False)


def _is_markup(book: Book, member: str) -> bool:
    if member.endswith((".xml", ".rels", ".vml")):
        return True
    with book.archive.open(book.members[member]) as part:
        return part.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<xml", b"<html"))


def _why(member: str) -> str:
    """Why a part isn't read."""
    if member.endswith("vbaproject.bin") or member.startswith("basic/"):
        return "macros, which aren't read; save the workbook without them"
    return "a part of a kind that isn't read; save the workbook again as .xlsx, or export its sheets as CSV"


def _within(book: Book, entry: zipfile.ZipInfo, options: ReadOptions, read: ReadContent) -> Iterator[Item]:
    """What is embedded in a workbook, such as another one."""
    source = f"{book.content.source}!{entry.filename}"
    for item in within(book.archive, entry, source, options, read, "workbook"):
        if isinstance(item, ReadTable):
            yield left_out(item)
        elif isinstance(item, NotScanned | InName):
            yield item
