"""Values that columns of polars keep in memory and no row shows: below nulls, and of other rows' texts.

To empty a cell only marks it as null, and texts that replace others may share the memory of these. What copies memory,
such as an Arrow file or a pickle, has them then; what writes values, such as CSV and Parquet, hasn't.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def without_values_below_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    """The same frame, with nothing where its cells are null."""
    columns = [cells for cells in frame.iter_columns() if cells.null_count() and len(cells) > cells.null_count()]
    empty = [cells.name for cells in frame.iter_columns() if len(cells) == cells.null_count()]
    return frame.with_columns(map(_taken, columns)).with_columns(_nulls(frame[name]) for name in empty)


def _taken(cells: pl.Series) -> pl.Series:
    import polars as pl

    rows = pl.Series(range(len(cells)), dtype=pl.get_index_type())
    return cells.gather(rows.set(cells.is_null(), None))


def _nulls(cells: pl.Series) -> pl.Series:
    import polars as pl

    return pl.Series(cells.name, [None], cells.dtype).new_from_index(0, len(cells)) if len(cells) else cells


def written_anew(columns: Iterable[pl.Series]) -> list[pl.Series]:
    """The same columns in memory of their own, which has nothing but what their rows show."""
    import polars as pl

    given = list(columns)
    frame = without_values_below_nulls(pl.DataFrame({str(i): cells for i, cells in enumerate(given)}))
    return [
        (_written(cells) if cells.dtype in (pl.String, pl.Binary) or cells.dtype.is_nested() else cells).alias(old.name)
        for cells, old in zip(frame.iter_columns(), given, strict=True)
    ]


def _written(cells: pl.Series) -> pl.Series:
    import polars as pl

    copy = io.BytesIO()
    try:
        cells.to_frame().write_ipc(copy, compat_level=pl.CompatLevel.oldest())
        copy.seek(0)
        return pl.read_ipc(copy).to_series()
    except pl.exceptions.PolarsError:  # for arrays of no elements
        return pl.Series(cells.name, cells.to_list(), cells.dtype)
