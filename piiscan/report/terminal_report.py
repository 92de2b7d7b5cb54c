"""The report for a terminal: personal columns file by file, and the rest in one line.

Apart from the data's names it is ASCII; lines are wrapped, not cut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from piiscan.core.display_width import columns_of, width
from piiscan.core.types import ScanReport, TableReport
from piiscan.report import table_rows as rows_of
from piiscan.report import verdict_words
from piiscan.report.table_rows import Row
from piiscan.scanning.data_sets import each_file
from piiscan.scanning.findings import ByPlan, labels, names_found

if TYPE_CHECKING:
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport

HEADINGS = ("column", "entity", "class", "sure", "why")
COLORS = {"direct": "red", "sensitive": "magenta", "quasi": "yellow"}
CLEAN_TABLES = 10
"""How many tables without personal columns are named."""
ALIKE = 20
"""How many inputs that weren't scanned for the same reason are named."""
GAP = "  "
NARROW = 60
"""Below this width there is no room for a grid: the details of a column are written under its name."""


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    if style.each_file:
        judged = judged._replace(report=each_file(judged.report))
    report, news = judged.report, judged.news
    lines = _tables(judged, style) if news is None else _news(judged, news, style)
    if in_names := list(_in_names(judged, news, style)):
        lines += [_paint("Identifiers in names", style, bold=True), *in_names, ""]
    if report.not_scanned:
        lines += [_paint("Not scanned", style, fg="red", bold=True), *_not_scanned(report, style), ""]
    if news is not None and style.verbose and (known := list(rows_of.known(judged))):
        lines += [_paint("Known", style, bold=True)]
        lines += [*(part for line in known for part in fold(line, style.width, "  ")), ""]
    lines += [line for text in _summary(judged, style) for line in fold(text, style.width)]
    return "\n".join(lines) + "\n"


def _tables(judged: JudgedReport, style: Style) -> list[str]:
    """Yield everything that is personal, table by table, and the tables without personal data."""
    remarks = rows_of.remarks(judged)
    lines: list[str] = []
    clean: list[TableReport] = []
    empty: list[TableReport] = []
    tables = judged.report.tables
    groups = [[t] for t in tables] if style.each_file else rows_of.alike(tables, remarks)
    for table, *others in groups:
        rows, review = list(rows_of.rows(table, remarks)), list(rows_of.to_review(table, remarks))
        if rows or review:
            rest = _rest(table, {row.column for row in rows} | {column for column, _ in review}, style)
            lines += _table(table, rows, review, rest, style, others)
        elif table.is_unfilled:
            empty += [table, *others]
        elif table.complete:  # what was not read to its end can't be called clean; it is listed below, with the reason
            clean += [table, *others]
    return [*lines, *_clean(clean, judged.report, style), *_unfilled(empty, style)]


def _news(judged: JudgedReport, news: rows_of.News, style: Style) -> list[str]:
    """Yield the findings that the baseline doesn't know, table by table."""
    remarks = rows_of.remarks(judged)
    lines: list[str] = []
    for table in judged.report.tables:
        rows = list(rows_of.rows(table, remarks, news))
        review = list(rows_of.to_review(table, remarks, news))
        if rows or review:
            lines += _table(table, rows, review, [], style)
    return [_paint("Not in the baseline" if news else verdict_words.NOTHING_NEW, style, bold=True), "", *lines]


def _table(
    table: TableReport,
    rows: list[Row],
    review: list[tuple[str, str]],
    rest: list[str],
    style: Style,
    others: Sequence[TableReport] = (),
) -> list[str]:
    show = _grid if style.width >= NARROW else _stack
    return [
        *_heading(table, style),
        *(show(rows, style) if rows else ()),
        *_to_review(review, style),
        *rest,
        *_notes(table, style),
        *(fold(rows_of.like_it(others), style.width, "  ") if others else ()),
        "",
    ]


def _clean(found: Sequence[TableReport], report: ScanReport, style: Style) -> Iterator[str]:
    """Yield the names of the first tables in which there is nothing personal.

    Those with an identifier in one of their names are listed below. A table without a name is only a part of a file
    that has other tables too.
    """
    in_names = {name.source for name in report.names}
    tables = [t for t in found if not t.in_names and in_names.isdisjoint((t.source, *(m.source for m in t.members)))]
    if not tables:
        return
    places = [*((t.source, t.table) for t in report.tables), *((n.source, n.table) for n in report.not_scanned)]
    has_names = {source for source, name in places if name is not None}
    limited = report.selected or report.ignored
    yield _paint("Nothing of what was looked for in" if limited else "Nothing personal in", style, bold=True)
    for table in tables[:CLEAN_TABLES]:
        part = " (outside its other tables)" if table.table is None and table.source in has_names else ""
        title = f"{verdict_words.table_title(table)}{part}  {verdict_words.size(table)}"
        yield from fold(title, style.width, "  ")
        yield from _notes(table, style)
    if len(tables) > CLEAN_TABLES:
        yield f"  and {len(tables) - CLEAN_TABLES} more"
    yield ""


