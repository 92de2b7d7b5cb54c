"""From data to a plan: a scan, and what the policy makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from piiscan import engine, io
from piiscan.engine import Progress
from piiscan.errors import ReadError
from piiscan.io import ReadOptions
from piiscan.masking.fit import relative
from piiscan.plan import Plan, make
from piiscan.plan.make import Scanned
from piiscan.plan.policy import Policy
from piiscan.rules import RuleSet
from piiscan.summary import TableSummary
from piiscan.types import ScanReport, TableInfo, TableReport


def plan_files(
    source: Path,
    policy: Policy,
    rules: RuleSet,
    read: ReadOptions,
    scan: engine.ScanOptions,
    before: Plan | None = None,
    progress: Progress | None = None,
) -> tuple[Plan, ScanReport]:
    """Scan a file, or every file below a folder, and plan what to do to each column; and the report of the scan."""
    root = source if source.is_dir() else source.parent
    found: list[Scanned] = []

    def seen(info: TableInfo, summary: TableSummary, report: TableReport) -> None:
        info = relative(info, root, rules)
        found.append(make.scanned(info, summary, replace(report, source=info.source), policy))

    report = engine.scan_tables(io.discover([str(source)], read), rules, scan, progress, seen)
    return make.plan(found, policy, rules.digest, before), report


def plan_frame(data: Any, policy: Policy, rules: RuleSet, read: ReadOptions, scan: engine.ScanOptions, before: Plan | None = None) -> Plan:
    """Scan a data frame and plan what to do to each column. Raises `ReadError` where it can't be read whole."""
    found: list[Scanned] = []

    def seen(info: TableInfo, summary: TableSummary, report: TableReport) -> None:
        found.append(make.scanned(info, summary, report, policy))

    report = engine.scan_tables([io.from_frame(data, read)], rules, scan, None, seen)
    if report.not_scanned:
        raise ReadError(report.not_scanned[0].reason)
    return make.plan(found, policy, rules.digest, before)
