"""Finds columns that a policy keeps, and in whose cells the values of people stand whom other columns hold.

A scan judges each table by itself. The transfers of a folder have "INV 2024-17 Anna Kernweiler" as their reference, its
calls a telephone of which nothing says whose it is: the table of customers, which is masked, tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from piiscan.core.header_words import fold
from piiscan.core.types import ColumnReport, Reason, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.masking.plan.row_people import CountedRows
from piiscan.masking.plan.same_people import is_declared, share
from piiscan.masking.surrogates import gender_words
from piiscan.scanning.classify.person_names import PARTICLES
from piiscan.scanning.classify.plain_words import is_in_no_list

Texts = Mapping[int, tuple[str, ...]]
"""Some cells of those columns of a table that are looked at."""

_SAMPLED: Final = 50
"""Cells of a column that are looked at, at most."""
_COMPARED: Final = 400
"""Values of a column of persons that they are compared with, at most."""
_LOOKED_AT: Final = 200
"""Characters of a cell that are looked at."""
_PHONE: Final = "PHONE_NUMBER"
_CONTACTS: Final = ("EMAIL_ADDRESS", _PHONE)
"""What only words around it, or another table, tell to be a person's."""
_TELLING: Final = ("EMAIL_ADDRESS", _PHONE, "STREET_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "NATIONAL_ID", "US_SSN")
"""Entities of values that are one person's, and hardly anything else by chance."""
_SHORTEST: Final = 7
"""Letters and digits of such a value, at least; of digits alone two more."""
_SHORTEST_NAME: Final = 6
_SHORTEST_LOGIN: Final = 5
_SHORTEST_PART: Final = 4
_NEARLY_ALL: Final = 0.8
_MOSTLY: Final = 0.5
"""Of a column of user names or of names so many of its different cells are such elsewhere."""
_MAY_BE_NAMES: Final = (None, "ORGANIZATION", "FREE_TEXT", "GENERIC_ID")
"""What a scan may take names for that are in no list."""
_PHONE_END: Final = 8
"""Digits at the end of a telephone that are the same with its country's code and without."""
_LONGEST_NAME: Final = 4
_LONGEST: Final = 8
"""Words that a value has, at most."""
_OFTEN: Final = 0.05
"""In so many of its cells a column has a given and a family name of two people in a row, where it is of persons."""
_FEWEST: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")
_NAME_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_HYPHENED: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NAMES: Final = ("PERSON", "FIRST_NAME", "LAST_NAME")
_BEHIND_NAME: Final = re.compile(r"<[^<>]*>[,;\s]*|\([^()]*@[^()]*\)[,;\s]*")
"""The addresses behind each of several names in a cell: "Ann Lee <ann@lee.org>, Bo Ray <bo@ray.org>"."""
_STEP: Final = re.compile(r"(?<=/)[^/?#\s]+")
"""Steps of an address."""
_SHORTEST_STEP: Final = 5
"""Letters of a step that is a word of a name alone."""
_MAY_BE: Final = re.compile(r"[^\W\d_]{2,}[\W_]+[^\W\d_]{2}|@|(?:\d\W{0,2}){7}|[^\x00-\u02ff]{3}|^[^\W\d_][\w.-]{4,}$")
"""What a cell has that may name a person: two words, an @, many digits, a word of a script that may have no spaces, or
nothing but what may be a user name."""
_JUDGED: Final = ("string", "other")


class People(NamedTuple):
    """What is known of the people of all tables: their values, written in one, and parts of their names.

    `parts`: given and family names, long enough to be no words of other kinds by chance; `steps`: the first and last
    words of names, which are the names of pages and repositories, too; `rare`: parts of names that no list of words and
    names has.
    """

    values: frozenset[str]
    steps: frozenset[str]
    phones: frozenset[str]
    given: frozenset[str]
    family: frozenset[str]
    parts: frozenset[str]
    rare: frozenset[str]


def texts(report: TableReport, summary: TableSummary) -> dict[int, tuple[str, ...]]:
    """Cells of the columns that may hold more than the scan took them for: those of the smallest hashes."""
    inner = {column.parent for column in report.columns}
    out = {}
    for column, found in zip(report.columns, summary.columns, strict=True):
        if column.dtype not in _JUDGED or column.index in inner or column.pii == "direct" or is_declared(column):
            continue
        some = tuple(text[:_LOOKED_AT] for text, _ in found.sample.first(_SAMPLED))
        if any(map(_MAY_BE.search, some)):
            out[column.index] = some
    return out


def with_owners(tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]]) -> list[TableReport]:
    """The tables, with addresses and telephones called persons' that another table knows to be persons'."""
    known: dict[str, list[tuple[int, ColumnReport, frozenset[str]]]] = {}
    for t, table in enumerate(tables):
        for column in table.columns:
            if column.entity in _CONTACTS and column.pii == "direct":
                values = _contacts(column, samples[t][column.index])
                known.setdefault(column.entity, []).append((t, column, values))

    def owned(t: int, column: ColumnReport) -> ColumnReport:
        if column.entity not in known or column.pii != "none" or is_declared(column):
            return column
        own = _contacts(column, samples[t][column.index])
        for there, other, values in known[column.entity]:
            if len(own & values) >= max(1, min(_FEWEST, len(own))) and share(own, values):
                said = f"its values stand in {tables[there].table or tables[there].source}, too, as those of persons"
                reasons = (Reason("values", text=f"{said} ({other.name or f'column_{other.index}'})"), *column.reasons)
                return replace(column, pii="direct", reasons=reasons, review=())
        return column

    return [replace(table, columns=tuple(owned(t, c) for c in table.columns)) for t, table in enumerate(tables)]


