"""Whether a column without an entity may hold names of persons that are in no list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.scanning.classify.adjust_for_subject import OTHERS, are_full_names, are_long_past
from piiscan.scanning.classify.candidates import ColumnCandidates
from piiscan.scanning.classify.names_beside import FEW, MOST, NAMES, OF_PEOPLE, has_capital, may_be_single_names
from piiscan.scanning.classify.subject import RowSubject

_LONGEST_CODE: Final = 4
"""Capitals of a code: EUR."""


def may_be_of_persons(column: ColumnCandidates, columns: Sequence[ColumnCandidates], rows: RowSubject) -> bool:
    """Whether a few full names that no list knows stand beside what persons have, be it that other things have it, too.

    Without headers, days long past. Of many names the model knows whose they are.
    """
    if column.profile.filled > FEW or rows.subject in OTHERS or rows.organised or rows.creatures:
        return False
    if all(c.header is None for c in columns):
        return any(map(are_long_past, columns)) and (are_full_names(column) or _is_of_two_names(column, columns))
    if not any(n.rule.id in NAMES for n in column.named):
        return False
    beside = [best.entity for c in columns if c is not column and (best := c.best())]
    return any(PII_CLASS[entity] != "none" for entity in beside) and are_full_names(column)


def _is_of_two_names(column: ColumnCandidates, columns: Sequence[ColumnCandidates]) -> bool:
    """Whether it and the column beside it are single words, written as names are."""
    beside = (columns[i] for i in (column.index - 1, column.index + 1) if 0 <= i < len(columns))
    return may_be_single_names(column) and any(c.best() is None and may_be_single_names(c) for c in beside)


def are_called_people(column: ColumnCandidates) -> bool:
    """Whether a header gives a column to people by what they do, and most cells look like names and like no words."""
    if not any(n.rule.id in OF_PEOPLE and n.logit > 0 for n in column.named):
        return False
    p, look = column.profile, column.values.look
    if (
        look.shaped < MOST
        or look.organisation > 1 - MOST
        or p.boolean
        or p.share_of(partial(has_capital, longest_code=_LONGEST_CODE)) < MOST
    ):
        return False
    return column.values.known_words() <= 1 - MOST
