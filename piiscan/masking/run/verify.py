"""Reads masked output as an outsider would, and reports whether each promise holds: counts, never a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

import polars as pl

from piiscan.core.memory import give_back
from piiscan.core.types import Table, TableInfo
from piiscan.core.worker_processes import Submit
from piiscan.io.prefetch import prefetch
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply import small_columns
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.apply.executors import submit_or_run
from piiscan.masking.apply.originals import Originals
from piiscan.masking.apply.planned_cells import masks_as_planned
from piiscan.masking.apply.recorder import JoinKey, Joins, TableRecorder, domains_apart
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.result import ANYBODY_LEFT, NO_NAME, OWN_LEFT, CheckResult
from piiscan.masking.run import new_content
from piiscan.masking.run.batch_values import values_of
from piiscan.masking.run.column_check import STAYS, ColumnCheck, worth_counting
from piiscan.masking.run.look_ups import LookUps, PeopleOfRows
from piiscan.masking.run.outputs import Output, tables_of
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

DISTANCES: Final = "dates of one subject keep their distances"
_ROWS: Final = "as many rows as the plan leaves"
_ALIKE: Final = " in columns of one operator and parameters, and others in other columns"
LOOKED_UP: Final = frozenset((OWN_LEFT, ANYBODY_LEFT, DISTANCES, NO_NAME, _ROWS, STAYS, "the output can be read again"))
"""Promises that need no key to be checked."""


def check_promises(
    outputs: Sequence[Output],
    originals: Originals,
    joins: dict[JoinKey, Joins],
    distances: DateDistances,
    rules: RuleSet,
    read: ReadOptions,
    executor: Executor | None = None,
    progress: engine.Progress | None = None,
    submit: Submit | None = None,
    scan: ScanOptions | None = None,
) -> list[CheckResult]:
    """Every promise of the plan, table by table; with `submit`, other processes look cells up, too.

    `scan`: how kept columns are scanned in which rules find something, None for not at all. Raises `ReadError` for
    output that can't be read.
    """
    by_path: dict[Path, list[Output]] = {}
    for o in outputs:
        by_path.setdefault(o.path, []).append(o)
    checking = _Checking(originals, rules, executor, progress, submit, scan)
    for path, tables in by_path.items():
        for table in tables_of(tables, path, rules, read):
            checking.check(*table)
    return [*checking.results(), *_of_the_run(outputs, joins, distances)]


def check_tables(
    tables: Sequence[tuple[Output, Table]],
    originals: Originals,
    joins: dict[JoinKey, Joins],
    distances: DateDistances,
    rules: RuleSet,
    scan: ScanOptions | None = None,
) -> list[CheckResult]:
    """The same for tables that are in no file: each with its output."""
    checking = _Checking(originals, rules, None, scan=scan)
    for output, table in tables:
        checking.check(output, table)
    return [*checking.results(), *_of_the_run([output for output, _ in tables], joins, distances)]


def _of_the_run(outputs: Sequence[Output], joins: dict[JoinKey, Joins], distances: DateDistances) -> list[CheckResult]:
    """The promises of all tables together."""
    found = list(_names(outputs))
    divided = domains_apart(joins)
    for (domain, _), each in sorted(joins.items()):
        name = f"equal values of {domain} have equal masks{_ALIKE * (domain in divided)}"
        found.append(CheckResult("", None, None, name, each.cells, each.broken))
    for (source, table, column), looked, apart in distances.results():
        found.append(CheckResult(source, table, column, DISTANCES, looked, apart))
    return found


def _names(outputs: Sequence[Output]) -> Iterator[CheckResult]:
    """Names of files, folders, members, tables and columns are looked up as cells are.

    The report doesn't say which one: that would reveal it.
    """
    people = next((o.recorder.people for o in outputs if o.recorder.people), None)
    if people is None:
        return
    names: dict[str, None] = {}
    for o in outputs:
        file, *members = o.source.split("!")
        names |= dict.fromkeys((*PurePosixPath(file).parts, *members, o.table or ""))
        names |= dict.fromkeys(a.rename or a.name or "" for a in o.recorder.masker.plan.columns if a.operator != "drop")
    texts = pl.Series([name for name in names if name], dtype=pl.String)
    found = people.index().look_up(texts, [], [])
    expected = worth_counting(found.chance.expected)
    yield CheckResult("", None, None, NO_NAME, len(texts), len(found.everywhere), expected, found.chance.variance)


class _Checking:
    """Verifies tables one after the other; cells waiting to be looked up may be of several tables."""

    def __init__(
        self,
        originals: Originals,
        rules: RuleSet,
        executor: Executor | None,
        progress: engine.Progress | None = None,
        submit: Submit | None = None,
        scan: ScanOptions | None = None,
    ) -> None:
        self._rules, self._scan = rules, scan
        self._originals, self._prefilter, self._executor = originals, engine.prefilter_of(rules), executor
        self._progress, self._submit = progress or (lambda source, rows: None), submit
        self._look_ups: LookUps | None = None
        self._results: list[CheckResult] = []
        self._waiting: list[Callable[[], Iterable[CheckResult]]] = []

    def check(self, output: Output, table: Table | None) -> None:
        """Raises `ReadError`."""
        if table is None:
            self._waiting.append(lambda: [output.result(None, "the output can be read again", 1, 1)])
        else:
            self._waiting.append(self._table(output, table))
        if not self._look_ups:
            self._settle()

    def results(self) -> list[CheckResult]:
        if self._look_ups is not None:
            self._look_ups.begin()
            self._look_ups.collect()
        self._settle()
        return self._results

    def _settle(self) -> None:
        for results in self._waiting:
            self._results += results()
        self._waiting.clear()

    def _table(self, output: Output, table: Table) -> Callable[[], Iterable[CheckResult]]:
        recorder = output.recorder
        left = [i for i, column in recorder.masker.columns.items() if column.action.operator != "drop"]
        own = [ColumnCheck.of(i, recorder, self._originals) for i in left if i not in output.derived]
        if len(own) != sum(field.parent is None for field in table.info.fields):
            # As where masks of a map's keys look like names: what was a list of entries is read as columns.
            return lambda: [output.result(None, "it has the columns that the plan leaves", 1, 1)]
        derived = [ColumnCheck.of(i, recorder, self._originals) for i in left if i in output.derived]
        checks, unseen = _in_order(own, derived, table.info)
        rows = 0
        self._progress(output.source, rows)
        people = self._people_of(recorder)
        for batch in prefetch(table.batches()):
            here = people.of_rows(rows, rows + len(batch.frame))
            numbered = rows if table.info.format == "sqlite" else None
            rows += batch.rows
            self._progress(output.source, rows)
            columns = [
                (check, check.emptied(cells, numbered))
                for check, cells in zip(checks, batch.frame.iter_columns(), strict=True)
            ]
            if self._look_ups is not None:
                for check, cells in columns:
                    check.look_up(cells, here, self._look_ups)
            for done in [
                submit_or_run(self._executor, partial(self._see, group)) for group in small_columns.groups(columns)
            ]:
                done()
            if self._look_ups is not None:
                self._look_ups.collect(is_last=False)
            give_back()
        expected = recorder.rows - recorder.dropped
        # A sheet ends with its last cell that holds anything.
        may_be_blank = recorder.blank_end if table.info.format == "excel" else 0
        broken = max(rows - expected, expected - may_be_blank - rows, 0)

        def results() -> Iterator[CheckResult]:
            yield output.result(None, _ROWS, expected, broken)
            for check in (*checks, *unseen):
                yield from check.results(output)
            yield from self._of_new_content(output, table, checks)

        return results

    def _people_of(self, recorder: TableRecorder) -> PeopleOfRows:
        """By what the rows of a table are looked up."""
        if recorder.people and self._look_ups is None:
            self._look_ups = LookUps(recorder.people, self._executor, self._submit)
        return PeopleOfRows(recorder.keys) if self._look_ups is None else self._look_ups.people(recorder.keys)

    def _see(self, columns: Sequence[tuple[ColumnCheck, pl.Series]]) -> None:
        """Look at some columns of a batch, those of one type together."""
        alike: dict[pl.DataType, list[tuple[ColumnCheck, pl.Series]]] = {}
        for check, cells in columns:
            cells = masks_as_planned(flat(cells), check.action)
            alike.setdefault(cells.dtype, []).append((check, cells))
        for some in alike.values():
            searched = [check.is_searched for check, _ in some]
            held = values_of([cells for _, cells in some], searched, self._originals, self._prefilter)
            for (check, _), values in zip(some, held, strict=True):
                if values is not None:
                    check.see(values, self._prefilter)

    def _of_new_content(self, output: Output, table: Table, checks: Sequence[ColumnCheck]) -> Iterator[CheckResult]:
        """A plan knows the data that it was made from: what else kept columns may hold by now."""
        if self._scan is None:
            return
        kept = {i: check for i, check in enumerate(checks) if new_content.may_have(check.planned)}
        doubtful = {i: check.action for i, check in kept.items() if check.fired}
        found: dict[int, int] = {}
        if doubtful:
            found.update(new_content.found(table, doubtful, output.source, self._rules, self._scan))
        for i, check in kept.items():
            if check.searched:
                yield output.result(check.label, new_content.NOTHING_NEW, check.filled, found.get(i, 0))


def _in_order(
    own: list[ColumnCheck], derived: list[ColumnCheck], info: TableInfo
) -> tuple[list[ColumnCheck], list[ColumnCheck]]:
    """Checks for the columns of the output, and those of derived columns that it hasn't.

    Own columns stand in their order; derived ones are found by their names, and any that the plan doesn't know is
    looked through as if it had been kept.
    """
    n = sum(field.parent is None for field in info.fields)
    left = {label: check for check, label in zip(derived, labels([c.output_name for c in derived]), strict=True)}
    found = list(own[:n])
    for field, label in zip(info.fields[n:], labels([f.name for f in info.fields[n:]]), strict=True):
        parent = own[field.parent or 0]
        found.append(left.pop(label) if label in left else parent.as_kept())
    return found, [*own[n:], *left.values()]
