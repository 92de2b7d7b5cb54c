"""Chooses the delimiter of a text, or decides that it is one column, by its rows and whole values.

Every mark is tried. A reading is refused where it cuts what is one value as it stands, where the line that names the
columns lacks its mark, or where its rows disagree. One column is what remains where no other reading fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.cells.cell_kinds import kind
from piiscan.io.delimited.header_row import WORDS, header_votes
from piiscan.io.delimited.heading import find_header
from piiscan.io.delimited.readings import CLEAN, SCORED_ROWS, SHY, Candidate, best_reading, measured
from piiscan.io.delimited.splitting import Located, Row, located
from piiscan.io.delimited.whole_values import (
    is_grouped,
    is_likely_whole,
    is_named,
    is_of_rule,
    is_whole,
    without_objects,
    without_parts,
)

NONE = "\x1c"
"""Stands for the delimiter where there is none: a character that separates files and doesn't occur in texts."""
MARKS = (
    ",",
    "\t",
    ";",
    "|",
    ":",
    "*",
    "!",
    "#",
    "^",
    "~",
    "@",
    "\x01",
    "\x1f",
    "\x1e",
    "¦",
    "§",
    "||",
    "|~|",
    "::",
    " ",
)
_PUNCTUATION = frozenset((",", ";", *SHY)) - {" "}
_CONTROL = frozenset(("\t", "\x01", "\x1f", "\x1e"))
_ENDINGS = {"csv": ",", "tsv": "\t", "tab": "\t", "psv": "|"}
_OTHERS = ("json", "jsonl", "ndjson", "geojson", "topojson")
ROWS = 1000
_LOOKED_AT = 60
_AGREE, _MOST, _NEARLY_ALL = 0.9, 0.8, 0.95
_BELIEVED = 0.3
_IN_OBJECTS = frozenset((",", ";", ":", "::", "|"))
"""Marks between the members of objects, and between keys and values."""
_ALIKE = 0.85
_LAST = 0.6
"""Spaces stand within most values: any other delimiter that fits goes first."""
_FEW, _MANY = 3, 20

Fit = Literal["fits", "doubtful", "no"]


class _NamesColumns:
    """Whether the first row of a candidate is a header of its width; worked out once for each delimiter."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def __call__(self, c: Candidate) -> bool:
        if c.delimiter not in self._known:
            cells = c.cells[:_LOOKED_AT]
            self._known[c.delimiter] = len(cells) > 1 and len(cells[0]) == c.width and header_votes(cells) > 0
        return self._known[c.delimiter]


class Choice(NamedTuple):
    """The chosen reading (None: a text without columns), its rows, and notes on other plausible ones."""

    candidate: Candidate | None
    rows: list[Located]
    notes: tuple[str, ...] = ()


def choose(lines: Sequence[str], complete: bool, declared: str | None, strict: bool, ending: str) -> Choice:
    """The reading of the lines of a table (all of it if `complete`).

    `declared` is the delimiter as the user says it, None to infer. `strict`: nothing but its content says that the text
    is a table; then no candidate is chosen where it is neither one nor a list.
    """
    complete = complete and len(lines) <= 2 * ROWS
    body = lines[: 2 * ROWS]
    if declared == NONE:
        return _taken(_column(body, complete), body, complete)
    if declared:
        return _taken(best_reading(body, declared, complete), body, complete)
    found = _candidates(body, complete, ending)
    fits = _Fits(found, strict)
    best = fits.best()
    if best is not None:
        return _taken(best, body, complete, _rivals(best, fits))
    column = _column(body, complete)
    doubtful = [c.delimiter for c in found if fits.of(c) == "doubtful"]
    if strict and (ending in _OTHERS or not is_list(column)):
        return Choice(None, [], _note("as text", doubtful, "--delimiter"))
    if not strict and _is_ragged(body, next((c for c in found if c.delimiter == ","), None)):
        return _ragged(body, complete)
    return _taken(column, body, complete, doubtful)


def _candidates(body: Sequence[str], complete: bool, ending: str) -> list[Candidate]:
    """The best reading with each mark that may be the delimiter, of those with several columns.

    The mark that the file's ending speaks of is preferred.
    """
    text = "\n".join(body)
    found = []
    for mark in MARKS:
        if mark[0] not in text or mark not in text or _is_half(mark, text) or (mark in SHY and _is_rare(mark, body)):
            continue
        best = best_reading(body, mark, complete, text)
        if best.width > 1:
            found.append(replace(best, preferred=True) if _ENDINGS.get(ending) == mark else best)
    return found


class _Fits:
    """How well readings fit, worked out where it is asked for: most can't be the best, whatever they hold."""

    def __init__(self, found: Sequence[Candidate], strict: bool) -> None:
        self.found, self.names, self._strict = found, _NamesColumns(), strict
        self._known: dict[str, Fit] = {}

    def of(self, c: Candidate) -> Fit:
        if c.delimiter not in self._known:
            self._known[c.delimiter] = _fit(c, self._strict, self.names)
        return self._known[c.delimiter]

    def is_good(self, c: Candidate) -> bool:
        """Whether a reading fits, and cuts no value which another one that fits leaves whole."""
        return self.of(c) == "fits" and not any(
            other is not c and _cuts(c, other) and not _cuts(other, c) and self.of(other) == "fits"
            for other in self.found
        )

    def best(self) -> Candidate | None:
        """The one with the highest score of the good ones; of several, the first that was found."""
        best, most = None, (-1.0, 0)
        for i, c in sorted(enumerate(self.found), key=lambda pair: pair[1].highest, reverse=True):
            weight = _LAST if c.delimiter == " " else 1
            if c.highest * weight < most[0] or (c.score * weight, -i) < most or not self.is_good(c):
                continue
            best, most = c, (c.score * weight, -i)
        return best


