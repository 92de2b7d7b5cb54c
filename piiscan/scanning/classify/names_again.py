"""Finds columns that have the names of the rows' persons once more: search terms, short names, logins.

An accounting system has `SCHNEIDER` as the search term of "Anna Schneider", a messenger `aschneider` as what others
call her, under headers that say nothing. No list needs to know the name: it is in the same row.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from piiscan.core.header_words import fold
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import RowSample
from piiscan.scanning.classify.person_names import only_particles
from piiscan.scanning.classify.word_lists import OFFICES

MOST: Final = 0.8
"""Share of a column's filled cells that must repeat a name of their row."""
ROWS, DIFFERENT = 5, 3
"""So many filled cells there must be, and different ones among them, at least."""
SHARED: Final = 0.1
"""Different cells for each filled one, at least: more than ten persons in a row hardly share a name."""
_LOOKED_AT: Final = 8
"""Cells of a column that are looked at first: hardly any column repeats names."""
_SHORTEST: Final = 4
"""Letters of a login, at least."""
_LONGEST: Final = 5
"""Words of a name, at most."""
_BESIDE: Final = re.compile(r"[/|()\[\]\d]")
"""What divides a name from something else about the person, such as a party."""
_PARTS: Final = ("FIRST_NAME", "LAST_NAME")
_NAMED: Final = re.compile(r"[^\W\d_][^\W\d_'’.-]*(?:[\s,'’.-]+[^\W\d_]+){1,6}\.?")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_NO_LETTER: Final = re.compile(r"[\W\d_]+")


def may_repeat(column: ColumnSummary) -> bool:
    """Whether a column's cells may repeat names, for all that the first ones show: numbers and dates don't."""
    first = [text for text, _ in column.sample.first(_LOOKED_AT)]
    return sum(_WORD.search(text) is not None for text in first) >= MOST * len(first) > 0


def named_again(rows: RowSample, names: Mapping[int, str], unknown: Collection[int]) -> dict[int, str]:
    """The entity of each of the columns `unknown`, by their places, whose cells repeat the names of their rows.

    `names`: the columns of names and e-mail addresses of persons, with what they are.
    """
    if not names or not unknown:
        return {}
    sampled = [row for row, _ in rows.items]
    people = [_Person(row, names) for row in sampled]
    out: dict[int, str] = {}
    for column in unknown:
        pairs = zip(sampled, people, strict=True)
        filled = [(text, person) for row, person in pairs for text in _elements(row[column] or "")]
        if filled and (entity := _entity(filled)) is not None:
            out[column] = entity
    return out


def named_in_whole(
    headers: Sequence[str | None], columns: Sequence[ColumnSummary], names: Mapping[int, str], unknown: Collection[int]
) -> list[int]:
    """Which of the columns `unknown` have in whole the names that lists of objects have in parts (`name[].text`).

    Samples of rows hold no elements of lists, so values are compared by column: of few ones nearly all must have a word
    of the parts, of many ones, of which a sample can't have all, some.
    """
    out = []
    for column in unknown:
        parent = _parent(headers[column])
        parts = [i for i, entity in names.items() if parent and entity in _PARTS and _parent(headers[i]) == parent]
        if {names[i] for i in parts} != set(_PARTS):
            continue
        known = {word for i in parts for text in columns[i].sample.texts for word in _words(text)}
        texts = columns[column].sample.texts
        named = sum(1 < len(words) <= _LONGEST and not known.isdisjoint(words) for words in map(_words, texts))
        every = all(columns[i].sample.distinct <= len(columns[i].sample.texts) for i in (column, *parts))
        if len(texts) >= ROWS and named >= (MOST * len(texts) if every else DIFFERENT):
            written = sum(_NAMED.fullmatch(text.strip()) is not None for text in texts)
            out += [column] if every or written >= MOST * len(texts) else []
    return out


def _parent(header: str | None) -> str:
    """The list of objects that a column is a member of, "" for none."""
    parent = (header or "").removesuffix("[]").rpartition(".")[0]
    return parent if parent.endswith("[]") else ""


class _Person:
    """What a row calls its persons: words of each name, in their order, and parts of e-mail addresses before the @."""

    def __init__(self, row: Sequence[str | None], names: Mapping[int, str]) -> None:
        self.names: list[tuple[str, tuple[str, ...]]] = []
        self.boxes: set[str] = set()
        pairs = ((text, entity) for column, entity in names.items() for text in _elements(row[column] or ""))
        for text, entity in pairs:
            if entity == "EMAIL_ADDRESS":
                box = text.partition("@")[0].lower()
                self.boxes.update({_login(box)} if box not in OFFICES else ())
            elif (words := _words(text)) and len(words) <= _LONGEST and _BESIDE.search(text) is None:
                self.names.append((entity, words))

    def called(self, text: str) -> str | None:
        """What a text is that repeats a name of the row, None for any other."""
        words = _words(text)
        if only_particles([text]):
            return None
        if words and len("".join(words)) == len(_login(text)) and not _has_digits(text):
            if any(set(words) == set(own) and len(words) == len(own) > 1 for _, own in self.names):
                return "PERSON"
            if len(words) == 1 and (part := self._part(words[0])) is not None:
                return part
            known = {word for _, own in self.names for word in own}
            if len(words) > 1 and known.issuperset(words):
                return "PERSON"
        login = _login(text)
        is_login = " " not in text and "@" not in text and len(login) >= _SHORTEST
        return "USERNAME" if is_login and login in {*self.boxes, *self._logins()} else None

    def _part(self, word: str) -> str | None:
        for entity, own in self.names:
            if word in own:
                if entity != "PERSON" or len(own) == 1:
                    return entity
                return "FIRST_NAME" if word == own[0] else "LAST_NAME"
        return None

    def _logins(self) -> Iterator[str]:
        given = [own[0] for entity, own in self.names if entity == "FIRST_NAME"]
        family = ["".join(own) for entity, own in self.names if entity == "LAST_NAME"]
        pairs = [(a, b) for a in given for b in family]
        pairs += [(own[0], own[-1]) for entity, own in self.names if entity == "PERSON" and len(own) > 1]
        for one, other in (*pairs, *((b, a) for a, b in pairs)):
            yield from (one + other, one[0] + other, one + other[0])


def _elements(cell: str) -> list[str]:
    """The texts of a cell, which may be a list as a sample of rows prints it; none of one that is cut."""
    if cell[:2] not in ("['", '["'):
        return [cell] if cell else []
    try:
        held = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return [text for text in held if isinstance(text, str) and text] if isinstance(held, list) else []


def _entity(filled: Sequence[tuple[str, _Person]]) -> str | None:
    first = [person.called(text) for text, person in filled[:_LOOKED_AT]]
    if sum(what is not None for what in first) < MOST * len(first):
        return None
    kinds = Counter(what for text, person in filled if (what := person.called(text)) is not None)
    if kinds["PERSON"] == len(filled) and all(len(_words(text)) > 1 for text, _ in filled):
        return "PERSON"  # given and family name of its row in each cell, be they few
    different = len({text for text, _ in filled})
    if kinds.total() < MOST * len(filled) or len(filled) < ROWS or different < max(DIFFERENT, SHARED * len(filled)):
        return None
    what, cells = kinds.most_common(1)[0]
    return what if cells >= MOST * kinds.total() else "PERSON"


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


def _login(text: str) -> str:
    return _NO_LETTER.sub("", fold(text))


def _has_digits(text: str) -> bool:
    return any(map(str.isdigit, text))
