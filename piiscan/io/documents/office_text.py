"""The running text of a part of an office document: paragraphs, tables, and what their elements say in attributes.

One reader is for all vocabularies, which differ in their namespaces and hardly in what elements are called.
Sources: ECMA-376 (WordprocessingML, DrawingML, PresentationML), OASIS OpenDocument 1.3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.io.cells import markup
from piiscan.io.cells.markup import has_content, is_striking
from piiscan.io.documents.grids import DEEPEST, MOST_TABLES, Grid, GridTable

_PARAGRAPHS: Final = frozenset(("p", "h"))
_ROWS: Final = frozenset(("tr", "table-row"))
_CELLS: Final = frozenset(("tc", "table-cell", "covered-table-cell"))
_TABLES: Final = frozenset(("tbl", "table"))
_BLANKS: Final = frozenset(("tab", "ptab", "br", "cr", "s", "line-break"))
"""Elements within a paragraph that stand for a blank."""
_RUNS: Final = frozenset(("t", "delText"))
"""Elements of Office Open XML in which blanks are text."""
_INSTRUCTIONS: Final = frozenset(("instrText", "delInstrText"))
_AUTHORS: Final = frozenset(("creator", "author"))
_NOT_TEXT: Final = frozenset(
    "posOffset align pctWidth pctHeight pctPosHOffset pctPosVOffset tableStyleId date date-string binary-data "
    "binData".split()
)
"""Elements that hold places, sizes, times and pictures."""
_SAYING: Final = frozenset(
    "instr tooltip descr title alt href string displayText userId userName string-value connectString formula "
    "lastEditedBy text displayName email".split()
)
"""Attributes that somebody wrote."""
_VALUES: Final = frozenset(
    "alias tag docVar default helpText statusText connectString query addressFieldName mailSubject udl "
    "listEntry attachedSchema".split()
)
"""Elements whose `val` somebody wrote."""
_NAMED: Final = frozenset(("docPr", "cNvPr", "docVar", "cmAuthor", "author"))
"""Elements whose `name` somebody may have chosen."""
_WITHIN: Final = ("#", "./", "Pictures/", "Object ")
"""How targets within the document begin."""
_GENERATED: Final = re.compile(r"[^\W\d_]+(?:[ _][^\W\d_]+){0,3}[ _]?\d{0,4}")
"""Names as programs give them to shapes: Text Box 3."""
PER_TEXT: Final = 400
"""Bytes of memory that a text of an attribute or a property takes, to know it again."""
_PER_LINE: Final = 100
"""Bytes of memory that a short line takes."""
_PER_CELL: Final = 32
"""Bytes of memory that an empty cell takes, which costs hardly a byte of the file."""
_LONGEST: Final = 1 << 20
"""Characters of a text in which runs of blanks become one."""
_FIELDS: Final = re.compile(r"\s*(?:PAGE|NUMPAGES|TOC|PAGEREF|REF|SEQ|DATE|TIME|NOTEREF|STYLEREF|FORM\w+)\b[^\"@]*")
"""Fields of pages, numbers and times, which name no more than marks of the program's."""


@dataclass
class Texts:
    """What the parts of a document say: `lines`, a paragraph each; tables; who wrote; and the texts of attributes."""

    lines: list[str] = field(default_factory=list)
    tables: list[GridTable] = field(default_factory=list)
    authors: dict[str, None] = field(default_factory=dict)
    markup: dict[str, None] = field(default_factory=dict)

    def say(self, text: str) -> None:
        """A text of an attribute or the like, if it may be somebody's words. Raises `ReadError` after too many."""
        if has_content(text := _in_one_line(text)):
            self.markup[text] = None
            check(len(self.markup), PER_TEXT)

    def wrote(self, author: str) -> None:
        """Somebody who wrote in it. Raises `ReadError` after too many."""
        if author := _in_one_line(author):
            self.authors[author] = None
            check(len(self.authors), PER_TEXT)


def check(count: int, each: int = _PER_LINE) -> None:
    """Raise `ReadError` for more texts than fit into memory, of which each takes so many bytes at least."""
    if count * each > shares.document():
        raise ReadError("more texts than fit into memory; allow more with --memory")


def _in_one_line(text: str) -> str:
    return text.strip() if len(text) > _LONGEST else " ".join(text.split())


def read(data: bytes, texts: Texts, is_mixed: bool) -> None:
    """Adds what a part says. `is_mixed`: its text stands between tags of all kinds, as in OpenDocument.

    Raises `ReadError`.
    """
    reader = _Reader(texts, is_mixed)
    markup.parse(markup.utf8(data), reader.start, reader.end, reader.characters, texts.say)
    reader.close()


class _Table:
    """A table that is open.

    `in_head`: whether its rows are those of a header; `alternatives`: how many elements of alternatives are open around
    it.
    """

    def __init__(self, alternatives: int) -> None:
        self.grid = Grid()
        self.in_head = False
        self.alternatives = alternatives


