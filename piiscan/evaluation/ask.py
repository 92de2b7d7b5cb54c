"""The Python interface: files or frames, and a schema."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.dp.declare import domains
from piiscan.dp.domains import Domain
from piiscan.errors import UsageError
from piiscan.evaluation.evaluation import Evaluation
from piiscan.evaluation.evaluation import evaluate as compared
from piiscan.io import ReadOptions
from piiscan.summarizing import Source
from piiscan.summarizing import schema as schemas

if TYPE_CHECKING:
    import polars as pl


def evaluate(
    real: Any,
    synthetic: Any,
    *,
    schema: str | os.PathLike[str] | Mapping[str, Domain],
    target: str | None = None,
    read: ReadOptions | None = None,
) -> Evaluation:
    """How far synthetic rows are from the real ones they stand for, in all columns that the schema declares.

    `real`, `synthetic`: paths of files with one table, or data frames. `schema`: the file that `piiscan.summarize` takes, or domains by
    column. `target`: the column that a classifier tells from the others, by default the last one with categories. `read`: how the
    files are written.

    The result is exact, and for whoever may see the real data: see `Evaluation`. Raises `UsageError`, `ReadError`, and `MissingExtra` without
    scikit-learn.
    """
    declared = dict(schema) if isinstance(schema, Mapping) else dict(domains(schemas.load(Path(schema))))
    options = read or ReadOptions()
    a, b = _table(real, "real", options, list(declared)), _table(synthetic, "synthetic", options, list(declared))
    return compared(a, b, declared, target)


def _table(data: Any, which: str, read: ReadOptions, columns: list[str]) -> pl.DataFrame:
    import polars as pl

    try:
        parts = list(Source(data, read=read).batches(columns))
    except UsageError as error:
        raise UsageError(f"the {which} table: {error}") from None
    return pl.concat(parts, how="vertical_relaxed") if parts else pl.DataFrame(schema=columns)
