"""What `piiscan synthesize` does with one table and with several: the comparison with the real rows, the last lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from piiscan.cli import output

if TYPE_CHECKING:
    from piiscan.api.evaluate import Evaluation
    from piiscan.api.evaluate_tables import TablesEvaluation
    from piiscan.synthesis.linked.result import SyntheticTables
    from piiscan.synthesis.run import Synthetic


def claim_report(report: Path | None, overwrite: bool, *others: Path | None) -> None:
    """Check that the comparison can be made, and written without harm to `others`, before anything is charged.

    Raises `click.ClickException` and `MissingExtra`.
    """
    from piiscan.synthesis.evaluation import classifier

    if report is not None:
        output.apart(report, *others)
        output.free(output.writable(report), overwrite)
        classifier.require()


def write_report(report: Path, compared: Evaluation | TablesEvaluation) -> None:
    """Write a comparison as JSON, if the file's name says so, or as Markdown."""
    output.to_file(report, compared.to_json() if report.suffix.lower() == ".json" else compared.to_markdown())


def say_ending(done: Synthetic | SyntheticTables, ledger: Path, report: Path | None, real: str, quiet: bool) -> None:
    """Report what was written beside the rows, and what is left of the budget. `real`: what is compared with."""
    from piiscan.cli.summarize import left
    from piiscan.dp.ledger import Ledger

    if report is not None:
        output.say(
            f"Wrote {report}. Its figures are exact, and no epsilon covers them: only for people who may see {real}.",
            quiet,
        )
    if done.repeated:
        output.say("The same query was answered before: these are rows of its release again, for free.", quiet)
    account = Ledger(ledger).account(done.to_dict()["dataset"]["name"])
    size = next(c.loss for c in account.charges if c.release == done.text)
    remaining = account.remaining_releases(size)
    output.say(f"{left(account)} {remaining} more of this size would fit. Kept in {ledger}.", quiet)
