r"""HL7 version 2 messages (hl7.org, chapter 2A and 3): each kind of segment is a table, a row for each segment.

Names, addresses, telephones and identifiers of people are taken apart, since `SMITH^ANN^M` isn't how anybody writes a
name; other fields are cells as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.batches import sliced
from piiscan.core.errors import ReadError
from piiscan.core.types import Field, TableInfo
from piiscan.io.content import Content, ReadTable
from piiscan.io.documents import beside
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

BEGINNING: Final = re.compile(r"\x0b?(?:FHS|BHS|MSH)([^\w\s])([^\w\s]{2,6})\1")
_SEGMENT: Final = re.compile(r"[A-Z][A-Z0-9]{2}")
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


_Place = tuple[int, int, int]
"""A field, the repetition of it, and the component; 0 for a field as it is."""


def tables(content: Content, text: str, options: ReadOptions, details: tuple[tuple[str, str], ...]) -> list[ReadTable]:
    """The tables of a file of messages. Raises `ReadError` for more columns than there may be."""
    segments, others = _segments(text)
    made = [_table(content, name, rows, options, details) for name, rows in segments.items() if any(rows)]
    if options.asides:
        made += beside.table(content, others, "#other lines")
    return made


def _segments(text: str) -> tuple[dict[str, list[dict[_Place, str]]], list[str]]:
    """The cells of each segment, by its kind, and lines that are none."""
    found: dict[str, list[dict[_Place, str]]] = {}
    others: list[str] = []
    marks = _Marks("|", "^", "~", "\\", "&")
    for line in re.split(r"[\r\n]+", text):
        line = line.strip("\x0b\x1c \t")
        if (beginning := BEGINNING.match(line)) is not None:
            marks = _marks(beginning[1], beginning[2])
        name, separator, rest = line[:3], line[3:4], line[4:]
        if not _SEGMENT.fullmatch(name) or separator not in ("", marks.field):
            if line:
                others.append(line)
            continue
        first = 2 if name in _HEADERS else 1
        cells: dict[_Place, str] = {}
        for number, field in enumerate(rest.split(marks.field), first):
            if number == 2 and first == 2:
                cells[number, 0, 0] = field  # the marks themselves
            else:
                cells |= _cells(name, number, field, marks)
        found.setdefault(name, []).append(cells)
    return found, others


def _marks(field: str, others: str) -> _Marks:
    usual = "^~\\&"
    return _Marks(field, *(others + usual[len(others) :])[:4])


def _cells(segment: str, number: int, field: str, marks: _Marks) -> dict[_Place, str]:
    """What a field holds, in as many cells as it is taken apart into."""
    if not field:
        return {}
    _, parts = _KNOWN.get(segment, {}).get(number, ("", ()))
    if not parts:
        return {(number, 0, 0): _plain(field, marks)}
    return {
        (number, repetition, place): _plain(component, marks)
        for repetition, one in enumerate(field.split(marks.repetition))
        for place, component in enumerate(one.split(marks.component), 1)
        if component
    }


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


def _table(
    content: Content,
    name: str,
    rows: Sequence[dict[_Place, str]],
    options: ReadOptions,
    details: tuple[tuple[str, str], ...],
) -> ReadTable:
    places = sorted({place for row in rows for place in row})
    if len(places) > options.limits.columns:
        raise ReadError(f"more than {options.limits.columns} columns")
    fields = tuple(Field(_header(name, place)) for place in places)

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        columns = {str(i): [row.get(place) or None for row in rows] for i, place in enumerate(places)}
        frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
        yield from sliced(frame, options.batch_rows)

    return ReadTable(TableInfo(content.source, name, "hl7", True, fields, details), frames, options.rows)


def _header(segment: str, place: _Place) -> str:
    """What a column is called: in words as far as they are known, and by the number of the field."""
    number, repetition, component = place
    what, parts = _KNOWN.get(segment, {}).get(number, ("", ()))
    part = parts[component - 1] if 0 < component <= len(parts) else ""
    code = f"{segment}-{number}" + (f".{component}" if component > 1 or len(parts) > 1 else "")
    again = f" {repetition + 1}" if repetition else ""
    known = component <= len(parts) and (part or component <= 1)
    return f"{what} {part}".strip() + f"{again} ({code})" if what and known else code + again
