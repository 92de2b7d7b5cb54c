"""The exact sums of groups of rows, in parts, for aggregates."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence

from piiscan.aggregates.group_sums import Exact, Sums
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.engines import envelope
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table
from piiscan.io.table_source import column_index, column_names

KIND = "sums"
MOST_GROUPS = 100_000


def summed(batches: Iterable[object], info: TableInfo, by: Sequence[str], columns: Sequence[str]) -> bytes:
    """The sums of a part: pyarrow record batches.

    Raises `UsageError` for cells that are no numbers, and for too many groups.
    """
    known = column_names(info.fields)
    indices = {str(column_index(known, name, info.fields)): name for name in (*by, *columns)}
    total = Sums.empty(len(by), False)
    for table in rebatched(batches):
        for batch in part_table(table, info).batches():
            total = total + Sums.of(batch.frame.select(list(indices)).rename(indices), by, columns)
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
    plain["incomplete"] = sums.incomplete
    return envelope.packed(KIND, envelope.made_with(), zlib.compress(json.dumps(plain).encode()))


def _unpacked(content: bytes) -> Sums:
    try:
        plain = json.loads(zlib.decompress(content))
        groups = {
            tuple(key): Exact(rows, tuple(sums), tuple(sizes), tuple(products), tuple(map(tuple, largest)))
            for key, rows, sums, sizes, products, largest in plain["groups"]
        }
        return Sums(groups, None, plain["rows"], plain["incomplete"])
    except (KeyError, TypeError, ValueError, zlib.error):
        raise UsageError("the part of a distributed result is damaged") from None


def _demand(sums: Sums) -> None:
    if len(sums.groups) > MOST_GROUPS:
        raise UsageError(f"more than {MOST_GROUPS:,} groups; group by columns of fewer values")
