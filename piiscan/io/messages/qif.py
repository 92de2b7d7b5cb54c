"""Bookings in the Quicken Interchange Format: lines that begin with a letter, records that end with ^."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from piiscan.io.messages.records import Notation, Place, Record, Span, written_in_line

_LINE: Final = re.compile(r"[^\r\n]+")
_WHAT: Final = {
    "D": "date", "T": "amount", "U": "amount", "P": "payee", "M": "memo", "A": "address", "N": "number",
    "L": "category", "C": "cleared", "S": "category of the part", "E": "memo of the part", "$": "amount of the part",
}  # fmt: skip
_HEADING: Final = re.compile(r"!(?:Type|Account|Option|Clear):?\w{0,20}\s*")
_END: Final = "^"


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    table, start, cells = "", 0, dict[Place, Span]()
    seen: dict[str, int] = {}
    for line in _LINE.finditer(text):
        code = line[0][0]
        if not cells:
            start = line.start()
        if code == "!":
            table = line[0][1:].strip().rpartition(":")[2]
            if not _HEADING.fullmatch(line[0]):
                others.append(line.span())
        elif line[0].strip() == _END:
            yield Record(table, start, line.end() + (2 if text.startswith("\r\n", line.end()) else 1), cells)
            cells, seen = {}, {}
        elif code.isalpha() or code == "$":
            seen[code] = seen.get(code, -1) + 1
            cells[code, seen[code], 0] = (line.start() + 1, line.end())
        else:
            others.append(line.span())
    yield Record(table, start, len(text), cells)


def _header(table: str, place: Place) -> str:
    code, again, _ = place
    what = _WHAT.get(code, "")
    return (f"{what} ({code})" if what else str(code)) + (f" {again + 1}" if again else "")


def _plain(text: str, marks: Any) -> str:
    return text


NOTATION: Final = Notation(_read, _header, _plain, written_in_line)
