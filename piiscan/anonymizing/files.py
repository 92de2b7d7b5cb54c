"""A file anonymised: read twice, written once, counted again, and only then given its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

import polars as pl

from piiscan import io
from piiscan.anonymity.recoding import Recoding
from piiscan.anonymizing.recount import recounted
from piiscan.anonymizing.request import Request
from piiscan.anonymizing.result import Anonymized
from piiscan.anonymizing.search import anonymized
from piiscan.anonymizing.tables import Counted, counted, of_columns, one_table
from piiscan.engine import Progress, ScanOptions
from piiscan.errors import ReadError, UsageError
from piiscan.io import ReadOptions
from piiscan.io.write import Changed, Column, Staged, rewrite
from piiscan.rules import RuleSet
from piiscan.types import Batch, Field, NotScanned, Skipped, Table, TableInfo


def anonymize_file(
    source: Path,
    target: Path,
    request: Request,
    rules: RuleSet,
    read: ReadOptions,
    scan: ScanOptions,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Anonymized:
    """Write `source`, a file with one table, as `target`, in the same format, so that it meets the models.

    The output is read and counted again before it gets its name. Raises `UsageError` where the models can't be met, `ReadError`, `WriteError`,
    and `VerifyError` where the count doesn't confirm them; then nothing is written.
    """
    if source.is_dir():
        raise UsageError(f"{source} is a folder; one table at a time can be anonymised")
    table = counted(partial(_tables, source, read), request, rules, scan, progress)
    names = [c.name for c in table.columns if c.role == "quasi"]
    population = None if request.population is None else of_columns(one_table(_tables(request.population, read)), names, rules)
    found = anonymized(table, request, population)
    recoding = found.solution.recoding(table.places("quasi"))

    def change(info: TableInfo) -> _Change:
        return _Change(info, table, found, recoding, progress)

    def verify(staged: Sequence[Staged]) -> None:
        (output,) = staged
        recounted(one_table(_tables(output.path, read)), found, table)

    written = rewrite(source, target, read, change, verify=verify, overwrite=overwrite)
    if written.left_out:
        raise ReadError(f"{written.left_out[0].source}: {written.left_out[0].reason}")
    return found


class _Change:
    """A table on its way: quasi-identifiers get their labels, suppressed rows lose every cell."""

    def __init__(self, info: TableInfo, table: Counted, found: Anonymized, recoding: Recoding, progress: Progress | None) -> None:
        self._info, self._table, self._recoding, self._progress = info, table, recoding, progress
        self._blanks = found.solution.suppressed > 0 and not found.request.drop_suppressed
        self._drops = found.solution.suppressed > 0 and found.request.drop_suppressed
        generalised = found.solution.generalised
        self._changed = {c.index for c, is_so in zip(found.quasi, generalised, strict=True) if is_so}
        self._rows = 0

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(Field(f.name, "string") if i in self._changed else f, i, not (self._blanks or i in self._changed))
            for i, f in enumerate(self._info.fields)
        )

    def apply(self, batch: Batch) -> Changed:
        recoded = self._recoding.apply(batch.frame)
        out = {}
        for column in self.columns:
            if not column.same:
                cells = recoded.labels[column.origin] if column.origin in self._changed else batch.frame[str(column.origin)]
                cells = cells.set(~recoded.kept, None) if self._blanks else cells
                out[str(column.origin)] = cells.filter(recoded.kept) if self._drops else cells
        self._rows += len(batch.frame)
        if self._progress:
            self._progress(self._info.source, self._rows)
        return Changed(pl.DataFrame(out), recoded.kept if self._drops else None)


def _tables(path: Path, read: ReadOptions) -> Iterator[Table | NotScanned | Skipped]:
    return io.discover([str(path)], read._replace(rows=None))
