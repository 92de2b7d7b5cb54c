"""Tables whose columns stand below each other, parted by blanks: what sqlcmd, SQL*Plus, DB2, R and pandas print.

A table has a ruler of dashes below its header, which shows where columns begin, and may stand amid other text; or it is
all of the text, and in every line blanks part its columns, two or more of them where lines are few. A row or two are a
table below a header of names that rules know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from piiscan.core.display_width import has_others
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.content import Content, ReadTable
from piiscan.io.content_kinds import is_table
from piiscan.io.delimited import lines as lines_of
from piiscan.io.delimited.header_row import infer_header
from piiscan.io.delimited.whole_values import is_named
from piiscan.io.documents.amid_text import header_of
from piiscan.io.documents.display_lines import Lines
from piiscan.io.encodings.encoding import Encoding
from piiscan.io.messages.notations import ALIGNED
from piiscan.io.messages.records import EMPTY, TEXT, Edit, Notation, Place, Record, Span, one_line, plain
from piiscan.io.read_options import ReadOptions

_RULER: Final = re.compile(r"[ ]{0,8}(?:-{2,}(?:[ ]{1,40}-{2,})+|={2,}(?:[ ]{1,40}={2,})+)[ ]*")
_RULED: Final = re.compile(rf"^(?:{_RULER.pattern})\r?$", re.MULTILINE)
_GROUP: Final = re.compile(r"[-=]+")
_WORD: Final = re.compile(r"[^ ]+")
_BLANKS: Final = re.compile(" +")
_END: Final = re.compile(r"\s*+\(?\s*+[\d.,]+ (?:rows?|records?|record\(s\)|Zeilen?|filas?|lignes?|righe)\b")
"""How many rows there are, which follows some tables without a blank line."""
_BLOCK: Final = lazy_pattern(r"(?>^[^\r\n]*?[^\s] {2,}+[^\s][^\r\n]*+\r?\n?){4}", re.MULTILINE)
"""Lines with blanks side by side, as a table amid other text has them.

