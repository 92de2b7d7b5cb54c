"""Baselines: the findings a repository already has, so that only new ones and grown ones raise an alarm.

A file of sorted JSON lines, one per finding, to be reviewed and committed. It holds no values, no hashes of values, no
times and no line numbers. How many cells, and which share of them, is kept in powers of two only, so small changes of
the data leave the file alone and growth beyond the kept bound raises the alarm again. The first lines say which rules
and which model the findings were found with, so that a later scan can report where other rules or another model may
explain a difference.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from piiscan.core import source_globs
from piiscan.core.errors import UsageError
from piiscan.core.types import Finding, ScanReport
from piiscan.scanning import renamed_files
from piiscan.scanning.findings import (
    BaselineChanges,
    FailOn,
    JudgedReport,
    Place,
    answerable,
    container,
    reaches,
    relative,
)

MIN_SHARE = 2.0**-20

CONFLICT = tuple(c * 7 for c in "<=>|")

OPTIONAL = ("reason", "expires", "schema")

Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted finding, up to `max_cells` cells and `max_share` of the filled cells, until the end of `expires`.

    `path` is relative to the folder that the command line calls the base: the repository's, or the configuration's.
    `schema`: a digest of the names of the table's columns, by which a renamed file is known again; None for a name.
    """

    path: str
    table: str | None
    column: str
    rule: str
    max_cells: int
    max_share: float
    reason: str | None = None
    expires: str | None = None
    schema: str | None = None

    @property
    def key(self) -> Key:
        return self.path, self.table or "", self.column, self.rule


class MadeWith(NamedTuple):
    """The digests of the rules and of the model that findings were accepted with."""

    rules_digest: str | None
    model_digest: str | None


def made_with(report: ScanReport) -> MadeWith:
    return MadeWith(report.tool.get("rules_digest"), report.tool.get("model_digest"))


def entry_for(finding: Finding, path: str) -> Entry:
    """The entry that accepts `finding` as it is, rounded up to powers of two."""
    cells = 1 << max(0, finding.cells - 1).bit_length()
    share = 1.0
    while share / 2 >= finding.share and share > MIN_SHARE:
        share /= 2
    return Entry(path, finding.table, finding.column or "", finding.rule, cells, share)


