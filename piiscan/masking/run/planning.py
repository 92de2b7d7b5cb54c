"""From data to a plan: a scan, and what the policy makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from piiscan.core.errors import ReadError
from piiscan.core.types import ScanReport, TableInfo, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.io.walk import Ahead
from piiscan.masking.known.dates_in_texts import order_of
from piiscan.masking.known.text_notices import texts_alone
from piiscan.masking.plan import make_plan
from piiscan.masking.plan.make_plan import Scanned
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.plan.policy import Policy
from piiscan.masking.run.match_plan import relative
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, judging, printable_names
from piiscan.scanning.crew import Crew
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions


def plan_files(
    source: Path,
    policy: Policy,
    rules: RuleSet,
    read: ReadOptions,
    scan: ScanOptions,
    before: Plan | None = None,
    progress: Progress | None = None,
    follow: Callable[[Ahead], Ahead] | None = None,
) -> tuple[Plan, ScanReport]:
    """Scan a file, or every file below a folder, and plan what to do to each column; and the report of the scan.

    `follow`: who watches the inputs as they are read.
    """
    root = source if source.is_dir() else source.parent
    found: list[Scanned] = []

    def seen(info: TableInfo, summary: TableSummary, report: TableReport) -> None:
        members = tuple(relative(member, root, rules) for member in report.members)
        info = relative(info, root, rules)
        found.append(make_plan.scanned(info, summary, replace(report, source=info.source, members=members), policy))

    read, scan = read._replace(asides=False), scan._replace(data_sets=True)
    with Crew(rules, scan, read, keeps_summaries=True) as crew:
        tables = inputs.watched([str(source)], read, None, follow(crew) if follow else crew)
        report = engine.scan_tables(tables, rules, scan, progress, seen, helpers=crew)
    return _told(make_plan.plan(found, policy, rules.digest, before), found), report


def plan_frame(
    data: Any, policy: Policy, rules: RuleSet, read: ReadOptions, scan: ScanOptions, before: Plan | None = None
) -> Plan:
    """Scan a data frame, or a mapping of several by what they are called, and plan what to do to each column.

    Raises `ReadError` where one can't be read whole.
    """
    found: list[Scanned] = []

    def seen(info: TableInfo, summary: TableSummary, report: TableReport) -> None:
        found.append(make_plan.scanned(info, summary, report, policy))

    tables = inputs.from_frames(data, read) if isinstance(data, Mapping) else [inputs.from_frame(data, read)]
    report = engine.scan_tables(tables, rules, scan, None, seen)
    if missed := [entry for entry in report.not_scanned if not entry.files]:
        raise ReadError(missed[0].reason)
    return _told(make_plan.plan(found, policy, rules.digest, before), found)


def plan_summaries(
    tables: Sequence[tuple[TableInfo, TableSummary]],
    policy: Policy,
    rules: RuleSet,
    scan: ScanOptions,
    before: Plan | None = None,
) -> Plan:
    """Plan what to do to each column of tables that were summed up elsewhere: what `plan_frame` makes of the same rows.

    Raises `ReadError` where a column couldn't be looked at whole.
    """
    found: list[Scanned] = []
    for info, summary in tables:
        report, failures = judging.judge(info, summary, rules, scan)
        if missed := [entry for entry in failures if not entry.files]:
            raise ReadError(missed[0].reason)
        found.append(make_plan.scanned(printable_names.printable(info, rules), summary, report, policy))
    return _told(make_plan.plan(found, policy, rules.digest, before), found)


def _told(plan: Plan, found: Sequence[Scanned]) -> Plan:
    """Add what the sampled texts show, and a note on texts that no column links to a person."""
    tables = tuple(map(_with_orders, plan.tables, found))
    return replace(plan, tables=tuple(_by_name(tables, found)), notes=(*plan.notes, *texts_alone(plan)))


def _by_name(tables: Sequence[TablePlan], found: Sequence[Scanned]) -> Iterator[TablePlan]:
    """Name each of several data sets that share a glob and columns.

    The configuration may say that a column of some files is something else. The largest set keeps the glob, files of
    the others get their own names.
    """
    called = [_called(table, each) for table, each in zip(tables, found, strict=True)]
    by_size = sorted(range(len(tables)), key=lambda i: -len(found[i].report.members))
    first = {called[i]: i for i in reversed(by_size)}
    for i, (table, each) in enumerate(zip(tables, found, strict=True)):
        if first[called[i]] == i or not each.report.members:
            yield table
            continue
        columns = tuple(a for a in table.columns if a.name not in {key.name for key in each.keys})
        for member in each.report.members:
            yield replace(table, source=member.source, columns=columns, notes=())


def _called(table: TablePlan, found: Scanned) -> tuple[str, str | None, frozenset[str]]:
    """What distinguishes a table from others."""
    names = labels([a.name for a in table.columns])
    return table.source, table.table, frozenset(names if found.report.members else ())


def _with_orders(table: TablePlan, found: Scanned) -> TablePlan:
    """Add the order of day and month in which a table's texts write dates that move."""
    columns = []
    for action in table.columns:
        if action.params.get("shift_days") and action.decided_by == "policy":
            locale = next((s.locale for s in table.subjects if s.name == action.subject), "")
            order = order_of(found.samples[action.index], "mdy" if locale == "en_US" else "dmy")
            action = replace(action, params={**action.params, "order": order})
        columns.append(action)
    return replace(table, columns=tuple(columns))
