"""Workbooks (xlsx): every sheet in order, values and number formats; formulas as their values."""

from __future__ import annotations

import datetime
import re
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.errors import MissingExtra, ReadError
from piiscan.io.cells import literals
from piiscan.io.content import ReadTable
from piiscan.io.printed_names import evident
from piiscan.io.workbooks.excel import BETWEEN_CELLS, Sheet
from piiscan.io.write import workbook_file
from piiscan.io.write.change import Change, applied, writing
from piiscan.io.write.delimited_rows import has_groups, spread

if TYPE_CHECKING:
    import polars as pl

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MOST_DIGITS = 15
_UNIT = 4
_TOGETHER: Final = 4096
"""Rows whose new cells are objects at the same time: they take many times the room of their batch."""
_UNALIGNED = "a sheet whose cells can't be located safely; save the workbook again in its program, or export CSV"

NewCells = dict[int, str | None]
"""Column of a sheet's table → new text."""


class _Block(NamedTuple):
    """What becomes of the rows of a batch, the first of which is the sheet's row `first`.

    `kept`: which stay (None: all); `columns`: the new texts of those that do, and whether each is another one, by the
    place of the column.
    """

    first: int
    height: int
    kept: pl.Series | None
    columns: dict[int, tuple[pl.Series, pl.Series]]

    def edits(self) -> dict[int, NewCells | None]:
        """By the sheet's rows: of those that change."""
        kept = range(self.height) if self.kept is None else self.kept.arg_true().to_list()
        rows: dict[int, NewCells | None] = {self.first + i: None for i in set(range(self.height)) - set(kept)}
        for column, (texts, differs) in self.columns.items():
            for n in differs.arg_true().to_list():
                row = rows.setdefault(self.first + kept[n], {})
                assert row is not None
                row[column] = texts[n]
        return rows


class _New:
    """The changes of a sheet, and the columns that are left out.

    New cells of some of its rows (None: the row goes), then blocks of others in order.
    """

    def __init__(self, rows: dict[int, NewCells | None], blocks: Iterable[_Block], dropped: frozenset[int]) -> None:
        self.dropped = dropped
        self._rows, self._blocks = rows, deque(blocks)

    def edit(self, row: int) -> NewCells | None:
        """Asked for in the order of rows."""
        while self._blocks and self._blocks[0].first <= row:
            self._rows = self._blocks.popleft().edits()
        return self._rows.get(row, {})


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """All sheets of a workbook.

    What isn't a cell (charts, pictures, comments, pivot tables with their copies of cells, styles, macros) stays
    behind.
    """
    try:
        import openpyxl
        from openpyxl.cell import WriteOnlyCell
    except ImportError:
        raise MissingExtra(
            "writing workbooks needs an optional package: pip install 'piiscan-toolkit[excel]'"
        ) from None
    content = tables[0].origin.content
    _supported(content)
    new = {name: _sheet(parts) for name, parts in _by_sheet(tables, changes)}
    texts = {table.origin.name: table.origin.cells for table in tables}
    positions = {table.origin.name: table.info.position for table in reversed(tables)}
    with content.open() as stream, writing(tables[0].info):
        source = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        book = openpyxl.Workbook(write_only=True)
        book.epoch = source.epoch
        book.properties.creator = None
        try:
            for number, sheet in enumerate(source.worksheets):
                out = book.create_sheet(_title(sheet.title, positions.get(sheet.title, number)))
                out.sheet_state = sheet.sheet_state
                workbook_file.write_beside(out, target, number)
                for row in _rows(sheet, texts.get(sheet.title), new.get(sheet.title)):
                    out.append([None if value is None else _cell(WriteOnlyCell(out, value), how) for value, how in row])
            workbook_file.save(book, target)
        except BaseException:
            _forget(book)
            raise


def _title(name: str, position: int) -> str:
    """A sheet's name; where it identifies somebody, as it is printed."""
    return f"table_{position}" if evident(name, None) else name


