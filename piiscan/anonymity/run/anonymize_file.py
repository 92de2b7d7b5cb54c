"""A file anonymised: read twice, written once, counted again, and only then given its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import polars as pl

from piiscan.anonymity.best_publication import anonymized
from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.publish import Publisher
from piiscan.anonymity.recoding_plan import RecodingPlan, demand
from piiscan.anonymity.request import AnonymizeRequest, PopulationSource
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.run.count_table import count_population, counted, one_table
from piiscan.anonymity.run.recount import recounted
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.keys import Key
from piiscan.core.types import Batch, Field, Found, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column, Staged
from piiscan.io.write.rewrite import rewrite
from piiscan.rules import rule_sets
from piiscan.rules.definitions import RuleSet
from piiscan.scanning.engine import Progress, ScanOptions


class Searched(NamedTuple):
    """A file's table, counted, and what was found for it."""

    table: CountedTable
    found: Anonymized


def search_file(
    source: Path,
    request: AnonymizeRequest,
    rules: RuleSet,
    read: ReadOptions,
    scan: ScanOptions,
    progress: Progress | None = None,
) -> Searched:
    """Search for the best publication of `source`, a file with one table. Raises `UsageError` where the models can't
    be met, and `ReadError`."""
    return _searched(source, request, rules, read, scan, None, None, progress)


def apply_plan(
    source: Path,
    plan: RecodingPlan,
    key: Key,
    rules: RuleSet,
    read: ReadOptions,
    scan: ScanOptions,
    progress: Progress | None = None,
) -> Searched:
    """What a plan says of its table. Raises `UsageError` where `source` holds another table than the one the plan
    was made of, or a part of it."""
    return _searched(source, plan.request, rules, read, scan, plan, key, progress)


def _searched(
    source: Path,
    request: AnonymizeRequest,
    rules: RuleSet,
    read: ReadOptions,
    scan: ScanOptions,
    plan: RecodingPlan | None,
    key: Key | None,
    progress: Progress | None,
) -> Searched:
    if source.is_dir():
        raise UsageError(f"{source} is a folder; one table at a time can be anonymised")
    table = counted(partial(_tables, source, read), request, rules, scan, progress)
    if plan is not None and key is not None:
        demand(plan, table.histogram, key, source)
    population = count_population(table, _population(request.population, read), rules)
    return Searched(table, anonymized(table, request, population, plan))


def write_file(
    source: Path,
    target: Path,
    searched: Searched,
    read: ReadOptions,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write `source` as `target`, in the same format, as was found. The output is read and counted again before it gets
    its name.

    Raises `ReadError`, also where the table has changed since, `WriteError`, and `VerifyError` where the count doesn't
    confirm the models; then nothing is written.
    """
    table, found = searched
    publisher = Publisher(found)

    def change(info: TableInfo) -> _Change:
        return _Change(info, publisher, progress)

    def verify(staged: Sequence[Staged]) -> None:
        (output,) = staged
        recounted((b.frame for b in one_table(_tables(output.path, read)).batches()), found, table)

    def inspect(table: Table) -> None:
        from piiscan.masking.run.verify import no_identifier

        no_identifier(table, rule_sets.load(()))

    written = rewrite(source, target, read, change, verify=verify, overwrite=overwrite, inspect=inspect)
    if written.left_out:
        raise ReadError(f"{written.left_out[0].source}: {written.left_out[0].reason}")


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


def _population(source: PopulationSource | None, read: ReadOptions) -> Callable[[], Table] | None:
    """What gives the population's table."""
    return (lambda: one_table(_tables(source, read))) if isinstance(source, Path) else source


def _tables(path: Path, read: ReadOptions) -> Iterator[Found]:
    return inputs.discover([str(path)], read._replace(rows=None, asides=False))
