"""Workbooks (xlsx, xlsm, xlsb, xls, ods): every sheet, hidden ones too, by calamine.

What else is in them is read by `piiscan.io.workbooks.workbook_parts`.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core import shares
from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import Field, InName, NotScanned, Table, TableInfo
from piiscan.io.content import Content, ReadContent, ReadTable, describe
from piiscan.io.delimited.heading import find_heading, heading_notes
from piiscan.io.printed_names import named
from piiscan.io.read_options import ReadOptions
from piiscan.io.workbooks import workbook_size

if TYPE_CHECKING:
    import polars as pl


class Sheet(NamedTuple):
    """All cells of a sheet as text, from its first filled row and column on.

    The table, with its `header` (0 to 3 rows), begins at row `first`.
    """

    content: Content
    name: str
    cells: pl.DataFrame
    first: int
    header: int


BETWEEN_CELLS: Final = "\t"
"""What divides the cells of a title line, so that a label in one of them announces the next."""
_SAMPLE_ROWS = 1000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


_WITH_COPIES: Final = ("xl/tables/", "xl/charts/", "xl/drawings/")
"""Parts that may repeat what is in cells."""
_PICTURES: Final = ("xl/media/", "pictures/")
_PARTLY: Final = (
    "of comments, drawings, headers and formulas in this binary format only runs of Latin letters are read; save "
    "it as .xlsx to have all of them read"
)


def tables(content: Content, options: ReadOptions, read: ReadContent) -> Iterator[Table | NotScanned | InName]:
    """The tables of a workbook, sheet by sheet, with a table for the title lines over one.

    Cells are text, as displayed without number formats. `read`: reads what is embedded. Raises `ReadError` where it is
    encrypted, malformed or above `document_bytes`.
    """
    import fastexcel

    if (unread := _account(content)) is not None:
        yield NotScanned(content.source, unread)

    for name in ("fastexcel", "calamine"):  # a log may hold anything
        logger = logging.getLogger(name)
        logger.handlers = logger.handlers or [logging.NullHandler()]
        logger.propagate = False
    _check_size(content, options)
    with content.open() as file:
        data = file.read()
    try:
        book = fastexcel.read_excel(data)
    except Exception as error:
        is_large = "limit exceeded" in str(error).lower()
        raise ReadError(_too_many_cells(options) if is_large else _reason(error, data)) from None
    is_ole = data.startswith(_OLE)
    del data
    parts = _parts(content)
    copied = any(part.startswith(_WITH_COPIES) for part in parts)
    notes = tuple(_notes(parts, is_ole))
    known: set[str] = set()
    for name in book.sheet_names:
        try:
            frame = book.load_sheet(name, header_row=None, dtypes="string").to_polars()
        except Exception as error:
            if "not a valid worksheet" not in str(error):
                yield NotScanned(content.source, "malformed sheet; save the workbook again", name)
            continue
        if copied:
            known.update(text for column in frame.iter_columns() for text in column.unique().to_list() if text)
        if frame.width > options.limits.columns:
            yield NotScanned(content.source, f"more than {options.limits.columns} columns", name)
        elif not frame.height:
            yield from named(content.source, name, options.rules)
        else:
            yield from _sheet(content, name, frame, options, notes)
    if is_ole:
        from piiscan.io.workbooks import xls_texts

        yield from xls_texts.other_texts(content, options)
    else:
        from piiscan.io.workbooks import workbook_parts

        yield from workbook_parts.other_texts(content, lambda: frozenset(known), options, read)


def _check_size(content: Content, options: ReadOptions) -> None:
    """Raises `ReadError` for a workbook that is too large to be held in memory."""
    limit = options.limits.document_bytes
    if _unpacked(content) > limit:
        raise ReadError(f"a workbook above {limit >> 20} MiB; export its sheets as CSV, which is read piecewise")
    size, most = workbook_size.of(content), shares.document()
    cells = size.cells
    if content.head(len(_OLE)) == _OLE:
        from piiscan.io.workbooks.xls_texts import sheet_cells

        cells = sheet_cells(content)
    if cells > options.limits.sheet_cells:
        raise ReadError(_too_many_cells(options))
    if size.memory > most:
        raise ReadError(
            f"a workbook that takes about {size.memory >> 20:,} MiB of memory, and {most >> 20:,} are there for it; "
            "allow more with --memory, or export its sheets as CSV, which is read piecewise"
        )


def _too_many_cells(options: ReadOptions) -> str:
    return (
        f"a sheet of more than {options.limits.sheet_cells:,} cells, empty ones counted; export it as CSV, or "
        "clear what is far off"
    )


def _parts(content: Content) -> list[str]:
    """The names of its parts in small letters, none where it is no zip archive."""
    with suppress(*workbook_size.FAULTS), content.open() as file, zipfile.ZipFile(file) as archive:
        return [name.lower().lstrip("/") for name in archive.namelist()]
    return []


def _notes(parts: Sequence[str], is_ole: bool) -> Iterator[str]:
    """What isn't read, beside the cells."""
    if is_ole or "xl/workbook.bin" in parts:
        yield _PARTLY
    if pictures := sum(part.startswith(_PICTURES) for part in parts):
        yield f"{'1 picture' if pictures == 1 else f'{pictures:,} pictures'} in the workbook, which nobody looked at"