def _rivals(best: Candidate, fits: _Fits) -> list[str]:
    """The delimiters that would do about as well as the best."""
    least = _ALIKE * best.score
    rivals = [
        c.delimiter
        for c in fits.found
        if c is not best
        and c.highest >= least
        and c.score >= least
        and not (c.delimiter in SHY and c.width < best.width)
        and fits.is_good(c)
    ]
    return [*rivals, NONE] if _may_be_a_column(best, fits.names) else rivals


def _ragged(body: Sequence[str], complete: bool) -> Choice:
    """The reading with commas of rows that don't agree."""
    quote = '"' if any('"' in line for line in body) else None
    rows = list(islice(located(body, ",", quote, False, False, complete), ROWS))
    return Choice(measured(",", '"', False, False, rows, body), rows)


def shown(mark: str) -> str:
    """A delimiter as a note names it."""
    return {"\t": "tab", " ": "space"}.get(mark) or (f"'{mark}'" if mark.isprintable() else f"U+{ord(mark[0]):04X}")


def _taken(c: Candidate, body: Sequence[str], complete: bool, rivals: Sequence[str] = ()) -> Choice:
    rows = c.rows
    if len(rows) == SCORED_ROWS:
        _, at, taken = rows[-1]
        start = at + taken
        more = located(body[start:], c.delimiter, c.quote, c.escape, c.skip_space, complete, start=start)
        rows = rows + list(islice(more, ROWS - len(rows)))
    read = "as one column" if c.delimiter == NONE else f"with {shown(c.delimiter)} as delimiter"
    return Choice(
        c,
        rows,
        _note(read, rivals, "--delimiter (none for one column)" if NONE in (*rivals, c.delimiter) else "--delimiter"),
    )


def _note(read: str, rivals: Sequence[str], how: str) -> tuple[str, ...]:
    marks = [shown(mark) for mark in rivals if mark != NONE]
    also = " or ".join([*marks, *(["one column"] if NONE in rivals else [])])
    return (f"Read {read}; {also} would fit as well: choose with {how}",) if also else ()


def _is_half(mark: str, text: str) -> bool:
    """Whether a mark stands in pairs only, which are the delimiter."""
    return mark * 2 in MARKS and mark * 2 in text and text.count(mark) == 2 * text.count(mark * 2)


def _is_rare(mark: str, lines: Sequence[str]) -> bool:
    """Whether a mark is missing from so many lines that it can't be their delimiter."""
    some = [line for line in lines[:SCORED_ROWS] if line.strip()]
    return not any('"' in line for line in some) and 2 * sum(mark in line for line in some) < len(some)


