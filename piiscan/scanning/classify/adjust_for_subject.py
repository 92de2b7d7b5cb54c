"""Adjusts the candidates of columns to what the rows of the table are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import Reason
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, ranked
from piiscan.scanning.classify.measured_words import OF_RECORDS
from piiscan.scanning.classify.row_keys import is_named_key
from piiscan.scanning.classify.subject import (
    FEW_FIRMS,
    FEW_KNOWN,
    NAMES,
    OF_PERSONS_ONLY,
    RowSubject,
    measures_patients,
)
from piiscan.scanning.classify.word_lists import SHARES

OPEN = frozenset(
    (
        "name", "occupation-short", "location", "description", "person-id-open", "driver-license-open", "income-open",
        "date-of-birth-open",
    )
)  # fmt: skip
"""Rules whose headers mean a person's attribute in tables about persons and other things elsewhere."""
OTHERS = frozenset(("thing", "place", "aggregate"))
_FIRST_BORN, _LAST_BORN = 1900, 2012
_ATTRIBUTES = frozenset(("ETHNICITY", "HEALTH_CONDITION", "INCOME", "EDUCATION", "OCCUPATION"))
_YEAR = lazy_pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
MOST_LISTED = 0.8
"""From this share of listed names on, what a header calls firms may be persons: where some, more than `SOME_WHOLE`, are
a given and a family name, and hardly any, fewer than `FEW_FIRMS`, have words of organisations."""
SOME_WHOLE = 0.25
_BESIDE_GIVEN = 1.8
"""Log-odds of family names where a column of single words is called "name" and stands beside one of given names, and of
given names beside family names."""
_GIVEN, _FAMILY = ("FIRST_NAME", "first-name", "family"), ("LAST_NAME", "last-name", "given")
"""What such a column has, its rule, and the names beside it."""
_FULL = 1.0
"""Log-odds of persons where full names that no list knows are called names, and rows are about persons."""
_OF_ONE_PERSON = frozenset(("US_SSN", "NATIONAL_ID"))
_REPEATED = 0.9
"""Where so many national numbers, or fewer, differ, most rows aren't about another person each."""
_MAY_BE = -1.0
"""From these log-odds on, what is called a name may be a person's, before it counts whom rows are about."""
_LONGEST, _PARTICLE = 5, 3
"""Words of a full name, and letters of one in small letters (`van der`), at most."""
_OF_NOBODY = SHARES | OF_RECORDS
MEDICAL_COLUMNS = 3
"""So many columns about health make a medical table."""
CLINICAL_SHARE = 0.15
"""From this share of columns about health on, other measurements are taken for health too."""


def adjust_for_subject(columns: Sequence[ColumnCandidates], rows: RowSubject) -> list[ColumnCandidates]:
    """Adjust the columns' candidates to what the rows are about."""
    health = _health_context(columns, rows)
    out = [c.with_candidates(ranked(_weighed(c, rows, health))) for c in columns]
    if rows.personal and rows.subject == "person":
        _row_key(out, rows.patients)
        _unnamed(out)
        _family_names(out)
        _full_names(out)
    return out


class _HealthContext(NamedTuple):
    """`medical`: the table is about persons' health; `clinical`: so much that measurements in it are too."""

    medical: bool
    clinical: bool


def _health_context(columns: Sequence[ColumnCandidates], rows: RowSubject) -> _HealthContext:
    entities = [best.entity for c in columns if (best := c.best())]
    sure = entities.count("HEALTH_CONDITION")
    measured = measures_patients(columns)
    medical = rows.personal and (sure >= MEDICAL_COLUMNS or "MEDICAL_RECORD" in entities or measured)
    return _HealthContext(medical, medical and sure / max(1, len(columns)) >= CLINICAL_SHARE)


def _weighed(column: ColumnCandidates, rows: RowSubject, health: _HealthContext) -> list[Candidate]:
    out = []
    for candidate in column.candidates:
        found = _by_subject(column, candidate, rows)
        if found.rule == "health-hint" and health.medical:
            reason = Reason("neighbour", "health-hint", text="other columns are about health")
            found = found.with_evidence(2.2, reason)
        out.append(found)
    return _with_measurement(out) if health.clinical and _measured(column) else out


def _names_traders(column: ColumnCandidates) -> bool:
    """Whether what a header calls firms are names of persons, as customers are who trade under their own."""
    if not any(c.entity == "ORGANIZATION" and c.by_header for c in column.candidates):
        return False
    look = column.values.look
    return min(look.listed, look.shaped) > MOST_LISTED and look.both > SOME_WHOLE and look.organisation < FEW_FIRMS


def _is_called_name(column: ColumnCandidates) -> bool:
    """Whether the header is a word for names of anything, and the values may be persons' and have no words of firms."""
    is_likely = any(c.rule == "name" and c.logit > _MAY_BE for c in column.candidates)
    return is_likely and [n.rule.id for n in column.named] == ["name"] and column.values.look.organisation < FEW_FIRMS


