"""By which cells rows of several tables belong together: numbers of people, e-mail addresses and user names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.header_words import tokens
from piiscan.masking.known.folded_text import Hashes
from piiscan.masking.plan.plan_types import TablePlan

KEYS: Final = frozenset(
    "PERSON_ID MEDICAL_RECORD GENERIC_ID EMAIL_ADDRESS USERNAME US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE "
    "BANK_ACCOUNT IBAN_CODE CREDIT_CARD".split()
)
"""Entities of which a value stands for one person or one thing that belongs to one."""
_NUMBERS: Final = frozenset(("PERSON_ID", "MEDICAL_RECORD"))
_BARE: Final = frozenset("id nr no number key code num row index uuid guid".split())
"""Headers that say of what kind a column is, and not whose."""


class KeyColumn(NamedTuple):
    """A column that rows are joined by. `entity` and `name`: what columns have in common that are joined; the name is
    empty where it says nothing. `place`: its index."""

    place: int
    entity: str
    name: str


def key_columns(plan: TablePlan) -> list[KeyColumn]:
    """The columns of a table that its rows may be joined by."""
    out = []
    for action in plan.columns:
        if action.entity not in KEYS or action.dtype not in ("string", "integer"):
            continue
        words = tokens(action.name or "")
        name = "" if set(words) <= _BARE else "_".join(words)
        entity = "" if action.entity == "GENERIC_ID" else "NUMBER" if action.entity in _NUMBERS else action.entity
        if name or entity:
            out.append(KeyColumn(action.index, entity, name))
    return out


def tags(column: KeyColumn) -> tuple[str, ...]:
    """What the column may be joined by."""
    return tuple(tag for tag in (f"name {column.name}" * bool(column.name), column.entity) if tag)


def key_hashes(cells: pl.Series, tag: str, seed: int) -> Hashes:
    """A hash for each cell, 0 for an empty one."""
    text = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
    out = (f"{tag}\x1f" + text).hash(seed).to_numpy().copy() if len(cells) else np.zeros(0, dtype=np.uint64)
    empty = (text.is_null() | (text == "")).to_numpy() if len(cells) else np.zeros(0, dtype=np.bool_)
    out[empty] = 0
    return out


class UniqueKeys:
    """Which keys stand in one row each of all tables, and in one column: they tell no more than the row does. To leave
    them out takes a fifth of time and room where five columns of a table are keys."""

    def __init__(self, tables: Iterable[TablePlan]) -> None:
        self._tags = Counter(tag for table in tables for column in key_columns(table) for tag in tags(column))
        self._seen: dict[str, list[Hashes]] = {}

    def columns(self, table: TablePlan) -> list[tuple[int, str]]:
        """The columns of keys that no other column may be joined to, and by what each would be."""
        return [(c.place, tag) for c in key_columns(table) for tag in tags(c) if self._tags[tag] == 1]

    def add(self, table: TablePlan, frame: pl.DataFrame) -> None:
        for place, tag in self.columns(table):
            keys = key_hashes(frame[str(place)], "", 0)
            self._seen.setdefault(tag, []).append(np.sort(keys[keys != 0]))

    def found(self) -> frozenset[str]:
        """What their columns would be joined by."""
        return frozenset(tag for tag, keys in self._seen.items() if not _repeats(keys))


def _repeats(keys: Sequence[Hashes]) -> bool:
    """Whether a key stands in several rows."""
    every = np.concatenate(keys)
    every.sort()
    return bool((every[1:] == every[:-1]).any())


def row_hashes(tag: str, rows: Sequence[int] | range, seed: int) -> Hashes:
    """A key for each row of a table that has none of its own."""
    return key_hashes(pl.Series(rows, dtype=pl.Int64), tag, seed)
