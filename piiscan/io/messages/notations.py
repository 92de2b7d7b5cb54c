"""Which notation a text of messages is in, by how it begins; a notation's module is imported when it is needed."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Final

from piiscan.io.messages.records import Notation

_BEGINS: Final = re.compile(
    r"(?P<hl7>\x0b?(?:FHS|BHS|MSH)(?P<h>[^\w\s])[^\w\s]{2,6}(?P=h))"
    r"|(?P<x12>ISA(?P<x>[^\w\s])\d\d(?P=x).{10}(?P=x)\d\d(?P=x).{10}(?P=x))"
    r"|(?P<edifact>UNA.{6}\s{0,2}UN[BGH]|UNB\+UNO[A-Z]:\d)"
    r"|(?P<mt940>(?:\{1:[^\n]{1,200}\{4:\s{0,4})?:20:[^\r\n]{0,40}\r?\n(?::21:[^\r\n]{0,40}\r?\n)?:25:[^\r\n]{0,40}\r?\n:28)"
    r"|(?P<qif>!(?:Type|Account|Option|Clear):?[^\r\n]{0,40}\r?\n[A-Z^!])"
    r"|(?P<gedcom>0 HEAD[ \t]{0,9}\r?\n\s{0,9}1 [A-Z])"
)
KINDS: Final = ("hl7", "x12", "edifact", "mt940", "qif", "gedcom")
PIPED: Final = "piped"
"""Of tables between bars, which may be anywhere in a text."""
ALIGNED: Final = "aligned"
"""Of tables whose columns stand below each other, with blanks between them."""
MARKED: Final = "marked"
"""Of tables in markup, and of authors in BibTeX."""
TALK: Final = "talk"
"""Of who says something, in chats and transcripts."""
FORM: Final = "form"
"""Of values below their labels."""
_MODULES: Final = {
    **{kind: f"messages.{kind}" for kind in (*KINDS, PIPED)},
    ALIGNED: "documents.aligned",
    MARKED: "documents.marked",
    TALK: "documents.talk",
    FORM: "documents.forms",
}
FORMATS: Final = (*KINDS, *(f"{kind}{end}" for kind in (PIPED, ALIGNED, MARKED, TALK, FORM) for end in ("", " table")))
"""Those of their tables."""
_MARKS: Final = ("|", "^", "*", "+", ":", "'", "~", "?", "\n", "\r", "  ")
"""What divides values in one notation or another."""


def kind_of(start: str) -> str | None:
    """The notation of a text that begins so, if it is one."""
    found = _BEGINS.match(start)
    return None if found is None else next(kind for kind in KINDS if found[kind])


def is_piped(sample: str) -> bool:
    """Whether a text has a table between bars: a line of cells above a ruler, and in no quoted cell of a CSV file."""
    if "|" not in sample or ("--" not in sample and "==" not in sample):
        return False
    from piiscan.io.messages import piped

    found = piped.BEGINS.search(sample)
    return found is not None and not sample.count('"', 0, found.start()) % 2


def notation(kind: str) -> Notation:
    made: Notation = import_module(f"piiscan.io.{_MODULES[kind]}").NOTATION
    return made


def values_in(text: str) -> int:
    """How many values a text of messages has, at most."""
    return sum(text.count(mark) for mark in _MARKS)
