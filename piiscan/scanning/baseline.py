"""Baselines: the findings a repository already has, so that only new ones and grown ones raise an alarm.

A file of sorted JSON lines, one a finding, made to be reviewed and committed: no values or hashes of them, no times,
no line numbers. How many cells, and which share of them, is kept in powers of two only, so small changes of the data
leave the file alone and growth beyond the kept bound raises the alarm again. The first lines say which rules and which
model the findings were found with, so that a later scan can tell where other ones may be why it finds something else.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.core.types import Finding, ScanReport
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

Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted finding, up to `max_cells` cells and `max_share` of the filled cells, until the end of `expires`.

    `path` is relative to the folder that the command line calls the base: the repository's, or the configuration's.
    """

    path: str
    table: str | None
    column: str
    rule: str
    max_cells: int
    max_share: float
    reason: str | None = None
    expires: str | None = None

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
    """Accepted findings by their keys, and what they were found with: nothing where that isn't known, several where
    files were looked at with different rules or models."""

    entries: Mapping[Key, Entry]
    made_with: tuple[MadeWith, ...] = ()

    def covers(self, finding: Finding, path: str, today: datetime.date | None = None) -> str | None:
        """Why `finding` at `path` is accepted; None where it is new, has grown, or its entry has expired."""
        entry = self._entry(finding, path)
        if entry is None or self.outgrown(finding, path, today) is not None:
            return None
        return f"in the baseline: {entry.reason}" if entry.reason else "in the baseline"

    def outgrown(self, finding: Finding, path: str, today: datetime.date | None = None) -> str | None:
        """Why the entry for `finding` at `path` doesn't cover it any more; None where it does, or there is none."""
        entry = self._entry(finding, path)
        if entry is None:
            return None
        if finding.cells > entry.max_cells or finding.share > entry.max_share:
            return "grown beyond the baseline"
        if entry.expires is not None and (today or datetime.date.today()) > datetime.date.fromisoformat(entry.expires):
            return f"its entry in the baseline ended on {entry.expires}"
        return None

    def _entry(self, finding: Finding, path: str) -> Entry | None:
        return self.entries.get((path, finding.table or "", finding.column or "", finding.rule))

    def update(self, found: Iterable[Finding], base: Path, report: ScanReport | None = None) -> Baseline:
        """With every finding accepted as it is now. Reasons and expiry dates of known ones stay; so do entries not
        found. `report` says which rules and which model they were found with."""
        entries: dict[Key, Entry] = {}
        for finding in found:
            new = entry_for(finding, relative(finding.source, base))
            if new.key in self.entries:
                new = replace(new, reason=self.entries[new.key].reason, expires=self.entries[new.key].expires)
            entries[new.key] = new
        found_with = self.made_with
        if report is not None:
            read = _read(report, base)
            others = any(key not in entries and e.path not in read for key, e in self.entries.items())
            found_with = self._found_with(report, others)
        return Baseline({**self.entries, **entries}, found_with)

    def _found_with(self, report: ScanReport, others: bool) -> tuple[MadeWith, ...]:
        """What the entries were found with: that of `report`, and what was before where `others` weren't looked at this
        time. Nothing where that isn't known."""
        if others and not self.made_with:
            return ()
        return _sorted((*(self.made_with if others else ()), made_with(report)))

    def changes(self, judged: JudgedReport, fail_on: FailOn) -> BaselineChanges:
        """How a report differs from what is accepted, as far as `fail_on` counts it."""
        new: list[Place] = []
        grown: list[Place] = []
        for finding in judged.open:
            if reaches(finding, fail_on):
                path = relative(finding.source, judged.base)
                place = Place(path, finding.table, finding.column or "", finding.rule)
                (new if self._entry(finding, path) is None else grown).append(place)
        gone = (Place(e.path, e.table, e.column, e.rule) for e in self.gone(judged.report, judged.base))
        others = self._others(made_with(judged.report))
        return BaselineChanges(len(self.entries), self.made_with, others, tuple(new), tuple(grown), tuple(gone))

    def _others(self, now: MadeWith) -> tuple[str, ...] | None:
        """Which of the rules and the model aren't those that all entries were found with; None where that isn't
        known."""
        if not self.made_with:
            return None
        rules = any(m.rules_digest != now.rules_digest for m in self.made_with)
        model = any(m.model_digest != now.model_digest for m in self.made_with)
        return ("rules",) * rules + ("model",) * model

    def gone(self, report: ScanReport, base: Path) -> tuple[Entry, ...]:
        """The entries of files that this scan read whole whose finding is there no more, in the order of the file."""
        present = {entry_for(f, relative(f.source, base)).key for f in answerable(report)}
        read = _read(report, base)
        return tuple(e for k, e in sorted(self.entries.items()) if k not in present and e.path in read)

    def prune(self, report: ScanReport, base: Path) -> Baseline:
        """Without the entries whose finding is gone: from a file that this scan read whole, or that exists no more."""
        present = {entry_for(f, relative(f.source, base)).key for f in answerable(report)}
        gone = {entry.key for entry in self.gone(report, base)}

        def kept(entry: Entry) -> bool:
            there = entry.key in present or (base / container(entry.path)[0]).exists()
            return entry.key not in gone and there

        return replace(self, entries={key: entry for key, entry in self.entries.items() if kept(entry)})

    def dumps(self) -> str:
        """Sorted JSON lines, those of `made_with` first, keys in the order of `Entry`, without those that aren't
        set."""
        rows = [m._asdict() for m in self.made_with] + [asdict(self.entries[key]) for key in sorted(self.entries)]
        kept = ({k: v for k, v in row.items() if v is not None} for row in rows)
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)


def load(file: Path) -> Baseline:
    """Raises `UsageError`, naming the file and the line, where it can't be read."""
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
    """The paths of files that were read whole."""
    unread = {relative(n.source, base) for n in report.not_scanned}
    return {relative(t.source, base) for t in report.tables if t.complete and t.sampled is None} - unread


def _both(one: Entry, other: Entry) -> Entry:
    """Two lines for one finding, which a merge of two branches leaves: both were accepted, and the nearer end holds."""
    return replace(
        one,
        max_cells=max(one.max_cells, other.max_cells),
        max_share=max(one.max_share, other.max_share),
        reason=one.reason or other.reason,
        expires=min(filter(None, (one.expires, other.expires)), default=None),
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
    }
    if not isinstance(raw, dict) or not raw.keys() <= types.keys():
        raise UsageError(f"{where}: must be an object with keys out of {', '.join(types)}")
    raw = {"table": None, **raw}
    missing = [f.name for f in fields(Entry) if f.name not in raw and f.name not in ("reason", "expires")]
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
