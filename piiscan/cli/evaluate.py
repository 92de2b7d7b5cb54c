"""`piiscan evaluate`: compares synthetic rows with the real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE


@click.command(short_help="Compare synthetic rows with the real ones.")
@click.argument("real", type=options.FILE)
@click.argument("synthetic", type=options.FILE)
@click.option(
    "--schema",
    type=options.FILE,
    required=True,
    metavar="FILE",
    help=("A TOML file with the possible values of columns."),
)
@click.option(
    "--target",
    metavar="COLUMN",
    help="The column that a classifier predicts from the others (the last one with categories).",
)
@click.option(
    "--control",
    type=options.FILE,
    metavar="FILE",
    help="Rows like REAL's that SYNTHETIC wasn't made from: tries a membership attack.",
)
@options.output("The report: Markdown, or .json.", name="target_file")
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw plots, too, in a folder beside the report.",
)
@OVERWRITE
@options.TABLE
@options.dialect_options
@click.option("-q", "--quiet", is_flag=True, help="No hints.")
def evaluate(
    real: Path,
    synthetic: Path,
    schema: Path,
    target: str | None,
    control: Path | None,
    target_file: Path | None,
    plots: Path | None,
    overwrite: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Measure how far SYNTHETIC is from REAL.

    The report compares the shares of one, two and three columns together, means and spreads, correlations, copies of
    rows, a classifier trained on synthetic rows and tested on real ones, and with --control how well an attacker
    recognises rows that SYNTHETIC was made from. It is exact, so not differentially
    private, and every part of it says so: only people who may see REAL may see it. It covers the columns of the
    schema. The exit status is 2 for wrong usage, 3 if a file can't be read.
    """
    from piiscan.api import evaluate as api
    from piiscan.cli import scan_run
    from piiscan.cli.summarize import table_source
    from piiscan.report.plots.plot import require

    others = () if control is None else (control,)
    if target_file is not None:
        output.free(output.apart(output.writable(target_file), real, synthetic, schema, *others), overwrite)
    if plots is not None:
        require()
        output.free(plots, overwrite)
    with scan_run.silent_libraries():
        done = api.evaluate(
            table_source(real, given),
            table_source(synthetic, {**given, "table": None}),
            schema=schema,
            target=target,
            control=None if control is None else table_source(control, {**given, "table": None}),
        )
    images = (
        {}
        if plots is None
        else done.write_plots(plots, report=Path.cwd() if target_file is None else target_file.parent)
    )
    as_json = target_file is not None and target_file.suffix.lower() == ".json"
    written = done.to_json() if as_json else done.to_markdown(images)
    if target_file is None:
        output.data(written)
    else:
        output.to_file(target_file, written)
        output.say(f"Wrote {target_file}. Its figures are exact: only for people who may see {real}.", quiet)
    return 0
