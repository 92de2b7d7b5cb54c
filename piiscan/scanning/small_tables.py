"""Sums up and judges small tables together: most of the cost of a rule or a network is per call.

Tables are read one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from piiscan.core.types import Batch, Found, InName, NotScanned, Skipped, Table, TableInfo
from piiscan.detection.summary.sample import fetch_all
from piiscan.scanning import engine, summing
from piiscan.scanning.engine import Work
from piiscan.scanning.file_looks import Summed
from piiscan.scanning.files_together import Bundle, added
from piiscan.scanning.printable_names import printable

CELLS: Final = 1 << 19
"""Cells that wait to be summed up, at most and about."""
BYTES: Final = 16 << 20
"""And bytes of memory that they take."""


class _Begun(NamedTuple):
    """A table whose first batches are read."""

    info: TableInfo
    first: tuple[Batch, ...]
    rest: Iterator[Batch]

    def batches(self) -> Iterator[Batch]:
        yield from self.first
        yield from self.rest


Put = Callable[[Any], None]


def outcomes(
    inputs: Sequence[Iterable[Found]], work: Work, several: Callable[[], None], adds: bool = False
) -> tuple[tuple[Any, ...], ...]:
    """The results of each of some inputs, as `engine.outcome` says.

    `several` is called before cells of more than one of them are looked at together. `adds`: of files of data sets that
    look alike the sum, as `Added`.
    """
    if len(inputs) == 1:
        return (tuple(engine.outcome(found, work) for found in inputs[0]),)
    results: list[list[Any]] = []
    small = _Small(work, several, Bundle() if adds else None)
    for found in inputs:
        own: list[Any] = []
        results.append(own)
        for one in found:
            own.append(None)
            small.take(one, partial(own.__setitem__, len(own) - 1))
    small.judge()
    return tuple(map(tuple, results))


class _Small:
    """The tables that wait."""

    def __init__(self, work: Work, several: Callable[[], None], bundle: Bundle | None) -> None:
        self._work, self._several, self._bundle = work, several, bundle
        self._tables: list[tuple[_Begun, Put]] = []
        self._cells = self._bytes = 0

    def take(self, found: Found, put: Put) -> None:
        """Have the result passed to `put`, at once or later."""
        if isinstance(found, NotScanned | Skipped | InName):
            put(engine.outcome(found, self._work))
            return
        table, is_small = _begun(found)
        if not is_small:
            put(self._added([engine.outcome(table, self._work)])[0])
            return
        self._tables.append((table, put))
        frame = table.first[0].frame
        self._cells += frame.height * frame.width
        self._bytes += int(frame.estimated_size())
        if self._cells > CELLS or self._bytes > BYTES:
            self.judge()

    def judge(self) -> None:
        """Sum up and judge those that wait."""
        tables = [table for table, _ in self._tables]
        told = [put for _, put in self._tables]
        self._tables, self._cells, self._bytes = [], 0, 0
        if len(tables) > 1:
            self._several()
        for put, result in zip(told, self._added(self._judged(self._sums(tables))), strict=True):
            put(result)

    def _added(self, results: list[Any]) -> list[Any]:
        """The same results, those of files of data sets added where they look alike."""
        summed = [i for i, result in enumerate(results) if isinstance(result, Summed)]
        if self._bundle is not None and summed:
            options, rules = self._work.options, self._work.prefilter.compiled.rules
            alike = added([results[i] for i in summed], self._bundle, options.declared, rules)
            for i, result in zip(summed, alike, strict=True):
                results[i] = result
        kept = [r.summary for r in results if isinstance(r, Summed | engine.JudgedTable) and r.summary is not None]
        fetch_all(column.sample for summary in kept for column in summary.columns)
        for summary in kept:
            summary.fetch()
        return results

    def _judged(self, tables: list[Summed]) -> list[Summed | engine.JudgedTable]:
        try:
            return engine.judged_each(tables, self._work)
        except Exception:  # by itself each table has its own failure
            return [engine.judged(table, self._work) for table in tables]

    def _sums(self, tables: list[_Begun]) -> list[Summed]:
        if not tables:
            return []
        if len(tables) == 1:
            return [engine.summed(tables[0], self._work)]
        rules, allowed = self._work.prefilter.compiled.rules, self._work.options.allowed
        try:
            batches = [(t.first[0], t.info.fields, allowed.of_columns(printable(t.info, rules))) for t in tables]
            sums = summing.sums_of(batches, self._work.prefilter, self._work.threads)
        except Exception:  # by itself each table has its own failure
            return [engine.summed(table, self._work) for table in tables]
        return [Summed(table.info, total) for table, total in zip(tables, sums, strict=True)]


def _begun(table: Table) -> tuple[_Begun, bool]:
    """The table, and whether all of it is one batch of few rows, which is read."""
    batches = table.batches()
    first: list[Batch] = []
    try:
        for batch in batches:
            first.append(batch)
            if len(first) > 1 or batch.frame.height > summing.FEW_ROWS:
                return _Begun(table.info, tuple(first), batches), False
    except Exception as error:
        return _Begun(table.info, tuple(first), _failing(error)), False
    return _Begun(table.info, tuple(first), iter(())), len(first) == 1 and table.info.format != "code"


def _failing(error: Exception) -> Iterator[Batch]:
    raise error
    yield
