"""Evidence across columns: what a column is, given what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from piiscan.core.header_words import fold, tokens
from piiscan.core.types import Reason
from piiscan.detection.summary.sample import RowSample
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, ranked
from piiscan.scanning.classify.word_lists import NOT_PERSONS

ENOUGH_ROWS = 5
ROWS_SEEN = 100
"""Rows compared across columns: enough for shares within ten per cent."""
_PERSON_NUMBERS = ("NATIONAL_ID", "US_SSN", "PERSON_ID")
_DATE = re.compile(
    r"(?:(?P<y>\d{4})[-/.]?(?P<m>\d{2})[-/.]?(?P<d>\d{2})"
    r"|(?P<d2>\d{1,2})[-/.](?P<m2>\d{1,2})[-/.](?P<y2>\d{4}))(?:[T ].*)?"
)


def with_neighbours(columns: Sequence[ColumnCandidates], summary: TableSummary) -> list[ColumnCandidates]:
    """The columns, each judged again in the light of the others."""
    out = list(columns)
    _complete_names(out)
    _coordinates(out)
    _places(out)
    _phones(out)
    _births(out, summary.row_sample)
    _mails(out, summary.row_sample)
    return out


def _with(column: ColumnCandidates, *more: Candidate) -> ColumnCandidates:
    return replace(
        column, candidates=ranked((*more, *(c for c in column.candidates if c.entity not in {m.entity for m in more})))
    )


def _sure(columns: Sequence[ColumnCandidates], entity: str) -> list[ColumnCandidates]:
    return [c for c in columns if (b := c.best()) and b.entity == entity and b.logit > 0.5]


def _complete_names(columns: list[ColumnCandidates]) -> None:
    """A column named "name" beside given names holds family names, and the other way round; "first" beside "last"
    are names."""
    given, family = _sure(columns, "FIRST_NAME"), _sure(columns, "LAST_NAME")
    named = {c.index: {n.rule.id for n in c.named} for c in columns if len(tokens(c.header or "")) <= 3}
    firsts = [c for c in columns if "first-name-short" in named.get(c.index, ())]
    lasts = [c for c in columns if "last-name-short" in named.get(c.index, ())]
    if lasts or family:
        _as_half(columns, firsts, "FIRST_NAME")
    if firsts or given:
        _as_half(columns, lasts, "LAST_NAME")
    if bool(given) != bool(family):
        names = [c for c in columns if "name" in named.get(c.index, ()) and c not in given and c not in family]
        _complete_half(columns, names, with_given=bool(given))
    if not family:
        for first in given:
            _beside_given(columns, first.index)


def _as_half(columns: list[ColumnCandidates], halves: Sequence[ColumnCandidates], entity: str) -> None:
    """Columns whose short header may mean a half of a name, where the other half stands beside them."""
    for c in halves:
        if found := c.of(entity):
            reason = Reason("neighbour", found.rule, text="the other half of the name stands beside it")
            columns[c.index] = _with(c, found.with_evidence(2.5, reason))


def _complete_half(columns: list[ColumnCandidates], names: Sequence[ColumnCandidates], with_given: bool) -> None:
    """Columns called "name" hold the other half of the names than the one that has a column of its own."""
    entity, text = (
        ("LAST_NAME", "given names stand in another column")
        if with_given
        else ("FIRST_NAME", "family names stand in another column")
    )
    reasons = (Reason("header", "name"), Reason("neighbour", "name", text=text))
    for c in names:
        words = tokens(c.header or "")
        if len(words) <= 2 and NOT_PERSONS.isdisjoint(words) and c.values.look.single >= 0.8:
            columns[c.index] = _with(c, *_less_person(c), Candidate(entity, None, "name", 2.5, reasons, True))


def _beside_given(columns: list[ColumnCandidates], index: int) -> None:
    """Without a header, single capitalised words beside given names are family names where some are known ones."""
    for c in columns[max(0, index - 1) : index] + columns[index + 1 : index + 2]:
        look = c.values.look
        if c.best() or c.named or c.profile.distinct < 8 or look.single < 0.8 or look.shaped < 0.9 or look.last < 0.2:
            continue
        if c.values.listed("CITY") < 0.2 and look.last > look.first:
            reasons = (
                Reason("values", "last-names", share=round(look.last, 4), text="known family names"),
                Reason("neighbour", "last-names", text="given names stand beside it"),
            )
            columns[c.index] = _with(
                c, Candidate("LAST_NAME", None, "last-names", 0.4 + 2.0 * (look.last - 0.2), reasons)
            )


def _less_person(c: ColumnCandidates) -> list[Candidate]:
    whole = c.of("PERSON")
    return (
        [whole.with_evidence(-3.0, Reason("neighbour", "name", text="half of the name stands in another column"))]
        if whole
        else []
    )


def _coordinates(columns: list[ColumnCandidates]) -> None:
    """Coordinates: "long" beside "lat", "x" beside "y", where both are decimals."""
    halves = [c for c in columns if (found := c.of("GEO_COORDINATES")) and found.by_header]
    for c in halves:
        found = c.of("GEO_COORDINATES")
        if not found or not _short_longitude(c):
            continue
        if _is_longitude(c, [o for o in halves if 0 < abs(o.index - c.index) <= 2]):
            reason = Reason("neighbour", found.rule, text="the other coordinate stands beside it")
            columns[c.index] = _with(c, found.with_evidence(2.0, reason))
        else:
            reason = Reason("neighbour", found.rule, text="no other coordinate beside it")
            columns[c.index] = _with(c, found.with_evidence(-3.0, reason))


def _short_longitude(column: ColumnCandidates) -> bool:
    """Whether a header may mean a longitude, among other things."""
    return any(n.rule.id == "longitude-short" for n in column.named)


def _is_longitude(column: ColumnCandidates, near: Sequence[ColumnCandidates]) -> bool:
    """Whether a column's numbers fit a longitude, and one of the columns near it is the other coordinate."""
    partners = [c for c in near if (best := c.best()) and best.entity == "GEO_COORDINATES"]
    p = column.profile
    if not partners or p.numeric <= 0.8 or p.whole >= 0.3 or p.within(-180, 180) <= 0.97:
        return False
    return p.length > 7 or not all(map(_short_longitude, partners))


