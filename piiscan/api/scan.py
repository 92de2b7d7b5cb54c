"""The Python interface: `scan` anything and get a `Report`; `Scanner` for many scans, or for data that comes in
parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from piiscan.api.table_input import read_options
from piiscan.core.errors import FindingsError, ReadError, UsageError
from piiscan.core.results import Fact, RowsResult
from piiscan.core.types import ColumnReport, Finding, InReview, Pii, ScanReport, TableInfo, TableReport

if TYPE_CHECKING:
    from piiscan.core.types import Found, InName, NotScanned, Table
    from piiscan.detection.summary.table_summary import TableSummary
    from piiscan.io.read_options import ReadOptions
    from piiscan.masking.plan.plan_types import Plan
    from piiscan.report.mask_report import MaskReport
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.engine import ScanOptions
    from piiscan.scanning.findings import FailOn

T = TypeVar("T")

PERSONAL: tuple[Pii, ...] = ("direct", "sensitive", "quasi")


def scan(
    data: Any,
    *,
    rules: str | Path | Sequence[str | Path] = (),
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    min_confidence: float = 0.5,
    model: str | Path | None = None,
    spacy: str | Path | None = None,
    empty_columns: bool = False,
    sample: int | None = None,
    jobs: int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    no_ignore: bool = False,
) -> Report:
    """Scan a data frame, several by their names, a path, a list of paths, or an iterable of parts of one table.

    data: a pandas, polars (lazy too) or pyarrow frame, or anything else that speaks the Arrow stream protocol; a
        mapping of such frames by the names of their tables; a path, or a list of paths, of files and folders; an
        iterable of frames with the same columns, or of mappings, one a row. An index of a pandas frame comes as columns
        after the others, unless it is integers without a name: row numbers.
    The settings are those of `Scanner`.

    What can't be read is in `report.not_scanned`; nothing is raised for it, see `Report.raise_if`. Raises `UsageError`
    for data of another kind and for wrong options, `RuleError` for rules that don't load.

    >>> import piiscan
    >>> report = piiscan.scan([{"ssn": "219-09-9999"}, {"ssn": "219-09-9998"}])
    >>> report["ssn"].entity
    'US_SSN'
    """
    scanner = Scanner(
        rules=rules,
        select=select,
        ignore=ignore,
        min_confidence=min_confidence,
        model=model,
        spacy=spacy,
        empty_columns=empty_columns,
        sample=sample,
        jobs=jobs,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        no_ignore=no_ignore,
    )
    return scanner.scan(data)


def compare(before: Any, after: Any, plan: Plan, *, table: str | None = None) -> MaskReport:
    """What masking changed in a frame: counts and distances by column, without values.

    before, after: a whole pandas, polars or pyarrow frame, and what `mask` made of it by `plan`. table: which of the
    plan's tables it is, where there are several. Promises aren't checked. Raises `UsageError` where the frames don't
    belong together.
    """
    from piiscan.api.compare_frames import compare_frames
    from piiscan.report.mask_report import MaskReport

    return MaskReport(plan, (compare_frames(before, after, plan, table),))


@dataclass(frozen=True)
class Scanner:
    """A scan's settings, to be used again. Can be pickled. Raises `UsageError` for a setting that can't be.

    rules: folders with rules of your own, besides the shipped ones.
    select, ignore: entities, rule ids or subtypes to look for, or not; one, or several of them.
    min_confidence: verdicts whose entity and class are both less sure, 0 to 1, are dropped.
    model: a file that `piiscan train` made, in place of the shipped model.
    spacy: a spaCy pipeline, by its name or folder, that finds names in texts instead of piiscan's recogniser.
    empty_columns: judge also columns without any value, by their headers.
    sample: only the first so many rows of each table.
    jobs: threads, by default one a core. The report is the same for any number.
    delimiter, encoding, header: for delimited text; None to infer.
    no_ignore: read files of a folder that .gitignore and .piiscanignore files leave out, too.
    """

    rules: str | Path | Sequence[str | Path] = ()
    select: str | Sequence[str] = ()
    ignore: str | Sequence[str] = ()
    min_confidence: float = 0.5
    model: str | Path | None = None
    spacy: str | Path | None = None
    empty_columns: bool = False
    sample: int | None = None
    jobs: int | None = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    no_ignore: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.min_confidence <= 1:
            raise UsageError("min_confidence must be between 0 and 1")
        for name, number in (("sample", self.sample), ("jobs", self.jobs)):
            if number is not None and number < 1:
                raise UsageError(f"{name} must be at least 1")
        read_options(self.delimiter, self.encoding, self.header)

    @cached_property
    def ruleset(self) -> RuleSet:
        """The rules in force. Raises `RuleError`, and `UsageError` for a folder without rules."""
        from piiscan.rules import rule_sets
        from piiscan.scanning import configuration

        found = rule_sets.load(configuration.rule_folders(_several(self.rules)))
        select: Sequence[str] = _several(self.select)
        ignore: Sequence[str] = _several(self.ignore)
        return found.restrict(select, ignore) if select or ignore else found

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "ruleset"}

    def scan(self, data: Any) -> Report:
        """Scan `data`, as the function `scan` does."""
        from piiscan.scanning import engine

        return Report(engine.scan_tables(self._inputs(data), self.ruleset, self._options()), pandas=_is_pandas(data))

    def look(self, part: Any) -> TableInfo:
        """What the columns of a table are by a part of it, a frame: names, types, and what its JSON texts hold. For
        `partial` and `finish`, which have to know the same columns for every part."""
        from piiscan.io.content import ReadTable
        from piiscan.io.nested.json_texts import unfolded

        table, limit = self._frame(part, texts=False), self._read_options().limits.columns
        return unfolded(table, limit, once=True, part=True).info if isinstance(table, ReadTable) else table.info

    def partial(self, batch: Any, info: TableInfo | None = None) -> TableSummary:
        """The summary of a part of a table, a frame with all its columns. Summaries add up with `+`, in any order and
        grouping; they hold cell values, so treat them as the data itself.

        info: what `look` says of one part, the same for all of them; without it, texts that are JSON are scanned as
        texts. Raises `ReadError`, and `UsageError` for an `info` of other columns."""
        from piiscan.detection.summary.table_summary import TableSummary
        from piiscan.scanning import engine

        table = self._frame(batch, texts=False)
        if info is not None:
            table = self._known(table, info)
        fields = table.info.fields
        parts = (engine.partial(part.frame, fields, self.ruleset) for part in table.batches())
        return sum(parts, TableSummary.empty(len(fields)))

    def finish(self, summary: TableSummary, info: Any) -> Report:
        """The report on a table from the sum of its parts. `info` is what `partial` was given, or any part of the table
        (for the names and types of its columns) where it was given nothing."""
        from piiscan.scanning import engine

        of_frame = not isinstance(info, TableInfo)
        known: TableInfo = self._frame(info, texts=False).info if of_frame else info
        if len(summary.columns) != len(known.fields):
            raise UsageError("the summary has other columns; pass finish the info that partial was given")
        options = self._options()
        table, failures = engine.judge(known, summary, self.ruleset, options)
        return Report(
            ScanReport(engine.tool(self.ruleset, options), (table,), tuple(failures)), pandas=_is_pandas(info)
        )

    def _options(self) -> ScanOptions:
        from piiscan.scanning import engine

        model = None if self.model is None else os.fspath(self.model)
        return engine.ScanOptions(
            jobs=self.jobs,
            sample=self.sample,
            min_confidence=self.min_confidence,
            model=model,
            empty_columns=self.empty_columns,
            spacy=None if self.spacy is None else os.fspath(self.spacy),
        )

    def _known(self, table: Table, info: TableInfo) -> Table:
        """The table with the columns that `info` derives from its JSON texts."""
        from piiscan.io.content import ReadTable
        from piiscan.io.nested import json_texts

        own = table.info.fields
        if info.fields[: len(own)] != own or not isinstance(table, ReadTable):
            raise UsageError("info is of a table with other columns; make it by look from a part of this one")
        return json_texts.with_columns(table, json_texts.of_fields(info.fields, len(own)))

    def _frame(self, data: Any, texts: bool = True) -> Table:
        from piiscan.io import inputs

        return inputs.from_frame(data, self._read_options(), texts)

    def _read_options(self) -> ReadOptions:
        options = read_options(self.delimiter, self.encoding, self.header)
        options = options._replace(rows=self.sample, rules=self.ruleset)
        return options._replace(ignore_files=()) if self.no_ignore else options

    def _inputs(self, data: Any) -> Iterable[Found]:
        from piiscan.io import inputs

        if isinstance(data, (str, os.PathLike)):
            data = [data]
        if isinstance(data, (list, tuple)) and not data:
            raise UsageError("nothing to scan: an empty list")
        if isinstance(data, (list, tuple)) and all(isinstance(p, (str, os.PathLike)) for p in data):
            return inputs.discover([os.fspath(p) for p in data], self._read_options())
        if isinstance(data, Mapping):
            return inputs.from_frames(data, self._read_options())
        return [self._frame(data)]


def _several(value: str | Path | Sequence[T]) -> Sequence[T]:
    """One name or path, or several of them."""
    return [cast(T, value)] if isinstance(value, (str, Path)) else value


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas"


@dataclass(frozen=True, repr=False)
class Report(RowsResult):
    """What a scan found. Holds no cell values, so it may be printed, logged and stored.

    `report["email"]` is the verdict on a column: `.entity`, `.pii`, `.confidence`, `.pii_confidence`,
    `.reasons`, `.review`.
    """

    scan_report: ScanReport
    pandas: bool = field(default=False, compare=False)

    @property
    def complete(self) -> bool:
        """Whether everything was scanned."""
        return self.scan_report.complete

    @property
    def tables(self) -> tuple[TableReport, ...]:
        return self.scan_report.tables

    @property
    def columns(self) -> tuple[ColumnReport, ...]:
        """The columns of all tables, one table after the other."""
        return tuple(c for t in self.tables for c in t.columns)

    @property
    def in_names(self) -> tuple[InName, ...]:
        """Direct identifiers that are evident in names of files, tables and columns; such names are given by
        position."""
        return self.scan_report.in_names

    @property
    def review(self) -> tuple[InReview, ...]:
        """The columns that a person should look at, with the reasons."""
        return self.scan_report.review

    @property
    def not_scanned(self) -> tuple[NotScanned, ...]:
        return self.scan_report.not_scanned

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What was found: see `piiscan.scanning.findings.findings`. What is in doubt stands in `review`."""
        from piiscan.scanning.findings import findings

        return findings(self.scan_report)

    def __getitem__(self, key: str | int | tuple[str, str | int]) -> ColumnReport:
        """The column of a name or a number (from 0). A repeated name is `name#2`, and so on; names that aren't text go
        by how they print. With several tables, `report["orders.csv", "email"]`: the source or the table's own name
        first. Raises KeyError, with a suggestion."""
        from piiscan.rules.definitions import suggestion
        from piiscan.scanning.findings import labels

        tables = self.tables
        column: str | int
        if isinstance(key, tuple) and len(tables) == 1 and str(key) in labels(tables[0]):
            column = str(key)
        elif isinstance(key, tuple):
            name, column = key
            tables = tuple(t for t in tables if name in (t.source, t.table, f"{t.source}::{t.table}"))
            if not tables:
                raise KeyError(
                    f"no such table{suggestion(name, [n for t in self.tables for n in (t.source, t.table) if n])}"
                )
        else:
            column = key
        if len(tables) > 1:
            raise KeyError('several tables: write report["table", "column"]')
        if not tables:
            raise KeyError("nothing was scanned")
        names = labels(tables[0])
        if isinstance(column, int) and 0 <= column < len(names):
            return tables[0].columns[column]
        if column in names:
            return tables[0].columns[names.index(str(column))]
        # The name asked for is not repeated: it may be a value.
        raise KeyError(f"no such column{suggestion(str(column), names)}")

    def pii_columns(self, *classes: Pii, table: str | None = None) -> list[str]:
        """The names of the columns that are of one of `classes` (by default direct, sensitive or quasi), or hold direct
        entities inside, where direct ones are asked for. With several tables, `table` names one. Raises KeyError."""
        from dataclasses import replace

        from piiscan.scanning.findings import findings

        tables = [t for t in self.tables if table in (None, t.source, t.table)]
        if len(tables) != 1:
            raise KeyError("several tables: name one with table=" if tables else "no such table")
        found = findings(replace(self.scan_report, tables=tuple(tables)))
        return list(dict.fromkeys(f.column or "" for f in found if f.pii in (classes or PERSONAL)))

    def raise_if(self, pii: FailOn = "direct", allow_incomplete: bool = False) -> None:
        """Raise `FindingsError` where there is a finding of class `pii` or stronger ("review": direct, or to be
        reviewed), and `ReadError` where something was not scanned, unless that is allowed. For a check in a
        pipeline."""
        from piiscan.report.verdict_words import count, listing, location
        from piiscan.scanning.findings import REVIEW, answerable, reaches

        if pii not in (*PERSONAL, "review"):
            raise ValueError("pii must be direct, review, sensitive or quasi")
        if not self.complete and not allow_incomplete:
            first = "; ".join(f"{location(n)}: {n.reason}" for n in self.not_scanned[:3])
            raise ReadError(f"{count(len(self.not_scanned), 'input')} not scanned: {first}")
        found = [f for f in answerable(self.scan_report) if reaches(f, pii)]
        if found:
            raise FindingsError(
                f"{count(len(found), 'finding')}: {listing((f'{f.column} ({f.entity or REVIEW})' for f in found), 300)}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The JSON report as plain Python data."""
        from piiscan.report.full_json import as_dict

        return as_dict(self.scan_report)

    def to_json(self) -> str:
        """The JSON report, schema version 1: what `piiscan scan -f json` prints."""
        from piiscan.report.full_json import dumps

        return dumps(self.scan_report)

    def to_frame(self) -> Any:
        """A frame with a row for each column: a pandas one where a pandas frame was scanned, else a polars one."""
        from piiscan.report.flat_csv import frame_columns

        data = frame_columns(self.scan_report)
        if self.pandas:
            return import_module("pandas").DataFrame(data)
        import polars

        return polars.DataFrame(data, infer_schema_length=None)

    def _facts(self) -> Iterator[Fact]:
        yield "tables", len(self.tables)
        yield "columns", len(self.columns)
        for pii in PERSONAL:
            yield pii, sum(c.pii == pii for c in self.columns)
        yield "to review", len(self.review)
        yield "complete", self.complete

    def __repr__(self) -> str:
        from piiscan.report.verdict_words import totals

        return f"<piiscan.Report {totals(self.scan_report)}{'' if self.complete else '; incomplete'}>"

    def _repr_html_(self) -> str:
        """For notebooks."""
        from html import escape

        from piiscan.report import table_rows, verdict_words

        head = "<tr><th>table</th><th>column</th><th>entity</th><th>class</th><th>confidence</th><th>why</th></tr>"
        rows = [
            (verdict_words.table_title(t), r.column, r.entity, r.pii, r.sure, r.why)
            for t in self.tables
            for r in table_rows.rows(t, {})
        ]
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        review = "".join(
            f"<li>{escape(verdict_words.table_title(t))}::{escape(column)}: {escape(doubt)}</li>"
            for t in self.tables
            for column, doubt in table_rows.to_review(t, {})
        )
        missed = "".join(
            f"<li>not scanned: {escape(verdict_words.location(n))}: {escape(verdict_words.printable(n.reason))}</li>"
            for n in self.not_scanned
        )
        total = f"<p>{escape(verdict_words.totals(self.scan_report))}</p>"
        lists = (f"<p>To review</p><ul>{review}</ul>" if review else "") + (f"<ul>{missed}</ul>" if missed else "")
        return f"<table>{head}{body}</table>{lists}{total}"
