"""UN/EDIFACT interchanges (ISO 9735; orders, invoices, passenger lists): each kind of segment is a table.

A party's, a date's and a reference's kind is part of the table's name: `NAD BY` holds buyers, `DTM 329` dates of birth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from piiscan.io.messages.records import Notation, Place, Record, Span, after_blank, one_line, pieces

_SEGMENT: Final = re.compile(r"[A-Z][A-Z0-9]{2}")
_NAME: Final = ("name", "name 2", "name 3", "name 4", "name 5")
_LINES: Final = ("name and address", "address line 2", "address line 3", "address line 4", "address line 5")
_STREET: Final = ("street address", "address line 2", "address line 3", "address line 4")
_TRAVELLER: Final = ("last name", "first name", "middle name", "title", "name 5")
_WHO: Final = {
    "BY": "buyer", "SU": "supplier", "SE": "seller", "DP": "recipient", "IV": "invoicee", "CN": "consignee",
    "CZ": "consignor", "FL": "passenger", "FM": "crew member", "PAT": "patient", "EE": "employee", "ER": "employer",
    "UD": "customer", "CA": "carrier", "PE": "payee", "PR": "payer", "MS": "sender", "MR": "recipient",
}  # fmt: skip
_NUMBERS: Final = {
    "P": "passport number",
    "V": "visa number",
    "I": "identity card number",
    "C": "residence permit number",
}
_DATES: Final = {"329": "date of birth", "36": "expiry date", "137": "document date"}
_CONTACTS: Final = {"TE": "phone number", "AL": "mobile phone number", "FX": "fax number", "EM": "email address"}
_ATTRIBUTES: Final = {"2": "sex", "1": "marital status"}
_KNOWN: Final[dict[str, dict[int, tuple[str, ...]]]] = {
    "NAD": {
        2: ("id",), 3: _LINES, 4: _NAME, 5: _STREET, 6: ("city",), 7: ("region",), 8: ("postal code",), 9: ("country",),
    },
    "CTA": {2: ("contact id", "contact name")},
    "COM": {1: ("contact",)},
    "FII": {2: ("account number", "account holder name"), 3: ("bank code",)},
    "FTX": {4: ("text",) * 5},
    "RFF": {1: ("", "reference number")},
    "NAT": {2: ("nationality", "", "", "nationality")},
    "LOC": {2: ("place", "", "", "place name")},
    "PNA": {2: ("id",), **dict.fromkeys(range(6, 11), ("", "name"))},
    "ADR": {2: ("", *_STREET), 3: ("city",), 4: ("postal code",), 5: ("country",)},
}  # fmt: skip
"""What the components of a segment's elements are."""
_BY_KIND: Final = ("NAD", "CTA", "DTM", "RFF", "DOC", "ATT", "FII", "LOC", "NAT", "PNA", "COM")
"""Segments whose first element says what they are about; that of COM is behind the number."""


class _Marks(NamedTuple):
    component: str
    element: str
    release: str
    end: str


_USUAL: Final = _Marks(":", "+", "?", "'")


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    marks, at = _USUAL, after_blank(text, 0)
    if text.startswith("UNA", at):
        marks = _Marks(text[at + 3], text[at + 4], text[at + 6], text[at + 8])
        at += 9
    for start, stop in _segments(text, at, marks):
        name = text[start : start + 3]
        if not _SEGMENT.fullmatch(name) or text[start + 3 : min(start + 4, stop)] not in ("", marks.element):
            others.append((start, stop))
            continue
        elements = [[*pieces(text, *element, marks.component, marks.release)] for element in pieces(
            text, min(start + 4, stop), stop, marks.element, marks.release)]  # fmt: skip
        kind = _kind(text, name, elements)
        after = after_blank(text, min(stop + 1, len(text)))
        yield Record(f"{name} {kind}".strip(), start, after, dict(_cells(name, elements, kind)), marks)


def _segments(text: str, at: int, marks: _Marks) -> Iterator[Span]:
    for start, stop in pieces(text, at, len(text), marks.end, marks.release):
        start = min(after_blank(text, start), stop)
        if start < stop:
            yield start, stop


def _kind(text: str, name: str, elements: list[list[Span]]) -> str:
    if name not in _BY_KIND:
        return ""
    first = elements[0]
    span = first[1] if name == "COM" and len(first) > 1 else first[0]
    code = text[slice(*span)]
    return code if re.fullmatch("[A-Z0-9]{1,3}", code) else ""


def _cells(name: str, elements: list[list[Span]], kind: str) -> Iterator[tuple[Place, Span]]:
    for number, components in enumerate(elements, 1):
        for place, span in enumerate(components, 1):
            if kind and number == 1 and place == (2 if name == "COM" and len(components) > 1 else 1):
                continue  # the table's name
            yield (number, 0, place), span


def _plain(text: str, marks: _Marks) -> str:
    return re.sub(f"{re.escape(marks.release)}(.)", r"\1", text, flags=re.DOTALL) if marks.release in text else text


def _written(value: str, marks: _Marks) -> str:
    return "".join(f"{marks.release}{c}" if c in marks else c for c in one_line(value))


def _header(table: str, place: Place) -> str:
    number, _, component = place
    name, _, kind = table.partition(" ")
    code = f"{name}-{number}.{component}"
    what = _what(name, kind, number, component)
    return f"{what} ({code})" if what else code


def _what(name: str, kind: str, number: int, component: int) -> str:
    if name == "DTM":
        return _DATES.get(kind, "date") if (number, component) == (1, 2) else ""
    if name == "DOC":
        return _NUMBERS.get(kind, "document number") if (number, component) == (2, 1) else ""
    if name == "ATT":
        return _ATTRIBUTES.get(kind, "") if number == 3 else ""
    if name == "COM":
        return _CONTACTS.get(kind, "contact") if (number, component) == (1, 1) else ""
    parts = _KNOWN.get(name, {}).get(number, ())
    if name == "NAD" and number == 4 and kind in ("FL", "FM"):
        parts = _TRAVELLER
    what = parts[component - 1] if component <= len(parts) else ""
    return f"{_WHO.get(kind, '')} {what}".strip() if what and name in ("NAD", "PNA") else what


NOTATION: Final = Notation(_read, _header, _plain, _written)
