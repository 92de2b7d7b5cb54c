"""Batches output cells for `PeoplePrints`: by which keys their rows are looked up, and few cells at a time.

Small columns of several tables are looked up together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.core.worker_processes import Submit, Task, Turn, Turns
from piiscan.masking.apply.distinct_values import elements_of, flat
from piiscan.masking.apply.executors import submit_or_run
from piiscan.masking.proof.columns_together import Cells
from piiscan.masking.proof.people_index import BYTES, TOGETHER, Found, PeopleIndex
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.proof.printer import Prints, Rows

_SHIFTS: Final = 3
"""How many other rows' keys each cell is looked up under, to measure chance."""
_TRIES: Final = 8
_AHEAD: Final = 12
"""Look-ups that others may do while the next batch is read."""
_STEP: Final = 7_919
"""Rows from one that shares a key with this one to the next that is tried; a prime, as tables repeat every few rows."""


class PeopleOfRows(NamedTuple):
    """By what rows are looked up: the `keys` of each, and those of `others`; `first` is the number of the first row."""

    keys: list[Prints]
    others: Sequence[Sequence[Prints]] = ()
    first: int = 0

    def of_rows(self, first: int, stop: int) -> PeopleOfRows:
        keys = [key[first:stop] for key in self.keys]
        return self._replace(keys=keys, others=others_of(self.keys, first, stop), first=first)

    def cells(self, column: pl.Series, names: bool) -> tuple[Rows, Cells] | None:
        """The cells of a column that are looked up, and the numbers of their rows in the table.

        None for cells of numbers that measure something, and where there are more rows than were masked.
        """
        if any(len(key) < len(column) for key in self.keys):
            return None
        row = elements_of(column) + self.first
        here = row - self.first
        texts = flat(column)
        if isinstance(column.dtype, pl.List | pl.Array):
            texts = texts.filter(texts.is_not_null()) if len(texts) != len(row) else texts
        if len(texts) != len(row) or texts.dtype.is_float() or texts.dtype in (pl.Boolean, pl.Binary, pl.Null):
            return None
        texts = texts.cast(pl.String, strict=False)
        filled = (texts != "").fill_null(False).to_numpy()
        if not filled.any():
            return None
        texts, row, here = texts.filter(pl.Series(filled)), row[filled], here[filled]
        others = [[k[here] for k in o] for o in self.others]
        return row, Cells(texts, [k[here] for k in self.keys], others, names)


class LookUps:
    """Takes columns, batch by batch, and looks those of few cells up together, whatever table they are of.

    What is found is put where it belongs in the order in which columns came.
    """

    def __init__(self, prints: PeoplePrints, executor: Executor | None, submit: Submit | None = None) -> None:
        """`submit`: other processes look cells up, too."""
        self._shared = None if submit is None else prints.shared(executor)
        self._index, self._executor, self._submit = prints.index(executor), executor, submit
        self._turns: Turns[list[Found]] = Turns()
        self._waiting: list[tuple[Cells, Callable[[Found], None]]] = []
        self._count = self._bytes = 0
        self._begun: deque[tuple[Callable[[], list[Found]], list[Callable[[Found], None]]]] = deque()

    def people(self, keys: Sequence[Prints]) -> PeopleOfRows:
        """By what the rows of a table are looked up: those of its keys that identify somebody."""
        return PeopleOfRows([self._index.telling(key) for key in keys])

    def __bool__(self) -> bool:
        """Whether cells are waiting to be looked up."""
        return bool(self._waiting or self._begun)

    def add(self, rows: Rows, cells: Cells, put: Callable[[Found], None]) -> None:
        """Look cells up, now or later; `put` gets the result, by row number."""
        count, size = len(cells.texts), int(cells.texts.str.len_bytes().sum())
        if self._count + count > TOGETHER or self._bytes + size > BYTES:
            self.begin()
        self._waiting.append((cells, partial(_put, rows, put)))
        self._count += count
        self._bytes += size
        if self._count > TOGETHER or self._bytes > BYTES:
            self.begin()

    def begin(self) -> None:
        """Start the look-up of all waiting cells."""
        if not self._waiting:
            return
        columns, puts = [cells for cells, _ in self._waiting], [put for _, put in self._waiting]
        self._waiting, self._count, self._bytes = [], 0, 0
        work = partial(found_by, self._index, columns)
        if self._submit is None or self._shared is None:
            self._begun.append((submit_or_run(self._executor, work), puts))
            return
        turn = Turn(work)
        turn.future = self._submit(Task(f"{__name__}:found_by", (self._shared, columns)))
        self._turns.add(turn)
        self._begun.append((self._turns.result, puts))

    def collect(self, is_last: bool = True) -> None:
        """Wait for look-ups that were started, and pass their results on.

        Unless this is the last time, other processes keep some to do while this one reads on.
        """
        while len(self._begun) > (0 if is_last or self._submit is None else _AHEAD):
            done, puts = self._begun.popleft()
            for found, put in zip(done(), puts, strict=True):
                put(found)


def found_by(index: PeopleIndex, columns: Sequence[Cells]) -> list[Found]:
    """What is found in each of some columns, by any process."""
    if len(columns) == 1:
        return [index.look_up(*columns[0])]
    return index.look_up_together(columns)


def _put(row: Rows, put: Callable[[Found], None], found: Found) -> None:
    rows, prints = found.phrases
    own, everywhere = np.unique(row[found.own]), np.unique(row[found.everywhere])
    more = len(found.own) - len(own), len(found.everywhere) - len(everywhere)
    put(found._replace(own=own, everywhere=everywhere, phrases=(row[rows], prints), more=more))


def others_of(keys: Sequence[Prints], first: int = 0, stop: int | None = None) -> list[list[Prints]]:
    """For the rows from `first` to `stop`, the keys of other rows of the same table, several times.

    Rows that share a key, such as customers of one shop, are passed over; 0 where no other row was found.
    """
    rows = len(keys[0]) if keys else 0
    here = np.arange(first, rows if stop is None else min(stop, rows))
    out = []
    for n in range(1, _SHIFTS + 1):
        if (shift := rows * n // (_SHIFTS + 1)) == 0:
            continue
        other, shared = here - shift, np.arange(len(here))  # those before the first row count from the last
        for _ in range(_TRIES):
            shared = shared[_share(keys, here[shared], other[shared])]
            if not len(shared):
                break
            other[shared] = (other[shared] - _STEP) % rows
        shared = shared[_share(keys, here[shared], other[shared])]
        moved = [key[other] for key in keys]
        for key in moved:
            key[shared] = 0
        out.append(moved)
    return out


def _share(keys: Sequence[Prints], here: Rows, other: Rows) -> NDArray[np.bool_]:
    """Return whether two rows have a key in common."""
    same = np.zeros(len(here), dtype=np.bool_)
    for key in keys:
        same |= (key[here] == key[other]) & (key[other] != 0)
    return same
