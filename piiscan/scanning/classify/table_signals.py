"""A table as numbers, for the model: which words its name and headers hold, and what shape it has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.core.header_words import tokens
from piiscan.scanning.classify import word_lists
from piiscan.scanning.classify.table_shape import (
    has_totals,
    has_years_across,
    header_words,
    is_crossed,
    is_group,
    name_tokens,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from piiscan.core.types import TableInfo
    from piiscan.scanning.classify.candidates import ColumnCandidates

_WORDS: Final = (
    word_lists.PERSON_ROLE,
    word_lists.PEOPLE,
    word_lists.PATIENTS,
    word_lists.ORGANISATION_ROLE,
    word_lists.THING,
    word_lists.PLACE,
    word_lists.EVENT,
    word_lists.AGGREGATE,
    word_lists.ANIMAL,
    word_lists.OF_THINGS,
    word_lists.NOT_PERSONS,
)
TABLE_WIDTH: Final = 3 * len(_WORDS) + 12


def table_signals(info: TableInfo, columns: Sequence[ColumnCandidates], rows: int) -> NDArray[np.float32]:
    """The signals of a table, (TABLE_WIDTH,).

    For each list of words whether the table's name holds one, how many different ones its headers hold, and their share
    of all header words; then the shape.
    """
    name, words = name_tokens(info), header_words(columns)
    headers = [tokens(c.header or "") for c in columns]
    found: list[float] = []
    for known in _WORDS:
        among_name = any(w in known for w in name)
        found += [among_name, min(4, len(known.intersection(words))) / 2]
        found.append(sum(w in known for w in words) / max(1, len(words)))
    many = max(1, len(columns))
    found += [
        bool(headers) and not word_lists.EVENT.isdisjoint(headers[0]),
        is_crossed(columns, rows),
        any(has_totals(c) for c in columns),
        has_years_across(headers),
        math.log1p(rows) / 8,
        math.log1p(len(columns)) / 3,
        all(c.header is None for c in columns),
        len(columns) == 1,
        info.is_text,
        sum(is_group(c) for c in columns) / many,
        sum(c.profile.numeric > 0.8 for c in columns) / many,
        max((c.values.look.organisation for c in columns), default=0.0),
    ]
    return np.array(found, dtype=np.float32)
