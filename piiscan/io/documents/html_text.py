"""HTML: the text of a page, its tables, and what is in tags, comments and scripts."""

from __future__ import annotations

import html
import re
from typing import Final, NamedTuple

from piiscan.io.documents.beside import Unparsed
from piiscan.io.documents.glue import glued
from piiscan.io.documents.grids import DEEPEST, MOST_TABLES, Grid, GridTable

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
_MOST_FAILURES: Final = 100


class Page(NamedTuple):
    """`lines`: the text outside tables, a line for each block.

    `markup`: the texts in tags, comments and scripts, each once.
    """

    lines: list[str]
    tables: list[GridTable]
    markup: list[str]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = []
        self.tables: list[GridTable] = []
        self.markup: dict[str, None] = {}
        self._line: list[str] = []
        self._grids: list[Grid] = []
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

    def _of_table(self, grid: Grid, name: str, closes: bool, rest: str) -> None:
        self._break()
        self.lines += grid.close_cell()
        if name in ("td", "th"):
            if not closes:
                spans = {kind.lower(): int(count) for kind, count in _SPAN.findall(rest)}
                grid.open_cell(name == "th", spans.get("col", 1), spans.get("row", 1))
        elif name == "tr" and not closes:
            grid.open_row()
        else:
            grid.close_row()

    def _open_table(self) -> None:
        self._break()
        self._grids.append(Grid())
        if len(self._grids) > DEEPEST:
            raise Unparsed(f"HTML with tables nested more than {DEEPEST} deep")

    def _close_table(self) -> None:
        self._break()
        if not self._grids:
            return
        grid = self._grids.pop()
        self.lines += grid.close_cell()
        found = grid.table() if len(self.tables) < MOST_TABLES else None
        if found is not None:
            self.tables.append(found)
        else:
            self.lines += grid.lines()


def parsed(text: str) -> Page:
    """Parse a page. Raises `Unparsed`."""
    return _Reader(text).page()