def _sheet(
    content: Content, name: str, frame: pl.DataFrame, options: ReadOptions, notes: tuple[str, ...]
) -> Iterator[ReadTable]:
    import polars as pl

    width = frame.width
    frame = frame.rename({old: str(i) for i, old in enumerate(frame.columns)}).select(
        pl.all().cast(pl.String).fill_null("")
    )
    rows = [list(row) for row in frame.head(_SAMPLE_ROWS).rows()]
    declared = False if options.header is None and name in options.headless else options.header
    heading = find_heading(rows, width, declared, merged=True)
    first, header = heading.first, heading.rows
    body = frame.slice(first + header)
    details = (*((("preamble lines", str(first)),) if first else ()), *describe(content))
    fields = tuple(Field(cell or None) for cell in heading.names)
    info = TableInfo(content.source, name, "excel", bool(header), fields, details, (*heading_notes(heading), *notes))
    yield ReadTable(
        info, lambda: sliced(body, options.batch_rows), options.rows, Sheet(content, name, frame, first, header)
    )
    if first:
        top = frame.head(first).select(pl.concat_str(pl.all(), separator=BETWEEN_CELLS).str.strip_chars().alias("0"))
        info = TableInfo(content.source, f"{name} (preamble)", "text", False, (Field("text"),), describe(content))
        yield ReadTable(info, lambda: iter((top,)), options.rows, Sheet(content, name, frame, first, header))


def _account(content: Content) -> str | None:
    """Account for the bytes of a workbook: those of the zip archive that it is, all of an older one.

    Returns what in it isn't read, if any.
    """
    from piiscan.io.archives.zipped import account as account_zip
    from piiscan.io.archives.zipped import notes

    try:
        with content.open() as raw, zipfile.ZipFile(raw) as archive:
            account_zip(content, raw, archive)
            return "comments of its zip archive; save it again with its program" if notes(archive) else None
    except (zipfile.BadZipFile, ValueError):
        if content.head(len(_OLE)) == _OLE:
            from piiscan.io.workbooks.xls_texts import end_of

            end = min(end_of(content), content.size)
            content.account.read(0, end)
            with content.open() as raw:
                raw.seek(end)
                if raw.read().strip(b"\0"):
                    return None
        content.read_whole()
        return None


def _unpacked(content: Content) -> int:
    """Bytes that the workbook takes once unpacked, as it says."""
    try:
        with content.open() as file, zipfile.ZipFile(file) as archive:
            return sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OverflowError):
        return content.size


def _reason(error: Exception, data: bytes) -> str:
    if (
        "EncryptedPackage".encode("utf-16-le") in data
        or "password" in str(error).lower()
        or "encrypt" in str(error).lower()
    ):
        return "encrypted workbook; save it without a password"
    return "malformed workbook; save it again in its program, or export CSV"
