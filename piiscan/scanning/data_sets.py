"""Files of one table, judged together.

Their names differ only in dates, numbers, hashes and partition keys, they have the same columns, and the contents of
these agree.

Each file is summed up by itself; the sums of those that look alike are added and judged once. Which files belong
together doesn't depend on the order in which they come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from piiscan.core import shares, source_globs
from piiscan.core.types import (
    ColumnReport,
    DType,
    Field,
    Member,
    MemberColumn,
    NotScanned,
    Reason,
    ScanReport,
    TableInfo,
    TableReport,
)
from piiscan.detection.matching.batch import ColumnPart, column_summaries
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.hit_counts import Hits, RuleHits
from piiscan.detection.summary.sample import Sample, values_of
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.file_looks import FEW, Look, Summed, Types, look_of
from piiscan.scanning.files_together import Added, Declared, Key, Together, alone, counted_size, key_of, size_of

_PENDING: Final = 24 << 20
"""Bytes of sums that wait to be added to those of other files: many are added at once."""
Judged = tuple[TableReport, list[NotScanned]]
Judge = Callable[[Summed, str], Judged]
"""The report on a table, and columns that a rule could not be run on. What the user says of the file that is named
besides holds for the table."""
Done = Callable[[TableInfo, TableSummary, TableReport], None]
"""Called with each table that was judged: the whole of a data set, or one file. Names of `TableInfo` are as read."""


@dataclass
class _Alike:
    """Files of a data set whose columns look alike: the sum of what they hold, and of each file what was counted.

    `size`: bytes of memory that the sum takes, or those that wait to be added.
    """

    first: TableSummary
    types: Types = ()
    files: dict[str, tuple[Summed, Member]] = field(default_factory=dict)
    more: list[TableSummary] = field(default_factory=list)
    size: int = 0
    pending: int = 0

    def __post_init__(self) -> None:
        self.size = size_of(self.first)

    @property
    def total(self) -> TableSummary:
        if self.more:
            self.first, self.more, self.pending = self.first.sum(self.more), [], 0
            self.size = size_of(self.first)
        return self.first

    def add(self, other: _Alike) -> None:
        self.more += [other.first, *other.more]
        self.size += other.size
        self.pending += other.size
        if self.pending > _PENDING:
            _ = self.total
        self.types = tuple(one or two for one, two in zip(self.types, other.types, strict=True))
        self.files.update(other.files)

    def fields(self) -> tuple[Field, ...]:
        """The columns of all files: of floats where some have whole numbers, of any type where none has a cell."""
        first, _ = self.files[min(self.files)]
        types: list[set[DType]] = [set() for _ in first.info.fields]
        for own, member in self.files.values():
            for found, known, counted in zip(types, own.info.fields, member.columns, strict=True):
                if counted.nulls < member.rows:
                    found.add(known.dtype)
        return tuple(
            known._replace(dtype=min(found, key=lambda dtype: dtype != "float")) if found else known
            for known, found in zip(first.info.fields, types, strict=True)
        )

    def sources(self) -> list[str]:
        return sorted(self.files)

    def whole(self) -> Summed:
        """The sum, as of the first file."""
        first, _ = self.files[min(self.files)]
        total = self.total if len(self.files) == 1 else _without_places(self.total)
        return Summed(first.info._replace(fields=self.fields()), total)


@dataclass
class Slot:
    """Where in a report the files of a data set stand. `results` is there when all files are known.

    What a file looks like says something beside another only: that of the first is None until there is a second.
    """

    results: list[TableReport | NotScanned] = field(default_factory=list)
    alike: dict[tuple[Types, Look | None], _Alike] = field(default_factory=dict)
    size: int = 0
    is_placed: bool = False

    def files(self) -> int:
        return sum(len(alike.files) for alike in self.alike.values())


class DataSets:
    """The tables of a scan that may be files of data sets. `declared`: what the user says that holds for a source."""

    def __init__(self, prefilter: Prefilter, judge: Judge, done: Done | None, declared: Declared) -> None:
        self._prefilter, self._judge, self._done, self._declared = prefilter, judge, done, declared
        self._rules: RuleSet = prefilter.compiled.rules
        self._open: dict[Key, Slot] = {}
        self._closed: set[Key] = set()
        self._held, self._most = 0, shares.data_sets()

    def accepts(self, added: Added) -> bool:
        """Whether the files that were added with this one can be taken, all of them.

        Otherwise each has to be summed up by itself: there may be no room for all of them, or one is here already.
        """
        bundle = added.bundle
        if bundle.is_taken is None:
            if self._held + bundle.size > self._most:
                self._add_up()
            bundle.is_taken = self._held + bundle.size <= self._most and not any(
                key in self._closed or self._has(key, source)
                for key, sources in bundle.sources.items()
                for source in sources
            )
        return bundle.is_taken

    def _has(self, key: Key, source: str) -> bool:
        slot = self._open.get(key)
        return slot is not None and any(source in alike.files for alike in slot.alike.values())

    def take(self, table: Summed | Added) -> Slot | None:
        """The table's place in the report; None where it can't be a file of a data set.

        What was added has to be accepted before.
        """
        if isinstance(table, Added):
            if table.is_first:
                self._add(table.together)
            return self._open[table.together.key]
        key = key_of(table.info, self._declared)
        # A file that was named twice: nobody's rows count twice.
        if key is None or key in self._closed or self._has(key, table.info.source):
            return None
        is_second = key in self._open
        look = table.look or (look_of(table.summary, self._rules) if is_second else None)
        return self._add(alone(table, key, look, self._rules))

    def _add(self, files: Together) -> Slot:
        slot = self._open.setdefault(files.key, Slot())
        for (types, look), first in [item for item in slot.alike.items() if item[0][1] is None]:
            del slot.alike[types, look]
            slot.alike[types, look_of(first.first, self._rules)] = first
        alike = slot.alike.get((files.types, files.look))
        before = 0 if alike is None else alike.size
        # Of a file's own only what was counted is kept.
        one = _Alike(files.total, files.types, files.files)
        if alike is None:
            slot.alike[files.types, files.look] = alike = one
        else:
            alike.add(one)
        grown = alike.size - before + sum(counted_size(own.info) for own, _ in files.files.values())
        slot.size += grown
        self._held += grown
        self._shrink()
        return slot

    def close(self) -> None:
        """Judge what is left."""
        for key in list(self._open):
            self._finish(key)

    def _shrink(self) -> None:
        """Where more is held than there is memory for, judge what has fewest files.

        Later files of it are judged alone.
        """
        if self._held > self._most:
            self._add_up()
        while self._held > self._most and self._open:
            key = min(self._open, key=lambda k: self._open[k].files())
            self._finish(key)
            self._closed.add(key)

    def _add_up(self) -> None:
        """Add what waits to be added, which takes less memory then."""
        for slot in self._open.values():
            for alike in slot.alike.values():
                before, _ = alike.size, alike.total
                slot.size += alike.size - before
                self._held += alike.size - before

    def _finish(self, key: Key) -> None:
        slot = self._open.pop(key)
        self._held -= slot.size
        glob = str(key[0])
        main, *others = sorted(slot.alike.values(), key=lambda a: (-len(a.files), min(a.files)))
        misfits = self._joined(main, others)
        if len(main.files) > 1:
            slot.results += self._together(main, glob)
        else:
            slot.results += self._apart(main, ())
        for other, differing in misfits:
            some = ", ".join(differing)
            note = f"has the columns of {glob} but {some} {'holds' if len(differing) == 1 else 'hold'} something else"
            slot.results += self._apart(other, (f"{note}, so it was judged apart",) if len(main.files) > 1 else ())
        slot.alike.clear()

    def _joined(self, main: _Alike, others: Sequence[_Alike]) -> list[tuple[_Alike, tuple[str, ...]]]:
        """Add to `main` the others with the same verdicts; the rest, with the columns in which they differ."""
        if not others:
            return []
        whole, _ = self._judge(main.whole(), min(main.files))
        rest = []
        for other in others:
            report, _ = self._judge(other.whole(), min(other.files))
            if differing := tuple(_differing(whole, report, main, other)):
                rest.append((other, differing))
            else:
                main.add(other)
        return rest

    def _apart(self, alike: _Alike, notes: tuple[str, ...]) -> Iterator[TableReport | NotScanned]:
        """A report on each file: of one its own, for several that look alike, their common verdicts."""
        sources = alike.sources()
        if len(sources) > 1:
            notes += (f"judged together with {len(sources) - 1:,} files like it",)
        judged, failures = self._judge(alike.whole(), sources[0])
        judged = replace(judged, notes=(*judged.notes, *notes))
        for source in sources:
            own, member = alike.files[source]
            report = _of_file(judged, member._replace(complete=member.complete and judged.complete))
            if len(sources) > 1:
                columns = (_own(*pair) for pair in zip(report.columns, member.columns, strict=True))
                report = replace(report, columns=tuple(columns))
            yield from self._told(own.info, alike.total, report)
            yield from unread(own, report)
        yield from failures

    def _together(self, alike: _Alike, glob: str) -> Iterator[TableReport | NotScanned]:
        """The report on a data set."""
        first, *_ = infos = [alike.files[source][0].info for source in alike.sources()]
        keys = [key for key, _ in source_globs.partition_keys(first.source)]
        new = [i for i, key in enumerate(keys) if key not in {f.name for f in first.fields} and keys.index(key) == i]
        total = _with_columns(_without_places(alike.total), [self._partition(alike, i) for i in new])
        info = first._replace(
            source=glob,
            fields=(*alike.fields(), *(Field(keys[i]) for i in new)),
            details=tuple(detail for detail in first.details if all(detail in i.details for i in infos)),
            notes=tuple(dict.fromkeys(note for i in infos for note in i.notes)),
            path=None,
            position=0,
        )
        report, failures = self._judge(Summed(info, total), first.source)
        members = tuple(alike.files[source][1] for source in alike.sources())
        members = tuple(m._replace(complete=m.complete and report.complete) for m in members)
        report = replace(report, members=members, complete=all(m.complete for m in members))
        yield from self._told(info, total, report)
        yield from failures
        for source in alike.sources():
            yield from unread(alike.files[source][0], report)

    def _told(self, info: TableInfo, total: TableSummary, report: TableReport) -> Iterator[TableReport]:
        if self._done is not None:
            self._done(_printed(info, report), total, report)
        yield report

    def _partition(self, alike: _Alike, index: int) -> ColumnSummary:
        """The summary of a key's column: each file has one value of it in all of its rows."""
        rows: Counter[str | None] = Counter()
        for source, (_, member) in alike.files.items():
            rows[source_globs.partition_keys(source)[index][1]] += member.rows
        name = source_globs.partition_keys(min(alike.files))[index][0]
        values = [pl.Series([value], dtype=pl.String) for value in rows]
        k = values_of(len(alike.total.columns) + 1)
        found = column_summaries([ColumnPart(one, name, None, k=k) for one in values], self._prefilter)
        empty = ColumnSummary(sample=Sample(k=k))
        return sum((_times(one, rows[value]) for (one, _), value in zip(found, rows, strict=True)), empty)


