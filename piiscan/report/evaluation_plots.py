"""The evaluation in pictures, each with its warning in the picture itself."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from piiscan.core.errors import UsageError
from piiscan.report.plots import charts
from piiscan.report.plots.charts import Point
from piiscan.report.plots.plot import Kind, Plot, require
from piiscan.synthesis.evaluation.compare_linked import Link, TablesComparison
from piiscan.synthesis.evaluation.compare_tables import STAMP, Comparison

_NAMES: Final = ("real", "synthetic")


def pictures(evaluation: Comparison) -> dict[str, Plot]:
    """Return the pictures, by the names that they are written under."""
    made: dict[str, Plot] = {}
    for i, column in enumerate(evaluation.columns, 1):
        made[f"shares-{i:02}-{_slug(column.name)}"] = charts.shares(
            column.name, column.labels, column.real, column.synthetic, _NAMES, STAMP
        )
        if n := column.numbers:
            made[f"cumulative-{i:02}-{_slug(column.name)}"] = charts.curves(
                f"{column.name}, cumulative",
                n.points,
                n.cumulative_real,
                n.cumulative_synthetic,
                _NAMES,
                column.name,
                STAMP,
            )
    if evaluation.pairs is not None:
        p = evaluation.pairs
        made["pairs"] = charts.heatmaps(
            "Distances of pairs of columns",
            p.names,
            [("synthetic", p.synthetic), ("by chance", p.chance)],
            lowest=0.0,
            note=STAMP,
        )
    if len(evaluation.correlations.names) > 1:
        c = evaluation.correlations
        made["correlations"] = charts.heatmaps(
            "Correlations of numbers", c.names, [("real", c.real), ("synthetic", c.synthetic)], note=STAMP
        )
    if len(evaluation.associations.names) > 1:
        a = evaluation.associations
        made["associations"] = charts.heatmaps(
            "Associations (Cramér's V)", a.names, [("real", a.real), ("synthetic", a.synthetic)], lowest=0.0, note=STAMP
        )
    for what in ("mean", "std"):
        points = _points(evaluation, f"log_{what}")
        if points:
            name = {"mean": "|mean|", "std": "standard deviation"}[what]
            made[f"log-{what}"] = charts.scatter(
                {"mean": "Means", "std": "Standard deviations"}[what],
                points,
                f"log10 of {name}, real",
                f"log10 of {name}, synthetic",
                STAMP,
            )
    return made


def link_pictures(link: Link) -> dict[str, Plot]:
    """Return the pictures of what links a table with those above it."""
    made: dict[str, Plot] = {}
    for name, column in (("number", link.number), ("gap", link.gap)):
        if column is not None:
            made[name] = charts.shares(column.name, column.labels, column.real, column.synthetic, _NAMES, STAMP)
    for i, (above, pairs) in enumerate(link.across, 1):
        if pairs.synthetic:
            made[f"across-{i:02}-{_slug(above)}"] = charts.heatmaps(
                f"Distances of pairs with a column of {above}",
                pairs.rows,
                [("synthetic", pairs.synthetic), ("by chance", pairs.chance)],
                lowest=0.0,
                note=STAMP,
                columns=pairs.columns,
            )
    return made


def write_tables(evaluation: TablesComparison, folder: Path, kind: Kind, report: Path | None) -> dict[str, str]:
    """Write the pictures of each table; see `TablesEvaluation.write_plots`."""
    images: dict[str, str] = {}
    for i, (name, compared) in enumerate(evaluation.tables.items(), 1):
        made = {} if compared is None else pictures(compared)
        if (link := evaluation.links.get(name)) is not None:
            made |= link_pictures(link)
        written = write(made, folder / f"{i:02}-{_slug(name)}", kind, report or folder.parent)
        images |= {f"{name}/{picture}": image for picture, image in written.items()}
    return images


def write(made: Mapping[str, Plot], folder: Path, kind: Kind, report: Path | None) -> dict[str, str]:
    """Write pictures by their names; see `Evaluation.write_plots`."""
    require()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: can't be created: {error.strerror}") from None
    link = quote(Path(os.path.relpath(folder, report or folder.parent)).as_posix())
    images = {}
    for name, plot in made.items():
        plot.save(folder / f"{name}.{kind}")
        images[name] = plot.markdown(f"{link}/{name}.{kind}")
    return images


def _points(evaluation: Comparison, what: str) -> list[Point]:
    found = []
    for column in evaluation.columns:
        if column.numbers:
            x, y = getattr(column.numbers.real, what), getattr(column.numbers.synthetic, what)
            if x is not None and y is not None:
                found.append(Point(column.name, x, y))
    return found


def _slug(name: str) -> str:
    """Return a part of a file's name that is valid on every system."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "column"