def _places(columns: list[ColumnCandidates]) -> None:
    """City, region, postal code and country make each other likelier."""
    kinds = ("CITY", "REGION", "POSTAL_CODE", "STREET_ADDRESS", "COUNTRY")
    present = {k for k in kinds if _sure(columns, k)}
    for c in list(columns):
        best = c.candidates[0] if c.candidates else None
        if best and best.entity in kinds[:3] and -2.0 < best.logit < 1.5 and best.by_header:
            others = present - {best.entity}
            if others:
                columns[c.index] = _with(
                    c,
                    best.with_evidence(
                        0.5 * min(2, len(others)),
                        Reason("neighbour", best.rule, text="other parts of an address stand beside it"),
                    ),
                )


def _phones(columns: list[ColumnCandidates]) -> None:
    """Grouped digits of a telephone number's length, without a header, beside names: telephone numbers."""
    if not any(_sure(columns, e) for e in ("PERSON", "FIRST_NAME", "LAST_NAME", "EMAIL_ADDRESS")):
        return
    for c in list(columns):
        p = c.profile
        if c.header is not None or c.best() or p.phone_like < 0.95 or p.unique < 0.5 or not 9 <= p.length <= 20:
            continue
        if p.share([t[0] in "0+(" or any(s in t for s in " ./") for t in p.texts]) > 0.9:
            text = "look like telephone numbers, and names stand beside them"
            reason = Reason("neighbour", "phone", text=text)
            columns[c.index] = _with(c, Candidate("PHONE_NUMBER", None, "phone", 0.8, (reason,)))


