"""The way back: restores reversible columns with the key, from file to file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.types import Batch, DType, Field, TableInfo
from piiscan.io.columnar.metadata import MASKED_WITH
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column, Rewritten
from piiscan.io.write.rewrite import rewrite
from piiscan.masking.apply.distinct_values import filled, on_distinct, on_elements, with_blanks
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.plan import renames
from piiscan.masking.plan.code_vaults import located
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan
from piiscan.masking.run.match_plan import find, fitted, printable_failures, relative, same_lists
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import printable_names
from piiscan.scanning.engine import Progress

if TYPE_CHECKING:
    from piiscan.core.keys import Key, Subkey
    from piiscan.masking.operators.operator import Operator

_SEALED: Final = ("token", "code")
"""Operators whose masks another key doesn't open."""
_UNITS: Final[dict[int, Literal["ms", "us", "ns"]]] = {3: "ms", 6: "us", 9: "ns"}
"""How many digits of a second a moment of each precision is written with."""


def unmask_files(
    source: Path,
    target: Path,
    plan: Plan,
    key: Key | None,
    rules: RuleSet,
    read: ReadOptions,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Restored:
    """Restore the reversible columns of a masked file, or of every file below a folder; other cells stay as they are.

    Raises `UsageError` for a table or a column that the plan doesn't know, where no column can be restored, and for
    another key than that of the masking: by the plan's `key_ids`, by a file's metadata, or as far as an operator can
    tell. Then nothing is written.
    """
    same_lists(plan)
    plan = located(plan)
    if key is not None and plan.key_ids and key.id not in plan.key_ids:
        raise UsageError(
            f"the plan was used with the key {' or '.join(plan.key_ids)}, and the given key is {key.id}; give "
            "that key (--key), or the plan that belongs to this one"
        )
    if not any(restorable(a) for t in plan.tables for a in t.columns):
        raise UsageError("the plan has no column that can be restored; token, fpe, ip and code are reversible")
    root = source if source.is_dir() else source.parent

    tables: list[_Restoring] = []

    def change(info: TableInfo) -> _Restoring:
        shown = printable_names.printable(relative(info, root, rules), rules)
        said = dict(info.details).get(MASKED_WITH)
        if key is not None and said not in (None, key.id):
            raise UsageError(
                f"{shown.source} was masked with the key {said}, and the given key is {key.id}; give that key (--key)"
            )
        table = find(plan, shown)
        made = _Restoring(TableMasker(table, plan.spans, key), fitted(as_masked(table, shown), shown), info, progress)
        tables.append(made)
        return made

    done = rewrite(source, target, read, change, overwrite=overwrite)
    written = {(info.source, info.table) for info in done.tables}
    restored = [t for t in tables if (t.info.source, t.info.table) in written]
    is_known = key is None or plan.key_ids == (key.id,)
    return Restored(
        printable_failures(done, rules),
        sum(len(t.columns_back) for t in restored),
        () if is_known else tuple(label for t in restored for label in t.unchecked()),
    )


class Restored(NamedTuple):
    """The result of unmasking: what was written, and how many `columns` were restored.

    `unchecked`: columns for which it can't be determined whether they were masked with the given key.
    """

    written: Rewritten
    columns: int
    unchecked: tuple[str, ...]


def restorable(action: Action) -> bool:
    """Whether the column can be restored with the key."""
    return operator_registry.operator_class(action.operator).reversible


def as_masked(plan: TablePlan, info: TableInfo) -> TablePlan:
    """What a table's columns are once it is masked; each with the operator that made it.

    Those that stay as they are may have any type: a JSON file has none where every value was suppressed.
    """
    here = dict(zip(labels([f.name for f in info.fields]), info.fields, strict=True))
    columns = []
    stay = renames.left(plan.columns, plan.source)
    for (a, name), label in zip(stay, labels([name for _, name in stay]), strict=True):
        made = elements.dtype(operator_registry.make(a.operator, a.params), a.dtype)
        keeps_made = (restorable(a) and a.dtype != "other") or label not in here
        columns.append(replace(a, name=name, dtype=made if keeps_made else here[label].dtype))
    return TablePlan(plan.source, plan.table, tuple(columns))


class _Restoring:
    """One masked table on its way back."""

    def __init__(self, masker: TableMasker, plan: TablePlan, info: TableInfo, progress: Progress | None) -> None:
        stay = renames.left(masker.plan.columns, masker.plan.source)
        before = dict(zip(labels([name for _, name in stay]), (a for a, _ in stay), strict=True))
        self.info, self._progress, self._rows = info, progress, 0
        self._plan = plan
        self._source, self._is_proven = plan.source, any(name == MASKED_WITH for name, _ in info.details)
        self._old = [
            replace(before[label], dtype=a.dtype) if a.cast else before[label]
            for a, label in zip(plan.columns, labels([a.name for a in plan.columns]), strict=True)
        ]
        self._back = {
            i: (old, operator_registry.make(old.operator, old.params), masker.columns[old.index].key)
            for i, old in enumerate(self._old)
            if restorable(old)
        }

    @property
    def columns_back(self) -> list[str]:
        """What the plan calls the columns that are restored."""
        names = labels([a.name for a in self._old])
        return [names[i] for i in self._back]

    def unchecked(self) -> list[str]:
        """Columns that any key restores to something, in a table where nothing else identifies the key."""
        if self._is_proven:
            return []
        names = labels([a.name for a in self._old])
        return [f"{self._source}: {names[i]}" for i, (old, _, _) in self._back.items() if old.operator not in _SEALED]

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(
                Field(old.name if old.rename else f.name, old.dtype if i in self._back else f.dtype),
                i,
                i not in self._back,
            )
            for i, (f, old) in enumerate(zip(self.info.fields, self._old, strict=True))
        )

    def apply(self, batch: Batch) -> Changed:
        out = []
        frame = as_planned(batch.frame, self._plan)
        for i, (action, operator, key) in self._back.items():
            masks = frame[str(i)]
            self._is_proven |= action.operator in _SEALED and masks.null_count() < len(masks)
            unmask = partial(_restored, partial(_unmask, operator, key))
            cells = on_elements(masks, unmask) if isinstance(masks.dtype, pl.List) else unmask(masks)
            out.append((_typed(cells, action.dtype) if cells.dtype == pl.String else cells).alias(str(i)))
        if self._progress and not self._rows:
            self._progress(self.info.source, 0)
        self._rows += len(batch.frame)
        if self._progress:
            self._progress(self.info.source, self._rows)
        return Changed(pl.DataFrame(out))


