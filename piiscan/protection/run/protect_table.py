"""Writes a protected table as a folder: the table, the summary and the report, all of it or nothing."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from piiscan.core.errors import UsageError, WriteError
from piiscan.core.types import Field
from piiscan.dp.differencing import Difference
from piiscan.dp.run.prepare import PreparedQuery
from piiscan.dp.run.release_log import ReleaseLog
from piiscan.dp.run.summarize_table import Summary
from piiscan.io.table_source import Source
from piiscan.io.write import new_file
from piiscan.io.write.change import FULL
from piiscan.io.write.staging import Staging, sweep
from piiscan.protection.release import Release
from piiscan.protection.release_check import ReleaseCheck
from piiscan.protection.request import ProtectRequest
from piiscan.protection.result import report
from piiscan.protection.run.check_release import check_release
from piiscan.protection.run.release import build_release
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions

SUMMARY: Final = "summary.json"
REPORT: Final = "report.json"


class ProtectJob(NamedTuple):
    """The settings of one release.

    query: the private summary that was asked for. log: where the table is recorded, None if its releases aren't
    recorded.
    command: the command that makes such a release again, None in Python.
    """

    request: ProtectRequest
    query: PreparedQuery | None
    log: ReleaseLog | None
    command: str | None
    rules: RuleSet
    scan: ScanOptions = ScanOptions()
    progress: Progress | None = None


class ProtectedTable(NamedTuple):
    """What was released. `summary`: the private summary, None where none was asked for."""

    release: Release
    summary: Summary | None
    report: dict[str, Any]


Pages = Callable[[Mapping[str, Any]], Mapping[str, bytes]]
"""Further files of the folder, by their paths within it, made from the report."""


def protect_file(source: Source, out: Path, job: ProtectJob, pages: Pages) -> ProtectedTable:
    """Protect a file's table and write it below `out`, a folder that doesn't exist yet or is empty.

    The folder gets the table in its own format, `summary.json`, `report.json`, and `pages`.

    The table is anonymised, written, read back and checked before a budget is charged.
    Raises `UsageError`, `ReadError`, `WriteError`, `VerifyError` for a broken promise, and `BudgetError`; then no
    folder is left.
    """
    assert source.path is not None
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        with suppress(OSError):
            sweep(out.absolute().parent)  # a run that was killed may have published it, and left its lock
        raise UsageError(f"{out} exists and isn't an empty folder; choose another one")
    release = _find_release(source, job)
    name = new_file.file_name(release.info)
    if name in (SUMMARY, REPORT):
        raise UsageError(f"{source.path}: the release has a file with this name itself; rename the input")
    try:
        with Staging(out.absolute()) as staging:
            folder = staging.folder(out.name)
            read = new_file.write(release.frame, release.names, release.info, folder / name)
            written = Source(folder / name, None, read).opened()
            rows = pl.concat(batch.frame for batch in written.batches())
            done = charge_and_report(
                release, check_release(rows, written.info.fields, release, job.request, job.rules, job.scan), job
            )
            files = {
                **pages(done.report),
                REPORT: (json.dumps(done.report, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode(),
            }
            if done.summary is not None:
                files[SUMMARY] = done.summary.text.encode()
            for path, raw in files.items():
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_bytes(raw)
            staging.publish_folder(folder, out, stat.S_IMODE(source.path.stat().st_mode) & 0o666)
    except OSError as error:
        reason = "no space left" if error.errno in FULL else error.strerror or type(error).__name__
        raise WriteError(f"{out} can't be written: {reason}; nothing was released") from None
    return done


def protect_frame(source: Source, job: ProtectJob) -> ProtectedTable:
    """Protect a frame or a file like `protect_file`, without writing anything: the returned rows are checked."""
    release = _find_release(source, job)
    fields = [Field(name) for name in release.names]
    return charge_and_report(
        release, check_release(release.frame, fields, release, job.request, job.rules, job.scan), job
    )


def _find_release(source: Source, job: ProtectJob) -> Release:
    if job.query is not None:
        job.query.check()
    return build_release(source.opened(), job.request, job.rules, job.scan, job.progress)


def charge_and_report(release: Release, promises: Sequence[ReleaseCheck], job: ProtectJob) -> ProtectedTable:
    """Return the private summary and the report. What can't be charged or recorded isn't released."""
    summary = None if job.query is None else job.query.charge_and_execute()
    others: Sequence[Difference] = ()
    if job.log is not None:
        others = job.log.record(_kind(release), release.names)
    spent = None if job.log is None or summary is None else _spent(summary, job.log)
    return ProtectedTable(release, summary, report(release, promises, spent, [str(d) for d in others], job.command))


def _spent(summary: Summary, log: ReleaseLog) -> dict[str, Any]:
    released, known = summary.to_dict(), log.ledger.account(log.dataset)
    spent, left = known.spent, known.remaining
    return {
        "file": SUMMARY,
        "dataset": log.dataset,
        "version": log.version,
        "epsilon": released["privacy"]["epsilon"],
        "delta": released["privacy"]["delta"],
        "neighbours": released["privacy"]["neighbours"],
        "columns": [column["name"] for column in released["columns"]],
        "budget": {"epsilon": known.budget.epsilon, "delta": known.budget.delta},
        "spent": {"epsilon": spent[0], "delta": spent[1]},
        "left": {"epsilon": left[0], "delta": left[1]},
    }


def _kind(release: Release) -> str:
    """The description of this release in a ledger. Two ways to protect a table have different descriptions."""
    found = release.found.to_dict()
    asked = "; ".join(
        f"{name} {', '.join(f'{k} = {v:g}' for k, v in of['asked'].items())}" for name, of in found["models"].items()
    )
    return (
        f"protected table by {', '.join(found['loss'])} ({asked}; {found['method']}, mean loss "
        f"{found['mean_loss']:.4f})"
    )
