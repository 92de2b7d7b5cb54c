"""`piiscan risk`: how easily people are found in a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE


@click.command(short_help="Measure how easily people are found in a table.")
@click.argument("path", type=options.FILE)
@click.option(
    "--quasi",
    multiple=True,
    callback=options.split,
    metavar="COLUMNS",
    help="What an attacker may know of people (comma, repeatable); without it, what the scan takes for such.",
)
@click.option(
    "--sensitive", multiple=True, callback=options.split, metavar="COLUMNS", help="What nobody should learn of them."
)
@click.option(
    "--insensitive",
    multiple=True,
    callback=options.split,
    metavar="COLUMNS",
    help="Neither; also what is masked already.",
)
@click.option("--unit", metavar="COLUMN", help="Whose rows they are: people are counted, not rows.")
@click.option(
    "--sampling-fraction",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="F",
    help="The share of the population that the table holds.",
)
@click.option(
    "--population", type=options.FILE, metavar="FILE", help="The population itself, with every quasi-identifier."
)
@click.option("--weights", metavar="COLUMN", help="How many members of the population each row stands for.")
@click.option("--against", type=options.FILE, metavar="FILE", help="Attack with this file of people: who is found?")
@click.option(
    "--hierarchies",
    type=options.FOLDER,
    metavar="DIR",
    help="What labels stand for: a file for a column, as ARX writes it.",
)
@click.option(
    "-f",
    "--format",
    "kind",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="What the report looks like.",
)
@options.output("Where to write it (standard output).")
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
    """Measure how easily the people of PATH, one table, are found in it, and what is then learned of them.

    Direct identifiers must be gone or masked. No value is shown. The exit status is 0 whatever the risk is, 2 for wrong
    usage, 3 when a file can't be read to its end.
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
