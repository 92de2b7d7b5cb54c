"""`piiscan evaluate`: compares synthetic rows with the real ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE

if TYPE_CHECKING:
    from piiscan.api.evaluate import Evaluation
    from piiscan.api.evaluate_tables import TablesEvaluation


@click.command(short_help="Compare synthetic rows with the real ones.")
@click.argument("real", type=options.PATH)
@click.argument("synthetic", type=options.PATH)
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
    type=options.PATH,
    metavar="FILE",
    help="Rows like REAL's that SYNTHETIC wasn't made from: tries a membership attack.",
)
@options.output("The report: Markdown, or .json (standard output).", name="target_file", dash="stdout")
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

    Where the schema declares tables that refer to each other, REAL, SYNTHETIC and the control are folders in which each
    table is the file of its name. The report then compares each table, numbers of rows by row of the parent, and pairs
    of columns across tables.
    """
    from piiscan.cli import scan_run, synthesize_tables
    from piiscan.report.plots.plot import require

    if target_file is not None:
        read = [path for path in (real, synthetic, control) if path is not None]
        read += [file for path in read if path.is_dir() for file in path.iterdir()]
        output.free(output.apart(output.writable(target_file), *read, schema), overwrite)
    if plots is not None:
        require()
        output.free(plots, overwrite)
    with scan_run.silent_libraries():
        if synthesize_tables.declares_tables(schema):
            done: Evaluation | TablesEvaluation = _of_tables(real, synthetic, schema, target, control, given)
        else:
            done = _of_one(real, synthetic, schema, target, control, given)
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


def _of_one(
    real: Path, synthetic: Path, schema: Path, target: str | None, control: Path | None, given: dict[str, Any]
) -> Evaluation:
    """Compare the tables of two files."""
    from piiscan.api import evaluate as api
    from piiscan.cli.summarize import table_source

    for path in (real, synthetic, control):
        if path is not None and path.is_dir():
            raise click.UsageError(
                f"{path} is a folder: for several tables, {schema} has to declare [tables.NAME], and how they refer to "
                "each other"
            )
    return api.evaluate(
        table_source(real, given),
        table_source(synthetic, {**given, "table": None}),
        schema=schema,
        target=target,
        control=None if control is None else table_source(control, {**given, "table": None}),
    )


def _of_tables(
    real: Path, synthetic: Path, schema: Path, target: str | None, control: Path | None, given: dict[str, Any]
) -> TablesEvaluation:
    """Compare the tables of two folders."""
    from piiscan.api.evaluate_tables import evaluate_tables
    from piiscan.api.synthesize_tables import file_of
    from piiscan.cli.summarize import table_source
    from piiscan.synthesis.linked import schema as schemas

    for option, value in (("--target", target), ("--table", given["table"])):
        if value is not None:
            raise click.UsageError(f"{option} is about one table, and the schema declares several; leave it out")
    names = [table.name for table in schemas.load(schema).tables]

    def tables(folder: Path) -> dict[str, Any]:
        return {name: table_source(file_of([folder], name), given) for name in names}

    return evaluate_tables(
        tables(real), tables(synthetic), schema, control=None if control is None else tables(control)
    )
