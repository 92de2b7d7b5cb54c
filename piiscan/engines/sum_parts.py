"""The exact sums of groups of rows, in parts, for aggregates."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from piiscan.aggregates.group_sums import Exact, Sums
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.engines import envelope
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table
from piiscan.io.table_source import column_index, column_names

KIND = "sums"
MOST_GROUPS = 100_000
MOST_SUMS = 5_000_000
"""Sums of single units, of a column in a group, that the driver takes."""


def summed(
    batches: Iterable[object], info: TableInfo, by: Sequence[str], columns: Sequence[str], unit: str | None = None
) -> bytes:
    """The sums of a part: pyarrow record batches.

    Raises `UsageError` for cells that are no numbers, and for too many groups.
    """
    known = column_names(info.fields)
    indices = {
        str(column_index(known, name, info.fields)): name for name in (*by, *columns, *([] if unit is None else [unit]))
    }
    total = Sums.empty(len(by), unit is not None)
    for table in rebatched(batches):
        for batch in part_table(table, info).batches():
            total = total + Sums.of(batch.frame.select(list(indices)).rename(indices), by, columns, unit)
            _demand(total)
    return packed(total)


def folded(parts: Iterable[bytes]) -> bytes:
    return packed(total_of(parts))


def total_of(parts: Iterable[bytes]) -> Sums:
    """The sum of some parts. Raises `UsageError` where there are none, or too many groups."""
    found: list[Sums] = []
    for data in parts:
        opened = envelope.opened(data, KIND)
        envelope.check_alike(envelope.made_with(), opened.made)
        found = [Sums.total([*found, _unpacked(opened.content)])]
        _demand(found[0])
    if not found:
        raise UsageError("there are no parts to add up")
    return found[0]


def packed(sums: Sums) -> bytes:
    plain = {"groups": [[key, *exact] for key, exact in sorted(sums.groups.items())], "rows": sums.rows}
    plain |= {"incomplete": sums.incomplete, "nobodys": sums.nobodys, "units": _plain(sums.units)}
    return envelope.packed(KIND, envelope.made_with(), zlib.compress(json.dumps(plain).encode()))


def _unpacked(content: bytes) -> Sums:
    try:
        plain = json.loads(zlib.decompress(content))
        groups = {
            tuple(key): Exact(rows, tuple(sums), tuple(sizes), tuple(products), tuple(map(tuple, largest)))
            for key, rows, sums, sizes, products, largest in plain["groups"]
        }
        units = None if plain["units"] is None else _frame(plain["units"])
        return Sums(groups, units, plain["rows"], plain["incomplete"], plain["nobodys"])
    except (KeyError, TypeError, ValueError, zlib.error, pl.exceptions.PolarsError):
        raise UsageError("the part of a distributed result is damaged") from None


def _plain(units: pl.DataFrame | None) -> dict[str, list[object]] | None:
    """What each unit adds, as texts, in an order of its own: sums have 128 bits."""
    if units is None:
        return None
    texts = units.with_columns(pl.col("size").cast(pl.String))
    return texts.sort(texts.columns).to_dict(as_series=False)


def _frame(plain: Mapping[str, Sequence[object]]) -> pl.DataFrame:
    whole = ("column", "bucket")
    frame = pl.DataFrame(plain, schema={name: pl.Int64 if name in whole else pl.String for name in plain})
    return frame.with_columns(pl.col("size").cast(pl.Int128))


def _demand(sums: Sums) -> None:
    if sums.units is not None and len(sums.units) > MOST_SUMS:
        raise UsageError(
            f"units have more than {MOST_SUMS:,} sums in groups, more than the driver takes; group by columns of fewer "
            "values, or name fewer columns"
        )
    if len(sums.groups) > MOST_GROUPS:
        raise UsageError(f"more than {MOST_GROUPS:,} groups; group by columns of fewer values")
