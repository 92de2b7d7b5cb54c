"""The JSON report, schema version 1, described by `piiscan/report/schemas/report-1.json`. Keys have a fixed order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from piiscan.core.types import (
    ColumnReport,
    InName,
    InReview,
    Inside,
    NotScanned,
    Place,
    Reason,
    ScanReport,
    TableReport,
)
from piiscan.report.table_rows import likes
from piiscan.scanning.data_sets import each_file

if TYPE_CHECKING:
    from piiscan.report.formats import Style
    from piiscan.rules.definitions import RuleSet
    from piiscan.scanning.findings import BaselineChanges, JudgedReport, UnusedEntry

SCHEMA_VERSION = 1
DIGITS = 4
"""Shares and probabilities are rounded to this many digits."""


def render(judged: JudgedReport, rules: RuleSet, style: Style) -> str:
    return dumps(judged.report, judged.baseline, judged.unused)


def dumps(report: ScanReport, changes: BaselineChanges | None = None, unused: Sequence[UnusedEntry] = ()) -> str:
    """The report as one JSON object, indented, ending in a line end."""
    return json.dumps(as_dict(report, changes, unused), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_dict(
    report: ScanReport, changes: BaselineChanges | None = None, unused: Sequence[UnusedEntry] = ()
) -> dict[str, Any]:
    """Return the report as plain data.

    `changes`: how it differs from a baseline, if there is one; new findings come before the tables. `unused`: entries
    of the configuration that match nothing.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {key: report.tool.get(key) for key in ("name", "version", "rules_digest", "model_digest")},
        "complete": report.complete,
        **({"looked_for": limits} if (limits := _looked_for(report)) else {}),
        **({} if changes is None else {"baseline": baseline(changes)}),
        "tables": _tables(each_file(report).tables),
        **({"datasets": sets} if (sets := _tables([t for t in report.tables if t.members])) else {}),
        "review": [in_review(r) for r in report.review],
        "not_scanned": [not_scanned(n) for n in report.not_scanned],
        "skipped": report.skipped,
        "skipped_kinds": dict(report.skipped_kinds),
        "in_names": [in_name(n) for n in report.in_names],
        **({"unused": [{"entry": u.entry, **dict(u.says)} for u in unused]} if unused else {}),
        "summary": summary(report),
    }


def _looked_for(report: ScanReport) -> dict[str, list[str]]:
    """What the scan was limited to; empty where it was not."""
    limits = {"select": report.selected, "ignore": report.ignored}
    return {key: list(names) for key, names in limits.items() if names}


def summary(report: ScanReport) -> dict[str, int]:
    """Count tables and columns, columns of each class, and columns in review. A data set is one table.

    Tables without a filled cell are counted again, as nothing is known of them.
    """
    classes = [c.pii for t in report.tables for c in t.columns]
    counts = {pii: classes.count(pii) for pii in ("direct", "quasi", "sensitive", "none")}
    more = {"in_names": len(report.in_names), "review": len(report.review)}
    if unfilled := sum(t.is_unfilled for t in report.tables):
        more["unfilled"] = unfilled
    return {"tables": len(report.tables), "columns": len(classes), **counts, **more}


def in_review(r: InReview) -> dict[str, Any]:
    """Describe a column that a person should check, and why."""
    return {"source": r.source, "table": r.table, "column": r.column, "index": r.index, "reasons": list(r.reasons)}


def baseline(changes: BaselineChanges) -> dict[str, Any]:
    """Describe how a report differs from the baseline, and what other rules or another model may explain."""
    return {
        "entries": changes.entries,
        "made_with": [{"rules_digest": rules, "model_digest": model} for rules, model in changes.made_with],
        "others": None if changes.others is None else list(changes.others),
        "explained": changes.explained,
        **{key: [p._asdict() for p in getattr(changes, key)] for key in ("new", "grown", "gone")},
        "renamed": [{"from": old, "to": new} for old, new in changes.renamed],
    }


def in_name(n: InName) -> dict[str, Any]:
    """Describe an identifier in a name: of the column `column` (an index), else of the table, else of the file."""
    above = "table" if n.of_table else "file"
    return {
        "source": n.source,
        "table": n.table,
        "column": n.column,
        "of": above if n.column is None else "column",
        "entity": n.entity,
        "subtype": n.subtype,
        "rule": n.rule,
        **({"reserved": True} if n.reserved else {}),
    }


def not_scanned(entry: NotScanned) -> dict[str, Any]:
    return {"source": entry.source, "table": entry.table, "column": entry.column, "reason": entry.reason}


def _tables(tables: Sequence[TableReport]) -> list[dict[str, Any]]:
    first = likes(tables)
    return [table_head(t, first.get((t.source, t.table))) | {"columns": [column(c) for c in t.columns]} for t in tables]


def table_head(t: TableReport, like: TableReport | None = None) -> dict[str, Any]:
    """Describe a table without its columns.

    `like`: the earlier table with the same verdicts; figures may differ. `sampled` is present only if just some rows
    were read, `dataset` only for a file of a data set, `files` only for a whole data set.
    """
    same = {} if like is None else {"like": {"source": like.source, "table": like.table}}
    sampled = {} if t.sampled is None else {"sampled": t.sampled}
    dataset = {} if t.dataset is None else {"dataset": t.dataset}
    files = {"files": len(t.members)} if t.members else {}
    return {
        "source": t.source, **dataset, **files, "table": t.table, **same, "format": t.format, "rows": t.rows, **sampled,
        "complete": t.complete,
        "header": t.header, "subject": t.subject, "delimiter": t.detail("delimiter"), "encoding": t.detail("encoding"),
        "notes": list(t.notes),
    }  # fmt: skip


def column(c: ColumnReport) -> dict[str, Any]:
    """Return a column's entry; the text formats share it."""
    return {
        "index": c.index,
        "name": c.name,
        "parent": c.parent,
        "dtype": c.dtype,
        "entity": c.entity,
        "subtype": c.subtype,
        "pii": c.pii,
        "confidence": round(c.confidence, DIGITS),
        "pii_confidence": round(c.pii_confidence, DIGITS),
        "nulls": c.nulls,
        "distinct": c.distinct,
        "distinct_exact": c.distinct_exact,
        "shape": c.shape,
        "reasons": [_reason(r) for r in c.reasons],
        "inside": [_inside(i) for i in c.inside],
        **({"reserved": True} if c.reserved else {}),
        **({} if c.named is None else {"named": c.named}),
    }


def _reason(r: Reason) -> dict[str, Any]:
    values = r._asdict()
    return {key: round(v, DIGITS) if isinstance(v, float) else v for key, v in values.items() if v is not None}


def _inside(i: Inside) -> Mapping[str, Any]:
    entry: dict[str, Any] = {
        "entity": i.entity,
        "subtype": i.subtype,
        "rule": i.rule,
        "cells": i.cells,
        "first_rows": list(i.first_rows),
    }
    if i.first_places:
        entry["first_places"] = [_place(place) for place in i.first_places]
    return entry | {key: True for key in ("sampled", "reserved") if getattr(i, key)}


def _place(place: Place) -> Mapping[str, Any]:
    return {key: value for key, value in place._asdict().items() if value is not None}
