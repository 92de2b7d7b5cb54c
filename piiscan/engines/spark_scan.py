"""Scans of Spark data frames and of the tables of a schema: the report of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from piiscan.api.report import Report
from piiscan.api.scan import Scanner
from piiscan.api.verbs import verb
from piiscan.core.errors import PiiscanError, ReadError, UsageError
from piiscan.core.types import NotScanned, TableInfo, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.engines import scan_parts
from piiscan.engines.first_rows import LOOKED_AT, info_of, told
from piiscan.engines.key_specs import KeySpec
from piiscan.engines.known_tables import KnownTables
from piiscan.engines.scan_parts import ScanSpec, scan_spec, summarise
from piiscan.engines.spark_frames import Batches, arrow_schema, demand_frame, folded, mapped
from piiscan.engines.spark_places import with_places
from piiscan.engines.spark_types import readable
from piiscan.engines.spark_versions import version_of
from piiscan.engines.workers import guarded, on_engine


@verb
def scan(df: Any, scanner: Scanner | None = None, *, source: str = "<frame>", key: KeySpec | None = None) -> Report:
    """Scan a Spark DataFrame: the report that `piiscan.scan` gives of the same rows, with places for numbers of rows.

    scanner: the settings. source: what the report calls the table. key: seals the summaries on their way between
    workers; see `piiscan.distributed.scan_spec`. Two jobs: the first rows tell what texts that are JSON hold, and then
    all are scanned. Raises `UsageError`, and `ReadError` where a worker fails.
    """
    demand_frame(df)
    spec, data = summed(df, scanner, source, key)
    return scan_parts.finish(data, spec)


@verb
def scan_tables(
    spark: Any,
    schema: str,
    scanner: Scanner | None = None,
    *,
    key: KeySpec | None = None,
    progress: Callable[[str, int], None] | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> Report:
    """Scan all tables of a schema of Spark's catalogue ("schema" or "catalog.schema"), in the order of their names.

    One report, in which they are called "catalog.schema.table". Each is judged by itself. A table that can't be read is
    *not scanned*.

    progress: called with the name of each table that is done, and how many of its rows were scanned. resume: a file on
    the driver that remembers the verdicts on each table and its version. A table that has the same version (Delta
    Lake, Iceberg) isn't read again, with the same settings, rules and model; those that have none are. It holds no
    cells. The other parameters are those of `scan`. Raises `UsageError` where there is no such schema, or no
    table in it.
    """
    if not hasattr(spark, "catalog") or not hasattr(spark, "table"):
        raise UsageError(f"spark is a Spark session, not an object of type {type(spark).__name__}")
    made = Scanner() if scanner is None else scanner
    try:
        found = sorted(t.name for t in spark.catalog.listTables(schema) if not t.isTemporary)
    except Exception as error:
        raise UsageError(f"the schema {schema} can't be listed ({type(error).__name__}); see SHOW SCHEMAS") from None
    if not found:
        raise UsageError(f"the schema {schema} has no tables")
    known = KnownTables(resume, made)
    tables: list[TableReport] = []
    missed: list[NotScanned] = []
    for name in (f"{schema}.{table}" for table in found):
        # Before the table is read: what comes in between is read, and read again next time.
        version = version_of(spark, _quoted(name)) if known.wanted else None
        table = known.find(name, version)
        if table is None:
            try:
                report = scan(spark.table(_quoted(name)), made, source=name, key=key).scan_report
                table = report.tables[0]
                missed += report.not_scanned
            except PiiscanError as error:
                missed.append(NotScanned(name, str(error)))
            except Exception as error:  # engines quote values in their messages
                missed.append(NotScanned(name, f"Spark can't read it ({type(error).__name__})"))
            # What was missed is told in the next report too.
            known.keep(name, version, table if not missed or missed[-1].source != name else None)
        if table is not None:
            tables.append(table)
            if progress is not None:
                progress(name, table.rows)
    if not tables:
        raise ReadError(f"none of the {len(missed)} tables of {schema} can be read: {missed[0].reason}")
    empty = made.finish(TableSummary.empty(0), TableInfo(schema, None, "frame", False, ()))
    return replace(empty, scan_report=replace(empty.scan_report, tables=tuple(tables), not_scanned=tuple(missed)))


def _quoted(name: str) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in name.split("."))


def summed(df: Any, scanner: Scanner | None, source: str, key: KeySpec | None) -> tuple[ScanSpec, bytes]:
    """What a scan of a frame was asked for, and the sum of its partitions."""
    frame = readable(df)
    info = look(frame, scanner)
    placed, files = with_places(frame)
    spec = scan_spec(info, scanner, source=source, key=key, files=files)
    found = folded(placed, partial(_summary, spec), partial(_folded, spec.key))
    return spec, scan_parts.fold(found, spec.key) if found else scan_parts.empty(spec)


def look(frame: Any, scanner: Scanner | None) -> TableInfo:
    """What the columns of a frame are, by its types and, of its texts, its first rows, which stay on the worker."""
    made = Scanner() if scanner is None else scanner
    schema = arrow_schema(frame)
    info = made.look(schema.empty_table(), whole=True)
    if not any(field.dtype == "string" and field.parent is None for field in info.fields):
        return info

    def first_rows(batches: Batches) -> Batches:
        pyarrow = import_module("pyarrow")

        with guarded():
            found = list(batches)
            text = told(pyarrow.Table.from_batches(found)) if found else None
        if text is not None:
            yield pyarrow.RecordBatch.from_pydict({"info": [text]})

    first = mapped(frame.limit(LOOKED_AT + 1).repartition(1), first_rows, "info string")
    return info_of([row["info"] for row in on_engine(first.collect)]) or info


def _summary(spec: ScanSpec, batches: Batches) -> bytes:
    from piiscan.engines.spark_frames import part_number

    return summarise(batches, spec, part_number())


def _folded(key: KeySpec | None, parts: Iterable[bytes]) -> bytes:
    return scan_parts.fold(parts, key)
