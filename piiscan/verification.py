"""Reads masked output as a stranger would, and reports of each promise whether it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

from piiscan import engine, io
from piiscan.apply.distinct import filled, flat
from piiscan.apply.lanes import begun
from piiscan.apply.verify import UNIQUE, Alike, Joins, Originals, Promise, Watch, normalised
from piiscan.detect.column import count
from piiscan.entities import PII_CLASS
from piiscan.io import ReadOptions
from piiscan.io.ahead import ahead
from piiscan.io.names import shown
from piiscan.operators import registry
from piiscan.plan.types import Action
from piiscan.rules import RuleSet
from piiscan.text.analyzer import Analyzer
from piiscan.types import InName, NotScanned, Skipped, Table

if TYPE_CHECKING:
    from piiscan.keys import Subkey

NAMES_STAY: Final = 0.05
"""Of made-up names so many may be the original ones by chance."""
GONE: Final = ("empty", "removed")
_NAMES: Final = ("first_name", "last_name", "name")


class Output(NamedTuple):
    """One table that was masked: what watched it, its name in the file and the one that may be `shown`, where its output lies, and
    of which `member` of an archive it is ("!inner.csv")."""

    watch: Watch
    source: str
    table: str | None
    shown: str | None
    path: Path
    member: str = ""


def promises(
    outputs: Sequence[Output],
    originals: Originals,
    joins: dict[Alike, Joins],
    rules: RuleSet,
    read: ReadOptions,
    pool: Executor | None = None,
) -> list[Promise]:
    """Every promise of the plan, table by table. Raises `ReadError` for output that can't be read."""
    found: list[Promise] = []
    for path in dict.fromkeys(o.path for o in outputs):
        mine = {(o.member, o.table): o for o in outputs if o.path == path}
        unseen = [o for o in mine.values() if o.watch.rows > o.watch.dropped]
        # New names may look like data: a table that has got some has a header.
        header = True if any(a.rename for o in mine.values() for a in o.watch.plan.columns) else read.header
        for item in io.discover([str(path)], read._replace(rows=None, header=header)):
            if isinstance(item, Skipped | InName):
                continue
            if isinstance(item, NotScanned):
                table = engine.printable_failure(item, rules).table
                found.append(Promise(next(iter(mine.values())).source, table, None, "the output can be read again", 1, 1))
                continue
            place = item.info.source.removeprefix(shown(str(path), read.rules)), item.info.table
            output = mine.get(place) or (next(iter(mine.values())) if len(mine) == 1 else None)
            if output is not None:
                unseen = [o for o in unseen if o is not output]
                found += _table(output, item, originals, rules, pool)
        found += [Promise(o.source, o.shown, None, "the output can be read again", 1, 1) for o in unseen]
    for (domain, _), each in sorted(joins.items()):
        found.append(Promise("", None, None, f"equal values of {domain} have equal masks", each.cells, each.broken))
    return found


def _table(output: Output, table: Table, originals: Originals, rules: RuleSet, pool: Executor | None) -> Iterator[Promise]:
    watch, gates = output.watch, engine.gates_of(rules)
    actions = [a for a in watch.plan.columns if a.operator != "drop"]
    checks = [_Column(a, watch, originals) for a in actions]
    rows = 0
    for batch in ahead(table.batches()):
        rows += len(batch.frame)
        looks = [begun(pool, partial(check.see, cells, gates)) for check, cells in zip(checks, batch.frame.iter_columns(), strict=True)]
        for look in looks:
            look()

    def promise(column: str | None, name: str, cells: int, broken: int, expected: float = 0.0) -> Promise:
        return Promise(output.source, output.shown, column, name, cells, broken, expected)

    yield promise(None, "as many rows as before", watch.rows, abs(rows - watch.rows + watch.dropped))
    for check in checks:
        yield from check.promises(promise, watch)


