"""What the reports for people show of a table: a row for each personal column, for each identifier that is nobody's,
and for each entity found inside cells; and the columns to review."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Pii, TableReport
from piiscan.report import verdict_words
from piiscan.scanning.findings import BY_USER, REVIEW, labels

if TYPE_CHECKING:
    from piiscan.scanning.findings import JudgedReport

Remarks = dict[tuple[str, str | None, int, str], str]


class Row(NamedTuple):
    """`sure` is empty for entities inside cells, which are counted. `why` tells too what silences a finding, or no
    longer does."""

    column: str
    entity: str
    pii: Pii
    sure: str
    why: str


def remarks(judged: JudgedReport) -> Remarks:
    """Why findings are silenced, or open again, by source, table, column index and rule."""
    return {(f.source, f.table, f.index, f.rule): why for f, why in (*judged.silenced, *judged.notes) if not f.in_name}


def rows(table: TableReport, why: Remarks) -> Iterator[Row]:
    """The rows of a table, none where nothing in it is personal and there are no identifiers. Names are fit to
    print."""
    for column, label in zip(table.columns, labels(table), strict=True):
        name = verdict_words.printable(label)

        def note(rule: str | None, index: int = column.index) -> str:
            reason = why.get((table.source, table.table, index, rule or BY_USER))
            return f" [{verdict_words.printable(reason)}]" if reason else ""

        nobodys = verdict_words.of_nobody(column)
        if column.entity is not None and (column.pii != "none" or nobodys is not None):
            empty = "" if column.nulls < table.rows else ", but no cell is filled"
            text = (nobodys or verdict_words.short(column)) + empty + note(column.rule)
            yield Row(
                name,
                _entity(column.entity, column.subtype),
                column.pii,
                verdict_words.sure(min(column.confidence, column.pii_confidence)),
                text,
            )
        for entry in column.inside:
            pii = PII_CLASS.get(entry.entity, "none")
            yield Row(
                name,
                _entity(entry.entity, entry.subtype),
                pii,
                "",
                verdict_words.inside(entry, table.format == verdict_words.TEXT) + note(entry.rule),
            )


def to_review(table: TableReport, why: Remarks) -> Iterator[tuple[str, str]]:
    """The columns of a table that a person should look at: what they are called, and what they are taken for and why
    that is in doubt. Names are fit to print."""
    for column, label in zip(table.columns, labels(table), strict=True):
        if column.review:
            place = (table.source, table.table, column.index)
            reason = why.get((*place, REVIEW)) or why.get((*place, column.rule or BY_USER))
            note = f" [{verdict_words.printable(reason)}]" if reason else ""
            yield verdict_words.printable(label), verdict_words.in_review(column) + note


def _entity(entity: str, subtype: str | None) -> str:
    return f"{entity} {subtype}" if subtype else entity
