"""Evidence across columns: what a column is, given what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from piiscan.core.header_words import fold, tokens
from piiscan.core.types import Reason
from piiscan.detection.summary.sample import RowSample
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.scanning.classify.candidates import Candidate, Judged, ranked
from piiscan.scanning.classify.word_lists import NOT_PERSONS

ENOUGH_ROWS = 5
ROWS_SEEN = 100
"""Rows compared across columns: enough for shares within ten per cent."""
_DATE = re.compile(
    r"(?:(?P<y>\d{4})[-/.]?(?P<m>\d{2})[-/.]?(?P<d>\d{2})|(?P<d2>\d{1,2})[-/.](?P<m2>\d{1,2})[-/.](?P<y2>\d{4}))(?:[T "
    r"].*)?"
)


def with_neighbours(columns: Sequence[Judged], summary: TableSummary) -> list[Judged]:
    """The columns, each judged again in the light of the others."""
    out = list(columns)
    _complete_names(out)
    _coordinates(out)
    _places(out)
    _phones(out)
    _births(out, summary.row_sample)
    _mails(out, summary.row_sample)
    return out


def _with(column: Judged, *more: Candidate) -> Judged:
    return replace(
        column, candidates=ranked((*more, *(c for c in column.candidates if c.entity not in {m.entity for m in more})))
    )


def _sure(columns: Sequence[Judged], entity: str) -> list[Judged]:
    return [c for c in columns if (b := c.best()) and b.entity == entity and b.logit > 0.5]


def _complete_names(columns: list[Judged]) -> None:
    """A column named "name" beside given names holds family names, and the other way round; "first" beside "last"
    are names."""
    given, family = _sure(columns, "FIRST_NAME"), _sure(columns, "LAST_NAME")
    shorts = {c.index: {n.rule.id for n in c.named} for c in columns if len(tokens(c.header or "")) <= 3}
    firsts = [c for c in columns if "first-name-short" in shorts.get(c.index, ())]
    lasts = [c for c in columns if "last-name-short" in shorts.get(c.index, ())]
    for group, partners in ((firsts, lasts or family), (lasts, firsts or given)):
        for c in group:
            near = c.of("FIRST_NAME" if group is firsts else "LAST_NAME")
            if near and partners:
                columns[c.index] = _with(
                    c,
                    near.moved(2.5, Reason("neighbour", near.rule, text="the other half of the name stands beside it")),
                )
    for c in list(columns):
        words = tokens(c.header or "")
        if (
            "name" not in shorts.get(c.index, ())
            or bool(given) == bool(family)
            or len(words) > 2
            or not NOT_PERSONS.isdisjoint(words)
        ):
            continue
        if c.values.look.single < 0.8 or c in given or c in family:
            continue
        entity, text = (
            ("LAST_NAME", "given names stand in another column")
            if given
            else ("FIRST_NAME", "family names stand in another column")
        )
        columns[c.index] = _with(
            c,
            *_less_person(c),
            Candidate(
                entity, None, "name", 2.5, (Reason("header", "name"), Reason("neighbour", "name", text=text)), True
            ),
        )
    if not family:
        for first in given:
            _beside_given(columns, first.index)


def _beside_given(columns: list[Judged], index: int) -> None:
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


def _less_person(c: Judged) -> list[Candidate]:
    whole = c.of("PERSON")
    return (
        [whole.moved(-3.0, Reason("neighbour", "name", text="half of the name stands in another column"))]
        if whole
        else []
    )


def _coordinates(columns: list[Judged]) -> None:
    """Coordinates: "long" beside "lat", "x" beside "y", where both are decimals."""
    halves = [c for c in columns if (b := c.of("GEO_COORDINATES")) and b.by_header]
    for c in halves:
        found = c.of("GEO_COORDINATES")
        if not found or not any(n.rule.id == "longitude-short" for n in c.named):
            continue
        partner = [
            o
            for o in halves
            if o.index != c.index and abs(o.index - c.index) <= 2 and (b := o.best()) and b.entity == "GEO_COORDINATES"
        ]
        p = c.profile
        known = any(not any(n.rule.id == "longitude-short" for n in o.named) for o in partner)
        ok = partner and p.numeric > 0.8 and p.whole < 0.3 and p.within(-180, 180) > 0.97 and (known or p.length > 7)
        moved = found.moved(
            2.0 if ok else -3.0,
            Reason(
                "neighbour",
                found.rule,
                text="the other coordinate stands beside it" if ok else "no other coordinate beside it",
            ),
        )
        columns[c.index] = _with(c, moved)


def _places(columns: list[Judged]) -> None:
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
                    best.moved(
                        0.5 * min(2, len(others)),
                        Reason("neighbour", best.rule, text="other parts of an address stand beside it"),
                    ),
                )


def _phones(columns: list[Judged]) -> None:
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


def _births(columns: list[Judged], rows: RowSample) -> None:
    """A national number that holds the date in another column: the date is of birth, the number is a person's."""
    numbers = [
        c
        for c in columns
        if any(x.entity in ("NATIONAL_ID", "US_SSN", "PERSON_ID") for x in c.candidates)
        and c.profile.with_digit > 0.9
        and 9 <= c.profile.length <= 20
    ]
    dates = [
        c
        for c in columns
        if c.profile.kinds.get("date", 0) > 0.8 or (c.profile.whole == 1 and c.profile.within(18500101, 20301231) > 0.9)
    ]
    for number in numbers:
        for date in dates:
            pairs = [
                (r[number.index], r[date.index]) for r, _ in rows.items[:ROWS_SEEN] if r[number.index] and r[date.index]
            ]
            agree = sum(holds_birth(a or "", b or "") for a, b in pairs)
            if len(pairs) >= ENOUGH_ROWS and agree >= 0.8 * len(pairs):
                text = "the date in one column stands in the number of the other"
                old = date.of("DATE_OF_BIRTH") or Candidate("DATE_OF_BIRTH", None, "date-of-birth", 0.0, ())
                columns[date.index] = _with(
                    date, old.moved(4.0, Reason("neighbour", old.rule, agree, round(agree / len(pairs), 4), text=text))
                )
                person = number.of("NATIONAL_ID", "US_SSN", "PERSON_ID")
                if person:
                    columns[number.index] = _with(
                        number,
                        person.moved(
                            3.0, Reason("neighbour", person.rule, agree, round(agree / len(pairs), 4), text=text)
                        ),
                    )


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
    wanted = [f"{year}{month:02}{day:02}", f"{day:02}{month:02}{year[1:]}", f"{day:02}{month:02}{yy}"]
    wanted += [
        f"{yy}{month + more:02}{day + late:02}"
        for more in (0, 20, 40, 50, 60, 80)
        if month + more < 100
        for late in (0, 40)
    ]
    return any(digits.startswith(w) or digits[1:].startswith(w) or digits[6:].startswith(w) for w in wanted)


def _mails(columns: list[Judged], rows: RowSample) -> None:
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
            pairs = [
                (r[mail.index] or "", r[c.index] or "")
                for r, _ in rows.items[:ROWS_SEEN]
                if r[mail.index] and r[c.index]
            ]
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
                columns[c.index] = _with(c, found.moved(2.5, reason))


def _mail_holds(mail: str, name: str) -> bool:
    local = fold(mail.split("@")[0])
    return any(len(w) > 2 and w in local for w in tokens(name))
