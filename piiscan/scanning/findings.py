"""Findings: what in a report is to be acted on, and which of it the user has already answered for."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple, Protocol

from piiscan.core.entities import RANK
from piiscan.core.types import ColumnReport, Finding, InName, ScanReport, TableReport

FailOn = Literal["direct", "review", "sensitive", "quasi", "never"]

BY_USER = "user"
"""The rule of a column that only the configuration tells anything about."""
REVIEW = "review"
"""The rule of a column that is to be reviewed and has no class but none. Who accepts the doubt under it doesn't accept
the column as what it may turn out to be."""
ARCHIVES = (
    ".zip",
    ".tar",
    ".tgz",
    ".tbz2",
    ".txz",
    ".tzst",
    ".tar.gz",
    ".tar.bz2",
    ".tar.xz",
    ".tar.zst",
    ".gz",
    ".bz2",
    ".xz",
    ".zst",
)


class Allow(NamedTuple):
    """One `[[allow]]` entry: findings that the user answers for. Globs; None stands for any. Without effect after
    `expires`."""

    reason: str
    path: str | None = None
    table: str | None = None
    column: str | None = None
    rule: str | None = None
    entity: str | None = None
    expires: datetime.date | None = None


class Known(Protocol):
    """Findings accepted before: a baseline. Both answer for a finding at a relative path, in words, or None."""

    def covers(self, finding: Finding, path: str, today: datetime.date | None = None) -> str | None:
        """Why it is accepted."""

    def outgrown(self, finding: Finding, path: str, today: datetime.date | None = None) -> str | None:
        """Why it was accepted but isn't any more."""


class Place(NamedTuple):
    """What a baseline knows a finding by."""

    path: str
    table: str | None
    column: str
    rule: str


class BaselineChanges(NamedTuple):
    """How a report differs from a baseline of `entries` findings: `new` findings, those that have `grown` or whose
    entry has ended, and entries whose finding is `gone` from what was read.

    `made_with`: the digests of the rules and of the model that the entries were found with. `others`: which of the two
    are other ones now ("rules", "model"); None where the baseline doesn't say what it was made with.
    """

    entries: int
    made_with: tuple[tuple[str | None, str | None], ...]
    others: tuple[str, ...] | None
    new: tuple[Place, ...]
    grown: tuple[Place, ...]
    gone: tuple[Place, ...]

    @property
    def explained(self) -> int:
        """How many changes other rules or another model may explain."""
        return len(self.new) + len(self.gone) if self.others else 0


class ByPlan(NamedTuple):
    """Findings that a plan explains: whose columns' cells all lie in the range of the `checked` operators, and those
    that may be surrogates as far as anybody can tell (`believed`)."""

    checked: int
    believed: int


class JudgedReport(NamedTuple):
    """A report with its findings told apart: `open` ones, and `silenced` ones, each with the reason given for it.

    `base` is the folder that paths in baselines and SARIF are relative to. `notes`: why some of the open ones are open
    again. `baseline`: what has changed since it, where there is one. `by_plan`: how many of the silenced ones a plan
    explains.
    """

    report: ScanReport
    open: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, str], ...] = ()
    base: Path = Path()
    notes: tuple[tuple[Finding, str], ...] = ()
    baseline: BaselineChanges | None = None
    by_plan: ByPlan = ByPlan(0, 0)

    def failing(self, fail_on: FailOn) -> tuple[Finding, ...]:
        """The open findings at `fail_on` or above."""
        return tuple(f for f in self.open if reaches(f, fail_on))


def rank(finding: Finding) -> int:
    """How strong a finding is: by its class, and by whether it is to be reviewed."""
    return max(RANK[finding.pii], RANK["review"] if finding.review else 0)


def reaches(finding: Finding, fail_on: FailOn) -> bool:
    return fail_on != "never" and rank(finding) >= RANK[fail_on]


def findings(report: ScanReport) -> tuple[Finding, ...]:
    """One finding per (source, table, column, rule): each column of a class other than none with at least one filled
    cell, each direct entity inside the cells of a column, and each identifier in a name. In the order of the report.
    `column` is the column's label (see `labels`); of a name, whose name it is."""
    found: list[Finding] = [_of_name(name, "file name") for name in report.names]
    for table in report.tables:
        for column, label in zip(table.columns, labels(table), strict=True):
            found += _of_column(table, column, label)
        names = labels(table)
        for name in table.in_names:
            found.append(_of_name(name, "table name" if name.column is None else f"name of {names[name.column]}"))
    return tuple(found)


def doubts(report: ScanReport) -> tuple[Finding, ...]:
    """One for each column in review that is no finding for its class: those of class none."""
    return tuple(
        Finding(
            table.source, table.table, column.index, label, REVIEW, column.entity, column.subtype, "none",
            column.confidence, table.rows - column.nulls, 1.0, inside=False, review=column.review,
        )
        for table in report.tables
        for column, label in zip(table.columns, labels(table), strict=True)
        if column.review and not _is_personal(column) and column.nulls < table.rows
    )  # fmt: skip


def answerable(report: ScanReport) -> tuple[Finding, ...]:
    """All that a baseline or an `[[allow]]` entry may answer for: findings and doubts."""
    return (*findings(report), *doubts(report))


