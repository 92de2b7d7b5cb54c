"""Messages, and tables in texts: values that change are written where they are, all else stays."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Batch
from piiscan.io.content import ReadTable
from piiscan.io.encodings.encoding import open_text
from piiscan.io.messages import notations
from piiscan.io.messages.records import TEXT, Edit, Notation, Origin, Rows, parsed
from piiscan.io.write.change import CHANGED, Change, applied, reading, where
from piiscan.io.write.encoded import opened


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """All tables of a text of messages."""
    origin: Origin = tables[0].origin
    notation = notations.notation(origin.kind)
    with reading(), open_text(origin.content, origin.encoding, "") as stream:
        text = stream.read()
    has_mark = text.startswith("\ufeff") or (origin.encoding.is_utf8 and origin.content.head(3) == codecs.BOM_UTF8)
    text = text.removeprefix("\ufeff")
    records, _ = parsed(notation.read, text)
    edits: list[Edit] = []
    for table, change in zip(tables, changes, strict=True):
        if change is not None:
            edits += _edits(text, table, change, records.get(table.info.table or TEXT, Rows()), notation)
    if notation.fitted is not None:
        edits = notation.fitted(text, edits)
    with opened(target, origin.content, origin.encoding) as out:
        out.write(codecs.BOM_UTF8 if has_mark else b"")
        for part in _spliced(text, sorted(edits)):
            out.write(part.encode("utf-8", "replace"))
    origin.content.read_whole()


def _edits(text: str, table: ReadTable, change: Change, rows: Rows, notation: Notation) -> Iterator[Edit]:
    if any(column.field.name != table.info.fields[column.origin].name for column in change.columns):
        raise UsageError(f"{where(table.info)}: columns of {table.info.format} keep their names")
    at = 0
    for batch in table.batches():
        if at + batch.frame.height > len(rows) or batch.frame.width != len(rows.columns):
            raise ReadError(CHANGED)
        yield from _of_batch(rows, at, batch, table, change, notation)
        at += batch.frame.height
    if at < len(rows):
        raise ReadError(CHANGED)


def _of_batch(
    rows: Rows, first: int, batch: Batch, table: ReadTable, change: Change, notation: Notation
) -> Iterator[Edit]:
    changed = applied(change, batch, table.info)
    kept = [True] * batch.frame.height if changed.kept is None else changed.kept.to_list()
    place = [at - stays for at, stays in zip(accumulate(kept), kept, strict=True)]
    for row, stays in enumerate(kept, first):
        if not stays:
            yield rows.starts[row], rows.ends[row], ""
    columns = {column.origin: None if column.same else changed.frame[str(i)] for i, column in enumerate(change.columns)}
    for origin, at in enumerate(rows.places):
        new = columns.get(origin)
        if new is None and origin in columns:
            continue
        old = batch.frame.to_series(origin)
        differs = (
            old.is_not_null() if new is None else new.ne_missing(old if changed.kept is None else old.filter(kept))
        )
        for row, span in rows.columns[at].within(first, first + batch.frame.height):
            if not kept[row - first]:
                continue
            number = row - first if new is None else place[row - first]
            if differs[number]:
                value = None if new is None else new[number]
                yield (*span, notation.emptied if value is None else notation.written(str(value), rows.marks[row]))


def _spliced(text: str, edits: Sequence[Edit]) -> Iterator[str]:
    at = 0
    for start, end, new in edits:
        if start < at:  # within a record that is left out
            continue
        yield text[at:start]
        yield new
        at = end
    yield text[at:]