def _fit(c: Candidate, strict: bool, names_columns: _NamesColumns) -> Fit:
    """How well a reading with several columns fits."""
    if c.score <= _BELIEVED or _lacks_header(c) or (strict and not _agrees(c)):
        return "no"
    names, spaced = names_columns(c), _is_punctuated(c)
    if strict and not names and _is_of_clauses(c):
        return "no"
    if c.delimiter == " ":
        return _spaced(c, names, strict)
    if _is_part_of_values(c, names):
        return "no"
    if (spaced or not names) and _share(c, is_whole) >= _MOST:
        return "no"
    if spaced and not names and (fit := _unconfirmed(c, strict)) is not None:
        return fit
    if c.delimiter in SHY:
        return _shy(c, names and not spaced, spaced, strict)
    return _single(c) if strict and len(c.rows) < 2 else "fits"


def _agrees(c: Candidate) -> bool:
    """Whether (nearly) all rows have the usual width."""
    return c.share >= (1 if len(c.rows) <= 2 else _NEARLY_ALL)


def _is_of_clauses(c: Candidate) -> bool:
    """Whether a comma and a space divide lines in two, as clauses of sentences are."""
    return c.delimiter == "," and c.width == 2 and any(row[1][:1] == " " for row in _full(c))


def _is_part_of_values(c: Candidate, names: bool) -> bool:
    """Whether a mark of objects, addresses and times stands within what the lines hold.

    `names`: the first row is a header.
    """
    if c.delimiter in _IN_OBJECTS and _share(c, lambda line: c.delimiter not in without_objects(line)) >= _MOST:
        return True
    if c.delimiter == "@" and len(c.rows) > 1:
        lines = [line.strip() for line in c.lines[:_LOOKED_AT]]
        if is_of_rule(lines, evident=True):
            return True
    if c.delimiter not in (":", "@", "::") or (names and c.delimiter != "@"):
        return False
    return _share(c, lambda line: c.delimiter not in without_parts(line)) >= 0.5


def _unconfirmed(c: Candidate, strict: bool) -> Fit | None:
    """As `_fit`, for a mark set as in sentences, without a header: None where what the columns hold confirms it."""
    if len(c.rows) < _FEW:
        return "no" if strict else "doubtful"
    if _kinds(c) & {"number", "date", "email", "url"}:
        return None
    return "doubtful" if not strict and c.share >= _AGREE else "no"


def _shy(c: Candidate, names: bool, spaced: bool, strict: bool) -> Fit:
    """As `_fit`, for a mark that is seldom a delimiter."""
    if c.share < _AGREE or (strict and c.share < 1) or not all(any(column) for column in zip(*_full(c), strict=True)):
        return "no"
    if names or (len(c.rows) >= _FEW and not spaced and (not strict or c.width > 2 or len(c.rows) > _FEW)):
        return "fits"
    if strict and c.width == 2 and spaced:
        return "no"
    return _single(c)


def _single(c: Candidate) -> Fit:
    """As `_fit`, for a row or two that nothing confirms: cells that are values by themselves do."""
    if any(cell[:1] == " " for row in c.cells for cell in row):
        return "no"
    cells = [cell.strip() for row in c.cells for cell in row]
    if c.delimiter in _CONTROL or (c.width > 2 and any(map(is_whole, cells))):
        return "fits"
    if all(CLEAN.fullmatch(cell) or is_whole(cell) for cell in cells):
        return "fits" if any(map(is_whole, cells)) or (c.width > 2 and _kinds(c) & {"number", "date"}) else "doubtful"
    return "doubtful" if len(cells) < _MANY else "no"


def _spaced(c: Candidate, names: bool, strict: bool) -> Fit:
    """Like `_fit`, for spaces, which most values contain.

    Quotes around values, names of columns, or the contents of the columns must support them, and no labels be before
    what most lines hold.
    """
    if c.share < _AGREE or _share(c, lambda line: _LABELLED.match(line) is not None) >= _AGREE:
        return "no"
    if c.quote and len(c.rows) > 1 and any(" " in cell.strip() for row in c.cells for cell in row):
        return "fits"
    is_values = _share(c, is_whole) >= _MOST
    if len(c.rows) < 2 or (strict and c.share < 1):
        return "doubtful" if c.share == 1 and not is_values else "no"
    if is_values:
        return "doubtful" if names and all(map(is_named, c.cells[0])) else "no"
    return _spaced_below_names(c) if names else _spaced_alone(c)


