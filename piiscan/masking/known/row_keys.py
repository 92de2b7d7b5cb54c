"""By which cells rows of several tables belong together: numbers of people, e-mail addresses and user names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.header_words import singular, tokens
from piiscan.masking.known.fingerprint_index import FingerprintIndex, ascending, distinct_sorted
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
_FEW: Final = 1 / 8
"""Of all cells so many may repeat another one in a column whose keys mostly stand in one row."""


class KeyColumn(NamedTuple):
    """A column that rows are joined by.

    `entity` and `name`: what columns have in common that are joined; the name is
    empty where it says nothing. `place`: its index.
    """

    place: int
    entity: str
    name: str


def key_columns(plan: TablePlan) -> list[KeyColumn]:
    """The columns of a table that its rows may be joined by.

    The `id` of a table of accounts is what others call `account_id`.
    """
    out = []
    own = _noun(plan)
    for action in plan.columns:
        if action.entity not in KEYS or action.dtype not in ("string", "integer"):
            continue
        words = tokens(action.name or "")
        name = "_".join(words)
        if set(words) <= _BARE:
            name = f"{own}_{name}" if own and len(words) == 1 else ""
        entity = "" if action.entity == "GENERIC_ID" else "NUMBER" if action.entity in _NUMBERS else action.entity
        if name or entity:
            out.append(KeyColumn(action.index, entity, name))
    return out


def _noun(plan: TablePlan) -> str:
    """What a row of a table is, by the name of the table, or of its file: "account" of accounts; empty for none."""
    name = (plan.table or PurePosixPath(plan.source.rpartition("!")[2]).name.partition(".")[0]).rpartition(".")[2]
    words = [word for word in tokens(name) if not word.isdigit()]
    return "_".join((*words[:-1], singular(words[-1]))) if words else ""


def tags(column: KeyColumn) -> tuple[str, ...]:
    """What the column may be joined by."""
    return tuple(tag for tag in (f"name {column.name}" * bool(column.name), column.entity) if tag)


class KeyCells:
    """The cells of a column of keys, in the one spelling that they are compared in."""

    def __init__(self, cells: pl.Series) -> None:
        self._texts = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
        self._empty = (self._texts == "").fill_null(True).arg_true().to_numpy()

    def hashes(self, tag: str, seed: int) -> Hashes:
        """A hash for each cell, by what it is joined; 0 for an empty one."""
        out: Hashes = self._texts.hash(_seed_of(tag, seed)).to_numpy().copy()
        out[self._empty] = 0
        return out


def key_hashes(cells: pl.Series, tag: str, seed: int) -> Hashes:
    """The hashes of one column's `KeyCells`."""
    return KeyCells(cells).hashes(tag, seed)


class JoiningKeys:
    """Which keys join rows of tables to others.

    One that occurs in a single row of all tables adds nothing to that row, which is known by its number then: where
    five columns of a table are keys, that takes a fifth of time and room. `repeated`: of columns that no other one may
    be joined to, by what they would be, the keys that stand in several rows, ascending.
    """

    def __init__(self, tables: Iterable[TablePlan] = (), repeated: Mapping[str, Hashes] | None = None) -> None:
        self._repeated = {tag: FingerprintIndex([keys]) for tag, keys in (repeated or {}).items() if len(keys)}
        self._single = frozenset(tag for tag, keys in (repeated or {}).items() if not len(keys))
        places: dict[str, list[tuple[int, int]]] = {}
        for n, table in enumerate(tables):
            for column in key_columns(table):
                for tag in tags(column):
                    places.setdefault(tag, []).append((n, column.place))
        first: dict[tuple[tuple[int, int], ...], str] = {}
        self._again = {tag for tag, each in places.items() if first.setdefault(tuple(each), tag) != tag}

    def joins(self, tag: str) -> bool:
        """Whether any row is joined to another by it."""
        return tag not in self._single

    def columns(self, table: TablePlan) -> list[tuple[int, str]]:
        """The columns of keys of a table, and by what each may be joined: once where two would join the same rows."""
        return [(c.place, tag) for c in key_columns(table) for tag in tags(c) if tag not in self._again]

    def hashes(
        self, frame: pl.DataFrame, columns: Iterable[tuple[int, str]], rows: Hashes | None, seed: int
    ) -> list[Hashes]:
        """Return a hash for each cell of some key columns (`joins`); 0 for an empty one.

        A key that occurs in one row only is represented by the hash of its row in `rows`; it is 0 if an earlier column
        has that one already, or if `rows` is None.
        """
        out = []
        known = np.zeros(len(frame), dtype=np.bool_)
        cells: dict[int, KeyCells] = {}
        for place, tag in columns:
            if place not in cells:
                cells[place] = KeyCells(frame[str(place)])
            key = cells[place].hashes(tag, seed)
            if tag in self._repeated:
                single = (key != 0) & ~self._repeated[tag].has(cells[place].hashes("", 0))
                key = np.where(single, np.uint64(0) if rows is None else np.where(known, np.uint64(0), rows), key)
                known |= single
            out.append(key)
        return out


class KeysSeen:
    """Takes the rows of tables; then says which keys join rows."""

    def __init__(self, tables: Iterable[TablePlan]) -> None:
        self._tables = tuple(tables)
        self._tags = Counter(tag for table in self._tables for column in key_columns(table) for tag in tags(column))
        self._seen: dict[tuple[str, ...], list[Hashes]] = {}

    def columns(self, table: TablePlan) -> list[tuple[int, tuple[str, ...]]]:
        """The columns of keys by which they alone would be joined, and by what."""
        each = [(c.place, tuple(tag for tag in tags(c) if self._tags[tag] == 1)) for c in key_columns(table)]
        return [(place, alone) for place, alone in each if alone]

    def add(self, table: TablePlan, frame: pl.DataFrame) -> None:
        for place, alone in self.columns(table):
            keys = key_hashes(frame[str(place)], "", 0)
            self._seen.setdefault(alone, []).append(ascending(keys[keys != 0]))

    def found(self) -> JoiningKeys:
        repeated: dict[str, Hashes] = {}
        for alone in list(self._seen):
            several = _repeated(self._seen.pop(alone))
            if several is not None:
                repeated |= dict.fromkeys(alone, several)
        return JoiningKeys(self._tables, repeated)


def joining_keys(
    tables: Iterable[TablePlan],
    read: Callable[[Callable[[TablePlan], bool]], Iterable[tuple[pl.DataFrame, TablePlan]]],
) -> JoiningKeys:
    """Which keys join rows of tables. `read` gives the rows of those of which its argument is true."""
    seen = KeysSeen(tables)
    for frame, table in read(lambda table: bool(seen.columns(table))):
        seen.add(table, frame)
    return seen.found()


def _repeated(keys: Sequence[Hashes]) -> Hashes | None:
    """The keys that stand in several rows; None where so many rows have one that nothing is gained by knowing which."""
    every = ascending(np.concatenate(keys))
    again = every[1:] == every[:-1]
    return None if again.sum() > _FEW * len(every) else distinct_sorted([every[1:][again]])


def row_hashes(tag: str, rows: Sequence[int] | range, seed: int) -> Hashes:
    """A key for each row of a table that has none of its own."""
    return pl.Series(rows, dtype=pl.Int64).hash(_seed_of(tag, seed)).to_numpy()


def _seed_of(tag: str, seed: int) -> int:
    """A seed of its own for each thing that rows are joined by, which costs less than to put its name before each."""
    return seed ^ int.from_bytes(blake2b(tag.encode(), digest_size=8).digest(), "little")
