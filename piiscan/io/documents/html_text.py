"""HTML: the text of a page, its tables, and what is in tags, comments and scripts."""

from __future__ import annotations

import html
import re
from typing import Final, NamedTuple

from piiscan.io.delimited.header_row import infer_header
from piiscan.io.documents.beside import Unparsed
from piiscan.io.documents.glue import glued

_BLOCKS: Final = frozenset(
    "address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption "
    "figure footer form frame h1 h2 h3 h4 h5 h6 head header hr html input label legend li main nav ol optgroup option "
    "p pre section select summary table tbody td textarea tfoot th thead title tr ul".split()
)
"""Elements before and behind which a line ends."""
_RAW: Final = frozenset(("script", "style"))
"""Elements whose text is none of the page."""
_TAG: Final = re.compile(
    r"(?P<close>/?)(?P<name>[a-zA-Z][^\s/>]{0,60})(?P<rest>[^\"'<>]*+(?:(?:\"[^\"]*+\"|'[^']*+')[^\"'<>]*+)*+)>"
)
_SPAN: Final = re.compile(r"(col|row)span\s*=\s*[\"']?\s*(\d{1,6})", re.IGNORECASE)
_WIDEST: Final = 200
_MOST_TABLES: Final = 200
_MOST_FAILURES: Final = 100


class HtmlTable(NamedTuple):
    """The rows of a table, each as wide as the widest; `header`: the names of its columns, None where it has none."""

    header: list[str] | None
    rows: list[list[str]]


class Page(NamedTuple):
    """`lines`: the text outside tables, a line for each block.

    `markup`: the texts in tags, comments and scripts, each once.
    """

    lines: list[str]
    tables: list[HtmlTable]
    markup: list[str]


