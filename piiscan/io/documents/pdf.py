"""PDF files: the text of their pages, and whatever else people wrote in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from piiscan.core import shares
from piiscan.core.errors import MissingExtra, ReadError
from piiscan.core.types import Found, NotScanned
from piiscan.io import asides, authors
from piiscan.io.content import Content, ReadContent, ReadTable, describe, spool
from piiscan.io.documents.documents import grid_table, lines_table
from piiscan.io.documents.grids import GridTable
from piiscan.io.printed_names import Members
from piiscan.io.read_options import Budget, ReadOptions

if TYPE_CHECKING:
    from piiscan.io.documents.pdf_file import PdfFile
    from piiscan.io.documents.pdf_objects import Objects

FORMAT: Final = "pdf"
TABLE: Final = "pdf table"
INSTALL: Final = "PDF files need an optional package: pip install 'piiscan-toolkit[pdf]'"
_PEOPLE: Final = ("Author",)


def tables(content: Content, options: ReadOptions, read: ReadContent) -> Iterator[Found]:
    """The text of each page, form fields and authors, then what is written elsewhere, and attached files.

    `read`: reads what is attached. Raises `ReadError` where it can't be read at all.
    """
    try:
        from piiscan.io.documents.pdf_file import PdfFile
    except ImportError:  # it is missing, or of another version
        raise MissingExtra(INSTALL) from None
    most = min(options.limits.document_bytes, shares.document() // 2)
    if content.size > most:
        raise ReadError(
            f"a PDF file of {content.size >> 20:,} MiB, of which {most >> 20:,} fit into memory; allow more with "
            "--memory, or save it in parts"
        )
    with content.open() as raw:
        file = PdfFile(raw, content.size)
        for number in range(1, file.pages + 1):
            if lines := file.page(number):
                made = lines_table(content, lines, options, describe(content), FORMAT)
                yield made._replace(info=made.info._replace(table=f"page {number}"))
            content.account.at = content.size * number // file.pages
        file.objects()
        yield from _beside(content, file.found, options)
        yield from _attached(content, file, options, read)
        content.read_whole()
        for reason in file.reasons():
            yield NotScanned(content.source, reason)


def _beside(content: Content, found: Objects, options: ReadOptions) -> Iterator[ReadTable]:
    """Form fields, authors, and what properties, comments, links and bookmarks say."""
    details = describe(content)
    if found.values:
        fields = lines_table(content, list(found.values), options, details, FORMAT)
        yield fields._replace(info=fields.info._replace(table="form"))
    people = dict.fromkeys(found.properties[name] for name in _PEOPLE if name in found.properties)
    people.update(found.texts.authors)
    if rows := [[name] for name in people if not authors.is_nobody(name)]:
        yield grid_table(content, "authors", GridTable(["author"], rows), options, details, TABLE)
    if not options.asides:
        return
    properties = [f"{name}: {value}" for name, value in found.properties.items() if name not in _PEOPLE]
    for name, lines in (("#properties", properties), ("#markup", list(found.texts.markup))):
        if lines:
            yield asides.texts(content, name, lines, copied=True)


def _attached(content: Content, file: PdfFile, options: ReadOptions, read: ReadContent) -> Iterator[Found]:
    names, budget = Members(content.source, options.rules), Budget(options.limits)
    for number, name in file.found.attached.items():
        printed, found = names.printed(name.replace("\\", "/").rpartition("/")[2] or f"attachment {number}")
        yield from found
        source = f"{content.source}!{printed}"
        data = file.data(number)
        if data is None:
            yield NotScanned(source, "damaged, or larger than may be read; save it on its own")
            continue
        stored = spool()
        stored.write(data)
        stored.flush()
        for item in read(Content.temporary(source, stored), False, options, budget, 1):
            yield _copied(item) if isinstance(item, ReadTable) else item


def _copied(table: ReadTable) -> ReadTable:
    """A table of an attached file, which is where the document is."""
    if asides.is_aside(table.info):
        return table
    return table._replace(info=table.info._replace(details=(*table.info.details, asides.COPIED)), origin=None)
