r"""Tables that a markup writes into a text, and persons at places of their own there.

LaTeX (`\begin{tabular} Name & Born \\ … \end{tabular}`), AsciiDoc (`|===`), MediaWiki (`{|`), reStructuredText
(`.. list-table::`, `.. csv-table::`), and authors and editors in BibTeX (`author = {Berg, Ann and …}`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.delimited.header_row import infer_header
from piiscan.io.documents.amid_text import Part, header_of, lines_of, records_and_lines, row, trimmed
from piiscan.io.messages.records import EMPTY, Notation, Record, Span, one_line

_BEGINS: Final = lazy_pattern(
    r"^[ \t]*(?:\|={3,}[ \t\r]*$|\{\|)|\\begin\{(?:tabular[xy*]?|longtable|tabulary|supertabular)\*?\}"
    r"|^[ \t]*\.\. (?:list|csv)-table::|^[ \t]*@[a-zA-Z]{2,20}[ \t]*[{(][^\s,{}=]{0,80},",
    re.MULTILINE,
)
_MOST_COLUMNS: Final = 200
_LOOKED_AT: Final = 200
"""Rows by which a first one is taken for a header."""
_HEADER_OF_AUTHORS: Final = ("last name", "first name", "full name")

_LATEX: Final = lazy_pattern(r"\\begin\{(?P<name>(?:tabular[xy*]?|longtable|tabulary|supertabular)\*?)\}")
_ARGUMENT: Final = lazy_pattern(r"\s*(?:\[[^\]\n]{0,40}\]|\{(?:[^{}\n]++|\{[^{}\n]*+\})*+\})")
_ROW_ENDS: Final = lazy_pattern(r"\\\\(?:\[[^\]\n]{0,20}\])?|\\tabularnewline")
_RULES: Final = lazy_pattern(
    r"\s*(?:\\(?:hline|toprule|midrule|bottomrule|addlinespace|endhead|endfirsthead|endfoot|endlastfoot)"
    r"(?![a-z])(?:\[[^\]\n]{0,20}\])?|\\c(?:mid|)(?:line|rule)(?:\([^)\n]{0,9}\))?\{[^}\n]{0,20}\}"
    r"|\\(?:caption|label)\{[^{}\n]*\}|%[^\n]*)"
)
_COMMAND: Final = lazy_pattern(r"\\(?:multicolumn\{\d+\}\{[^{}\n]*\}|[a-zA-Z]+)\{([^{}]*)\}|\{([^{}]*)\}")
_AMPERSAND: Final = lazy_pattern(r"(?<!\\)&")

_FENCE: Final = lazy_pattern(r"^\|={3,}[ \t\r]*$", re.MULTILINE)
_OPTIONS: Final = lazy_pattern(r"\[[^\]\n]{0,200}\][ \t\r]*\n(?:\.[^\n]{0,200}\n)?\Z")
_ABOVE: Final = 500
"""Characters above a table that may say how many columns it has."""
_CELL: Final = lazy_pattern(r"(?:(?<!\S)(?:(?:\d{1,4}(?:\.\d{1,4})?|\.\d{1,4})[+*])?[<^>.]{0,4}[adehlmsv]?|(?<!\\))\|")
_COLUMNS: Final = lazy_pattern(r"cols?=\"?(?:(\d+)\*|([^\"\]]*))")

_WIKI: Final = lazy_pattern(r"^[ \t:]*(?P<mark>\{\||\|\})[^\n]*", re.MULTILINE)
_WIKI_ATTRIBUTES: Final = lazy_pattern(r"(?:\s*[\w-]+=(?:\"[^\"\n]*\"|[\w%#-]+))+\s*\|(?!\|)")

_LIST: Final = lazy_pattern(
    r"^(?P<indent>[ \t]*)\.\. (?:list|csv)-table::[^\n]*\n(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n?|[ \t\r]*\n)*)",
    re.MULTILINE,
)
_ITEM: Final = lazy_pattern(r"^[ \t]*(?P<row>[*-][ \t]+)?[*-][ \t](?P<cell>[^\n]*)$", re.MULTILINE)

_OPTION: Final = lazy_pattern(r"[ \t]*:(?P<name>[\w-]+):[ \t]*")
_IN_QUOTES: Final = lazy_pattern(
    r"[ \t]*(?:\"(?P<quoted>(?:[^\"\n]|\"\")*)\"|(?P<plain>[^,\"\r\n]*))[ \t]*(?:,|\r?$)", re.MULTILINE
)

_ENTRY: Final = lazy_pattern(
    r"(?<![\w-])(?P<field>author|editor|translator)[ \t]*=[ \t]*"
    r"(?:\{(?P<braced>(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+)\}"
    r"|\"(?P<quoted>[^\"]*+)\")",
    re.IGNORECASE,
)
_AND: Final = lazy_pattern(r"\s+and\s+")
_WORD: Final = rf"(?:{EMPTY}|[^\W\d_](?:[^\W\d_]|['’.-])*)"
_PERSON: Final = lazy_pattern(
    rf"(?P<last>{_WORD}(?:\s+{_WORD}){{0,3}})\s*,\s*(?:[JS]r\.?,\s*)?(?P<first>{_WORD}(?:\s+{_WORD}){{0,3}})"
    rf"|(?P<full>{_WORD}(?:\s+{_WORD}){{1,4}}|{EMPTY})"
)  # fmt: skip


def begins(sample: str) -> bool:
    """Whether a text that begins so has such a table, or authors."""
    return _BEGINS.search(sample) is not None and bool(_parts(sample))


def _parts(text: str) -> list[Part]:
    """The parts of a text that are tables or authors, in the order of their places."""
    found: list[Part] = []
    for sign, find in _FINDERS.items():
        if sign in text:
            found += find(text)
    found.sort()
    apart = [part for before, part in pairwise([Part(0, 0, ()), *found]) if part.start >= before.end]
    return _named(apart)


def _named(parts: Sequence[Part]) -> list[Part]:
    """The parts with their tables numbered: those with one header are one table."""
    names: dict[tuple[Any, ...], str] = {}
    out = []
    for part in parts:
        places = tuple(sorted({place for record in part.records for place in record.cells}))
        if part.records[0].table:
            out.append(part)
            continue
        name = names.setdefault(places, f"table {len(names) + 1}")
        out.append(part._replace(records=[record._replace(table=name) for record in part.records]))
    return out


def _table(text: str, start: int, end: int, rows: Sequence[Sequence[Span]], is_headed: bool = False) -> Iterator[Part]:
    """A table of a text. `is_headed`: its first row is a header for sure; else by its words."""
    rows = [cells for cells in rows if any(first < stop for first, stop in cells)]
    if not rows or not 0 < len(rows[0]) <= _MOST_COLUMNS:
        return
    header, rows = _headed(text, rows, is_headed)
    if rows and (not header or any(len(spans) <= len(header) for spans in rows)):
        yield Part(start, end, [row("", spans[0][0], spans[-1][1], header, spans) for spans in rows])


def _headed(
    text: str, rows: Sequence[Sequence[Span]], is_headed: bool
) -> tuple[Sequence[str], Sequence[Sequence[Span]]]:
    """The names of the columns of some rows, none where the first one isn't a header, and the rows without those."""
    cells = [[_plain(text[first:stop], None) for first, stop in spans] for spans in rows]
    again = {i for i, others in enumerate(cells) if i and others == cells[0]}  # on each page
    if is_headed or again or infer_header(cells[:_LOOKED_AT], len(rows) <= _LOOKED_AT):
        return cells[0], [spans for i, spans in enumerate(rows) if i and i not in again]
    return (), rows