def _by_subject(column: ColumnCandidates, candidate: Candidate, rows: RowSubject) -> Candidate:
    """A candidate, likelier or less likely by what the rows are about."""
    if rows.personal and candidate.entity in ("ORGANIZATION", "PERSON") and _names_traders(column):
        weight = 3.0 if candidate.entity == "PERSON" else -3.0
        return candidate.with_evidence(weight, Reason("values", text="names of persons, whom rows are about"))
    if candidate.entity == "ORGANIZATION" and rows.personal and rows.subject == "person" and _is_called_name(column):
        return candidate.with_evidence(-1.5, Reason("subject", text="rows are about persons"))
    if candidate.rule in OPEN and rows.personal:
        return candidate.with_evidence(0.9, Reason("subject", text="rows are about persons"))
    less = None if rows.personal else _less_elsewhere(column, candidate, rows)
    return candidate if less is None else candidate.with_evidence(less, Reason("subject", text=_elsewhere(rows)))


def _elsewhere(rows: RowSubject) -> str:
    return "rows are not about persons" if rows.subject else "nothing shows that rows are about persons"


def _less_elsewhere(column: ColumnCandidates, candidate: Candidate, rows: RowSubject) -> float | None:
    """The log-odds that a candidate loses in rows that aren't about persons, as a negative number."""
    entity = candidate.entity
    if candidate.rule in OF_PERSONS_ONLY:
        return -4.0
    if candidate.rule == "username" and rows.subject == "thing" and tokens(column.header or "") == ("handle",):
        return -4.0  # a step of the address of a product's page, in shops
    if candidate.rule in OPEN:
        return -1.4 if rows.subject in OTHERS and entity == "PERSON" else -0.9
    if entity in _ATTRIBUTES and candidate.logit < 3:
        return -1.5
    if entity in NAMES and rows.subject is not None and not _named_by_header(column, entity):
        return -2.2 if rows.subject in OTHERS else -0.9  # storms and ships bear names of persons
    if entity == "NATIONAL_ID" and not candidate.by_header and column.of("ORGANIZATION_ID"):
        return -3.0  # one check serves numbers of persons and of firms
    return None