@dataclass(frozen=True)
class Baseline:
    """Accepted findings by their keys, and the rules and model they were found with.

    `made_with`: empty where that isn't known, several where files were scanned with different rules or models.
    """

    entries: Mapping[Key, Entry]
    made_with: tuple[MadeWith, ...] = ()

    def covers(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        """Why `finding` at `path` is accepted; None where it is new, has grown, or its entry has expired."""
        entry = self._entry(finding, path, members)
        if entry is None or self.outgrown(finding, path, today, members) is not None:
            return None
        return f"in the baseline: {entry.reason}" if entry.reason else "in the baseline"

    def outgrown(
        self, finding: Finding, path: str, today: datetime.date | None = None, members: Sequence[str] = ()
    ) -> str | None:
        """Why the entry for `finding` at `path` doesn't cover it any more; None where it does, or there is none."""
        entry = self._entry(finding, path, members)
        if entry is None:
            return None
        if finding.cells > entry.max_cells or finding.share > entry.max_share:
            return "grown beyond the baseline"
        if entry.expires is not None and (today or datetime.date.today()) > datetime.date.fromisoformat(entry.expires):
            return f"its entry in the baseline ended on {entry.expires}"
        return None

    def _entry(self, finding: Finding, path: str, members: Sequence[str] = ()) -> Entry | None:
        """The entry for a finding.

        One for a data set covers a file of it; entries for all its files, or for globs that these are of, cover a data
        set.
        """
        rest = finding.table or "", finding.column or "", finding.rule
        if (entry := self.entries.get((path, *rest))) is not None:
            return entry
        if not members:
            return self._of_file(path, rest)
        each = [self.entries.get((member, *rest)) or self._of_file(member, rest) for member in members]
        found = {entry.path: entry for entry in each if entry is not None}
        if None in each:
            return None
        return replace(
            next(iter(found.values())),
            max_cells=sum(entry.max_cells for entry in found.values()),
            max_share=max(entry.max_share for entry in found.values()),
            expires=min((entry.expires for entry in found.values() if entry.expires), default=None),
        )

    def _of_file(self, path: str, rest: tuple[str, str, str]) -> Entry | None:
        """The entry for a data set that a file is of. The share of one file's cells may be any."""
        for entry in self._of_data_sets.get(rest, ()):
            if source_globs.matches(path, entry.path):
                return replace(entry, max_share=1.0)
        return None

    @cached_property
    def _of_data_sets(self) -> Mapping[tuple[str, str, str], Sequence[Entry]]:
        found: dict[tuple[str, str, str], list[Entry]] = {}
        for key in sorted(self.entries):
            if source_globs.is_glob(key[0]):
                found.setdefault(key[1:], []).append(self.entries[key])
        return found

    def update(self, found: Iterable[Finding], base: Path, report: ScanReport | None = None) -> Baseline:
        """Return the baseline with every finding accepted as it is now.

        Reasons and expiry dates of known ones stay; so do entries not found. `report` says which rules and which model
        they were found with.
        """
        entries: dict[Key, Entry] = {}
        members = _members(report, base)
        replaced: set[Key] = set()
        schemas = {} if report is None else _schemas(report, base)
        for finding in found:
            path = relative(finding.source, base)
            files = members.get((path, finding.table), ())
            new, known = entry_for(finding, path), self._entry(finding, path, files)
            if known is not None and source_globs.is_glob(known.path) and known.path != path and not files:
                # Of a file of a data set that is known; it may have grown.
                known = self.entries[known.key]
                new = replace(known, max_cells=max(known.max_cells, new.max_cells))
            elif known is not None:
                new = replace(new, reason=known.reason, expires=known.expires)
            if not finding.in_name and new.path in schemas:
                new = replace(new, schema=schemas[new.path].get(new.table))
            replaced |= {(file, *new.key[1:]) for file in files}
            entries[new.key] = new
        found_with = self.made_with
        if report is not None:
            read = _read(report, base)
            others = any(key not in entries and e.path not in read for key, e in self.entries.items())
            found_with = self._found_with(report, others)
        kept = {key: entry for key, entry in self.entries.items() if key not in replaced}
        return Baseline({**kept, **entries}, found_with)

    def _found_with(self, report: ScanReport, others: bool) -> tuple[MadeWith, ...]:
        """The rules and models of the entries: those of `report`, and the earlier ones where `others` weren't scanned.

        Empty where that isn't known.
        """
        if others and not self.made_with:
            return ()
        return _sorted((*(self.made_with if others else ()), made_with(report)))

    def changes(
        self, judged: JudgedReport, fail_on: FailOn, renames: Mapping[str, str] | None = None
    ) -> BaselineChanges:
        """How a report differs from what is accepted, as far as `fail_on` counts it.

        `renames`: of files, as `renames` has them, by which this baseline has `moved`.
        """
        new: list[Place] = []
        grown: list[Place] = []
        members = _members(judged.report, judged.base)
        for finding in judged.open:
            if reaches(finding, fail_on):
                path = relative(finding.source, judged.base)
                place = Place(path, finding.table, finding.column or "", finding.rule)
                known = self._entry(finding, path, members.get((path, finding.table), ()))
                (new if known is None else grown).append(place)
        gone = (Place(e.path, e.table, e.column, e.rule) for e in self.gone(judged.report, judged.base))
        others = self._others(made_with(judged.report))
        moved = tuple(sorted((renames or {}).items()))
        return BaselineChanges(len(self.entries), self.made_with, others, tuple(new), tuple(grown), tuple(gone), moved)

    def _others(self, now: MadeWith) -> tuple[str, ...] | None:
        """Which of the rules and the model differ from those of all entries; None where that isn't known."""
        if not self.made_with:
            return None
        rules = any(m.rules_digest != now.rules_digest for m in self.made_with)
        model = any(m.model_digest != now.model_digest for m in self.made_with)
        return ("rules",) * rules + ("model",) * model

    def renames(self, report: ScanReport, base: Path) -> dict[str, str]:
        """The files that were renamed: the old path → the new one.

        Files that don't exist any more and whose entries cover the findings of exactly one file that no entry names.
        """
        schemas = _schemas(report, base)
        found: dict[str, dict[renamed_files.Kept, Finding]] = {}
        for f in answerable(report):
            path = relative(f.source, base)
            if path in schemas:
                found.setdefault(path, {})[f.table, f.column or "", f.rule] = f
        return renamed_files.renamed(
            self.entries.values(),
            found,
            schemas,
            lambda path: not _files(container(path)[0], base),
            lambda entry, finding: self.covers(finding, entry.path) is not None,
        )

    def moved(self, renames: Mapping[str, str]) -> Baseline:
        """Return the baseline with the entries of renamed files under their new names."""
        if not renames:
            return self
        entries = (replace(e, path=renames.get(e.path, e.path)) for e in self.entries.values())
        return replace(self, entries={e.key: e for e in entries})

    def gone(self, report: ScanReport, base: Path) -> tuple[Entry, ...]:
        """The entries of files that this scan read whole whose finding is there no more, in the order of the file."""
        present = self._present(report, base)
        read = _read(report, base)

        def was_read(path: str) -> bool:
            if path in read or not source_globs.is_glob(path):
                return path in read
            files = _files(path, base)
            return bool(files) and read.issuperset(files)

        return tuple(e for k, e in sorted(self.entries.items()) if k not in present and was_read(e.path))

    def _present(self, report: ScanReport, base: Path) -> set[Key]:
        """The keys of all findings there are: of data sets, of their files, and of data sets that files are of."""
        present: set[Key] = set()
        members = _members(report, base)
        for finding in answerable(report):
            key = entry_for(finding, relative(finding.source, base)).key
            paths = (key[0], *members.get((key[0], finding.table), ()))
            present |= {(path, *key[1:]) for path in paths}
            for entry in self._of_data_sets.get(key[1:], ()):
                if any(source_globs.matches(path, entry.path) for path in paths):
                    present.add(entry.key)
        return present

    def prune(self, report: ScanReport, base: Path) -> Baseline:
        """Return the baseline without the entries whose finding is gone.

        That is from a file that this scan read whole, or that doesn't exist any more.
        """
        present = self._present(report, base)
        gone = {entry.key for entry in self.gone(report, base)}

        def kept(entry: Entry) -> bool:
            there = entry.key in present or bool(_files(container(entry.path)[0], base))
            return entry.key not in gone and there

        return replace(self, entries={key: entry for key, entry in self.entries.items() if kept(entry)})

    def dumps(self) -> str:
        """Return the baseline as sorted JSON lines, those of `made_with` first.

        Keys are in the order of `Entry`, without those that aren't set.
        """
        rows = [m._asdict() for m in self.made_with] + [asdict(self.entries[key]) for key in sorted(self.entries)]
        kept = ({k: v for k, v in row.items() if v is not None} for row in rows)
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)


