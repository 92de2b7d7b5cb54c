"""The rows that count, of every table, as codes of its model: at most so many of each unit, which is a row of the root.

Everything here is exact and stays in memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.dp import domains as d
from piiscan.dp.run import passes
from piiscan.dp.tally import codes
from piiscan.synthesis.linked import columns as c
from piiscan.synthesis.linked.schema import LinkedSchema, LinkedTable

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from piiscan.dp.domains import Categories, Ints, Number

Read = Callable[[Sequence[str]], "Iterator[pl.DataFrame]"]
"""Reads these columns of a table, from the first row each time."""
Progress = Callable[[str, int], None]
"""Called with what is read and the rows read so far."""
_UNIT: Final = "unit"
_PARENT: Final = "parent"
_REFERENCE: Final = "reference"
_KEY: Final = "key"
_PLACE: Final = "place"
_NUMBER: Final = "number"
_COLUMN: Final = "column {}"


WHOLE: Final = 1 << 20
"""The weight of a unit in each table of children, divided evenly among its rows."""


class Contribution(NamedTuple):
    """The rows of a table that count: the code of each in each column of its model, and its weight.

    The weights of a unit's rows add up to `WHOLE` at most; in the root, which has one row of each, to 1.
    """

    codes: Mapping[str, Ints]
    weights: Ints


def contributions(
    read: Mapping[str, Read], schema: LinkedSchema, progress: Progress | None = None
) -> dict[str, Contribution]:
    """Return the rows of each table that count.

    Guarantee:
        Assumes: a unit is a value of the root's key, with the rows that refer to it, and those that refer to these.
        Hashes of 128 bits, under a key of this run that was unknown when keys were given, don't collide.
        Ensures: which rows of a unit count, and their codes, depend on that unit's rows alone, not on other rows, their
        order, or where batches are cut. At most one row of the root counts for each unit, and at most
        `max_rows_of_unit` rows of each other table; their weights add up to `WHOLE` at most, and that of
        the root's row is 1. Rows without a key or reference that is found above don't count.
        Does not protect against: a row that belongs to several units, since the key that it refers to isn't unique;
        it counts for each of them. A person who has several keys is several units.
        Test: test_linked.py::test_what_a_unit_contributes_depends_on_its_rows_alone
    """
    import numpy as np
    import polars as pl

    kept: dict[str, pl.DataFrame] = {}
    for table in schema.tables:
        kept[table.name] = _kept(read[table.name], table, kept, progress)
    found: dict[str, Contribution] = {}
    for table in schema.tables:
        frame = kept[table.name]
        made = {c.own(table, name): frame[_COLUMN.format(i)].to_numpy() for i, (name, _) in enumerate(table.columns)}
        for child in schema.children(table.name):
            made |= _of_children(child, kept[child.name], len(frame))
        if table.parent is not None:
            made |= _among_siblings(table, frame)
            parents, above = frame[_PARENT].to_numpy(), found[table.parent]
            for column in c.steps(schema, table)[0]:
                if column.given and column.name not in made:
                    made[column.name] = above.codes[column.name][parents]
        of_unit = frame.select(pl.len().over(_UNIT)).to_series().to_numpy().astype(np.int64)
        found[table.name] = Contribution(made, of_unit if table.parent is None else WHOLE // of_unit)
    return found


def _kept(read: Read, table: LinkedTable, kept: Mapping[str, pl.DataFrame], progress: Progress | None) -> pl.DataFrame:
    """Return the rows of a table that count, in an order that is the same for each unit whatever other rows there are.

    Columns: the unit and the parent's row by number, the key as text, the codes of declared columns, the place in the
    table's order.
    """
    import polars as pl

    holder = table.key if table.parent is None else table.reference
    assert holder is not None
    domains = dict(table.columns)

    def batches() -> Iterator[pl.DataFrame]:
        names = tuple(dict.fromkeys((*domains, holder, *([table.key] if table.key else []))))
        for frame in read(names):
            yield frame.with_columns(days(frame[name], first) for name, first in table.first_days.items())

    def step(what: str) -> passes.Progress | None:
        return None if progress is None else lambda rows: progress(f"{what} of {table.name}", rows)

    rows = passes.kept_rows(batches(), holder, domains, table.max_rows, step("units"))
    parts = [_coded(frame, table, holder) for frame in passes.counted(batches(), rows, step("counting"))]
    frame = pl.concat(parts) if parts else _coded(_nothing(table, holder), table, holder)
    if table.parent is None:
        return frame.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(_UNIT)).drop(_REFERENCE)
    return _of_units(frame, table, kept[table.parent])


def _coded(frame: pl.DataFrame, table: LinkedTable, holder: str) -> pl.DataFrame:
    """Return the rows of a batch as codes, with their keys as texts: 1, 1.0 and "1" are the same key."""
    import polars as pl

    made = {
        _COLUMN.format(i): pl.Series(codes(frame[name], domain), dtype=pl.Int64)
        for i, (name, domain) in enumerate(table.columns)
    }
    none = pl.Series([None] * len(frame), dtype=pl.String)
    made[_REFERENCE] = d.words(frame[holder])
    made[_KEY] = none if table.key is None else d.words(frame[table.key])
    if table.order is not None:
        domain = dict(table.columns)[table.order]
        made[_PLACE] = d.numbers(frame[table.order]).clip(domain.low, domain.high)  # type: ignore[union-attr]
    return pl.DataFrame(made)


def _nothing(table: LinkedTable, holder: str) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(schema=dict.fromkeys((*dict(table.columns), holder, table.key or holder), pl.String))


def _of_units(frame: pl.DataFrame, table: LinkedTable, parents: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that refer to a parent that counts, at most `max_rows_of_unit` of each unit."""
    import polars as pl

    # Of several parents of one unit with the same key, the first counts: it is the same one whatever other units have.
    above = (
        parents.select(_UNIT, _KEY, pl.int_range(pl.len(), dtype=pl.Int64).alias(_PARENT))
        .filter(pl.col(_KEY).is_not_null())
        .unique([_UNIT, _KEY], keep="first", maintain_order=True)
    )
    joined = (
        frame.with_row_index("row")
        .join(above, left_on=_REFERENCE, right_on=_KEY, how="inner")
        .drop(_REFERENCE)
        .sort(_UNIT, _PARENT, "row")
    )
    cells = joined.select(_COLUMN.format(i) for i in range(len(table.columns)))
    seed = secrets.randbits(64)
    ordered = joined.with_columns(cells.hash_rows(seed).alias("hash")).sort(_UNIT, "hash", _PARENT, "row")
    counted = ordered.filter(pl.int_range(pl.len()).over(_UNIT) < table.max_rows_of_unit)
    places = [_PLACE] if table.order is not None else []
    return counted.sort(_PARENT, *places, "hash", "row", nulls_last=True).drop("hash", "row")


