"""The summary of a table as bytes: counts as JSON, samples as Arrow; the same bytes for the same summary."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.hit_counts import Hits, RuleHits
from piiscan.detection.summary.sample import RowSample, Sample
from piiscan.detection.summary.table_summary import TableSummary

_HEAD: Final = struct.Struct(">I")
_ROWS: Final = -1
"""In the place of a column's number: an entry of the sample of rows."""
_SCHEMA: Final[dict[str, Any]] = {"column": pl.Int32, "hash": pl.UInt64, "count": pl.Int64, "cells": pl.List(pl.String)}


class Numbered(NamedTuple):
    """A summary, and the numbers of the parts that are in it; None where they have none."""

    summary: TableSummary
    parts: tuple[int, ...] | None


def to_bytes(numbered: Numbered) -> bytes:
    summary = numbered.summary
    counts = {
        "rows": summary.rows,
        "parts": numbered.parts,
        "made_with": summary.made_with,
        "row_sample": [summary.row_sample.k, summary.row_sample.full],
        "columns": [_counts(column) for column in summary.columns],
    }
    head = zlib.compress(json.dumps(counts, separators=(",", ":")).encode())
    entries: list[tuple[int, int, int, list[Any]]] = []
    for i, column in enumerate(summary.columns):
        entries += [(i, h, n, [text]) for h, (text, n) in sorted(column.sample.entries.items())]
    entries += [(_ROWS, h, n, list(row)) for h, (row, n) in sorted(summary.row_sample.entries.items())]
    out = io.BytesIO()
    pl.DataFrame(entries, schema=_SCHEMA, orient="row").rechunk().write_ipc(out, compression="zstd")
    return _HEAD.pack(len(head)) + head + out.getvalue()


def of_bytes(data: bytes) -> Numbered:
    """Raises `UsageError` for bytes that `to_bytes` didn't make."""
    try:
        return _read(data)
    except (ArithmeticError, LookupError, TypeError, ValueError, struct.error, zlib.error, pl.exceptions.PolarsError):
        raise UsageError("the part of a distributed scan is damaged") from None


def _read(data: bytes) -> Numbered:
    (size,) = _HEAD.unpack_from(data)
    counts = json.loads(zlib.decompress(data[_HEAD.size : _HEAD.size + size]))
    entries = pl.read_ipc(io.BytesIO(data[_HEAD.size + size :]))
    if dict(entries.schema) != _SCHEMA:
        raise ValueError
    values: list[dict[int, tuple[str, int]]] = [{} for _ in counts["columns"]]
    rows: dict[int, tuple[tuple[str | None, ...], int]] = {}
    for column, h, n, cells in entries.iter_rows():
        if column == _ROWS:
            rows[h] = (tuple(cells), n)
        else:
            values[column][h] = (cells[0], n)
    columns = tuple(_column(c, v) for c, v in zip(counts["columns"], values, strict=True))
    k, full = counts["row_sample"]
    parts = None if counts["parts"] is None else tuple(counts["parts"])
    made_with = tuple((name, value) for name, value in counts["made_with"])
    return Numbered(TableSummary(counts["rows"], columns, RowSample(rows, k, full), made_with), parts)


def _counts(column: ColumnSummary) -> list[Any]:
    return [
        column.cells,
        column.nulls,
        _hits(column.hits),
        _hits(column.together),
        column.over_budget,
        column.unreserved,
        column.others,
        column.files,
        column.sample.k,
        column.sample.full,
    ]


def _hits(counted: Mapping[str, RuleHits]) -> dict[str, Any]:
    return {name: [_of_hits(found.whole), _of_hits(found.within)] for name, found in sorted(counted.items())}


def _of_hits(hits: Hits) -> list[Any]:
    return [hits.candidates, hits.cells, hits.first_rows, hits.unreserved, hits.others, hits.other_rows]


def _column(counts: list[Any], values: Mapping[int, tuple[str, int]]) -> ColumnSummary:
    cells, nulls, hits, together, over_budget, unreserved, others, files, k, full = counts
    return ColumnSummary(
        cells,
        nulls,
        _rule_hits(hits),
        Sample(values, k, full),
        tuple(over_budget),
        _rule_hits(together),
        tuple(unreserved),
        tuple(others),
        dict(files),
    )


def _rule_hits(counted: Mapping[str, Any]) -> dict[str, RuleHits]:
    return {name: RuleHits(_hits_of(whole), _hits_of(within)) for name, (whole, within) in counted.items()}


def _hits_of(counts: list[Any]) -> Hits:
    candidates, cells, first_rows, unreserved, others, other_rows = counts
    return Hits(candidates, cells, tuple(first_rows), unreserved, others, tuple(other_rows))
