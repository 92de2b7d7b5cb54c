"""Finds columns that hold keys of other tables, or of persons in their own, where nothing declares it.

By names and values: `patient` of visits, or `manager_number` beside `employee_number`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from piiscan.core.header_words import singular, tokens
from piiscan.core.types import ColumnReport, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.masking.plan.same_people import SAMPLED

Place = tuple[int, int]
"""A table and a column, by their indexes."""

_KEY_WORDS: Final = frozenset("id ids key no nr num number nummer code fk pk uid uuid guid ref".split())
_JOINED_UP: Final = re.compile(r"(?<=[^\W\d_]{3})(?:id|nr|no|nummer|number|key|fk)$")
_NUMBERS: Final = frozenset("BANK_ACCOUNT PHONE_NUMBER NATIONAL_ID DEVICE_ID VEHICLE_ID".split())
"""Numbers of persons and their things, which other tables have too, under headers that don't say so."""
_KEY_ENTITIES: Final = frozenset((None, "GENERIC_ID", "PERSON_ID", "MEDICAL_RECORD", *_NUMBERS))
_OF_PERSONS: Final = frozenset(("PERSON_ID", "MEDICAL_RECORD"))
"""Keys of persons, which another column of their own table may hold, too: the manager's beside the employee's."""
_KEY_TYPES: Final = ("string", "integer", "other")
_UNIQUE: Final = 0.97
"""The share of a key column's values that differ from all others; counts of many values are estimates."""
_NAMED_SHARE: Final = 0.2
"""The share of a column's sampled values that are in the key column, where names say that it refers to it."""
_SHARE: Final = 0.95
"""The share where values alone say so."""
_FEWEST: Final = 5
_FEWEST_TELLING: Final = 2
_TELLING: Final = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{6,}|\d{7}", re.DOTALL)
"""Values that columns of no relation don't share by chance, as they share small numbers and words."""
_LONG: Final = re.compile(r"\d{5,}")
"""Values that a column of repeated keys hardly shares by chance; row numbers of two tables may."""
_NUMBER: Final = re.compile("[0-9]{1,18}")
_DENSE: Final = 0.1
_SHORTEST: Final = 3
_COMPARED: Final = 20
"""Key columns whose values are compared with those of one column, at most: the first ones by table and place."""
_SAID: Final = 3
"""Key columns that a plan names where it can't tell which one a column refers to, at most."""
_IRREGULAR: Final = {"people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman"}


class Reference(NamedTuple):
    """A column, the key column that it seems to refer to, and whether that is sure enough to mask them alike."""

    column: Place
    key: Place
    sure: bool


class _Column(NamedTuple):
    place: Place
    order: tuple[str, str, int]
    header: tuple[str, ...]
    stem: str
    has_key_word: bool
    table: str
    dtype: str
    unique: bool
    distinct: int
    values: tuple[str, ...]
    known: frozenset[str]
    is_number: bool
    is_of_persons: bool


def may_refer(column: ColumnReport) -> bool:
    """Whether a column may hold keys, of its own table or of another one."""
    if column.dtype not in _KEY_TYPES or column.entity not in _KEY_ENTITIES or not column.name:
        return False
    _, has_key_word = _stem(column.name)
    return has_key_word or column.entity is not None or len(tokens(column.name)) == 1


def samples(report: TableReport, summary: TableSummary) -> dict[int, tuple[str, ...]]:
    """Texts of the columns that may refer to others, those of the smallest hashes first."""
    return {
        column.index: tuple(text for text, _ in found.sample.first(SAMPLED))
        for column, found in zip(report.columns, summary.columns, strict=True)
        if may_refer(column)
    }


