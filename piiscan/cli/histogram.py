"""`piiscan histogram`: the distribution of a column's numbers, to choose cuts."""

from __future__ import annotations

import os
from typing import Any

import click

from piiscan.cli import options, output


@click.command()
@click.argument("target", metavar="FILE::COLUMN")
@click.option("--step", type=float, help=("The width of an interval (by default one that gives at most 24 intervals)."))
@click.option(
    "--low", type=float, help=("Merge everything below into one interval (by default, about a hundredth of the cells).")
)
@click.option(
    "--high",
    type=float,
    help=("Merge everything from here on into one interval (by default, about a hundredth of the cells)."),
)
@click.option("--point", type=click.Choice([".", ","]), default=".", help="The decimal point of numbers in texts.")
@options.read_options
def histogram(target: str, step: float | None, low: float | None, high: float | None, point: Any, **given: Any) -> int:
    """Show the distribution of a column's numbers, to choose cuts.

    Write FILE::TABLE::COLUMN if a file contains several tables; the column is named as in a plan. Intervals with
    fewer than 5 cells show only that. The output is only for people who may see the data.
    """
    from piiscan.cli import scan_run
    from piiscan.core.errors import UsageError
    from piiscan.masking.operators.terminal_histogram import histogram as drawn
    from piiscan.masking.run.read_column import column

    s = options.settings(**given)
    parts = target.split("::")
    at = next((i for i in range(len(parts) - 1, 0, -1) if os.path.lexists("::".join(parts[:i]))), None)
    if at is None:
        raise UsageError("name an existing file and one of its columns: FILE::COLUMN, or FILE::TABLE::COLUMN")
    rules = scan_run.load_rules(s)
    with scan_run.silent_libraries():
        cells = column("::".join(parts[:at]), "::".join(parts[at:]), scan_run.read_options(s, rules), rules)
        output.data(drawn(cells, step, low, high, point=point) + "\n")
    return 0
