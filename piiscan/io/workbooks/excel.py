"""Workbooks (xlsx, xlsm, xlsb, xls, ods): every sheet, hidden ones too, by calamine; what else is in them, by
`piiscan.io.workbooks.workbook_parts`."""

from __future__ import annotations

import logging
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import Field, InName, NotScanned, Table, TableInfo
from piiscan.io.content import Content, ReadContent, ReadTable, describe
from piiscan.io.delimited.heading import find_heading, heading_notes
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl


class Sheet(NamedTuple):
    """All cells of a sheet as text, from its first filled row and column on; the table, with its `header` (0, 1 or 2
    rows), begins at row `first`."""

    content: Content
    name: str
    cells: pl.DataFrame
    first: int
    header: int


_SAMPLE_ROWS = 1000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_COLUMN = re.compile(rb'r="([A-Z]{1,3})[0-9]')
_ROW = re.compile(rb'r="[A-Z]{1,3}([0-9]{1,7})"')
_FAULTS = (zipfile.BadZipFile, zlib.error, ValueError, OverflowError, NotImplementedError, RuntimeError, EOFError)


_PARTLY: Final = (
    "of comments, drawings, headers and formulas in this binary format only runs of Latin letters are read; save "
    "it as .xlsx to have all of them read"
)


def tables(content: Content, options: ReadOptions, read: ReadContent) -> Iterator[Table | NotScanned | InName]:
    """The tables of a workbook, sheet by sheet, with a table for the title lines over one. Cells are text, as displayed
    without number formats. `read`: reads what is embedded. Raises `ReadError` where it is encrypted, malformed or above
    `document_bytes`."""
    import fastexcel

    if (unread := _account(content)) is not None:
        yield NotScanned(content.source, unread)

    for name in ("fastexcel", "calamine"):  # a log may hold anything
        logger = logging.getLogger(name)
        logger.handlers = logger.handlers or [logging.NullHandler()]
        logger.propagate = False
    limit = options.limits.document_bytes
    if _unpacked(content) > limit:
        raise ReadError(f"a workbook above {limit >> 20} MiB; export its sheets as CSV, which is read piecewise")
    large = (
        f"a sheet of more than {options.limits.sheet_cells:,} cells, empty ones counted; export it as CSV, or "
        "clear what is far off"
    )
    if _cells(content) > options.limits.sheet_cells:
        raise ReadError(large)
    with content.open() as file:
        data = file.read()
    try:
        book = fastexcel.read_excel(data)
    except Exception as error:
        raise ReadError(large if "limit exceeded" in str(error).lower() else _reason(error, data)) from None
    is_ole = data.startswith(_OLE)
    del data
    copied = _has_copies(content)
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
        elif frame.height:
            yield from _sheet(content, name, frame, options, (_PARTLY,) if is_ole or _is_xlsb(content) else ())
    if is_ole:
        from piiscan.io.workbooks import xls_texts

        yield from xls_texts.other_texts(content, options)
    else:
        from piiscan.io.workbooks import workbook_parts

        yield from workbook_parts.other_texts(content, lambda: frozenset(known), options, read)


def _has_copies(content: Content) -> bool:
    """Whether parts of the workbook repeat cells of its sheets: the headers of tables, the values of charts."""
    with suppress(*_FAULTS), content.open() as file, zipfile.ZipFile(file) as archive:
        return any(name.lower().startswith(("xl/tables/", "xl/charts/", "xl/drawings/")) for name in archive.namelist())
    return False


def _is_xlsb(content: Content) -> bool:
    with suppress(*_FAULTS), content.open() as file, zipfile.ZipFile(file) as archive:
        return "xl/workbook.bin" in archive.namelist()
    return False


def _sheet(
    content: Content, name: str, frame: pl.DataFrame, options: ReadOptions, notes: tuple[str, ...]
) -> Iterator[ReadTable]:
    import polars as pl

    width = frame.width
    frame = frame.rename({old: str(i) for i, old in enumerate(frame.columns)}).select(
        pl.all().cast(pl.String).fill_null("")
    )
    rows = [list(row) for row in frame.head(_SAMPLE_ROWS).rows()]
    heading = find_heading(rows, width, options.header, merged=True)
    first, header = heading.first, heading.rows
    body = frame.slice(first + header)
    details = (*((("preamble lines", str(first)),) if first else ()), *describe(content))
    fields = tuple(Field(cell or None) for cell in heading.names)
    info = TableInfo(content.source, name, "excel", bool(header), fields, details, (*heading_notes(heading), *notes))
    yield ReadTable(
        info, lambda: sliced(body, options.batch_rows), options.rows, Sheet(content, name, frame, first, header)
    )
    if first:
        top = frame.head(first).select(pl.concat_str(pl.all(), separator=" ").str.strip_chars().alias("0"))
        info = TableInfo(content.source, f"{name} (preamble)", "text", False, (Field("text"),), describe(content))
        yield ReadTable(info, lambda: iter((top,)), options.rows, Sheet(content, name, frame, first, header))


def _account(content: Content) -> str | None:
    """Account for the bytes of a workbook: those of the zip archive that it is, all of an older one. What in it
    isn't read, if any."""
    from piiscan.io.archives.zipped import account as account_zip
    from piiscan.io.archives.zipped import notes

    try:
        with content.open() as raw, zipfile.ZipFile(raw) as archive:
            account_zip(content, raw, archive)
            return "comments of its zip archive; save it again with its program" if notes(archive) else None
    except (zipfile.BadZipFile, ValueError):
        content.read_whole()
        return None


def _unpacked(content: Content) -> int:
    """Bytes that the workbook takes once unpacked, as it says."""
    try:
        with content.open() as file, zipfile.ZipFile(file) as archive:
            return sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OverflowError):
        return content.size


def _cells(content: Content) -> int:
    """How many cells the largest sheet of an xlsx workbook spans, 0 for other kinds. Two filled ones in opposite
    corners make a reader allocate 17 billion, which would end the process."""
    most = 0
    with suppress(*_FAULTS), content.open() as file, zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            if name.startswith("xl/") and name.endswith(".xml") and not name.endswith("/sharedStrings.xml"):
                with archive.open(name) as part:
                    most = max(most, _spanned(part))
    return most


def _spanned(part: IO[bytes]) -> int:
    """Rows times columns of a sheet's XML, by the places its cells are at. Those without one follow each other."""
    columns: set[bytes] = set()
    rows, counted, widest, rest = 0, 0, 0, b""
    while block := part.read(1 << 22):
        cut = block.rfind(b"<")
        data, rest = (rest + block[:cut], block[cut:]) if cut > 0 else (b"", rest + block)
        placed = _COLUMN.findall(data)
        columns.update(placed)
        rows = max(rows, max(map(int, set(_ROW.findall(data))), default=0))
        counted += data.count(b"<row")
        if data.count(b"<c ") + data.count(b"<c>") + data.count(b"<c/>") > len(placed):
            for row in data.split(b"<row"):
                widest = max(widest, row.count(b"<c"))
    letters = max((len(column), column) for column in columns)[1] if columns else b""
    width = 0
    for letter in letters:
        width = 26 * width + letter - 64
    return max(rows, counted) * max(width, widest)


def _reason(error: Exception, data: bytes) -> str:
    if (
        "EncryptedPackage".encode("utf-16-le") in data
        or "password" in str(error).lower()
        or "encrypt" in str(error).lower()
    ):
        return "encrypted workbook; save it without a password"
    return "malformed workbook; save it again in its program, or export CSV"
