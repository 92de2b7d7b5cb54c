"""Scans and masks of Dask data frames."""

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
from piiscan.engines.scan_parts import ScanSpec, scan_spec, summarise
from piiscan.engines.workers import guarded, on_engine

_FOLDED = 16
"""Parts that one task folds."""
_HEADS = 8
"""Partitions that the first rows are looked for in."""


@verb
def scan(ddf: Any, scanner: Scanner | None = None, *, source: str = "<frame>", key: KeySpec | None = None) -> Report:
    """Scan a Dask DataFrame: the report that `piiscan.scan` gives of the same rows, without the numbers of rows.

    An index with a name is scanned as the first column. The parameters are those of `piiscan.spark.scan`. Raises
    `UsageError`, and `ReadError` where a worker fails.
    """
    schema = _schema(ddf)
    delayed = import_module("dask").delayed(pure=False)
    parts = ddf.to_delayed()
    heads = [delayed(_head)(schema, part) for part in parts[:_HEADS]]
    whole = len(parts) <= _HEADS
    info: TableInfo | None = info_of([on_engine(delayed(_told)(heads, whole).compute)])
    assert info is not None
    spec = scan_spec(info, scanner, source=source, key=key)
    sums = [delayed(_summary)(spec, schema, n, part) for n, part in enumerate(parts)]
    while len(sums) > 1:
        sums = [delayed(_folded)(key, sums[i : i + _FOLDED]) for i in range(0, len(sums), _FOLDED)]
    return scan_parts.finish(on_engine(sums[0].compute), spec, parts=len(parts))


@verb
def mask(
    ddf: Any,
    plan: Plan | str | os.PathLike[str],
    key: KeySpec | None = None,
    *,
    table: str | None = None,
    texts: Texts = "refuse",
) -> Any:
    """A Dask DataFrame masked by a plan, when it is used.

    Its columns are of pandas' Arrow types, and its index counts the rows of each partition: one with a name becomes the
    first column. The parameters are those of `piiscan.spark.mask`. Raises `UsageError`.
    """
    schema = _schema(ddf)
    spec = mask_spec(schema, plan, key, table=table, texts=texts)
    meta = _in_pandas(spec.schema.empty_table())
    return ddf.map_partitions(partial(_masked, spec, schema), meta=meta)


def _schema(ddf: Any) -> Any:
    """The pyarrow schema of a frame.

    Raises `UsageError` for anything else, and for columns of objects, whose type nobody knows.
    """
    if not type(ddf).__module__.startswith("dask.dataframe") or not hasattr(ddf, "to_delayed"):
        raise UsageError(f"ddf is a Dask DataFrame, not an object of type {type(ddf).__name__}")
    schema = import_module("pyarrow").Schema.from_pandas(_flat(ddf._meta), preserve_index=False)
    if unknown := [field.name for field in schema if str(field.type) == "null"]:
        raise UsageError(
            f"column {unknown[0]} holds objects of no known type; convert it to string[pyarrow], or another"
        )
    return schema.remove_metadata()


def _flat(part: Any) -> Any:
    return part.reset_index() if part.index.name is not None else part


def _table(schema: Any, part: Any) -> Any:
    return import_module("pyarrow").Table.from_pandas(_flat(part), schema, preserve_index=False)


def _in_pandas(table: Any) -> Any:
    return table.to_pandas(types_mapper=import_module("pandas").ArrowDtype)


def _head(schema: Any, part: Any) -> Any:
    with guarded():
        return _table(schema, part.head(LOOKED_AT + 1))


def _told(heads: list[Any], whole: bool) -> str:
    with guarded():
        table = import_module("pyarrow").concat_tables(heads).slice(0, LOOKED_AT + 1)
        return told(table, whole)


def _summary(spec: ScanSpec, schema: Any, number: int, part: Any) -> bytes:
    with guarded():
        return summarise([_table(schema, part)], spec, number)


def _folded(key: KeySpec | None, parts: list[bytes]) -> bytes:
    with guarded():
        return scan_parts.fold(parts, key)


def _masked(spec: MaskSpec, schema: Any, part: Any) -> Any:
    with guarded():
        made = import_module("pyarrow").Table.from_batches(apply([_table(schema, part)], spec), spec.schema)
        return _in_pandas(made)
