"""`piiscan plan`: what masking would do to each column, as a file to read and edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output

INPUT = options.Existing()


class PlanCommand(click.Command):
    """`plan PATH`, and `plan diff A B` if the word after `plan` is `diff`. A folder of that name is `./diff`."""

    @property
    def beside(self) -> dict[str, click.Command]:
        """Register commands whose names may be given instead of PATH."""
        return {"diff": diff}

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args and args[0] in self.beside:
            name = args[0]
            try:
                return self.beside[name].make_context(f"{info_name} {name}", args[1:], parent, **extra)
            except click.UsageError as error:
                if not Path(name).exists():
                    raise
                said = f"{error.format_message()} To plan the file or folder {name}, write ./{name}."
                raise click.UsageError(said, error.ctx) from None
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    cls=PlanCommand,
    short_help="Plan how to mask a file or a folder, column by column.",
    epilog=(
        "`piiscan plan diff OLD.toml NEW.toml` shows the differences between two plans. Write a file or "
        "folder named diff as ./diff."
    ),
)
@click.argument("path", type=INPUT)
@options.output("Where to write the plan (standard output).", metavar="PLAN.toml", dash="stdout")
@click.option(
    "--policy",
    default="default",
    metavar="NAME",
    help=("default, gdpr, hipaa-safe-harbor, or a TOML file of your own."),
)
@click.option(
    "--key",
    "key_spec",
    metavar="SPEC",
    help="Name the key that the plan is for, by its public id: env:NAME, file:PATH or command:CMD.",
)
@click.option(
    "--explain",
    is_flag=True,
    help=(
        "Print a table of all columns, kept ones first, with what happens to each and why. If PATH is a plan, "
        "it is explained as it is, and no data are read."
    ),
)
@options.scan_options
def plan(
    path: Path,
    target: Path | None,
    explain: bool,
    policy: str,
    key_spec: str | None,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Scan PATH and write down what masking would do to each column.

    The plan is text without any data: read it, edit it, commit it. If PLAN.toml exists, entries marked with
    decided_by = "human" stay, and so do the keys that it names. The exit status is 3 if something could not be read.
    """
    from piiscan.cli import scan_run

    s = options.settings(**settings)
    # Before the imports that follow, which take as long as a worker's.
    click.get_current_context().with_resource(scan_run.workers_begun([str(path)], s))

    from dataclasses import replace

    from piiscan.core import keys
    from piiscan.masking.plan import plan_toml
    from piiscan.masking.plan.code_vaults import own_files
    from piiscan.report.plan_table import plan_table

    if explain and _is_plan(path):
        if target is not None:
            raise click.UsageError(f"{path} is a plan, which --explain only shows; leave out -o")
        output.data(plan_table(_with_comments(path), output.terminal_width()))
        return 0
    if target is not None:
        output.writable(target)
    before = plan_toml.load(target) if target is not None and target.is_file() else None
    show = scan_run.Show(quiet, verbose, allow_incomplete, own=own_files(before, target))
    key = None if key_spec is None else keys.Key.load(key_spec).id
    made, report = planned(path, policy, s, show, before)
    if key is not None and key not in made.key_ids:
        made = replace(made, key_ids=(*made.key_ids, key))
    written = plan_toml.dumps(made)
    if target is not None:
        output.to_file(target, written)
        output.say(summary(made, target), quiet)
    if explain:
        output.data(plan_table(made, output.terminal_width()))
    elif target is None:
        output.data(written)
    from piiscan.report import verdict_words

    if limited := verdict_words.looked_for(report):
        output.say(limited, quiet)
    if skipped := verdict_words.skipped(report.skipped_kinds):
        output.say(skipped, quiet)
    missed = [entry for entry in report.not_scanned if not entry.files]  # the plan says what becomes of the others
    for entry in missed:
        output.say(f"not read: {verdict_words.location(entry)}: {entry.reason}")
    return 3 if missed and not allow_incomplete else 0


@click.command()
@click.argument("before", type=options.FILE, metavar="OLD.toml")
@click.argument("after", type=options.FILE, metavar="NEW.toml")
def diff(before: Path, after: Path) -> int:
    """Show the differences between two plans.

    They are columns and tables that were added or removed, operators, parameters, key domains, subjects, what happens
    inside texts, the policy and the keys. Comments don't count. The exit status is 0 if both do the same, 1 if they
    don't.
    """
    from piiscan.masking.plan import plan_toml
    from piiscan.masking.plan.plan_diff import differences
    from piiscan.report.verdict_words import printable

    lines = differences(plan_toml.load(before), plan_toml.load(after))
    output.data("".join(f"{printable(line)}\n" for line in lines or ["Both plans do the same."]))
    return 1 if lines else 0


def _is_plan(path: Path) -> bool:
    """Return whether a file is a plan, of whatever version and however invalid, rather than data."""
    import tomllib

    if path.suffix != ".toml" or not path.is_file():
        return False
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return {"version", "policy"} <= data.keys()


def _with_comments(path: Path) -> Any:
    from piiscan.masking.plan import plan_comments, plan_toml

    return plan_comments.with_comments(plan_toml.load(path), path.read_text(encoding="utf-8"))


def planned(path: Path, policy: str, s: options.Settings, show: Any, before: Any = None) -> Any:
    """Return the plan for a path, and the report of the scan."""
    import sys

    from piiscan.cli import scan_run, supervise
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.masking.plan import policy as policies
    from piiscan.masking.run.planning import plan_files

    chosen = policies.load(policy)
    rules = scan_run.load_rules(s)
    read, scan = scan_run.read_options(s, rules, show.own), scan_run.scan_options(s)
    with (
        scan_run.silent_libraries(),
        ProgressDisplay.on(sys.stderr, show.quiet, show.verbose) as progress,
        supervise.restartable(),
    ):
        return plan_files(path, chosen, rules, read, scan, before, progress.update, progress.follow)


def summary(plan: Any, target: Path) -> str:
    """Say how many columns get which operator."""
    from collections import Counter

    from piiscan.masking.plan import in_review
    from piiscan.report.verdict_words import count

    left = len(in_review.left(plan.tables))
    review = f"; {left} to review" if left else ""
    used = Counter(a.operator for t in plan.tables for a in t.columns)
    each = ", ".join(
        f"{n} {name}" for name, n in sorted(used.items(), key=lambda item: (item[0] == "keep", -item[1], item[0]))
    )
    return (
        f"Wrote {target}: {count(len(plan.tables), 'table')}, "
        f"{count(sum(used.values()), 'column')}{': ' if each else ''}{each}{review}. Read it, then: piiscan mask PATH "
        f"--plan {target} -o OUT"
    )
