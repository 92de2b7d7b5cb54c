"""Batches of an engine put together: a scan takes three times as long where they are small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Final

ROWS: Final = 1 << 17
"""Rows of a batch, about."""
BYTES: Final = 64 << 20
"""And its bytes at most, but for a single batch of the engine that is larger."""


def rebatched(batches: Iterable[Any], rows: int = ROWS) -> Iterator[Any]:
    """Pyarrow record batches of one schema, or Tables, as Tables of about so many rows; none that are empty."""
    pyarrow = import_module("pyarrow")
    waiting: list[Any] = []
    held = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        if waiting and (held + batch.num_rows > rows or size + batch.nbytes > BYTES):
            yield _together(pyarrow, waiting)
            waiting, held, size = [], 0, 0
        waiting.append(batch)
        held += batch.num_rows
        size += batch.nbytes
    if waiting:
        yield _together(pyarrow, waiting)


def _together(pyarrow: Any, waiting: list[Any]) -> Any:
    tables = [b if isinstance(b, pyarrow.Table) else pyarrow.Table.from_batches([b]) for b in waiting]
    return tables[0] if len(tables) == 1 else pyarrow.concat_tables(tables).combine_chunks()
