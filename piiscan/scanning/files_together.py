"""Files of data sets whose sums one process adds: it has read them together, and they look alike.

To add thousands of sums takes time, and so does sending them from one process to another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from piiscan.core import source_globs
from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Inside, Member, MemberColumn, TableInfo
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.file_looks import Look, Summed, Types, types_of

_ENTRY: Final = 160
"""Bytes of memory that an entry of a sample takes, about."""
_COUNTED: Final = 400
"""Bytes of memory that what was counted of a column of a file takes, about."""

Key = tuple[object, ...]
"""What files of a data set have in common."""
Declared = Callable[[str], object]
"""What the user says that holds for a source."""
NOTHING: Final = TableSummary()


class Together(NamedTuple):
    """Files of a data set that look alike: the sum of all, and of each what was counted in it.

    `files`: each without its summary, by source. `look`: None where nobody has looked yet.
    """

    key: Key
    types: Types
    look: Look | None
    total: TableSummary
    files: dict[str, tuple[Summed, Member]]


class Bundle:
    """What one process has read together: all its `Added` are taken, or none.

    `size`: bytes of memory that it takes of what is kept of data sets, at most. `is_taken`: None where nobody has
    decided yet. `sources`: of its files, by the data set that they may be of.
    """

    def __init__(self) -> None:
        self.size = 0
        self.is_taken: bool | None = None
        self.sources: dict[Key, list[str]] = {}


class Added(NamedTuple):
    """A file whose sum was added to those of others. `is_first`: of these, in the order in which they are reported."""

    info: TableInfo
    rows: int
    together: Together
    bundle: Bundle
    is_first: bool


def may_be_a_member(info: TableInfo) -> bool:
    """Whether a table may be a file of a data set, by its name."""
    return _glob(info) is not None


def _glob(info: TableInfo) -> str | None:
    """The name of the data set that a table may be a file of; None where it can't be one."""
    return None if info.path is None else source_globs.glob_of(info.source)


def key_of(info: TableInfo, declared: Declared) -> Key | None:
    """What a table has in common with other files of its data set; None where it can't be one."""
    if (glob := _glob(info)) is None:
        return None
    keys = tuple(key for key, _ in source_globs.partition_keys(info.source))
    columns = tuple((column.name, column.parent) for column in info.fields)
    return glob, info.format, info.table, info.header, columns, keys, declared(info.source)


def alone(table: Summed, key: Key, look: Look | None, rules: RuleSet) -> Together:
    """A file that was summed up by itself."""
    files = {table.info.source: (table._replace(summary=NOTHING), _member(table, rules))}
    return Together(key, types_of(table), look, table.summary, files)


def added(tables: Sequence[Summed], bundle: Bundle, declared: Declared, rules: RuleSet) -> list[Summed | Added]:
    """Some tables with their looks, those that are alike in the form of their sum.

    What is added can't be taken apart again, so files that are named twice stay what they are.
    """
    named = Counter(table.info.source for table in tables)
    alike: dict[tuple[Key, Types, Look], list[int]] = {}
    for i, table in enumerate(tables):
        if table.look is None or (key := key_of(table.info, declared)) is None:
            continue
        bundle.size += counted_size(table.info)
        if table.failure is None and named[table.info.source] == 1:
            alike.setdefault((key, types_of(table), table.look), []).append(i)
        else:
            bundle.size += size_of(table.summary)
    out: list[Summed | Added] = list(tables)
    for (key, types, look), some in alike.items():
        first, *rest = (tables[i].summary for i in some)
        total = first.sum(rest)
        bundle.size += size_of(total)
        if len(some) == 1:
            continue
        files = {
            table.info.source: (table._replace(summary=NOTHING), _member(table, rules))
            for table in map(tables.__getitem__, some)
        }
        together = Together(key, types, look, total, files)
        bundle.sources.setdefault(key, []).extend(files)
        for i in some:
            out[i] = Added(tables[i].info, tables[i].rows, together, bundle, i == some[0])
    return out


def counted_size(info: TableInfo) -> int:
    """Bytes of memory that what is kept of each file takes, besides sums."""
    return _COUNTED * (1 + len(info.fields))


def size_of(total: TableSummary) -> int:
    """Bytes of memory that a summary takes, about."""
    entries = sum(len(c.sample.entries) + 2 * len(c.hits) for c in total.columns)
    return _ENTRY * (entries + len(total.row_sample.entries) * (1 + len(total.columns) // 2))


def _member(table: Summed, rules: RuleSet) -> Member:
    columns = tuple(
        MemberColumn(c.nulls, c.distinct, not c.sample.full, tuple(_inside(c, rules))) for c in table.summary.columns
    )
    return Member(table.info.source, table.summary.rows, table.failure is None, columns)


def _inside(column: ColumnSummary, rules: RuleSet) -> Iterator[Inside]:
    """What rules found in cells; of it stays what the data set's verdict names."""
    for rule_id, hits in sorted(column.hits.items()):
        rule = rules.by_id.get(rule_id)
        if rule is None or rule.search == "cell" or PII_CLASS[rule.entity] == "none":
            continue
        total = hits.within if rule.search == "context" else hits.within + hits.whole
        if total.cells:
            yield Inside(rule.entity, rule.subtype, rule_id, total.cells, total.other_rows or total.first_rows)
