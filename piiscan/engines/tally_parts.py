"""The exact sums that private releases are made of, in parts.

Each unit's rows are in one part, and so many of them count.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.types import TableInfo
from piiscan.dp.domains import Domain
from piiscan.dp.queries import Measure
from piiscan.dp.run import passes
from piiscan.dp.tally import KEY, Tally
from piiscan.engines import envelope
from piiscan.engines.rebatch import rebatched
from piiscan.engines.scan_parts import part_table
from piiscan.io.table_source import column_index, column_names

KIND: Final = "tally"


@dataclass(frozen=True)
class TallyRequest:
    """What is summed.

    `measures` over columns of these `domains`, of the rows of each `unit` at most `max_rows`. info: the columns.
    """

    info: TableInfo
    measures: tuple[Measure, ...]
    domains: tuple[tuple[str, Domain], ...]
    unit: str
    max_rows: int


@verb
def tally(batches: Iterable[Any], request: TallyRequest) -> bytes:
    """The exact sums of a part, which has all rows of each of its units: pyarrow record batches.

    It is held in memory. Nothing of it is private: it holds counts without noise.

    Guarantee:
        Assumes: no other part has rows of this one's units.
        Ensures: a unit adds `max_rows` rows at most; which of them depends on no other unit's rows. A part that is
            summed again, as its worker was lost, may count others of them.
        Does not protect against: who reads it.
    """
    domains, names = dict(request.domains), [name for name, _ in request.domains]
    held = list(rebatched(batches))
    kept = passes.kept_rows(
        _frames(held, request.info, [*names, request.unit]), request.unit, domains, request.max_rows, None
    )
    found = passes.tally(_frames(held, request.info, names), request.measures, domains, kept, None)
    return packed(found, request.measures)


def fold_tallies(parts: Iterable[bytes], measures: Sequence[Measure]) -> bytes:
    """The sum of some parts. Raises `UsageError` where there are none."""
    return packed(total(parts, measures), measures)


def total(parts: Iterable[bytes], measures: Sequence[Measure]) -> Tally:
    """The sum of some parts, as the driver takes it."""
    found: list[Tally] = []
    for data in parts:
        opened = envelope.opened(data, KIND)
        envelope.check_alike(envelope.made_with(), opened.made)
        found = [Tally.total([*found, _unpacked(opened.content, measures)])]
    if not found:
        raise UsageError("there are no parts to add up")
    return found[0]


def packed(tally: Tally, measures: Sequence[Measure]) -> bytes:
    plain = {
        "counts": [tally.counts[m].tolist() if m in tally.counts else None for m in measures],
        "keys": {name: frame.sort(KEY).to_dict(as_series=False) for name, frame in tally.keys.items()},
    }
    return envelope.packed(KIND, envelope.made_with(), zlib.compress(json.dumps(plain).encode()))


def _unpacked(content: bytes, measures: Sequence[Measure]) -> Tally:
    try:
        plain = json.loads(zlib.decompress(content))
        counts = {
            measure: np.array(each, dtype=np.int64)
            for measure, each in zip(measures, plain["counts"], strict=True)
            if each is not None
        }
    except (KeyError, TypeError, ValueError, zlib.error):
        raise UsageError("the part of a distributed result is damaged") from None
    return Tally(counts, {name: _frame(columns) for name, columns in plain["keys"].items()})


def _frame(columns: Mapping[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema={name: pl.String if name == KEY else pl.Int64 for name in columns})


def _frames(held: Sequence[Any], info: TableInfo, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    known = column_names(info.fields)
    indices = {str(column_index(known, name, info.fields)): name for name in dict.fromkeys(names)}
    for table in held:
        for batch in part_table(table, info).batches():
            yield batch.frame.select(list(indices)).rename(indices)
