"""Rows of delimited text one by one, for blocks with something irregular such as a row that is too short.

A row in which nothing changes keeps its bytes, whatever is wrong with it. In one that changes, the other cells keep
theirs where it can be told which they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from piiscan.core.types import Batch, TableInfo
from piiscan.io.delimited.delimited import Reader, fit
from piiscan.io.delimited.sniff import Dialect
from piiscan.io.delimited.splitting import records
from piiscan.io.write import delimited_cells as whole
from piiscan.io.write.change import Change, Changed, applied, where

if TYPE_CHECKING:
    import polars as pl

Record = tuple[list[str], list[bytes]]
"""The cells of a row as read, and its lines."""


def header(lines: Sequence[bytes], change: Change, info: TableInfo, reader: Reader) -> bytes:
    """The line or lines that name the columns, which may begin as a comment does.

    Several lines become one where a column gets a new name, or where no two groups are left.
    """
    old = [field.name for field in info.fields]
    new = {column.origin: column.field.name for column in change.columns}
    if new == dict(enumerate(old)):
        return b"".join(lines)
    data = b"".join(lines)
    comment = data[: len(data) - len(data.lstrip(b"#%/;- "))] if data[:1] in (b"#", b"%", b"/", b"-", b";") else b""
    rows = [(cells, _ended(b"".join(found), reader)) for cells, found in reader.records(data[len(comment) :], True)]
    if len(rows) > 1 and (any(name != old[i] for i, name in new.items()) or not has_groups(rows[0][0], new)):
        rows = [([name or "" for name in old], ("", rows[-1][1][1]))]
    is_only = len(rows) == 1
    out = []
    for cells, (body, end) in rows:
        raw = _raw_header(cells, body, reader.dialect)
        held = spread(cells, new, old if is_only else None)
        written: list[str | None] = []
        for i, name in new.items():
            if is_only and name is not None and name != old[i]:
                written.append(_quoted(name, reader.dialect, False))
            else:
                at = held.get(i, i)
                written.append(raw[at] if at < len(raw) else None)
        out.append(_joined(written, reader.dialect) + end)
    return comment + "".join(out).encode()


def _raw_header(cells: Sequence[str], body: str, dialect: Dialect) -> Sequence[str | None]:
    """The cells of a line as in the file, or quoted again where that can't be determined."""
    return (_raw(body, cells, dialect) if body else None) or [_quoted(cell, dialect, False) for cell in cells]


def _ended(line: bytes, reader: Reader) -> tuple[str, str]:
    """A line's text, and how it ends."""
    text = line.decode("utf-8", reader.encoding.errors)
    body = text.rstrip("\r\n")
    return body, text[len(body) :]


def spread(cells: Sequence[str], kept: Mapping[int, str | None], names: Sequence[str | None] | None) -> dict[int, int]:
    """Choose which empty header cells must be filled, and from which cell.

    A name that spans columns is in the first of them, which may be left out or get a new name. `kept`: the columns of
    the output with their names; `names`: those of the input where the line alone names them, so that only a column that
    took its neighbour's is spanned.
    """
    found: dict[int, int] = {}
    owner = None
    for i, cell in enumerate(cells):
        if cell.strip():
            owner = i
        elif names is not None and not (names[i] or "").strip():
            owner = None
        elif i in kept and owner is not None and owner not in found.values() and _is_lost(owner, kept, names):
            found[i] = owner
    return found


def has_groups(cells: Sequence[str], kept: Mapping[int, str | None]) -> bool:
    """Whether the upper of two header lines still makes sense above the columns of the output.

    That is where at least two groups have names.
    """
    owners = [max((j for j in range(i + 1) if j < len(cells) and cells[j].strip()), default=None) for i in kept]
    return len(kept) > 2 and len({cells[i] for i in owners if i is not None}) > 1


def _is_lost(owner: int, kept: Mapping[int, str | None], names: Sequence[str | None] | None) -> bool:
    return owner not in kept or (names is not None and kept[owner] != names[owner])


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
    """For each column of the output, the new cells as they are and with quotes where they need them.

    None for columns that stay.
    """
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
        out.append(
            [None if same else (a, b or "") for same, a, b in zip(stays, new.to_list(), text.to_list(), strict=True)]
        )
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
        elif (
            cell[0] is not None
            and old
            and dialect.quote
            and old.startswith(dialect.quote)
            and not cell[1].startswith(dialect.quote)
        ):
            out.append(_quoted(cell[0], dialect, True))
        else:
            out.append(cell[1])
    return (_joined(out, dialect) + text[len(body) :]).encode()


def _raw(body: str, cells: Sequence[str], dialect: Dialect) -> list[str] | None:
    """The cells of a row as in the file, None where that can't be determined."""
    if dialect.quote is None or dialect.quote not in body:
        raw = body.split(dialect.delimiter)
        return raw if [cell.lstrip(" ") if dialect.skip_space else cell for cell in raw] == list(cells) else None
    data = body.encode()
    mark = whole.unused(data)
    text = None if mark is None or not dialect.is_plain else whole.marked(data, dialect, mark)
    if mark is None or text is None:
        return None
    sign, quote = mark.decode(), dialect.quote
    parts = [
        row
        for row, _ in records(
            iter([line + "\n" for line in text.decode().split("\n")]), dialect.delimiter, quote, False, False
        )
    ]
    if len(parts) != 1 or [cell.removeprefix(sign) for cell in parts[0]] != list(cells):
        return None
    raw = [quote + cell[1:].replace(quote, quote * 2) + quote if cell.startswith(sign) else cell for cell in parts[0]]
    return raw if dialect.delimiter.join(raw) == body else None


def _quoted(cell: str, dialect: Dialect, always: bool) -> str:
    """A cell with quotes where it needs them."""
    quote = dialect.quote
    special = (dialect.delimiter, "\n", "\r", quote or "\n", "\\" if dialect.escape else "\n")
    if quote is None or not (
        always or any(mark in cell for mark in special) or (dialect.skip_space and cell.startswith(" "))
    ):
        return cell
    text = cell.replace("\\", "\\\\") if dialect.escape else cell
    return quote + text.replace(quote, "\\" + quote if dialect.escape else quote * 2) + quote


def _joined(cells: list[str | None], dialect: Dialect) -> str:
    """A row; it ends where the cells that it has end."""
    while cells and cells[-1] is None:
        cells.pop()
    return dialect.delimiter.join(cell or "" for cell in cells)
