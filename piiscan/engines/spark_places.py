"""Which file each row of a Spark data frame is from, and where it stands there, as far as Spark tells."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from piiscan.engines.positions import FILE, ROW

MOST: Final = 10_000
"""Files whose names are sent to each task."""
_HIDDEN: Final = "_metadata"
_LOGGER: Final = "DataFrameQueryContextLogger"


def with_places(df: Any) -> tuple[Any, tuple[str, ...]]:
    """The frame with the columns FILE and ROW, and its files, sorted.

    The frame itself and no files where Spark doesn't tell. It does for Parquet that is read, filtered, sorted and cut
    to columns, on classic Spark and its Connect; not after a join, a union or a grouping, and not for other formats.
    Nor is it asked about more than MOST files, and about frames with a column of the name that it uses.
    """
    functions = import_module("pyspark.sql.functions")
    if {_HIDDEN, FILE, ROW} & {name.lower() for name in df.columns}:
        return df, ()
    try:
        files = tuple(sorted(set(df.inputFiles())))
        if not 0 < len(files) <= MOST:
            return df, ()
        with _quiet():
            (hidden,) = df.select(_HIDDEN).schema.fields
            types = {field.name: field.dataType.typeName() for field in hidden.dataType.fields}
            if (types.get("file_path"), types.get("row_index")) != ("string", "long"):
                return df, ()
            placed = df.select(
                "*",
                functions.col(f"{_HIDDEN}.file_path").alias(FILE),
                functions.col(f"{_HIDDEN}.row_index").alias(ROW),
            )
            return (placed, files) if len(placed.schema.fields) == len(df.columns) + 2 else (df, ())
    except Exception:  # each platform has its own error for a column that it doesn't have
        return df, ()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what PySpark logs about a column that isn't there."""
    logger = logging.getLogger(_LOGGER)
    was, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was
