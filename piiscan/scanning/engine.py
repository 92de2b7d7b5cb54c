"""Runs a scan: tables in, one report out. One process, a pool of threads over the columns of each batch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core import cores
from piiscan.core.checkpoints import AGAIN, UNWATCHED, Checkpoints, Elsewhere, Known
from piiscan.core.errors import PiiscanError, ReadError
from piiscan.core.types import (
    Batch,
    Field,
    Found,
    InName,
    NotScanned,
    ScanReport,
    Skipped,
    Table,
    TableInfo,
    TableReport,
)
from piiscan.core.version import __version__
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.matching.quiet_values import QuietValues
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.rules.rule_sets import compiled_rules
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.data_sets import DataSets, Slot, unread
from piiscan.scanning.file_looks import Summed, looks_of
from piiscan.scanning.files_together import Added, may_be_a_member
from piiscan.scanning.judging import judge, judge_each
from piiscan.scanning.printable_names import printable, printable_failure
from piiscan.scanning.scan_options import ScanOptions
from piiscan.scanning.summing import Helpers, Threads, running_totals

if TYPE_CHECKING:
    import polars as pl


_Result = TableReport | NotScanned | Skipped | InName
"""What a scan finds out of its inputs."""


Progress = Callable[[str, int], None]
"""Called with a table's source and the rows scanned so far."""


Seen = Callable[[TableInfo, TableSummary, TableReport], None]
"""Called with every table that was scanned, once for a data set: as read but with names as printed, its summary, its
report."""


class JudgedTable(NamedTuple):
    """A table that was read and judged by itself: what the report says of it, the verdicts first.

    `summary` is there where it was asked for.
    """

    info: TableInfo
    rows: int
    results: tuple[TableReport | NotScanned, ...]
    summary: TableSummary | None


class Work(NamedTuple):
    """What scanning a table takes besides it. `keeps_summaries`: as in `JudgedTable`. `helpers`: other processes."""

    prefilter: Prefilter
    options: ScanOptions
    threads: Threads
    keeps_summaries: bool = False
    helpers: Helpers | None = None


def outcome(found: Found, work: Work) -> _Result | Summed | JudgedTable:
    """What a process reports of what it has read for another. A table that may be a file of a data set isn't judged."""
    if isinstance(found, NotScanned | Skipped | InName):
        return _printed(found, work.prefilter.compiled.rules)
    return judged(summed(found, work), work)


def judged(table: Summed, work: Work) -> Summed | JudgedTable:
    """What a process reports of a table that it has read for another."""
    return judged_each([table], work)[0]


def judged_each(tables: Sequence[Summed], work: Work) -> list[Summed | JudgedTable]:
    """`judged` of each of some tables."""
    rules, options = work.prefilter.compiled.rules, work.options
    looked_at = [options.data_sets and may_be_a_member(table.info) for table in tables]
    alone = iter(_each_alone(list(compress(tables, map(not_, looked_at))), rules, options, work.keeps_summaries))
    looks = iter(looks_of([table.summary for table in compress(tables, looked_at)], rules))
    return [
        table._replace(look=next(looks)) if is_looked_at else next(alone)
        for table, is_looked_at in zip(tables, looked_at, strict=True)
    ]


def _printed(found: NotScanned | Skipped | InName, rules: RuleSet) -> _Result:
    return printable_failure(found, rules) if isinstance(found, NotScanned) else found


def _tell(progress: Progress | None, result: object) -> None:
    if progress and isinstance(result, Summed | JudgedTable | Added):
        progress(result.info.source, 0)
        progress(result.info.source, result.rows)


