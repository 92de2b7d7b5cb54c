"""`piiscan protect`: a table that can be shared, a private summary, and a report, in one go."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from piiscan.cli import options, output
from piiscan.cli import summarize as private
from piiscan.cli.anonymize import MODELS, SUPPRESS, model_options, role_options, search_options
from piiscan.cli.many_options import ManyOptions

if TYPE_CHECKING:
    from piiscan.protection.run.protect_table import ProtectedTable

_CHOSEN = ("quasi", "sensitive", "insensitive", "unit", "suppress", "method", "metric", "hierarchies", "population")
_ASKED = (
    "epsilon",
    "delta",
    "max_rows",
    "bounds",
    "edges",
    "categories",
    "entity",
    "estimate_bounds",
    "private_keys",
    "schema",
    "statistics",
    "quantiles",
    "by",
    "cross",
    "budget",
)
_OF_EPSILON = tuple(name for name in _ASKED if name != "epsilon")


@click.command(
    cls=ManyOptions,
    usual=("out", "k", "l", "quasi", "sensitive", "unit", "one_row_per_person", "epsilon", "bounds", "budget"),
    short_help="Protect a table in one go: scan, anonymise, verify, summarise, report.",
)
@click.argument("path", type=options.FILE)
@options.output("The folder to make.", metavar="FOLDER", name="out", required=True)
@model_options
@role_options
@private.unit_options
@SUPPRESS
@click.option(
    "--method",
    type=click.Choice(("local", "optimal")),
    default="local",
    show_default=True,
    help="Levels of its own for each class, which loses much less, or one level for each column.",
)
@search_options
@click.option("--epsilon", type=float, metavar="E", help="Also write a private summary, at this privacy loss in all.")
@private.DELTA
@private.known_options
@private.statistics_options
@private.budget_options
@options.TABLE
@options.whole_table_options
def protect(
    path: Path,
    out: Path,
    one_row_per_person: bool,
    table: str | None,
    dataset: str | None,
    ledger: Path | None,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Write a folder with PATH's table protected, a private summary of it, and a report on what was done, or nothing.

    Direct identifiers, free text and lists are dropped. Columns that an attacker may know are generalised, and so are
    columns that reveal them or single rows out; rows come in random order. The table is read back, and every promise
    that can be checked in it is checked before anything is published. The summary needs --epsilon and the options of
    `piiscan summarize`. The exit status is 2 for wrong usage or if the models can't be met, 3 if the table can't be
    read, 5 if a promise is broken, 6 if the budget is used up.
    """
    from piiscan.anonymity.models.privacy_models import PrivacyModels
    from piiscan.anonymity.request import AnonymizeRequest
    from piiscan.cli import scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.dp.run.prepare import prepare_summary
    from piiscan.dp.run.release_log import find_release_log
    from piiscan.io.table_source import Source
    from piiscan.protection.request import ProtectRequest
    from piiscan.protection.run import protect_table
    from piiscan.report import protection_report
    from piiscan.scanning.scan_options import ScanOptions

    context = click.get_current_context()
    models, chosen, asked = ({name: given.pop(name) for name in names} for names in (MODELS, _CHOSEN, _ASKED))
    _check_usage(context, asked)
    # A configuration may look for only a few things, and with a high threshold; shared data
    # are scanned for everything.
    s = options.settings(**given)._replace(select=(), ignore=(), min_confidence=ScanOptions().min_confidence)
    rules = scan_run.load_rules(s)
    read = scan_run.read_options(s, rules)
    if chosen["population"] is not None:
        chosen["population"] = Source(chosen["population"], None, read).opened
    request = ProtectRequest(AnonymizeRequest(PrivacyModels(**models), **chosen), one_row_per_person)
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        source, query = Source(path, table, read, progress.open), None
        if asked["epsilon"] is not None:
            asked |= {"unit": chosen["unit"], "one_row_per_person": one_row_per_person, "dataset": dataset}
            asked["columns"] = ()
            query = prepare_summary(source, private.privacy(asked, ledger), private.questions(asked), progress.update)
        log = find_release_log(source, *options.dataset_version(dataset), ledger, query)
        job = protect_table.ProtectJob(
            request, query, log, _command(context), rules, scan_run.scan_options(s), progress.update
        )
        done = protect_table.protect_file(source, out, job, protection_report.pages)
    for line in _summary(done, out):
        output.say(line, quiet)
    return 0


def _check_usage(context: click.Context, asked: dict[str, Any]) -> None:
    """Raise click's `UsageError` for a summary without a cost."""
    typed = [name for name in _OF_EPSILON if context.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    if asked["epsilon"] is None and typed:
        raise click.UsageError(
            f"--{typed[0].replace('_', '-')} belongs to a private summary; add its cost, such as --epsilon 1"
        )


def _summary(done: ProtectedTable, out: Path) -> list[str]:
    """Return what was done, for people: a line each."""
    from piiscan.report.verdict_words import count, to_review

    report = done.report
    lines = [f"{c['name']}: {c['action']}: {c['why']}" for c in report["columns"]]
    lines += [
        (
            f"{of['column']}: {of['rows']:,} rows share theirs with another row. If it identifies one person, --unit "
            f"{of['column']} counts people."
        )
        for of in report["whose_rows"]["repeated"]
    ]
    lines += [f"Other releases are known: {text}." for text in report["other_releases"]]
    if doubtful := [c["name"] for c in report["columns"] if c["review"] and c["action"] != "dropped"]:
        lines.append(f"{to_review(doubtful)}. Check them, and declare their roles.")
    rows, models = report["rows"], report["models"]
    reached = "; ".join(
        f"{name}: reached {of['reached']:g}" for name, of in models.items() if of["reached"] is not None
    )
    lines.append(
        f"Wrote {out}: {count(rows['after'], 'row')} of {rows['before']:,}, "
        f"{count(sum(p['checked'] for p in report['promises']), 'promise')} checked and kept. {reached}."
    )
    if report["summary"] is not None:
        left = report["summary"]["left"]
        lines.append(
            f"Of the budget of {report['summary']['dataset']}, epsilon {left['epsilon']:.6g} (delta "
            f"{left['delta']:.3g}) is left."
        )
    lines.append(f"What is not protected is listed in {out / 'report.md'}: read it before you share anything.")
    return lines


def _command(context: click.Context) -> str:
    """Return the command line, as it could be typed again."""
    words = ["piiscan", "protect"]

    def long(options: Sequence[str]) -> str:
        return next(o for o in options if o.startswith("--"))

    for parameter in context.command.params:
        name = parameter.name or ""
        # Settings that aren't parameters, such as --memory, don't affect a release.
        if name not in context.params or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(long(parameter.opts if value else parameter.secondary_opts))
        else:
            values = value if parameter.multiple else [value]
            for one in values:
                words += [long(parameter.opts), *map(str, one if parameter.nargs > 1 else [one])]
    return shlex.join(words)
