"""`piiscan synthesize`: synthetic rows that resemble those of a table, with differential privacy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE
from piiscan.cli.summarize import DELTA, budget_options, declared_options, unit_options


@click.command(short_help="Draw synthetic rows that resemble a table, with differential privacy.")
@click.argument("paths", type=options.PATH, nargs=-1, required=True, metavar="PATH...")
@options.output("The file to write: .csv, .parquet, …; a folder for linked tables.", required=True)
@click.option(
    "--epsilon", type=float, required=True, metavar="E", help=("The total privacy loss of all rows together.")
)
@DELTA
@click.option(
    "-n", "--rows", "n", type=click.IntRange(1), metavar="N", help=("The number of rows (about as many as there are).")
)
@unit_options
@declared_options
@click.option(
    "--private-bins",
    multiple=True,
    callback=options.split,
    metavar="COL",
    help="Find the bins of a numeric column with noise; costs a part of epsilon.",
)
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help="What every row satisfies: 'discharged >= admitted', 'total = food + rooms'.",
)
@click.option(
    "--columns", multiple=True, callback=options.split, metavar="A,B", help="Use only these of the declared columns."
)
@click.option(
    "--people",
    type=options.FILE,
    metavar="FILE",
    help="A TOML file: columns to fill with made-up people who fit the rows.",
)
@budget_options
@options.TABLE
@click.option(
    "--evaluate",
    "report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also compare with the real rows: Markdown, or .json. Not private.",
)
@OVERWRITE
@options.dialect_options
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no hints.")
@click.option("-v", "--verbose", is_flag=True, help="Report progress and memory on standard error.")
def synthesize(
    paths: tuple[Path, ...],
    target: Path,
    people: Path | None,
    report: Path | None,
    overwrite: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Write synthetic rows that resemble those of PATH, and report what was measured for them.

    Counts of each column and of chosen pairs of columns get noise; a distribution is fitted to them, and rows are
    drawn from it. Declare the possible values of columns; they are never read from the data, and undeclared columns
    are left out. The release is charged to the dataset's budget before its noise is drawn. The same query returns the
    same rows again, for free, and another number of rows is free too. The exit status is 2 for wrong usage, 3 if the
    file can't be read, 6 if the budget is used up.

    Where the schema declares tables that refer to each other, PATH is a folder or several files, each named as its
    table, and the output is a folder.
    """
    from piiscan.cli import synthesize_tables

    if given["schema"] is not None and synthesize_tables.declares_tables(given["schema"]):
        synthesize_tables.refuse(**given)
        return synthesize_tables.run(paths, target, people, report, overwrite, quiet, verbose, given)
    if len(paths) != 1 or paths[0].is_dir():
        raise click.UsageError(
            "several tables need a --schema FILE that declares [tables.NAME], and how they refer to each other"
        )
    return _one(paths[0], target, people, report, overwrite, quiet, verbose, given)


def _one(
    path: Path,
    target: Path,
    people: Path | None,
    report: Path | None,
    overwrite: bool,
    quiet: bool,
    verbose: bool,
    given: dict[str, Any],
) -> int:
    """Write synthetic rows of one table."""
    from piiscan.api import synthesize as api
    from piiscan.api.evaluate import evaluate
    from piiscan.cli import scan_run, synthesis_ending, synthesize_tables
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.cli.summarize import declared, privacy, table_source
    from piiscan.core import row_files
    from piiscan.dp.ledger import LEDGER
    from piiscan.report import synthesis_text

    row_files.check(target)
    ledger = given["ledger"] or path.parent / LEDGER
    output.apart(target, path, ledger, given["schema"], people)
    output.free(output.writable(target), overwrite)
    synthesis_ending.claim_report(report, overwrite, target, path, ledger, given["schema"], people)
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        source = table_source(path, given, progress)
        done = api.synthesize(
            source,
            privacy(given, ledger),
            n=given["n"],
            constraints=given["constraints"],
            columns=given["columns"],
            private_bins=given["private_bins"],
            people=people,
            progress=progress.update,
            **declared(given),
        )
        output.to_file(target, row_files.content(done.frame, target))
        if report is not None:
            compared = evaluate(list(source.batches(list(done.domains))), done.frame, schema=done.domains)
            synthesis_ending.write_report(report, compared)
    output.data(synthesis_text.text(done.to_dict()))
    output.say(f"Wrote {done.frame.height} rows to {target}.", quiet)
    if done.constraints:
        output.say(f"Every row satisfies: {'; '.join(done.constraints)}.", quiet)
    if done.made_up:
        output.say(f"Made-up people who don't exist: {', '.join(done.made_up)}.", quiet)
    if done.left_out:
        names = ", ".join(synthesize_tables.shown(name, index) for index, name in done.left_out)
        output.say(f"Left out, since they aren't declared: {names}.", quiet)
    synthesis_ending.say_ending(done, ledger, report, str(path), quiet)
    return 0