def _with_measurement(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates with health for the likeliest, where nothing else is near."""
    if any(c.logit > -0.5 and c.entity != "HEALTH_CONDITION" for c in candidates):
        return candidates
    known = next((c for c in candidates if c.entity == "HEALTH_CONDITION"), None)
    if known is not None and known.logit >= 0.3:
        return candidates
    reason = Reason("neighbour", "health-hint", text="most other columns are about health")
    reasons = (*(known.reasons if known else ()), reason)
    rest = [c for c in candidates if c is not known]
    return [*rest, Candidate("HEALTH_CONDITION", None, "health-hint", 0.3, reasons)]


def _unnamed(columns: list[ColumnCandidates]) -> None:
    """Adjust tables about persons without any header.

    Dates of two generations are dates of birth, and the first unique key is the person's.
    """
    if any(c.header is not None for c in columns):
        return  # one that has none among others numbers the rows
    sure = {b.entity for c in columns if (b := c.best())}
    for c in list(columns):
        if c.best():
            continue
        found = None
        if "DATE_OF_BIRTH" not in sure and _generations(c):
            reason = Reason(
                "values", "date-of-birth", text="dates of two generations, none of today, in rows about persons"
            )
            found = Candidate("DATE_OF_BIRTH", None, "date-of-birth", 1.0, (reason,))
        elif (
            c.index == 0
            and "PERSON_ID" not in sure
            and c.profile.unique > 0.98
            and c.profile.keyed > 0.9
            and c.profile.filled >= 5
        ):
            found = Candidate(
                "PERSON_ID",
                None,
                "person-id",
                0.6,
                (Reason("subject", "person-id", text="first key of rows about persons"),),
            )
        if found:
            columns[c.index] = c.with_candidates(ranked((found, *c.candidates)))


def _family_names(columns: list[ColumnCandidates]) -> None:
    """Take what is called names for family names beside given names ("Name, Vorname"), and the other way round.

    Names that no list knows have nothing else that shows what they are. Beside family names alone, it is given names
    that are called so: "Apellidos, Nombre".
    """
    best = [(c, b.entity) for c in columns if (b := c.best()) and _named_by_header(c, b.entity)]
    given, family = ({c.index for c, found in best if found == entity} for entity in ("FIRST_NAME", "LAST_NAME"))
    for c in list(columns):
        beside = {c.index - 1, c.index + 1}
        is_family = not given.isdisjoint(beside) and family.isdisjoint(beside)
        is_given = not given and not family.isdisjoint(beside)
        if not (is_family or is_given) or not _is_called_name(c) or not _in_one_word(c):
            continue
        entity, rule, other = _GIVEN if is_given else _FAMILY
        reasons = (Reason("header", "name"), Reason("neighbour", text=f"{other} names are beside it"))
        found = Candidate(entity, None, rule, _BESIDE_GIVEN, reasons, by_header=True)
        known = c.of(entity)
        if known is None or known.logit < found.logit:
            rest = (x for x in c.candidates if x.entity not in NAMES)
            columns[c.index] = c.with_candidates(ranked((found, *rest)))


def _full_names(columns: list[ColumnCandidates]) -> None:
    """Take full names that no list knows for those of the persons whom rows are about, if nothing else names them."""
    if any((b := c.best()) and b.entity in NAMES for c in columns):
        return
    of_persons = [c for c in columns if _is_called_name(c) and are_full_names(c)]
    if len(of_persons) == 1:
        found, other = of_persons[0], of_persons[0].of("ORGANIZATION")
        reasons = (Reason("header", "name"), Reason("subject", text="rows are about persons"))
        logit = max(_FULL, other.logit + _FULL if other else _FULL)
        person = Candidate("PERSON", None, "name", logit, reasons, by_header=True)
        rest = (x for x in found.candidates if x.entity != "PERSON")
        columns[found.index] = found.with_candidates(ranked((person, *rest)))


def are_full_names(c: ColumnCandidates) -> bool:
    """Whether most texts are written as full names, and their words are hardly any that prose or places have."""
    look = c.values.look
    several = [1 < len(words) <= _LONGEST for words in c.profile.words]
    if look.shaped < MOST_LISTED or look.organisation > FEW_FIRMS or c.profile.share(several) < MOST_LISTED:
        return False
    return c.profile.share_of(_begin_in_capitals) >= MOST_LISTED and c.values.known_words() <= FEW_KNOWN


def _begin_in_capitals(text: str) -> bool:
    """Whether all longer words of a text begin with a capital, or are of a script that has none, and none is a code."""
    words = text.replace("-", " ").split()
    codes = [] if text.isupper() else [word for word in words if word.isupper() and len(word.strip(".")) > 1]
    return not codes and not any(word[0].islower() and len(word) > _PARTICLE for word in words)


def _in_one_word(c: ColumnCandidates) -> bool:
    """Whether most texts are one word with a capital, where their script has some, and hardly any in two."""
    one = [len(words) == 1 for words in c.profile.words]
    return c.values.look.shaped > MOST_LISTED and c.profile.share(one) > MOST_LISTED


def _generations(c: ColumnCandidates) -> bool:
    """Whether most values are dates, from before 2013, and their years spread over more than fifteen."""
    if c.profile.kinds.get("date", 0.0) < 0.8 or c.profile.distinct < 5:
        return False
    years = sorted(int(found[0]) for t in c.profile.texts if (found := _YEAR.search(t)))
    if len(years) < 5:
        return False
    low, high = years[len(years) // 10], years[-1 - len(years) // 10]
    return low >= _FIRST_BORN and high <= _LAST_BORN and high - low > 15


def _named_by_header(c: ColumnCandidates, entity: str) -> bool:
    return any(n.rule.entity == entity and n.rule.id not in OPEN for n in c.named)


def are_long_past(c: ColumnCandidates) -> bool:
    """Whether all values are days of which none is of the last years, as days of birth of adults are."""
    years = [int(found[0]) for text in c.profile.texts if (found := _YEAR.search(text))]
    return (
        c.profile.kinds.get("date", 0.0) == 1 and bool(years) and _FIRST_BORN <= min(years) <= max(years) <= _LAST_BORN
    )


def _measured(c: ColumnCandidates) -> bool:
    p = c.profile
    return (
        bool(c.header)
        and bool(p.texts)
        and (p.numeric > 0.8 or p.boolean)
        and p.kinds.get("date", 0) < 0.3
        and p.unique < 0.98
        and not _measures_nobody(c)
    )


def _measures_nobody(c: ColumnCandidates) -> bool:
    """Whether numbers are parts of a whole, which no person has, or say when something was, or how often."""
    return "%" in (c.header or "") or not _OF_NOBODY.isdisjoint(tokens(c.header or ""))


def _row_key(columns: list[ColumnCandidates], patients: bool) -> None:
    """Take the key of rows about persons for a person's.

    Where their national numbers repeat, rows are about payments or visits of persons, and so are keys.
    """
    sure = {b.entity for c in columns if (b := c.best()) and b.logit > 0.5}
    if any((b := c.best()) and b.entity in _OF_ONE_PERSON and c.profile.unique < _REPEATED for c in columns):
        return
    if sure & {"PERSON_ID", "MEDICAL_RECORD"} and not sure & {"FIRST_NAME", "LAST_NAME", "DATE_OF_BIRTH", "GENDER"}:
        return
    entity, rule = ("MEDICAL_RECORD", "medical-record") if patients else ("PERSON_ID", "person-id")
    for c in columns:
        if is_named_key(c) and c.profile.unique > 0.9:
            reasons = (Reason("header", "generic-id"), Reason("subject", text="key of rows about persons"))
            key = Candidate(entity, None, rule, 1.2, reasons, by_header=True)
            columns[c.index] = replace(
                c, candidates=ranked((key, *(x for x in c.candidates if x.entity != "GENERIC_ID")))
            )
            return
