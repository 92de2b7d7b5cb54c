"""`piiscan mask`: writes files again with personal data masked."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.cli.pipe import Ends
    from piiscan.core.keys import Key
    from piiscan.io.read_options import ReadOptions
    from piiscan.masking.plan.plan_types import Plan
    from piiscan.masking.result import MaskedFiles
    from piiscan.rules.definitions import RuleSet

OUT = options.output("The file or folder to write.", metavar="OUT", required=True)
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace existing files.")


@click.command(short_help="Mask a file or a folder, and check the result.")
@click.argument("path", type=options.Existing(allow_dash=True))
@options.output("The file or folder to write; - is standard output.", metavar="OUT", required=True, dash="pipe")
@click.option(
    "--plan",
    "plan_file",
    type=options.FILE,
    metavar="PLAN.toml",
    help="A plan that `piiscan plan` made; without one, the policy decides.",
)
@click.option(
    "--policy",
    default="default",
    metavar="NAME",
    help=("default, gdpr, hipaa-safe-harbor, or a TOML file of your own."),
)
@options.KEY
@click.option(
    "--new-columns",
    type=click.Choice(("error", "suppress")),
    default="error",
    show_default=True,
    help="How to treat columns that the plan doesn't know.",
)
@OVERWRITE
@click.option(
    "--verify/--no-verify", default=True, help="Read the output again, and keep it only if every promise holds (on)."
)
@click.option(
    "--keep-unverified", is_flag=True, help="Write the output even if a promise fails; the exit status is still 5."
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what changed in each column, without values: FILE ends in .json or .md.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="For a folder, keep the files that an interrupted run like this one had finished.",
)
@click.option(
    "--spool",
    type=options.FOLDER,
    metavar="DIR",
    help="The folder in which standard input and the output are kept, for you alone, until they are checked.",
)
@click.option(
    "--stream",
    is_flag=True,
    help="Mask a dump from standard input to standard output row by row, with nothing kept and nothing verified; takes "
    "a plan of which every row can be masked by itself.",
)
@options.scan_options
def mask(
    path: Path,
    target: Path,
    plan_file: Path | None,
    policy: str,
    key_spec: str | None,
    new_columns: Literal["error", "suppress"],
    overwrite: bool,
    verify: bool,
    keep_unverified: bool,
    report_file: Path | None,
    resume: bool,
    spool: Path | None,
    stream: bool,
    allow_incomplete: bool,
    quiet: bool,
    verbose: bool,
    **settings: Any,
) -> int:
    """Write PATH again with personal data masked, in the same format and layout. PATH may be -, standard input.

    The output gets its name only after it is complete and was read again to check the plan's promises. The exit
    status is 0 if all went well, 2 for wrong usage, 3 if a file could not be read or written and is left out, 5 if a
    promise failed.
    """
    from piiscan.cli.pipe import DASH, piped, send
    from piiscan.core import memory

    memory.hold_little()
    from piiscan.api.mask import mask_report
    from piiscan.cli import scan_run
    from piiscan.cli.plan import planned
    from piiscan.cli.progress import ProgressDisplay
    from piiscan.core import keys
    from piiscan.io.walk import listed
    from piiscan.masking.plan.code_vaults import own_files
    from piiscan.masking.plan.plan_types import Plan
    from piiscan.masking.request import MaskRequest
    from piiscan.masking.run.mask_files import mask_files

    s = options.settings(**settings)
    show = scan_run.Show(quiet, verbose, allow_incomplete)
    rules = scan_run.load_rules(s)
    given = None if key_spec is None else keys.Key.load(key_spec)  # refuse a wrong one before the data are scanned
    known = _plan(plan_file)
    say_other_rules(known, rules, quiet)
    if stream:
        return _streamed(
            known,
            (path, target),
            key_spec,
            rules,
            scan_run.read_options(s, rules),
            new_columns,
            report_file,
            overwrite,
            quiet,
        )
    with piped(path, target, spool, known) as ends:
        kind = "" if report_file is None else _kind(report_file, ends.source, ends.target, overwrite)
        # Without one, the plan isn't kept, nor is a vault beside it.
        plan: Any = known or planned(ends.source, policy, s, show, Plan(policy, "", (), vault=""))[0]
        key = (given or keys.Key.load(None)) if plan.keyed() else None
        request = MaskRequest(
            new_columns,
            overwrite,
            verify=verify,
            keep_unverified=keep_unverified,
            compare=bool(kind),
            jobs=s.jobs,
            processes=scan_run.processes(s),
            resume=resume,
        )
        scan = scan_run.scan_options(s)._replace(sample=None)
        with (
            _left_for_resume(ends.target, quiet),
            scan_run.silent_libraries(),
            ProgressDisplay.on(sys.stderr, quiet, verbose) as progress,
        ):
            read = scan_run.read_options(s, rules, own_files(plan, plan_file, report_file))
            progress.expect_files(listed([str(ends.source)], read))
            done = mask_files(
                ends.source, ends.target, plan, key, rules, read, request, progress.update, progress.begin_step, scan
            )
        if target == DASH and done.written:
            send(ends.target)
        if report_file is not None:
            report = mask_report(ends.source, plan, key, done, verify, rules)
            output.to_file(report_file, report.to_json() if kind == "json" else report.to_markdown())
        if ends.note:
            output.say(ends.note, quiet)
        if known is None:
            _say_of_unread(plan, ends)
        _say(done, ends, verify, plan.keyed(), quiet)
        say_code_vaults(plan, quiet)
        if plan_file is not None and plan_file.is_file() and done.written:
            _name_key(plan_file, plan, key)
    if not done.verified:
        return 5
    return 3 if done.left_out and not allow_incomplete else 0


def _plan(file: Path | None) -> Plan | None:
    from piiscan.masking.plan import plan_toml

    return None if file is None else plan_toml.load(file)


def _streamed(
    plan: Plan | None,
    ends: tuple[Path, Path],
    key_spec: str | None,
    rules: RuleSet,
    read: ReadOptions,
    new_columns: Literal["error", "suppress"],
    report_file: Path | None,
    overwrite: bool,
    quiet: bool,
) -> int:
    from piiscan.cli import streamed
    from piiscan.cli.pipe import DASH
    from piiscan.core.errors import UsageError

    if plan is None or ends != (DASH, DASH):
        raise UsageError("--stream masks standard input by a plan: piiscan mask - --plan PLAN.toml -o - --stream")
    kind = "" if report_file is None else _kind(report_file, *ends, overwrite)
    return streamed.masked(plan, key_spec, rules, read, new_columns, report_file, kind, quiet)


@contextmanager
def _left_for_resume(target: Path, quiet: bool) -> Iterator[None]:
    """If the run ends early, say what it leaves for another one."""
    from piiscan.io.write.finished import left_by_a_run
    from piiscan.report.verdict_words import count

    try:
        yield
    except BaseException:
        if n := left_by_a_run(target):
            output.say(
                f"{count(n, 'finished file')} stay in {target} under names that begin with .piiscan-: the same "
                "command with --resume continues from there; without it, it starts again.",
                quiet,
            )
        raise


def say_other_rules(plan: Plan | None, rules: RuleSet, quiet: bool) -> None:
    """Say that a plan was made by other rules than those of this command."""
    if plan is not None and plan.rules_digest != rules.digest:
        output.say(
            "The plan was made by other rules (another version of piiscan, or other --rules, --select or --ignore), "
            "which may find other columns and values. To compare: `piiscan plan PATH -o NEW.toml`, then "
            "`piiscan plan diff`.",
            quiet,
        )


def say_code_vaults(plan: Plan, quiet: bool) -> None:
    """Say where the vaults of codes are."""
    from piiscan.masking.plan.code_vaults import code_vaults, in_working_folder

    for vault in in_working_folder(plan):
        output.say(
            f"The vault {vault} is in the working folder, where earlier versions kept it; move it beside the "
            "plan, which is searched first.",
            quiet,
        )
    for vault in code_vaults(plan):
        if vault.exists():
            output.say(
                f"The vault {vault} contains the codes: keep it with the key; without it codes can't be undone.", quiet
            )


def _name_key(file: Path, plan: Plan, key: Key | None) -> None:
    """Record the key that was used in the plan; `unmask` then asks for it."""
    if key is None or key.id in plan.key_ids:
        return
    key_id = key.id
    from dataclasses import replace

    from piiscan.core.errors import UsageError, WriteError
    from piiscan.masking.plan import plan_toml

    try:
        text = file.read_bytes().decode("utf-8")
        named = plan_toml.with_key(text, key_id)
        if plan_toml.loads(named) != replace(plan, key_ids=(*plan.key_ids, key_id)):
            raise UsageError("it has changed in the meantime")
        output.to_file(file, named)
    except (OSError, UsageError, WriteError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error).removeprefix(f"{file}: ")
        output.say(f"{file} doesn't name the key {key_id} that was used: {reason}")


def _say_of_unread(plan: Plan, ends: Ends) -> None:
    """Say of a plan that nobody has read which masks show their values or join with none, and what is in review."""
    from piiscan.masking.plan import in_review, several_values
    from piiscan.masking.plan.frequencies import revealed
    from piiscan.report import verdict_words

    for line in (*revealed(plan.tables), *several_values.told(plan.tables)):
        output.say(ends.hidden(line))
    if left := in_review.left(plan.tables):
        output.say(verdict_words.left_in_review([*map(ends.hidden, left)]))


def _say(done: MaskedFiles, ends: Ends, verified: bool, keyed: bool, quiet: bool) -> None:
    """Say what was written, what was left out, and which promises don't hold."""
    from piiscan.masking.run.promise_words import broken_text, outcome, unchecked_lines
    from piiscan.report import verdict_words
    from piiscan.report.verdict_words import count, location

    if not done.verified:
        for line in f"{ends.shown} {broken_text([p for p in done.promises if not p.holds])}".splitlines():
            output.say(ends.hidden(line))
    for line in unchecked_lines(done.promises):
        output.say(ends.hidden(line))
    if skipped := verdict_words.skipped(sorted(Counter(item.reason for item in done.skipped).items())):
        output.say(skipped, quiet)
    if done.kept:
        output.say(f"Kept {count(done.kept, 'file')} that an earlier run had finished.", quiet)
    for reason, n in done.again:
        output.say(f"Masked again: {count(n, 'file')} that an earlier run had finished, as {reason}.", quiet)
    for entry in done.left_out:
        output.say(ends.hidden(f"left out: {location(entry)}: {entry.reason}"))
    for note in done.notes:
        output.say(ends.hidden(note))
    if done.unused:
        names = verdict_words.listing(map(verdict_words.printable, done.unused), 300)
        output.say(f"The plan has {count(len(done.unused), 'table')} that nothing matched: {names}", quiet)
    if not done.written:
        why = "" if done.left_out else "There was nothing to mask. "
        output.say(f"{why}Nothing was written to {ends.shown}.", quiet)
        return
    wrote = f"Wrote {ends.shown}: {count(done.written, 'file')}."
    if verified:
        wrote += f" {outcome(done.promises)}"
    output.say(f"{wrote}{' Pseudonymised data remain personal data.' if keyed else ''}", quiet)


def _kind(report: Path, path: Path, target: Path, overwrite: bool) -> str:
    """Return how the report is written.

    Raises `UsageError` for a name with another extension, and for a path that is in the way of the data.
    """
    from piiscan.core.errors import UsageError
    from piiscan.report.mask_report import kind_of

    kind = kind_of(report.name)
    if kind is None:
        raise UsageError(f"--report {report}: choose a file that ends in .json or .md")
    here = report.resolve()
    for other in (path.resolve(), target.resolve()):
        if here == other or (other.is_dir() and here.is_relative_to(other)):
            raise UsageError(
                f"--report {report}: it can't be the input or the output, or inside them; choose another path"
            )
    if report.exists() and not overwrite:
        raise UsageError(f"--report {report} exists; choose another file, or add --overwrite")
    output.writable(report)
    return kind
