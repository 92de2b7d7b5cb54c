"""Verdicts in words: a short phrase for a table's cell, a sentence for `piiscan explain`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import ColumnReport, Finding, Inside, NotScanned, Place, Reason, ScanReport, TableReport

if TYPE_CHECKING:
    from piiscan.scanning.findings import BaselineChanges

_SHORT = {
    "header": "header", "checksum": "checksum", "values": "values", "neighbour": "other columns", "subject": "subject",
    "user": "your configuration", "encoded": "Base64",
}  # fmt: skip
_INTRO = {
    "rule": "Its cells",
    "checksum": "Check digits",
    "header": "Its header",
    "values": "Its values",
    "neighbour": "The other columns",
    "subject": "What a row is about",
    "model": "The model",
    "user": "Your configuration",
    "dataset": "The data set",
    "encoded": "Its cells",
}

CLASSES = {
    "direct": "a direct identifier",
    "quasi": "a quasi-identifier",
    "sensitive": "a sensitive attribute",
    "none": "nothing personal",
}

NOTHING_NEW = "Nothing new since the baseline"
UNFILLED = "without a filled cell"
RESERVED = "reserved, not personal"
"""Marks values reserved for documents, tests and private networks."""
ROWS_SHOWN = 3


def percent(share: float) -> str:
    """Return a share of 0 to 1, rounded down, so that 100% means all: 0.98765 → "98.7%", 0.0001 → "<0.1%"."""
    if 0 < share < 0.001:
        return "<0.1%"
    tenths = math.floor(share * 1000 + 1e-9)
    return f"{tenths // 10}%" if tenths % 10 == 0 else f"{tenths / 10}%"


def sure(confidence: float) -> str:
    """Return a confidence in whole percents, rounded down: 0.98765 → "98%"."""
    return f"{math.floor(confidence * 100 + 1e-9)}%"


def count(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: "1 row", "1,000 rows"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def printable(text: str) -> str:
    """Remove control characters and line ends, which headers may contain and a terminal would obey."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def short(column: ColumnReport) -> str:
    """Return the reasons in a few words: "98.8% match, checksum, header"."""
    words: list[str] = []
    for reason in column.reasons:
        if reason.by == "rule" and reason.share is not None:
            word = f"{percent(reason.share)} match"
        elif reason.by == "model" and reason.p is not None:
            word = f"model {percent(reason.p)}"
        else:
            word = _SHORT.get(reason.by, reason.by)
        if word not in words:
            words.append(word)
    return ", ".join(words)


def of_nobody(column: ColumnReport) -> str | None:
    """Return why an identifier belongs to no person: "not of persons: rows are about organisations".

    None for any other column.
    """
    if column.pii != "none" or PII_CLASS.get(column.entity or "") != "direct":
        return None
    said = [reason.text for reason in column.reasons if reason.by == "subject" and reason.text]
    why = said[-1] if said else short(column)
    return f"not of persons: {why.removesuffix(', not persons').removesuffix(', not of persons')}"


def in_review(column: ColumnReport) -> str:
    """Return what a column in review is recognised as, and the doubt: "IP_ADDRESS, nothing personal (62% sure): …"."""
    what = f"{column.entity or 'no entity'}, {CLASSES[column.pii]} ({sure(column.pii_confidence)} sure)"
    return f"{what}: {'; '.join(column.review)}"


def to_review(names: Sequence[str]) -> str:
    """Return the columns that a person should check: "2 columns whose class is in doubt: contact, code"."""
    return f"{count(len(names), 'column')} whose class is in doubt: {', '.join(map(printable, names))}"


def inside(entry: Inside, lines: bool = False) -> str:
    """Return how many cells, and where: "inside 12 cells, rows 17, 90, 94 ...".

    `lines`: for a text, whose lines have numbers from 1, as in an editor: "inside 12 lines, lines 18, 91, 95 ...".
    """
    text = f"inside {count(entry.cells, 'line' if lines else 'cell')}"
    if entry.sampled:
        text += " of a sample"
    if entry.first_rows:
        shown = ", ".join(str(row + lines) for row in entry.first_rows[:ROWS_SHOWN])
        more = " ..." if entry.cells > len(entry.first_rows[:ROWS_SHOWN]) else ""
        noun = "line" if lines else "row"
        text += f", {noun if entry.cells == 1 else noun + 's'} {shown}{more}"
    elif entry.first_places:
        shown = ", ".join(map(_place, entry.first_places[:ROWS_SHOWN]))
        more = " ..." if entry.cells > len(entry.first_places[:ROWS_SHOWN]) else ""
        text += f", {shown}{more}"
    return text


