"""GitHub workflow commands: an annotation for each finding that isn't accepted yet.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions. GitHub shows ten annotations of a
level for each step, so the strongest come first.
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from piiscan.report import table_rows, verdict_words
from piiscan.scanning.findings import REVIEW, container, rank, relative

if TYPE_CHECKING:
    from piiscan.core.types import Finding, TableReport
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport

LEVELS = {"direct": "error", "sensitive": "warning", "quasi": "notice", "none": "notice"}


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    lines: list[str] = []
    news = judged.news
    groups = [] if news is not None or style.each_file else _alike(judged)
    first = {_key(table): others for table, *others in groups}
    repeated = {_key(table) for others in first.values() for table in others}
    for finding in sorted(judged.open, key=lambda f: (not table_rows.is_news(f, news), -rank(f))):
        place = (finding.source, finding.table)
        if place in repeated and not finding.in_name:
            continue
        file, _ = container(relative(finding.member or finding.source, judged.base))
        properties = {"file": file, "line": str(line(finding, judged)), "title": _title(finding)}
        others = () if finding.in_name else first.get(place, ())
        more = f" {table_rows.like_it(others)}." if others else ""
        lines.append(_command(LEVELS[finding.pii], properties, message(finding) + more))
    for entry in judged.report.not_scanned:
        path = relative(entry.source, judged.base)
        text = f"{verdict_words.location(entry, path)}: {verdict_words.printable(entry.reason)}"
        lines.append(_command("error", {"file": container(path)[0], "title": "Not scanned"}, text))
    if news is not None and style.verbose:
        lines += [f"Known: {line}" for line in table_rows.known(judged)]
    if (limited := verdict_words.looked_for(judged.report)) is not None:
        lines.append(limited)
    if (skipped := verdict_words.skipped(judged.report.skipped_kinds)) is not None:
        lines.append(skipped)
    if (changed := verdict_words.since_baseline(judged.baseline)) is not None:
        lines.append(changed)
    lines.append(verdict_words.totals(judged.report) + ("" if judged.report.complete else "; incomplete") + ".")
    return "\n".join(lines) + "\n"


def _alike(judged: JudgedReport) -> list[list[TableReport]]:
    return table_rows.alike(judged.report.tables, table_rows.remarks(judged))


def _key(table: TableReport) -> tuple[str, str | None]:
    return table.source, table.table


def _title(finding: Finding) -> str:
    if finding.rule == REVIEW:
        return f"{finding.entity}? To review" if finding.entity else "To review"
    return f"{finding.entity} ({finding.pii})"


def message(finding: Finding) -> str:
    """Say in a sentence what was found and where, without any value."""
    if finding.in_name:
        return (
            f"{verdict_words.in_name(finding)} contains {finding.subtype or finding.entity}; it is shown as its "
            "position."
        )
    where = f"Column {verdict_words.printable(finding.column or '')}"
    if finding.table is not None:
        where += f" of {verdict_words.printable(finding.table)}"
    if finding.member is not None:
        where += f" of the files {verdict_words.printable(PurePosixPath(finding.source).name)}"
    what = f"{finding.entity} ({finding.subtype})" if finding.subtype else finding.entity
    doubt = "; ".join(finding.review)
    if finding.rule == REVIEW:
        taken_for = f"{what}, {verdict_words.CLASSES['none']}" if what else verdict_words.CLASSES["none"]
        return f"{where} is probably {taken_for}, but this is doubtful: {doubt}."
    if finding.inside:
        return (
            f"{where} contains {what} in {verdict_words.count(finding.cells, 'cell')} "
            f"({verdict_words.percent(finding.share)} of the filled ones)."
        )
    is_a = f"{where} is {what}, {verdict_words.CLASSES[finding.pii]}"
    text = f"{is_a}: {verdict_words.count(finding.cells, 'cell')}, {verdict_words.sure(finding.confidence)} sure."
    return f"{text} To review: {doubt}." if doubt else text


def line(finding: Finding, judged: JudgedReport) -> int:
    """Return the line of a finding in its file, from 1: its first row below the header, if rows are lines; else 1."""
    if finding.in_name:
        return 1
    table = next(t for t in judged.report.tables if (t.source, t.table) == (finding.source, finding.table))
    if (
        table.format not in ("csv", "tsv", "jsonl", "text", "code")
        or not finding.first_rows
        or container(finding.member or finding.source)[1] is not None
    ):
        return 1
    return finding.first_rows[0] + 1 + (1 if table.header and table.format != "jsonl" else 0)


def _command(level: str, properties: dict[str, str], text: str) -> str:
    pairs = ",".join(f"{key}={_escape(value, ',:')}" for key, value in properties.items())
    return f"::{level} {pairs}::{_escape(text)}"


def _escape(text: str, more: str = "") -> str:
    """Escape a text for workflow commands, including control characters, which a log would obey."""
    return "".join(
        f"%{ord(c):02X}" if c in "%\r\n" + more or unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text
    )