def load(file: Path) -> Baseline:
    """Load a baseline. Raises `UsageError`, naming the file and the line, where it can't be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"baseline {file.name}: no such file; `piiscan baseline create` makes one") from None
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"baseline {file.name}: can't be read as UTF-8 text") from None
    merged: dict[Key, Entry] = {}
    found_with: list[MadeWith] = []
    for n, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        entry = _parse(line, f"baseline {file.name}, line {n}")
        if isinstance(entry, MadeWith):
            found_with.append(entry)
        else:
            merged[entry.key] = _both(merged[entry.key], entry) if entry.key in merged else entry
    return Baseline(merged, _sorted(found_with))


def _sorted(found_with: Iterable[MadeWith]) -> tuple[MadeWith, ...]:
    """Each once; none for a report that doesn't say by what it was made."""
    known = {m for m in found_with if m.rules_digest or m.model_digest}
    return tuple(sorted(known, key=lambda m: (m.rules_digest or "", m.model_digest or "")))


def _read(report: ScanReport, base: Path) -> set[str]:
    """The paths of files that were read whole, and of data sets of which all files were."""
    unread = {relative(n.source, base) for n in report.not_scanned}
    whole = (t for t in report.tables if t.complete and t.sampled is None)
    return {relative(source, base) for t in whole for source in (t.source, *t.sources)} - unread