def with_users(
    tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]], cells: Sequence[Texts]
) -> list[TableReport]:
    """The tables, with columns called user names most of whose cells another table knows to be such."""
    known = {
        fold(text.strip())
        for table, held in zip(tables, samples, strict=True)
        for column in table.columns
        if column.entity == "USERNAME" and column.pii == "direct"
        for text in held[column.index][:_COMPARED]
        if len(text) >= _SHORTEST_LOGIN
    }

    def owned(column: ColumnReport, some: Sequence[str]) -> ColumnReport:
        if not _are_mostly([fold(text.strip()) in known for text in some]):
            return column
        said = Reason("values", text="its values are user names in another table")
        return replace(column, entity="USERNAME", pii="direct", reasons=(said, *column.reasons), review=())

    if not known:
        return list(tables)
    return [
        replace(table, columns=tuple(owned(c, each.get(c.index, ())) for c in table.columns))
        for table, each in zip(tables, cells, strict=True)
    ]


def _are_mostly(some: Sequence[bool]) -> bool:
    """Whether so many of some cells are known that the others are of the same kind."""
    found = sum(some)
    return found >= max(1, _MOSTLY * len(some), min(_FEWEST, len(some)))


def with_names(
    tables: Sequence[TableReport],
    samples: Sequence[Sequence[tuple[str, ...]]],
    rows: Sequence[CountedRows],
    cells: Sequence[Texts],
) -> list[TableReport]:
    """The tables, with columns called persons' names most of whose cells are full names of people of other columns."""
    known = _whole_names(tables, samples, rows)
    rare = _rare_parts(tables, samples)

    def owned(column: ColumnReport, some: Sequence[str]) -> ColumnReport:
        if column.entity not in _MAY_BE_NAMES or column.pii == "direct" or column.dtype != "string":
            return column
        words = [_words(text) for text in some]
        if _are_mostly([_joined(each) in known for each in words]):
            said, entity = "full names", "PERSON"
        elif rare and _are_mostly([_is_part(text, rare) for text in some]):
            said, entity = "parts of names", "PERSON" if any(len(each) > 1 for each in words) else "LAST_NAME"
        else:
            return column
        reasons = (Reason("values", text=f"its values are {said} of persons in other columns"), *column.reasons)
        return replace(column, entity=entity, subtype=None, rule=None, pii="direct", reasons=reasons, review=())

    if not known and not rare:
        return list(tables)
    return [
        replace(table, columns=tuple(owned(c, each.get(c.index, ())) for c in table.columns))
        for table, each in zip(tables, cells, strict=True)
    ]


