"""`piiscan aggregate`: figures of groups that don't disclose single people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE
from piiscan.cli.summarize import DELTA, budget_options, declared_options

if TYPE_CHECKING:
    from piiscan.aggregates.result import Aggregates
    from piiscan.cli.progress import ProgressDisplay

_EXACT = ("min_group", "p_percent", "dominance", "totals")
_PRIVATE = ("delta", "one_row_per_person", "max_rows", "bounds", "edges", "categories", "entity", "schema", "budget")


@click.command(short_help="Publish means and correlations of groups.")
@click.argument("path", type=options.FILE)
@click.option(
    "--by", multiple=True, callback=options.split, required=True, metavar="A[,B]", help="The columns to group by."
)
@click.option(
    "--columns",
    multiple=True,
    callback=options.split,
    required=True,
    metavar="A,B",
    help="The numeric columns to publish figures of.",
)
@options.output("A .json or .csv file (standard output, as CSV).", dash="stdout")
@OVERWRITE
@click.option(
    "--min-group",
    type=int,
    default=10,
    show_default=True,
    metavar="K",
    help="The smallest number of rows, or units, in a published group; 3 or more.",
)
@click.option(
    "--p-percent",
    type=float,
    default=10.0,
    show_default=True,
    metavar="P",
    help="No unit may estimate another's value to within P percent; 0 turns this off.",
)
@click.option(
    "--dominance",
    metavar="N,K",
    help=("The N largest values make up at most K percent of a group's sum, such as 2,85."),
)
@click.option(
    "--unit",
    metavar="COLUMN",
    help=("The column that identifies the person a row is about: people are counted, not rows."),
)
@click.option(
    "--totals",
    type=click.Choice(("all", "nested")),
    help="Also publish totals: over each column and all, or over the last column, the last two, ….",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what was withheld and why, as JSON. Not for publication.",
)
@click.option(
    "--epsilon", type=float, metavar="E", help=("Use differential privacy instead: noise, and no group is withheld.")
)
@DELTA
@click.option(
    "--one-row-per-person",
    is_flag=True,
    help="Each row is another person's. With --epsilon, this or --unit is required.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(1),
    default=1,
    metavar="M",
    help="How many rows of a unit count, with --epsilon (1).",
)
@declared_options
@budget_options
@options.TABLE
@options.whole_table_options
def aggregate(
    path: Path,
    target: Path | None,
    report_file: Path | None,
    overwrite: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Publish count, means, standard deviations and correlations of the groups in PATH.

    Groups that would disclose single people are withheld, and so are other groups if totals would disclose them. The
    figures are exact, and no epsilon covers them, unless --epsilon asks for differential privacy. The exit status is
    2 for wrong usage or if no group can be published, 3 if the file can't be read, 6 if the budget is used up.
    """
    import json

    from piiscan.cli import scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.dp.ledger import LEDGER

    for file in (target, report_file):
        if file is not None:
            output.apart(output.writable(file), path, given["ledger"] or path.parent / LEDGER, given["schema"])
            output.free(file, overwrite)
    if target is not None and target.suffix.lower() not in (".json", ".csv"):
        raise click.BadParameter(
            f"{target}: aggregates are written as .json or .csv; use one of these extensions", param_hint="-o"
        )
    private = given["epsilon"] is not None
    for option in _EXACT if private else _PRIVATE:
        if click.get_current_context().get_parameter_source(option) == ParameterSource.COMMANDLINE:
            why = "noise protects groups of any size, and all are published" if private else "it needs --epsilon"
            raise click.UsageError(f"--{option.replace('_', '-')}: {why}; leave it out")
    if private and report_file is not None:
        raise click.UsageError("--report lists what was withheld, and with --epsilon nothing is")
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        done = (_private if private else _exact)(path, given, progress)
    written = done.to_json() if target is not None and target.suffix.lower() == ".json" else done.to_csv()
    if report_file is not None:
        output.to_file(report_file, json.dumps(done.report, indent=2, ensure_ascii=False) + "\n")
    if target is None:
        output.data(written)
    else:
        output.to_file(target, written)
    for line in _private_words(done) if private else _words(done):
        output.say(line, quiet)
    return 0