def _spaced_below_names(c: Candidate) -> Fit:
    are_distinct = not _kinds(c) <= {"text", "mixed", ""} or all(map(is_named, c.cells[0]))
    body = c.lines[1:_LOOKED_AT] or c.lines[:1]
    return "fits" if are_distinct and not is_of_rule(body, c.lines[0]) else "doubtful"


def _spaced_alone(c: Candidate) -> Fit:
    lines = c.lines[:_LOOKED_AT]
    if len(c.rows) < _FEW or is_grouped(lines) or is_of_rule(lines):
        return "doubtful"
    kinds = _kinds(c)
    return "fits" if kinds & {"email", "url", "date"} or kinds == {"number"} else "doubtful"


def _lacks_header(c: Candidate) -> bool:
    """Whether the first line names the only column: it lacks the delimiter, and no header follows it."""
    cells = c.cells
    if len(cells) < 2 or len(cells[0]) != 1 or c.width < 2:
        return False
    first = c.lines[0].strip()
    words = _words(first)
    if not (words and len(words) <= 8 and header_votes([[line] for line in c.lines[:_LOOKED_AT]]) > 0):
        return False
    start, has_header, _ = find_header(cells, c.width, None)
    if has_header and start:
        return False
    kinds = _kinds(c) - {""}
    return c.delimiter in SHY or is_named(first) or (len(kinds) < 2 and bool(set(words) & WORDS))


def _words(text: str) -> tuple[str, ...]:
    from piiscan.core.header_words import tokens

    return tokens(text)


def _share(c: Candidate, test: object) -> float:
    """Of the lines that the delimiter divides, the header apart, the share that passes a test."""
    divided = [line.strip() for line, row in zip(c.lines, c.cells, strict=True) if len(row) > 1]
    divided = divided[1 : _LOOKED_AT + 1] or divided
    return sum(map(test, divided)) / len(divided) if divided else 0.0  # type: ignore[call-overload]


def _full(c: Candidate) -> list[Row]:
    return [row for row in c.cells if len(row) == c.width]


def _kinds(c: Candidate) -> set[str]:
    """What the columns hold, the first row apart."""
    rows = _full(c)[:_LOOKED_AT]
    found = set()
    for column in zip(*(rows[1:] or rows), strict=True):
        looks = Counter(look for look in map(kind, column) if look)
        look, count = looks.most_common(1)[0] if looks else ("", 0)
        found.add(look if count >= _MOST * looks.total() else "mixed")
    return found


def _is_punctuated(c: Candidate) -> bool:
    """Whether a space follows the mark wherever it stands, or stands before it: as in sentences."""
    if c.delimiter not in _PUNCTUATION or c.skip_space:
        return False
    text = "\n".join(c.lines)
    if f"{c.delimiter} " not in text and (c.quote is None or c.quote not in text) and c.delimiter not in SHY:
        return False  # a cell may only begin with a space where one stands behind the mark, or behind a quote
    rows = [row for row in c.cells if len(row) > 1]
    after = sum(all(cell[:1] in (" ", "") for cell in row[1:]) for row in rows)
    if not any(cell[:1] == " " for row in rows for cell in row[1:]):
        after = 0
    before = sum(any(cell[-1:] == " " for cell in row[:-1]) for row in rows) if c.delimiter in SHY else 0
    return max(after, before) >= _AGREE * len(rows) if rows else False


