"""Reads masked output as a stranger would, and reports of each promise whether it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ReadError
from piiscan.core.types import InName, NotScanned, Skipped, Table, TableInfo
from piiscan.detection.matching.match_column import count
from piiscan.detection.text.analyzer import Analyzer
from piiscan.io import inputs
from piiscan.io.prefetch import prefetch
from piiscan.io.printed_names import shown
from piiscan.io.read_options import ReadOptions
from piiscan.masking.apply.distinct_values import filled, flat
from piiscan.masking.apply.promises import UNIQUE, Alike, Joins, Originals, Promise, Watch, normalised
from piiscan.masking.apply.side_by_side import begun
from piiscan.masking.operators import operator_registry
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine

if TYPE_CHECKING:
    from piiscan.core.keys import Subkey

NAMES_STAY: Final = 0.05
"""Of made-up names so many may be the original ones by chance."""
GONE: Final = ("empty", "removed")
_NAMES: Final = ("first_name", "last_name", "name")


class Output(NamedTuple):
    """One table that was masked: what watched it, its name in the file and the one that may be `shown`, where its
    output lies, and of which `member` of an archive it is ("!inner.csv"). `derived`: the columns made of what others
    hold, by their numbers."""

    watch: Watch
    source: str
    table: str | None
    shown: str | None
    path: Path
    member: str = ""
    derived: frozenset[int] = frozenset()


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
        for item in inputs.discover([str(path)], read._replace(rows=None, header=header, asides=False)):
            if isinstance(item, Skipped | InName):
                continue
            if isinstance(item, NotScanned):
                table = engine.printable_failure(item, rules).table
                found.append(
                    Promise(next(iter(mine.values())).source, table, None, "the output can be read again", 1, 1)
                )
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


def no_identifier(table: Table, rules: RuleSet) -> None:
    """Raises `ReadError` where a rule finds a direct identifier in texts that are to be copied as they are."""
    prefilter = engine.prefilter_of(rules)
    for batch in table.batches():
        for (rule, _), hits in (
            (key, h) for cells in batch.frame.iter_columns() for key, h in count(cells, prefilter).items()
        ):
            if len(hits.cells) and PII_CLASS[prefilter.compiled.patterns[rule].rule.entity] == "direct":
                raise ReadError(
                    f"{table.info.table}: an identifier stands in it, and it would be copied as it is; take it "
                    f"out first"
                )


def _table(
    output: Output, table: Table, originals: Originals, rules: RuleSet, pool: Executor | None
) -> Iterator[Promise]:
    watch, prefilter = output.watch, engine.prefilter_of(rules)
    actions = [a for a in watch.plan.columns if a.operator != "drop"]
    checks = [_Column(a, watch, originals) for a in actions if a.index not in output.derived]
    if len(checks) != sum(field.parent is None for field in table.info.fields):
        # As where masks of a map's keys look like names: what was a list of entries is read as columns.
        yield Promise(output.source, output.shown, None, "it has the columns that the plan leaves", 1, 1)
        return
    checks, unseen = _in_order(
        checks, [_Column(a, watch, originals) for a in actions if a.index in output.derived], table.info, watch
    )
    rows = 0
    for batch in prefetch(table.batches()):
        rows += len(batch.frame)
        looks = [
            begun(pool, partial(check.see, cells, prefilter))
            for check, cells in zip(checks, batch.frame.iter_columns(), strict=True)
        ]
        for look in looks:
            look()

    def promise(column: str | None, name: str, cells: int, broken: int, expected: float = 0.0) -> Promise:
        return Promise(output.source, output.shown, column, name, cells, broken, expected)

    yield promise(None, "as many rows as before", watch.rows, abs(rows - watch.rows + watch.dropped))
    for check in (*checks, *unseen):
        yield from check.promises(promise, watch)


def _in_order(
    own: list[_Column], derived: list[_Column], info: TableInfo, watch: Watch
) -> tuple[list[_Column], list[_Column]]:
    """Checks for the columns of the output, and those of derived columns that it hasn't. Own columns stand in their
    order; derived ones are found by their names, and any that the plan doesn't know is looked through as if it had been
    kept."""
    n = sum(field.parent is None for field in info.fields)
    left = {label: check for check, label in zip(derived, labels([c.label for c in derived]), strict=True)}
    found = list(own[:n])
    for field, label in zip(info.fields[n:], labels([f.name for f in info.fields[n:]]), strict=True):
        parent = own[field.parent or 0]
        found.append(left.pop(label) if label in left else parent.kept(watch))
    return found, [*own[n:], *left.values()]


class _Column:
    """One column of the output."""

    def __init__(self, action: Action, watch: Watch, originals: Originals) -> None:
        self._action, self._originals = action, originals
        self._name = watch.masker.names[action.index]
        self._operator: Any = operator_registry.make(action.operator, action.params)
        self._key: Subkey | None = watch.masker.key_of(action.index)
        self._filled = self._found = self._strange = self._fired = 0
        self._candidates = self._expected = self._fixed = 0.0
        self._values = 0
        self._digits = 0

    @property
    def label(self) -> str | None:
        return self._action.rename or self._action.name

    def kept(self, watch: Watch) -> _Column:
        """For cells that stand beside this column's, and should be what they were."""
        return _Column(replace(self._action, operator="keep", params={}, entity=None), watch, self._originals)

    def see(self, cells: pl.Series, prefilter: Any) -> None:
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
            self._look_inside(text, whole, prefilter, gone)
        if hasattr(self._operator, "fixed_points"):
            self._fixed += self._operator.fixed_points(values)
            self._values += len(values)
        if self._operator.promise == "range" or self._action.operator == "hash":
            self._strange += int((~self._operator.declares(values, self._key)).sum() or 0)

    def _look_inside(self, text: pl.Series, whole: pl.Series, prefilter: Any, gone: bool) -> None:
        hit: set[int] = set()
        for (rule, _), hits in count(text, prefilter).items():
            known = prefilter.compiled.patterns[rule].rule
            if PII_CLASS[known.entity] == "direct":
                hit.update(int(i) for i in hits.cells)
                self._candidates += hits.candidates * known.chance
        self._fired += len(hit)
        if gone or not hit:
            return
        texts = text.gather(sorted(hit)).to_list()
        found = Analyzer(names=False).batch(texts)
        spans = [
            (s.entity, t[s.start : s.end])
            for t, each in zip(texts, found, strict=True)
            for s in each
            if s.entity in UNIQUE
        ]
        if self._action.operator == "spans":  # masks of the same look may be somebody's
            self._expected += sum(
                self._originals.counts.get(e, 0) / 10.0 ** max(0, sum(map(str.isdigit, t)) - 1) for e, t in spans
            )
        inside = normalised(pl.Series([t for _, t in spans], dtype=pl.String)).drop_nulls()
        leaked = inside.filter(pl.Series(self._originals.among(inside), dtype=pl.Boolean))
        self._found += int((~leaked.is_in(whole.drop_nulls().implode())).sum()) if len(leaked) else 0

    def promises(self, promise: Any, watch: Watch) -> Iterator[Promise]:
        i, name, action = self._action.index, self._name, self._action
        yield promise(
            name, "no unique original stands in a cell or in a text", self._filled, self._found, self._chance(watch)
        )
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
            if share is None and (
                action.operator in ("persona", "redact", "partial") or self._operator.promise == "moved"
            ):
                share = NAMES_STAY
            if share is None and action.operator in ("fpe", "surrogate"):
                share = 1 / self._capacity()
            stays = self._chance(watch) if share is None else share * watch.filled.get(i, 0)
            yield promise(name, "no row keeps its original", watch.filled.get(i, 0), watch.stayed.get(i, 0), stays)
        if self._operator.promise not in ("empty", "coarser", "range"):
            yield promise(
                name,
                "empty cells stay empty, others don't get empty",
                watch.filled.get(i, 0),
                abs(watch.nulls.get(i, 0)),
            )
        if getattr(self._operator, "reversible", False) or action.operator == "hash":
            before, after = watch.distinct[i].count, watch.masks[i].count
            yield promise(
                name,
                "different values stay different",
                before,
                max(0, before - after),
                0.1 * before if before >= 4096 else 0.0,
            )

    def _chance(self, watch: Watch) -> float:
        """How many masks are expected to be somebody's original by chance: masks × originals / possible masks."""
        if (
            self._action.operator == "persona" and self._action.params.get("kind") in _NAMES
        ):  # a user name may be somebody's family name
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
