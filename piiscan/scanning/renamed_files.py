"""Recognises renamed files of a baseline by what the baseline holds.

That is the digest of a table's column names, and which findings it has.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from piiscan.core.types import Finding, TableReport
from piiscan.scanning.findings import labels


class Accepted(Protocol):
    """An entry of a baseline."""

    @property
    def path(self) -> str: ...
    @property
    def table(self) -> str | None: ...
    @property
    def column(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def schema(self) -> str | None: ...


Kept = tuple[str | None, str, str]
"""A finding within a file: table, column, rule."""


def schema(table: TableReport) -> str:
    """A digest of a table's format and of its columns' names as they are printed: never of a cell."""
    text = json.dumps([table.format, table.table, *labels(table)], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def renamed(
    entries: Iterable[Accepted],
    found: Mapping[str, Mapping[Kept, Finding]],
    schemas: Mapping[str, Mapping[str | None, str]],
    is_gone: Callable[[str], bool],
    fits: Callable[[Accepted, Finding], bool],
) -> dict[str, str]:
    """The files that were renamed: the old path → the new one.

    A file counts if its entries all `fits` the findings of exactly one new file with the same `schemas` of tables,
    which fits no other file that is gone.

    found: findings by path; schemas: digests by path and table; both of files that were read whole and that no entry
    names.
    """
    old: dict[str, list[Accepted]] = defaultdict(list)
    for entry in entries:
        old[entry.path].append(entry)
    new = [path for path in found if path not in old]
    pairs = [
        (before, now)
        for before in sorted(old)
        if new and is_gone(before)
        for now in new
        if all(_same(entry, found[now], schemas.get(now, {}), fits) for entry in old[before])
    ]
    befores, nows = [before for before, _ in pairs], [now for _, now in pairs]
    return {before: now for before, now in pairs if befores.count(before) == nows.count(now) == 1}


def _same(
    entry: Accepted,
    found: Mapping[Kept, Finding],
    schemas: Mapping[str | None, str],
    fits: Callable[[Accepted, Finding], bool],
) -> bool:
    finding = found.get((entry.table, entry.column, entry.rule))
    if finding is None or entry.schema is None or schemas.get(entry.table) != entry.schema:
        return False
    return fits(entry, finding)