def _whole_names(
    tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]], rows: Sequence[CountedRows]
) -> set[str]:
    """The full names of persons, written in one."""
    known: set[str] = set()
    for table, held, some in zip(tables, samples, rows, strict=True):
        people = [c for c in table.columns if c.pii == "direct"]
        for column in people:
            if column.entity == "PERSON":
                known.update(_values_of("PERSON", held[column.index][:_COMPARED]))
        known.update(_full_names(people, some))
    return known


def _rare_parts(tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]]) -> frozenset[str]:
    """Parts of names of persons that no list of words and names has, as they are folded."""
    return frozenset(
        part
        for table, held in zip(tables, samples, strict=True)
        for column in table.columns
        if column.pii == "direct" and column.entity in _NAMES
        for text in held[column.index][:_COMPARED]
        if len(parts := _NAME_WORD.findall(_BEHIND_NAME.sub(" ", text))) <= _LONGEST_NAME
        for word in parts
        if word[0].isupper() and is_in_no_list(word)
        for part in _words(word)
    )


def _is_part(text: str, rare: frozenset[str]) -> bool:
    """Whether a cell is a part of a name that no list has, by itself or beside an initial or a title."""
    words = [word for word in _HYPHENED.findall(text) if len(word) > 1]
    own = [word for word in words if rare.intersection(_words(word))]
    titles = gender_words.titles()
    return (
        bool(own)
        and not any(map(str.isdigit, text))
        and all(word in own or fold(word) in titles or fold(word) in PARTICLES for word in words)
    )


def found(
    tables: Sequence[TableReport],
    samples: Sequence[Sequence[tuple[str, ...]]],
    rows: Sequence[CountedRows],
    cells: Sequence[Texts],
) -> list[frozenset[int]]:
    """The columns of each table, of those in `cells`, in which values of persons stand.

    `samples`: texts of columns of persons; `rows`: some rows, with the names in them.
    """
    if not any(cells):
        return [frozenset()] * len(tables)
    people = _people(tables, samples, rows)
    if not any(people):
        return [frozenset()] * len(tables)
    return [frozenset(i for i, some in each.items() if _are_named(some, people)) for each in cells]


def _people(
    tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]], rows: Sequence[CountedRows]
) -> People:
    values: set[str] = set()
    phones: set[str] = set()
    parts: dict[str, set[str]] = {"FIRST_NAME": set(), "LAST_NAME": set()}
    for table, known, some in zip(tables, samples, rows, strict=True):
        people = [c for c in table.columns if c.pii == "direct"]
        for column in people:
            held = known[column.index][:_COMPARED]
            if column.entity == _PHONE:
                phones.update(filter(None, map(_phone_end, held)))
            elif column.entity in parts:
                parts[column.entity].update(word for text in held for word in _words(text) if len(word) > 1)
            else:
                values.update(_values_of(column.entity or "", held))
        values.update(_full_names(people, some))
    first, last = map(frozenset, parts.values())
    steps = _steps(tables, samples)
    long = steps | {word for word in first | last if len(word) >= _SHORTEST_PART}
    return People(frozenset(values), steps, frozenset(phones), first, last, long, _rare_parts(tables, samples))


def _values_of(entity: str, texts_: Iterable[str]) -> Iterator[str]:
    """What cells of an entity are in other cells, written in one."""
    if entity == "PERSON":
        for words in _each_name(texts_):
            yield from _names_of(words)
        return
    for words in map(_words, texts_):
        is_telling = entity in _TELLING or (entity == "USERNAME" and not all(map(_is_word, words)))
        if is_telling and _is_telling(value := _joined(words)):
            yield value


def _is_word(part: str) -> bool:
    """Whether a part of a user name is a word or a name that lists know."""
    return part.isalpha() and not is_in_no_list(part)


def _steps(tables: Sequence[TableReport], samples: Sequence[Sequence[tuple[str, ...]]]) -> frozenset[str]:
    """The first and the last words of names of persons, but short ones."""
    names = (
        words
        for table, known in zip(tables, samples, strict=True)
        for column in table.columns
        if column.entity == "PERSON" and column.pii == "direct"
        for words in _each_name(known[column.index][:_COMPARED])
    )
    return frozenset(word for words in names for word in (words[0], words[-1]) if len(word) >= _SHORTEST_STEP)


