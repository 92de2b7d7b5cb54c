"""`piiscan anonymize`: generalises a table so that its quasi-identifiers single nobody out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from piiscan.cli import options, output
from piiscan.cli.many_options import ManyOptions
from piiscan.cli.mask import OVERWRITE

if TYPE_CHECKING:
    from piiscan.anonymity.result import Anonymized
    from piiscan.anonymity.run.anonymize_file import Searched
    from piiscan.core.keys import Key
    from piiscan.io.table_source import Source
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.engine import Progress
    from piiscan.scanning.scan_options import ScanOptions

COLUMNS: dict[str, Any] = {"multiple": True, "callback": options.split, "metavar": "COLUMNS"}
MODELS = ("k", "l", "diversity", "c", "alpha", "t", "distance", "presence")
_CHOSEN = (
    "quasi",
    "sensitive",
    "insensitive",
    "unit",
    "suppress",
    "method",
    "metric",
    "hierarchies",
    "population",
    "drop_suppressed",
)


_MODEL_OPTIONS = [
    click.option(
        "--k", type=click.IntRange(2), metavar="K", help="k-anonymity: each record shares its labels with k - 1 others."
    ),
    click.option("--l", "l", type=click.FloatRange(1), metavar="L", help="l-diversity of each sensitive column."),
    click.option(
        "--diversity",
        type=click.Choice(("distinct", "entropy", "recursive")),
        default="distinct",
        show_default=True,
        help="Which l-diversity.",
    ),
    click.option(
        "--c",
        "c",
        type=click.FloatRange(0),
        default=3.0,
        show_default=True,
        metavar="C",
        help="The c of recursive (c,l)-diversity.",
    ),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1),
        metavar="A",
        help="(α,k)-anonymity: no sensitive value in more than this share of a class.",
    ),
    click.option("--t", "t", type=click.FloatRange(0, 1), metavar="T", help="t-closeness of each sensitive column."),
    click.option(
        "--distance",
        type=click.Choice(("equal", "ordered", "hierarchical")),
        default="equal",
        show_default=True,
        help="How far apart t-closeness takes values to be.",
    ),
    click.option(
        "--presence",
        type=(float, float),
        metavar="LOW HIGH",
        help="δ-presence: the share of a class's population that is in the table.",
    ),
    click.option(
        "--population", type=options.FILE, metavar="FILE", help="The population that δ-presence compares with."
    ),
]
_ROLE_OPTIONS = [
    click.option(
        "--quasi", **COLUMNS, help="The quasi-identifiers (comma, repeatable); without them, those that the scan finds."
    ),
    click.option("--sensitive", **COLUMNS, help="What must not be learned of anybody."),
    click.option("--insensitive", **COLUMNS, help="What may be known: these columns stay as they are."),
]
SUPPRESS = click.option(
    "--suppress",
    type=click.FloatRange(0, 1),
    default=0.04,
    show_default=True,
    metavar="SHARE",
    help="The share of rows that may be blanked.",
)
_SEARCH_OPTIONS = [
    click.option(
        "--metric",
        type=click.Choice(("loss", "entropy", "discernibility", "class-size")),
        default="loss",
        show_default=True,
        help="What the optimum is of.",
    ),
    click.option(
        "--hierarchies",
        type=options.FOLDER,
        metavar="DIR",
        help="Hierarchies in ARX's form, COLUMN.csv or …_hierarchy_COLUMN.csv.",
    ),
]


def model_options(command: options.Command) -> options.Command:
    """Add the options for the privacy models that each class has to meet."""
    return options.with_(command, _MODEL_OPTIONS)


def role_options(command: options.Command) -> options.Command:
    """Add the options for the roles of columns."""
    return options.with_(command, _ROLE_OPTIONS)


def search_options(command: options.Command) -> options.Command:
    """Add the options for the search and its hierarchies."""
    return options.with_(command, _SEARCH_OPTIONS)


@click.command(
    cls=ManyOptions,
    usual=("target", "k", "l", "quasi", "sensitive", "insensitive", "unit", "suppress", "report_file", "overwrite"),
    short_help="Generalise a table until nobody is singled out by it.",
)
@click.argument("path", type=options.FILE)
@options.output("The file to write.", metavar="OUT")
@model_options
@role_options
@click.option("--unit", metavar="COLUMN", help="Whose a row is: k and l then count units, not rows.")
@SUPPRESS
@click.option("--drop-suppressed", is_flag=True, help="Leave suppressed rows out, rather than blank.")
@click.option(
    "--method",
    type=click.Choice(("local", "optimal", "mdav")),
    default="local",
    show_default=True,
    help="Levels of its own for each class, one level for each column, or means of groups of numbers.",
)
@search_options
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what was done, and what it cost, as JSON.",
)
@click.option(
    "--save-hierarchies",
    "new_hierarchies",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the hierarchies that were used, to be edited and given back.",
)
@click.option(
    "--classify",
    metavar="COLUMN",
    help="Also report how well a classifier predicts this column before and after (extra train).",
)
@click.option(
    "--save-plan",
    "new_plan",
    type=click.Path(path_type=Path),
    metavar="PLAN.toml",
    help="Write down what was found, bound to this very table.",
)
@click.option(
    "--plan",
    "plan_file",
    type=options.FILE,
    metavar="PLAN.toml",
    help="Apply a plan that was saved; models and columns are its own.",
)
@options.KEY
@OVERWRITE
@options.TABLE
@options.release_options
@options.whole_table_options
def anonymize(
    path: Path,
    target: Path | None,
    report_file: Path | None,
    new_plan: Path | None,
    plan_file: Path | None,
    key_spec: str | None,
    new_hierarchies: Path | None,
    classify: str | None,
    overwrite: bool,
    table: str | None,
    dataset: str | None,
    ledger: Path | None,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Write a version of PATH in which each record shares its quasi-identifiers with at least k - 1 others.

    Values are generalised along hierarchies, given or built; rows that would need too much generalisation are
    suppressed: all their cells are blank. The output is counted again before it gets its name. If a file has several
    tables, --table names one, and OUT contains only that one. Plans need a key (PIISCAN_KEY). The exit status is 0 if
    the output meets every model, 2 if none can or for wrong usage, 3 if the table can't be read, 5 if the second
    count fails.
    """
    from piiscan.anonymity import recoding_plan
    from piiscan.anonymity.run import anonymize_file
    from piiscan.cli import budget, scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.core import keys
    from piiscan.io.table_source import Source

    models, chosen = ({name: given.pop(name) for name in names} for names in (MODELS, _CHOSEN))
    _check_usage(target, new_plan, plan_file)
    s = options.settings(**given)
    for file in (report_file, new_plan):
        if file is not None:
            output.free(output.apart(output.writable(file), path, plan_file), overwrite)
    if new_plan is not None:
        output.free(recoding_plan.classes_file(new_plan), overwrite)
    if new_hierarchies is not None:
        output.free(new_hierarchies, overwrite)
    key = keys.Key.load(key_spec) if plan_file is not None or new_plan is not None else None
    rules = scan_run.load_rules(s)
    scan = scan_run.scan_options(s)
    known_releases: tuple[str, ...] = ()
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        source = Source(path, table, scan_run.read_options(s, rules), progress.open)
        if plan_file is not None and key is not None:
            searched = _apply_plan(source, plan_file, key, rules, scan, progress.update)
        else:
            searched = _search(source, models, chosen, rules, scan, progress.update)
        report = _report(searched, classify)
        if target is not None:
            columns = [c.name for c in searched.found.columns]
            known_releases = budget.record_release(path, dataset, ledger, kind(searched.found, report), columns)
            anonymize_file.write_file(source, target, searched, overwrite=overwrite, progress=progress.update)
    if new_plan is not None and key is not None:
        _write_plan(new_plan, searched, path.name, key)
    if new_hierarchies is not None:
        _write_hierarchies(new_hierarchies, searched)
    if report_file is not None:
        output.to_file(report_file, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    written = " and ".join(str(file) for file in (target, new_plan) if file is not None)
    for line in (*summary(searched.found, report, written), *known_releases):
        output.say(line, quiet)
    return 0


def _check_usage(target: Path | None, new_plan: Path | None, plan_file: Path | None) -> None:
    """Raise click's `UsageError` for options that contradict each other, and if there is nothing to write."""
    context = click.get_current_context()
    typed = [o for o in (*MODELS, *_CHOSEN) if context.get_parameter_source(o) == ParameterSource.COMMANDLINE]
    if plan_file is not None and typed:
        raise click.UsageError(
            f"--{typed[0].replace('_', '-')} is fixed by the plan; leave it out, or make a new plan with --save-plan"
        )
    if target is None and new_plan is None:
        raise click.UsageError(
            "nothing to do; use -o OUT to write the table, or --save-plan PLAN.toml to save the plan"
        )


def _apply_plan(
    source: Source, plan_file: Path, key: Key, rules: RuleSet, scan: ScanOptions, progress: Progress
) -> Searched:
    from piiscan.anonymity import recoding_plan
    from piiscan.anonymity.run import anonymize_file

    return anonymize_file.apply_plan(source, recoding_plan.load(plan_file, key), key, rules, scan, progress)


def _search(
    source: Source,
    models: dict[str, Any],
    chosen: dict[str, Any],
    rules: RuleSet,
    scan: ScanOptions,
    progress: Progress,
) -> Searched:
    from piiscan.anonymity.models.privacy_models import PrivacyModels
    from piiscan.anonymity.request import AnonymizeRequest
    from piiscan.anonymity.run import anonymize_file

    return anonymize_file.search_file(
        source, AnonymizeRequest(PrivacyModels(**models), **chosen), rules, scan, progress
    )


def _report(searched: Searched, classify: str | None) -> dict[str, Any]:
    """Return what was done and what was lost, and how well a classifier predicts the column `classify`."""
    from piiscan.anonymity import classifier_accuracy

    report = searched.found.to_dict()
    if classify is not None:
        accuracy = classifier_accuracy.accuracy(searched.found, searched.table.histogram, classify)
        report["classifier"] = accuracy._asdict()
    return report


def _write_plan(file: Path, searched: Searched, source: str, key: Key) -> None:
    """Write the plan, and its classes beside it."""
    from piiscan.anonymity import recoding_plan

    text, classes = recoding_plan.dumps(searched.found, searched.table.histogram, source, key)
    output.to_file(recoding_plan.classes_file(file), classes)
    output.to_file(file, text)


def _write_hierarchies(folder: Path, searched: Searched) -> None:
    from piiscan.anonymity.hierarchies import hierarchy_files

    folder.mkdir(parents=True, exist_ok=True)
    hierarchy_files.save(folder, {h.column: h for h in searched.found.solution.problem.hierarchies})


def summary(done: Anonymized, report: dict[str, Any], written: str) -> list[str]:
    """Return what was done, for people: a line each."""
    from piiscan.report.verdict_words import count, to_review

    lines = [f"{c.name}: {c.role} ({c.why})" + _loss(report, c.name) for c in done.columns]
    models = [
        f"{model}: reached {of['reached']:g}"
        for model, of in zip(_requested(report), report["models"].values(), strict=True)
    ]
    lines += report["warnings"]
    if doubtful := [name for name, of in report["columns"].items() if of["review"]]:
        lines.append(f"{to_review(doubtful)}. Check them, and declare their roles.")
    if learned := report.get("classifier"):
        lines.append(
            f"A classifier predicts {learned['target']} correctly in {learned['before']:.1%} of rows before and "
            f"{learned['after']:.1%} after; its most common value alone in {learned['commonest']:.1%}."
        )
    unit = done.request.unit
    counted = "row" if unit is None else f"different {unit}"
    smallest = count(report["smallest_class"] or 0, counted, None if unit is None else counted)
    lines.append(
        f"Wrote {written}: {count(report['classes'], 'class', 'classes')}, the smallest of {smallest}; "
        f"{report['suppressed']:,} of {count(report['rows'], 'row')} suppressed; mean loss {report['mean_loss']:.4f}. "
        f"{'; '.join(models)}. {report['notes'][0]}"
    )
    return lines


def kind(done: Anonymized, report: dict[str, Any]) -> str:
    """Describe this release for a ledger. Two ways to anonymise a table have different descriptions."""
    quasi = ", ".join(c.name for c in done.quasi)
    return (
        f"table anonymised by {quasi} ({', '.join(_requested(report))}; {report['method']}, mean loss "
        f"{report['mean_loss']:.4f})"
    )


def _requested(report: dict[str, Any]) -> list[str]:
    """Return the models, with the requested figures."""
    return [f"{name} {_figures(of['asked'])}" for name, of in report["models"].items()]


def _loss(report: dict[str, Any], name: str) -> str:
    if name not in report["loss"]:
        return ""
    level = report["levels"][name]
    return f", {'' if level is None else f'level {level}, '}loss {report['loss'][name]:.4f}"


def _figures(asked: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in asked.items())
