"""Findings: what in a report requires action, and what the user has already accepted."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple, Protocol

from piiscan.core.entities import RANK
from piiscan.core.types import ColumnReport, Finding, InName, Inside, ScanReport, TableReport

FailOn = Literal["direct", "review", "sensitive", "quasi", "never"]

BY_USER = "user"
"""The rule of a column that the configuration alone declares."""
REVIEW = "review"
"""The rule of a column that is to be reviewed and has no class but none. Accepting the doubt doesn't accept the column
as what it may turn out to be.
"""
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
    """One `[[allow]]` entry: findings that the user accepts.

    Globs; None stands for any. Without effect after `expires`. With a `domain` or a `network` it accepts the values
    there, and no other findings.
    """

    reason: str
    path: str | None = None
    table: str | None = None
    column: str | None = None
    rule: str | None = None
    entity: str | None = None
    expires: datetime.date | None = None
    domain: str | None = None
    network: str | None = None

    @property
    def is_of_values(self) -> bool:
        return self.domain is not None or self.network is not None


class Known(Protocol):
    """Findings accepted before: a baseline.

    Both answer for a finding at a relative path, in words, or None. `members`: the paths of the files of a data set, of
    which `path` is the glob.
    """

    def covers(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        """Why it is accepted."""

    def outgrown(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        """Why it was accepted but isn't any more."""


class Place(NamedTuple):
    """What a baseline knows a finding by."""

    path: str
    table: str | None
    column: str
    rule: str


class BaselineChanges(NamedTuple):
    """How a report differs from a baseline of `entries` findings.

    `new` findings, those that have `grown` or whose entry has expired, and entries whose finding is `gone` from what
    was read.

    `made_with`: the digests of the rules and of the model that the entries were found with. `others`: which of the two
    are other ones now ("rules", "model"); None where the baseline doesn't say what it was made with. `renamed`: the old
    and the new path of files that keep their entries under another name.
    """

    entries: int
    made_with: tuple[tuple[str | None, str | None], ...]
    others: tuple[str, ...] | None
    new: tuple[Place, ...]
    grown: tuple[Place, ...]
    gone: tuple[Place, ...]
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def explained(self) -> int:
        """How many changes other rules or another model may explain."""
        return len(self.new) + len(self.gone) if self.others else 0


class ByPlan(NamedTuple):
    """Findings that a plan explains.

    Those whose columns' cells all are in the range of the `checked` operators, and those that can't be distinguished
    from surrogates (`believed`).
    """

    checked: int
    believed: int


class UnusedEntry(NamedTuple):
    """An entry of the configuration that matched nothing of what was scanned.

    Its place (`allow[0]`, counted from 0) and its contents, key by key.
    """

    entry: str
    says: tuple[tuple[str, str], ...]


class JudgedReport(NamedTuple):
    """A report with its findings divided: `open` ones, and `silenced` ones, each with the reason given for it.

    `base` is the folder that paths in baselines and SARIF are relative to. `notes`: why some of the open ones are open
    again. `baseline`: what has changed since it, where there is one. `by_plan`: how many of the silenced ones a plan
    explains. `unused`: entries of the configuration that match nothing.
    """

    report: ScanReport
    open: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, str], ...] = ()
    base: Path = Path()
    notes: tuple[tuple[Finding, str], ...] = ()
    baseline: BaselineChanges | None = None
    by_plan: ByPlan = ByPlan(0, 0)
    unused: tuple[UnusedEntry, ...] = ()

    def failing(self, fail_on: FailOn) -> tuple[Finding, ...]:
        """The open findings at `fail_on` or above."""
        return tuple(f for f in self.open if reaches(f, fail_on))

    @property
    def news(self) -> frozenset[Place] | None:
        """The places that the baseline doesn't cover, or no longer covers; None where there is no baseline.

        Places go by the source as it was given.
        """
        if self.baseline is None:
            return None
        known = {*self.baseline.new, *self.baseline.grown}
        return frozenset(
            Place(f.source, f.table, f.column or "", f.rule)
            for f in self.open
            if Place(relative(f.source, self.base), f.table, f.column or "", f.rule) in known
        )


