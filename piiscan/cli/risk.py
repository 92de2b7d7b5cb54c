"""`piiscan risk`: measures how easily people are re-identified in a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE


@click.command(short_help="Measure how easily people are re-identified in a table.")
@click.argument("path", type=options.FILE)
@click.option(
    "--quasi",
    multiple=True,
    callback=options.split,
    metavar="COLUMNS",
    help="Columns that an attacker may know (comma, repeatable); by default those that the scan recognises.",
)
@click.option(
    "--sensitive",
    multiple=True,
    callback=options.split,
    metavar="COLUMNS",
    help=("Columns whose values must not be disclosed."),
)
@click.option(
    "--insensitive",
    multiple=True,
    callback=options.split,
    metavar="COLUMNS",
    help="Columns that are neither; also those that are masked already.",
)
@click.option(
    "--unit",
    metavar="COLUMN",
    help=("The column that identifies the person a row is about: people are counted, not rows."),
)
@click.option(
    "--sampling-fraction",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="F",
    help="The share of the population that the table contains.",
)
@click.option(
    "--population", type=options.FILE, metavar="FILE", help="The population itself, with every quasi-identifier."
)
@click.option(
    "--weights", metavar="COLUMN", help=("A column with the number of population members that each row stands for.")
)
@click.option(
    "--against",
    type=options.FILE,
    metavar="FILE",
    help=("Attack with this file of people, and report who is re-identified."),
)
@click.option(
    "--hierarchies",
    type=options.FOLDER,
    metavar="DIR",
    help="What labels stand for: a file for each column, as ARX writes it.",
)
@click.option(
    "-f",
    "--format",
    "kind",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="The format of the report.",
)
@options.output("The file to write the report to (standard output).", dash="stdout")
@OVERWRITE
@options.TABLE
@options.release_options
@options.whole_table_options
def risk(
    path: Path,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    insensitive: tuple[str, ...],
    unit: str | None,
    sampling_fraction: float | None,
    population: Path | None,
    weights: str | None,
    against: Path | None,
    hierarchies: Path | None,
    kind: str,
    target: Path | None,
    overwrite: bool,
    table: str | None,
    dataset: str | None,
    ledger: Path | None,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Measure how easily the people in PATH, one table, are re-identified, and what is disclosed about them.

    Direct identifiers must be removed or masked. No value is shown. The exit status is 0 whatever the risk is, 2 for
    wrong usage, 3 if a file can't be read to its end.
    """
    from piiscan.api.risk import ComparisonSpec, DeclaredRoles, assess
    from piiscan.cli import budget, scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.io.table_source import Source
    from piiscan.report.risk_text import render

    s = options.settings(**settings)
    if target is not None:
        output.free(output.apart(output.writable(target), path, population, against), overwrite)
    rules = scan_run.load_rules(s)
    declared = DeclaredRoles(quasi, sensitive, insensitive, unit, weights)
    comparison = ComparisonSpec(sampling_fraction, population, against, hierarchies)
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        source = Source(path, table, scan_run.read_options(s, rules), progress.open)
        report = assess(source, declared, comparison, rules, scan_run.scan_options(s), progress.update)
    about = [c.name for c in report.columns if c.role in ("quasi", "sensitive")]
    known_releases = (
        budget.record_release(path, dataset, ledger, f"risk figures of {', '.join(about)}", about)
        if dataset or ledger
        else ()
    )
    written = report.to_json() if kind == "json" else render(report, output.width() if target is None else 100)
    if target is None:
        output.data(written)
    else:
        output.to_file(target, written)
        output.say(f"Wrote {target}: k = {report.classes.smallest}", quiet)
    for line in known_releases:
        output.say(line, quiet)
    return 0
