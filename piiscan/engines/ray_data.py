"""Scans and masks of Ray data sets."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import Any

from piiscan.api.plan import Plan
from piiscan.api.report import Report
from piiscan.api.scan import Scanner
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.engines import scan_parts
from piiscan.engines.first_rows import LOOKED_AT, info_of, told
from piiscan.engines.key_specs import KeySpec
from piiscan.engines.mask_parts import MaskSpec, Texts, apply, mask_spec
from piiscan.engines.rebatch import ROWS
from piiscan.engines.scan_parts import ScanSpec, scan_spec, summarise
from piiscan.engines.workers import guarded, on_engine

_FOLDED = 16
"""Parts that one task folds."""


@verb
def scan(ds: Any, scanner: Scanner | None = None, *, source: str = "<frame>", key: KeySpec | None = None) -> Report:
    """Scan a Ray `Dataset`: the report that `piiscan.scan` gives of the same rows, without the numbers of rows.

    The parameters are those of `piiscan.spark.scan`. Raises `UsageError`, and `ReadError` where a worker fails.
    """
    schema = _schema(ds)
    looked = ds.limit(LOOKED_AT + 1).map_batches(_told, batch_format="pyarrow", batch_size=LOOKED_AT + 1)
    found = on_engine(looked.take_all)
    info: TableInfo = info_of([row["info"] for row in found]) or Scanner().look(schema.empty_table(), whole=True)
    spec = scan_spec(info, scanner, source=source, key=key)
    parts = ds.map_batches(partial(_summary, spec), batch_format="pyarrow", batch_size=ROWS)
    parts, left = on_engine(parts.materialize), None
    while (there := parts.count()) > 1 and there != left:  # the workers fold, sixteen at a time, until one is left
        left = there
        parts = on_engine(
            parts.map_batches(partial(_folded, key), batch_format="pyarrow", batch_size=_FOLDED).materialize
        )
    data = [bytes(row["part"]) for row in on_engine(parts.take_all)]
    return scan_parts.finish(scan_parts.fold(data, key) if data else scan_parts.empty(spec), spec)


@verb
def mask(
    ds: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None = None,
    *,
    table: str | None = None,
    texts: Texts = "refuse",
) -> Any:
    """A Ray `Dataset` masked by a plan, when it is used.

    The parameters are those of `piiscan.spark.mask`. Raises `UsageError`.
    """
    spec = mask_spec(_schema(ds), plan, key, table=table, texts=texts)
    return ds.map_batches(partial(_masked, spec), batch_format="pyarrow", batch_size=ROWS)


def _schema(ds: Any) -> Any:
    """The pyarrow schema of a data set. Raises `UsageError` for anything else."""
    if not type(ds).__module__.startswith("ray.data"):
        raise UsageError(f"ds is a Ray Dataset, not an object of type {type(ds).__name__}")
    found = getattr(ds.schema(), "base_schema", None)
    if not hasattr(found, "empty_table"):
        raise UsageError("the data set has no Arrow schema; make it of Parquet, Arrow or pandas")
    return found


def _told(batch: Any) -> Any:
    with guarded():
        return {"info": [told(batch)]}


def _summary(spec: ScanSpec, batch: Any) -> Any:
    with guarded():
        return _parts([summarise([batch], spec)])


def _folded(key: KeySpec | None, parts: Any) -> Any:
    with guarded():
        data = [part.as_py() for part in parts["part"]]
        return _parts([scan_parts.fold(data, key)] if data else [])


def _parts(parts: list[bytes]) -> Any:
    pyarrow = import_module("pyarrow")
    return pyarrow.table({"part": pyarrow.array(parts, pyarrow.binary())})


def _masked(spec: MaskSpec, batch: Any) -> Any:
    with guarded():
        return import_module("pyarrow").Table.from_batches(apply([batch], spec), spec.schema)