def rank(finding: Finding) -> int:
    """How strong a finding is: by its class, and by whether it is to be reviewed."""
    return max(RANK[finding.pii], RANK["review"] if finding.review else 0)


def reaches(finding: Finding, fail_on: FailOn) -> bool:
    return fail_on != "never" and rank(finding) >= RANK[fail_on]


def findings(report: ScanReport) -> tuple[Finding, ...]:
    """The findings of a report: one per (source, table, column, rule), in the order of the report.

    Each column of a class other than none with at least one filled cell, each direct entity inside the cells of a
    column, and each identifier in a name. `column` is the column's label (see `labels`); for a name, what it names.
    Reserved values are none, unless the report counts them.
    """
    found = [f for f in names_found(replace(report, tables=())) if report.reserved_count or not f.quiet]
    for table in report.tables:
        for column, label in zip(table.columns, labels(table), strict=True):
            found += _of_column(table, column, label, report.reserved_count)
        found += [f for f in _names_of(table) if report.reserved_count or not f.quiet]
    return tuple(found)


def names_found(report: ScanReport) -> tuple[Finding, ...]:
    """The identifiers in names as findings, those that are reserved too (`quiet`). In the order of the report."""
    of_files = (_of_name(name, "table name" if name.of_table else "file name") for name in report.names)
    return (*of_files, *(finding for table in report.tables for finding in _names_of(table)))


def _names_of(table: TableReport) -> list[Finding]:
    names = labels(table)
    return [
        _of_name(name, "table name" if name.column is None else f"name of {names[name.column]}")
        for name in table.in_names
    ]


def doubts(report: ScanReport) -> tuple[Finding, ...]:
    """One for each column in review that is no finding for its class: those of class none."""
    return tuple(
        Finding(
            table.source, table.table, column.index, label, REVIEW, column.entity, column.subtype, "none",
            column.sureness, table.rows - column.nulls, 1.0, inside=False, review=column.review,
            member=_first_member(table, column),
        )
        for table in report.tables
        for column, label in zip(table.columns, labels(table), strict=True)
        if column.review and not _is_personal(column) and column.nulls < table.rows
        if report.reserved_count or not column.reserved
    )  # fmt: skip


def answerable(report: ScanReport) -> tuple[Finding, ...]:
    """All that a baseline or an `[[allow]]` entry may accept: findings and doubts."""
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
        quiet=name.reserved,
    )


def labels(table: TableReport) -> tuple[str, ...]:
    """A unique label per column.

    Its name, `column_3` (counted from 0) for one without or with an empty one, `name#2` for a repeated one.
    """
    return unique_labels(column.name for column in table.columns)


def unique_labels(names: Iterable[str | None]) -> tuple[str, ...]:
    """`labels` of the columns of these names."""
    used: set[str] = set()
    out: list[str] = []
    for index, given in enumerate(names):
        name = label = given or f"column_{index}"
        n = 1
        while label in used:
            n += 1
            label = f"{name}#{n}"
        used.add(label)
        out.append(label)
    return tuple(out)


