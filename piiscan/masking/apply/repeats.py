"""Names of persons that texts repeat in part: in one row's text, or in the lines of one document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.apart import Apart
from piiscan.detection.text import query_values
from piiscan.masking.known import repeated_names
from piiscan.masking.known.homographs import is_disease, is_month

if TYPE_CHECKING:
    from piiscan.core.types import TableInfo

_REMEMBERED: Final = 4096
"""Names of a document that are looked for behind the lines that have them."""
NameMask = tuple[int, str, str | None]
"""A row, a name in it, and its mask."""


class Waiting(NamedTuple):
    """A part of a row's text that the plan's spans mask, together with others of its entity.

    `quote`: how a URL writes the blanks in it, where it is written as in one; `text` is what it says. `form`: that in
    another case, as it is written, and how many letters its ending has.
    """

    row: int
    start: int
    end: int
    text: str
    quote: str | None = None
    form: tuple[str, int] | None = None


def as_said(entity: str, row: int, start: int, end: int, written: str) -> Waiting:
    """A part of a row's text, as it says what a URL may write."""
    plain = query_values.plain(entity, written)
    if plain == written:
        return Waiting(row, start, end, plain)
    return Waiting(row, start, end, plain, "+" if "+" in written else "%20")


class NamedText(NamedTuple):
    """A text with `names` of persons, and the places of what is `found` in it.

    `rows`: those whose texts it is made of, which begin at `starts` in it.
    """

    rows: Sequence[int]
    starts: Sequence[int]
    text: str
    names: list[str]
    found: list[tuple[int, int]]

    def whose(self, start: int) -> tuple[int, int]:
        """The row that a place is in, and where that row begins."""
        at = bisect_right(self.starts, start) - 1
        return self.rows[at], self.starts[at]

    def waiting(self, start: int, end: int) -> Waiting:
        """A part of it that is the name of a person."""
        row, begin = self.whose(start)
        return as_said("PERSON", row, start - begin, end - begin, self.text[start:end])


class Document:
    """What the lines of a text that were masked so far say of persons: their full names, and the masks of these."""

    def __init__(self) -> None:
        self._names: dict[str, str | None] = {}

    def joined(self, lines: Sequence[NamedText]) -> NamedText | None:
        """The text that some lines make, with the names in them and before that it never writes as words.

        None without such a name.
        """
        text = "\n".join(line.text for line in lines)
        names = dict.fromkeys((*self._names, *(name for line in lines for name in line.names)))
        starts = [0, *accumulate(len(line.text) + 1 for line in lines)][:-1]
        found = [(start + a, start + b) for line, start in zip(lines, starts, strict=True) for a, b in line.found]
        wanted = repeated_names.only_names(text, names, Apart(_merged(found))) if names else []
        return NamedText([line.rows[0] for line in lines], starts, text, wanted, found) if wanted else None

    def agreeing(self, masks: Sequence[NameMask], given: Sequence[NameMask]) -> list[str | None]:
        """As `repeated_names.agreeing` for all lines as one row, with the names of those before."""
        before = [(0, name, mask) for name, mask in self._names.items()]
        given = [*before, *((0, name, mask) for _, name, mask in given)]
        out = repeated_names.agreeing([(0, name, mask) for _, name, mask in masks], given)
        for name, mask in (*((name, mask) for _, name, mask in given), *zip((m[1] for m in masks), out, strict=True)):
            if len(self._names) < _REMEMBERED and " " in name.strip():
                self._names.setdefault(name, mask)
        return out


class Documents:
    """The document that is masked now. Files are masked one after the other, and all texts of one are one document."""

    def __init__(self) -> None:
        self._source: str | None = None
        self._document = Document()

    def of(self, table: TableInfo) -> Document | None:
        """That whose lines a table's rows are; None for other tables."""
        if not table.is_text:
            return None
        if table.source != self._source:
            self._source, self._document = table.source, Document()
        return self._document


def with_declined(waiting: Sequence[Waiting], texts: Sequence[NamedText]) -> list[Waiting]:
    """Persons that are masked, and parts of full names that texts repeat in another case, found as persons or not."""
    out = {(w.row, w.start, w.end): w for w in waiting}
    places = repeated_names.declined([named.text for named in texts], [named.names for named in texts])
    for named, each in zip(texts, places, strict=True):
        found = Apart(_merged(named.found) if each else ())
        for start, end, part, ending in each:
            row, begin = named.whose(start)
            here = row, start - begin, end - begin
            if here in out or not (found.meets(start, end) or is_disease(named.text, start, end)):
                out[here] = Waiting(*here, part, form=(named.text[start:end], ending))
    return list(out.values())


def _merged(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places of which none overlaps another one, and that cover the same."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if out and start < out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out


def repeated(text: str, names: Sequence[str], found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield parts of full names that a text repeats, outside of what is found."""
    for start, end in repeated_names.places(text, names, found):
        if not (is_month(text, start, end) or is_disease(text, start, end)):
            yield start, end
