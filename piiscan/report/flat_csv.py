"""The report as CSV (RFC 4180, Unix line ends): a row for each column, and one for each thing not scanned.

What the scan was limited to has rows of its own, too, whose `status` says what they are.

Spreadsheets run text that begins like a formula, whatever its quotes, and headers and file names come from strangers:
such a text gets a leading apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from piiscan.report import verdict_words
from piiscan.report.table_rows import likes
from piiscan.scanning.data_sets import each_file

if TYPE_CHECKING:
    from piiscan.core.types import Inside, ScanReport
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport

HEADINGS = (
    "source", "table", "status", "index", "name", "dtype", "entity", "subtype", "pii", "confidence",
    "pii_confidence", "rows", "nulls", "distinct", "distinct_exact", "shape", "why", "review", "inside",
    "reserved", "files", "like",
)  # fmt: skip
FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\N{FULLWIDTH EQUALS SIGN}",
    "\N{FULLWIDTH PLUS SIGN}",
    "\N{FULLWIDTH HYPHEN-MINUS}",
    "\N{FULLWIDTH COMMERCIAL AT}",
)


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADINGS, lineterminator="\n")
    writer.writeheader()
    # Control characters in names go: Python's writer leaves a lone carriage return unquoted, and a row stays a line.
    for record in records(each_file(judged.report) if style.each_file else judged.report):
        writer.writerow(
            {key: _harmless(verdict_words.printable(v)) if isinstance(v, str) else v for key, v in record.items()}
        )
    return text.getvalue()


def _harmless(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula. A lone `-`, standard input, isn't one."""
    return f"'{text}" if text.lstrip().startswith(FORMULA) and text != "-" else text


def records(report: ScanReport) -> Iterator[dict[str, Any]]:
    """Yield a record for each column, with the keys of HEADINGS.

    `why` and `review` are in words, `inside` is like "US_SSN: inside 2 cells, rows 3, 4; …", and `like` is the
    earlier table with the same verdicts.
    """
    first = likes(report.tables)
    for table in report.tables:
        like = first.get((table.source, table.table))
        for c in table.columns:
            yield {
                "source": table.source,
                "table": table.table,
                "status": "scanned" if table.complete else "incomplete",
                "index": c.index,
                "name": c.name,
                "dtype": c.dtype,
                "entity": c.entity,
                "subtype": c.subtype,
                "pii": c.pii,
                "confidence": round(c.confidence, 4),
                "pii_confidence": round(c.pii_confidence, 4),
                "rows": table.rows,
                "nulls": c.nulls,
                "distinct": c.distinct,
                "distinct_exact": str(c.distinct_exact).lower(),
                "shape": c.shape,
                "why": verdict_words.of_nobody(c) or verdict_words.short(c),
                "review": "; ".join(c.review),
                "inside": "; ".join(f"{i.entity}: {verdict_words.inside(i)}{_nobodys(i)}" for i in c.inside),
                "reserved": str(c.reserved).lower(),
                "files": len(table.sources),
                "like": like and verdict_words.table_title(like),
            }
    for entry in report.not_scanned:
        yield {
            "source": entry.source,
            "table": entry.table,
            "status": "not scanned",
            "name": entry.column,
            "why": entry.reason,
        }

    for name in report.in_names:
        yield {
            "source": name.source, "table": name.table, "status": "identifier in a name", "index": name.column,
            "entity": name.entity, "subtype": name.subtype, "pii": "direct", "reserved": str(name.reserved).lower(),
        }  # fmt: skip
    for kind, n in report.skipped_kinds:
        yield {"status": "skipped", "why": f"{kind}: {n}"}
    if (limited := verdict_words.looked_for(report)) is not None:
        yield {"status": "looked for", "why": limited}
    for sampled in verdict_words.samples(report):
        yield {"status": "sample", "why": sampled}


def frame_columns(report: ScanReport) -> dict[str, list[Any]]:
    """Return the scanned columns, as lists of plain values by heading."""
    scanned = [r for r in records(report) if r["status"] in ("scanned", "incomplete")]
    headings = [h for h in HEADINGS if h != "status"]
    truths = ("distinct_exact", "reserved")
    return {h: [r[h] == "true" if h in truths else r[h] for r in scanned] for h in headings}


def _nobodys(entry: Inside) -> str:
    return f" [{verdict_words.RESERVED}]" if entry.reserved else ""