def _of_children(child: LinkedTable, frame: pl.DataFrame, parents: int) -> dict[str, Ints]:
    """Return for each parent the codes of how many children it has, and of the first place in their order."""
    import numpy as np
    import polars as pl

    counts = np.bincount(frame[_PARENT].to_numpy(), minlength=parents).astype(np.int64)
    found = {c.children_of(child): counts}
    if child.order is not None:
        first = frame.group_by(_PARENT).agg(pl.col(_PLACE).min())
        every = pl.DataFrame({_PARENT: pl.int_range(parents, dtype=pl.Int64, eager=True)})
        places = every.join(first, on=_PARENT, how="left", maintain_order="left")[_PLACE]
        found[c.first_of(child)] = codes(places, _numeric(child))
    return found


def _among_siblings(table: LinkedTable, frame: pl.DataFrame) -> dict[str, Ints]:
    """Return the codes of each row's place among the rows of its parent, and of the gap to the row before."""
    import numpy as np
    import polars as pl

    if table.order is None:
        return {}
    place = frame.select(pl.int_range(pl.len()).over(_PARENT)).to_series().to_numpy().astype(np.int64)
    gaps = frame.select((pl.col(_PLACE) - pl.col(_PLACE).shift(1)).over(_PARENT)).to_series()
    return {c.place_of(table): place, c.gap_of(table): codes(gaps, table.gap)}


def _numeric(table: LinkedTable) -> Number:
    domain: Number | Categories = dict(table.columns)[table.order or ""]
    assert isinstance(domain, d.Number)
    return domain


def days(cells: pl.Series, first: date) -> pl.Series:
    """Return the days since `first`; null for anything but a date, with or without a time of day."""
    import polars as pl

    text = d.words(cells).str.slice(0, 10)
    dates = text.str.to_date("%Y-%m-%d", strict=False)
    return pl.select((pl.lit(dates) - pl.lit(first)).dt.total_days().cast(pl.Float64)).to_series().alias(cells.name)


def counted(found: Contribution, names: Sequence[str], sizes: Sequence[int], scope: Sequence[int]) -> Ints:
    """Add up the weights of rows by the codes of the columns `scope`, flat in C order."""
    import numpy as np

    place: np.ndarray = np.zeros(len(found.weights), dtype=np.int64)
    for column in scope:
        place = place * sizes[column] + found.codes[names[column]]
    cells = int(np.prod([sizes[column] for column in scope], dtype=np.int64))
    # Exact: weights are whole numbers, and their sums stay far below 2^53.
    return np.rint(np.bincount(place, weights=found.weights, minlength=cells)).astype(np.int64)
