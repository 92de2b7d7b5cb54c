"""The identifiers in the tables of a run: whose each is, and which mask its column gives it.

Gathered in a pass over all tables before any is written, and kept in memory only: of a value its hashes under random
numbers of the run, and its mask; of files, only of values that a text mentions. A value is known by (value), wherever
it stands, and by (value, key of a row), for texts of rows that are joined to somebody.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl

from piiscan.masking.known.common_words import SmallWords
from piiscan.masking.known.entries import LONGEST, NONE, Parts
from piiscan.masking.known.folded_text import Flags, Hasher, Hashes, Ints, paired
from piiscan.masking.known.row_keys import JoiningKeys, KeyColumn, key_columns, row_hashes, tags
from piiscan.masking.known.value_forms import KIND_OF
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan

_BY_CHANCE: Final = 0.01
"""Numbers of others are masked where fewer of all numbers of that length are somebody's."""


def known_columns(plan: TablePlan, spans: Iterable[str]) -> list[Action]:
    """The columns whose values are looked for in texts: identifiers, and what the policy doesn't keep.

    Of those that it keeps, the ones that `spans` has a rule for. Columns that a person decided to keep are left out.
    """
    spans = set(spans)
    return [
        a
        for a in plan.columns
        if a.entity in KIND_OF
        and a.pii in ("direct", "quasi")
        and (a.operator != "keep" or (a.decided_by == "policy" and a.entity in spans))
        and a.operator != "spans"
    ]


def has_texts(plan: TablePlan) -> bool:
    return any(a.operator == "spans" for a in plan.columns)


class Joins:
    """By which cells the rows of a plan's tables are joined to people in other tables."""

    def __init__(self, plan: Plan, joining: JoiningKeys | None = None) -> None:
        self.joining = JoiningKeys() if joining is None else joining
        spans = [s.entity for s in plan.spans]
        self._offered: dict[str, set[tuple[str, str | None]]] = {}
        for t in plan.tables:
            for column in key_columns(t) if known_columns(t, spans) else ():
                for tag in tags(column):
                    self._offered.setdefault(tag, set()).add((t.source, t.table))
        self._used = {
            tag
            for t in plan.tables
            if has_texts(t)
            for column in key_columns(t)
            for tag in [self._requested(column, t)]
            if tag
        }

    def _requested(self, column: KeyColumn, table: TablePlan) -> str | None:
        """By what a row with a text is joined.

        By a column of the same name where another table has one, else of the same kind; the table's own says what its
        other rows hold of the same person.
        """
        found = [tag for tag in tags(column) if tag in self._offered]
        own = {(table.source, table.table)}
        return next((tag for tag in found if self._offered[tag] - own), found[0] if found else None)

    def requested(self, table: TablePlan) -> list[tuple[int, str]]:
        """Columns of a table with texts, and by what each is joined."""
        asked = ((c.place, self._requested(c, table)) for c in key_columns(table))
        return [(place, tag) for place, tag in asked if tag and self.joining.joins(tag)]

    def offered(self, table: TablePlan) -> list[tuple[int, str]]:
        """Columns of a table of people, and by what others refer to each."""
        return [
            (c.place, tag)
            for c in key_columns(table)
            for tag in tags(c)
            if tag in self._used and self.joining.joins(tag)
        ]


class KnownValues:
    """Looked up while texts are masked.

    `values`: sorted hashes, with the `kinds` that each is, as bits. `sole`: the entry of a value whose masks are equal
    for all people, else `NONE`; `sole_name`: of what is a name in full. `person`: the key of the only person of that
    full name, else 0. `common`: it is a word, too. `crowded`: by how many digits, whether so many numbers are
    somebody's that one in a text may be anything else.
    """

    def __init__(self, hasher: Hasher, seed: int, joins: Joins, parts: Parts, words: SmallWords) -> None:
        self.hasher, self.seed, self.joins = hasher, seed, joins
        self.entities: tuple[str, ...] = tuple(parts.entities)
        self.tables_seen = parts.seen
        self._is_empty = parts.is_empty
        self.crowded: Flags = parts.numbers.max(axis=0) > _BY_CHANCE * 10.0 ** np.arange(LONGEST)
        found = parts.finished()
        self.values, self.kinds, self.sole, self.person = found.values, found.kinds, found.sole, found.person
        self.sole_name = found.sole_name
        self.entries, self.masks = found.entries, found.masks
        self._pairs, self._pair_entries = found.pairs, found.pair_entries
        self.common = words.common(self.values, self._pairs)

    def __bool__(self) -> bool:
        """Whether anything is known of anybody, be it mentioned in texts or not."""
        return not self._is_empty

    def find(self, hashes: Hashes) -> Ints:
        """The index of each hash among `values`, `NONE` for unknown ones."""
        if not len(self.values):
            return np.full(len(hashes), NONE)
        at = np.minimum(np.searchsorted(self.values, hashes), len(self.values) - 1)
        return np.where(self.values[at] == hashes, at, NONE)

    def entry_of(self, hashes: Hashes, keys: Hashes) -> Ints:
        """The entry of each value for the row with that key, `NONE` where it is not known for it."""
        if not len(self._pairs):
            return np.full(len(hashes), NONE)
        both = paired(hashes, keys)
        at = np.minimum(np.searchsorted(self._pairs, both), len(self._pairs) - 1)
        return np.where((self._pairs[at] == both) & (keys != 0), self._pair_entries[at], NONE)

    def keys(self, frame: pl.DataFrame, table: TablePlan, first: int | None) -> list[Hashes]:
        """By what the rows of a batch are joined to people: columns of keys, 0 where there is none."""
        tag = row_tag(table)
        rows = None if first is None else row_hashes(tag, range(first, first + len(frame)), self.seed)
        out = self.joins.joining.hashes(frame, self.joins.requested(table), rows, self.seed)
        return out if rows is None or tag not in self.tables_seen else [*out, rows]


def row_tag(table: TablePlan) -> str:
    return f"row {table.source} {table.table or ''}"