def scan_tables(
    inputs: Iterable[Found | Known | Elsewhere],
    rules: RuleSet,
    options: ScanOptions,
    progress: Progress | None = None,
    seen: Seen | None = None,
    checkpoints: Checkpoints = UNWATCHED,
    helpers: Helpers | None = None,
) -> ScanReport:
    """Scan every input in turn.

    Never raises for a bad input: it becomes an entry of `not_scanned`. `checkpoints`: those that `inputs` are read by.
    `helpers`: other processes that may take a part.
    """
    prefilter = prefilter_of(rules)
    model(options.model)  # a wrong one ends the scan before it begins
    if options.spacy is not None:
        from piiscan.detection.text import pipelines

        pipelines.load(options.spacy)
    judging = _Judging(prefilter, options, seen)
    with Threads(options.jobs or cores.available()) as threads:
        work = Work(prefilter, options, threads, helpers=helpers)
        for found in inputs:
            if isinstance(found, Known):
                for result in found.results:
                    judging.take(result, UNWATCHED)
            elif isinstance(found, Elsewhere) and judging.accepts(found, checkpoints):
                for result in found.results:
                    _tell(progress, result)
                    judging.take(result, checkpoints)
            else:
                for one in found.again() if isinstance(found, Elsewhere) else (found,):
                    judging.take(_read_here(one, work, progress), checkpoints)
    results = judging.results()
    not_scanned = _not_scanned(results, checkpoints)
    skipped = Counter(result.reason for result in results if isinstance(result, Skipped))
    # What was not read of a source, its tables may lack.
    torn = {entry.source for entry in not_scanned if entry.table is None}
    return ScanReport(
        tool(rules, options),
        tuple(_torn(t, torn) for t in results if isinstance(t, TableReport)),
        tuple(not_scanned),
        skipped.total(),
        skipped_kinds=tuple(sorted(skipped.items())),
        names=tuple(result for result in results if isinstance(result, InName)),
        reserved_count=not options.allowed.reserved,
        selected=rules.selected,
        ignored=rules.ignored,
    )


def _read_here(found: Found, work: Work, progress: Progress | None) -> _Result | Summed:
    if isinstance(found, NotScanned | Skipped | InName):
        return _printed(found, work.prefilter.compiled.rules)
    return summed(found, work, progress)


def _torn(table: TableReport, torn: Set[str]) -> TableReport:
    """The report on a table, incomplete where it, or a file of it, is one of those that were not read whole."""
    if torn.isdisjoint(table.sources):
        return table
    members = tuple(m._replace(complete=m.complete and m.source not in torn) for m in table.members)
    return replace(table, complete=False, members=members)


def _not_scanned(results: Iterable[_Result], checkpoints: Checkpoints) -> list[NotScanned]:
    """What wasn't scanned, with what ended an earlier run and wasn't met again."""
    found = [result for result in results if isinstance(result, NotScanned)]
    met = {entry.source for entry in found}
    return found + [NotScanned(source, why) for source, why in checkpoints.lost.items() if source not in met]


def tool(rules: RuleSet, options: ScanOptions) -> dict[str, str | None]:
    """Who made a report, with which rules and which model. Raises `ModelError`."""
    return {
        "name": "piiscan",
        "version": __version__,
        "rules_digest": rules.digest,
        "model_digest": model(options.model).digest,
    }


@lru_cache(maxsize=4)
def prefilter_of(rules: RuleSet) -> Prefilter:
    """Rules ready to run."""
    return Prefilter(compiled_rules(rules))


def partial(
    frame: pl.DataFrame,
    fields: tuple[Field, ...],
    rules: RuleSet,
    offset: int | None = None,
    quiet: Sequence[QuietValues] | None = None,
    so_far: TableSummary | None = None,
) -> TableSummary:
    """The summary of a part of a table, to be added to those of its other parts.

    Columns go by position. `quiet`: for each column, which values raise no alarm (reserved ones). `so_far`: the summary
    of other parts that this one will be added to, which spares the work on what can't get into the samples.
    """
    from piiscan.detection.matching.batch import summarise

    return summarise(Batch(frame, offset), fields, prefilter_of(rules), so_far, quiet=quiet)


