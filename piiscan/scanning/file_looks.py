"""What a file that was summed up looks like: files of a data set look alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from piiscan.core.types import TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import fetch_first
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.classify.column_values import ColumnValues, looked_up
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.person_names import may_be_names
from piiscan.scanning.classify.profile import profiles

FEW: Final = 20
"""Fewer filled cells say nothing about whether a file is of a data set."""
_LOOKED_AT: Final = 48
"""Values of a column that are looked at for that."""
_MOST, _LITTLE = 0.6, 0.2
"""Shares of cells that look like names from which on a column of a file holds names, and up to which it holds none."""
_USUAL: Final = 0.8
"""Share of cells of one kind from which on a column is of that kind."""

_ColumnLook = tuple[str, frozenset[str], bool | None, bool] | None
"""What a column of a file looks like: the kind of its texts, the entities that half of its cells are evidently of,
whether they are names (None: partly), whether there are more than two. None where it holds too little to tell."""
Look = tuple[_ColumnLook, ...]


class Summed(NamedTuple):
    """A table that was read, as its reader names it, and its summary.

    `failure`: why it wasn't read to its end, at `column` where that is known. `look`: what `look_of` says of it, where
    that is known.
    """

    info: TableInfo
    summary: TableSummary
    failure: str | None = None
    column: int | None = None
    look: Look | None = None

    @property
    def rows(self) -> int:
        return self.summary.rows


Types = tuple[str | None, ...]
"""Of each column of a file its type, one for numbers of both kinds; None where it is empty, and so may be of any."""


def types_of(table: Summed) -> Types:
    kinds = ("number" if column.dtype in ("integer", "float") else column.dtype for column in table.info.fields)
    return tuple(kind if column.filled else None for kind, column in zip(kinds, table.summary.columns, strict=True))


def look_of(summary: TableSummary, rules: RuleSet) -> Look:
    """What the columns of a file look like. Files of a data set look alike."""
    return looks_of([summary], rules)[0]


def looks_of(summaries: Sequence[TableSummary], rules: RuleSet) -> list[Look]:
    """`look_of` of each of some files."""
    known = lexicon(rules)
    fetch_first([column.sample for summary in summaries for column in summary.columns], _LOOKED_AT)
    every = [column for summary in summaries for column in summary.columns]
    values = [ColumnValues(p, known) for p in profiles(every, _LOOKED_AT)]
    looked_up([v for v, column in zip(values, every, strict=True) if column.filled >= FEW and _may_be_names(v)])
    seen = iter(values)
    return [tuple(_column_look(column, next(seen)) for column in summary.columns) for summary in summaries]


def _column_look(column: ColumnSummary, values: ColumnValues) -> _ColumnLook:
    if column.filled < FEW:
        return None
    seen, known = values.profile, values.lexicon
    if not seen.texts:
        return None
    # Numbers with and without a fraction may stand in one column.
    kinds = Counter({"number" if k in ("integer", "decimal") else k: 0 for k in seen.kinds})
    for kind, share in seen.kinds.items():
        kinds["number" if kind in ("integer", "decimal") else kind] += share  # type: ignore[assignment]
    kind, share = max(sorted(kinds.items()), key=lambda item: item[1])
    entities = frozenset(
        rule.entity
        for rule_id, hits in column.hits.items()
        if 2 * hits.whole.cells >= column.filled
        and (rule := known.by_id.get(rule_id)) is not None
        and rule.search == "anywhere"
    )
    return kind if share >= _USUAL else "mixed", entities, _are_names(values), column.sample.distinct > 2


def _are_names(values: ColumnValues) -> bool | None:
    if not _may_be_names(values):
        return False
    names = values.look
    share = max(names.both, names.listed)
    return True if share >= _MOST else False if share <= _LITTLE else None


def _may_be_names(values: ColumnValues) -> bool:
    return values.profile.share(may_be_names(values.profile)) > _LITTLE
