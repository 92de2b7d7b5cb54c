"""Labelled tables for `piiscan train`: a CSV file that says what columns are, and the tables that it names."""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.errors import PiiscanError, ReadError, UsageError

if TYPE_CHECKING:
    from piiscan.core.types import Table, TableInfo
    from piiscan.detection.summary.table_summary import TableSummary
    from piiscan.io.read_options import ReadOptions
    from piiscan.rules.definitions import RuleSet

COLUMNS: Final = ("path", "table", "column", "entity")
NAMES_SHOWN: Final = 400
"""Characters of a list of names in an error."""


class Label(NamedTuple):
    """A line of the file, which says what the columns named `column` are in the tables of `source`.

    If `table` is given, only that table is meant. `entity`: a class of the model. `location`: the file and the line,
    for errors.
    """

    location: str
    source: str
    table: str | None
    column: str
    entity: str


class LabelledTable(NamedTuple):
    """A table as a scan sees it, and the labels of its columns, by number."""

    info: TableInfo
    summary: TableSummary
    entities: dict[int, str]


def read(file: Path, entities: Collection[str]) -> list[Label]:
    """Read the lines of a file of labels.

    Raises `UsageError`, naming file, line and column, but never the content, which may be anything if files were
    mixed up.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            labels = list(_labels(file, csv.reader(lines, strict=True), entities))
    except OSError as error:
        raise UsageError(f"{file.name}: can't be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        what = "not UTF-8" if isinstance(error, UnicodeDecodeError) else "a quote or line end is missing"
        raise UsageError(f"{file.name}: can't be read as CSV: {what}") from None
    if not labels:
        raise UsageError(f"{file.name}: no labels; write a line for each column that you know")
    return labels


def _labels(file: Path, lines: Any, entities: Collection[str]) -> Iterator[Label]:
    names = [name.strip() for name in next(lines, [])]
    if sorted(names) not in (sorted(COLUMNS), sorted({*COLUMNS} - {"table"})):
        raise UsageError(f"{file.name} line 1: must be {','.join(COLUMNS)} (table may be left out)")
    number = lines.line_num
    for cells in lines:
        number, location = lines.line_num, f"{file.name} line {number + 1}"
        if not cells:
            continue
        if len(cells) != len(names):
            raise UsageError(
                f'{location}: {len(cells)} cells, but line 1 has {len(names)}; put " around a cell with a comma'
            )
        row = dict(zip(names, cells, strict=True))
        for name in ("path", "column", "entity"):
            if not row[name]:
                raise UsageError(f"{location}, {name}: must not be empty")
        path = file.parent / row["path"]
        source = (
            os.path.normpath(path) if path.is_absolute() else os.path.relpath(path)
        )  # as the globs of the configuration expect it
        yield Label(
            location,
            source.replace(os.sep, "/"),
            row.get("table") or None,
            row["column"],
            _entity(row["entity"], location, entities),
        )


def _entity(text: str, location: str, entities: Collection[str]) -> str:
    from piiscan.rules.definitions import suggestion
    from piiscan.scanning.classify.column_model import NONE
    from piiscan.scanning.configuration import NOTHING

    if text == NOTHING:
        return NONE
    if text not in entities:
        hint = f"; did you mean {NOTHING!r}?" if text.lower() == NOTHING else suggestion(text.upper(), entities)
        raise UsageError(f"{location}, entity: must be one of {', '.join((NOTHING, *sorted(entities)))}{hint}")
    return text


def tables(labels: Sequence[Label], rules: RuleSet, options: ReadOptions) -> list[LabelledTable]:
    """Yield the tables with labelled columns, in the order of the files' names, each read and summarised as in a scan.

    Raises `UsageError` for a label that fits no column, `ReadError` for a table that can't be read; both name the
    label's line.
    """
    from piiscan.scanning.findings import container

    found: list[LabelledTable] = []
    fitting: dict[Label, bool] = {}
    for file in sorted({container(label.source)[0] for label in labels}):
        mine = [label for label in labels if container(label.source)[0] == file]
        if Path(file).is_dir():
            raise UsageError(f"{mine[0].location}, path: {file} is a folder; name a file in it")
        known: list[TableInfo] = []
        for table, info in _read(file, mine, rules, options):
            known.append(info)
            entities = _columns(info, mine, fitting)
            if entities:
                found.append(LabelledTable(info, _summed(table, rules, mine), entities))
        for label in mine:
            if not fitting.get(label):
                raise _misfit(label, [i for i in known if i.source == label.source])
    return found


def _read(
    file: str, labels: Iterable[Label], rules: RuleSet, options: ReadOptions
) -> Iterator[tuple[Table, TableInfo]]:
    """Return the tables of a file, with the names that a report has for their columns."""
    from piiscan.core.types import InName, NotScanned, Skipped
    from piiscan.io import inputs
    from piiscan.scanning import printable_names

    for item in inputs.discover([file], options):
        if isinstance(item, InName):
            continue
        if isinstance(item, (NotScanned, Skipped)):
            table_name = item.table if isinstance(item, NotScanned) else None
            for label in labels:
                if item.source in (file, label.source) and (table_name is None or label.table in (None, table_name)):
                    raise ReadError(f"{label.location}, path: {label.source}: {item.reason}")
        else:
            yield item, printable_names.printable(item.info, rules)


def _columns(info: TableInfo, labels: Iterable[Label], fitting: dict[Label, bool]) -> dict[int, str]:
    """Return the labels of a table's columns; `fitting` records which labels were used."""
    said: dict[int, Label] = {}
    for label in labels:
        if label.source != info.source or label.table not in (None, info.table):
            continue
        for i, name in enumerate(names(info)):
            if name == label.column:
                other = said.setdefault(i, label)
                if other.entity != label.entity:
                    raise UsageError(
                        f"{label.location}, entity: {other.location} gives the same column another "
                        "entity; keep one of them"
                    )
                fitting[label] = True
    return {i: label.entity for i, label in sorted(said.items())}


def names(info: TableInfo) -> list[str]:
    """Return the names that labels and `[[columns]]` use for a table's columns."""
    return [field.name or f"column_{i}" for i, field in enumerate(info.fields)]


def _summed(table: Table, rules: RuleSet, labels: Sequence[Label]) -> TableSummary:
    from piiscan.detection.matching.batch import summarise
    from piiscan.detection.summary.table_summary import TableSummary
    from piiscan.scanning import engine

    fields, prefilter = table.info.fields, engine.prefilter_of(rules)
    total = TableSummary.empty(len(fields))
    try:
        for batch in table.batches():
            total = total + summarise(batch, fields, prefilter, total)
    except PiiscanError as error:
        label = next(label for label in labels if label.source == table.info.source)
        raise ReadError(f"{label.location}, path: {label.source}: {error}") from None
    return total


def _misfit(label: Label, known: Sequence[TableInfo]) -> UsageError:
    from piiscan.report.verdict_words import listing, printable
    from piiscan.rules.definitions import suggestion

    of_table = [info for info in known if label.table in (None, info.table)]
    if not known:
        return UsageError(f"{label.location}, path: there is no table in {label.source}")
    what, name = ("column", label.column) if of_table else ("table", label.table or "")
    there = [n for info in of_table for n in names(info)] if of_table else [info.table for info in known if info.table]
    there = list(dict.fromkeys(map(printable, there)))
    hint = suggestion(name, there) or f"; it has {listing(there, NAMES_SHOWN) or 'only one, without a name'}"
    return UsageError(f"{label.location}, {what}: there is no such {what} in {label.source}{hint}")