def _exact(path: Path, given: dict[str, Any], progress: ProgressDisplay) -> Aggregates:
    from piiscan.aggregates.disclosure_rules import Rules
    from piiscan.aggregates.request import AggregateRequest
    from piiscan.aggregates.run import aggregate_and_note
    from piiscan.cli import scan_run
    from piiscan.dp.run.release_log import find_release_log
    from piiscan.io.table_source import Source

    s = options.settings(**_settings(given))
    loaded = scan_run.load_rules(s)
    source = Source(path, given["table"], scan_run.read_options(s, loaded), progress.open)
    log = find_release_log(source, *options.dataset_version(given["dataset"]), given["ledger"])
    rules = Rules(given["min_group"], given["p_percent"], _dominance(given["dominance"]))
    request = AggregateRequest(given["by"], given["columns"], rules, given["unit"], given["totals"])
    return aggregate_and_note(source, request, loaded, scan_run.scan_options(s), log, progress.update)


def _private(path: Path, given: dict[str, Any], progress: ProgressDisplay) -> Aggregates:
    from piiscan.api.aggregate import aggregate_privately
    from piiscan.cli.summarize import declared, privacy, table_source

    return aggregate_privately(
        table_source(path, given, progress),
        given["by"],
        given["columns"],
        privacy(given, given["ledger"]),
        progress=progress.update,
        **declared(given),
    )


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of every command that reads a whole table."""
    return {name: given[name] for name in ("jobs", "delimiter", "encoding", "header", "rule_folders", "config_file")}


def _dominance(text: str | None) -> tuple[int, float] | None:
    if text is None:
        return None
    try:
        n, k = text.split(",")
        return int(n), float(k)
    except ValueError:
        raise click.BadParameter("it is written N,K, such as 2,85", param_hint="--dominance") from None


def _words(done: Aggregates) -> list[str]:
    """Yield what was published and what wasn't: a line each."""
    from piiscan.report.verdict_words import count

    report, weakest = done.report, done.report["weakest_reconstruction"]
    kinds = [name for name in ("groups", "totals") if report[name]["published"] + report[name]["withheld"]]
    published = " and ".join(
        f"{report[k]['published']} of {report[k]['published'] + report[k]['withheld']} {k}" for k in kinds
    )
    lines = [f"Published {published}; the smallest is of {count(report['smallest_published'], 'row')}."]
    if report["withheld_for"]:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in report["withheld_for"].items())
        lines.append(f"Withheld: {reasons}. {count(report['rows_in_withheld_groups'], 'row')} are in withheld groups.")
    for name, what in (("rows_with_missing_numbers", "lack a number"), ("rows_without_unit", "have no unit")):
        if report[name]:
            lines.append(f"Of {report['rows']} rows {report[name]} {what}, and aren't counted.")
    lines.append(
        f"Reconstruction: in the weakest group {weakest['cells']} numbers are unknown and {weakest['figures']} "
        f"figures published; {weakest['freedom']} more would determine its rows. Anyone who knows all rows of a "
        "group except two can compute these two."
    )
    if done.about["dataset"] is None:
        lines.append("No epsilon covers these figures. Use --dataset to compare them with other releases of it.")
    return [*lines, *(f"Other releases are known: {text}." for text in report["other_releases"])]


def _private_words(done: Aggregates) -> list[str]:
    privacy = done.about["privacy"]
    return [
        (
            f"Differential privacy: epsilon {privacy['epsilon']:g}, delta {privacy['delta']:g}, "
            f"{privacy['mechanism']} noise. No group is withheld: noise hides the people in it."
        ),
        f"{privacy['neighbours']} The JSON says how far each figure may be off.",
    ]