def references(
    tables: Sequence[TableReport], texts: Sequence[Mapping[int, tuple[str, ...]]], filled: Sequence[Sequence[int]]
) -> list[Reference]:
    """The references between columns of tables, the same ones for any order of the tables.

    `texts`: those of `samples`; `filled`: cells of each column that aren't empty.
    """
    columns = sorted(
        (
            _column(t, table, column, texts[t].get(column.index, ()), filled[t][column.index])
            for t, table in enumerate(tables)
            for column in table.columns
            if may_refer(column)
        ),
        key=lambda one: one.order,
    )
    by_name: dict[str, list[_Column]] = {}
    by_value: dict[str, list[_Column]] = {}
    for key in columns:
        for name in {key.stem, key.table} - {""}:
            by_name.setdefault(name[:_SHORTEST], []).append(key)
        if key.unique or key.is_of_persons:
            for value in key.values:
                if len(known := by_value.setdefault(value, [])) < _COMPARED:
                    known.append(key)
    by_header: dict[tuple[str, ...], list[_Column]] = {}
    for column in columns:
        if column.header not in by_header:
            near = by_name.get(column.stem[:_SHORTEST], ())
            fits = [key for key in near if _named(column, key)]
            by_header[column.header] = sorted(fits, key=lambda key: _nearness(column, key))[: _COMPARED + 1]
    return [one for column in columns for one in _of(column, by_header[column.header], by_value)]


def _of(column: _Column, near: Sequence[_Column], by_value: Mapping[str, Sequence[_Column]]) -> Iterator[Reference]:
    """The key that a column refers to: the best one by names, else the only one by values, else those it may be."""
    if (key := _by_name(column, near)) is not None:
        yield Reference(column.place, key.place, True)
        return
    shared: dict[Place, _Column] = {}
    for value in column.values[: 2 * _FEWEST]:
        shared |= {key.place: key for key in by_value.get(value, ())}
    fits = [key for key in shared.values() if key.unique and _other(column, key) and _holds(column, key)]
    if not fits:
        yield from _of_own(column, shared.values())
        return
    only = len(fits) == 1 and not column.unique and column.has_key_word
    alike = _of_one_name(column, fits)
    if len(alike) == 1:  # small numbers and words are shared by chance, but hardly under one name
        yield Reference(column.place, alike[0].place, True)
    elif _are(_TELLING, column.values) or (only and _are(_LONG, column.values)):
        largest = min(fits, key=lambda key: (-key.distinct, key.order))
        yield Reference(column.place, largest.place, True)
    elif column.has_key_word and column.stem:
        for key in sorted(fits, key=lambda key: key.order)[:_SAID]:
            yield Reference(column.place, key.place, False)


def _of_own(column: _Column, keys: Iterable[_Column]) -> Iterator[Reference]:
    """The key of persons in its own table that a column holds, too, by values that it hardly shares by chance."""
    own = [key for key in keys if _is_beside(column, key) and _holds(column, key)]
    if own and (_are(_TELLING, column.values) or (not column.unique and _are(_LONG, column.values))):
        key = min(own, key=lambda key: (-key.distinct, key.order))
        yield Reference(column.place, key.place, not _is_dense(key))


def _is_dense(key: _Column) -> bool:
    """Whether keys are so many of the numbers in their range that other numbers are among them by chance."""
    numbers = [int(value) for value in key.values if _NUMBER.fullmatch(value)]
    return bool(numbers) and key.distinct > _DENSE * (max(numbers) - min(numbers) + 1)


def _is_beside(column: _Column, key: _Column) -> bool:
    """Whether a key is one of persons in the column's own table, and the column isn't called one itself."""
    is_own = column.place[0] == key.place[0] and column.place != key.place
    return is_own and key.is_of_persons and not column.is_of_persons and column.dtype in (key.dtype, "other")


def _of_one_name(column: _Column, keys: Sequence[_Column]) -> list[_Column]:
    """Unique columns with a column's own header, where that says more than that it numbers rows."""
    return [key for key in keys if key.header == column.header and key.unique] if column.stem else []


def _by_name(column: _Column, near: Sequence[_Column]) -> _Column | None:
    """The best one of the keys whose names fit, if values don't deny it."""
    shares = [(key, _share(column, key)) for key in near if _other(column, key)]
    fits = [((*_nearness(column, key), -share, key.order), key) for key, share in shares if share >= _NAMED_SHARE]
    return min(fits, key=lambda one: one[0])[1] if fits else None


