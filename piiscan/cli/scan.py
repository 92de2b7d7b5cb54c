"""`piiscan scan`: the main command."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.cli import scan_run
    from piiscan.core.types import Finding, TableInfo
    from piiscan.io.read_options import ReadOptions
    from piiscan.masking.run.by_plan import Place
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport

_DELIMITERS = {"\t": "'tab'", " ": "'space'", "none": "none"}
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "sarif", "github")


def _outputs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    pairs = []
    for item in value:
        kind, equals, file = item.partition("=")
        if kind not in FORMATS or not equals or not file:
            raise click.BadParameter(f"write FORMAT=FILE, with a format out of {', '.join(FORMATS)}")
        pairs.append((kind, output.writable(Path(file))))
    if len({file.resolve() for _, file in pairs}) < len(pairs):
        raise click.BadParameter("two reports can't go to the same file")
    return tuple(pairs)


@click.command(short_help="Find personal data in files and folders.")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "-f",
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="What standard output gets.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    callback=_outputs,
    metavar="FORMAT=FILE",
    help="Write a report to a file too (repeatable).",
)
@options.scan_options
@click.option(
    "--baseline",
    type=options.FILE,
    metavar="FILE",
    help="Findings already known, which don't count; -v lists them (piiscan-baseline.jsonl, if there is one).",
)
@click.option("--no-baseline", is_flag=True, help="Use no baseline, though there is one.")
@click.option(
    "--plan",
    "plan_file",
    type=options.FILE,
    metavar="PLAN.toml",
    help="PATHS is what `piiscan mask` wrote by this plan: columns within their operators' ranges don't count.",
)
@click.option("--key", "key_spec", metavar="SPEC", help="With --plan: the key, for ranges that it decides.")
@click.option("--staged", is_flag=True, help="Scan what is staged in git for the next commit (below PATHS, if given).")
@click.option(
    "--resume",
    is_flag=True,
    help="Don't read again what hasn't changed since an earlier scan with --resume (kept in .piiscan-cache).",
)
@click.option("--each-file", is_flag=True, help="Show each file of a data set, and each of many tables that are alike.")
@click.option("--dry-run", is_flag=True, help="Say what would be read, and as what; read no further.")
def scan(
    paths: tuple[str, ...],
    kind: str,
    outputs: tuple[tuple[str, Path], ...],
    plan_file: Path | None,
    key_spec: str | None,
    staged: bool,
    resume: bool,
    each_file: bool,
    dry_run: bool,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Scan files, folders, or - for standard input, for personal data.

    Folders are read recursively, archives too. The exit status is 0 when clean, 1 with findings of the class --fail-on
    or stronger (review: direct, or in doubt), 2 for wrong usage, 3 when something could not be scanned, 4 for an
    internal error.
    """
    from piiscan.cli import scan_run
    from piiscan.report.formats import Style, render

    s = options.settings(**settings)
    if resume and staged:
        raise click.UsageError("--resume is for files; what is staged is read from git each time")
    show = scan_run.Show(quiet, verbose, allow_incomplete, tuple(file for _, file in outputs), resume)
    with contextlib.ExitStack() as stack:
        if not (staged or dry_run):
            stack.enter_context(scan_run.workers_begun(paths, s))
        folder, found = None, scan_run.named(paths, s) if not staged else []
        if not staged and len(found) < len(paths):
            gone = len(paths) - len(found)
            output.say(f"{gone} of the files named {'is' if gone == 1 else 'are'} excluded by the configuration", quiet)
        if staged:
            from piiscan.cli.staged import staged_files

            folder, root = stack.enter_context(staged_files(paths, lambda path: scan_run.is_left_out(path, s)))
            found = [root]
        rules = scan_run.load_rules(s)
        if dry_run:
            return _dry_run(found, s, rules, show, folder)
        known = scan_run.known(s)
        whole = () if staged else found
        result = scan_run.judged(scan_run.perform(found, s, rules, show, folder), s, known, whole)
        if plan_file is not None:
            result = _by_plan(result, found, plan_file, key_spec, scan_run.read_options(s, rules), rules, quiet)
    style = Style(output.width(), output.wants_color(), verbose, each_file)
    output.data(render(kind, result, rules, style))
    for file_kind, file in outputs:
        output.to_file(file, render(file_kind, result, rules, Style(verbose=verbose, each_file=each_file)))
    status = scan_run.status(result, s, show)
    _hint(result, s, status, paths, staged, quiet, kind == "table")
    return status