class _Reader:
    def __init__(self, texts: Texts, is_mixed: bool) -> None:
        self._texts, self._is_mixed = texts, is_mixed
        self._open: list[str] = []
        self._paragraphs: list[list[str]] = []
        """Those that are open: a text box or a note stands within one."""
        self._loose: list[str] = []
        self._instruction: list[str] = []
        self._tables: list[_Table] = []
        self._choice: list[set[str]] = []
        """The texts of the alternatives that come first: others mostly repeat them."""
        self._fallbacks = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self._flush()
        self._open.append(name)
        if name in _PARAGRAPHS:
            self._paragraphs.append([])
        elif name in _BLANKS and self._paragraphs:
            self._paragraphs[-1].append(" ")
        elif name == "noBreakHyphen" and self._paragraphs:
            self._paragraphs[-1].append("-")
        elif name in _TABLES:
            self._open_table()
        elif name == "fldChar":
            self._end_instruction()
        elif name == "AlternateContent":
            self._choice.append(set())
        elif name == "Fallback" and self._choice:
            self._fallbacks += 1
        elif self._tables:
            self._of_table(self._tables[-1], name, attributes)
        if attributes:
            self._said(name, attributes)

    def _of_table(self, table: _Table, name: str, attributes: dict[str, str]) -> None:
        if name in _ROWS:
            table.in_head = table.in_head and self._is_mixed
            table.grid.open_row()
        elif name in _CELLS:
            table.grid.open_cell(table.in_head, _count(attributes, "number-columns-repeated"))
        elif name == "table-header-rows":
            table.in_head = True
        elif name == "tblHeader":
            table.in_head = _value(attributes, "val") not in ("0", "false", "off")
        elif name == "gridSpan":
            table.grid.widen(_count(attributes, "val"))

    def _said(self, name: str, attributes: dict[str, str]) -> None:
        for key, value in attributes.items():
            short = key.rpartition(":")[2]
            if short == "author" or (short == "name" and name in ("cmAuthor", "author")):
                self._texts.wrote(value)
            elif is_said(name, short, value):
                self._texts.say(value)

    def end(self, tag: str) -> None:
        name = self._open[-1]
        self._flush()
        if name in _PARAGRAPHS:
            self._end_instruction()
            self._put("".join(self._paragraphs.pop()))
        elif name in _ROWS and self._tables:
            self._tables[-1].grid.close_row()
            if self._tables[-1].grid.size * _PER_CELL > shares.document():
                raise ReadError("a table of more cells than fit into memory; allow more with --memory")
        elif name in _CELLS and self._tables:
            self._tables[-1].grid.close_cell()
        elif name == "table-header-rows" and self._tables:
            self._tables[-1].in_head = False
        elif name in _TABLES:
            self._close_table()
        elif name == "AlternateContent":
            self._choice.pop()
        elif name == "Fallback" and self._choice:
            self._fallbacks -= 1
        self._open.pop()

    def characters(self, text: str) -> None:
        name = self._open[-1]
        if name in _INSTRUCTIONS:
            self._instruction.append(text)
        elif name in _NOT_TEXT:
            return
        elif self._paragraphs and name not in _AUTHORS:
            if self._is_mixed or name in _RUNS or text.strip():
                self._paragraphs[-1].append(text)
        else:
            self._loose.append(text)

    def close(self) -> None:
        self._flush()
        self._end_instruction()

    def _flush(self) -> None:
        """The text outside paragraphs, up to here."""
        if not self._loose:
            return
        text = _in_one_line("".join(self._loose))
        self._loose.clear()
        if text and self._open and self._open[-1] in _AUTHORS:
            self._texts.wrote(text)
        elif text:
            self._put(text)

    def _end_instruction(self) -> None:
        if self._instruction:
            text = "".join(self._instruction)
            self._instruction.clear()
            if not _FIELDS.fullmatch(text):
                self._texts.say(text)

    def _put(self, text: str) -> None:
        """Add a paragraph to the cell or to the lines that it stands in."""
        text = _in_one_line(text)
        if not text:
            return
        if self._choice and (not self._tables or self._tables[-1].alternatives < len(self._choice)):
            if self._fallbacks and text in self._choice[-1]:
                return
            self._choice[-1].add(text)
        if self._tables and (cell := self._tables[-1].grid.cell) is not None:
            cell.extend((text, " "))
        else:
            self._texts.lines.append(text)
            check(len(self._texts.lines))

    def _open_table(self) -> None:
        if len(self._tables) >= DEEPEST:
            raise ReadError(f"tables nested more than {DEEPEST} deep; save it as plain text")
        self._tables.append(_Table(len(self._choice)))

    def _close_table(self) -> None:
        grid = self._tables.pop().grid
        grid.close_row()
        found = grid.table() if len(self._texts.tables) < MOST_TABLES else None
        if found is None:
            for line in grid.lines():
                self._put(line)
        elif not (self._fallbacks and found in self._texts.tables):
            self._texts.tables.append(found)


def _value(attributes: dict[str, str], name: str) -> str:
    return next((value for key, value in attributes.items() if key.rpartition(":")[2] == name), "")


def _count(attributes: dict[str, str], name: str) -> int:
    """A count that an attribute says, 1 where it says none."""
    value = _value(attributes, name)
    return int(value[:6]) if value.isascii() and value.isdecimal() else 1


def is_odd(value: str) -> bool:
    """Whether a value where programs put their own isn't one: no name, number or time."""
    return "@" in value or (" " in value and is_striking(value))


def is_said(element: str, attribute: str, value: str) -> bool:
    """Whether an attribute of an element may hold somebody's words."""
    if is_odd(value):
        return True
    if attribute == "val":
        return element in _VALUES
    if attribute == "name":
        return element in _NAMED and not _GENERATED.fullmatch(value)
    return attribute in _SAYING and not value.startswith(_WITHIN)