def _cuts(c: Candidate, other: Candidate) -> bool:
    """Whether a reading cuts the cells of a column that `other` leaves whole, each one value as it stands."""
    whole = is_whole if other.delimiter == " " else is_likely_whole  # spaces leave all sorts of pieces
    places = zip(c.rows[:_LOOKED_AT], other.rows[:_LOOKED_AT], strict=False)
    pairs = [(mine, row) for (mine, *at), (row, *of) in places if at == of][1:]
    for column in range(other.width):
        cells: list[tuple[str, Row]] = []
        for mine, row in pairs:
            if column < len(row) and (cell := row[column].strip()):
                if c.delimiter not in cell:
                    break
                cells.append((cell, mine))
        else:
            if cells and _are_cut(cells, whole):
                return True
    return False


def _are_cut(cells: Sequence[tuple[str, Row]], whole: Callable[[str], bool]) -> bool:
    """Whether most cells are one value and are found in none of their fields.

    After a few cells for which that fails, no more are looked at.
    """
    left = len(cells)
    for cell, fields in cells:
        left -= not whole(cell) or any(cell in field for field in fields)
        if left < _MOST * len(cells):
            return False
    return True


def _may_be_a_column(c: Candidate, names_columns: _NamesColumns) -> bool:
    """Whether the lines would do as values of one column too."""
    if c.delimiter in _CONTROL or (c.quote and any(c.quote in line for line in c.lines)) or names_columns(c):
        return False
    return _share(c, is_likely_whole) >= _MOST or (len(c.rows) < _FEW and c.delimiter in SHY)


def _column(lines: Sequence[str], complete: bool) -> Candidate:
    """The reading as one column. Quotes count where they enclose whole lines."""
    for quote in ('"', None):
        rows = list(islice(located(lines, NONE, quote, False, False, complete), SCORED_ROWS))
        column = Candidate(NONE, quote, False, False, rows, lines, 1, 1.0)
        if quote is None or all(_ENCLOSED.fullmatch(text) for text in column.lines if text.startswith('"')):
            break
    return column


_ENCLOSED = lazy_pattern(r'"(?:[^"]|"")*"')
_SHORT = lazy_pattern(r"[\w@#+*&'’.,/()°º€$£%:;~^!?|¦§-]+(?: [\w@#+*&'’.,/()°º€$£%:~^!?|¦§-]+){0,4}")
_LABELLED = lazy_pattern(r"[-*• ]*[^\W\d_][\w-]*(?: [\w-]+){0,3}: ")
"""As lines of a form begin."""
_LINE = 1000
_SENTENCE = lazy_pattern(r".*[^\W\d]{2,}[.!?:;,…]|.*\w[,;:!?] \w.* \w.*|[\w .-]+[:=] .*|.*\w ?\.{4,}.*", re.DOTALL)


def is_list(column: Candidate) -> bool:
    """Whether (nearly) every line is one short value."""
    texts = [text for row in column.cells for text in row]
    rest = texts[1:] if len(texts) > 1 else texts
    if not rest or len(rest) < 0.5 * (column.rows[-1][1] + 1) or max(map(len, texts)) > _LINE:
        return False
    if _quotes_delimiters(column):
        return True
    may_be_header = len(texts) > 1 and is_named(texts[0]) and _LABELLED.match(texts[0]) is None
    has_header = may_be_header and header_votes(column.cells) > 0
    some = rest if has_header else texts
    return sum(map(_is_one_value, some)) >= (0.5 if has_header else _NEARLY_ALL) * len(some)


def _quotes_delimiters(column: Candidate) -> bool:
    """Whether quotes enclose lines that have quotes or delimiters in them: nobody else needs any."""
    enclosed = [line for line in column.lines if line.startswith('"')]
    return bool(column.quote) and any('""' in line[1:-1] or any(m in line for m in MARKS) for line in enclosed)


def _is_one_value(text: str) -> bool:
    return is_likely_whole(text.strip()) or (len(text) <= 80 and _is_short(text.strip()))


def _is_short(text: str) -> bool:
    return _SHORT.fullmatch(text) is not None and _SENTENCE.fullmatch(text) is None


def _is_ragged(lines: Sequence[str], commas: Candidate | None) -> bool:
    """Whether commas divide most lines as they do in tables, though the rows don't agree."""
    if commas is None or _lacks_header(commas) or _is_punctuated(commas) or _share(commas, is_whole) >= _MOST:
        return False
    return 2 * sum(re.search(r",(?:\S|$)", line) is not None for line in lines) >= len(lines)