def _hint(
    result: JudgedReport,
    s: options.Settings,
    status: int,
    paths: tuple[str, ...],
    staged: bool,
    quiet: bool,
    is_table: bool,
) -> None:
    """Print what to do next, unless --quiet asks for the report alone."""
    from piiscan.cli import hints

    if quiet:
        return
    for line in hints.unused(result):
        output.say(line)
    if is_table:
        for line in hints.hints(result, s, status, paths, staged):
            output.say(line)


def _by_plan(
    result: JudgedReport,
    paths: list[str],
    plan_file: Path,
    key_spec: str | None,
    read: ReadOptions,
    rules: RuleSet,
    quiet: bool,
) -> JudgedReport:
    """Accept findings in columns that the plan explains; print where that can't be proved."""
    import secrets
    from dataclasses import replace

    from piiscan.core import keys
    from piiscan.core.errors import UsageError
    from piiscan.masking.plan import plan_toml
    from piiscan.masking.run.by_plan import BY_PLAN, explained
    from piiscan.report.verdict_words import printable
    from piiscan.scanning.findings import ByPlan

    if len(paths) != 1 or paths[0] == "-":
        raise UsageError("--plan: name one file or folder, the one that was masked by it")
    key = keys.Key(secrets.token_bytes(32)) if key_spec is None else keys.Key.load(key_spec)
    why = explained(Path(paths[0]), plan_toml.load(plan_file), key, rules, read)
    files = {(t.source, t.table): t.sources for t in result.report.tables}
    accepted = [(f, reason) for f in result.open if (reason := _explained(f, files, why)) is not None]
    for finding, reason in accepted:
        if reason == BY_PLAN:
            output.say(printable(f"{finding.source}: {finding.column}: {finding.entity}: {reason}"), quiet)
    silenced = (*result.silenced, *accepted)
    still = tuple(f for f in result.open if _explained(f, files, why) is None)
    believed = sum(reason == BY_PLAN for _, reason in accepted)
    return result._replace(
        open=still,
        silenced=silenced,
        report=replace(result.report, silenced=len(silenced)),
        by_plan=ByPlan(len(accepted) - believed, believed),
    )


def _explained(
    finding: Finding, files: Mapping[tuple[str, str | None], Sequence[str]], why: Mapping[Place, str]
) -> str | None:
    """Why the plan explains a finding; of a data set it has to explain each file."""
    sources = files.get((finding.source, finding.table), (finding.source,))
    reasons = [why.get((source, finding.table, finding.index)) for source in sources]
    return None if None in reasons else reasons[0]


def _dry_run(paths: list[str], s: options.Settings, rules: RuleSet, show: scan_run.Show, folder: Path | None) -> int:
    """List what would be read, and as what."""
    from piiscan.cli import scan_run
    from piiscan.core.types import InName, NotScanned, Skipped
    from piiscan.io import inputs
    from piiscan.report.verdict_words import count, location, printable
    from piiscan.scanning import printable_names

    read = scan_run.read_options(s, rules, show.own, staged=folder is not None)
    tables = skipped = missed = 0
    with contextlib.chdir(folder or Path.cwd()):
        for found in inputs.discover(paths, read, scan_run.standard_input(paths)):
            if isinstance(found, NotScanned):
                missed += 1
                line = f"not scanned  {location(found)}: {found.reason}"
            elif isinstance(found, Skipped):
                skipped += 1
                line = f"skip         {found.source}: {found.reason}"
            elif isinstance(found, InName):
                line = f"identifier   {found.source}: {found.entity} in its name"
            else:
                tables += 1
                line = f"read         {_as_what(printable_names.printable(found.info, rules))}"
            output.data(f"{printable(line)}\n")
    output.data(
        f"{count(tables, 'table')} would be read, {count(skipped, 'file')} "
        f"skipped, {count(missed, 'input')} not scanned.\n"
    )
    return 3 if missed and not show.allow_incomplete else 0


def _as_what(info: TableInfo) -> str:
    from piiscan.report.verdict_words import count

    name = info.source if info.table is None else f"{info.source}::{info.table}"
    details = [
        f"{key} {_DELIMITERS.get(value, repr(value))}" if key in ("delimiter", "quote") else f"{key} {value}"
        for key, value in info.details
    ]
    header = "header" if info.header else "no header"
    read = ", ".join([info.format, *details, header, count(len(info.fields), "column")])
    return "; ".join([f"{name}: {read}", *info.notes])