def _printed(info: TableInfo, report: TableReport) -> TableInfo:
    """With the names of the report."""
    fields = tuple(f._replace(name=c.name) for f, c in zip(info.fields, report.columns, strict=True))
    return info._replace(fields=fields, table=report.table)


def unread(table: Summed, report: TableReport) -> Iterator[NotScanned]:
    """What of a table was not read, by the names that its report has."""
    if table.failure is not None:
        name = None if table.column is None else report.columns[table.column].name or f"column_{table.column}"
        yield NotScanned(table.info.source, table.failure, report.table, name)


def of_member(report: TableReport, member: Member) -> TableReport:
    """The report on one file of a data set: what was counted in it, and the verdicts on all files together."""
    pairs = zip(report.columns, member.columns, strict=False)  # keys of partitions are no columns of the file's own
    return replace(
        _of_file(report, member),
        columns=tuple(_own(column, counted) for column, counted in pairs),
        dataset=report.source,
        members=(),
    )


def _of_file(report: TableReport, member: Member) -> TableReport:
    in_names = tuple(name._replace(source=member.source) for name in report.in_names)
    return replace(report, source=member.source, rows=member.rows, complete=member.complete, in_names=in_names)


def _own(column: ColumnReport, counted: MemberColumn) -> ColumnReport:
    found = {i.rule: i for i in counted.inside}
    return replace(
        column,
        nulls=counted.nulls,
        distinct=counted.distinct,
        distinct_exact=counted.distinct_exact,
        shape=None,
        reasons=(_TOGETHER,),
        # What the recogniser finds in texts is counted in all files together only.
        inside=tuple(
            found[i.rule]._replace(reserved=i.reserved, quiet=i.quiet) for i in column.inside if i.rule in found
        ),
    )


