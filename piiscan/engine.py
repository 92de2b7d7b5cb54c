"""Runs a scan: tables in, one report out. One process, a pool of threads over the columns of each batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from piiscan.rules import RuleSet
from piiscan.types import NotScanned, ScanReport, Skipped, Table


@dataclass(frozen=True, slots=True)
class ColumnTruth:
    """What the user says a column is (`[[columns]]` in the config); it wins over every verdict.

    `path` is a glob over the report's `source`; `table` and `column` are exact names or None for any. `entity` is an
    entity of the vocabulary, or None for "none": nothing personal.
    """

    path: str
    column: str
    entity: str | None
    table: str | None = None


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """How to scan. `jobs` threads; `sample` reads only the first N rows of each table; confidence below
    `min_confidence` turns a verdict into None."""

    jobs: int | None = None
    sample: int | None = None
    min_confidence: float = 0.5
    truths: tuple[ColumnTruth, ...] = ()


Progress = Callable[[str, int], None]
"""Called with a table's source and the rows scanned so far."""


def scan_tables(
    inputs: Iterable[Table | NotScanned | Skipped],
    rules: RuleSet,
    options: ScanOptions,
    progress: Progress | None = None,
) -> ScanReport:
    """Scan every input in turn. Never raises for a bad input: it becomes an entry of `not_scanned`."""
    raise NotImplementedError
