"""Tables of documents, of rows and cells that span several columns or rows: in HTML and in office documents."""

from __future__ import annotations

from typing import Final, NamedTuple

from piiscan.io.delimited.header_row import infer_header
from piiscan.io.documents.glue import glued

MOST_TABLES: Final = 200
"""Tables of a document; those behind them are read as lines."""
DEEPEST: Final = 50
"""Tables within tables."""
_WIDEST: Final = 200


class GridTable(NamedTuple):
    """The rows of a table, each as wide as the widest; `header`: the names of its columns, None where it has none."""

    header: list[str] | None
    rows: list[list[str]]


class Grid:
    """A table that isn't closed. `is_head`: for each cell of the rows, whether it is one of a header; `size`: cells."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.is_head: list[list[bool]] = []
        self._below: dict[int, int] = {}
        """Columns that cells of rows above reach into, and how many rows down."""
        self.cell: list[str] | None = None
        self.size = 0
        self._is_head_cell = False
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

    def open_cell(self, is_head: bool, across: int = 1, down: int = 1) -> None:
        """`across`, `down`: how many columns and rows it spans."""
        self.close_cell()
        if not self.rows:
            self.open_row()
        self._spans = min(max(1, across), _WIDEST), min(max(1, down), 1000)
        self._is_head_cell, self.cell = is_head, []

    def widen(self, across: int) -> None:
        """The open cell spans so many columns."""
        self._spans = min(max(1, across), _WIDEST), self._spans[1]

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
        self.size += across
        self._skip()
        return texts[1:]

    def table(self) -> GridTable | None:
        """None for what only lays out a page."""
        filled = [i for i, row in enumerate(self.rows) if any(row)]
        rows, heads = [self.rows[i] for i in filled], [self.is_head[i] for i in filled]
        width = max(map(len, rows), default=0)
        if not rows or not 2 <= width <= _WIDEST or (len(rows) < 2 and not any(heads[0])):
            return None
        return _with_header([row + [""] * (width - len(row)) for row in rows], heads, width)

    def lines(self) -> list[str]:
        """The rows as lines of text."""
        return [line for row in self.rows if (line := " ".join(cell for cell in row if cell))]


def _with_header(rows: list[list[str]], heads: list[list[bool]], width: int) -> GridTable:
    """The rows below their header.

    That is cells marked as a header, in the first rows or before each row, or else a row that reads as one.
    """
    if all(head[0] and not any(head[1:]) for head in heads) and len({row[0] for row in rows}) == len(rows):
        return GridTable([row[0] for row in rows], [[row[i] for row in rows] for i in range(1, width)])
    first = 0
    while first < len(rows) - 1 and all(heads[first]):
        first += 1
    if first:
        return GridTable(rows[first - 1], [*rows[: first - 1], *rows[first:]])
    if infer_header(rows[:1000], len(rows) <= 1000):
        return GridTable(rows[0], rows[1:])
    return GridTable(None, rows)