class _Judging:
    """What comes of a scan's inputs, in their order; tables that may be of a data set are judged when all are read."""

    def __init__(self, prefilter: Prefilter, options: ScanOptions, seen: Seen | None) -> None:
        self._rules, self._options, self._seen = prefilter.compiled.rules, options, seen
        self._found: list[_Result | Slot] = []
        self._sets = DataSets(prefilter, self._of_file, seen, options.declared) if options.data_sets else None

    def accepts(self, found: Elsewhere, checkpoints: Checkpoints) -> bool:
        """Whether the results of an input can be taken as they are."""
        return not any(
            isinstance(result, Added) and (self._sets is None or checkpoints.lost or not self._sets.accepts(result))
            for result in found.results
        )

    def take(self, item: _Result | Summed | JudgedTable | Added, checkpoints: Checkpoints) -> None:
        if isinstance(item, JudgedTable):
            self._take_judged(item, checkpoints)
            return
        if not isinstance(item, Summed | Added):
            checkpoints.finish(item)
            self._found.append(item)
            return
        slot = None if self._sets is None else self._sets.take(item)
        if slot is None and isinstance(item, Summed):
            self._take_judged(_judged_alone(item, self._rules, self._options, self._seen is not None), checkpoints)
            return
        # A process that takes this one's place reads the files of data sets again; from then on their sums are kept.
        checkpoints.finish(item if checkpoints.lost else AGAIN)
        if slot is not None and not slot.is_placed:
            slot.is_placed = True
            checkpoints.hold(slot)
            self._found.append(slot)

    def results(self) -> list[_Result]:
        if self._sets is not None:
            self._sets.close()
        return [one for found in self._found for one in (found.results if isinstance(found, Slot) else (found,))]

    def _take_judged(self, table: JudgedTable, checkpoints: Checkpoints) -> None:
        report = table.results[0]
        if self._seen is not None and table.summary is not None and isinstance(report, TableReport):
            self._seen(printable(table.info, self._rules), table.summary, report)
        for result in table.results:
            checkpoints.finish(result)
            self._found.append(result)

    def _of_file(self, table: Summed, source: str) -> tuple[TableReport, list[NotScanned]]:
        truths = tuple(t._replace(path="*") for t in self._options.declared(source))
        return judge(table.info, table.summary, self._rules, self._options._replace(truths=truths))


def _judged_alone(table: Summed, rules: RuleSet, options: ScanOptions, keeps_summary: bool) -> JudgedTable:
    return _each_alone([table], rules, options, keeps_summary)[0]


def _each_alone(
    tables: Sequence[Summed], rules: RuleSet, options: ScanOptions, keeps_summaries: bool
) -> list[JudgedTable]:
    """Each of some tables judged by itself."""
    found = judge_each([(t.info, t.summary, t.failure is None) for t in tables], rules, options)
    return [
        JudgedTable(
            table.info,
            table.rows,
            (report, *failures, *unread(table, report)),
            table.summary if keeps_summaries else None,
        )
        for table, (report, failures) in zip(tables, found, strict=True)
    ]


def summed(table: Table, work: Work, progress: Progress | None = None) -> Summed:
    """A table read to its end, or to where it can't be read."""
    prefilter = work.prefilter
    info = table.info
    total = TableSummary.empty(len(info.fields))
    failure: str | None = None
    column = None
    try:
        if info.format == "code":
            from piiscan.rules.rules_for_code import for_code

            prefilter = prefilter_of(for_code(prefilter.compiled.rules))
        quiet = work.options.allowed.of_columns(printable(info, prefilter.compiled.rules))
        if progress:
            progress(info.source, 0)
        for total in running_totals(table, prefilter, quiet, work.threads, work.helpers):
            if progress:
                progress(info.source, total.rows)
    except PiiscanError as error:
        failure, column = str(error), error.column if isinstance(error, ReadError) else None
    except MemoryError:
        failure = "not enough memory to scan it"
    except Exception as error:
        failure = f"internal error ({error_location(error)}); please report it"
    return Summed(info, total, failure, column)


def error_location(error: BaseException) -> str:
    """An unexpected error's type and the line it comes from: its message may hold a cell's text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""  # noqa: PTH119
    return f"{type(error).__name__}{where}"
