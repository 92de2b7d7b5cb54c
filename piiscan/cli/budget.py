"""`piiscan budget`: what was released of a dataset with differential privacy, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.dp.accounting import Accounting
    from piiscan.dp.ledger import Account, Charge, Exact

LEDGER = click.option(
    "--ledger",
    type=click.Path(path_type=Path),
    default="piiscan-ledger.sqlite",
    show_default=True,
    metavar="FILE",
    help="Where budgets are kept.",
)


@click.group()
def budget() -> None:
    """Show and change privacy budgets.

    A ledger guards against spending too much by accident. It doesn't guard against the owner of the data, who can
    delete it.
    """


@budget.command()
@click.argument("dataset", required=False)
@LEDGER
def show(dataset: str | None, ledger: Path) -> int:
    """Show the releases of DATASET, or of all datasets, with time and user, and what is left.

    Releases that no epsilon covers are listed too. Pairs of them whose difference may disclose single people are
    marked.
    """
    from piiscan.core.errors import UsageError
    from piiscan.dp.ledger import Ledger

    book = Ledger(ledger)
    known = book.datasets()
    dataset = None if dataset is None else book.name_of(dataset)
    if dataset is not None and dataset not in known:
        raise UsageError(f"ledger {ledger}: it has no dataset {dataset}; `piiscan budget show` lists its datasets")
    lines: list[str] = []
    for name in [dataset] if dataset is not None else known:
        lines += (
            [*_account(book.account(name)), ""]
            if book.has_budget(name)
            else [f"{name}: no budget", *_exact(book.exact(name)), ""]
        )
    output.data("\n".join(lines))
    return 0


@budget.command("open")
@click.argument("dataset")
@click.option("--epsilon", type=float, required=True, metavar="E", help="The epsilon of all releases together.")
@click.option("--delta", type=float, default=0.0, metavar="D", help="The delta of all releases together (0).")
@click.option(
    "--accounting",
    type=click.Choice(("basic", "zcdp")),
    default="basic",
    show_default=True,
    help="How costs add up: epsilon and delta each, or zero-concentrated, "
    "which suits many releases with Gaussian noise.",
)
@LEDGER
def open_(dataset: str, epsilon: float, delta: float, accounting: str, ledger: Path) -> int:
    """Fix the budget of DATASET before its first release."""
    from piiscan.dp.accounting import Budget
    from piiscan.dp.ledger import Ledger

    book = Ledger(ledger)
    book.open(dataset, Budget(epsilon, delta, cast("Accounting", accounting)))
    output.say(f"The budget of {book.name_of(dataset)} is epsilon {epsilon:g}, delta {delta:g}, kept in {ledger}.")
    return 0


@budget.command("raise")
@click.argument("dataset")
@click.option("--epsilon", type=float, required=True, metavar="E", help="The new epsilon of all releases together.")
@click.option("--delta", type=float, metavar="D", help="The new delta of all releases together (as before).")
@LEDGER
def raise_(dataset: str, epsilon: float, delta: float | None, ledger: Path) -> int:
    """Raise the budget of DATASET. People's data are then protected less than was promised."""
    from piiscan.dp.ledger import Ledger

    book = Ledger(ledger)
    book.raise_budget(dataset, epsilon, delta)
    from piiscan.cli.summarize import left

    output.say(left(book.account(dataset)))
    return 0


@budget.command()
@click.argument("dataset", metavar="DATASET[@VERSION]")
@click.option("--kind", required=True, metavar="KIND", help=("The kind of release: k-anonymous, risk, aggregates, …"))
@click.option("--columns", required=True, metavar="A,B", help="The columns of the release.")
@LEDGER
def register(dataset: str, kind: str, columns: str, ledger: Path) -> int:
    """Record a release of DATASET that no epsilon covers: a k-anonymous table, risk figures, exact aggregates."""
    from piiscan.dp.ledger import Ledger

    name, _, version = dataset.partition("@")
    book = Ledger(ledger)
    book.register(name, version, kind, [c.strip() for c in columns.split(",") if c.strip()])
    output.data("".join(line + "\n" for line in _exact(book.exact(name))))
    return 0


def record_release(
    path: Path, dataset: str | None, ledger: Path | None, kind: str, columns: Sequence[str]
) -> tuple[str, ...]:
    """Record a release of the file at `path` that no epsilon covers, and return the warnings about it.

    Call it before the release is written.
    """
    from piiscan.dp.run.release_log import find_release_log
    from piiscan.io.table_source import Source

    log = find_release_log(Source(path), *options.dataset_version(dataset), ledger)
    return () if log is None else tuple(f"Other releases are known: {d}." for d in log.record(kind, columns))


def _account(account: Account) -> list[str]:
    from piiscan.dp.query_words import question
    from piiscan.report.verdict_words import count

    b, (epsilon, delta), (left, left_delta) = account.budget, account.spent, account.remaining
    lines = [
        f"{account.dataset}: {b.accounting} accounting",
        f"  budget  epsilon {b.epsilon:g}, delta {b.delta:g}",
        f"  spent   epsilon {epsilon:.6g}, delta {delta:.6g}, by {count(len(account.charges), 'release')}",
        f"  left    epsilon {left:.6g}, delta {left_delta:.6g}",
    ]
    for c in account.charges:
        gone = "" if c.release is not None else ", charged and never released"
        lines.append(
            f"  {c.at}  epsilon {c.loss.epsilon:g}, delta {c.loss.delta:g}{_version(c)}{gone}: "
            f"{question(c.query)}{_by(c)}"
        )
    return lines + _exact(account.exact)


def _exact(exact: tuple[Exact, ...]) -> list[str]:
    from piiscan.dp.differencing import differences

    lines = [f"  {e.at}  {e.kind}{_version(e)} of {', '.join(e.columns)}: no epsilon covers it{_by(e)}" for e in exact]
    return lines + [f"  {d}" for d in differences(exact)]


def _by(entry: Charge | Exact) -> str:
    return f", by {entry.user}" if entry.user else ""


def _version(entry: Any) -> str:
    return f", version {entry.version}" if entry.version else ""
