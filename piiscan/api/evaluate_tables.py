"""The Python interface: evaluates linked synthetic tables against the real ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piiscan.api.evaluate import Evaluation, read_table
from piiscan.api.synthesize_tables import sources
from piiscan.api.verbs import verb
from piiscan.core.results import Fact, Result
from piiscan.synthesis.evaluation.compare_linked import TablesComparison, compare_linked
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable, load

if TYPE_CHECKING:
    import polars as pl

    from piiscan.report.plots.plot import Kind


class TablesEvaluation(TablesComparison, Result):
    """How far linked synthetic tables are from the real ones: an `Evaluation` of each, and what links them.

    All figures are exact: only for people who may see the real data.
    """

    __repr__ = Result.__repr__

    def _forms(self) -> dict[str, Callable[[Path], str | bytes]]:
        return {**super()._forms(), ".md": lambda _: self.to_markdown()}

    def _facts(self) -> Iterator[Fact]:
        yield "tables", len(self.tables)
        yield "real_rows", sum(e.real_rows for e in self.tables.values() if e is not None)
        yield "synthetic_rows", sum(e.synthetic_rows for e in self.tables.values() if e is not None)

    def to_markdown(self, plots: Mapping[str, str] | None = None) -> str:
        """Return the report as Markdown. `plots`: images by name, as `write_plots` returns them."""
        from piiscan.report.evaluation_tables_markdown import render

        return render(self, plots or {})

    def write_plots(self, folder: Path, kind: Kind = "svg", report: Path | None = None) -> dict[str, str]:
        """Write pictures of each table into a folder below `folder`, which are created if needed.

        Returns Markdown images by name, `TABLE/PICTURE`, with links relative to the folder of the report, by default
        the parent of `folder`. Raises `MissingExtra` and `UsageError`.
        """
        from piiscan.report.evaluation_plots import write_tables

        return write_tables(self, folder, kind, report)


@verb
def evaluate_tables(
    real: Any,
    synthetic: Any,
    schema: str | os.PathLike[str] | Mapping[str, Any],
    *,
    control: Any = None,
) -> TablesEvaluation:
    """Measure how far linked synthetic tables are from the real ones: each by itself, and what links them.

    real, synthetic: the tables by name, each a frame or the path of a file; or the path of a folder, in which each
    table is the file of its name. schema: the one that `piiscan.synthesize_tables` takes. control: tables of other
    people of the same population, which the synthetic ones weren't made from (at least 40 rows each); with them, a
    membership attack is tried on each table.

    The result is exact, and only for people who may see the real data: see `TablesEvaluation`. Raises `UsageError`,
    `ReadError`, and `MissingExtra` without scikit-learn.
    """
    declared = load(schema)
    found = compare_linked(
        _frames(real, declared, "real"),
        _frames(synthetic, declared, "synthetic"),
        declared,
        None if control is None else _frames(control, declared, "control"),
    )
    tables = {name: None if own is None else Evaluation(**vars(own)) for name, own in found.tables.items()}
    return TablesEvaluation(tables, found.links)


def _frames(data: Any, schema: LinkedSchema, which: str) -> dict[str, pl.DataFrame]:
    read = sources(data, schema)
    return {t.name: read_table(read[t.name], f"{which} {t.name}", _columns(t)) for t in schema.tables}


def _columns(table: LinkedTable) -> list[str]:
    names = (*dict(table.declared), table.key, table.reference)
    return [name for name in dict.fromkeys(names) if name is not None]