def _unfilled(tables: Sequence[TableReport], style: Style) -> Iterator[str]:
    """Yield the first tables without a filled cell. Nothing is known of them but what their headers name."""
    if not tables:
        return
    yield _paint(verdict_words.UNFILLED.capitalize(), style, bold=True)
    for table in tables[:CLEAN_TABLES]:
        yield from fold(f"{verdict_words.table_title(table)}  {verdict_words.unfilled(table)}", style.width, "  ")
        yield from _notes(table, style)
    if len(tables) > CLEAN_TABLES:
        yield f"  and {len(tables) - CLEAN_TABLES} more"
    yield ""


def _heading(table: TableReport, style: Style) -> Iterator[str]:
    subject = "" if table.subject is None or table.is_text else f", a row is {_article(table.subject)}"
    title, size = verdict_words.table_title(table), f"{verdict_words.size(table)}{subject}"
    if width(title) + len(GAP) + len(size) <= style.width:
        yield f"{_paint(title, style, bold=True)}{GAP}{size}"
    else:
        yield from (_paint(line, style, bold=True) for line in fold(title, style.width))
        yield from fold(size, style.width, "  ")


def _article(subject: str) -> str:
    return f"{'an' if subject[0] in 'aeiou' else 'a'} {subject}"


def _to_review(review: list[tuple[str, str]], style: Style) -> Iterator[str]:
    """Yield the columns that a person should check, and why."""
    if review:
        yield f"  {_paint('To review', style, bold=True)}"
    for column, doubt in review:
        yield from fold(f"{column}: {doubt}", style.width, "    ")


def _rest(table: TableReport, shown: set[str], style: Style) -> list[str]:
    rest = [name for name in map(verdict_words.printable, labels(table)) if name not in shown]
    if not rest:
        return []
    start = f"{verdict_words.count(len(rest), 'other column')}: "
    return fold(start + verdict_words.listing(rest, 2 * style.width - len(start) - 12), style.width, "  ")


def _in_names(judged: JudgedReport, news: rows_of.News, style: Style) -> Iterator[str]:
    silenced = {
        (f.source, f.table, f.column, f.rule): f" [{verdict_words.printable(why)}]" for f, why in judged.silenced
    }
    for finding in names_found(judged.report):
        if not rows_of.is_news(finding, news):
            continue
        location = "::".join(filter(None, (finding.source, finding.table, finding.column)))
        why = silenced.get((finding.source, finding.table, finding.column, finding.rule), "")
        if finding.quiet and not judged.report.reserved_count:
            why = f" [{verdict_words.RESERVED}]"
        text = f"{verdict_words.printable(location)}: {finding.subtype or finding.entity}{why}"
        yield from fold(text, style.width, "  ")


def _not_scanned(report: ScanReport, style: Style) -> Iterator[str]:
    """Yield a line for each input; for many with the same reason, the first few and their number."""
    reasons = Counter(entry.reason for entry in report.not_scanned)
    shown: Counter[str] = Counter()
    for entry in report.not_scanned:
        shown[entry.reason] += 1
        if shown[entry.reason] <= ALIKE:
            yield from fold(
                f"{verdict_words.location(entry)}: {verdict_words.printable(entry.reason)}", style.width, "  "
            )
        elif shown[entry.reason] == reasons[entry.reason]:
            yield from fold(
                f"and {reasons[entry.reason] - ALIKE:,} more: {verdict_words.printable(entry.reason)}",
                style.width,
                "  ",
            )


def _notes(table: TableReport, style: Style) -> Iterator[str]:
    """Yield what the reader was unsure about."""
    for note in table.notes:
        yield from fold(f"Note: {verdict_words.printable(note)}", style.width, "  ")