Each line is matched in one way only: with one for each place of its blanks, four lines would have their product.
"""
_MARKS: Final = re.compile(r"[,;|\t\"]")
_HEADER: Final = re.compile(r"[^\W\d_][\w .#/()-]{0,40}")
_FEWEST: Final = 3
"""Rows of a table without a ruler, and columns of one amid other text."""
_MANY: Final = 8
"""From so many lines on a single blank at the same place in all of them parts columns."""
_LOOKED_AT: Final = 400
"""Lines by which the columns of such a table are found."""
_FIT: Final = 0.8
"""Share of the lines below a ruler that have blanks between its columns."""
_FILLED: Final = 0.3
"""Share of the cells of a table without a ruler that hold something."""
_WIDEST: Final = 4000
"""Characters of a line."""


class _Table(NamedTuple):
    """Some lines that are a table: `header`, the ruler (None: it has none), and the rows, as numbers of lines.

    `gaps`: between each column and the next one, where all of these lines are blank: first place, and the one behind.
    """

    header: int
    ruler: int | None
    rows: Sequence[int]
    gaps: Sequence[Span]


def tables_or_lines(
    content: Content, encoding: Encoding, options: ReadOptions, sample: str, complete: bool, notes: tuple[str, ...]
) -> list[ReadTable]:
    """The tables in a text whose columns stand below each other, with its other lines; else all of its lines.

    `sample`, `complete`: how it begins, and whether that is all of it. `notes`: on why it is read as text.
    """
    is_declared = options.delimiter is not None or is_table(content.source, content.compression)
    if not is_declared and begins(sample, complete):
        from piiscan.io.documents import documents

        found = documents.tables_or_notes(content, encoding, options, ALIGNED)
        if isinstance(found, list):
            return found
        notes = (*notes, *found)
    return [lines_of.table(content, encoding, options, notes)]


def begins(sample: str, complete: bool) -> bool:
    """Whether a text that begins so (all of it if `complete`) has such a table."""
    if not (_may_be_whole(sample) or _may_be_few(sample) or _has_ruler(sample) or _BLOCK.search(sample) is not None):
        return False
    return any(next(_tables(lines), None) is not None for lines in _each_layout(_whole_lines(sample, complete)))


def is_evident(sample: str, complete: bool) -> bool:
    """Whether a text that begins so has such a table and is none whose cells single marks part.

    A ruler below the header shows it, or columns that stand below each other, with no mark in the header.
    """
    text = _whole_lines(sample, complete)
    if _has_ruler(sample):
        return any(table.ruler is not None for lines in _each_layout(text) for table in _tables(lines))
    if _MARKS.search(sample.lstrip().partition("\n")[0]) is not None:
        return False
    if _may_be_few(sample):
        return any(_few(lines) is not None for lines in _each_layout(text))
    return _may_be_whole(sample) and any(_whole(lines) is not None for lines in _each_layout(text))


def _whole_lines(sample: str, complete: bool) -> str:
    return sample if complete else sample[: max(sample.rfind("\n"), sample.rfind("\r")) + 1]


def _each_layout(text: str) -> Iterator[Lines]:
    """The lines of a text by characters and, where that is something else, by their width on a terminal."""
    yield Lines(text)
    if has_others(text):
        yield Lines(text, by_width=True)


def _laid_out(text: str) -> tuple[Lines, list[_Table]]:
    """The lines and the tables of a text, by the layout in which more lines are rows."""
    each = [(lines, list(_tables(lines))) for lines in _each_layout(text)]
    return max(each, key=lambda one: sum(len(table.rows) for table in one[1]))


def _has_ruler(text: str) -> bool:
    return ("--" in text or "==" in text) and _RULED.search(text) is not None


def _may_be_whole(text: str) -> bool:
    """Whether half of the first lines have two blanks within them."""
    first = [line for line in text[:_WIDEST].splitlines() if line.strip()][:_MANY]
    return len(first) > _FEWEST and 2 * sum("  " in line.strip() for line in first) >= len(first)


def _may_be_few(text: str) -> bool:
    """Whether a text is two or three lines with two blanks within each."""
    lines = [line for line in text[:_WIDEST].splitlines() if line.strip()][: _FEWEST + 1]
    return 1 < len(lines) <= _FEWEST and all("  " in line.strip() for line in lines)


def _few(lines: Lines) -> _Table | None:
    """The table that two or three lines are: rules know all names of its columns, and no cell is such a name."""
    filled = [i for i in range(len(lines)) if not lines.is_blank(i)]
    if not 1 < len(filled) <= _FEWEST or any("\t" in lines[i] or len(lines[i]) > _WIDEST for i in filled):
        return None
    gaps = _gaps([lines[i] for i in filled], is_wide=False)
    names, *rows = (lines.values(i, gaps) for i in filled)
    if len(names) < 2 or not all(map(is_named, names)) or any("  " in cell for row in (names, *rows) for cell in row):
        return None
    return None if any(is_named(cell) for row in rows for cell in row) else _Table(filled[0], None, filled[1:], gaps)


def _tables(lines: Lines) -> Iterator[_Table]:
    """The tables of a text, in their order."""
    ruled = False
    if _has_ruler(lines.text):
        at = 1
        while at < len(lines):
            found = _below(lines, at) if _RULER.fullmatch(lines[at]) else None
            if found is not None:
                ruled = True
                yield found
            at = at + 1 if found is None or not found.rows else found.rows[-1] + 1
    if ruled:
        return
    if _may_be_few(lines.text):
        few = _few(lines)
        yield from () if few is None else (few,)
    elif _may_be_whole(lines.text) and (whole := _whole(lines)) is not None:
        yield whole
    elif _BLOCK.search(lines.text) is not None:
        yield from _blocks(lines)


def _below(lines: Lines, ruler: int) -> _Table | None:
    """The table that a ruler belongs to, the line above it being its header."""
    header = ruler - 1
    if lines.is_blank(header) or _RULER.fullmatch(lines[header]) or "\t" in lines[header]:
        return None
    groups = [found.span() for found in _GROUP.finditer(lines[ruler])]
    between = [(end, start) for (_, end), (start, _) in pairwise(groups)]
    rows = list(_rows(lines, ruler + 1))
    if not rows:
        return None
    every = [lines[header], *(lines[row] for row in rows)]
    # Where most rows are blank: behind a ruler that is as wide as the header alone, values may be wider.
    cuts = [max(range(*gap), key=lambda at: (sum(map(_blank_at, every, [at] * len(every))), at)) for gap in between]
    fitting = [row for row in rows if all(_blank_at(lines[row], cut) for cut in cuts)]
    if len(fitting) < _FIT * len(rows) or not all(_blank_at(every[0], cut) for cut in cuts):
        return None
    kept = [every[0], *(lines[row] for row in fitting)]
    return _Table(header, ruler, fitting, [_gap(kept, cut, *gap) for cut, gap in zip(cuts, between, strict=True)])


def _rows(lines: Lines, first: int) -> Iterator[int]:
    for number in range(first, len(lines)):
        line = lines[number]
        if not line.strip() or _RULER.fullmatch(line) or _END.match(line):
            return
        if "\t" not in line and len(line) <= _WIDEST:
            yield number


def _blank_at(line: str, place: int) -> bool:
    return line[place : place + 1] in ("", " ")


def _gap(lines: Sequence[str], cut: int, first: int, stop: int) -> Span:
    """How far lines are blank around a place, within bounds."""
    start = end = cut
    while start > first and all(_blank_at(line, start - 1) for line in lines):
        start -= 1
    while end + 1 < stop and all(_blank_at(line, end + 1) for line in lines):
        end += 1
    return start, end + 1


def _blocks(lines: Lines) -> Iterator[_Table]:
    """The tables amid other text, with blank lines around them and a header that rules know."""
    first = None
    for i in range(len(lines) + 1):
        if i < len(lines) and not lines.is_blank(i):
            first = i if first is None else first
        elif first is not None:
            block, first = range(first, i), None
            if 2 * sum("  " in lines[row].strip() for row in block) < len(block):
                continue
            table = _of_lines(lines, block, is_wide=True)
            if table is not None and _is_headed(lines, table):
                yield table


def _is_headed(lines: Lines, table: _Table) -> bool:
    """Whether the names of three columns or more are words, half of them known to rules, and none is a value too."""
    rows = [lines.values(row, table.gaps) for row in (table.header, *table.rows[:_LOOKED_AT])]
    names = rows[0]
    are_words = all(map(_HEADER.fullmatch, filter(None, names)))
    if len(names) < _FEWEST or not are_words or any(set(names) & set(row) - {""} for row in rows[1:]):
        return False
    return 2 * sum(map(is_named, names)) >= len(names)


def _whole(lines: Lines) -> _Table | None:
    """The table that all lines of a text are, but for blank ones around them."""
    filled = [i for i in range(len(lines)) if not lines.is_blank(i)]
    return None if not filled or filled[-1] - filled[0] >= len(filled) else _of_lines(lines, filled)


def _of_lines(lines: Lines, filled: Sequence[int], is_wide: bool = False) -> _Table | None:
    """The table that some lines in a row are. `is_wide`: two blanks part its columns in any case."""
    if len(filled) <= _FEWEST or any("\t" in lines[i] or len(lines[i]) > _WIDEST for i in filled):
        return None
    some = filled[:_LOOKED_AT]
    gaps = _gaps([lines[i] for i in some], is_wide)
    rows = [lines.values(i, gaps) for i in some]
    if not gaps or not _is_table(rows, len(some) == len(filled)):
        return None
    fitting = []
    for i in filled[1:]:
        if (left := _left_blank(lines[i], gaps)) is not None:
            gaps = left
            fitting.append(i)
    return _Table(filled[0], None, fitting, gaps) if len(fitting) >= _FIT * (len(filled) - 1) else None


def _left_blank(line: str, gaps: list[Span]) -> list[Span] | None:
    """What a line leaves of the gaps: its cells may be wider than those before. None where it has none of a gap."""
    if all(not line[start:end].strip() for start, end in gaps):
        return gaps
    out = []
    for start, end in gaps:
        blanks = [found.span() for found in _BLANKS.finditer(line[start:end].ljust(end - start))]
        if not blanks:
            return None
        first, stop = max(blanks, key=lambda span: span[1] - span[0])
        out.append((start + first, start + stop))
    return out


def _is_table(rows: Sequence[Sequence[str]], complete: bool) -> bool:
    """Whether rows of cells have a header that names each column but maybe the first, and are filled below it.

    Blanks side by side within a cell part what belongs to two columns.
    """
    cells = [cell for row in rows[1:] for cell in row]
    if not all(rows[0][1:]) or len(set(rows[0])) < len(rows[0]) or sum(map(bool, cells)) < _FILLED * len(cells):
        return False
    if sum("  " in cell for cell in cells) > (1 - _FIT) * len(rows):
        return False
    return infer_header(rows, complete)


def _gaps(lines: Sequence[str], is_wide: bool) -> list[Span]:
    """Where all lines are blank, with columns on both sides. `is_wide`: no matter how many lines, two blanks.

    Where lines are few, one blank parts columns if all cells are single words.
    """
    seen = bytearray(max(map(len, lines)))
    for line in lines:
        for found in _WORD.finditer(line):
            start, end = found.span()
            seen[start:end] = b"\1" * (end - start)
    filled = bytes(seen).lstrip(b"\0")
    first = len(seen) - len(filled)
    gaps = [(first + found.start(), first + found.end()) for found in re.finditer(rb"\x00+(?=\x01)", filled)]
    if not is_wide and (len(lines) > _MANY or all(len(line.split()) == len(gaps) + 1 for line in lines)):
        return gaps
    return [gap for gap in gaps if all(_is_wide(line, *gap) for line in lines)]


def _is_wide(line: str, start: int, end: int) -> bool:
    """Whether two blanks or more stand there in a line, not only those that all lines have."""
    return end - start > 1 or end >= len(line) or "  " in line[start - 1 : end + 1]


def _read(text: str, others: list[Span]) -> Iterator[Record]:
    """A record of TEXT for each line, empty where the line is of a table, unless all lines are."""
    lines, tables = _laid_out(text)
    named: dict[tuple[str, ...], str] = {}
    records: dict[int, Record] = {}
    spent: set[int] = set()
    for table in tables:
        header = tuple(lines.values(table.header, table.gaps))
        name = named.setdefault(header, f"table {len(named) + 1}")  # of pages that repeat their header, one table
        spent |= {table.header, *([] if table.ruler is None else [table.ruler])}
        for row in table.rows:
            start, _, stop = lines.spans[row]
            places: dict[Place, Span] = {}
            for i, (first, end) in enumerate(lines.cells(row, table.gaps)):
                cell = lines.line(row)[first:end]
                at = start + first + len(cell) - len(cell.lstrip())
                places[i, header[i], 0] = at, max(at, start + first + len(cell.rstrip()))
            records[row] = Record(name, start, stop, places)
    is_whole = all(i in records or i in spent or lines.is_blank(i) for i in range(len(lines)))
    for i, (start, end, stop) in enumerate(lines.spans):
        if i in records:
            yield records[i]
        if not is_whole:
            # The header is a line of text, too: it may hold a name.
            is_read = i in records or (i in spent and _RULER.fullmatch(lines[i]) is not None)
            yield Record(TEXT, start, stop, {("", "", 0): (start, start if is_read else end)})


def _fitted(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """Changes of cells, with blanks and rulers changed so that columns stand below each other again."""
    lines, tables = _laid_out(text)
    of_line: dict[int, list[Edit]] = {}
    at = 0
    for edit in sorted(edits):
        while at + 1 < len(lines) and lines.spans[at + 1][0] <= edit[0]:
            at += 1
        of_line.setdefault(at, []).append(edit)
    out: list[Edit] = []
    for table in tables:
        wider = [0] * len(table.gaps)
        written: dict[int, list[Edit]] = {}
        for row in table.rows:
            start, _, stop = lines.spans[row]
            if (start, stop, "") not in of_line.get(row, ()):  # the row stays
                written[row] = [_in_column(lines, row, table, edit, wider) for edit in of_line.pop(row, ())]
        # A header in which a text is masked stays as that is.
        above = [line for line in (table.header, table.ruler) if line is not None and line not in of_line]
        for line in (*above, *written):
            own = written.get(line, [])
            out += [*own, *_spread(lines, line, table, own, wider)]
    return out + [edit for some in of_line.values() for edit in some]


def _in_column(lines: Lines, row: int, table: _Table, edit: Edit, wider: list[int]) -> Edit:
    """The change of a cell with the blanks that it takes; `wider`: how much wider each column has to be for it."""
    start, _, _ = lines.spans[row]
    first, stop, new = edit
    place = lines.column(row, first - start)
    column = sum(behind <= place for _, behind in table.gaps)
    if column == len(table.gaps):
        return edit
    end = min(table.gaps[column][0], len(lines[row]))
    left = 0 if column == 0 else table.gaps[column - 1][1]
    size = lines.width(new)
    whole = start + lines.character(row, left), start + lines.character(row, end)
    if lines.column(row, stop - start) == end and place > left and size <= end - left:  # at the right of its column
        return *whole, lines.padded(new, end - left, right=True)
    if size <= end - place:
        return first, whole[1], lines.padded(new, end - place)
    if size <= end - left:
        return *whole, lines.padded(new, end - left)
    wider[column] = max(wider[column], size - (table.gaps[column][0] - left))
    return *whole, new


def _spread(lines: Lines, line: int, table: _Table, edits: Sequence[Edit], wider: Sequence[int]) -> Iterator[Edit]:
    """What a line gets between its columns where some are wider now."""
    start, _, _ = lines.spans[line]
    for column, ((gap, stop), more) in enumerate(zip(table.gaps, wider, strict=True)):
        left = 0 if column == 0 else table.gaps[column - 1][1]
        own = next((lines.width(new) for first, _, new in edits if left <= lines.column(line, first - start) < stop), 0)
        missing = more - max(0, own - (gap - left))
        if missing > 0 and gap < len(lines[line]):
            mark = lines[line][gap - 1] if line == table.ruler else " "
            at = start + lines.character(line, gap)
            yield at, at, mark * missing


def _written(value: str, marks: Any) -> str:
    return re.sub(" {2,}|\t", " ", one_line(value))


NOTATION: Final = Notation(_read, header_of, plain, _written, _fitted, EMPTY)
