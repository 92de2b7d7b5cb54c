"""Baselines: the findings a repository already has, so that only new ones and grown ones raise an alarm.

A file of sorted JSON lines, one a finding, made to be reviewed and committed: no values, no hashes, no times, no line
numbers. How many cells, and which share of them, is kept in powers of two only, so small changes of the data leave the
file alone and growth beyond the kept bound raises the alarm again.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from piiscan.core.errors import UsageError
from piiscan.core.types import Finding, ScanReport
from piiscan.scanning.findings import container, findings, relative

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


def entry_for(finding: Finding, path: str) -> Entry:
    """The entry that accepts `finding` as it is, rounded up to powers of two."""
    cells = 1 << max(0, finding.cells - 1).bit_length()
    share = 1.0
    while share / 2 >= finding.share and share > MIN_SHARE:
        share /= 2
    return Entry(path, finding.table, finding.column or "", finding.rule, cells, share)


@dataclass(frozen=True)
class Baseline:
    """Accepted findings by their keys."""

    entries: Mapping[Key, Entry]

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

    def update(self, found: Iterable[Finding], base: Path) -> Baseline:
        """With every finding accepted as it is now. Reasons and expiry dates of known ones stay; so do entries not
        found."""
        entries = dict(self.entries)
        for finding in found:
            new = entry_for(finding, relative(finding.source, base))
            if new.key in entries:
                new = replace(new, reason=entries[new.key].reason, expires=entries[new.key].expires)
            entries[new.key] = new
        return Baseline(entries)

    def prune(self, report: ScanReport, base: Path) -> Baseline:
        """Without the entries whose finding is gone: from a file that this scan read whole, or that exists no more."""
        present = {entry_for(f, relative(f.source, base)).key for f in findings(report)}
        unread = {relative(n.source, base) for n in report.not_scanned}
        read = {relative(t.source, base) for t in report.tables if t.complete and t.sampled is None} - unread

        def gone(entry: Entry) -> bool:
            if entry.key in present:
                return False
            return entry.path in read or not (base / container(entry.path)[0]).exists()

        return Baseline({key: entry for key, entry in self.entries.items() if not gone(entry)})

    def dumps(self) -> str:
        """Sorted JSON lines, keys in the order of `Entry`, without those that aren't set."""
        rows = (asdict(self.entries[key]) for key in sorted(self.entries))
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
    entries = [
        _parse(line, f"baseline {file.name}, line {n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    merged: dict[Key, Entry] = {}
    for entry in entries:
        merged[entry.key] = _both(merged[entry.key], entry) if entry.key in merged else entry
    return Baseline(merged)


def _both(one: Entry, other: Entry) -> Entry:
    """Two lines for one finding, which a merge of two branches leaves: both were accepted, and the nearer end holds."""
    return replace(
        one,
        max_cells=max(one.max_cells, other.max_cells),
        max_share=max(one.max_share, other.max_share),
        reason=one.reason or other.reason,
        expires=min(filter(None, (one.expires, other.expires)), default=None),
    )


def _parse(line: str, where: str) -> Entry:
    if line.startswith(CONFLICT):
        raise UsageError(f"{where}: a merge conflict; keep the lines of both sides")
    try:
        raw: Any = json.loads(line, parse_constant=_no_number)
    except ValueError:
        raise UsageError(f"{where}: not JSON") from None
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