def _nearness(column: _Column, key: _Column) -> tuple[bool, bool]:
    return column.stem not in (key.stem, key.table), not key.unique


def _holds(column: _Column, key: _Column) -> bool:
    """Whether nearly all values of a column are keys of another one, and enough are seen to be.

    Of values that aren't shared by chance two are enough, and one under the header of the key.
    """
    fewest = _FEWEST
    if _are(_TELLING, column.values):
        fewest = 1 if column.header == key.header else _FEWEST_TELLING
    return len(column.known & key.known) >= fewest and _share(column, key) >= _SHARE


def _are(form: re.Pattern[str], values: Sequence[str]) -> bool:
    return sum(1 for value in values if form.search(value)) >= _SHARE * len(values)


def _other(column: _Column, key: _Column) -> bool:
    """Whether a column may refer to a key: one of another table, of the column's type, or of its lists' elements."""
    return column.place[0] != key.place[0] and column.dtype in (key.dtype, "other")


def _named(column: _Column, key: _Column) -> bool:
    """Whether names say that a column refers to a key: patient, patient_id → id of patients, patient_id anywhere."""
    if key.unique and (not key.stem or _alike(key.stem, key.table)) and _alike(column.stem, key.table):
        return True
    same = bool(column.stem) and column.has_key_word and key.has_key_word
    return same and (column.header == key.header or (key.unique and _alike(column.stem, key.stem)))


def _alike(a: str, b: str) -> bool:
    """Whether one is the other, or begins with it but for an ending: patient and patients, cust and customer."""
    if min(len(a), len(b)) < _SHORTEST:
        return False
    return a == b or (abs(len(a) - len(b)) <= len(min(a, b, key=len)) and (a.startswith(b) or b.startswith(a)))


def _share(column: _Column, key: _Column) -> float:
    """The share of a column's sampled values that are in the key column; 1 where samples can't tell.

    Samples are of the smallest hashes: one of a larger column ends before that of a smaller one, of which only the part
    up to there counts.
    """
    if not column.values or not key.values:
        return 0.0 if column.distinct and key.distinct else 1.0
    there = key.known
    shared = [i for i, value in enumerate(column.values) if value in there]
    complete = len(key.values) >= key.distinct
    if complete:
        return len(shared) / len(column.values)
    if not shared and column.is_number:
        return 0.0  # telephones of shops are none of customers', whatever both are called
    if not shared:
        return 1.0 if key.distinct > len(key.values) * len(column.values) else 0.0
    return len(shared) / (shared[-1] + 1)


def _column(t: int, table: TableReport, column: ColumnReport, values: tuple[str, ...], filled: int) -> _Column:
    header = tokens(column.name or "")
    stem, has_key_word = _stem(column.name or "")
    return _Column(
        (t, column.index),
        (table.source, table.table or "", column.index),
        header,
        stem,
        has_key_word,
        _name(table),
        column.dtype,
        column.distinct >= max(_UNIQUE * filled, 1),
        column.distinct,
        values,
        frozenset(values),
        column.entity in _NUMBERS,
        column.entity in _OF_PERSONS and column.pii != "none",
    )


def _stem(header: str) -> tuple[str, bool]:
    """A header without the words for keys, and whether it had one: patient_id → patient, kundennr → kunden."""
    words = [word for word in tokens(header) if word]
    rest = [word for word in words if word not in _KEY_WORDS]
    if len(rest) < len(words):
        return "".join(map(_singular, rest)), True
    joined = "".join(words)
    cut = _JOINED_UP.sub("", joined)
    return (cut, True) if cut != joined else ("".join(map(_singular, words)), False)


def _singular(word: str) -> str:
    return _IRREGULAR.get(word) or singular(word)


def _name(table: TableReport) -> str:
    """What a table is named by: its own name, else that of its file."""
    own = table.table or PurePosixPath(table.source.rpartition("!")[2]).name.partition(".")[0]
    return "".join(map(_singular, tokens(own.rpartition(".")[2])))
