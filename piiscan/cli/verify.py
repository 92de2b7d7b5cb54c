"""`piiscan verify`: checks masked files against their plan, for people who have the originals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output
from piiscan.cli.plan import INPUT


@click.command(short_help="Search masked files for values of the originals.")
@click.argument("before", type=INPUT)
@click.argument("after", type=INPUT)
@options.OLD_PLAN
@click.option(
    "--key",
    "key_spec",
    metavar="SPEC",
    help="The key of the masking, to check the promises of keyed operators too: env:NAME, file:PATH, command:CMD.",
)
@options.scan_options
def verify(
    before: Path,
    after: Path,
    plan_file: Path,
    key_spec: str | None,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Search AFTER, which `piiscan mask` made from BEFORE, for personal values of the masked columns of BEFORE.

    Every cell is split into words and numbers. The exit status is 0 if nothing is found beyond chance, 2 for wrong
    usage, 3 if something could not be read, 5 if original values are left.
    """
    from piiscan.core import memory

    memory.hold_little()
    from piiscan.cli import scan_run
    from piiscan.cli.mask import say_other_rules
    from piiscan.core import keys
    from piiscan.masking.plan import plan_toml
    from piiscan.masking.plan.code_vaults import own_files
    from piiscan.masking.run.promise_words import broken_text, outcome, unchecked_lines
    from piiscan.masking.run.verify_files import verify_files
    from piiscan.report.verdict_words import location

    s = options.settings(**settings)
    rules = scan_run.load_rules(s)
    plan = plan_toml.load(plan_file)
    say_other_rules(plan, rules, quiet)
    key = None if key_spec is None else keys.Key.load(key_spec)
    with scan_run.silent_libraries():
        done = verify_files(
            before, after, plan, key, rules, scan_run.read_options(s, rules, own_files(plan, plan_file))
        )
    for entry in done.left_out:
        output.say(f"not verified: {location(entry)}: {entry.reason}")
    for line in unchecked_lines(done.promises):
        output.say(line)
    broken = [p for p in done.promises if not p.holds]
    if broken:
        for line in f"{after} {broken_text(broken)}".splitlines():
            output.say(line)
        return 5
    output.say(f"{after}: {outcome(done.promises, is_whole=not done.left_out)}", quiet)
    return 3 if done.left_out and not allow_incomplete else 0
