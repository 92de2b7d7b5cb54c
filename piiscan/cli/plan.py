"""`piiscan plan`: what masking would do to each column, as a file to read and edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output

INPUT = click.Path(exists=True, path_type=Path)


@click.command(short_help="Plan how to mask a file or a folder, column by column.")
@click.argument("path", type=INPUT)
@options.output("Where to write the plan (standard output).", metavar="PLAN.toml")
@click.option(
    "--policy", default="default", metavar="NAME", help="default, gdpr, hipaa-safe-harbor, or a TOML file of yours."
)
@click.option(
    "--key",
    "key_spec",
    metavar="SPEC",
    help="Name the key that the plan is for, by its public id: env:NAME, file:PATH or command:CMD.",
)
@options.scan_options
def plan(
    path: Path,
    target: Path | None,
    policy: str,
    key_spec: str | None,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Scan PATH and write down what masking would do to each column.

    The plan is text without any data: read it, change it, commit it. If PLAN.toml exists, what it has marked with
    decided_by = "human" stays, and so do the keys that it names. The exit status is 3 when something could not be read.
    """
    from dataclasses import replace

    from piiscan.cli import scan_run
    from piiscan.core import keys
    from piiscan.masking.plan import plan_toml

    s = options.settings(**settings)
    if target is not None:
        output.writable(target)
    before = plan_toml.load(target) if target is not None and target.exists() else None
    show = scan_run.Show(quiet, verbose, allow_incomplete, own=(target,) if target else ())
    key = None if key_spec is None else keys.Key.load(key_spec).id
    made, report = planned(path, policy, s, show, before)
    if key is not None and key not in made.key_ids:
        made = replace(made, key_ids=(*made.key_ids, key))
    written = plan_toml.dumps(made)
    if target is None:
        output.data(written)
    else:
        output.to_file(target, written)
        output.say(summary(made, target), quiet)
    from piiscan.report import verdict_words

    if skipped := verdict_words.skipped(report.skipped_kinds):
        output.say(skipped, quiet)
    for entry in report.not_scanned:
        output.say(f"not read: {verdict_words.location(entry)}: {entry.reason}")
    return 3 if report.not_scanned and not allow_incomplete else 0


def planned(path: Path, policy: str, s: options.Settings, show: Any, before: Any = None) -> Any:
    """The plan for a path, and the report of the scan."""
    import sys

    from piiscan.cli import scan_run
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.masking.plan import policy as policies
    from piiscan.masking.run.planning import plan_files

    chosen = policies.load(policy)
    rules = scan_run.load_rules(s)
    read, scan = scan_run.read_options(s, rules, show.own), scan_run.scan_options(s)
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, show.quiet, show.verbose) as progress:
        return plan_files(path, chosen, rules, read, scan, before, progress.update)


def summary(plan: Any, target: Path) -> str:
    """How many columns get which operator, in words."""
    from collections import Counter

    from piiscan.report.verdict_words import count

    used = Counter(a.operator for t in plan.tables for a in t.columns)
    each = ", ".join(
        f"{n} {name}" for name, n in sorted(used.items(), key=lambda item: (item[0] == "keep", -item[1], item[0]))
    )
    return (
        f"Wrote {target}: {count(len(plan.tables), 'table')}, "
        f"{count(sum(used.values()), 'column')}{': ' if each else ''}{each}. Read it, then: piiscan mask PATH "
        f"--plan {target} -o OUT"
    )
