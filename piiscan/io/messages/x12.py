"""X12 interchanges (x12.org; HIPAA's claims, payments, enrolments and eligibility): each kind of segment is a table.

An address or a date of birth is that of the party named last, so `N3 IL` holds the subscribers' addresses, and `N3 PR`
the payers'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from piiscan.io.messages.records import Notation, Place, Record, Span, after_blank, one_line, pieces

_ELEMENT: Final = r"(?:(?!(?P=e)).){0,40}(?P=e)"
_ENVELOPE: Final = re.compile(
    rf"ISA(?P<e>[^\w\s])(?:{_ELEMENT}){{10}}(?P<r>.)(?:{_ELEMENT}){{5}}(?P<c>.)(?P<t>[^\w ])", re.DOTALL
)
_SEGMENT: Final = re.compile(r"[A-Z][A-Z0-9]{1,2}")
_CODE: Final = re.compile(r"[A-Z0-9]{1,3}")
_PARTIES: Final = ("NM1", "N1")
_OF_PARTY: Final = ("N2", "N3", "N4", "DMG", "PER")
_OF_KIND: Final = ("REF", "DTP")
_WHO: Final = {
    "IL": "subscriber", "QC": "patient", "03": "dependent", "74": "insured", "70": "insured", "S1": "parent",
    "S3": "guardian", "GD": "guardian", "QD": "responsible person", "GM": "spouse", "E1": "spouse", "CZ": "applicant",
    "82": "rendering provider", "71": "attending physician", "72": "operating physician", "73": "other physician",
    "DN": "referring provider", "DK": "ordering provider", "DQ": "supervising provider", "P3": "primary care provider",
    "85": "billing provider", "87": "pay-to provider", "77": "service facility", "1P": "provider", "PE": "payee",
    "PR": "payer", "41": "submitter", "40": "receiver", "36": "employer", "IN": "insurer", "P5": "plan sponsor",
}  # fmt: skip
"""Parties by their code."""
_NUMBERS: Final = {
    "SY": "social security number", "EA": "medical record number", "1W": "member id", "0F": "subscriber number",
    "23": "client number", "3H": "case number", "1L": "group number", "IG": "policy number", "17": "client category",
    "D9": "claim number", "F8": "payer claim number", "EI": "employer identification number", "Y4": "claim number",
    "0B": "state license number", "1G": "provider number", "G2": "provider number", "LU": "location number",
    "TJ": "tax id", "ABB": "personal id number", "DX": "department number", "ZZ": "number",
}  # fmt: skip
"""What a REF holds, by its code."""
_CONTACTS: Final = {
    "TE": "phone number", "HP": "home phone number", "WP": "work phone number", "CP": "mobile phone number",
    "FX": "fax number", "EM": "email address", "AP": "alternate phone number", "UR": "url",
}  # fmt: skip
_BY_KIND: Final = 100
"""Places of numbers whose kind another element says, from here on."""
_KNOWN: Final = {
    "N2": {1: "additional name", 2: "additional name"},
    "N3": {1: "street address", 2: "address line 2"},
    "N4": {1: "city", 2: "state", 3: "zip code", 4: "country"},
    "DMG": {2: "date of birth", 3: "sex", 4: "marital status", 5: "race", 6: "citizenship", 7: "country"},
    "PER": {2: "contact name"},
    "CLM": {1: "patient control number", 2: "claim amount"},
    "CLP": {1: "patient control number", 3: "claim amount", 7: "claim number"},
    "SBR": {2: "relationship", 3: "group number", 4: "group name"},
    "INS": {2: "relationship", 12: "date of death"},
    "PAT": {1: "relationship", 6: "date of death"},
    "NTE": {2: "note"}, "MSG": {1: "note"}, "K3": {1: "note"},
    "BHT": {3: "reference number", 4: "date"},
}  # fmt: skip
_OF_DIAGNOSES: Final = "HI"


class _Marks(NamedTuple):
    """What ends an element, a component and a segment; `repetition` is empty where elements don't repeat."""

    element: str
    component: str
    end: str
    repetition: str


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    marks, party = _Marks("*", ":", "~", ""), ""
    start = after_blank(text, 0)
    while start < len(text):
        if (envelope := _ENVELOPE.match(text, start)) is not None:
            repetition = "" if envelope["r"].isalnum() else envelope["r"]
            marks = _Marks(envelope["e"], envelope["c"], envelope["t"], repetition)
        stop = text.find(marks.end, start)
        stop = len(text) if stop < 0 else stop
        name = text[start:stop].partition(marks.element)[0]
        after = after_blank(text, min(stop + len(marks.end), len(text)))
        if not _SEGMENT.fullmatch(name) or name == "ISA":  # of fixed width: nothing in it can be written anew
            others.append((start, stop))
        else:
            elements = [*pieces(text, min(start + len(name) + 1, stop), stop, marks.element)]
            code = found_code[0] if (found_code := _CODE.fullmatch(text, *elements[0])) is not None else ""
            if name in _PARTIES:
                is_firm = len(elements) > 1 and text[slice(*elements[1])] == "2"
                party = f"{code} organization" if is_firm else code
            table = (
                f"{name} {party}" if name in (*_PARTIES, *_OF_PARTY) else f"{name} {code}" if name in _OF_KIND else name
            )
            yield Record(table.strip(), start, after, dict(_cells(text, name, elements, marks, code)), marks)
        start = after


