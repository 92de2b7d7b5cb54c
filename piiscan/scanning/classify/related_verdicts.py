"""Raises verdicts by what a column is related to: other columns, links, keys, and tables that refer to its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.types import Field, ForeignKey, Pii, Reason, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.scanning.classify import unlisted_names
from piiscan.scanning.classify.candidates import ColumnCandidates, judge, probability
from piiscan.scanning.classify.class_decision import tells_rows_apart
from piiscan.scanning.classify.column_model import ColumnModel
from piiscan.scanning.classify.header_prefix import fields_as_read
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.member_pages import links
from piiscan.scanning.classify.names_again import may_repeat, named_again, named_in_whole
from piiscan.scanning.classify.names_in_addresses import begin_with_names
from piiscan.scanning.classify.references import kinds_of_others, shown_persons
from piiscan.scanning.classify.row_keys import is_of_object
from piiscan.scanning.classify.subject import CONTACTS, NEVER_PERSONS, RowSubject, row_subject
from piiscan.scanning.classify.verdict import BY_HEADERS, BY_LINKS, Verdict
from piiscan.scanning.classify.word_lists import NOT_PERSONS, ORGANISATION_ROLE

_FORM: Final = "form"
"""How formats of texts begin that are forms."""
_IN_FORMS: Final = 0.7
"""How sure contact data in a form are reported as those of a person who may be named there. Lines of a text would be
somebody's, too."""
_UNSURE: Final = 0.5
"""An entity less sure than this says little."""
_CALLED: Final = ("PERSON", "FIRST_NAME", "LAST_NAME", "EMAIL_ADDRESS")
"""What a person is called by, which other columns may repeat."""
_MAY_REPEAT: Final = (None, "GENERIC_ID", "ORGANIZATION", "PERSON_ID", "USERNAME")
"""What a column that repeats names may be taken for, by itself."""
_KEYS: Final = ("PERSON_ID", "MEDICAL_RECORD")
_MAY_BE_KEYS: Final = (None, "GENERIC_ID", "PERSON_ID")
LOCATED: Final = (*sorted(CONTACTS), "CITY", "REGION", "POSTAL_CODE", "COUNTRY", "GEO_COORDINATES")
"""What says how or where to find somebody."""


def in_form(
    verdicts: list[Verdict], info: TableInfo, columns: Sequence[ColumnCandidates], rows: RowSubject
) -> list[Verdict]:
    """Raise the verdicts on contact data in a form that may name a person."""
    if not info.format.startswith(_FORM) or not any(
        v.review and unlisted_names.may_be_of_persons(c, columns, rows) for c, v in zip(columns, verdicts, strict=True)
    ):
        return verdicts
    text = "beside what may be a person's name, in a form"
    return [of_persons(v, _IN_FORMS, text) if v.entity in CONTACTS else v for v in verdicts]


def _with_key(verdicts: list[Verdict], columns: Sequence[ColumnCandidates], rows: RowSubject) -> list[Verdict]:
    """Raise the verdict on the keys of a JSON object whose values are about persons, or identify some directly."""
    if rows.organised or rows.subject in (*NEVER_PERSONS, "thing"):
        return verdicts
    if not rows.personal and all(v.pii != "direct" for v in verdicts):
        return verdicts
    return [
        _linked(v, "PERSON_ID", "quasi", "the key of rows about persons")
        if v.pii == "none" and v.entity in _MAY_BE_KEYS and is_of_object(c) and tells_rows_apart(c)
        else v
        for c, v in zip(columns, verdicts, strict=True)
    ]


def with_links(
    verdicts: list[Verdict],
    info: TableInfo,
    columns: Sequence[ColumnCandidates],
    rows: RowSubject,
    summary: TableSummary,
) -> list[Verdict]:
    """Raise the verdicts on what links and references say of other columns."""
    none = [i for i, v in enumerate(verdicts) if v.pii == "none" and summary.columns[i].filled]
    raised = _by_links(verdicts, none, rows, summary) | dict.fromkeys(
        shown_persons(info.fields, summary.columns), ("PERSON", "direct", "beside references to persons")
    )
    addressed = [i for i in none if verdicts[i].entity == "STREET_ADDRESS" and begin_with_names(summary.columns[i])]
    raised |= dict.fromkeys(addressed, ("STREET_ADDRESS", "direct", "begins with the name of a person"))
    linked = [_linked(v, *raised[i]) if v.pii == "none" and i in raised else v for i, v in enumerate(verdicts)]
    return _with_key(_with_names_again(_with_kinds(linked, info), info, summary), columns, rows)


def _by_links(
    verdicts: Sequence[Verdict], none: Sequence[int], rows: RowSubject, summary: TableSummary
) -> dict[int, tuple[str, Pii, str]]:
    """What columns of those that are of no person (`none`) are by links to others: entity, class, and why."""
    found = links(
        summary.row_sample,
        urls=[i for i, v in enumerate(verdicts) if v.entity == "URL" and summary.columns[i].filled],
        keys=[i for i in none if verdicts[i].entity == "GENERIC_ID"],
        unknown=[i for i in none if verdicts[i].entity in (None, "GENERIC_ID")],
        identifying=[i for i, v in enumerate(verdicts) if v.pii == "direct" or (v.entity in _KEYS and v.pii != "none")],
        of_members=not rows.organised and rows.subject not in (*NEVER_PERSONS, "thing"),
    )
    raised: dict[int, tuple[str, Pii, str]] = dict.fromkeys(found.pages, ("URL", "quasi", "pages of members of a site"))
    raised |= {i: (_holder(verdicts[i]), "quasi", "contains what identifies a person") for i in found.holders}
    raised |= dict.fromkeys(found.names, ("USERNAME", "direct", "the names of members in the addresses of their pages"))
    return raised