def each_file(report: ScanReport) -> ScanReport:
    """The report with one on each file in the place of that on a whole data set."""
    tables = (
        own
        for table in report.tables
        for own in ((of_member(table, m) for m in table.members) if table.members else (table,))
    )
    return replace(report, tables=tuple(tables))


_TOGETHER: Final = Reason("dataset", text="the verdict on all files of the data set together")


def _differing(whole: TableReport, other: TableReport, main: _Alike, alike: _Alike) -> Iterator[str]:
    """The columns that are of another type, and those with another verdict, and that hold enough to tell."""
    types = zip(main.types, alike.types, strict=True)
    for one, two, column, pair in zip(whole.columns, other.columns, alike.total.columns, types, strict=True):
        is_other = column.filled >= FEW and (one.entity, one.pii) != (two.entity, two.pii)
        if is_other or (None not in pair and pair[0] != pair[1]):
            yield one.name or f"column_{one.index}"


def _with_columns(total: TableSummary, columns: Sequence[ColumnSummary]) -> TableSummary:
    """The summary of a table with more columns, which the rows of the sample don't have."""
    if not columns:
        return total
    nothing = (None,) * len(columns)
    rows = {key: ((*row, *nothing), count) for key, (row, count) in total.row_sample.entries.items()}
    return TableSummary(total.rows, (*total.columns, *columns), replace(total.row_sample, entries=rows))