def _place(place: Place) -> str:
    return f"row {place.row} of {f'part {place.part}' if place.file is None else printable(place.file)}"


def size(table: TableReport) -> str:
    """Return format and size: "csv, 150 rows, 12 columns"; "text, 8 lines"."""
    noun = "line" if table.is_text else "row"
    rows = count(table.rows, noun) + ("" if table.complete else " so far (incomplete)")
    if table.sampled is not None and table.rows >= table.sampled:
        rows = f"first {count(table.rows, noun)} (a sample)"
    files = f"{count(len(table.members), 'file')}, " if table.members else ""
    columns = "" if table.is_text else f", {count(len(table.columns), 'column')}"
    return f"{table.format}, {files}{rows}{columns}"


def sentence(reason: Reason) -> str:
    """Return one piece of evidence as a sentence."""
    parts: list[str] = []
    if reason.cells is not None:
        share = "" if reason.share is None else f", {percent(reason.share)} of the filled ones"
        parts.append(f"{count(reason.cells, 'cell')}{share}")
    elif reason.share is not None:
        parts.append(f"{percent(reason.share)} of the filled cells")
    if reason.chance is not None:
        parts.append(f"chance alone would give {percent(reason.chance)}")
    if reason.p is not None:
        parts.append(f"probability {percent(reason.p)}")
    if reason.text is not None:
        parts.insert(0, reason.text)
    about = f" ({reason.id})" if reason.id else ""
    return f"{_INTRO.get(reason.by, reason.by)}{about}" + (f": {'; '.join(parts)}." if parts else " says so.")


def table_title(table: TableReport) -> str:
    """Return the source, and the table within it if it has several."""
    return printable(table.source if table.table is None else f"{table.source}::{table.table}")


def location(entry: NotScanned, source: str | None = None) -> str:
    """Return where something was not scanned: source (or its other spelling), table and column as far as known."""
    return printable("::".join(p for p in (source or entry.source, entry.table, entry.column) if p is not None))


def in_name(finding: Finding) -> str:
    """Return whose name a finding is in: "The file name of data/file_3.csv", "The name of column_3"."""
    where = finding.column or ""
    if finding.index < 0:
        return f"The {where} of {printable(finding.source)}"
    return f"The {printable(where)}"


def skipped(kinds: Iterable[tuple[str, int]]) -> str | None:
    """Return what was skipped, by kind.

    Examples: "4 files or folders skipped, not looked at: picture (3), left out by .gitignore (1).", "1 file or folder
    skipped, not looked at: picture.".

    Empty if nothing was.
    """
    counted = list(kinds)
    if not counted:
        return None
    total = count(sum(n for _, n in counted), "file or folder", "files or folders")
    each = counted[0][0] if len(counted) == 1 else ", ".join(f"{kind} ({n:,})" for kind, n in counted)
    return f"{total} skipped, not looked at: {each}."


def totals(report: ScanReport) -> str:
    """Return the counts in a line.

    Example: "3 tables, 42 columns: 5 direct, 0 sensitive, 4 quasi, 33 none; 2 of them with direct values inside".
    """
    columns = [c for t in report.tables for c in t.columns]
    classes = [c.pii for c in columns]
    counts = ", ".join(f"{classes.count(pii):,} {pii}" for pii in ("direct", "sensitive", "quasi", "none"))
    holding = sum(c.pii != "direct" and any(PII_CLASS.get(i.entity) == "direct" for i in c.inside) for c in columns)
    more = f"; {holding:,} of them with direct values inside" if holding else ""
    names = f"; {count(len(report.in_names), 'identifier')} in names" if report.in_names else ""
    review = f"; {len(report.review):,} to review" if report.review else ""
    nobodys = sum(c.reserved for c in columns)
    reserved = f"; {count(nobodys, 'column')} with reserved values only" if nobodys else ""
    files = sum(len(t.members) for t in report.tables)
    of = f" ({count(files, 'file')} in data sets)" if files else ""
    tables = f"{count(len(report.tables), 'table')}{of}"
    empty = sum(t.is_unfilled for t in report.tables)
    unfilled = f"; {count(empty, 'table')} {UNFILLED}" if empty else ""
    return f"{tables}, {count(len(classes), 'column')}: {counts}{more}{names}{review}{reserved}{unfilled}"