def _latex(text: str) -> Iterator[Part]:
    after, unclosed = 0, set[str]()
    for found in _LATEX.finditer(text):
        if found.start() < after or found["name"] in unclosed:
            continue
        at, end = found.end(), text.find(f"\\end{{{found['name']}}}", found.end())
        if end < 0:
            unclosed.add(found["name"])
            continue
        after = end
        at = _past(_ARGUMENT, text, at, end)
        rows = []
        for stop, behind in (*(mark.span() for mark in _ROW_ENDS.finditer(text, at, end)), (end, end)):
            at = _past(_RULES, text, at, stop)
            bounds = [at - 1, *(mark.start() for mark in _AMPERSAND.finditer(text, at, stop)), stop]
            if len(bounds) > 1:
                rows.append([_bare(text, left + 1, right) for left, right in pairwise(bounds)])
            at = behind
        yield from _table(text, found.start(), text.index("}", end) + 1, rows)


def _past(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    """Where what matches a pattern, any number of times, ends that begins at a place."""
    while (found := pattern.match(text, at, end)) is not None:
        at = found.end()
    return at


def _bare(text: str, start: int, end: int) -> Span:
    """A cell without blanks and the command around it, as of a cell in bold."""
    start, end = trimmed(text, start, end)
    while (command := _COMMAND.fullmatch(text, start, end)) is not None:
        start, end = trimmed(text, *command.span(1 if command[1] is not None else 2))
    return start, end


def _asciidoc(text: str) -> Iterator[Part]:
    fences = [found.span() for found in _FENCE.finditer(text)]
    for (first, start), (end, last) in zip(fences[::2], fences[1::2], strict=False):
        above = _OPTIONS.search(text, max(0, first - _ABOVE), first)
        options = "" if above is None else above[0]
        lines = [(first, last) for first, last, _ in lines_of(text, start, end)]
        marks = [mark.span() for first, last in lines for mark in _CELL.finditer(text, first, last)]
        if not marks:
            continue
        spans = [trimmed(text, left, right) for (_, left), (right, _) in pairwise([*marks, (end, end)])]
        of_first = next((n for n in (_in_line(marks, *line) for line in lines) if n), 0)
        columns = _COLUMNS.search(options)
        width = of_first if columns is None else int(columns[1] or 0) or columns[2].count(",") + 1
        if width > 0:
            headed = "header" in options or (of_first == width and not text[slice(*lines[1])].strip())
            rows = [spans[at : at + width] for at in range(0, len(spans), width)]
            yield from _table(text, first, last, rows, headed)


def _in_line(marks: Sequence[Span], start: int, end: int) -> int:
    return sum(start <= first < end for first, _ in marks)


def _wiki(text: str) -> Iterator[Part]:
    for opened, closed in pairwise(_WIKI.finditer(text)):
        if opened["mark"] != "{|" or closed["mark"] != "|}":
            continue
        rows: list[list[Span]] = [[]]
        heads = 0
        for start, end, _ in lines_of(text, opened.end(), closed.start()):
            line = text[start:end].lstrip()
            at = end - len(line)
            if line.startswith("|-"):
                rows.append([])
            elif line[:1] in ("|", "!") and not line.startswith("|+"):
                heads += line[0] == "!" and len(rows[-1]) == heads and not any(rows[:-1])
                mark = re.compile(r"!!|\|\|" if line[0] == "!" else r"\|\|")
                bounds = [(at, at + 1), *(between.span() for between in mark.finditer(text, at + 1, end)), (end, end)]
                rows[-1] += [_without_attributes(text, left, right) for (_, left), (right, _) in pairwise(bounds)]
        yield from _table(text, opened.start(), closed.end("mark"), [cells for cells in rows if cells], heads > 0)


def _without_attributes(text: str, start: int, end: int) -> Span:
    attributes = _WIKI_ATTRIBUTES.match(text, start, end)
    return trimmed(text, start if attributes is None else attributes.end(), end)


def _of_lists(text: str) -> Iterator[Part]:
    for found in _LIST.finditer(text):
        if "csv-table" in found[0]:
            yield from _of_csv(text, found)
            continue
        rows: list[list[Span]] = []
        for item in _ITEM.finditer(text, *found.span("body")):
            if item["row"]:
                rows.append([])
            if rows:
                rows[-1].append(trimmed(text, *item.span("cell")))
        yield from _table(text, *found.span(), rows, ":header-rows:" in found["body"])


def _of_csv(text: str, found: re.Match[str]) -> Iterator[Part]:
    rows: list[list[Span]] = []
    is_headed = False
    for start, end, _ in lines_of(text, *found.span("body")):
        option = _OPTION.match(text, start, end)
        if option is not None and option["name"] != "header":
            continue
        is_headed |= option is not None
        cells: list[Span] = []
        at = start if option is None else option.end()
        while at < end and (cell := _IN_QUOTES.match(text, at, end)) is not None and cell.end() > at:
            cells.append(trimmed(text, *cell.span("quoted" if cell["quoted"] is not None else "plain")))
            at = cell.end()
        if cells:
            rows.append(cells)
    yield from _table(text, *found.span(), rows, is_headed)


def _authors(text: str) -> Iterator[Part]:
    if _BEGINS.search(text) is None:
        return
    for found in _ENTRY.finditer(text):
        start, end = found.span("braced" if found["braced"] is not None else "quoted")
        records: list[Record] = []
        for stop, after in (*(mark.span() for mark in _AND.finditer(text, start, end)), (end, end)):
            person = _PERSON.fullmatch(text, *trimmed(text, start, stop))
            if person is not None:
                named = enumerate(("last", "first", "full"))
                cells = {(i, _HEADER_OF_AUTHORS[i], 0): person.span(group) for i, group in named if person[group]}
                records.append(Record(found["field"].lower(), *person.span(), cells))
            start = after
        if records:
            yield Part(records[0].start, records[-1].end, records)


_FINDERS: Final[dict[str, Callable[[str], Iterator[Part]]]] = {
    "\\begin{": _latex,
    "|===": _asciidoc,
    "{|": _wiki,
    "-table::": _of_lists,
    "@": _authors,
}


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    return records_and_lines(text, _parts(text))


def _plain(text: str, marks: Any) -> str:
    if text == EMPTY:
        return ""
    return re.sub(r"\\([&%$#_{}])|[ \t]*\r?\n[ \t]*", lambda found: found[1] or " ", text)


def _written(value: str, marks: Any) -> str:
    return one_line(value).replace("|", " ").replace("&", " ")


NOTATION: Final = Notation(_read, header_of, _plain, _written, emptied=EMPTY)
