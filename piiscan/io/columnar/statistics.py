"""Whether texts of a Parquet file that contain zeros are what its statistics say.

A block of zeros, as failing disks leave them, may lie within the cells of a page, and the page still be read. What
stood there may remain in the statistics, the least and the greatest text of a column's part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.io.columnar.parquet_footer import Footer

if TYPE_CHECKING:
    import polars as pl


def have_zeros(frame: pl.DataFrame) -> bool:
    """Whether a text in some rows contains U+0000."""
    import polars as pl

    texts = [cells for cells in frame.iter_columns() if cells.dtype == pl.String]
    # One call for all: for few rows a call takes longer than the search.
    return bool(texts) and bool(pl.concat(texts).str.contains("\0", literal=True).any())


def check(lazy: pl.LazyFrame, footer: Footer) -> None:
    """Raises `ReadError` where columns of texts lack the least or the greatest one that the file says they have."""
    import polars as pl

    schema, at = lazy.collect_schema(), 0
    for group in footer.groups:
        told = {c.path[0]: c.bounds for c in group.chunks if len(c.path) == 1 and schema[c.path[0]] == pl.String}
        names = [name for name, bounds in told.items() if bounds is not None]
        if names:
            rows = lazy.slice(at, group.rows).select(
                *(pl.col(name).min().alias(f"{i} least") for i, name in enumerate(names)),
                *(pl.col(name).max().alias(f"{i} most") for i, name in enumerate(names)),
            )
            found = rows.collect().row(0)
            for name, least, most in zip(names, found[: len(names)], found[len(names) :], strict=True):
                if told[name] != tuple(None if text is None else text.encode() for text in (least, most)):
                    raise ReadError(
                        "malformed Parquet: cells of a column contain zeros, which its statistics contradict; fetch "
                        "or write it again"
                    )
        at += group.rows