def unfilled(table: TableReport) -> str:
    """Return the size of a table without a filled cell, and the personal data that its headers name.

    Example: "csv, 0 rows, 2 columns; by their names: email (EMAIL_ADDRESS), iban (IBAN_CODE)".
    """
    from piiscan.scanning.findings import labels

    named = [
        f"{printable(label)} ({c.named})"
        for label, c in zip(labels(table), table.columns, strict=True)
        if c.named is not None and PII_CLASS.get(c.named, "none") != "none"
    ]
    return size(table) + (f"; by their names: {listing(named, 400)}" if named else "")


def looked_for(report: ScanReport) -> str | None:
    """Return what a scan was limited to, None for one that looked for everything.

    Examples: "Looked for CREDIT_CARD, US_SSN only; the class none says nothing of anything else.", "Not looked for:
    AGE; the class none says nothing of these.".
    """
    only = f"Looked for {', '.join(report.selected)} only" if report.selected else ""
    without = f"{'not for' if only else 'Not looked for:'} {', '.join(report.ignored)}" if report.ignored else ""
    limits = ", ".join(filter(None, (only, without)))
    of = "anything else" if only else "these"
    return f"{limits}; the class none says nothing of {of}." if limits else None


def samples(report: ScanReport) -> list[str]:
    """Return what `--sample` left of tables: "A sample, as asked for: the first 10 rows of each table."."""
    sizes = sorted({t.sampled for t in report.tables if t.sampled is not None})
    return [f"A sample, as asked for: the first {n} rows of each table." for n in sizes]


def since_baseline(changes: BaselineChanges | None) -> str | None:
    """Return what has changed since the baseline, and whether other rules or another model may be the reason.

    Example: "3 findings not in the baseline; the baseline was made with another model, which may explain these 3
    changes.". Empty if nothing has changed.
    """
    if changes is None or not (changes.new or changes.gone or changes.renamed):
        return None
    moved = [f"{printable(old)} is now {printable(new)}" for old, new in changes.renamed]
    known = f"{count(len(moved), 'file')} renamed, with its findings: {listing(moved, 400)}." if moved else None
    if not (changes.new or changes.gone):
        return known
    return " ".join(filter(None, (_differences(changes), known)))


def _differences(changes: BaselineChanges) -> str:
    new = [f"{count(len(changes.new), 'finding')} not in the baseline"] if changes.new else []
    gone = [f"{count(len(changes.gone), 'finding')} of the baseline gone"] if changes.gone else []
    text = " and ".join(new + gone)
    if not changes.others:
        return f"{text}."
    made = " and ".join({"rules": "other rules", "model": "another model"}[name] for name in changes.others)
    these = "it" if changes.explained == 1 else f"these {changes.explained:,} changes"
    return f"{text}; the baseline was made with {made}, which may explain {these}."


def listing(items: Iterable[str], limit: int) -> str:
    """List names in a line: "a, b, c and 5 more", at most `limit` characters long if one item fits."""
    names = list(items)
    kept: list[str] = []
    for i, name in enumerate(names):
        rest = f" and {len(names) - i} more"
        if kept and len(", ".join([*kept, name])) + len(rest) > limit:
            return ", ".join(kept) + rest
        kept.append(name)
    return ", ".join(kept)


def left_in_review(columns: Sequence[str]) -> str:
    """Say which columns in review a mask by a plan that nobody has read leaves."""
    return f"In review, and not masked as a whole: {listing(columns, 300)}. `piiscan plan` says why."
