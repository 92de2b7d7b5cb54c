"""The ways to read lines with a delimiter: with which quotes, and how much like values the cells look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import fsum

from piiscan.core import shapes
from piiscan.io.delimited.splitting import Located, Row, located

# Marks that punctuation, times, addresses and passwords are full of: they must divide nearly every line to be believed.
SHY = frozenset((":", "*", "!", "#", "^", "~", "@", "::", " "))
SCORED_ROWS = 300
_CLEANED = 200


@dataclass(frozen=True, eq=False)
class Candidate:
    """One reading: `width` is the usual number of fields, `share` of the rows have it.

    One that is `preferred` counts for more than others.

    `rows` are the first records of `body`, and `lines` what they are made of.
    """

    delimiter: str
    quote: str | None
    escape: bool
    skip_space: bool
    rows: list[Located]
    body: Sequence[str]
    width: int = 1
    share: float = 0.0
    preferred: bool = False

    @cached_property
    def cells(self) -> list[Row]:
        return [row for row, _, _ in self.rows]

    @cached_property
    def lines(self) -> list[str]:
        body = self.body
        return [body[at] if taken == 1 else "\n".join(body[at : at + taken]) for _, at, taken in self.rows]

    @cached_property
    def score(self) -> float:
        """How much like values its cells look: 0 to 1, or a little more where it is preferred."""
        if self.width < 2:
            return 0.0
        every = list(map(str.strip, chain.from_iterable(self.cells[:_CLEANED])))
        if _are_clean(every):
            return self._weighed(1.0)
        cells = Counter(every)
        clean = fsum(n * _cleanness(cell) for cell, n in cells.items()) / cells.total()
        return self._weighed(clean)

    @property
    def highest(self) -> float:
        """What the score is at most, without a look at the cells."""
        return self._weighed(1.0) if self.width > 1 else 0.0

    def _weighed(self, clean: float) -> float:
        score = self.share * clean * self.width / (self.width + 0.5) * (0.7 if self.delimiter in SHY else 1.0)
        return score * 1.1 if self.preferred else score


def best_reading(body: Sequence[str], mark: str, complete: bool, text: str | None = None) -> Candidate:
    """The reading of lines with a mark whose cells look most like values. `text`: the lines in one, where known."""
    readings = list(_readings(body, mark, complete, "\n".join(body) if text is None else text))
    return max(readings, key=lambda c: c.score) if len(readings) > 1 else readings[0]


def _readings(lines: Sequence[str], mark: str, complete: bool, text: str) -> Iterator[Candidate]:
    """The ways to read lines with a delimiter: with which quotes, and with spaces before cells or not."""
    for quote, escape in _quotes(text, mark):
        space = mark == " " and "  " in text
        rows = list(islice(located(lines, mark, quote, escape, space, complete, text), SCORED_ROWS))
        # Looked for in the fields, not in the text: in a quoted one, `, "` is nothing special (JSON is full of it).
        is_used = quote is not None and quote in text
        if is_used and any(field[:1] == " " and field.lstrip(" ")[:1] == quote for row, _, _ in rows for field in row):
            space = True
            rows = list(islice(located(lines, mark, quote, escape, space, complete, text), SCORED_ROWS))
        yield measured(mark, quote, escape, space, rows, lines)


def _quotes(text: str, mark: str) -> Iterator[tuple[str | None, bool]]:
    """The quotes that a text may use, and whether with backslash escapes, likely ones first."""
    if '"' in text:
        yield '"', False
    single, lines = 0, 1
    if "'" in text:
        edge = re.escape(mark)
        single = len(re.findall(rf"(?:^|{edge})\s?'[^'\n]*'\s?(?=$|{edge})", text, re.MULTILINE))
        lines = text.count("\n") + 1
    if 2 * single >= lines:
        yield "'", False
    if '"' in text and '\\"' in text:  # one character is found many times as fast as two
        yield '"', True
    yield ('"', False) if '"' not in text else (None, False)
    if (
        0 < 2 * single < lines
    ):  # a few values in apostrophes are values, unless the rows agree better if they are quotes
        yield "'", False


# A whole value: nothing, a number, a date or time, an address of some kind, or a few words.
CLEAN = re.compile(
    r"|[-+$€£]?[\d.,' ]+%?|[\d:/.T+Z -]+|\S[^\s@]*+@(?=\S+\.\S)\S++|https?://\S+|[\w'’.() -]+|[\w:./#-]+"
)


_EACH_CLEAN = re.compile(f"(?>(?:{CLEAN.pattern})\n)*+")


def _are_clean(cells: Sequence[str]) -> bool:
    """Whether each of some cells is one value by its look, found out for all at once."""
    forms = set(shapes.of_each(cells, shapes.with_nines))  # any digit will do
    joined = "\n".join([*forms, ""])
    return '"' not in joined and joined.count("\n") == len(forms) and _EACH_CLEAN.fullmatch(joined) is not None


def measured(
    delimiter: str, quote: str | None, escape: bool, skip_space: bool, rows: list[Located], body: Sequence[str]
) -> Candidate:
    """The candidate with its usual width, and how well the rows agree on it."""
    counts = Counter([len(row) for row, _, _ in rows])
    width, agreeing = max(counts.items(), key=lambda pair: (pair[1], pair[0]), default=(1, 0))
    return Candidate(delimiter, quote, escape, skip_space, rows, body, width, agreeing / max(1, len(rows)))


def _cleanness(cell: str) -> float:
    """How much a cell looks like one value."""
    if cell[:1] == '"' or cell[-1:] == '"':
        return 0.0
    if cell.isalnum() and cell.isascii():
        return 1.0
    return 1.0 if CLEAN.fullmatch(cell) else 0.6
