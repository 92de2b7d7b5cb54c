"""The Python interface: files or frames, and a schema."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.core.errors import UsageError
from piiscan.dp.declare import domains
from piiscan.dp.domains import Domain
from piiscan.dp.run import schema as schemas
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.synthesis.evaluation.compare_tables import Comparison, compare_tables

if TYPE_CHECKING:
    import polars as pl

    from piiscan.report.plots.plot import Kind


class Evaluation(Comparison):
    """How far synthetic rows are from the real ones, all of it exact: for whoever may see the real data."""

    def to_markdown(self, plots: Mapping[str, str] | None = None) -> str:
        """The report for people. `plots`: images by name, as `write_plots` gives them."""
        from piiscan.report.evaluation_markdown import render

        return render(self, plots or {})

    def write_plots(self, folder: Path, kind: Kind = "svg", report: Path | None = None) -> dict[str, str]:
        """Write a picture of each part into a folder, which is made. Gives Markdown's images by name, with links from
        the folder of the report, by default the one that holds `folder`.

        Raises `MissingExtra` and `UsageError`.
        """
        from piiscan.report.evaluation_plots import write

        return write(self, folder, kind, report)


def evaluate(
    real: Any,
    synthetic: Any,
    *,
    schema: str | os.PathLike[str] | Mapping[str, Domain],
    target: str | None = None,
    read: ReadOptions | None = None,
) -> Evaluation:
    """How far synthetic rows are from the real ones they stand for, in all columns that the schema declares.

    `real`, `synthetic`: paths of files with one table, or data frames. `schema`: the file that `piiscan.summarize`
    takes, or domains by column. `target`: the column that a classifier tells from the others, by default the last one
    with categories. `read`: how the files are written.

    The result is exact, and for whoever may see the real data: see `Evaluation`. Raises `UsageError`, `ReadError`, and
    `MissingExtra` without scikit-learn.
    """
    declared = dict(schema) if isinstance(schema, Mapping) else dict(domains(schemas.load(Path(schema))))
    options = read or ReadOptions()
    a, b = _table(real, "real", options, list(declared)), _table(synthetic, "synthetic", options, list(declared))
    return Evaluation(**vars(compare_tables(a, b, declared, target)))


def _table(data: Any, which: str, read: ReadOptions, columns: list[str]) -> pl.DataFrame:
    import polars as pl

    try:
        parts = list(Source(data, read=read).batches(columns))
    except UsageError as error:
        raise UsageError(f"the {which} table: {error}") from None
    return pl.concat(parts, how="vertical_relaxed") if parts else pl.DataFrame(schema=columns)
