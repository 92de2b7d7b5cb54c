"""The worker process of a scan: it reads whole files and returns their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from piiscan.core.checkpoints import Unwatched
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.io.read_options import ReadOptions
from piiscan.io.walk import FileOnDisk, tables_of
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, small_tables, summing
from piiscan.scanning.scan_options import ScanOptions
from piiscan.scanning.summing import PieceWork, Threads


class Setup(NamedTuple):
    """The settings of a scan, as a worker gets them.

    `rules`: None for the shipped ones, which a process loads faster than it would receive them; `reads_by_them`:
    whether those of `read`, which are left out of it, are the same, or there are none. `lost`: contents that aren't to
    be opened again, and why.
    """

    rules: RuleSet | None
    options: ScanOptions
    read: ReadOptions
    reads_by_them: bool
    keeps_summaries: bool
    lost: Mapping[str, str]


class _Lost(Unwatched):
    def __init__(self, lost: Mapping[str, str]) -> None:
        self.lost = lost


class Worker:
    """A process that scans files."""

    def __init__(self, setup: Setup) -> None:
        rules = rule_sets.shipped().rules if setup.rules is None else setup.rules
        checkpoints = _Lost(setup.lost)
        self._read = setup.read._replace(rules=rules if setup.reads_by_them else None, checkpoints=checkpoints)
        self._work = engine.Work(engine.prefilter_of(rules), setup.options, Threads(1), setup.keeps_summaries)

    def scan(self, files: Sequence[FileOnDisk], adds: bool) -> tuple[tuple[Any, ...], ...]:
        return small_tables.outcomes([tables_of(file, self._read) for file in files], self._work, _nothing, adds)

    def sum_piece(self, work: PieceWork) -> TableSummary | None:
        return summing.sum_piece(work, self._work.prefilter, self._work.threads)


def _nothing() -> None:
    return None


_worker: Worker | None = None


def begin() -> None:
    """Load what every scan by the shipped rules needs, before it is known whether this one goes by them."""
    engine.prefilter_of(rule_sets.shipped().rules)


def prepare(setup: Setup) -> None:
    global _worker
    _worker = Worker(setup)


def scan_files(files: Sequence[FileOnDisk], adds: bool) -> tuple[tuple[Any, ...], ...]:
    """Return the results of each of some files, in the order in which they are reported.

    `adds`: the sums of files that look alike come as one.
    """
    assert _worker is not None
    return _worker.scan(files, adds)


def sum_piece(work: PieceWork) -> TableSummary | None:
    """The summary of a piece of a table; None where it isn't regular."""
    assert _worker is not None
    return _worker.sum_piece(work)
