"""vCard, iCalendar and LDIF: lines that change are encoded and broken as they were; all others keep their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from piiscan.core.types import Batch
from piiscan.io.content import ReadTable
from piiscan.io.delimited.lines import Lines
from piiscan.io.documents import content_lines
from piiscan.io.write.change import Change, applied, reading
from piiscan.io.write.encoded import opened

if TYPE_CHECKING:
    from piiscan.core.types import TableInfo


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """A text of one column."""
    origin: Lines = tables[0].origin
    change, info = changes[0], tables[0].info
    assert change is not None
    kind = cast(content_lines.Kind, info.format)
    row = 0
    lines = content_lines.read(origin.content, origin.encoding, kind)
    with opened(target, origin.content, origin.encoding) as out:
        while True:
            with reading():
                some = list(islice(lines, origin.batch_rows))
            if not some:
                break
            out.write(b"".join(_changed(some, change, info, row)))
            row += len(some)
    origin.content.read_whole()


def _changed(lines: Sequence[content_lines.Line], change: Change, info: TableInfo, row: int) -> list[bytes]:
    import polars as pl

    old = pl.Series("0", [line.text for line in lines], dtype=pl.String)
    changed = applied(change, Batch(old.to_frame(), row), info)
    kept = [True] * len(lines) if changed.kept is None else changed.kept.to_list()
    left = [line for line, stays in zip(lines, kept, strict=True) if stays]
    if change.columns[0].same:
        return [line.raw for line in left]
    kind = cast(content_lines.Kind, info.format)
    cells = changed.frame["0"].cast(pl.String).fill_null("").to_list()
    return [
        line.raw if cell == line.text else content_lines.written(line, cell, kind)
        for line, cell in zip(left, cells, strict=True)
    ]
