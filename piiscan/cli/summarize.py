"""`piiscan summarize`: figures of a table with differential privacy."""

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


DELTA = click.option("--delta", type=float, default=0.0, metavar="D", help="The chance beside it, such as 1e-9 (0).")
_UNIT = [
    click.option("--unit", metavar="COLUMN", help="The column that says whom a row is about."),
    click.option(
        "--one-row-per-person", is_flag=True, help="Each row is another person's. This or --unit is required."
    ),
    click.option(
        "--max-rows", type=click.IntRange(1), default=1, metavar="M", help="How many rows of a unit count (1)."
    ),
]
_KNOWN = [
    click.option("--bounds", multiple=True, metavar="COL=LOW:HIGH", help="Between what numbers lie (repeatable)."),
    click.option(
        "--edges", multiple=True, metavar="COL=A,B", help="Where bins of a histogram end, between the bounds."
    ),
    click.option("--categories", multiple=True, metavar="COL=A,B", help="What words a column can hold (repeatable)."),
    click.option(
        "--entity", multiple=True, metavar="COL=AGE", help="What a column is, for bounds that the registry knows."
    ),
    click.option("--schema", type=options.FILE, metavar="FILE", help="What columns can hold, as TOML."),
]
_FOUND = [
    click.option(
        "--estimate-bounds",
        multiple=True,
        callback=options.split,
        metavar="COL",
        help="Find bounds with noise; costs a part of epsilon.",
    ),
    click.option(
        "--private-keys",
        multiple=True,
        callback=options.split,
        metavar="COL",
        help="Find words that many have; needs a delta.",
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
        "--quantiles", multiple=True, callback=options.split, metavar="P,P", help="Which quantiles (0.25,0.5,0.75)."
    ),
    click.option(
        "--by", multiple=True, metavar="A[,B]", help="Statistics in each group of these columns (repeatable)."
    ),
    click.option(
        "--cross", multiple=True, metavar="A,B", help="Counts of each combination of these columns (repeatable)."
    ),
]
_BUDGET = [
    click.option(
        "--dataset", metavar="NAME[@VERSION]", help="Whose budget it is (the file's name). Versions share one."
    ),
    click.option(
        "--budget", type=float, metavar="E", help="The epsilon of all releases of the dataset; fixed at its first use."
    ),
    click.option(
        "--ledger", type=click.Path(path_type=Path), metavar="FILE", help="Where budgets are kept (beside the data)."
    ),
]


def unit_options(command: options.Command) -> options.Command:
    """Whose the rows are."""
    return options.with_(command, _UNIT)


def declared_options(command: options.Command) -> options.Command:
    """What is publicly known of columns."""
    return options.with_(command, _KNOWN)


def known_options(command: options.Command) -> options.Command:
    """What is publicly known of columns, and what is to be found with noise."""
    return options.with_(command, [*_KNOWN, *_FOUND])


def statistics_options(command: options.Command) -> options.Command:
    """What is asked of them."""
    return options.with_(command, _STATISTICS)


def budget_options(command: options.Command) -> options.Command:
    """Whose budget it is, and where that is kept."""
    return options.with_(command, _BUDGET)


@click.command(short_help="Summarise a table with differential privacy.")
@click.argument("path", type=options.FILE)
@click.option(
    "--epsilon", type=float, required=True, metavar="E", help="The privacy loss of all that is asked, together."
)
@DELTA
@unit_options
@known_options
@click.option(
    "--columns", multiple=True, callback=options.split, metavar="A,B", help="Only these of the declared columns."
)
@statistics_options
@budget_options
@options.TABLE
@options.output("Write the release as JSON.")
@OVERWRITE
@options.dialect_options
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no hints.")
def summarize(path: Path, target: Path | None, overwrite: bool, quiet: bool, **given: Any) -> int:
    """Print counts, sums, means, variances, quantiles and histograms of PATH, noisy enough that they tell hardly
    anything of one person.

    What values can be is declared, never read from the data: a column is summarised once you say what is publicly known
    of it. Each release is charged to the dataset's budget before its noise is drawn; the same query gives the same
    release again, for free. The exit status is 2 for wrong usage, 3 when the file can't be read, 6 when the budget has
    no room.
    """
    from piiscan.api.person_rows import refuse_repeated_persons
    from piiscan.cli import scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.dp.ledger import Ledger
    from piiscan.dp.run.accounts import LEDGER
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
        output.say(f"Few cells of {', '.join(few)} are plain numbers: 1,234.5 isn't one, nor is a date.", quiet)
    if account.exact:
        output.say(
            "Epsilon covers this summary alone, and other releases are known: see `piiscan budget show "
            f"{account.dataset}`.",
            quiet,
        )
    return 0


def _few_numbers(release: dict[str, Any]) -> list[str]:
    """Columns that hold numbers in less than half of the rows, by what was released: nothing else is looked at."""
    counted = [column for column in release["columns"] if column["kind"] == "number" and "count" in column]
    return [c["name"] for c in counted if 2 * (c["count"]["value"] + c["count"]["accuracy"]) < release["rows"]["value"]]


def left(account: Account) -> str:
    """What remains of a dataset's budget, in words."""
    epsilon, delta = account.remaining
    return (
        f"Of the budget of {account.dataset}, epsilon {account.budget.epsilon:g}, epsilon {epsilon:.6g} (delta "
        f"{delta:.3g}) is left."
    )


def table_source(path: Path, given: dict[str, Any], progress: ProgressDisplay | None = None) -> Source:
    """The table that `--table`, the dialect options and the configuration speak of. `progress` shows its reading."""
    from piiscan.cli import scan_run
    from piiscan.io.table_source import Source

    dialect = {name: given[name] for name in ("delimiter", "encoding", "header", "config_file")}
    opening = None if progress is None else progress.open
    return Source(path, given["table"], scan_run.read_options(options.settings(**dialect), None), opening)


def privacy(given: dict[str, Any], ledger: Path | None) -> Privacy:
    """The options that say what a release may cost, whose rows they are, and whose budget it is."""
    from piiscan.dp.privacy import Privacy

    dataset, version = options.dataset_version(given["dataset"])
    as_they_are = ("epsilon", "delta", "unit", "one_row_per_person", "max_rows", "budget")
    return Privacy(**{name: given[name] for name in as_they_are}, dataset=dataset, version=version, ledger=ledger)


def questions(given: dict[str, Any]) -> SummaryQuestions:
    """The options that say what a summary is to tell."""
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
    """The options that say what columns can hold, as the verbs take them."""
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
    """`column=text`, each column once."""
    found: dict[str, str] = {}
    for item in given:
        column, sign, text = item.partition("=")
        if not (column and sign and text):
            raise click.BadParameter("it is written COLUMN=…, such as score=0:120 for bounds", param_hint=option)
        if column in found:
            raise click.BadParameter(f"column {column} is declared twice", param_hint=option)
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
        raise click.BadParameter(f"{text!r} is no number", param_hint=option) from None


def _numbers(option: str, texts: Sequence[str]) -> list[float]:
    return [_number(option, text) for text in texts]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
