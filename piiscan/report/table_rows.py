"""The parts of a table in reports for people.

There is a row for each personal column, for each identifier that belongs to no person, and for each entity found
inside cells; and a list of the columns to review.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import ColumnReport, Finding, Inside, Pii, TableReport
from piiscan.report import verdict_words
from piiscan.scanning.findings import BY_USER, REVIEW, Place, labels

if TYPE_CHECKING:
    from piiscan.scanning.findings import JudgedReport

_NAMED: Final = 200
"""Characters for the names of tables that are like another one."""
_PERCENT: Final = lazy_pattern(r"\d+%")
Remarks = dict[tuple[str, str | None, int, str], str]
News = Collection[Place] | None
"""The findings that a baseline doesn't know; None where there is no baseline."""


class Row(NamedTuple):
    """A row of the report.

    `sure` is empty for entities inside cells, which are counted. `why` also says what silences a finding, or no
    longer does.
    """

    column: str
    entity: str
    pii: Pii
    sure: str
    why: str


def remarks(judged: JudgedReport) -> Remarks:
    """Return why findings are silenced, or open again, by source, table, column index and rule."""
    return {(f.source, f.table, f.index, f.rule): why for f, why in (*judged.silenced, *judged.notes) if not f.in_name}


def rows(table: TableReport, why: Remarks, news: News = None) -> Iterator[Row]:
    """Return the rows of a table; none if nothing in it is personal and there are no identifiers.

    Names are fit to print. `news`: only these findings.
    """
    for column, label in zip(table.columns, labels(table), strict=True):
        name = verdict_words.printable(label)

        def note(rule: str | None, reserved: bool, index: int = column.index) -> str:
            reason = why.get((table.dataset or table.source, table.table, index, rule or BY_USER))
            reason = reason or (verdict_words.RESERVED if reserved else None)
            return f" [{verdict_words.printable(reason)}]" if reason else ""

        nobodys = verdict_words.of_nobody(column)
        is_shown = column.entity is not None and (column.pii != "none" or nobodys is not None)
        if column.entity is not None and is_shown and _is_new(table, label, column.rule, news):
            empty = "" if column.nulls < table.rows else ", but no cell is filled"
            text = (nobodys or verdict_words.short(column)) + empty + note(column.rule, column.reserved)
            yield Row(
                name,
                _entity(column.entity, column.subtype),
                column.pii,
                verdict_words.sure(column.sureness),
                text,
            )
        for entry in column.inside:
            if not _is_new(table, label, entry.rule, news):
                continue
            pii = PII_CLASS.get(entry.entity, "none")
            alike = sum((other.entity, other.subtype) == (entry.entity, entry.subtype) for other in column.inside)
            by = f", by {entry.rule}" if alike > 1 else ""
            yield Row(
                name,
                _entity(entry.entity, entry.subtype),
                pii,
                "",
                _inside(table, column, entry) + by + note(entry.rule, entry.reserved),
            )


def _inside(table: TableReport, column: ColumnReport, entry: Inside) -> str:
    """Say how many cells, and where: for a data set in which files, if not all of them have it."""
    found = [
        (member.source, own)
        for member in table.members
        if column.index < len(member.columns)
        for own in member.columns[column.index].inside
        if own.rule == entry.rule
    ]
    if not found or len(found) == len(table.members):
        return verdict_words.inside(entry, table.is_text)
    files = verdict_words.listing((verdict_words.printable(source) for source, _ in found), _NAMED)
    return f"{verdict_words.inside(found[0][1] if len(found) == 1 else entry, table.is_text)}, in {files}"


def alike(tables: Iterable[TableReport], why: Remarks) -> list[list[TableReport]]:
    """Group the tables with the same results, in the order of the first of each.

    They have the same columns, with the same verdicts, reasons to review them (figures apart), entities inside, and
    remarks, and filled in the same places.
    """
    remarked: dict[tuple[str, str | None], list[tuple[int, str, str]]] = {}
    for (source, name, index, rule), text in why.items():
        remarked.setdefault((source, name), []).append((index, rule, text))
    groups: dict[object, list[TableReport]] = {}
    for table in tables:
        verdicts = tuple(
            (
                label, c.entity, c.subtype, c.pii, tuple(map(_without_figures, c.review)), c.reserved,
                c.nulls < table.rows, tuple(map(_said, c.inside)),
            )
            for label, c in zip(labels(table), table.columns, strict=True)
        )  # fmt: skip
        said = tuple(sorted(remarked.get((table.source, table.table), ())))
        key = (verdicts, said, table.subject, table.complete, table.sampled, table.notes)
        groups.setdefault(key, []).append(table)
    return list(groups.values())


def likes(tables: Iterable[TableReport]) -> dict[tuple[str, str | None], TableReport]:
    """Return by source and table the first of the tables that `alike` groups with it.

    Tables that come first, or alone, aren't in it.
    """
    groups = ((first, others) for first, *others in alike(tables, {}))
    return {(table.source, table.table): first for first, others in groups for table in others}


def _without_figures(review: str) -> str:
    return _PERCENT.sub("%", review)


def _said(entry: Inside) -> tuple[str, str | None, bool]:
    return entry.entity, entry.subtype, entry.reserved


def like_it(tables: Sequence[TableReport]) -> str:
    """Describe the tables that are like the one above: "97 tables like this one: a.csv, b.csv and 95 more"."""
    names = verdict_words.listing((verdict_words.table_title(t) for t in tables), _NAMED)
    return f"{verdict_words.count(len(tables), 'table')} like this one: {names}"


def is_news(finding: Finding, news: News) -> bool:
    """Return whether a finding is among `news`; without a baseline, every finding is."""
    return news is None or Place(finding.source, finding.table, finding.column or "", finding.rule) in news


def _is_new(table: TableReport, label: str, rule: str | None, news: News) -> bool:
    return news is None or Place(table.dataset or table.source, table.table, label, rule or BY_USER) in news


def to_review(table: TableReport, why: Remarks, news: News = None) -> Iterator[tuple[str, str]]:
    """Return the columns of a table that a person should check: their names, the likely verdict and the doubt.

    Names are fit to print. `news`: only these findings.
    """
    for column, label in zip(table.columns, labels(table), strict=True):
        if column.review and any(_is_new(table, label, rule, news) for rule in (REVIEW, column.rule)):
            place = (table.dataset or table.source, table.table, column.index)
            reason = why.get((*place, REVIEW)) or why.get((*place, column.rule or BY_USER))
            reason = reason or (verdict_words.RESERVED if column.reserved else None)
            note = f" [{verdict_words.printable(reason)}]" if reason else ""
            yield verdict_words.printable(label), verdict_words.in_review(column) + note


def _entity(entity: str, subtype: str | None) -> str:
    return f"{entity} {subtype}" if subtype else entity


def known(judged: JudgedReport) -> Iterator[str]:
    """Return a line for each finding that isn't new, with the reason."""
    news = judged.news or ()
    reasons = {id(finding): why for finding, why in judged.silenced}
    weaker = [f for f in judged.open if not is_news(f, news)]
    for finding in (*(finding for finding, _ in judged.silenced), *weaker):
        place = "::".join(filter(None, (finding.source, finding.table, finding.column)))
        what = f"{_entity(finding.entity, finding.subtype)}, {finding.pii}" if finding.entity else "to review"
        why = reasons.get(id(finding), "weaker than --fail-on")
        yield verdict_words.printable(f"{place}: {what} [{why}]")