def _each_name(texts_: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The words of each name in some cells of names, without the addresses behind them."""
    yield from (words for text in texts_ for name in _BEHIND_NAME.split(text) if (words := _words(name)))


def _full_names(people: Iterable[ColumnReport], rows: CountedRows) -> Iterator[str]:
    """The full names of the people of some rows that have columns for their parts, written in one."""
    columns = list(people)
    given, family = ([c.index for c in columns if c.entity == part] for part in ("FIRST_NAME", "LAST_NAME"))
    yield from (value for row, _ in rows for value in _of_parts(row, given, family))


def _of_parts(row: Sequence[str | None], given: Iterable[int], family: Iterable[int]) -> Iterator[str]:
    """The full names of a row's people, in either order."""
    for one in given:
        for other in family:
            first, last = _words(row[one] or ""), _words(row[other] or "")
            if first and last:
                for names in {(first, last), (first[:1], last)}:
                    yield from _long_ones(_joined(part for name in order for part in name) for order in _orders(names))


def _orders(names: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    return names, names[::-1]


def _names_of(words: tuple[str, ...]) -> Iterator[str]:
    """A full name as it is written, and with its last word first or its first word last; nothing for a single word.

    A single one of a script without spaces between names is a full name. A cell such as "-" has no word.
    """
    if len(words) == 1 and words[0].isascii():
        return
    if 0 < len(words) <= _LONGEST_NAME:
        orders = (words, (*words[1:], words[0]), (words[-1], *words[:-1]))
        yield from _long_ones(map(_joined, orders))


def _long_ones(names: Iterable[str]) -> Iterator[str]:
    """Names that are no two short words by chance; in scripts whose letters are words or syllables, fewer will do."""
    yield from (name for name in names if len(name) >= (_SHORTEST_NAME if name < "\u2e80" else 3))


def _are_named(cells: Sequence[str], people: People) -> bool:
    """Whether cells hold values of people, or nearly each a part of a name beside other words, of several people."""
    by_parts = with_part = 0
    found: set[str] = set()
    small = {word for cell in cells for word in _NAME_WORD.findall(cell) if word[0].islower()}
    for cell in cells:
        words = _words(cell)
        if any(_is_rare(word, people) and word.lower() not in small for word in _NAME_WORD.findall(cell)):
            return True
        own = people.parts.intersection(words) if len(words) > 1 else frozenset()
        with_part += bool(own)
        found |= own
        if any(_is_known(words[i:j], people) for i in range(len(words)) for j in range(i + 1, i + 1 + _LONGEST)):
            return True
        if "://" in cell and any(fold(step) in people.steps for step in _STEP.findall(cell)):
            return True
        by_parts += any(_are_parts(a, b, people) for a, b in pairwise(words))
    if len(found) >= _FEWEST and with_part >= _NEARLY_ALL * len(cells):
        return True
    return by_parts >= max(_FEWEST, _OFTEN * len(cells))


def _is_rare(word: str, people: People) -> bool:
    """Whether a word of a cell is a part of a name that no list has."""
    return word[0].isupper() and not people.rare.isdisjoint(_words(word))


def _is_known(words: tuple[str, ...], people: People) -> bool:
    joined = _joined(words)
    if joined.isdecimal():
        return (end := _phone_end(joined)) is not None and end in people.phones
    return joined in people.values


def _are_parts(one: str, other: str, people: People) -> bool:
    """Whether two words in a row are a given and a family name of people, be they of two."""
    return (one in people.given and other in people.family) or (one in people.family and other in people.given)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


def _joined(words: Iterable[str]) -> str:
    return "".join(words)


def _is_telling(value: str) -> bool:
    return len(value) >= (_SHORTEST + 2 if value.isdecimal() else _SHORTEST)


def _phone_end(text: str) -> str | None:
    """The last digits of a telephone; None for a text that has too few for one."""
    digits = "".join(filter(str.isdecimal, text))
    return digits[-_PHONE_END:] if len(digits) >= _PHONE_END else None


def _contacts(column: ColumnReport, texts_: Sequence[str]) -> frozenset[str]:
    """What is compared of addresses and telephones."""
    some = texts_[:_COMPARED]
    if column.entity == _PHONE:
        return frozenset(filter(None, map(_phone_end, some)))
    return frozenset(fold(text.strip()) for text in some)
