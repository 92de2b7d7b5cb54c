"""Rows of delimited text one by one: where a block has something that the fast way can't place, such as a row that is too short.

A row in which nothing changes keeps its bytes, whatever is wrong with it. In one that changes, the other cells keep theirs where it can be told
which they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from piiscan.io.delimited import Reader, fit
from piiscan.io.sniff import Dialect
from piiscan.io.splitting import records
from piiscan.io.write import cells as whole
from piiscan.io.write.change import Change, Changed, applied, where
from piiscan.types import Batch, TableInfo

if TYPE_CHECKING:
    import polars as pl

Record = tuple[list[str], list[bytes]]
"""The cells of a row as read, and its lines."""


def header(lines: Sequence[bytes], change: Change, info: TableInfo, reader: Reader) -> bytes:
    """The line that names the columns, which may begin as a comment does."""
    text = b"".join(lines).decode("utf-8", reader.encoding.errors)
    fields = [info.fields[column.origin] for column in change.columns]
    if len(fields) == len(info.fields) and all(column.field.name == f.name for column, f in zip(change.columns, fields, strict=True)):
        return b"".join(lines)
    body = text.rstrip("\r\n")
    comment = body[: len(body) - len(body.lstrip("#%/;- "))] if body[:1] in "#%/-;" else ""
    names = [field.name for field in info.fields if field.name is not None]  # those past its end have none
    raw = _raw(body.removeprefix(comment), names, reader.dialect)
    if raw is None:
        raw = [_quoted(name, reader.dialect, False) for name in names]
    out = [
        raw[column.origin]
        if column.field.name == field.name and column.origin < len(raw)
        else _quoted(column.field.name, reader.dialect, False)
        if column.field.name is not None
        else None
        for column, field in zip(change.columns, fields, strict=True)
    ]
    return (comment + _joined(out, reader.dialect) + text[len(body) :]).encode()


def rewritten(found: Sequence[Record], change: Change, info: TableInfo, reader: Reader, row: int) -> Iterator[bytes]:
    """The rows of a block written again."""
    import polars as pl

    width, dialect = reader.dialect.width, reader.dialect
    for start in range(0, len(found), reader.options.batch_rows):
        part = found[start : start + reader.options.batch_rows]
        values = [fit(cells, width, dialect.delimiter) for cells, _ in part]
        frame = pl.DataFrame(values, schema={str(i): pl.String for i in range(width)}, orient="row")
        changed = applied(change, Batch(frame, row + start), info)
        kept = range(len(part)) if changed.kept is None else changed.kept.arg_true().to_list()
        new = _new_cells(change, changed, frame, info, dialect)
        lacks = len(change.columns) < width
        yield b"".join(
            b"".join(part[at][1])
            if not lacks and all(cells[i] is None for cells in new)
            else _line(part[at], [c[i] for c in new], change, reader)
            for i, at in enumerate(kept)
        )


def _new_cells(
    change: Change, changed: Changed, frame: pl.DataFrame, info: TableInfo, dialect: Dialect
) -> list[list[tuple[str | None, str] | None]]:
    """For each column of the output, the new cells as they are and with quotes where they need them; None for those that stay."""
    out: list[list[tuple[str | None, str] | None]] = []
    for i, column in enumerate(change.columns):
        old = frame.to_series(column.origin)
        old = old if changed.kept is None else old.filter(changed.kept)
        if column.same:
            out.append([None] * old.len())
            continue
        new = whole.as_text(changed.frame[str(i)])
        text = whole.written(new, dialect, None, f"{where(info)}, column {column.origin}")
        stays = new.eq_missing(old).to_list()
        out.append([None if same else (a, b or "") for same, a, b in zip(stays, new.to_list(), text.to_list(), strict=True)])
    return out


def _line(record: Record, new: Sequence[tuple[str | None, str] | None], change: Change, reader: Reader) -> bytes:
    cells, lines = record
    dialect = reader.dialect
    text = b"".join(lines).decode("utf-8", reader.encoding.errors)
    body = text.rstrip("\r\n")
    raw = _raw(body, cells, dialect)
    if raw is None:
        always = bool(dialect.quote) and body.startswith(dialect.quote or "") and body.endswith(dialect.quote or "")
        raw = [_quoted(cell, dialect, always) for cell in cells]
    if len(raw) > dialect.width:
        raw = [*raw[: dialect.width - 1], dialect.delimiter.join(raw[dialect.width - 1 :])]
    out: list[str | None] = []
    for column, cell in zip(change.columns, new, strict=True):
        old = raw[column.origin] if column.origin < len(raw) else None
        if cell is None:
            out.append(old)
        elif cell[0] is not None and old and dialect.quote and old.startswith(dialect.quote) and not cell[1].startswith(dialect.quote):
            out.append(_quoted(cell[0], dialect, True))
        else:
            out.append(cell[1])
    return (_joined(out, dialect) + text[len(body) :]).encode()


def _raw(body: str, cells: Sequence[str], dialect: Dialect) -> list[str] | None:
    """The cells of a row as they stand in it, None where that can't be told."""
    if dialect.quote is None or dialect.quote not in body:
        raw = body.split(dialect.delimiter)
        return raw if [cell.lstrip(" ") if dialect.skip_space else cell for cell in raw] == list(cells) else None
    data = body.encode()
    mark = whole.unused(data)
    text = None if mark is None or not dialect.is_plain else whole.marked(data, dialect, mark)
    if mark is None or text is None:
        return None
    sign, quote = mark.decode(), dialect.quote
    parts = [row for row, _ in records(iter(text.decode().splitlines(keepends=True)), dialect.delimiter, quote, False, False)]
    if len(parts) != 1 or [cell.removeprefix(sign) for cell in parts[0]] != list(cells):
        return None
    raw = [quote + cell[1:].replace(quote, quote * 2) + quote if cell.startswith(sign) else cell for cell in parts[0]]
    return raw if dialect.delimiter.join(raw) == body else None


def _quoted(cell: str, dialect: Dialect, always: bool) -> str:
    """A cell with quotes where it needs them."""
    quote = dialect.quote
    special = (dialect.delimiter, "\n", "\r", quote or "\n", "\\" if dialect.escape else "\n")
    if quote is None or not (always or any(mark in cell for mark in special) or (dialect.skip_space and cell.startswith(" "))):
        return cell
    text = cell.replace("\\", "\\\\") if dialect.escape else cell
    return quote + text.replace(quote, "\\" + quote if dialect.escape else quote * 2) + quote


def _joined(cells: list[str | None], dialect: Dialect) -> str:
    """A row; it ends where the cells that it has end."""
    while cells and cells[-1] is None:
        cells.pop()
    return dialect.delimiter.join(cell or "" for cell in cells)
