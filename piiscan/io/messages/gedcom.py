"""Family trees in GEDCOM (gedcom.io): a person, a family and each line of notes is a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from piiscan.io.messages.records import Notation, Place, Record, Span, one_line

_LINE: Final = re.compile(
    r"^[ \t]*(\d{1,2}) +(?:(@[^@\r\n]{1,40}@) +)?(\w{1,31})(?: ([^\r\n]*))?(?:\r?\n|\r|\Z)", re.MULTILINE
)
_WHAT: Final = {
    "NAME": "full name", "NAME.GIVN": "first name", "NAME.SURN": "last name", "NAME.NICK": "nickname", "SEX": "sex",
    "BIRT.DATE": "date of birth", "BIRT.PLAC": "place of birth", "DEAT.DATE": "date of death", "OCCU": "occupation",
    "DEAT.PLAC": "place of death", "RELI": "religion", "EMAIL": "email address", "PHON": "phone number", "SSN": "ssn",
    "ADDR": "address", "RESI.ADDR": "residence address", "IDNO": "id number", "NATI": "nationality", "TITL": "title",
    "MARR.DATE": "date of marriage", "MARR.PLAC": "place of marriage",
}  # fmt: skip
_COUNTED: Final = re.compile(r"@[A-Za-z]{1,3}\d{1,9}@")
"""Names of records that say nothing of a person."""
_OF_NOTES: Final = ("NOTE", "CONT", "CONC", "TEXT", "PAGE")
_MOST: Final = 4
"""How often a value is repeated in columns of their own; what there is more of are rows of `more`."""


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    path: list[str] = []
    table, begin, cells = "", 0, dict[Place, Span]()
    seen: dict[str, int] = {}
    at = 0
    for line in _LINE.finditer(text):
        if text[at : line.start()].strip():
            others.append((at, line.start()))
        at = line.end()
        level, tag = int(line[1]), line[3]
        path = [*path[:level], tag]
        if level == 0:
            yield Record(table, begin, line.start(), cells)
            table, begin, cells, seen = tag, line.start(), {}, {}
        if line[2] is not None and not _COUNTED.fullmatch(line[2]):
            others.append(line.span(2))
        if line[4] is None:
            continue
        name = ".".join(path[1:])
        seen[name] = seen.get(name, -1) + 1
        if tag in _OF_NOTES:
            yield Record("notes", line.start(), line.end(), {("", 0, 0): line.span(4)})
        elif seen[name] < _MOST:
            cells[name, seen[name], 0] = line.span(4)
        else:
            yield Record(f"more {name}"[:40], line.start(), line.end(), {(name, 0, 0): line.span(4)})
    yield Record(table, begin, at, cells)
    if text[at:].strip():
        others.append((at, len(text)))


def _header(table: str, place: Place) -> str:
    name, again, _ = place
    what = _WHAT.get(name, "")
    return (what or name or "text") + (f" {again + 1}" if again else "")


def _plain(text: str, marks: Any) -> str:
    """A value without the slashes around a surname."""
    return re.sub(r"/([^/]*)/", r"\1", text).strip()


def _written(value: str, marks: Any) -> str:
    return one_line(value).replace("/", " ")


NOTATION: Final = Notation(_read, _header, _plain, _written)
