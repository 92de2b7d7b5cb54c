"""Account statements of SWIFT (MT940, MT942): each field is a table, and what a booking says is taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from piiscan.io.messages.records import Notation, Place, Record, Span, one_line, pieces

_FIELD: Final = re.compile(r"^:(\d\d[A-Z]?):(.*?)(?=\r?\n(?::\d\d[A-Z]?:|-\}?|\{1:|\Z)|\Z)", re.MULTILINE | re.DOTALL)
_PARTS: Final = re.compile(r"\?(?:\r?\n)?(\d(?:\r?\n)?\d)")
"""A code may be broken across two lines, as any text of a booking."""
_BREAK: Final = re.compile(r"\r?\n?")
_CODES: Final = re.compile(
    r"/(NAME|IBAN|REMI|BIC|ORDP|BENM|EREF|MARF|CSID|TRTP|ADDR|ID|CNTP|ISDT|PREF|RTRN|ULTB|ULTD)/"
)
_WHAT: Final = {
    "00": "booking text", "10": "batch number", "30": "bank code", "31": "account number", "32": "name", "33": "name",
    "34": "text key", **{f"{n}": "purpose" for n in (*range(20, 30), *range(60, 64))},
}  # fmt: skip
_OF_CODES: Final = {
    "NAME": "name",
    "IBAN": "iban",
    "REMI": "purpose",
    "ADDR": "address",
    "BIC": "bic",
    "ID": "creditor id",
}
_OF_FIELDS: Final = {"25": "account number", "20": "reference", "28C": "statement number", "86": "purpose"}
_BOOKING: Final = "86"


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    at = 0
    for field in _FIELD.finditer(text):
        if text[at : field.start()].strip():
            others.append((at, field.start()))
        start, end = field.span(2)
        cells, mark = _parts(text, start, end) if field[1] == _BOOKING else (dict(_lines(text, start, end)), "")
        after = _BREAK.match(text, field.end())
        at = field.end() if after is None else after.end()
        yield Record(field[1], field.start(), at, cells, mark)
    if text[at:].strip():
        others.append((at, len(text)))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[Place, Span]]:
    """The lines of a field: the second of :61: has what the first has no room for."""
    for number, (at, stop) in enumerate(pieces(text, start, end, "\n")):
        yield ("", number, 0), (at, stop - text[at:stop].endswith("\r"))


def _parts(text: str, start: int, end: int) -> tuple[dict[Place, Span], str]:
    """The subfields of a booking, and the mark of their codes; or all of it as one cell."""
    for pattern, mark in ((_PARTS, "?"), (_CODES, "/")):
        codes = list(pattern.finditer(text, start, end))
        if not codes:
            continue
        cells: dict[Place, Span] = {("", 0, 0): (start, codes[0].start())} if codes[0].start() > start else {}
        seen: dict[str, int] = {}
        for code, after in zip(codes, [*(c.start() for c in codes[1:]), end], strict=True):
            name = re.sub(r"\s", "", code[1])
            seen[name] = seen.get(name, -1) + 1
            cells[name, seen[name], 0] = code.end(), after
        return cells, mark
    return {("", 0, 0): (start, end)}, ""


def _header(table: str, place: Place) -> str:
    code, again, _ = place
    what = _WHAT.get(code) or _OF_CODES.get(code, "") if code else _OF_FIELDS.get(table, "")
    return f"{what} ({code or f':{table}:'})".strip() + (f" {again + 1}" if again else "")


def _plain(text: str, marks: Any) -> str:
    """A value without the breaks that lines of 65 characters have."""
    return re.sub(r"\r?\n", "", text).strip("/ ")


def _written(value: str, mark: str) -> str:
    """A value without the mark of the codes beside it, and without one that begins a field."""
    value = one_line(value).lstrip(":-{")
    return value.replace(mark, " ") if mark else value


NOTATION: Final = Notation(_read, _header, _plain, _written)
