"""What the reports for people show of a table: a row for each personal column, and for each entity found inside
cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Pii, TableReport
from piiscan.report import verdict_words
from piiscan.scanning.findings import BY_USER, labels

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
    """The rows of a table, none where nothing in it is personal. Names are fit to print."""
    for column, label in zip(table.columns, labels(table), strict=True):
        name = verdict_words.printable(label)

        def note(rule: str | None, index: int = column.index) -> str:
            reason = why.get((table.source, table.table, index, rule or BY_USER))
            return f" [{verdict_words.printable(reason)}]" if reason else ""

        if column.pii != "none" and column.entity is not None:
            empty = "" if column.nulls < table.rows else ", but no cell is filled"
            text = verdict_words.short(column) + empty + note(column.rule)
            yield Row(
                name, _entity(column.entity, column.subtype), column.pii, verdict_words.sure(column.confidence), text
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


def _entity(entity: str, subtype: str | None) -> str:
    return f"{entity} {subtype}" if subtype else entity