def _cells(text: str, name: str, elements: list[Span], marks: _Marks, code: str) -> Iterator[tuple[Place, Span]]:
    named = code and (name in _PARTIES or name in _OF_KIND)
    if name == "PER":
        yield from _contacts(text, elements)
        return
    for number, (start, end) in enumerate(elements, 1):
        if number == 1 and named:
            continue  # the table's name
        if marks.component not in text[start:end]:
            yield (number, 0, 1 if name == _OF_DIAGNOSES else 0), (start, end)
            continue
        for place, component in enumerate(pieces(text, start, end, marks.component), 1):
            yield (number, 0, place), component


def _contacts(text: str, elements: list[Span]) -> Iterator[tuple[Place, Span]]:
    """The elements of a PER; numbers by their kind, which the element before says."""
    seen: dict[int, int] = {}
    for number, span in enumerate(elements, 1):
        kind = text[slice(*elements[number - 2])] if number > 3 and number % 2 == 0 else ""
        place = _BY_KIND + [*_CONTACTS].index(kind) if kind in _CONTACTS else number
        seen[place] = seen.get(place, -1) + 1
        yield (place, seen[place], 0), span


def _written(value: str, marks: _Marks) -> str:
    """A value without the marks: there is no way to write them."""
    return "".join(" " if c in marks else c for c in one_line(value))


def _header(table: str, place: Place) -> str:
    number, again, component = place
    name, _, kind = table.partition(" ")
    code = f"{name}{number:02}" if number < _BY_KIND else f"{name} {[*_CONTACTS][number - _BY_KIND]}"
    code += f"-{component}" if component else ""
    what = _what(name, kind, number, component)
    return (f"{what} ({code})" if what else code) + (f" {again + 1}" if again else "")


def _what(name: str, kind: str, number: int, component: int) -> str:
    who = _WHO.get(kind.partition(" ")[0], "")
    if name in _PARTIES:
        if name == "N1" or "organization" in kind:
            what = {2: "name", 3: "organization name", 9: "organization id", 4: "id"}.get(number, "")
            what = {2: "", 4: ""}.get(number, what) if name == "NM1" else what
        else:
            what = {3: "last name", 4: "first name", 5: "middle name", 6: "title", 7: "name suffix", 9: "id"}.get(
                number, ""
            )
        return f"{who} {what}".strip() if what else ""
    if name == "REF":
        return _NUMBERS.get(kind, "reference number") if number == 2 else ""
    if name == "DTP":
        return "date" if number == 3 else ""
    if name == _OF_DIAGNOSES:
        return "patient diagnosis code" if component == 2 else ""
    if number >= _BY_KIND:
        return f"{who} {[*_CONTACTS.values()][number - _BY_KIND]}".strip()
    what = _KNOWN.get(name, {}).get(number, "") if component in (0, 1) else ""
    return f"{who} {what}".strip() if what and name in _OF_PARTY else what


NOTATION: Final = Notation(_read, _header, lambda text, marks: text, _written)
