"""The report as GitHub-flavoured Markdown, for a comment on a pull request or a wiki page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from piiscan.entities import PII_CLASS
from piiscan.findings import labels
from piiscan.report import words
from piiscan.types import ColumnReport, TableReport

if TYPE_CHECKING:
    from piiscan.findings import Judged
    from piiscan.report import Style
    from piiscan.rules import RuleSet


def render(judged: Judged, rules: RuleSet, style: Style) -> str:
    return "\n".join(_lines(judged)) + "\n"


def _lines(judged: Judged) -> Iterator[str]:
    report = judged.report
    silenced = {(f.source, f.table, f.index, f.rule): why for f, why in judged.silenced}
    yield "# Personal data"
    yield ""
    yield f"{words.totals(report)}."
    if report.skipped:
        yield f"{words.count(report.skipped, 'file')} skipped: of kinds that hold no data."
    if not report.complete:
        yield f"**Incomplete: {words.count(len(report.not_scanned), 'input')} not scanned, or not to the end.**"
    for table in report.tables:
        rows = [row for c, label in zip(table.columns, labels(table), strict=True) for row in _rows(table, c, label, silenced)]
        if rows:
            sample = ", a sample" if table.sampled is not None and table.rows >= table.sampled else ""
            yield ""
            yield f"## {escape(words.table_title(table))}"
            yield ""
            yield f"{table.format}, {words.count(table.rows, 'row')}{sample}, {words.count(len(table.columns), 'column')}"
            yield ""
            yield "| Column | Entity | Class | Confidence | Why |"
            yield "|---|---|---|---:|---|"
            yield from rows
    if report.not_scanned:
        yield ""
        yield "## Not scanned"
        yield ""
        yield from (f"- {escape(words.place(n))}: {escape(n.reason)}" for n in report.not_scanned)


def _rows(table: TableReport, column: ColumnReport, label: str, silenced: dict[tuple[str, str | None, int, str], str]) -> Iterator[str]:
    def note(rule: str | None) -> str:
        why = silenced.get((table.source, table.table, column.index, rule or "user"))
        return f" [{why}]" if why else ""

    if column.pii != "none" and column.entity is not None:
        entity = f"{column.entity} {column.subtype}" if column.subtype else column.entity
        yield _row(label, entity, column.pii, words.sure(column.confidence), words.short(column) + note(column.rule))
    for entry in column.inside:
        entity = f"{entry.entity} {entry.subtype}" if entry.subtype else entry.entity
        yield _row(label, entity, PII_CLASS.get(entry.entity, "none"), "", words.inside(entry) + note(entry.rule))


def _row(*cells: str) -> str:
    return f"| {' | '.join(map(escape, cells))} |"


def escape(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    return re.sub(r"([\\`*\[\]<>|#~&$@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", words.printable(text))
