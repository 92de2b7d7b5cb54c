"""`piiscan summarize`: statistics of a table with differential privacy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE

if TYPE_CHECKING:
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.dp.ledger import Account
    from piiscan.dp.privacy import Privacy
    from piiscan.dp.run.prepare import SummaryQuestions
    from piiscan.io.table_source import Source


DELTA = click.option(
    "--delta", type=float, default=0.0, metavar="D", help=("The delta of the release, such as 1e-9 (0).")
)
_UNIT = [
    click.option("--unit", metavar="COLUMN", help="The column that identifies the person a row is about."),
    click.option(
        "--one-row-per-person", is_flag=True, help="Each row is another person's. This or --unit is required."
    ),
    click.option(
        "--max-rows", type=click.IntRange(1), default=1, metavar="M", help="How many rows of a unit count (1)."
    ),
]
_KNOWN = [
    click.option(
        "--bounds", multiple=True, metavar="COL=LOW:HIGH", help=("The range of a column's numbers (repeatable).")
    ),
    click.option(
        "--edges", multiple=True, metavar="COL=A,B", help="The inner edges of histogram bins, between the bounds."
    ),
    click.option(
        "--categories", multiple=True, metavar="COL=A,B", help=("The possible words of a column (repeatable).")
    ),
    click.option(
        "--entity",
        multiple=True,
        metavar="COL=AGE",
        help=("The entity of a column, for bounds that the registry knows."),
    ),
    click.option(
        "--schema", type=options.FILE, metavar="FILE", help=("A TOML file with the possible values of columns.")
    ),
]
_FOUND = [
    click.option(
        "--estimate-bounds",
        multiple=True,
        callback=options.split,
        metavar="COL",
        help="Estimate bounds with noise; costs a part of epsilon.",
    ),
    click.option(
        "--private-keys",
        multiple=True,
        callback=options.split,
        metavar="COL",
        help="Find the words that many rows have; needs a delta.",
    ),
]
_STATISTICS = [
    click.option(
        "--statistics",
        multiple=True,
        callback=options.split,
        metavar="A,B",
        help="count, sum, mean, variance, quantiles, histogram (all).",
    ),
    click.option(
        "--quantiles",
        multiple=True,
        callback=options.split,
        metavar="P,P",
        help="The quantiles to report (0.25,0.5,0.75).",
    ),
    click.option(
        "--by", multiple=True, metavar="A[,B]", help=("Report statistics in each group of these columns (repeatable).")
    ),
    click.option("--cross", multiple=True, metavar="A,B", help="Count each combination of these columns (repeatable)."),
]
_BUDGET = [
    click.option(
        "--dataset",
        metavar="NAME[@VERSION]",
        help=("The dataset whose budget is charged (the file's name). Versions share one."),
    ),
    click.option(
        "--budget", type=float, metavar="E", help="The epsilon of all releases of the dataset; fixed at its first use."
    ),
    click.option(
        "--ledger",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help=("The ledger that keeps budgets (beside the data)."),
    ),
]


def unit_options(command: options.Command) -> options.Command:
    """Add the options that say whose the rows are."""
    return options.with_(command, _UNIT)


def declared_options(command: options.Command) -> options.Command:
    """Add the options that declare columns."""
    return options.with_(command, _KNOWN)


def known_options(command: options.Command) -> options.Command:
    """Add the options that declare columns, and those that estimate something with noise."""
    return options.with_(command, [*_KNOWN, *_FOUND])


def statistics_options(command: options.Command) -> options.Command:
    """Add the options for the requested statistics."""
    return options.with_(command, _STATISTICS)


def budget_options(command: options.Command) -> options.Command:
    """Add the options for the budget and its ledger."""
    return options.with_(command, _BUDGET)


@click.command(short_help="Summarise a table with differential privacy.")
@click.argument("path", type=options.FILE)
@click.option("--epsilon", type=float, required=True, metavar="E", help="The total privacy loss of the release.")
@DELTA
@unit_options
@known_options
@click.option(
    "--columns", multiple=True, callback=options.split, metavar="A,B", help="Use only these of the declared columns."
)
@statistics_options
@budget_options
@options.TABLE
@options.output("Write the release as JSON.")
@OVERWRITE
@options.dialect_options
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no hints.")
def summarize(path: Path, target: Path | None, overwrite: bool, quiet: bool, **given: Any) -> int:
    """Print counts, sums, means, variances, quantiles and histograms of PATH with differential privacy.

    Noise hides the influence of any one person. Declare the possible values of each column that you want summarised;
    they are never read from the data. Each release is charged to the dataset's budget before its noise is drawn; the
    same query returns the same release again, for free. The exit status is 2 for wrong usage, 3 if the file can't be
    read, 6 if the budget is used up.
    """
    from piiscan.api.person_rows import refuse_repeated_persons
    from piiscan.cli import scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.dp.ledger import LEDGER, Ledger
    from piiscan.dp.run.prepare import prepare_summary
    from piiscan.report import summary_text

    ledger = given["ledger"] or path.parent / LEDGER
    if target is not None:
        output.free(output.apart(output.writable(target), path, ledger, given["schema"]), overwrite)
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, False) as progress:
        source, asked = table_source(path, given, progress), privacy(given, ledger)
        query = prepare_summary(source, asked, questions(given), progress.update)
        query.check()
        refuse_repeated_persons(source, asked)
        done = query.charge_and_execute()
    if target is not None:
        output.to_file(target, done.text)
    release = done.to_dict()
    output.data(summary_text.text(release))
    account = Ledger(ledger).account(release["dataset"]["name"])
    size = next(c.loss for c in account.charges if c.release == done.text)
    remaining = account.remaining_releases(size)
    if done.repeated:
        output.say("The same query was answered before: this is its release again, for free.", quiet)
    output.say(f"{left(account)} {remaining} more of this size would fit. Kept in {ledger}.", quiet)
    if few := _few_numbers(release):
        output.say(f"Few cells of {', '.join(few)} are plain numbers; 1,234.5 isn't one, nor is a date.", quiet)
    if account.exact:
        output.say(
            "Epsilon covers only this summary, and other releases are known: see `piiscan budget show "
            f"{account.dataset}`.",
            quiet,
        )
    return 0


def _few_numbers(release: dict[str, Any]) -> list[str]:
    """Return the columns with numbers in less than half of the rows, judged only by what was released."""
    counted = [column for column in release["columns"] if column["kind"] == "number" and "count" in column]
    return [c["name"] for c in counted if 2 * (c["count"]["value"] + c["count"]["accuracy"]) < release["rows"]["value"]]


def left(account: Account) -> str:
    """Return what is left of a dataset's budget, in words."""
    epsilon, delta = account.remaining
    return (
        f"Of the budget of {account.dataset}, epsilon {account.budget.epsilon:g}, epsilon {epsilon:.6g} (delta "
        f"{delta:.3g}) is left."
    )


