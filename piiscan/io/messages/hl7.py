r"""HL7 version 2 messages (hl7.org, chapter 2A and 3): each kind of segment is a table, a row for each segment.

Names, addresses, telephones and identifiers of people are taken apart, since `SMITH^ANN^M` isn't how anybody writes a
name; other fields are cells as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from piiscan.io.messages.records import Notation, Place, Record, Span, one_line, pieces

BEGINNING: Final = re.compile(r"\x0b?(?:FHS|BHS|MSH)([^\w\s])([^\w\s]{2,6})\1")
_SEGMENT: Final = re.compile(r"[A-Z][A-Z0-9]{2}")
_LINE: Final = re.compile(r"[^\r\n]+")
_AROUND: Final = "\x0b\x1c \t"
"""Marks of transport around messages."""
_HEADERS: Final = ("FHS", "BHS", "MSH")
"""Segments whose first field is the separator of fields itself."""
_NAME: Final = ("last name", "first name", "middle name", "name suffix", "title")
_ADDRESS: Final = ("street address", "address line 2", "city", "state", "zip code", "country")
_PHONE: Final = ("phone number", "", "", "email address")
_ID: Final = ("",)
_DOCTOR: Final = ("id", *_NAME)
_Parts = tuple[str, ...]
_KNOWN: Final[dict[str, dict[int, tuple[str, _Parts]]]] = {
    "PID": {
        2: ("patient id", _ID), 3: ("medical record number", _ID), 4: ("alternate patient id", _ID),
        5: ("patient", _NAME), 6: ("mother's maiden", _NAME), 7: ("date of birth", ()), 8: ("sex", ()),
        9: ("patient alias", _NAME), 10: ("race", ()), 11: ("patient", _ADDRESS), 12: ("county", ()),
        13: ("home", _PHONE), 14: ("business", _PHONE), 15: ("language", ()), 16: ("marital status", ()),
        17: ("religion", ()), 18: ("visit number", _ID), 19: ("social security number", ()),
        20: ("driver license number", _ID), 21: ("mother's id", _ID), 22: ("ethnic group", ()),
        23: ("birth place", ()), 26: ("citizenship", ()), 28: ("nationality", ()), 29: ("date of death", ()),
    },
    "NK1": {
        2: ("next of kin", _NAME), 3: ("relationship", ()), 4: ("next of kin", _ADDRESS), 5: ("next of kin", _PHONE),
        6: ("next of kin business", _PHONE), 15: ("sex", ()), 16: ("date of birth", ()), 30: ("contact", _NAME),
        31: ("contact", _PHONE), 32: ("contact", _ADDRESS), 37: ("social security number", ()),
    },
    "GT1": {
        2: ("guarantor number", _ID), 3: ("guarantor", _NAME), 5: ("guarantor", _ADDRESS), 6: ("guarantor", _PHONE),
        7: ("guarantor business", _PHONE), 8: ("date of birth", ()), 9: ("sex", ()), 12: ("social security number", ()),
    },
    "IN1": {
        16: ("insured", _NAME), 18: ("date of birth", ()), 19: ("insured", _ADDRESS), 36: ("policy number", ()),
        49: ("insured id", _ID),
    },
    "MRG": {1: ("medical record number", _ID), 3: ("visit number", _ID), 7: ("patient", _NAME)},
    "PV1": {
        7: ("attending doctor", _DOCTOR), 8: ("referring doctor", _DOCTOR), 9: ("consulting doctor", _DOCTOR),
        17: ("admitting doctor", _DOCTOR), 19: ("visit number", _ID), 44: ("admitted", ()), 45: ("discharged", ()),
    },
    "EVN": {5: ("operator", _DOCTOR)}, "PD1": {4: ("primary care doctor", _DOCTOR)},
    "PV2": {13: ("referring doctor", _DOCTOR)}, "DG1": {16: ("diagnosing doctor", _DOCTOR)},
    "PR1": {8: ("anesthesiologist", _DOCTOR), 11: ("surgeon", _DOCTOR), 12: ("procedure doctor", _DOCTOR)},
    "ROL": {4: ("staff", _DOCTOR), 11: ("staff", _ADDRESS), 12: ("staff", _PHONE)},
    "FT1": {20: ("performed by", _DOCTOR), 21: ("ordered by", _DOCTOR)},
    "RXA": {10: ("administering provider", _DOCTOR)},
    "TXA": {
        5: ("author", _DOCTOR), 9: ("author", _DOCTOR), 10: ("assigned doctor", _DOCTOR),
        11: ("transcriptionist", _DOCTOR),
    },
    "AIP": {3: ("staff", _DOCTOR)},
    "SCH": {
        12: ("contact", _DOCTOR), 13: ("contact", _PHONE), 16: ("contact", _DOCTOR), 17: ("contact", _PHONE),
        20: ("entered by", _DOCTOR),
    },
    "STF": {
        3: ("staff", _NAME), 5: ("sex", ()), 6: ("date of birth", ()), 10: ("staff", _PHONE), 11: ("staff", _ADDRESS),
    },
    "ORC": {10: ("entered by", _DOCTOR), 11: ("verified by", _DOCTOR), 12: ("ordering provider", _DOCTOR)},
    "OBR": {10: ("collector", _DOCTOR), 16: ("ordering provider", _DOCTOR), 28: ("copies to", _DOCTOR)},
    "OBX": {16: ("responsible observer", _DOCTOR)},
    "NTE": {3: ("comment", ())},
}  # fmt: skip
"""What a segment's fields about people are, and the parts that they are taken apart into."""