class _Grid:
    """A table that isn't closed. `is_head`: for each cell of the rows, whether it is one of a header."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.is_head: list[list[bool]] = []
        self._below: dict[int, int] = {}
        """Columns that cells of rows above reach into, and how many rows down."""
        self.cell: list[str] | None = None
        self._in_head = self._is_head_cell = False
        self._spans = (1, 1)

    def open_row(self) -> None:
        self.close_row()
        self.rows.append([])
        self.is_head.append([])
        self._skip()

    def _skip(self) -> None:
        row = self.rows[-1]
        while self._below.get(len(row), 0) > 0 and len(row) < _WIDEST:
            self._below[len(row)] -= 1
            row.append("")
            self.is_head[-1].append(False)

    def close_row(self) -> None:
        self.close_cell()
        if self.rows:
            self._skip()

    def open_cell(self, is_head: bool, rest: str) -> None:
        self.close_cell()
        if not self.rows:
            self.open_row()
        spans = {name.lower(): int(count) for name, count in _SPAN.findall(rest)}
        self._spans = min(max(1, spans.get("col", 1)), _WIDEST), min(max(1, spans.get("row", 1)), 1000)
        self._is_head_cell, self.cell = is_head, []

    def close_cell(self) -> list[str]:
        """The texts of the cell: the second one, if any, is the same with spaces."""
        if self.cell is None:
            return []
        texts = glued(self.cell)
        row, (across, down) = self.rows[-1], self._spans
        for i in range(across):
            if len(row) < _WIDEST or not i:
                if down > 1:
                    self._below[len(row)] = down - 1
                row.append((texts or [""])[0] if not i else "")
                self.is_head[-1].append(self._is_head_cell)
        self.cell = None
        self._skip()
        return texts[1:]

    def table(self) -> HtmlTable | None:
        """None for what only lays out a page."""
        filled = [i for i, row in enumerate(self.rows) if any(row)]
        rows, heads = [self.rows[i] for i in filled], [self.is_head[i] for i in filled]
        width = max(map(len, rows), default=0)
        if not rows or not 2 <= width <= _WIDEST or (len(rows) < 2 and not any(heads[0])):
            return None
        return _with_header([row + [""] * (width - len(row)) for row in rows], heads, width)


def _with_header(rows: list[list[str]], heads: list[list[bool]], width: int) -> HtmlTable:
    """The rows below their header.

    That is cells marked as a header, in the first rows or before each row, or else a row that reads as one.
    """
    if all(head[0] and not any(head[1:]) for head in heads) and len({row[0] for row in rows}) == len(rows):
        return HtmlTable([row[0] for row in rows], [[row[i] for row in rows] for i in range(1, width)])
    first = 0
    while first < len(rows) - 1 and all(heads[first]):
        first += 1
    if first:
        return HtmlTable(rows[first - 1], [*rows[: first - 1], *rows[first:]])
    if infer_header(rows[:1000], len(rows) <= 1000):
        return HtmlTable(rows[0], rows[1:])
    return HtmlTable(None, rows)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = []
        self.tables: list[HtmlTable] = []
        self.markup: dict[str, None] = {}
        self._line: list[str] = []
        self._grids: list[_Grid] = []
        self._last = text.rfind(">")
        self._failures = 0
        self._is_open = False

    def page(self) -> Page:
        text, at = self.text, 0
        while True:
            mark = text.find("<", at)
            self._words(text[at : mark if mark >= 0 else len(text)])
            if mark < 0:
                break
            at = self._markup(mark)
        while self._grids:
            self._close_table()
        self._break()
        return Page(self.lines, self.tables, list(self.markup))

    def _words(self, text: str) -> None:
        if not text:
            return
        text = html.unescape(text) if "&" in text else text
        if self._grids and (cell := self._grids[-1].cell) is not None:
            cell.append(text)
            return
        first, *more = text.split("\n")
        self._line.append(first)
        for part in more:
            self._break()
            self._line.append(part)

    def _break(self) -> None:
        self.lines += glued(self._line)
        self._line = []

    def _say(self, text: str) -> None:
        for line in text.split("\n"):
            if line := line.strip():
                self.markup[html.unescape(line) if "&" in line else line] = None

    def _markup(self, at: int) -> int:
        """What begins with "<" at `at`; where it ends."""
        text = self.text
        if at > self._last:
            self._words(text[at])
            return at + 1
        if text.startswith(("<!", "<?"), at):
            end = self._comment_end(at) or text.find(">", at) + 1
            self._say(text[at:end].strip("<!?->[]"))
            return end
        found = _TAG.match(text, at + 1) if self._failures < _MOST_FAILURES else None
        if found is None:
            return self._odd(at)
        self._tag(found["name"].lower(), bool(found["close"]), found["rest"])
        if found["name"].lower() in _RAW and not found["close"] and not found["rest"].endswith("/"):
            return self._raw(found["name"].lower(), found.end())
        return found.end()

    def _comment_end(self, at: int) -> int:
        """Where the comment that begins at `at` ends, 0 for none."""
        if self._is_open or not self.text.startswith("<!--", at):
            return 0
        end = self.text.find("-->", at + 2)
        self._is_open = end < 0  # and so is every comment from here on
        return end + 3 if end >= 0 else 0

    def _odd(self, at: int) -> int:
        """Handle a mark that begins no regular tag: its text counts as text of the page and as text of tags."""
        if not self.text[at + 1 : at + 2].isalpha() and self.text[at + 1 : at + 2] != "/":
            self._words("<")
            return at + 1
        self._failures += 1
        end = self.text.find(">", at) + 1
        self._say(self.text[at + 1 : end - 1])
        return end

    def _raw(self, name: str, at: int) -> int:
        found = re.compile(f"</{name}", re.IGNORECASE).search(self.text, at)
        end = found.start() if found else len(self.text)
        self._say(self.text[at:end])
        return end

    def _tag(self, name: str, closes: bool, rest: str) -> None:
        if rest.strip(" \t\r\n/"):
            self._say(" ".join(rest.split()).removesuffix("/"))
        if not name.isalnum() or any(map(str.isdigit, name[2:])):
            self._say(name)
        grid = self._grids[-1] if self._grids else None
        in_cell = grid is not None and grid.cell is not None
        if name == "table":
            self._open_table() if not closes else self._close_table()
        elif grid is not None and name in ("td", "th", "tr", "thead", "tbody", "tfoot", "caption"):
            self._of_table(grid, name, closes, rest)
        elif in_cell and grid is not None and grid.cell is not None:
            grid.cell.append(" " if name in _BLOCKS else "")
        elif name in _BLOCKS:
            self._break()

    def _of_table(self, grid: _Grid, name: str, closes: bool, rest: str) -> None:
        self._break()
        self.lines += grid.close_cell()
        if name in ("td", "th"):
            if not closes:
                grid.open_cell(name == "th", rest)
        elif name == "tr" and not closes:
            grid.open_row()
        else:
            grid.close_row()

    def _open_table(self) -> None:
        self._break()
        self._grids.append(_Grid())
        if len(self._grids) > 50:
            raise Unparsed("HTML with tables nested more than 50 deep")

    def _close_table(self) -> None:
        self._break()
        if not self._grids:
            return
        grid = self._grids.pop()
        self.lines += grid.close_cell()
        found = grid.table() if len(self.tables) < _MOST_TABLES else None
        if found is not None:
            self.tables.append(found)
        else:
            self.lines += [line for row in grid.rows if (line := " ".join(cell for cell in row if cell))]


def parsed(text: str) -> Page:
    """Parse a page. Raises `Unparsed`."""
    return _Reader(text).page()
