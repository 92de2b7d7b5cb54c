"""The report as JSON lines: one for each column, then one for each thing not scanned, then the totals. `kind` tells
which."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from piiscan.report import full_json

if TYPE_CHECKING:
    from piiscan.core.types import ScanReport
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import JudgedReport


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n" for entry in entries(judged.report))


def entries(report: ScanReport) -> Iterator[dict[str, Any]]:
    for table in report.tables:
        for column in table.columns:
            yield {"kind": "column", **full_json.table_head(table), **full_json.column(column)}
    for entry in report.not_scanned:
        yield {"kind": "not_scanned", **full_json.not_scanned(entry)}
    for name in report.in_names:
        yield {"kind": "in_name", **full_json.in_name(name)}
    whole = full_json.as_dict(report)
    head = {key: whole[key] for key in ("schema_version", "tool", "complete", "skipped", "skipped_kinds")}
    yield {"kind": "summary", **head, **full_json.summary(report)}
