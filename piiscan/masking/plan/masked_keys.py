"""Persons' numbers that tables write differently: C-004711 and 4711, whose masks have the same digits.

Where the masks of a number join, so do the persons: the plan says so of a key (`as_masked`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.header_words import fold
from piiscan.masking.operators.affixes import Affixes
from piiscan.masking.plan.key_links import NUMBERS
from piiscan.masking.plan.plan_types import Action, Subject, TablePlan
from piiscan.masking.plan.row_people import CountedRows

if TYPE_CHECKING:
    import polars as pl

_OPERATORS: Final = ("fpe", "code")
_INTEGER: Final = re.compile("0|[1-9][0-9]{0,17}")
_WORD: Final = re.compile(r"\w{2,}")
_NEARLY_ALL: Final = 0.95
_FEWEST: Final = 5
_FOUND: Final = 0.5
"""Of the values that two samples are expected to have in common, so many they have."""
_ALIKE: Final = 0.5
"""Of the numbers that sampled rows of both tables have, so many have a word of their names in common."""


class Numbers(NamedTuple):
    """What a plan knows of a table: texts of each column, how many values each has, and some rows with their names."""

    samples: Sequence[Sequence[str]]
    distinct: Sequence[int]
    rows: CountedRows


class _Key(NamedTuple):
    """A subject's number: where it is, what all values begin and end with, its values, and names of their people.

    `padded`: zeros in front that don't count; `plain`: none are left.
    """

    table: int
    subject: int
    column: int
    affix: str
    padded: bool
    plain: bool
    values: frozenset[str]
    distinct: int
    names: Mapping[str, frozenset[str]]


def without_affixes(texts: pl.Series, params: Mapping[str, Any]) -> pl.Series:
    """Numbers (String, nulls allowed) by what decides on the digits of their masks, of a column of these parameters."""
    import polars as pl

    affixes = Affixes(tuple(params.get("prefixes", ())), tuple(params.get("suffixes", ())))
    bare = affixes.split(texts.fill_null("")).body if affixes else texts
    if digits := params.get("digits"):
        is_short = bare.str.contains(f"^[0-9]{{{digits}}}$")
        bare = bare.zip_with(~is_short, bare.str.strip_chars_start("0").replace("", "0"))
    return bare.zip_with(texts.is_not_null(), pl.Series([None], dtype=pl.String)).alias(texts.name)


def with_keys_as_masked(tables: Sequence[TablePlan], numbers: Sequence[Numbers]) -> list[TablePlan]:
    """Have keys count as their masks do where tables write the numbers of the same people differently.

    They have one scope, one prefix at most, and numbers in common, whose names don't differ. Where masks don't join, as
    other zeros are in front, notes say so. `numbers`: by table.
    """
    groups: dict[tuple[str | None, str], list[_Key]] = {}
    for t, (table, seen) in enumerate(zip(tables, numbers, strict=True)):
        for s, subject in enumerate(table.subjects):
            for column in (key[0] for key in subject.keys if len(key) == 1):
                action = table.columns[column]
                if _may_join(action, subject) and (found := _key(t, s, action, subject, seen)) is not None:
                    groups.setdefault((action.domain, subject.scope), []).append(found)
    joined: dict[tuple[int, int], set[int]] = {}
    for key in (key for keys in groups.values() for key in keys if _is_written_otherwise(key, keys)):
        joined.setdefault((key.table, key.subject), set()).add(key.column)

    notes = {(key.table, key.column): said for keys in groups.values() for key, said in _apart(keys, tables)}

    def whose(t: int, s: int, subject: Subject) -> Subject:
        return replace(subject, as_masked=tuple(sorted(joined[t, s]))) if (t, s) in joined else subject

    def noted(t: int, action: Action) -> Action:
        said = notes.get((t, action.index))
        return replace(action, notes=(*action.notes, said)) if said else action

    return [
        replace(
            table,
            subjects=tuple(whose(t, s, subject) for s, subject in enumerate(table.subjects)),
            columns=tuple(noted(t, action) for action in table.columns),
        )
        for t, table in enumerate(tables)
    ]


def _apart(keys: Sequence[_Key], tables: Sequence[TablePlan]) -> Iterator[tuple[_Key, str]]:
    """Keys that others have with other zeros in front, and what the plan says of that."""
    for key in keys:
        others = (other for other in keys if other.plain != key.plain and _share(_unpadded(key), _unpadded(other)))
        if (other := next(others, None)) is not None:
            there = tables[other.table]
            where = f"{there.table or there.source}: {there.columns[other.column].name}"
            yield key, f"{where} seems to have the same numbers with other zeros in front: their masks don't join"


def _unpadded(key: _Key) -> _Key:
    return key._replace(values=frozenset(value.lstrip("0") or "0" for value in key.values))


def _is_written_otherwise(key: _Key, keys: Sequence[_Key]) -> bool:
    """Whether another one of some keys of one scope has the same numbers, written differently."""
    if len({other.affix for other in keys} - {""}) > 1:
        return False
    others = (other for other in keys if other.plain and (other.affix, other.padded) != (key.affix, key.padded))
    return key.plain and any(_share(key, other) and _have_one_name(key, other) for other in others)


def _may_join(action: Action, subject: Subject) -> bool:
    is_human = "human" in (action.decided_by, subject.decided_by)
    return action.entity in NUMBERS and action.operator in _OPERATORS and not is_human


def _names(column: int, subject: Subject, action: Action, rows: CountedRows) -> dict[str, frozenset[str]]:
    """Words of the names of sampled rows, by the number of their person."""
    import polars as pl

    parts = [i for i in (subject.first_name, subject.last_name, subject.full_name) if i is not None]
    seen = [(cell, row) for row, _ in rows if parts and (cell := row[column]) is not None]
    numbers = without_affixes(pl.Series([cell.strip() for cell, _ in seen], dtype=pl.String), action.params)
    return {
        number: frozenset(_WORD.findall(" ".join(fold(row[i] or "") for i in parts)))
        for number, (_, row) in zip(numbers, seen, strict=True)
    }


def _have_one_name(one: _Key, other: _Key) -> bool:
    """Whether most numbers that two tables have are those of people of one name, as far as their rows tell.

    Of names in different scripts nothing is known.
    """
    both = [(one.names[number], other.names[number]) for number in one.names.keys() & other.names.keys()]
    told = [(a, b) for a, b in both if any(map(str.isascii, a)) and any(map(str.isascii, b))]
    return len(told) < _FEWEST or sum(not a.isdisjoint(b) for a, b in told) >= _ALIKE * len(told)


def _key(table: int, place: int, action: Action, subject: Subject, seen: Numbers) -> _Key | None:
    """What is known of a key by some of its values; None where they aren't digits written in one way."""
    import polars as pl

    column = action.index
    sample, distinct = seen.samples[column], seen.distinct[column]
    texts = pl.Series([text.strip() for text in sample if text.strip()], dtype=pl.String)
    if not len(texts):
        return None
    affixes = Affixes(tuple(action.params.get("prefixes", ())), tuple(action.params.get("suffixes", ())))
    split = affixes.split(texts)
    around = Counter(
        "".join(filter(str.isalpha, head + tail)).upper() for head, tail in zip(split.head, split.tail, strict=True)
    )
    affix, times = around.most_common(1)[0]
    bare = without_affixes(texts, action.params).to_list()
    if times < len(texts) or sum(map(str.isdecimal, bare)) < _NEARLY_ALL * len(bare):
        return None
    plain = sum(bool(_INTEGER.fullmatch(text)) for text in bare) >= _NEARLY_ALL * len(bare)
    return _Key(
        table, place, column, affix, "digits" in action.params, plain, frozenset(bare), max(distinct, len(set(bare))),
        _names(column, subject, action, seen.rows),
    )  # fmt: skip


def _share(one: _Key, other: _Key) -> bool:
    """Whether nearly all values of one column may be in the other, by their range, and as many are as are expected."""
    few, many = sorted((one, other), key=lambda key: key.distinct)
    numbers = [int(text) for text in many.values if text.isdecimal()]
    within = sum(text.isdecimal() and min(numbers) <= int(text) <= max(numbers) for text in few.values)
    common = len(few.values & many.values)
    expected = len(few.values) * len(many.values) / many.distinct
    least = _NEARLY_ALL if len(many.values) == many.distinct else _FOUND
    return within >= _NEARLY_ALL * len(few.values) and common >= max(_FEWEST, least * expected)
