"""How often each value of a column occurs in a whole table, for operators that have to know it before they mask a part.

Parts are counted on workers and folded there. The driver hands the bytes on: it can't read them where the plan has a
key. They hold cell values.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.engines import envelope
from piiscan.engines.key_specs import KeySpec, load
from piiscan.masking.apply.table_masker import TableMasker

MOST: Final = 1_000_000
"""Different values of a column: each task holds all of them."""
_KIND: Final = "value counts"

Counts = dict[str, pl.DataFrame]
"""By the column's label: each `value`, sorted, and its `count`."""


def counted(table: TableMasker, cells: pl.DataFrame) -> Counts:
    """The counts of a batch. `cells`: its columns as the masker has them."""
    picked = table.inspect_columns(cells)
    return {column.label: column.counts(picked) for column in table.whole_columns}


def packed(found: Counts, key: KeySpec | None) -> bytes:
    """Counts as bytes, sealed where there is a key."""
    each = {name: io.BytesIO() for name in found}
    for name, counts in found.items():
        counts.write_ipc(each[name], compression="zstd")
    whole = io.BytesIO()
    pl.DataFrame({"column": list(each), "counts": [data.getvalue() for data in each.values()]}).write_ipc(whole)
    return envelope.packed(_KIND, envelope.made_with(), whole.getvalue(), load(key))


def fold(parts: Iterable[bytes], key: KeySpec | None) -> bytes:
    """The counts of several parts. Raises `UsageError` where there are too many, and for parts of other versions."""
    return packed(added([_opened(part, key) for part in parts]), key)


def fit(table: TableMasker, cells: pl.DataFrame, data: bytes | None, key: KeySpec | None) -> None:
    """Show operators how often values occur in the whole table, None for one without rows.

    `cells`: some of its rows, as the masker has them.
    """
    found = {} if data is None else _opened(data, key)
    nothing = table.inspect_columns(cells.clear())
    for column in table.whole_columns:
        column.fit_counts(found.get(column.label, column.counts(nothing)))


def added(parts: Sequence[Counts]) -> Counts:
    """The counts of several parts together. Raises `UsageError` where a column has too many values."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _added(name, [part[name] for part in parts if name in part]) for name in names}


def _added(name: str, parts: list[pl.DataFrame]) -> pl.DataFrame:
    whole = parts[0] if len(parts) == 1 else pl.concat(parts, how="vertical_relaxed")
    if len(parts) > 1:
        whole = whole.group_by("value").agg(pl.col("count").cast(pl.Int64).sum()).sort("value")
    if len(whole) > MOST:
        raise UsageError(
            f"column {name} has more than {MOST:,} different values, too many to count for its operator; choose "
            "another operator, or mask this table on one machine"
        )
    return whole.select("value", pl.col("count").cast(pl.Int64))


def _opened(data: bytes, key: KeySpec | None) -> Counts:
    found = envelope.opened(data, _KIND, load(key))
    envelope.check_alike(found.made, envelope.made_with())
    whole = pl.read_ipc(io.BytesIO(found.content))
    return {
        name: pl.read_ipc(io.BytesIO(counts)) for name, counts in zip(whole["column"], whole["counts"], strict=True)
    }
