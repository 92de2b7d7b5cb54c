"""`piiscan unmask`: restores masked values for people who have the key."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OUT, OVERWRITE
from piiscan.cli.plan import INPUT


@click.command(short_help="Restore the reversible columns of masked files.")
@click.argument("path", type=INPUT)
@OUT
@options.OLD_PLAN
@options.KEY
@OVERWRITE
@options.scan_options
def unmask(
    path: Path,
    target: Path,
    plan_file: Path,
    key_spec: str | None,
    overwrite: bool,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Write PATH, which `piiscan mask` made, again with its reversible columns restored.

    These are the columns masked by the operators token, fpe, ip and code.

    The other columns stay as they are: hashes, personas and removed values can't be restored. It needs the plan and
    the key of the masking. The exit status is 2 for wrong usage, 3 if a file could not be read or written and is left
    out.
    """
    from piiscan.cli import scan_run
    from piiscan.cli.mask import say_code_vaults
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.core import keys
    from piiscan.masking.plan import plan_toml
    from piiscan.masking.plan.code_vaults import own_files
    from piiscan.masking.run.unmask_files import unmask_files
    from piiscan.report.verdict_words import count, location

    s = options.settings(**settings)
    rules = scan_run.load_rules(s)
    plan = plan_toml.load(plan_file)
    key = keys.Key.load(key_spec) if plan.keyed() else None
    with scan_run.silent_libraries(), ProgressDisplay.on(sys.stderr, quiet, verbose) as progress:
        done = unmask_files(
            path,
            target,
            plan,
            key,
            rules,
            scan_run.read_options(s, rules, own_files(plan, plan_file)),
            overwrite,
            progress.update,
        )
    written, left_out = done.written.written, done.written.left_out
    for entry in left_out:
        output.say(f"left out: {location(entry)}: {entry.reason}")
    if done.unchecked:
        more = f" and {len(done.unchecked) - 5} more" if len(done.unchecked) > 5 else ""
        why = "the plan names several keys" if plan.key_ids else "neither the plan nor the file names one"
        output.say(
            f"{', '.join(done.unchecked[:5])}{more}: restored with the given key; their masks don't show whether "
            f"it is the right one, and {why}"
        )
    if not written:
        output.say(f"Nothing was written to {target}.", quiet)
    else:
        output.say(
            f"Wrote {target}: {count(len(written), 'file')}, {count(done.columns, 'column')} restored. It "
            "contains personal data again.",
            quiet,
        )
    say_code_vaults(plan, quiet)
    return 3 if left_out and not allow_incomplete else 0