def _with_kinds(verdicts: list[Verdict], info: TableInfo) -> list[Verdict]:
    """The verdicts, where addresses that name the kind of values beside them are no person's pages."""
    out = list(verdicts)
    for i in kinds_of_others(info.fields):
        if out[i].entity == "URL" and out[i].pii != "none":
            reasons = (*out[i].reasons, Reason("neighbour", text="names the kind of the values beside it"))
            out[i] = out[i]._replace(pii="none", reasons=reasons, pii_confidence=BY_LINKS, review=())
    return out


def _with_names_again(verdicts: list[Verdict], info: TableInfo, summary: TableSummary) -> list[Verdict]:
    """Raise the verdicts on columns that repeat the names of their rows' persons."""
    called = {i: v.entity for i, v in enumerate(verdicts) if _is_sure(v) and v.entity in _CALLED}
    unknown = [i for i, v in enumerate(verdicts) if _may_repeat(v) and may_repeat(summary.columns[i])] if called else ()
    again = named_again(summary.row_sample, called, unknown)
    again |= dict.fromkeys(named_in_whole([f.name for f in info.fields], summary.columns, called, unknown), "PERSON")
    text = "the names of the persons of the same rows"
    return [_linked(v, again[i], "direct", text) if i in again else v for i, v in enumerate(verdicts)]


def _may_repeat(verdict: Verdict) -> bool:
    if _is_sure(verdict):
        return False
    is_nobodys = verdict.pii == "none" and verdict.entity in _CALLED
    return is_nobodys or verdict.entity in _MAY_REPEAT or verdict.confidence < _UNSURE


def _is_sure(verdict: Verdict) -> bool:
    """Whether a column is called direct, and surely enough for a report."""
    return verdict.pii == "direct" and max(verdict.confidence, verdict.pii_confidence) >= _UNSURE


def _holder(verdict: Verdict) -> str:
    return "URL" if verdict.entity == "URL" else "PERSON_ID"


def _linked(verdict: Verdict, entity: str, pii: Pii, text: str) -> Verdict:
    """The verdict on a column of which links say what it is."""
    known = verdict.entity == entity
    reason = Reason("neighbour", text=text)
    return verdict._replace(
        entity=entity, subtype=None, pii=pii,
        confidence=verdict.confidence if known and verdict.confidence >= _UNSURE else BY_LINKS,
        rule=verdict.rule if known else None, reasons=(reason, *(verdict.reasons if known else ())),
        pii_confidence=BY_LINKS, review=(),
    )  # fmt: skip


def names_others(info: TableInfo, rows: RowSubject) -> bool:
    """Return whether a table's rows are about persons, things or events, or it names what else has an address."""
    if rows.organised or rows.subject not in (None, "place", "organisation"):
        return True
    words = {word for field in info.fields for word in tokens(field.name or "")}
    return not NOT_PERSONS.isdisjoint(tokens(info.table or "")) or not ORGANISATION_ROLE.isdisjoint(words)


def as_persons_contacts(verdicts: list[Verdict], info: TableInfo, known: Lexicon, model: ColumnModel) -> list[Verdict]:
    """Raise the verdicts on addresses and telephones that a table about persons is declared to refer to, or holds.

    By themselves such rows don't say whose contact data they hold. Places beside such data become quasi-identifiers.
    """
    if not any(v.entity in CONTACTS and v.pii == "none" for v in verdicts) or any(
        v.entity == "ORGANIZATION" for v in verdicts
    ):
        return verdicts
    probable = max((_about_persons(r.table, r.columns, known, model) for r in info.referred_by), default=0.0)
    is_within = not any(r.table for r in info.referred_by)
    text = (
        "an object about a person holds them"
        if is_within
        else "a table about persons is declared to refer to these rows"
    )
    return [of_persons(v, round(min(BY_HEADERS, probable), 4), text) for v in verdicts] if probable else verdicts


def of_persons(verdict: Verdict, sure: float, text: str, entities: Sequence[str] = LOCATED) -> Verdict:
    """Raise the verdict on contact data and places to what they are where they are a person's, with a reason."""
    if verdict.pii != "none" or verdict.entity is None or verdict.entity not in entities:
        return verdict
    reason = Reason("neighbour", text=text)
    reasons = (*(r for r in verdict.reasons if r.by != "subject"), reason)
    return verdict._replace(pii=PII_CLASS[verdict.entity], reasons=reasons, pii_confidence=sure, review=())


def _about_persons(table: str, columns: Sequence[str], known: Lexicon, model: ColumnModel) -> float:
    """Return how sure it is that a table is about persons, by its name and headers; 0 where it isn't.

    Its cells aren't read, so that a table is judged the same with and without those beside it.
    """
    info = TableInfo("", table, "csv", True, tuple(Field(name) for name in columns))
    judged = [judge(i, field, ColumnSummary(), known) for i, field in enumerate(fields_as_read(info, known))]
    rows = row_subject(info, judged, 0, model.subject)
    return probability(rows.score) if rows.subject == "person" and rows.personal else 0.0


def as_foreign_key(verdict: Verdict, key: ForeignKey, known: Lexicon, model: ColumnModel) -> Verdict:
    """Raise the verdict on a column of keys of another table where that table is about persons."""
    if verdict.pii != "none" or verdict.entity not in (None, "GENERIC_ID"):
        return verdict
    probable = _about_persons(key.table, key.columns, known, model)
    if not probable:
        return verdict
    sure = round(min(BY_HEADERS, probable), 4)
    reason = Reason("neighbour", text="declared to hold keys of a table about persons")
    return verdict._replace(
        entity="PERSON_ID", subtype=None, pii="quasi", confidence=sure, rule=None, reasons=(reason,),
        pii_confidence=sure, review=(),
    )  # fmt: skip