def _forget(book: Any) -> None:
    """Removes the temporary files of sheets that weren't finished, which the library leaves behind where it fails."""
    for sheet in book.worksheets:
        if (writer := getattr(sheet, "_writer", None)) is not None:
            Path(writer.out).unlink(missing_ok=True)


def _supported(content: Any) -> None:
    names: set[str] = set()
    try:
        with content.open() as stream, zipfile.ZipFile(stream) as archive:
            names = set(archive.namelist())
    except zipfile.BadZipFile:
        pass
    if "xl/workbook.xml" not in names or "xl/vbaProject.bin" in names:
        raise ReadError("a workbook of a kind that is read but not written, or with macros; save it as .xlsx first")


def _by_sheet(
    tables: Sequence[ReadTable], changes: Sequence[Change | None]
) -> Iterator[tuple[str, list[tuple[ReadTable, Change | None]]]]:
    parts: dict[str, list[tuple[ReadTable, Change | None]]] = {}
    for table, change in zip(tables, changes, strict=True):
        parts.setdefault(table.origin.name, []).append((table, change))
    yield from parts.items()


def _sheet(parts: Sequence[tuple[ReadTable, Change | None]]) -> _New:
    """The table of a sheet and the lines above it, whose new text goes into the first of their filled cells."""
    rows: dict[int, NewCells | None] = {}
    blocks: list[_Block] = []
    dropped: frozenset[int] = frozenset()
    for table, change in parts:
        if change is None:
            continue
        origin: Sheet = table.origin
        if table.info.format == "text":
            for block in _blocks(table, change, 0):
                for row, edit in block.edits().items():
                    rows[row] = edit and _over(origin, row, edit[change.columns[0].origin])
            continue
        blocks += _blocks(table, change, origin.first + origin.header)
        dropped = frozenset(range(len(table.info.fields))) - {column.origin for column in change.columns}
        rows |= _header(origin, change, table)
    return _New(rows, blocks, dropped)


def _blocks(table: ReadTable, change: Change, at: int) -> Iterator[_Block]:
    """`at`: the sheet's row that the table's first one is."""
    for batch in table.batches():
        changed = applied(change, batch, table.info)
        columns: dict[int, tuple[pl.Series, pl.Series]] = {}
        for i, column in enumerate(change.columns):
            if column.same:
                continue
            old = batch.frame.to_series(column.origin)
            texts = _text(changed.frame[str(i)])
            columns[column.origin] = texts, texts.ne_missing(old if changed.kept is None else old.filter(changed.kept))
        first = 0  # of the rows that stay
        for start in range(0, batch.frame.height, _TOGETHER):
            height = min(_TOGETHER, batch.frame.height - start)
            kept = None if changed.kept is None else changed.kept.slice(start, height)
            rows = height if kept is None else int(kept.sum())
            some = {
                place: (new.slice(first, rows), other.slice(first, rows)) for place, (new, other) in columns.items()
            }
            yield _Block(at + start, height, kept, some)
            first += rows
        at += batch.frame.height


def _header(origin: Sheet, change: Change, table: ReadTable) -> dict[int, NewCells | None]:
    """The new rows that name the columns.

    Several become one where a column gets a new name, or where no two groups are left.
    """
    old = [field.name for field in table.info.fields]
    new = {column.origin: column.field.name for column in change.columns}
    renamed: NewCells = {i: name for i, name in new.items() if name is not None and name != old[i]}
    if not origin.header:
        return {}
    top = origin.cells.row(origin.first)
    if origin.header > 1 and (renamed or not has_groups(top, new)):
        last = origin.first + origin.header - 1
        return {**dict.fromkeys(range(origin.first, last)), last: {**new}}
    held = spread(top, new, old if origin.header == 1 else None)
    cells: NewCells = {i: top[at] for i, at in held.items()} | renamed
    return {origin.first: cells} if cells else {}


