"""The report as JSON lines.

There is a line for each column, for each one to review, for each thing not scanned, for each identifier in a name,
then the totals. `kind` says which it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from piiscan.report import full_json
from piiscan.report.table_rows import likes
from piiscan.scanning.data_sets import each_file

if TYPE_CHECKING:
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n" for entry in entries(judged, style))


def entries(judged: JudgedReport, style: Style) -> Iterator[dict[str, Any]]:
    report = each_file(judged.report) if style.each_file else judged.report
    first = likes(report.tables)
    for table in report.tables:
        head = full_json.table_head(table, first.get((table.source, table.table)))
        for column in table.columns:
            yield {"kind": "column", **head, **full_json.column(column)}
    for r in report.review:
        yield {"kind": "review", **full_json.in_review(r)}
    for entry in report.not_scanned:
        yield {"kind": "not_scanned", **full_json.not_scanned(entry)}
    for name in report.in_names:
        yield {"kind": "in_name", **full_json.in_name(name)}
    whole = full_json.as_dict(judged.report, judged.baseline, judged.unused)
    keys = ("schema_version", "tool", "complete", "looked_for", "skipped", "skipped_kinds", "baseline", "unused")
    yield {"kind": "summary", **{key: whole[key] for key in keys if key in whole}, **full_json.summary(judged.report)}
