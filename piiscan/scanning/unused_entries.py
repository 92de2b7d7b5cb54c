"""Entries of the configuration that match nothing of what was scanned, though all that they could match was."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from piiscan.core.types import ScanReport
from piiscan.scanning import configuration
from piiscan.scanning.configuration import ColumnRule, Config
from piiscan.scanning.findings import Allow, UnusedEntry, allowed_by, answerable, relative

_GLOB = re.compile(r"[*?\[]")


def unused_entries(config: Config, report: ScanReport, scanned: Iterable[Path], base: Path) -> tuple[UnusedEntry, ...]:
    """The `[[columns]]` and `[[allow]]` entries without effect on a report, in the order of the file.

    scanned: files and folders that were scanned whole. base: the folder that paths of findings are relative to. An
    entry is held to that only if every file that it could match lies in them and nothing of them was left unread;
    one that has ended is left out.
    """
    folder = config.folder
    if folder is None or not report.complete:
        return ()
    scope = [path.resolve() for path in scanned]
    found: list[UnusedEntry] = []
    for i, column in enumerate(config.columns):
        if _lies_in(folder, column.path, scope) and not _is_column(config, column, report):
            found.append(_entry(config, "columns", i))
    kept = [(i, e) for i, e in enumerate(config.allow) if _lies_in(folder, e.path, scope)]
    used = _used([e for _, e in kept], report, base, folder)
    today = datetime.date.today()
    for i, entry in kept:
        if entry not in used and not (entry.expires is not None and today > entry.expires):
            found.append(_entry(config, "allow", i))
    return tuple(found)


def _lies_in(folder: Path, glob: str | None, scope: Sequence[Path]) -> bool:
    """Whether all that a glob below `folder` could match lies in what was scanned."""
    target = folder.resolve()
    if glob is not None:
        start = _GLOB.search(glob)
        known = glob if start is None else glob[: start.start()].rpartition("/")[0]
        target = Path(os.path.normpath(target / known))
    return any(path == target or path in target.parents for path in scope)


def _is_column(config: Config, entry: ColumnRule, report: ScanReport) -> bool:
    globs = configuration.globs(config, entry.path, Path.cwd())
    return any(
        entry.table in (None, table.table) and entry.column in {c.name or f"column_{c.index}" for c in table.columns}
        for table in report.tables
        if any(fnmatchcase(table.source, glob) for glob in globs)
    )


def _used(entries: Sequence[Allow], report: ScanReport, base: Path, folder: Path) -> set[Allow]:
    used: set[Allow] = set()
    today = datetime.date.today()
    files = {(t.source, t.table): t.sources for t in report.tables}
    for finding in answerable(report) if entries else ():
        for source in {finding.source, *files.get((finding.source, finding.table), ())}:
            paths = (relative(source, base), relative(source, folder))
            used.update(e for e in entries if e not in used and allowed_by(finding, (e,), paths, today))
    return used


def _entry(config: Config, key: str, number: int) -> UnusedEntry:
    says = config.raw.get(key, ())[number]
    return UnusedEntry(f"{key}[{number}]", tuple((k, str(v)) for k, v in says.items()))