def _births(columns: list[ColumnCandidates], rows: RowSample) -> None:
    """A national number that holds the date in another column: the date is of birth, the number is a person's."""
    dates = [c for c in columns if _may_be_dates(c)]
    for number in [c for c in columns if _may_be_numbers_of_persons(c)]:
        for date in dates:
            pairs = _pairs(rows, number, date)
            agree = sum(holds_birth(a, b) for a, b in pairs)
            if len(pairs) < ENOUGH_ROWS or agree < 0.8 * len(pairs):
                continue
            old = date.of("DATE_OF_BIRTH") or Candidate("DATE_OF_BIRTH", None, "date-of-birth", 0.0, ())
            text = "the date in one column stands in the number of the other"
            share = round(agree / len(pairs), 4)
            reason = Reason("neighbour", old.rule, agree, share, text=text)
            columns[date.index] = _with(date, old.with_evidence(4.0, reason))
            if person := number.of(*_PERSON_NUMBERS):
                reason = Reason("neighbour", person.rule, agree, share, text=text)
                columns[number.index] = _with(number, person.with_evidence(3.0, reason))


def _may_be_numbers_of_persons(column: ColumnCandidates) -> bool:
    p = column.profile
    return any(x.entity in _PERSON_NUMBERS for x in column.candidates) and p.with_digit > 0.9 and 9 <= p.length <= 20


def _may_be_dates(column: ColumnCandidates) -> bool:
    p = column.profile
    return p.kinds.get("date", 0) > 0.8 or (p.whole == 1 and p.within(18500101, 20301231) > 0.9)


def _pairs(rows: RowSample, one: ColumnCandidates, other: ColumnCandidates) -> list[tuple[str, str]]:
    """The cells of two columns in the rows that have both."""
    cells = ((row[one.index], row[other.index]) for row, _ in rows.items[:ROWS_SEEN])
    return [(a, b) for a, b in cells if a and b]


def holds_birth(number: str, date: str) -> bool:
    """Whether a national number holds a date of birth, in one of the orders that states use.

    Poland adds 20, 40, 60 or 80 to the month for other centuries, Bulgaria 20 or 40, Czechia 50 for women; the Nordic
    numbers and those of former Yugoslavia start with the day.

    >>> (holds_birth("44051401359", "1944-05-14"), holds_birth("131052-308T", "13.10.1952"),
    ...  holds_birth("12345678901", "1944-05-14"))
    (True, True, False)
    """
    found = _DATE.fullmatch(date)
    if not found:
        return False
    year = found["y"] or found["y2"]
    month, day = int(found["m"] or found["m2"]), int(found["d"] or found["d2"])
    digits = "".join(c for c in number if c.isdigit())
    yy = year[2:]
    spellings = [f"{year}{month:02}{day:02}", f"{day:02}{month:02}{year[1:]}", f"{day:02}{month:02}{yy}"]
    spellings += [
        f"{yy}{month + more:02}{day + late:02}"
        for more in (0, 20, 40, 50, 60, 80)
        if month + more < 100
        for late in (0, 40)
    ]
    return any(digits.startswith(w) or digits[1:].startswith(w) or digits[6:].startswith(w) for w in spellings)


def _mails(columns: list[ColumnCandidates], rows: RowSample) -> None:
    """E-mail addresses that hold the words of another column: that column is names, and the addresses are of
    persons."""
    mails = _sure(columns, "EMAIL_ADDRESS")[:2]
    if not mails:
        return
    unsure = [
        c
        for c in columns
        if any(x.entity in ("PERSON", "FIRST_NAME", "LAST_NAME") and -2.5 < x.logit < 3 for x in c.candidates[:3])
    ]
    for mail in mails:
        for c in unsure:
            pairs = _pairs(rows, mail, c)
            agree = sum(_mail_holds(a, b) for a, b in pairs)
            found = c.of(*[x.entity for x in c.candidates[:3] if x.entity in ("PERSON", "FIRST_NAME", "LAST_NAME")])
            if found and len(pairs) >= ENOUGH_ROWS and agree >= 0.5 * len(pairs):
                reason = Reason(
                    "neighbour",
                    found.rule,
                    agree,
                    round(agree / len(pairs), 4),
                    text="the e-mail addresses hold its words",
                )
                columns[c.index] = _with(c, found.with_evidence(2.5, reason))


def _mail_holds(mail: str, name: str) -> bool:
    local = fold(mail.split("@")[0])
    return any(len(w) > 2 and w in local for w in tokens(name))