def table_source(path: Path, given: dict[str, Any], progress: ProgressDisplay | None = None) -> Source:
    """Return the table that `--table`, the dialect options and the configuration name. `progress` shows its reading."""
    from piiscan.cli import scan_run
    from piiscan.io.table_source import Source

    dialect = {name: given[name] for name in ("delimiter", "encoding", "header", "config_file")}
    opening = None if progress is None else progress.open
    return Source(path, given["table"], scan_run.read_options(options.settings(**dialect), None), opening)


def privacy(given: dict[str, Any], ledger: Path | None) -> Privacy:
    """Return the cost of a release, whose rows they are, and the budget, from the options."""
    from piiscan.dp.privacy import Privacy

    dataset, version = options.dataset_version(given["dataset"])
    as_they_are = ("epsilon", "delta", "unit", "one_row_per_person", "max_rows", "budget")
    return Privacy(**{name: given[name] for name in as_they_are}, dataset=dataset, version=version, ledger=ledger)


def questions(given: dict[str, Any]) -> SummaryQuestions:
    """Return the requested statistics, from the options."""
    from piiscan.dp.run.prepare import SummaryQuestions

    chosen: dict[str, Any] = {}
    if given["statistics"]:
        chosen["statistics"] = given["statistics"]
    if given["quantiles"]:
        chosen["quantiles"] = _numbers("--quantiles", given["quantiles"])
    return SummaryQuestions(
        **declared(given),
        estimate_bounds=given["estimate_bounds"],
        private_keys=given["private_keys"],
        columns=given["columns"],
        by=[_words(group) for group in given["by"]],
        cross=[_words(group) for group in given["cross"]],
        **chosen,
    )


def declared(given: dict[str, Any]) -> dict[str, Any]:
    """Return the declarations of columns, from the options, as the verbs take them."""
    return {
        "bounds": {column: _range(column, text) for column, text in _pairs("--bounds", given["bounds"]).items()},
        "edges": {
            column: _numbers("--edges", text.split(",")) for column, text in _pairs("--edges", given["edges"]).items()
        },
        "categories": {column: _words(text) for column, text in _pairs("--categories", given["categories"]).items()},
        "entities": _pairs("--entity", given["entity"]),
        "schema": given["schema"],
    }


def _pairs(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """Split `column=text`, each column once."""
    found: dict[str, str] = {}
    for item in given:
        column, sign, text = item.partition("=")
        if not (column and sign and text):
            raise click.BadParameter("it is written COLUMN=…, such as score=0:120 for bounds", param_hint=option)
        if column in found:
            raise click.BadParameter(f"column {column} is declared twice; keep one declaration", param_hint=option)
        found[column] = text
    return found


def _range(column: str, text: str) -> tuple[float, float]:
    low, sign, high = text.partition(":")
    if not sign:
        raise click.BadParameter(f"they are written {column}=LOW:HIGH, such as {column}=0:120", param_hint="--bounds")
    return _number("--bounds", low), _number("--bounds", high)


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number", param_hint=option) from None


def _numbers(option: str, texts: Sequence[str]) -> list[float]:
    return [_number(option, text) for text in texts]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
