"""`piiscan mask - -o - --stream`: a dump masked while it goes through a pipe."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from piiscan.cli import output
from piiscan.cli.supervise import checkpoints
from piiscan.core.errors import PiiscanError, UsageError

if TYPE_CHECKING:
    from piiscan.io.read_options import ReadOptions
    from piiscan.io.write.dump_stream import Streamed
    from piiscan.masking.plan.plan_types import Plan
    from piiscan.rules.definitions import RuleSet

STATISTICS: Final = "of columns, which contain values; ANALYZE makes them anew."
_NOT_WHOLE: Final = "what has left until here is not whole: don't use it"
NOT_PROMISED: Final = (
    "Each row left as soon as it was masked, and nothing was verified: not whether an original value stands elsewhere, "
    "not whether new values of unique columns differ, nor whether keys are in the tables that they name, nor "
    "constraints that the dump states behind its rows."
)


def masked(
    plan: Plan,
    key_spec: str | None,
    rules: RuleSet,
    read: ReadOptions,
    new_columns: Literal["error", "suppress"],
    report_file: Path | None,
    kind: str,
    quiet: bool,
) -> int:
    """Mask standard input to standard output. Raises `UsageError`."""
    from piiscan.core import keys
    from piiscan.masking.run.mask_stream import check_streams, mask_stream, source_of

    check_streams(plan)
    source_of(plan)
    key = keys.Key.load(key_spec) if plan.keyed() else None
    if sys.stdin is None or sys.stdin.buffer.isatty():
        raise UsageError("nothing comes through standard input; pipe a dump in: pg_dump shop | piiscan mask - …")
    out = sys.stdout.buffer
    checkpoints().open(f"standard input ({_NOT_WHOLE})")  # else --memory isn't known to who watches
    try:
        done = mask_stream(sys.stdin.buffer, out, plan, key, rules, read, new_columns)
        out.flush()
    except BrokenPipeError:
        from piiscan.cli import close_stdout

        close_stdout()
        raise UsageError("standard output: its reader has gone away before it had all") from None
    except PiiscanError as error:
        error.args = (f"{error}\n{_NOT_WHOLE[0].upper()}{_NOT_WHOLE[1:]}.",)
        raise
    if report_file is not None:
        _report(report_file, kind, plan, key)
    _say(done, plan, quiet)
    return 0


def _report(file: Path, kind: str, plan: Plan, key: Any) -> None:
    from piiscan.report.mask_report import MaskReport

    report = MaskReport(plan, (), None if key is None else key.id, remark=NOT_PROMISED)
    output.to_file(file, report.to_json() if kind == "json" else report.to_markdown())


def _say(done: Streamed, plan: Plan, quiet: bool) -> None:
    from piiscan.report.verdict_words import count

    rows = sum(done.rows.values())
    output.say(NOT_PROMISED)
    if done.statistics:
        output.say(f"Left out {count(done.statistics, 'statement')} with statistics {STATISTICS}", quiet)
    unused = sum(t.table is not None and not t.table.startswith("#") and t.table not in done.rows for t in plan.tables)
    if unused:
        output.say(f"The plan has {count(unused, 'table')} of which no row came.", quiet)
    output.say(
        f"Wrote standard output: {count(rows, 'row')} of {count(len(done.rows), 'table')}."
        f"{' Pseudonymised data remain personal data.' if plan.keyed() else ''}",
        quiet,
    )