def _restored(unmask: Callable[[pl.Series], pl.Series], masks: pl.Series) -> pl.Series:
    return with_blanks(on_distinct(filled(masks), unmask), masks)


def _unmask(operator: Operator, key: Subkey | None, masks: pl.Series) -> pl.Series:
    return operator.unmask(masks, key)


def _typed(texts: pl.Series, dtype: DType) -> pl.Series:
    """Cells of their column's type, out of the texts that stood in their tokens.

    Whole numbers beyond 64 bits stay texts. Raises `UsageError`.
    """
    if dtype == "boolean":
        cells = texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    elif dtype == "date":
        cells = texts.str.to_date("%Y-%m-%d", strict=False)
    elif dtype == "datetime":
        cells = _moments(texts)
    elif dtype == "integer":
        cells = texts.cast(pl.Int64, strict=False)
        return cells if cells.null_count() == texts.null_count() else texts
    else:
        return texts
    if cells.null_count() != texts.null_count():
        raise UsageError(
            f"some of the restored values don't have the column's type, {dtype}; is this the plan that the file "
            "was masked with?"
        )
    return cells


def _moments(texts: pl.Series) -> pl.Series:
    """Moments as `as_text` of the keyed operators writes them; in UTC, where they tell how far they are from it."""
    first = texts.drop_nulls().head(1).to_list()
    fraction = re.search(r"\.(\d+)(\+00:00)?$", first[0]) if first else None
    unit, zone = _UNITS.get(len(fraction[1]) if fraction else 0, "us"), fraction and fraction[2]
    form = "%Y-%m-%dT%H:%M:%S%.f" + ("%:z" if zone else "")
    return texts.str.to_datetime(form, time_unit=unit, time_zone="UTC" if zone else None, strict=False)
