"""The report as GitHub-flavoured Markdown, for a comment on a pull request or a wiki page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from piiscan.report import table_rows as rows
from piiscan.report import verdict_words
from piiscan.scanning.data_sets import each_file
from piiscan.scanning.findings import names_found

if TYPE_CHECKING:
    from piiscan.core.types import Finding, TableReport
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    return "\n".join(_lines(judged, style)) + "\n"


def _lines(judged: JudgedReport, style: Style) -> Iterator[str]:
    report, news = each_file(judged.report) if style.each_file else judged.report, judged.news
    remarks = rows.remarks(judged)
    yield "# Personal data"
    yield ""
    yield f"{verdict_words.totals(report)}."
    if (limited := verdict_words.looked_for(report)) is not None:
        yield limited
    if (changed := verdict_words.since_baseline(judged.baseline)) is not None:
        yield changed
    if (skipped := verdict_words.skipped(report.skipped_kinds)) is not None:
        yield skipped
    if not report.complete:
        yield f"**Incomplete: {verdict_words.count(len(report.not_scanned), 'input')} not scanned completely.**"
    if news is not None:
        yield ""
        yield "**Not in the baseline:**" if news else f"**{verdict_words.NOTHING_NEW}.**"
    groups = [[t] for t in report.tables] if style.each_file or news else rows.alike(report.tables, remarks)
    for group in groups:
        yield from _tables(group, remarks, news)
    yield from _unfilled(report.tables, news)
    yield from _in_names([f for f in names_found(report) if rows.is_news(f, news)])
    if report.not_scanned:
        yield ""
        yield "## Not scanned"
        yield ""
        yield from (f"- {escape(verdict_words.location(n))}: {escape(n.reason)}" for n in report.not_scanned)
    if news is not None and style.verbose and (known := list(rows.known(judged))):
        yield from title("## Known")
        yield from (f"- {escape(line)}" for line in known)


def _unfilled(tables: Sequence[TableReport], news: rows.News) -> Iterator[str]:
    """List the tables without a filled cell, unless only what is new is shown."""
    empty = [t for t in tables if t.is_unfilled and news is None]
    if empty:
        yield from title(f"## {verdict_words.UNFILLED.capitalize()}")
        yield from (f"- {escape(f'{verdict_words.table_title(t)}: {verdict_words.unfilled(t)}')}" for t in empty)


def _in_names(found: Sequence[Finding]) -> Iterator[str]:
    if found:
        yield from title("## Identifiers in names")
    for f in found:
        nobodys = f" [{verdict_words.RESERVED}]" if f.quiet else ""
        yield f"- {escape(verdict_words.in_name(f))}: {f.subtype or f.entity}{escape(nobodys)}"


def _tables(alike: Sequence[TableReport], remarks: rows.Remarks, news: rows.News) -> Iterator[str]:
    """Group the tables with the same results: the first, and the names of the others."""
    table, *others = alike
    shown = list(rows.rows(table, remarks, news))
    review = list(rows.to_review(table, remarks, news))
    if not shown and not review:
        return
    yield from title(f"## {escape(verdict_words.table_title(table))}")
    yield verdict_words.size(table)
    if shown:
        yield ""
        yield "| Column | Entity | Class | Confidence | Why |"
        yield "|---|---|---|---:|---|"
        yield from (_row(r.column, r.entity, r.pii, r.sure, r.why) for r in shown)
    if review:
        yield from title("### To review")
        yield from (f"- {escape(column)}: {escape(doubt)}" for column, doubt in review)
    yield from (f"\nNote: {escape(note)}" for note in table.notes)
    if others:
        yield f"\n{escape(rows.like_it(others))}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(map(escape, cells))} |"


def escape(text: str) -> str:
    """Escape text so that Markdown and HTML leave it as it is."""
    return re.sub(r"([\\`*\[\]<>|#~&$@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))", r"\\\1", verdict_words.printable(text))


def title(text: str) -> tuple[str, str, str]:
    """Return a heading with its empty lines."""
    return "", text, ""


def grid(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> Iterator[str]:
    """Return a table; its cells are Markdown already. `numbers`: which columns are aligned to the right."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "|".join("---:" if i in numbers else "---" for i in range(len(head))) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
