"""Anonymises a file: reads it twice, writes it once, counts the output again, and only then gives it its name."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import polars as pl

from piiscan.anonymity import needs
from piiscan.anonymity.best_publication import anonymized
from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.publish import Publisher
from piiscan.anonymity.recoding_plan import RecodingPlan, demand
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.run import kept_columns
from piiscan.anonymity.run.count_table import count_population, counted
from piiscan.anonymity.run.recount import recounted
from piiscan.core.errors import ReadError, WriteError
from piiscan.core.keys import Key
from piiscan.core.types import Batch, Field, Table, TableInfo
from piiscan.io.table_source import Source
from piiscan.io.write import new_file
from piiscan.io.write.change import FULL, Changed, Column, Staged
from piiscan.io.write.publishing import taken
from piiscan.io.write.rewrite import rewrite
from piiscan.io.write.staging import Staging
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions


class Searched(NamedTuple):
    """The counted table of a file, and the solution found for it."""

    table: CountedTable
    found: Anonymized


def search_file(
    source: Source, request: AnonymizeRequest, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None
) -> Searched:
    """Search for the best published version of a table.

    Raises `UsageError` if the models can't be met, and `ReadError`.
    """
    return _searched(source, counted(source, request, rules, scan, progress), request, rules)


def apply_plan(
    source: Source, plan: RecodingPlan, key: Key, rules: RuleSet, scan: ScanOptions, progress: Progress | None = None
) -> Searched:
    """Return the solution that a plan describes for its table.

    Raises `UsageError` if `source` contains another table than the one the plan was made from, or only a part of it.
    """
    table = counted(source, plan.request, rules, scan, progress)
    demand(plan, table.histogram, key, source.name)
    return _searched(source, table, plan.request, rules, plan)


def _searched(
    source: Source, table: CountedTable, request: AnonymizeRequest, rules: RuleSet, plan: RecodingPlan | None = None
) -> Searched:
    given = request.population
    open_population = Source(given, None, source.read).opened if isinstance(given, Path) else given
    population = count_population(table, open_population, rules)
    found = anonymized(table, request, population, plan)
    return Searched(table, replace(found, warnings=kept_columns.warnings(source, found.columns)))


def write_file(
    source: Source, target: Path, searched: Searched, *, overwrite: bool = False, progress: Progress | None = None
) -> None:
    """Write the anonymised table to `target`, in the format of its file.

    The output is read and counted again before it gets its name. If the file contains other tables, `target` contains
    only this one.

    Raises `ReadError`, also if the table has changed since, `WriteError`, and `VerifyError` if the count doesn't
    confirm the models. Then nothing is written.
    """
    if source.is_alone():
        _rewrite(source, target, searched, overwrite, progress)
    else:
        _write_alone(source, target, searched, overwrite, progress)


def _rewrite(source: Source, target: Path, searched: Searched, overwrite: bool, progress: Progress | None) -> None:
    """The same file with other cells."""
    table, found = searched
    publisher = Publisher(found)
    assert source.path is not None

    def change(info: TableInfo) -> _Change:
        return _Change(info, publisher, progress)

    def verify(staged: Sequence[Staged]) -> None:
        (output,) = staged
        recounted((b.frame for b in Source(output.path, None, source.read).opened().batches()), found, table)

    def inspect(table: Table) -> None:
        from piiscan.masking.run.copied_tables import no_identifier

        no_identifier(table, rule_sets.load(()))

    written = rewrite(source.path, target, source.read, change, verify=verify, overwrite=overwrite, inspect=inspect)
    if written.left_out:
        raise ReadError(f"{written.left_out[0].source}: {written.left_out[0].reason}")


def _write_alone(source: Source, target: Path, searched: Searched, overwrite: bool, progress: Progress | None) -> None:
    """Write a new file with only this table of the input."""
    table, found = searched
    assert source.path is not None
    frame = published(source, found, progress)
    try:
        with Staging(target.absolute()) as staging:
            fresh = staging.file(target.absolute().parent, target.name)
            read = new_file.write(frame, [c.name for c in found.columns], table.info, fresh)
            recounted((b.frame for b in Source(fresh, None, read).opened().batches()), found, table)
            if target.exists() and not overwrite:
                raise taken(target)
            mode = stat.S_IMODE(source.path.stat().st_mode) & 0o666
            staging.publish([(fresh, target.absolute(), mode)], overwrite)
    except OSError as error:
        reason = "no space left" if error.errno in FULL else error.strerror or type(error).__name__
        raise WriteError(f"{target} can't be written: {reason}; nothing was written") from None


def published(source: Source, found: Anonymized, progress: Progress | None = None) -> pl.DataFrame:
    """Yield the rows of a table as they are published, with columns named by their indices."""
    publisher = Publisher(found)
    parts, rows = [], 0
    table = source.opened()
    needs.demand_cells(found.solution.problem.total, len(table.info.fields), 0, "holding")
    for batch in table.batches():
        columns, kept = publisher.apply(batch.frame)
        part = batch.frame.with_columns(cells.alias(str(i)) for i, cells in columns.items())
        parts.append(part if kept is None else part.filter(kept))
        rows += len(batch.frame)
        if progress:
            progress(table.info.source, rows)
    return pl.concat(parts)


class _Change:
    """A table on its way from file to file."""

    def __init__(self, info: TableInfo, publisher: Publisher, progress: Progress | None) -> None:
        self._info, self._publisher, self._progress = info, publisher, progress
        self._rows = 0

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        texts, changed = self._publisher.texts, self._publisher.changed
        fields = (Field(f.name, "string") if i in texts else f for i, f in enumerate(self._info.fields))
        return tuple(Column(field, i, i not in changed) for i, field in enumerate(fields))

    def apply(self, batch: Batch) -> Changed:
        columns, kept = self._publisher.apply(batch.frame)
        self._rows += len(batch.frame)
        if self._progress:
            self._progress(self._info.source, self._rows)
        return Changed(
            pl.DataFrame({str(i): cells if kept is None else cells.filter(kept) for i, cells in columns.items()}), kept
        )
