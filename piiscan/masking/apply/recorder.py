"""Counts cells, values and masks while a table is masked, to check the output; it keeps no value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from threading import Lock
from typing import Final

import numpy as np
import polars as pl

from piiscan.masking.apply.column_masker import ColumnMasker
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.apply.distinct_values import filled, flat, one_to_one
from piiscan.masking.apply.executors import submit_or_run
from piiscan.masking.apply.originals import UNIQUE, Originals
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.known.fingerprint_index import distinct_sorted
from piiscan.masking.operators.operator import Operator
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.proof.printer import Prints

_INITIAL: Final = r"^\PL*[\p{Lu}\p{Ll}\p{Lt}]?\PL*$"
"""A cell of one letter, or none; a character of a script without capitals is a name."""

JoinKey = tuple[str, str]
"""A key domain, and by what its cells are masked: the operator and its parameters, for masks of another form are
other masks."""


class DistinctCount:
    """Counts different values: exactly up to `LIMIT`, beyond it by an estimate (k minimum values)."""

    LIMIT: Final = 4096

    def __init__(self) -> None:
        self._least = np.zeros(0, dtype=np.uint64)
        self._closed: int | None = None

    def close(self) -> None:
        """Release the values and keep their count."""
        self._closed = self.count
        self._least = self._least[:0].copy()

    def add(self, cells: pl.Series) -> None:
        found = cells.drop_nulls().hash(seed=7).to_numpy()
        if len(self._least) == self.LIMIT:
            found = found[found < self._least[-1]]
        self._least = distinct_sorted([self._least, found])[: self.LIMIT]

    @property
    def count(self) -> int:
        if self._closed is not None:
            return self._closed
        n = len(self._least)
        return n if n < self.LIMIT else int((n - 1) / (float(self._least[-1]) / 2**64))


class Joins:
    """Checks that equal values of a key domain got equal masks in every column.

    It checks the values of smallest hash, which are the same ones wherever they occur.
    """

    LIMIT: Final = 4096

    def __init__(self) -> None:
        self._values = self._masks = np.zeros(0, dtype=np.uint64)
        self._lock = Lock()
        self.broken = 0

    def add(self, cells: pl.Series, masks: pl.Series) -> None:
        if isinstance(cells.dtype, pl.List):
            return
        present = cells.is_not_null().to_numpy()
        values, made = (s.cast(pl.String).hash(seed=7).to_numpy() for s in (cells, masks))
        with self._lock:  # columns of one domain are recorded side by side
            if len(self._values) == self.LIMIT:
                present = present & (values <= self._values[-1])
            values = np.concatenate([self._values, values[present]])
            made = np.concatenate([self._masks, made[present]])
            order = np.argsort(values, kind="stable")  # what is known first
            values, made = values[order], made[order]
            first = np.concatenate([[True], values[1:] != values[:-1]]) if len(values) else np.zeros(0, dtype=np.bool_)
            other = made != made[np.flatnonzero(first)[np.cumsum(first) - 1]]
            self.broken += len(set(zip(values[other].tolist(), made[other].tolist(), strict=True)))
            self._values, self._masks = values[first][: self.LIMIT], made[first][: self.LIMIT]

    @property
    def cells(self) -> int:
        return len(self._values)

    def differs(self, other: Joins) -> bool:
        """Whether some value that both have seen has different masks."""
        _, mine, theirs = np.intersect1d(self._values, other._values, assume_unique=True, return_indices=True)
        return bool((self._masks[mine] != other._masks[theirs]).any())


def domains_apart(joins: Mapping[JoinKey, Joins]) -> set[str]:
    """Key domains in which equal values have different masks, since columns are masked by different means."""
    of: dict[str, list[Joins]] = {}
    for (domain, _), each in joins.items():
        of.setdefault(domain, []).append(each)
    return {domain for domain, each in of.items() if any(a.differs(b) for a, b in combinations(each, 2))}


@dataclass
class ColumnRecord:
    """One column before and after.

    `filled`: cells with a value; `emptied`: how many more cells are empty after;
    `stayed`: cells that hold what they held; `may_stay`: how many are expected to by chance, None where the operator
    doesn't tell by cells; `given`: how many made-up people are expected to keep their given name. `values`, `masks`:
    how many different ones there were; `unchanged`: how many different values some cell kept, and `choices` for how
    many people: each of them is called the same in all of their rows.
    """

    filled: int = 0
    emptied: int = 0
    stayed: int = 0
    may_stay: float | None = None
    given: float = 0.0
    values: DistinctCount = field(default_factory=DistinctCount)
    masks: DistinctCount = field(default_factory=DistinctCount)
    unchanged: DistinctCount = field(default_factory=DistinctCount)
    choices: DistinctCount = field(default_factory=DistinctCount)

    def close(self) -> None:
        """Keep counts alone."""
        for distinct in (self.values, self.masks, self.unchanged, self.choices):
            distinct.close()


class TableRecorder:
    """Records what is needed to verify a table while it is masked.

    Its counts cover the originals and their subjects, the rows that kept their originals, and empty cells.

    `columns`: by index.
    """

    def __init__(
        self,
        masker: TableMasker,
        originals: Originals,
        joins: dict[JoinKey, Joins],
        people: PeoplePrints | None = None,
        distances: DateDistances | None = None,
        order_column: int | None = None,
    ) -> None:
        """`order_column`: the one in whose order a database keeps the rows."""
        self.masker = masker
        self.people = people
        self._distances = distances
        self._keys: list[list[Prints]] = []
        self._order_column = order_column if order_column in masker.columns else None
        self._ordered_by: list[pl.Series] = []
        self.rows = 0
        self.dropped = 0
        self.blank_end = 0
        """Rows at the end in which no column has anything left: a sheet has no such rows."""
        self.columns = {i: ColumnRecord() for i in masker.columns}
        self._originals = originals
        self._joins = joins

    def record(
        self,
        frame: pl.DataFrame,
        masked: Mapping[int, pl.Series],
        kept: pl.Series | None,
        executor: Executor | None = None,
    ) -> Callable[[], None]:
        """One batch before and after, all its rows; `kept`: those that stay.

        What comes back waits until it is recorded, and has to be called before the next batch and before anything is
        asked; columns are recorded side by side in `executor`.
        """
        first = self.rows
        self.rows += len(frame)
        stay = len(frame) if kept is None else int(kept.sum() or 0)
        self.dropped += len(frame) - stay
        blank = self._blank_end(frame, masked, kept, stay)
        self.blank_end = blank + (self.blank_end if blank == stay else 0)
        are_shared_out = self.people is not None and self.people.are_shared_out
        pending = [
            submit_or_run(
                None if are_shared_out else executor, partial(self._record_people, frame, masked, kept, first)
            )
        ]
        pending += [
            submit_or_run(
                executor, partial(self._record, column, frame, masked[i], kept, column.countries(frame), first)
            )
            for i, column in self.masker.columns.items()
            if i in masked
        ]
        moving = [i for i in self._moving if i in masked] if self._distances else []
        pending += [
            submit_or_run(executor, partial(self._record_dates, i, frame, masked[i], kept, first)) for i in moving
        ]

        def wait() -> None:
            for done in pending:
                done()

        return wait

    def _blank_end(
        self, frame: pl.DataFrame, masked: Mapping[int, pl.Series], kept: pl.Series | None, stay: int
    ) -> int:
        """How many of a batch's last rows have nothing in any column that stays."""
        blank = stay
        for i, column in self.masker.columns.items():
            if blank and column.action.operator != "drop":
                cells = masked.get(i, frame[str(i)])
                cells = cells if kept is None else cells.filter(kept)
                has = cells.is_not_null() if cells.dtype != pl.String else (cells != "").fill_null(value=False)
                last = has.arg_true()
                blank = min(blank, stay - 1 - int(last[-1])) if len(last) else blank
        return blank

    def _record_people(
        self, frame: pl.DataFrame, masked: Mapping[int, pl.Series], kept: pl.Series | None, first: int
    ) -> None:
        if self.people is None:
            return
        keys = self.people.keys(frame, self.masker.plan, first)
        self.people.add(self.masker.plan, frame, masked, keys)
        if names := [name for column in self.masker.columns.values() for name in column.made_up_names()]:
            self.people.add_made_up(pl.Series(names, dtype=pl.String).unique())
        column = self._order_column
        if column is not None and column in masked:
            order = masked[column]
            if self.masker.columns[column].action.dtype == "integer":
                order = order.cast(pl.Int64, strict=False)
            self._ordered_by.append(order if kept is None else order.filter(kept))
        stay = slice(None) if kept is None else kept.to_numpy()
        self._keys.append([key[stay] for key in keys])

    @property
    def _moving(self) -> list[int]:
        """The columns whose dates move."""
        return [
            i
            for i, column in self.masker.columns.items()
            if column.action.operator == "date-shift" or column.action.params.get("shift_days")
        ]

    def _record_dates(self, i: int, frame: pl.DataFrame, after: pl.Series, kept: pl.Series | None, first: int) -> None:
        from piiscan.masking.operators.date_shift import DateShift

        assert self._distances is not None
        before, column, plan = frame[str(i)], self.masker.columns[i], self.masker.plan
        if before.dtype.is_nested():
            return
        place = plan.source, plan.table, column.label
        whose = self.masker.whose_dates(i, frame, first)
        if kept is not None:
            whose, before, after = whose.filter(kept), before.filter(kept), after.filter(kept)
        if isinstance(column.operator, DateShift):
            self._distances.add(place, whose, before, after, column.operator.form)
        else:
            self._distances.add_texts(place, whose, before, after)

    @property
    def keys(self) -> list[Prints]:
        """By what the rows that stay are joined to others, in the order in which the output is read."""
        if len(self._keys) > 1:
            self._keys = [[np.concatenate(parts) for parts in zip(*self._keys, strict=True)]]
        if self._ordered_by:
            order = pl.concat(self._ordered_by)
            self._ordered_by = []
            if not order.null_count():  # emptied keys of rows are numbered anew, in the order of the rows
                places = order.arg_sort().to_numpy()
                self._keys = [[key[places] for key in keys] for keys in self._keys]
        return list(self._keys[0]) if self._keys else []

    def close(self) -> None:
        """Keep counts alone: the table has been seen to its end."""
        for column in self.columns.values():
            column.close()

    def _record(
        self,
        column: ColumnMasker,
        frame: pl.DataFrame,
        after: pl.Series,
        kept: pl.Series | None,
        countries: pl.Series | None,
        first: int,
    ) -> None:
        action, operator, record = column.action, column.operator, self.columns[column.index]
        before = frame[str(column.index)]
        if action.entity in UNIQUE and action.operator != "spans":
            self._originals.add(action.entity or "", filled(flat(before)))
        if kept is not None:  # the masks of other rows are nowhere to be found
            before, after = before.filter(kept), after.filter(kept)
            countries = None if countries is None else countries.filter(kept)
        cells, masks = map(filled, one_to_one(before, after))
        record.filled += len(cells) - cells.null_count()
        emptied = masks.null_count() - cells.null_count()
        # What can't be read can't be moved either, and is emptied.
        record.emptied += min(emptied, 0) if operator.contract == "moved" else emptied
        same = _same(cells, masks)
        if action.params.get("own_look"):  # an initial is another one's by chance
            same &= ~cells.str.contains(_INITIAL)
        record.stayed += int(same.sum() or 0)
        if cells.dtype == pl.String and (likely := operator.likely_to_stay(cells.drop_nulls())) is not None:
            record.may_stay = (record.may_stay or 0.0) + likely
        if action.operator == "persona" and cells.dtype == pl.String:
            record.given += _given_names_that_stay(operator, cells.drop_nulls())
        record.unchanged.add(cells.filter(same))
        record.choices.add(
            self._choices(action.subject, frame if kept is None else frame.filter(kept), cells, same, first)
        )
        record.values.add(cells)
        record.masks.add(masks)
        if operator.deterministic and action.domain:
            key = action.domain, f"{action.operator} {sorted(action.params.items())}"
            if countries is not None:  # 030 1234567 is another number in another country
                cells = pl.select(pl.lit(countries.fill_null("")) + " " + cells.cast(pl.String)).to_series()
            self._joins.setdefault(key, Joins()).add(cells, masks)

    def _choices(
        self, subject: str | None, rows: pl.DataFrame, cells: pl.Series, stayed: pl.Series, first: int
    ) -> pl.Series:
        """Of cells that `stayed`, what their masks were chosen for: the value, or the person and the value."""
        stayed = stayed.fill_null(False)
        if not stayed.any() or not subject or len(cells) != len(rows):  # lists have more cells than rows
            return cells.filter(stayed)
        whose = self.masker.whose_names(subject, rows.filter(stayed), first)
        return whose + " " + cells.filter(stayed).cast(pl.String)


def _same(cells: pl.Series, masks: pl.Series) -> pl.Series:
    if cells.dtype != masks.dtype:
        masks, cells = masks.cast(pl.String), cells.cast(pl.String)
    return cells == masks


def _given_names_that_stay(operator: Operator, cells: pl.Series) -> float:
    """How many made-up people are expected to keep their given name."""
    from piiscan.masking.operators.persona import Persona
    from piiscan.masking.surrogates.name_chances import given_names_stay

    if not isinstance(operator, Persona) or operator.kind not in ("name", "first_name"):
        return 0.0
    return given_names_stay(cells, (operator.locale, *operator.locales), operator.script)
