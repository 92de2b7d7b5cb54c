"""`piiscan baseline`: accepts today's findings, so that only new ones are reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.core.types import Finding, ScanReport
    from piiscan.scanning.baseline import Baseline

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group()
def baseline() -> None:
    """Keep a file of accepted findings.

    It is piiscan-baseline.jsonl in the root of the repository, unless --file or the configuration says otherwise. It
    has one line for each finding, without values, so you can review and commit it. Give lines a "reason" and, if they
    should end, "expires".
    """


def _common(command: Command) -> Command:
    command = options.scan_options(command)
    command = click.option(
        "--file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="The baseline file."
    )(command)
    return click.argument("paths", nargs=-1, required=True, type=click.Path())(command)


@baseline.command(short_help="Accept today's findings.")
@_common
def create(paths: tuple[str, ...], **settings: Any) -> int:
    """Scan PATHS and accept every finding of the class --fail-on or stronger."""
    return _change(paths, _accepted, new=True, **settings)


@baseline.command(short_help="Accept new and grown findings too.")
@_common
def update(paths: tuple[str, ...], **settings: Any) -> int:
    """Scan PATHS and accept new and grown findings too; reasons and expiry dates stay."""
    return _change(paths, _accepted, **settings)


@baseline.command(short_help="Remove findings that are gone.")
@_common
def prune(paths: tuple[str, ...], **settings: Any) -> int:
    """Scan PATHS and remove the findings that are gone."""
    return _change(paths, lambda known, report, found, base: known.prune(report, base), **settings)


def _accepted(known: Baseline, report: ScanReport, found: tuple[Finding, ...], base: Path) -> Baseline:
    return known.update(found, base, report)


def _empty() -> Baseline:
    from piiscan.scanning.baseline import Baseline

    return Baseline({})


def _change(
    paths: tuple[str, ...],
    change: Callable[[Baseline, ScanReport, tuple[Finding, ...], Path], Baseline],
    file: Path | None,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    new: bool = False,
    **given: Any,
) -> int:
    from piiscan.cli import scan_run
    from piiscan.core.errors import UsageError
    from piiscan.report.verdict_words import since_baseline
    from piiscan.scanning import baseline as model

    s = options.settings(**given)
    target = file or s.baseline or s.base / options.BASELINE
    if new and target.is_file():
        raise UsageError(f"{target.name} exists; `piiscan baseline update` changes it")
    known = _empty() if new else model.load(target)
    show = scan_run.Show(quiet, verbose, allow_incomplete, own=(target,))
    report = scan_run.perform(scan_run.named(paths, s), s, scan_run.load_rules(s), show)
    result = scan_run.judged(report, s)
    moved = known.moved(known.renames(report, s.base))
    changed = change(moved, report, result.failing(s.fail_on), s.base)
    output.to_file(target, changed.dumps())
    before, after = set(moved.entries), set(changed.entries)
    findings = "1 finding" if len(after) == 1 else f"{len(after)} findings"
    output.say(f"{target}: {findings} ({len(after - before)} added, {len(before - after)} dropped)", quiet)
    since = None if new else scan_run.judged(report, s, known).baseline
    if since is not None and since.others and (news := since_baseline(since)) is not None:
        output.say(news, quiet)
    if s.baseline is None and target != s.base / options.BASELINE and not quiet:
        output.say(
            f'To use it:  piiscan scan --baseline {target.name} ..., or baseline = "{target.name}" in piiscan.toml'
        )
    for entry in report.not_scanned:
        output.say(f"not scanned: {entry.source}: {entry.reason}")
    return 3 if not report.complete and not allow_incomplete else 0