def _is_personal(column: ColumnReport) -> bool:
    return column.pii != "none" and column.entity is not None


def _of_name(name: InName, location: str) -> Finding:
    return Finding(
        name.source,
        name.table,
        -1 if name.column is None else name.column,
        location,
        name.rule,
        name.entity,
        name.subtype,
        "direct",
        1.0,
        1,
        1.0,
        inside=False,
        in_name=True,
    )


def labels(table: TableReport) -> tuple[str, ...]:
    """A unique label per column: its name, `column_3` (counted from 0) for one without or with an empty one,
    `name#2` for a repeated one."""
    used: set[str] = set()
    out: list[str] = []
    for column in table.columns:
        name = label = column.name or f"column_{column.index}"
        n = 1
        while label in used:
            n += 1
            label = f"{name}#{n}"
        used.add(label)
        out.append(label)
    return tuple(out)


def _of_column(table: TableReport, column: ColumnReport, label: str) -> list[Finding]:
    from piiscan.core.entities import PII_CLASS

    filled = max(0, table.rows - column.nulls)
    found: list[Finding] = []
    if _is_personal(column) and filled:
        cells, share = filled, 1.0
        for reason in column.reasons:
            if reason.id == column.rule and reason.cells is not None and reason.share is not None:
                cells, share = reason.cells, reason.share
                break
        found.append(
            Finding(
                table.source, table.table, column.index, label, column.rule or BY_USER, column.entity, column.subtype,
                column.pii, column.confidence, cells, share, inside=False, review=column.review,
            )
        )  # fmt: skip
    seen = {column.rule} if found else set()
    for entry in column.inside:
        if PII_CLASS.get(entry.entity) != "direct" or entry.rule in seen:
            continue
        seen.add(entry.rule)
        share = min(1.0, entry.cells / filled) if filled else 0.0
        found.append(
            Finding(
                table.source, table.table, column.index, label, entry.rule, entry.entity, entry.subtype,
                "direct", 1.0, entry.cells, share, inside=True, first_rows=entry.first_rows,
            )
        )  # fmt: skip
    return found


def relative(source: str, base: Path) -> str:
    """`source` relative to the folder `base`, with POSIX slashes; standard input and frames keep their names."""
    if source == "-" or source.startswith("<"):
        return source
    try:
        found = os.path.relpath(source, base)
    except ValueError:  # on another drive
        found = os.path.abspath(source)  # noqa: PTH100
    return PurePosixPath(found.replace(os.sep, "/")).as_posix()


def container(source: str) -> tuple[str, str | None]:
    """The file on disk and, for a member of an archive, its path inside: `a.zip!b.csv` → (`a.zip`, `b.csv`)."""
    start = source.find("!")
    while start >= 0:
        if source[:start].lower().endswith(ARCHIVES):
            return source[:start], source[start + 1 :]
        start = source.find("!", start + 1)
    return source, None


def allowed_by(
    finding: Finding, entries: Iterable[Allow], paths: tuple[str, ...], today: datetime.date
) -> Allow | None:
    """The first entry in force that covers `finding`, of which `paths` are the spellings a glob may name."""

    def fits(entry: Allow) -> bool:
        if entry.expires is not None and today > entry.expires:
            return False
        if entry.path is not None and not any(matches_path(p, entry.path) for p in paths):
            return False
        pairs = ((finding.table, entry.table), (finding.column, entry.column))
        if any(glob is not None and not fnmatchcase(value or "", glob) for value, glob in pairs):
            return False
        if entry.rule is not None and entry.rule != finding.rule:
            return False
        return entry.entity is None or entry.entity in (finding.entity, finding.subtype)

    return next((e for e in entries if fits(e)), None)


def matches_path(path: str, glob: str) -> bool:
    """Whether a glob names `path` itself, or a folder or archive that holds it."""
    glob = glob.removeprefix("./").rstrip("/")
    path = path.removeprefix("./")
    return fnmatchcase(path, glob) or fnmatchcase(path, f"{glob}/*") or fnmatchcase(path, f"{glob}!*")


def judge(
    report: ScanReport,
    base: Path,
    allow: tuple[Allow, ...] = (),
    allow_base: Path | None = None,
    baseline: Known | None = None,
    today: datetime.date | None = None,
) -> JudgedReport:
    """Tell open findings from silenced ones."""
    today = today or datetime.date.today()
    still_open: list[Finding] = []
    silenced: list[tuple[Finding, str]] = []
    notes: list[tuple[Finding, str]] = []
    for finding in answerable(report):
        path = relative(finding.source, base)
        spellings = (path, relative(finding.source, allow_base or base))
        entry = allowed_by(finding, allow, spellings, today)
        why = baseline.covers(finding, path, today) if baseline and not entry else None
        if entry:
            why = f"allowed: {entry.reason}"
        if why is not None:
            silenced.append((finding, why))
            continue
        still_open.append(finding)
        note = baseline.outgrown(finding, path, today) if baseline else None
        if note is not None:
            notes.append((finding, note))
    return JudgedReport(report, tuple(still_open), tuple(silenced), base, tuple(notes))
