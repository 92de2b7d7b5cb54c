"""The Python interface: the results of a scan."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from piiscan.api import configured
from piiscan.api.checks import Checks, raise_if
from piiscan.core.interface import speaks_python
from piiscan.core.results import Fact, RowsResult
from piiscan.core.types import ColumnReport, Finding, InReview, Pii, ScanReport, TableReport

if TYPE_CHECKING:
    from piiscan.core.types import InName, NotScanned
    from piiscan.scanning.findings import FailOn

PERSONAL: tuple[Pii, ...] = ("direct", "sensitive", "quasi")


@dataclass(frozen=True, repr=False)
class Report(RowsResult):
    """The results of a scan. It contains no cell values, so it may be printed, logged and stored.

    `report["email"]` is the verdict on a column: `.entity`, `.pii`, `.confidence`, `.pii_confidence`, `.reasons`,
    `.review`.
    """

    scan_report: ScanReport
    pandas: bool = field(default=False, compare=False)
    checks: Checks = field(default=Checks(), compare=False)

    @property
    def complete(self) -> bool:
        """Whether everything was scanned."""
        return self.scan_report.complete

    @property
    def tables(self) -> tuple[TableReport, ...]:
        """The verdicts on each table."""
        return self.scan_report.tables

    @property
    def columns(self) -> tuple[ColumnReport, ...]:
        """The columns of all tables, one table after the other."""
        return tuple(c for t in self.tables for c in t.columns)

    @property
    def in_names(self) -> tuple[InName, ...]:
        """Direct identifiers in the names of files, tables and columns; such names are shown as positions."""
        return self.scan_report.in_names

    @property
    def review(self) -> tuple[InReview, ...]:
        """The columns that a person should check, with the reasons."""
        return self.scan_report.review

    @property
    def not_scanned(self) -> tuple[NotScanned, ...]:
        """What could not be scanned, with the reasons."""
        return self.scan_report.not_scanned

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings: see `piiscan.scanning.findings.findings`. Doubtful columns are in `review`."""
        from piiscan.scanning.findings import findings

        return findings(self.scan_report)

    def __getitem__(self, key: str | int | tuple[str, str | int]) -> ColumnReport:
        """Return the column with a name or a number (from 0). Raises KeyError, with a suggestion.

        A repeated name is `name#2`, and so on; names that aren't text are matched by how they print. With several
        tables, write `report["orders.csv", "email"]`, with the source or the table's own name first; metadata and other
        texts beside the rows of the only one, such as `report["metadata", "value"]`, don't count as another.
        """
        from piiscan.rules.definitions import suggestion
        from piiscan.scanning.findings import labels

        tables = self.tables
        column: str | int
        if isinstance(key, tuple) and len(own := _own(tables)) == 1 and str(key) in labels(own[0]):
            column, tables = str(key), own
        elif isinstance(key, tuple):
            name, column = key
            tables = tuple(t for t in tables if name in (*_names(t), t.table))
            if not tables:
                raise KeyError(
                    f"no such table{suggestion(name, [n for t in self.tables for n in (t.source, t.table) if n])}"
                )
        else:
            column = key
        if len(tables) > 1 and len(tables := _own(tables)) > 1:
            raise KeyError('several tables: write report["table", "column"]')
        if not tables:
            raise KeyError("nothing was scanned")
        names = labels(tables[0])
        if isinstance(column, int) and 0 <= column < len(names):
            return tables[0].columns[column]
        if column in names:
            return tables[0].columns[names.index(str(column))]
        # The requested name is not repeated: it may be a value.
        raise KeyError(f"no such column{suggestion(str(column), names)}")

    def pii_columns(self, *classes: Pii, table: str | None = None) -> list[str]:
        """Return the names of the columns of one of `classes` (by default direct, sensitive or quasi).

        Columns with direct entities inside are included if direct ones are requested. With several tables, `table`
        names one; metadata and other texts beside the rows of the only one count as another if something is found in
        them.
        Raises KeyError.
        """
        from piiscan.scanning.findings import findings

        tables = [t for t in self.tables if table in (None, t.table, *_names(t))]
        report = replace(self.scan_report, reserved_count=True)
        own = _own(tables)
        found = [
            columns
            for t in tables
            if (columns := [f for f in findings(replace(report, tables=(t,))) if f.pii in (classes or PERSONAL)])
            or t in own
        ]
        if len(found) != 1:
            raise KeyError("several tables: name one with table=" if tables else "no such table")
        return list(dict.fromkeys(f.column or "" for f in found[0]))

    @speaks_python
    def raise_if(
        self,
        pii: FailOn | None = None,
        allow_incomplete: bool = False,
        *,
        allow: Iterable[Mapping[str, Any]] = (),
        against: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        config: str | os.PathLike[str] | bool | None = None,
    ) -> None:
        """Raise `FindingsError` or `ReadError` if the report isn't acceptable, for a check in a pipeline.

        `FindingsError` is for a finding of class `pii` or stronger ("review": direct, or to be reviewed), `ReadError`
        for data that was not scanned, unless that is allowed.

        pii: by default as configured (`fail_on`), "quasi" with a contract, else "direct".
        allow: findings that you accept, as entries of `[[allow]]`: `[{"column": "mail", "reason": "ours"}]`. Entries
        with a domain or a network are for the scan: `piiscan.scan(…, allow=…)`.
        against: a contract, which says what columns may contain; other findings count. A mapping, or the path of a
        TOML file with one: `{"email": "EMAIL_ADDRESS", "note": ["FREE_TEXT", "quasi"]}`, by entities, subtypes and
        classes, "none" for none; for several tables, such mappings by their names. Or the path of a baseline
        (`.jsonl`).
        config: the configuration whose `fail_on`, `[[allow]]` and `baseline` count: a path, or True for the one in
        this folder; by default that of the scan.

        >>> import piiscan
        >>> report = piiscan.scan([{"ssn": "219-09-9999"}, {"ssn": "219-09-9998"}])
        >>> report.raise_if(against={"ssn": "US_SSN"})
        """
        checks = self.checks if config is None else self.checks._replace(config=configured.config_of(config))
        raise_if(self.scan_report, checks, pii, allow_incomplete, allow, against)

    def to_dict(self) -> dict[str, Any]:
        """The JSON report as plain Python data."""
        from piiscan.report.full_json import as_dict

        return as_dict(self.scan_report)

    def to_json(self) -> str:
        """Return the JSON report, schema version 1: the output of `piiscan scan -f json`."""
        from piiscan.report.full_json import dumps

        return dumps(self.scan_report)

    def to_frame(self) -> Any:
        """Return a frame with a row for each column: a pandas one if a pandas frame was scanned, else a polars one."""
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
        """Render the report for notebooks."""
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
        unfilled = [
            f"{verdict_words.table_title(t)}: {verdict_words.unfilled(t)}" for t in self.tables if t.is_unfilled
        ]
        empty = "".join(f"<li>{verdict_words.UNFILLED}: {escape(text)}</li>" for text in unfilled)
        total = f"<p>{escape(verdict_words.totals(self.scan_report))}</p>"
        lists = (f"<p>To review</p><ul>{review}</ul>" if review else "") + (
            f"<ul>{missed}{empty}</ul>" if missed or empty else ""
        )
        return f"<table>{head}{body}</table>{lists}{total}"


def _own(tables: Sequence[TableReport]) -> tuple[TableReport, ...]:
    """Return the tables that aren't beside the rows of others; all of them where there is nothing else."""
    from piiscan.io.asides import is_aside

    return tuple(t for t in tables if not is_aside(t)) or tuple(tables)


def _names(table: TableReport) -> Iterator[str]:
    """Return the names of a table: its source and, for a data set, also those of its files."""
    for source in {table.source, *table.sources}:
        yield source
        yield f"{source}::{table.table}"