def _over(origin: Sheet, row: int, text: str | None) -> NewCells:
    """The new cells of a title line: each in its place, or all in the first where that can't be determined."""
    filled = [i for i, cell in enumerate(origin.cells.row(row)) if cell]
    parts = [part for part in (text or "").split(BETWEEN_CELLS) if part]
    if len(parts) == len(filled):
        return dict(zip(filled, parts, strict=True))
    return {column: text if n == 0 else None for n, column in enumerate(filled)}


def _text(cells: pl.Series) -> pl.Series:
    import polars as pl

    return cells if cells.dtype == pl.String else cells.cast(pl.String)


def _rows(sheet: Any, texts: pl.DataFrame | None, new: _New | None) -> Iterator[list[tuple[Any, Any]]]:
    """The rows of a sheet with their new values and the cells that tell how they are shown.

    Raises `ReadError` where they don't stand where the scan saw them.
    """
    found = ([cell if cell.value is not None else None for cell in row] for row in sheet.iter_rows())
    top, left, begin = _first_cell(found)
    seen = None if texts is None else texts.iter_rows()
    for i, row in enumerate(chain(begin, found), -top):
        edit: NewCells | None = {}
        if seen is not None:
            _check_alignment(row, next(seen, ()) if i >= 0 else (), left)
            edit = {} if new is None else new.edit(i)
        if edit is None:
            continue
        dropped = new.dropped if new is not None and i >= 0 else frozenset()
        yield [_shown(cell, column, edit) for column, cell in enumerate(row, -left) if column not in dropped]


def _first_cell(rows: Iterator[list[Any]]) -> tuple[int, int, list[list[Any]]]:
    """The first row and the first column with anything in them, and the rows that were read to find out.

    As a rule that is one row, since nothing is further to the left than the first column of all.
    """
    begin: list[list[Any]] = []
    top = left = None
    for row in rows:
        begin.append(row)
        at = next((column for column, cell in enumerate(row) if cell), None)
        if at is None:
            continue
        top = len(begin) - 1 if top is None else top
        left = at if left is None else min(left, at)
        if not left:
            break
    return top or 0, left or 0, begin


def _check_alignment(row: Sequence[Any], seen: Sequence[str | None], left: int) -> None:
    """Raise `ReadError` where a text stands elsewhere than the scan saw it. `left`: columns before the first one."""
    for column, cell in enumerate(row, -left):
        if cell is None or cell.data_type != "s":
            continue
        if column >= len(seen) or seen[column] != cell.value:
            raise ReadError(_UNALIGNED)


def _shown(cell: Any, column: int, edit: NewCells) -> tuple[Any, Any]:
    """A value, the new one where there is one, and the cell that tells how it is shown."""
    value = None if cell is None else cell.value
    return (_typed(value, edit[column]) if column in edit else value), cell


def _typed(old: Any, new: str | None) -> Any:
    """New text as what the old value was, where it reads as one."""
    if new is None or isinstance(old, str) or old is None:
        return new
    if isinstance(old, bool):
        return {"true": True, "false": False}.get(new.lower(), new)
    if isinstance(old, int | float):
        if not _NUMBER.fullmatch(new) or len(new.lstrip("-")) > _MOST_DIGITS:
            return new
        return int(new) if new.lstrip("-").isdigit() else float(new)
    try:
        return (
            type(old).fromisoformat(new) if isinstance(old, datetime.datetime | datetime.date | datetime.time) else new
        )
    except ValueError:
        return new


@of_words(4096)
def _is_plain(number_format: str) -> bool:
    """Whether a format has only its own symbols and units; any other word in it hasn't been checked."""
    return all(len(text.strip()) <= _UNIT for text in literals.of_number_format(number_format))


def _cell(cell: Any, how: Any) -> Any:
    if isinstance(cell.value, str):
        cell.data_type = "s"  # never a formula, whatever it begins with
    elif how is not None:
        cell.number_format = how.number_format if _is_plain(how.number_format) else "General"
    return cell
