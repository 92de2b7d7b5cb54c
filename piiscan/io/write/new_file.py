"""A table written as a new file of its own: from the input's file it has only the cells that are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.errors import MissingExtra, UsageError
from piiscan.core.hidden_values import without_values_below_nulls
from piiscan.core.types import TableInfo
from piiscan.io.read_options import ReadOptions
from piiscan.io.write import workbook_file
from piiscan.io.write.change import writing
from piiscan.io.write.duckdb_copy import copied

if TYPE_CHECKING:
    import polars as pl

_PACKED: Final = (".gz", ".bz2", ".xz", ".zst")
_TABLE: Final = "data"
"""What a table is called in a format whose tables have names, where it has none that may be shown."""


def file_name(info: TableInfo) -> str:
    """What the new file is called: as the input, without what it was packed in."""
    name = PurePosixPath(info.source.rpartition("!")[2]).name
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name


def write(frame: pl.DataFrame, names: Sequence[str], info: TableInfo, path: Path) -> ReadOptions:
    """Write a table in the format of `info`, unpacked, in UTF-8, its columns called `names`; how to read it back.

    Raises `UsageError` for a format that has no tables of rows, `MissingExtra`, `WriteError`, and OSError.
    """
    found = _WRITERS.get(info.format)
    if found is None:
        raise UsageError(f"{info.source}: a table can't be written as {info.format}; export it as CSV or Parquet first")
    table = frame.rename(dict(zip(frame.columns, names, strict=True)))
    with writing(info):
        found(table, info, path)
    if info.format in ("csv", "tsv"):
        return ReadOptions(delimiter=_delimiter(info), encoding="utf-8", header=True)
    return ReadOptions(header=True)


def _delimited(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    table.write_csv(path, separator=_delimiter(info))


def _delimiter(info: TableInfo) -> str:
    given = dict(info.details).get("delimiter", "")
    if len(given.encode()) == 1 and given not in ('"', " "):
        return given
    return "\t" if info.format == "tsv" else ","


def _parquet(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    table.write_parquet(path)


def _arrow(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    import polars as pl

    without_values_below_nulls(table).write_ipc(path, compat_level=pl.CompatLevel.oldest())


def _avro(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    table.write_avro(path)


def _lines(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    table.write_ndjson(path)


def _json(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    table.write_json(path)


def _excel(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra(
            "writing workbooks needs an optional package: pip install 'piiscan-toolkit[excel]'"
        ) from None
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(info.table or _TABLE)
    workbook_file.write_beside(sheet, path, 0)
    for row in ([*table.columns], *table.select(map(_numbers, table)).iter_rows()):
        cells = [
            WriteOnlyCell(sheet, value=cell if isinstance(cell, int | float | str | None) else str(cell))
            for cell in row
        ]
        for cell, value in zip(cells, row, strict=True):
            if isinstance(value, str):
                cell.data_type = "s"  # a text that begins with = is no formula
        sheet.append(cells)
    workbook_file.save(book, path)


def _numbers(cells: pl.Series) -> pl.Series:
    """Cells of a workbook are read as text: numbers again, where all of them are written as a number is."""
    import polars as pl

    for dtype in (pl.Int64, pl.Float64):
        as_numbers = cells.cast(dtype, strict=False) if cells.dtype == pl.String else cells
        if as_numbers.cast(pl.String).equals(cells):
            return as_numbers
    return cells


def _sqlite(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    import sqlite3

    with closing(sqlite3.connect(path)) as db, db:
        _fill(db, table, info, ", ".join(map(_quoted, table.columns)))


def _duckdb(table: pl.DataFrame, info: TableInfo, path: Path) -> None:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("DuckDB files need an optional package: pip install 'piiscan-toolkit[duckdb]'") from None
    types = {"Int64": "BIGINT", "Float64": "DOUBLE", "Boolean": "BOOLEAN", "Date": "DATE"}
    columns = (f"{_quoted(name)} {types.get(str(dtype), 'VARCHAR')}" for name, dtype in table.schema.items())
    with copied(path, info) as first, duckdb.connect(first) as db:
        _fill(db, table, info, ", ".join(columns))


def _fill(db: Any, table: pl.DataFrame, info: TableInfo, columns: str) -> None:
    name = _quoted((info.table or _TABLE).rpartition(".")[2])
    db.execute(f"CREATE TABLE {name} ({columns})")
    rows = [
        tuple(cell if isinstance(cell, int | float | str | None) else str(cell) for cell in row)
        for row in table.iter_rows()
    ]
    db.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * table.width)})", rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_WRITERS: Final[dict[str, Callable[[pl.DataFrame, TableInfo, Path], None]]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "parquet": _parquet,
    "arrow": _arrow,
    "avro": _avro,
    "jsonl": _lines,
    "json": _json,
    "excel": _excel,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