def _grid(rows: list[Row], style: Style) -> Iterator[str]:
    """Yield the lines of a table as wide as `style.width` allows.

    Names are folded first, then entities; the last column gets the rest.
    """
    table = [(row.column, row.entity, row.pii, row.sure, row.why) for row in rows]
    widths = [max(width(cells[i]) for cells in (HEADINGS, *table)) for i in range(5)]
    room = style.width - len(GAP) * 5
    longest = max(width(word) for row in rows for word in row.entity.split())
    widths[0] = min(widths[0], max(12, (room - sum(widths[1:4])) // 2, room - sum(widths[1:])))
    widths[1] = min(widths[1], max(longest, room - widths[0] - sum(widths[2:])))
    widths[4] = max(12, min(widths[4], room - sum(widths[:4])))
    yield _paint(_line(HEADINGS, widths), style, dim=True)
    above = None
    for name, *others in table:
        # The name is written once, above everything found in its column.
        cells = [fold(cell, w) for cell, w in zip(("" if name == above else name, *others), widths, strict=True)]
        above = name
        for n in range(max(map(len, cells))):
            parts = [cell[n] if n < len(cell) else "" for cell in cells]
            yield _line(parts, widths, style, COLORS.get(others[1]))


def _stack(rows: list[Row], style: Style) -> Iterator[str]:
    """Yield the same as `_grid` for a narrow terminal: a column's name, and below it what it is and why."""
    above = None
    for row in rows:
        if row.column != above:
            yield from fold(row.column, style.width, "  ")
        above = row.column
        what = ", ".join(part for part in (row.entity, row.pii, row.sure) if part)
        yield from (_paint(line, style, fg=COLORS.get(row.pii)) for line in fold(what, style.width, "    "))
        yield from fold(row.why, style.width, "      ")


def _line(parts: Sequence[str], widths: list[int], style: Style | None = None, color: str | None = None) -> str:
    padding = [" " * (w - width(part)) for part, w in zip(parts, widths, strict=True)]
    shown = [
        _paint(part, style, fg=color) if style and color and part and i in (1, 2) else part
        for i, part in enumerate(parts)
    ]
    padded = [part + more for part, more in zip(shown, padding, strict=True)]
    return f"  {GAP.join(padded)}".rstrip()


def _explained(by_plan: ByPlan) -> Iterator[str]:
    if by_plan.checked:
        yield (
            f"{verdict_words.count(by_plan.checked, 'finding')} in columns whose cells are in their operator's range."
        )
    if by_plan.believed:
        yield (
            f"{verdict_words.count(by_plan.believed, 'finding')} taken as surrogates because the plan says so: "
            "names and texts don't show whether they were masked. `piiscan verify` compares them with the "
            "originals."
        )


def _summary(judged: JudgedReport, style: Style) -> Iterator[str]:
    report = judged.report
    yield f"{verdict_words.totals(report)}."
    if (limited := verdict_words.looked_for(report)) is not None:
        yield limited
    if any(table.members for table in report.tables):
        yield "Files of one table are shown as one; --each-file shows each."
    more = "" if judged.baseline is None or style.verbose else " (-v lists them)"
    if configured := len(judged.silenced) - sum(judged.by_plan):
        yield f"{verdict_words.count(configured, 'finding')} silenced by the configuration or the baseline{more}."
    yield from _explained(judged.by_plan)
    if (changed := verdict_words.since_baseline(judged.baseline)) is not None:
        yield changed
    if (skipped := verdict_words.skipped(report.skipped_kinds)) is not None:
        yield skipped
    if report.not_scanned:
        yield (
            f"Incomplete: {verdict_words.count(len(report.not_scanned), 'input')} not scanned completely; see above."
        )
    elif not report.complete:
        yield "Incomplete: not every table was read to its end."


def fold(text: str, limit: int, indent: str = "") -> list[str]:
    """Wrap `text` in lines of at most `limit` columns with `indent`.

    Words that are too long break after punctuation, or anywhere.
    """
    limit = max(limit - width(indent), 8)
    lines: list[str] = []
    line = ""
    for word in re.findall(r"\S+\s*", text.strip()):
        for piece in [word] if width(word.rstrip()) <= limit else re.findall(r"[^_./:,\-]*[_./:,\-]?", word):
            if line and width(line) + width(piece.rstrip()) > limit:
                lines.append(line)
                line = ""
            while width(piece.rstrip()) > limit:
                cut = _fitting(piece, limit)
                lines.append(piece[:cut])
                piece = piece[cut:]
            line += piece
    if line or not lines:
        lines.append(line)
    return [indent + entry.rstrip() for entry in lines]


def _fitting(text: str, limit: int) -> int:
    """Return how many characters of `text` fit into `limit` columns, at least one."""
    used = 0
    for i, c in enumerate(text):
        used += columns_of(c)
        if used > limit:
            return max(i, 1)
    return len(text)


def _paint(text: str, style: Style, fg: str | None = None, bold: bool | None = None, dim: bool | None = None) -> str:
    if not style.color:
        return text
    from click import style as paint

    return paint(text, fg=fg, bold=bold, dim=dim)
