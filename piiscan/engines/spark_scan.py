"""Scans of Spark data frames and of the tables of a schema: the report of one machine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Any

from piiscan.api.report import Report
from piiscan.api.scan import Scanner
from piiscan.api.verbs import verb
from piiscan.core.types import TableInfo
from piiscan.engines import scan_parts
from piiscan.engines.first_rows import LOOKED_AT, info_of, told
from piiscan.engines.key_specs import KeySpec
from piiscan.engines.scan_parts import ScanSpec, scan_spec, summarise
from piiscan.engines.spark_frames import Batches, arrow_schema, demand_frame, folded, mapped
from piiscan.engines.spark_types import readable
from piiscan.engines.workers import guarded, on_engine


@verb
def scan(df: Any, scanner: Scanner | None = None, *, source: str = "<frame>", key: KeySpec | None = None) -> Report:
    """Scan a Spark DataFrame: the report that `piiscan.scan` gives of the same rows, without the numbers of rows.

    scanner: the settings. source: what the report calls the table. key: seals the summaries on their way between
    workers; see `piiscan.distributed.scan_spec`. Two jobs: the first rows tell what texts that are JSON hold, and then
    all are scanned. Raises `UsageError`, and `ReadError` where a worker fails.
    """
    demand_frame(df)
    spec, data = summed(df, scanner, source, key)
    return scan_parts.finish(data, spec)


def summed(df: Any, scanner: Scanner | None, source: str, key: KeySpec | None) -> tuple[ScanSpec, bytes]:
    """What a scan of a frame was asked for, and the sum of its partitions."""
    frame = readable(df)
    spec = scan_spec(look(frame, scanner), scanner, source=source, key=key)
    found = folded(frame, partial(_summary, spec), partial(_folded, spec.key))
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