class _Marks(NamedTuple):
    """What divides fields, components, repetitions and parts of components; and what begins an escape."""

    field: str
    component: str
    repetition: str
    escape: str
    part: str


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    marks = _Marks("|", "^", "~", "\\", "&")
    for line in _LINE.finditer(text):
        start, end = (
            line.start() + len(line[0]) - len(line[0].lstrip(_AROUND)),
            line.start() + len(line[0].rstrip(_AROUND)),
        )
        if (beginning := BEGINNING.match(text, start, end)) is not None:
            marks = _marks(beginning[1], beginning[2])
        name = text[start : start + 3]
        if not _SEGMENT.fullmatch(name) or text[start + 3 : min(start + 4, end)] not in ("", marks.field):
            if start < end:
                others.append((start, end))
            continue
        stop = line.end() + (2 if text.startswith("\r\n", line.end()) else 1)
        yield Record(name, line.start(), min(stop, len(text)), dict(_cells(text, name, start + 4, end, marks)), marks)


def _marks(field: str, others: str) -> _Marks:
    usual = "^~\\&"
    return _Marks(field, *(others + usual[len(others) :])[:4])


def _cells(text: str, segment: str, start: int, end: int, marks: _Marks) -> Iterator[tuple[Place, Span]]:
    """Where the values of a segment are: those of a field in as many cells as it is taken apart into."""
    if start > end:
        return
    first = 2 if segment in _HEADERS else 1
    for number, field in enumerate(pieces(text, start, end, marks.field), first):
        _, parts = _KNOWN.get(segment, {}).get(number, ("", ()))
        if number == 2 and first == 2 and not any(map(str.isalnum, text[slice(*field)])):
            continue  # the marks themselves
        if not parts:
            yield (number, 0, 0), field
            continue
        for repetition, one in enumerate(pieces(text, *field, marks.repetition)):
            for place, component in enumerate(pieces(text, *one, marks.component), 1):
                yield (number, repetition, place), component


def _plain(text: str, marks: _Marks) -> str:
    """A text without escapes; the parts of a component become words."""
    text = text.replace(marks.part, " ") if text.strip(marks.part) else text
    if marks.escape not in text:
        return text
    mark = re.escape(marks.escape)
    meant = {"F": marks.field, "S": marks.component, "T": marks.part, "R": marks.repetition, "E": marks.escape}

    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code in meant:
            return meant[code]
        if code[:1] == "X" and len(code) % 2 and re.fullmatch("[0-9A-Fa-f]+", code[1:]):
            return bytes.fromhex(code[1:]).decode("utf-8", "replace")
        return " " if code[:1] == "." or code in ("H", "N") else found[0]

    return re.sub(rf"{mark}([^{mark}]{{1,40}}){mark}", one, text)


def _written(value: str, marks: _Marks) -> str:
    escape = marks.escape
    codes = {marks.field: "F", marks.component: "S", marks.part: "T", marks.repetition: "R", escape: "E"}
    return "".join(f"{escape}{codes[c]}{escape}" if c in codes else c for c in one_line(value))


def _header(segment: str, place: Place) -> str:
    """What a column is called: in words as far as they are known, and by the number of the field."""
    number, repetition, component = place
    what, parts = _KNOWN.get(segment, {}).get(number, ("", ()))
    part = parts[component - 1] if 0 < component <= len(parts) else ""
    code = f"{segment}-{number}" + (f".{component}" if component > 1 or len(parts) > 1 else "")
    again = f" {repetition + 1}" if repetition else ""
    known = component <= len(parts) and (part or component <= 1)
    return f"{what} {part}".strip() + f"{again} ({code})" if what and known else code + again


NOTATION: Final = Notation(_read, _header, _plain, _written)