def _of_column(table: TableReport, column: ColumnReport, label: str, reserved: bool) -> list[Finding]:
    """`reserved`: those of reserved values, too."""
    from piiscan.core.entities import PII_CLASS

    filled = max(0, table.rows - column.nulls)
    found: list[Finding] = []
    if _is_personal(column) and filled and (reserved or not column.reserved):
        cells, share = filled, 1.0
        for reason in column.reasons:
            if reason.id == column.rule and reason.cells is not None and reason.share is not None:
                cells, share = reason.cells, reason.share
                break
        found.append(
            Finding(
                table.source, table.table, column.index, label, column.rule or BY_USER, column.entity, column.subtype,
                column.pii, column.sureness, cells, share, inside=False, review=column.review,
                member=_first_member(table, column), quiet=column.quiet,
            )
        )  # fmt: skip
    seen = {column.rule} if found else set()
    for entry in column.inside:
        if PII_CLASS.get(entry.entity) != "direct" or entry.rule in seen or (entry.reserved and not reserved):
            continue
        seen.add(entry.rule)
        share = min(1.0, entry.cells / filled) if filled else 0.0
        member, first_rows = _first_inside(table, column, entry)
        found.append(
            Finding(
                table.source, table.table, column.index, label, entry.rule, entry.entity, entry.subtype,
                "direct", 1.0, entry.cells, share, inside=True, first_rows=first_rows, member=member, quiet=entry.quiet,
            )
        )  # fmt: skip
    return found


def _first_member(table: TableReport, column: ColumnReport) -> str | None:
    """The first file of a data set in which a column holds something. All files have a value of a partition's key."""
    own = (m for m in table.members if column.index >= len(m.columns) or m.columns[column.index].nulls < m.rows)
    return next((m.source for m in own), None)


def _first_inside(table: TableReport, column: ColumnReport, entry: Inside) -> tuple[str | None, tuple[int, ...]]:
    """The first file of a data set in which a rule found something, and the rows where."""
    if not table.members:
        return None, entry.first_rows
    for member in table.members:
        for own in member.columns[column.index].inside if column.index < len(member.columns) else ():
            if own.rule == entry.rule:
                return member.source, own.first_rows
    return _first_member(table, column), ()


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
        if not applies(entry, paths, finding.table, finding.column, today):
            return False
        if entry.is_of_values and not (
            finding.quiet and (finding.entity == "IP_ADDRESS") == (entry.network is not None)
        ):
            return False
        if entry.rule is not None and entry.rule != finding.rule:
            return False
        return entry.entity is None or entry.entity in (finding.entity, finding.subtype)

    return next((e for e in entries if fits(e)), None)


def _allowed(
    finding: Finding,
    entries: tuple[Allow, ...],
    sources: Sequence[str],
    bases: tuple[Path, Path],
    today: datetime.date,
) -> Allow | None:
    """The entry that covers `finding` in the first of its files, where each of them is covered by one."""
    first = None
    for source in sources if entries else ():
        found = allowed_by(finding, entries, tuple(relative(source, base) for base in bases), today)
        if found is None:
            return None
        first = first or found
    return first


def applies(entry: Allow, paths: tuple[str, ...], table: str | None, column: str | None, today: datetime.date) -> bool:
    """Whether an entry is in force for a column, of whose source `paths` are the spellings a glob may name."""
    if entry.expires is not None and today > entry.expires:
        return False
    if entry.path is not None and not any(matches_path(p, entry.path) for p in paths):
        return False
    pairs = ((table, entry.table), (column, entry.column))
    return not any(glob is not None and not fnmatchcase(value or "", glob) for value, glob in pairs)


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
    """Separate open findings from silenced ones."""
    today = today or datetime.date.today()
    still_open: list[Finding] = []
    silenced: list[tuple[Finding, str]] = []
    notes: list[tuple[Finding, str]] = []
    files = {(t.source, t.table): t.sources for t in report.tables}
    for finding in answerable(report):
        sources = files.get((finding.source, finding.table), (finding.source,))
        entry = _allowed(finding, allow, sources, (base, allow_base or base), today)
        path = relative(finding.source, base)
        members = [relative(source, base) for source in sources] if baseline and sources != (finding.source,) else ()
        why = baseline.covers(finding, path, today, members) if baseline and not entry else None
        if entry:
            why = f"allowed: {entry.reason}"
        if why is not None:
            silenced.append((finding, why))
            continue
        still_open.append(finding)
        note = baseline.outgrown(finding, path, today, members) if baseline else None
        if note is not None:
            notes.append((finding, note))
    return JudgedReport(report, tuple(still_open), tuple(silenced), base, tuple(notes))