def _members(report: ScanReport | None, base: Path) -> dict[tuple[str, str | None], tuple[str, ...]]:
    """The paths of the files of each data set, by its glob and table."""
    sets = () if report is None else (t for t in report.tables if t.members)
    return {(relative(t.source, base), t.table): tuple(relative(m.source, base) for m in t.members) for t in sets}


def _files(path: str, base: Path) -> tuple[str, ...]:
    """The files there are of a path, which may be a glob."""
    if (base / path).exists():
        return (path,)
    if not source_globs.is_glob(path) or Path(path).is_absolute():
        return ()
    return tuple(file.relative_to(base).as_posix() for file in base.glob(path))


def _schemas(report: ScanReport, base: Path) -> dict[str, dict[str | None, str]]:
    """The digests of the tables of files that were read whole, by path and table."""
    read = _read(report, base)
    out: dict[str, dict[str | None, str]] = {}
    for table in report.tables:
        path = relative(table.source, base)
        if path in read:
            out.setdefault(path, {})[table.table] = renamed_files.schema(table)
    return out


def _both(one: Entry, other: Entry) -> Entry:
    """Merge two lines for one finding, which a merge of two branches leaves.

    Both were accepted, and the earlier expiry counts.
    """
    return replace(
        one,
        max_cells=max(one.max_cells, other.max_cells),
        max_share=max(one.max_share, other.max_share),
        reason=one.reason or other.reason,
        expires=min(filter(None, (one.expires, other.expires)), default=None),
        schema=one.schema or other.schema,
    )


def _parse(line: str, where: str) -> Entry | MadeWith:
    if line.startswith(CONFLICT):
        raise UsageError(f"{where}: a merge conflict; keep the lines of both sides")
    try:
        raw: Any = json.loads(line, parse_constant=_no_number)
    except ValueError:
        raise UsageError(f"{where}: not JSON") from None
    if isinstance(raw, dict) and raw and raw.keys() <= set(MadeWith._fields):
        if not all(isinstance(digest, str) for digest in raw.values()):
            raise UsageError(f"{where}: a digest must be a string")
        return MadeWith(raw.get("rules_digest"), raw.get("model_digest"))
    types = {
        "path": str,
        "table": (str, type(None)),
        "column": str,
        "rule": str,
        "max_cells": int,
        "max_share": (int, float),
        "reason": (str, type(None)),
        "expires": (str, type(None)),
        "schema": (str, type(None)),
    }
    if not isinstance(raw, dict) or not raw.keys() <= types.keys():
        raise UsageError(f"{where}: must be an object with keys out of {', '.join(types)}")
    raw = {"table": None, **raw}
    missing = [f.name for f in fields(Entry) if f.name not in raw and f.name not in OPTIONAL]
    wrong = [key for key, value in raw.items() if not isinstance(value, types[key])]  # type: ignore[arg-type]
    if missing or wrong:
        raise UsageError(f"{where}: {(missing + wrong)[0]!r} is missing or of the wrong type")
    entry = Entry(**raw)
    if entry.expires is None:
        return entry
    try:
        return replace(entry, expires=datetime.date.fromisoformat(entry.expires).isoformat())
    except ValueError:
        raise UsageError(f"{where}: 'expires' must be a date such as 2030-12-31") from None


def _no_number(name: str) -> float:
    raise ValueError(name)
