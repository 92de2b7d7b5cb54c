"""The Python interface: evaluates synthetic rows against real ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.api.table_input import table_source
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.results import Fact, Result
from piiscan.dp.declare import domains
from piiscan.dp.domains import Domain
from piiscan.dp.run import schema as schemas
from piiscan.io.table_source import Source
from piiscan.synthesis.evaluation.compare_tables import Comparison, compare_tables

if TYPE_CHECKING:
    import polars as pl

    from piiscan.report.plots.plot import Kind


class Evaluation(Comparison, Result):
    """How far synthetic rows are from the real ones.

    All figures are exact: only for people who may see the real data.
    """

    __repr__ = Result.__repr__

    def _forms(self) -> dict[str, Callable[[Path], str | bytes]]:
        return {**super()._forms(), ".md": lambda _: self.to_markdown()}

    def _facts(self) -> Iterator[Fact]:
        yield "real_rows", self.real_rows
        yield "synthetic_rows", self.synthetic_rows
        yield "columns", len(self.columns)

    def to_markdown(self, plots: Mapping[str, str] | None = None) -> str:
        """Return the report as Markdown. `plots`: images by name, as `write_plots` returns them."""
        from piiscan.report.evaluation_markdown import render

        return render(self, plots or {})

    def write_plots(self, folder: Path, kind: Kind = "svg", report: Path | None = None) -> dict[str, str]:
        """Write a picture of each part into a folder, which is created if needed.

        Returns Markdown images by name, with links relative to the folder of the report, by default the parent of
        `folder`. Raises `MissingExtra` and `UsageError`.
        """
        from piiscan.report.evaluation_plots import pictures, write

        return write(pictures(self), folder, kind, report)


@verb
def evaluate(
    real: Any,
    synthetic: Any,
    *,
    schema: str | os.PathLike[str] | Mapping[str, Domain],
    target: str | None = None,
    control: Any = None,
    table: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Evaluation:
    """Measure how far synthetic rows are from the real ones, in all columns that the schema declares.

    real, synthetic: data frames, or paths of files. schema: the file that `piiscan.summarize` takes, or domains by
    column.
    target: the column that a classifier predicts from the others, by default the last one with categories.
    control: rows of the same population that the synthetic rows weren't made from (at least 40); with them, a
    membership attack is tried.
    table: which of the real file's tables to read, if it has several. delimiter, encoding, header: how the files'
    text is written; None to infer.

    The result is exact, and only for people who may see the real data: see `Evaluation`. Raises `UsageError`,
    `ReadError`, and `MissingExtra` without scikit-learn.
    """
    declared = dict(schema) if isinstance(schema, Mapping) else dict(domains(schemas.load(Path(schema))))
    a = read_table(table_source(real, table, delimiter, encoding, header), "real", list(declared))
    b = read_table(table_source(synthetic, None, delimiter, encoding, header), "synthetic", list(declared))
    others = (
        None
        if control is None
        else read_table(table_source(control, None, delimiter, encoding, header), "control", list(declared))
    )
    return Evaluation(**vars(compare_tables(a, b, declared, target, others)))


def read_table(source: Source, which: str, columns: list[str]) -> pl.DataFrame:
    """Return columns of a table; `which` names it in errors. Raises `UsageError` and `ReadError`."""
    import polars as pl

    try:
        parts = list(source.batches(columns))
    except UsageError as error:
        raise UsageError(f"the {which} table: {error}") from None
    return pl.concat(parts, how="vertical_relaxed") if parts else pl.DataFrame(schema=columns)
