"""The tables of a run, read before any of them is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned, Table
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply.masks_ahead import MaskedRows
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.run.match_plan import planned, tables_below
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.engine import Progress

_KEPT: Final = 64 << 20
"""Bytes of cells that are kept in memory rather than read once more."""


class AheadTable(NamedTuple):
    """A table's part of the plan, and its rows, as often as they are asked for.

    They may raise `ReadError`. `keep` takes masks of rows, which are kept where the rows are.
    """

    plan: TablePlan
    frames: Callable[[], Iterator[pl.DataFrame]]
    keep: Callable[[MaskedRows], None]


class TablesAhead:
    """All tables below `source`, for several passes. Small ones are read once."""

    def __init__(
        self,
        source: Path,
        root: Path,
        plan: Plan,
        rules: RuleSet,
        read: ReadOptions,
        new_columns: str,
        see: Callable[[TablePlan, pl.DataFrame], None],
        progress: Progress | None = None,
    ) -> None:
        """`see` is shown rows whenever they are read from a file, and `progress` told how many."""
        self._source, self._root, self._plan = source, root, plan
        self._rules, self._read, self._new_columns = rules, read, new_columns
        self._plans: list[TablePlan] = []
        self._are_all_known = False
        self._kept: dict[int, list[pl.DataFrame]] = {}
        self._room, self._see = _KEPT, see
        self._masked: dict[tuple[str, str | None], list[MaskedRows]] = {}
        self._unread: dict[str, str] = {}
        self._progress = progress

    def check(self, source: str) -> None:
        """Raise `ReadError` for a source that couldn't be read to its end, or one within it.

        What it holds about people isn't known in the texts of others, so it has no output even if it can be read now.
        """
        parts = source.split("!")
        for n in range(len(parts), 0, -1):
            if reason := self._unread.get("!".join(parts[:n])):
                raise ReadError(reason)

    def tables(self, wanted: Callable[[TablePlan], bool]) -> Iterator[AheadTable]:
        """The tables that are wanted by their part of the plan. Raises `UsageError`."""
        if not self._are_all_known or any(i not in self._kept for i, plan in enumerate(self._plans) if wanted(plan)):
            yield from self._found(wanted)
        else:
            for i, plan in enumerate(self._plans):
                if wanted(plan):
                    yield AheadTable(plan, self._kept[i].__iter__, partial(self._keep, i))

    def masked(self, plan: TablePlan) -> list[MaskedRows]:
        """Rows of a table whose masks were kept, once."""
        return self._masked.pop((plan.source, plan.table), [])

    def close(self) -> None:
        """Let go of all rows but those whose masks were kept: all passes are made."""
        self._kept.clear()
        self._room = 0

    def _keep(self, i: int, rows: MaskedRows) -> None:
        if i in self._kept:
            plan = self._plans[i]
            self._masked.setdefault((plan.source, plan.table), []).append(rows)

    def _found(self, wanted: Callable[[TablePlan], bool]) -> Iterator[AheadTable]:
        plans: list[TablePlan] = []
        self._plans = plans
        for item in tables_below(self._source, self._root, self._rules, self._read):
            if isinstance(item, NotScanned):
                self._unread[item.source] = item.reason
                continue
            table, shown = item
            plan = planned(self._plan, table, shown, self._new_columns)
            if plan is None:
                continue
            i = len(plans)
            plans.append(plan)
            if wanted(plan):
                yield AheadTable(plan, partial(self._frames, i, table), partial(self._keep, i))
        self._are_all_known = True

    def _frames(self, i: int, table: Table) -> Iterator[pl.DataFrame]:
        if i in self._kept:
            yield from self._kept[i]
            return
        kept: list[pl.DataFrame] | None = []
        room, rows = self._room, 0
        if self._progress:
            self._progress(table.info.source, rows)
        try:
            for batch in table.batches():
                frame = as_planned(batch.frame, self._plans[i])
                rows += len(frame)
                if self._progress:
                    self._progress(table.info.source, rows)
                room -= int(frame.estimated_size())
                if room < 0:
                    kept = None
                if kept is not None:
                    kept.append(frame)
                self._see(self._plans[i], frame)
                yield frame
        except ReadError as error:
            self._unread[table.info.source] = str(error)
            raise
        if kept is not None:
            self._kept[i], self._room = kept, room
