"""Where rows are, as one number each, so that summaries keep the first of them: a file, or a part, and the row there.

A number is `of << BITS | row`. `of` is the place of the file in a list that the driver made, or the number of the part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote

import polars as pl

from piiscan.core.types import Inside, Place, ScanReport, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io import printed_names
from piiscan.rules.definitions import RuleSet

BITS: Final = 33
FILE: Final = "piiscan file"
ROW: Final = "piiscan row"
"""The columns of a part in which an engine says of each row which file it is from, and where it stands there."""
_ROWS: Final = 1 << BITS


def first_of(part: int | None, before: int) -> int | None:
    """The number of the first row of a batch, where so many rows of its part came before."""
    return None if part is None or before >= _ROWS else (part << BITS) + before


def without_places(part: Any) -> tuple[Any, Any | None]:
    """A pyarrow Table without the columns FILE and ROW, and these; None where it has none."""
    if FILE not in part.column_names or ROW not in part.column_names:
        return part, None
    return part.drop_columns([FILE, ROW]), part.select([FILE, ROW])


def numbers(places: Any, files: Sequence[str]) -> pl.Series:
    """The numbers of rows by what `without_places` took off; null for files that nobody listed."""
    frame = pl.DataFrame(places)
    places = {_local(file): i for i, file in enumerate(files)} | {file: i for i, file in enumerate(files)}
    of = frame[FILE].replace_strict(list(places), list(places.values()), default=None, return_dtype=pl.Int64)
    row = frame[ROW].cast(pl.Int64)
    return (of * _ROWS + row).zip_with(row.is_between(0, _ROWS - 1), pl.Series([None], dtype=pl.Int64))


def _local(file: str) -> str:
    """The other spelling that engines have for a path of their own machine."""
    return file.replace("file:///", "file:/", 1) if file.startswith("file:///") else file


def numbered(summary: TableSummary, known: pl.Series) -> TableSummary:
    """The summary of a batch, whose rows were counted from 0, with their numbers, which rise from row to row."""
    return summary.renumbered(lambda rows: tuple(found for row in rows if (found := known[row]) is not None))


def told(report: ScanReport, files: Sequence[str], rules: RuleSet) -> ScanReport:
    """The report with places for numbers: in files as they are printed, or in parts where there are none."""
    return replace(report, tables=tuple(_told(table, files, rules) for table in report.tables))


def _told(table: TableReport, files: Sequence[str], rules: RuleSet) -> TableReport:
    def place(number: int) -> Place:
        of, row = number >> BITS, number & (_ROWS - 1)
        return Place(row, file=_printed(files[of], of, rules)) if files else Place(row, part=of)

    def inside(entry: Inside) -> Inside:
        return entry._replace(first_rows=(), first_places=tuple(map(place, entry.first_rows)))

    columns = (replace(column, inside=tuple(map(inside, column.inside))) for column in table.columns)
    return replace(table, columns=tuple(columns))


def _printed(file: str, number: int, rules: RuleSet) -> str:
    """The path of a file; what identifies somebody in it by the place of the file in the list of all."""
    *folders, name = unquote(file).split("/")
    shown = [printed_names.by_position(f, number, True) if printed_names.evident(f, rules) else f for f in folders]
    own = printed_names.by_position(name, number) if printed_names.evident(name, rules) else name
    return "/".join([*shown, own])