def _unplaced(hits: Hits, times: int = 1) -> Hits:
    return replace(hits, candidates=hits.candidates * times, cells=hits.cells * times, first_rows=(), other_rows=())


def _without_places(total: TableSummary) -> TableSummary:
    """Without numbers of rows, which would be of several files."""

    def hits(found: Mapping[str, RuleHits]) -> dict[str, RuleHits]:
        return {rule: RuleHits(_unplaced(h.whole), _unplaced(h.within)) for rule, h in found.items()}

    columns = (replace(c, hits=hits(c.hits), together=hits(c.together)) for c in total.columns)
    return replace(total, columns=tuple(columns))


def _times(summary: ColumnSummary, n: int) -> ColumnSummary:
    """The summary of a column that has each cell n times."""

    def hits(found: RuleHits) -> RuleHits:
        return RuleHits(*(_unplaced(h, n) for h in (found.whole, found.within)))

    sample = {key: (text, count * n) for key, (text, count) in summary.sample.entries.items()}
    return replace(
        summary,
        cells=summary.cells * n,
        nulls=summary.nulls * n,
        hits={rule: hits(found) for rule, found in summary.hits.items()},
        sample=replace(summary.sample, entries=sample if n else {}),
        together={entity: hits(found) for entity, found in summary.together.items()},
    )
