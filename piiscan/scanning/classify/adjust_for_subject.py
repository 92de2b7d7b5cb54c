"""What a column is, once it is known what the rows are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from piiscan.core.header_words import tokens
from piiscan.core.types import Reason
from piiscan.scanning.classify.candidates import Candidate, Judged, ranked
from piiscan.scanning.classify.subject import NAMES, Rows

OPEN = frozenset(("name", "occupation-short", "location", "description", "person-id-open", "driver-license-open"))
"""Rules whose headers mean a person's attribute in tables about persons and other things elsewhere."""
OTHERS = frozenset(("thing", "place", "aggregate"))
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
MEDICAL_COLUMNS = 3
"""So many columns about health make a medical table."""
CLINICAL_SHARE = 0.15
"""From this share of columns about health on, other measurements are taken for health too."""


def settled(columns: Sequence[Judged], rows: Rows) -> list[Judged]:
    """The columns with what the rows are about weighed in."""
    about_persons = Reason("subject", text="rows are about persons")
    about_others = Reason("subject", text="rows are not about persons")
    sure = sum(1 for c in columns if (b := c.best()) and b.entity == "HEALTH_CONDITION")
    medical = rows.personal and (
        sure >= MEDICAL_COLUMNS or any((b := c.best()) and b.entity == "MEDICAL_RECORD" for c in columns)
    )
    share = sure / max(1, len(columns))
    out = []
    for c in columns:
        moved = []
        for candidate in c.candidates:
            if candidate.rule in OPEN:
                less = -1.4 if rows.subject in OTHERS and candidate.entity == "PERSON" else -0.9
                candidate = candidate.moved(
                    0.9 if rows.personal else less, about_persons if rows.personal else about_others
                )
            elif (
                candidate.entity in ("ETHNICITY", "HEALTH_CONDITION", "INCOME", "EDUCATION", "OCCUPATION")
                and not rows.personal
                and candidate.logit < 3
            ):
                candidate = candidate.moved(-1.5, about_others)
            elif (
                candidate.entity in NAMES
                and not _said(c, candidate.entity)
                and not rows.personal
                and rows.subject is not None
            ):
                candidate = candidate.moved(
                    -2.2 if rows.subject in OTHERS else -0.9, about_others
                )  # storms and ships bear names of persons
            elif (
                candidate.entity == "NATIONAL_ID"
                and not candidate.by_header
                and not rows.personal
                and c.of("ORGANIZATION_ID")
            ):
                candidate = candidate.moved(-3.0, about_others)  # one check serves numbers of persons and of firms
            if candidate.rule == "health-hint" and medical:
                candidate = candidate.moved(
                    2.2, Reason("neighbour", "health-hint", text="other columns are about health")
                )
            moved.append(candidate)
        if (
            medical
            and share >= CLINICAL_SHARE
            and _measured(c)
            and not any(x.logit > -0.5 and x.entity != "HEALTH_CONDITION" for x in moved)
        ):
            reason = Reason("neighbour", "health-hint", text="most other columns are about health")
            known = next((x for x in moved if x.entity == "HEALTH_CONDITION"), None)
            if known is None or known.logit < 0.3:
                moved = [x for x in moved if x is not known]
                moved.append(
                    Candidate("HEALTH_CONDITION", None, "health-hint", 0.3, (*(known.reasons if known else ()), reason))
                )
        out.append(replace(c, candidates=ranked(moved)))
    if rows.personal and rows.subject == "person":
        _row_key(out, rows.patients)
        _unnamed(out)
    return out


def _unnamed(columns: list[Judged]) -> None:
    """Tables about persons without any header: dates of two generations are of birth, the first unique key is the
    person's."""
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
            columns[c.index] = replace(c, candidates=ranked((found, *c.candidates)))


def _generations(c: Judged) -> bool:
    """Whether most values are dates, from before 2013, and their years spread over more than fifteen."""
    if c.profile.kinds.get("date", 0.0) < 0.8 or c.profile.distinct < 5:
        return False
    years = sorted(int(found[0]) for t in c.profile.texts if (found := _YEAR.search(t)))
    if len(years) < 5:
        return False
    low, high = years[len(years) // 10], years[-1 - len(years) // 10]
    return low >= 1900 and high <= 2012 and high - low > 15


def _said(c: Judged, entity: str) -> bool:
    return any(n.rule.entity == entity and n.rule.id not in OPEN for n in c.named)


def _measured(c: Judged) -> bool:
    p = c.profile
    return (
        bool(c.header)
        and bool(p.texts)
        and (p.numeric > 0.8 or p.boolean)
        and p.kinds.get("date", 0) < 0.3
        and p.unique < 0.98
    )


def _row_key(columns: list[Judged], patients: bool) -> None:
    """The key of rows about persons is a person's."""
    sure = {b.entity for c in columns if (b := c.best()) and b.logit > 0.5}
    if sure & {"PERSON_ID", "MEDICAL_RECORD"} and not sure & {"FIRST_NAME", "LAST_NAME", "DATE_OF_BIRTH", "GENDER"}:
        return
    entity, rule = ("MEDICAL_RECORD", "medical-record") if patients else ("PERSON_ID", "person-id")
    for c in columns[:2]:
        if tokens(c.header or "") in (("id",), ("ids",)) and c.profile.unique > 0.9:
            reasons = (Reason("header", "generic-id"), Reason("subject", text="key of rows about persons"))
            key = Candidate(entity, None, rule, 1.2, reasons, by_header=True)
            columns[c.index] = replace(
                c, candidates=ranked((key, *(x for x in c.candidates if x.entity != "GENERIC_ID")))
            )
            return