class _Column:
    """One column of the output."""

    def __init__(self, action: Action, watch: Watch, originals: Originals) -> None:
        self._action, self._originals = action, originals
        self._name = watch.masker.names[action.index]
        self._operator: Any = registry.make(action.operator, action.params)
        self._key: Subkey | None = watch.masker.key_of(action.index)
        self._filled = self._found = self._strange = self._fired = 0
        self._candidates = self._expected = self._fixed = 0.0
        self._values = 0
        self._digits = 0

    def see(self, cells: pl.Series, gates: Any) -> None:
        cells = filled(flat(cells))
        values = cells.drop_nulls().unique()
        self._filled += len(cells) - cells.null_count()
        if not len(values):
            return
        text = values.cast(pl.String, strict=False).drop_nulls()
        whole = normalised(text)
        broken = self._originals.among(whole.drop_nulls())
        self._found += int(broken.sum())
        if not self._digits:
            self._digits = int(np.median(text.head(64).str.count_matches("[0-9]").to_numpy())) if len(text) else 0
        gone = self._operator.promise in GONE
        if values.dtype == pl.String and (gone or self._action.operator in ("keep", "spans")):
            self._look_inside(text, whole, gates, gone)
        if hasattr(self._operator, "fixed_points"):
            self._fixed += self._operator.fixed_points(values)
            self._values += len(values)
        if self._operator.promise == "range" or self._action.operator == "hash":
            self._strange += int((~self._operator.declares(values, self._key)).sum() or 0)

    def _look_inside(self, text: pl.Series, whole: pl.Series, gates: Any, gone: bool) -> None:
        hit: set[int] = set()
        for (rule, _), hits in count(text, gates).items():
            known = gates.program.patterns[rule].rule
            if PII_CLASS[known.entity] == "direct":
                hit.update(int(i) for i in hits.cells)
                self._candidates += hits.candidates * known.chance
        self._fired += len(hit)
        if gone or not hit:
            return
        texts = text.gather(sorted(hit)).to_list()
        found = Analyzer(names=False).batch(texts)
        spans = [(s.entity, t[s.start : s.end]) for t, each in zip(texts, found, strict=True) for s in each if s.entity in UNIQUE]
        if self._action.operator == "spans":  # masks of the same look may be somebody's
            self._expected += sum(self._originals.counts.get(e, 0) / 10.0 ** max(0, sum(map(str.isdigit, t)) - 1) for e, t in spans)
        inside = normalised(pl.Series([t for _, t in spans], dtype=pl.String)).drop_nulls()
        leaked = inside.filter(pl.Series(self._originals.among(inside), dtype=pl.Boolean))
        self._found += int((~leaked.is_in(whole.drop_nulls().implode())).sum()) if len(leaked) else 0

    def promises(self, promise: Any, watch: Watch) -> Iterator[Promise]:
        i, name, action = self._action.index, self._name, self._action
        yield promise(name, "no unique original stands in a cell or in a text", self._filled, self._found, self._chance(watch))
        if action.operator == "keep":
            return
        if self._operator.promise in GONE:
            yield promise(name, "no rule finds an identifier", self._filled, self._fired, self._candidates)
        if self._operator.promise == "range" or action.operator == "hash":
            yield promise(name, "every mask lies in its operator's range", self._filled, self._strange)
        if hasattr(self._operator, "fixed_points") and self._values:  # a value that often occurs stays as often
            different = watch.distinct[i].count
            expected = self._fixed / self._values * different
            yield promise(name, "no row keeps its original", different, watch.unchanged[i].count, expected)
        elif self._operator.promise in ("range", "removed", "moved"):
            share = watch.masker.stays(i)
            if share is None and (action.operator in ("persona", "redact", "partial") or self._operator.promise == "moved"):
                share = NAMES_STAY
            if share is None and action.operator in ("fpe", "surrogate"):
                share = 1 / self._capacity()
            stays = self._chance(watch) if share is None else share * watch.filled.get(i, 0)
            yield promise(name, "no row keeps its original", watch.filled.get(i, 0), watch.stayed.get(i, 0), stays)
        if self._operator.promise not in ("empty", "coarser", "range"):
            yield promise(name, "empty cells stay empty, others don't get empty", watch.filled.get(i, 0), abs(watch.nulls.get(i, 0)))
        if getattr(self._operator, "reversible", False) or action.operator == "hash":
            before, after = watch.distinct[i].count, watch.masks[i].count
            yield promise(name, "different values stay different", before, max(0, before - after), 0.1 * before if before >= 4096 else 0.0)

    def _chance(self, watch: Watch) -> float:
        """How many masks are expected to be somebody's original by chance: masks × originals / possible masks."""
        if self._action.operator == "persona" and self._action.params.get("kind") in _NAMES:  # a user name may be somebody's family name
            return NAMES_STAY * self._filled
        if self._action.operator not in ("fpe", "surrogate", "code"):
            return self._expected
        i = self._action.index
        known = sum(n for e, n in self._originals.counts.items() if e == self._action.entity)
        return watch.masks[i].count * known / self._capacity() if i in watch.masks else 0.0

    def _capacity(self) -> float:
        """How many masks a value may get, at least."""
        told: int | None = getattr(self._operator, "capacity", lambda: None)()
        return max(1.0, told or 10.0 ** max(0, self._digits - 1 - getattr(self._operator, "keep_first", 0)))
