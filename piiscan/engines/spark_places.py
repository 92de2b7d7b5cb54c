"""Which file each row of a Spark data frame is from, and where it stands there, as far as Spark tells."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from piiscan.engines.positions import FILE, ROW

MOST: Final = 10_000
"""Files whose names are sent to each task."""
_HIDDEN: Final = "_metadata"


def with_places(df: Any) -> tuple[Any, tuple[str, ...]]:
    """The frame with the columns FILE and ROW, and its files, sorted.

    The frame itself and no files where Spark doesn't tell: it does for Parquet that is read, filtered and cut to
    columns, on classic Spark and its Connect; not after a join or a sort by groups, and not for other formats. Nor is
    it asked about more than MOST files, and about frames with a column of the name that it uses.
    """
    functions = import_module("pyspark.sql.functions")
    if {_HIDDEN, FILE, ROW} & {name.lower() for name in df.columns}:
        return df, ()
    try:
        files = tuple(sorted(set(df.inputFiles())))
        if not 0 < len(files) <= MOST:
            return df, ()
        placed = df.select(
            "*",
            functions.col(f"{_HIDDEN}.file_path").alias(FILE),
            functions.col(f"{_HIDDEN}.row_index").alias(ROW),
        )
        types = [field.dataType.typeName() for field in placed.schema.fields[-2:]]
    except Exception:  # each platform has its own error for a column that it doesn't have
        return df, ()
    return (placed, files) if types == ["string", "long"] else (df, ())
