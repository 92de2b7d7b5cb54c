"""Fingerprints of the originals of masked columns, and whose each is, for a look-up of every output cell.

Two kinds. Numbers, addresses and full names are *global*: they must not occur anywhere. Parts of names, dates, streets
and short numbers are shared by many, and are *own*: a fingerprint is of the value and of a key of its row, and looked
up for the keys of the row that a cell is in. What chance gives is the same look-up under the keys of other rows.

Fingerprints are 64 bits, keyed by a seed that is forgotten with the run, and stay in memory: 8 bytes for a global one,
16 for an own one and each key of its row. Of n fingerprints a text that is none of theirs hits one with probability
n / 2⁶⁴.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from secrets import token_bytes
from threading import Lock
from typing import Any, Final, get_args

import numpy as np
import polars as pl

from piiscan.core.shared_memory import SharedObject, shared
from piiscan.core.worker_processes import Submit, Task, Turn, Turns
from piiscan.masking.known.row_keys import JoiningKeys, row_hashes
from piiscan.masking.plan.plan_types import TablePlan
from piiscan.masking.proof import cut_cells
from piiscan.masking.proof.column_prints import ColumnPrints, Kind, is_looked_up
from piiscan.masking.proof.cut_cells import LAST_DIGITS
from piiscan.masking.proof.moved_dates import MovedDates
from piiscan.masking.proof.number_shapes import LONGEST
from piiscan.masking.proof.people_index import PeopleIndex
from piiscan.masking.proof.print_sets import DistinctPrints, KeyedPrints
from piiscan.masking.proof.printer import Printer, Prints

_SHARED: Final = 64
"""A key beside so many different values than that identifies no one."""
_MANY_MADE_UP: Final = 20
"""Of so many made-up full names one may be the own one."""
_OWN_NAME: Final = 1000
"""One more in so many may: the commonest full name of a country is that of about one in ten thousand."""
_WAITING: Final = 32 << 20
"""Bytes of cells whose prints others make, at most and about."""


class _Column(Turn[ColumnPrints]):
    """A column whose prints are wanted: the keys of its rows, and the bytes of its cells."""

    def __init__(self, here: Callable[[], ColumnPrints], keys: Sequence[Prints], size: int) -> None:
        super().__init__(here)
        self.keys, self.size = keys, size


class PeoplePrints:
    """Takes originals while tables are masked, from several threads; then looks cells up.

    With `submit`, which has tasks done by other processes, it takes them from one thread.
    """

    def __init__(self, joining: JoiningKeys | None = None, submit: Submit | None = None) -> None:
        self._joining = JoiningKeys() if joining is None else joining
        self._seed = int.from_bytes(token_bytes(8), "little") >> 1
        self._printer = Printer()
        self._lock = Lock()
        self._own = KeyedPrints()
        self._sets = {kind: DistinctPrints() for kind in get_args(Kind)}
        self._shapes = np.zeros((LONGEST + 1, LONGEST + 1))
        self._phones = 0
        self._moved = MovedDates()
        self._index: PeopleIndex | None = None
        self._shared: SharedObject | None = None
        self._submit, self._waiting, self._bytes = submit, Turns[ColumnPrints](), 0

    def __bool__(self) -> bool:
        """Whether there is anything to look up."""
        self._settle(0)
        return self._index is not None or bool(self._own or self._sets["everywhere"])

    @property
    def are_shared_out(self) -> bool:
        """Whether other processes make prints, so that one thread may hand them columns."""
        return self._submit is not None

    def keys(self, frame: pl.DataFrame, plan: TablePlan, first: int) -> list[Prints]:
        """By what the rows of a table are joined to others, one array for each way; 0 where a row has none."""
        rows = row_hashes(f"row {plan.source} {plan.table or ''}", range(first, first + len(frame)), self._seed)
        columns = self._joining.columns(plan)
        joined = [by for by in columns if self._joining.joins(by[1])]
        if columns and len(joined) == len(columns):
            return self._joining.hashes(frame, joined, rows, self._seed)
        return [*self._joining.hashes(frame, joined, None, self._seed), rows]

    def add(
        self, plan: TablePlan, frame: pl.DataFrame, masked: Mapping[int, pl.Series], keys: Sequence[Prints]
    ) -> None:
        """Some rows and their masks."""
        names: dict[str, tuple[pl.Series, pl.Series]] = {}
        for action in plan.columns:
            if not is_looked_up(action) or action.index not in masked:
                continue
            before, after = frame[str(action.index)], masked[action.index]
            if isinstance(before.dtype, pl.List | pl.Array):
                continue  # lists: `Originals` has their numbers
            entity = action.entity or ""
            self._make("of_column", (entity, action.operator, before, after), keys, before, after)
            names[entity] = before.cast(pl.String), after.cast(pl.String)
        if "FIRST_NAME" in names and "LAST_NAME" in names:
            first, last = names["FIRST_NAME"], names["LAST_NAME"]
            self._make("of_names", (first, last), (), *first, *last)

    def add_made_up(self, names: pl.Series) -> None:
        """Full names (String) that were made up for people of texts who are in no table, and parts of several words."""
        prints = np.concatenate([each.print for each in cut_cells.windows(cut_cells.cut(names, self._printer))])
        with self._lock:
            self._sets["masks"].add(prints)

    def _make(self, how: str, arguments: tuple[Any, ...], keys: Sequence[Prints], *cells: pl.Series) -> None:
        task = Task(f"{ColumnPrints.__module__}:{how}", (self._printer, *arguments))
        column = _Column(task.run, keys, sum(int(each.estimated_size()) for each in cells))
        if self._submit is None:
            column.do()
            self._take(column)
            return
        column.future = self._submit(task)
        self._waiting.add(column)
        self._bytes += column.size
        self._settle(_WAITING)

    def _settle(self, most: int) -> None:
        """Take the prints of columns, until no more than so many bytes wait."""
        while self._waiting and self._bytes > most:
            column = self._waiting.next()
            assert isinstance(column, _Column)
            if not self._waiting.settle(column):
                column.do()
            self._bytes -= column.size
            self._take(column)

    def _take(self, column: _Column) -> None:
        made = column.result()
        with self._lock:
            for key in column.keys:
                own = key[made.rows]
                has = own != 0
                self._own.add(own[has], made.own[has])
            for kind, prints in made.sets:
                self._sets[kind].add(prints)
            for shapes in made.shapes:
                np.add.at(self._shapes, shapes, 1)
            self._phones += made.phones
            self._moved.add_all(made.moved)

    def index(self, executor: Executor | None = None) -> PeopleIndex:
        """What cells are looked up in. There are no more originals to come, and none are kept here."""
        self._settle(0)
        with self._lock:
            if self._index is None:
                sets = {kind: prints.ascending() for kind, prints in self._sets.items()}
                own_names, made_up = sets["own names"], len(sets["mask names"])
                if made_up >= _MANY_MADE_UP and len(own_names) <= 1 + made_up // _OWN_NAME:
                    self._sets["masks"].add(own_names)
                    sets["masks"] = self._sets["masks"].ascending()
                prints, pairs = self._own.finished(_SHARED, executor)
                self._index = PeopleIndex(
                    self._printer,
                    (prints, pairs, np.sort(self._own.left_out)),
                    sets["everywhere"],
                    sets["masks"],
                    sets["mask words"],
                    sets["names"],
                    sets["mask names"],
                    len(pairs) / max(1, len(prints)) / max(1, self._own.keys),
                    self._moved.share(),
                    self._phones / 10.0**LAST_DIGITS,
                    self._shapes,
                    executor,
                )
                self._own, self._sets = KeyedPrints(), {kind: DistinctPrints() for kind in self._sets}
            return self._index

    def shared(self, executor: Executor | None) -> SharedObject | None:
        """The `index` for other processes; None where they can't see it."""
        if self._shared is None and (found := shared(self.index(executor))) is not None:
            self._shared, self._index = found, found.load()  # so that there is one of it
        return self._shared
