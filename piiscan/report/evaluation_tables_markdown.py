"""The evaluation of linked tables as GitHub-flavoured Markdown: a chapter for each table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from piiscan.report.evaluation_markdown import figure, images, opening, rows, sections, share
from piiscan.report.markdown_report import escape, grid, title
from piiscan.report.verdict_words import count

if TYPE_CHECKING:
    from piiscan.synthesis.evaluation.column_likeness import ColumnComparison
    from piiscan.synthesis.evaluation.compare_linked import Link, TablesComparison


def render(evaluation: TablesComparison, plots: Mapping[str, str]) -> str:
    return "\n".join(_lines(evaluation, plots)) + "\n"


def _lines(e: TablesComparison, plots: Mapping[str, str]) -> Iterator[str]:
    tables = f"{count(len(e.tables), 'table')}: {', '.join(map(escape, e.tables))}."
    yield from opening("Synthetic tables compared with the real ones", tables, "the real tables", "these")
    for name, compared in e.tables.items():
        own = {key.removeprefix(f"{name}/"): image for key, image in plots.items() if key.startswith(f"{name}/")}
        yield from title(f"## {escape(name)}")
        if compared is None:
            yield "There is nothing to compare: the real or the synthetic table has no rows."
        else:
            yield rows(compared)
            yield from sections(compared, own, "###")
        if name in e.links:
            yield from _link(name, e.links[name], own)


def _link(name: str, link: Link, plots: Mapping[str, str]) -> Iterator[str]:
    table, parent = escape(name), escape(link.parent)
    yield from title(f"### Rows of {table} by row of {parent}")
    compared = [column for column in (link.number, link.gap) if column is not None]
    if compared:
        yield (
            f"How many rows of {table} a row of {parent} has, and how far each is from the one before (dates in days) "
            "if they are in order. *Distance* and *cumulative* are as above."
        )
        yield ""
        yield from grid(
            ("", "Distance", "Mean, real", "Synthetic", "Cumulative"), list(map(_row, compared)), range(1, 5)
        )
    else:
        yield f"There is nothing to compare: the real or the synthetic {parent} has no rows."
    if link.unlinked is not None:
        yield ""
        yield f"{share(link.unlinked)} of the real rows refer to no row, or to one that itself refers to none."
    if link.cut is not None:
        yield f"{share(link.cut)} of the others exceed max_rows of their row of {parent}. No release has either."
    yield from images(plots, "number")
    yield from images(plots, "gap")
    yield from title(f"### {table} and the tables above")
    if not link.across:
        yield "There is nothing to compare: no row is joined in the real or the synthetic tables."
        return
    yield (
        f"Distances of pairs of a column of {table} and one of a table above, over joined rows. *By chance* is the "
        "mean for as many rows drawn one by one from the real ones; where rows of a person are alike, chance does more."
    )
    yield ""
    yield from grid(
        ("With columns of", "Mean", "By chance", "Worst", "Worst columns"),
        [
            (
                escape(above) + (f" ({d.compared:,} of {d.groups:,})" if d.compared < d.groups else ""),
                f"{d.mean:.4f}",
                f"{d.floor:.4f}",
                f"{d.worst:.4f}",
                ", ".join(map(escape, d.worst_columns)),
            )
            for above, (d, *_) in link.across
        ],
        range(1, 4),
    )
    yield from images(plots, "across-")


def _row(column: ColumnComparison) -> tuple[str, ...]:
    n = column.numbers
    figures = (None, None, None) if n is None else (n.real.mean, n.synthetic.mean, n.ks)
    return (escape(column.name), f"{column.distance:.4f}", *map(figure, figures))
