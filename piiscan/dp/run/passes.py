"""Passes over a table: which rows of each unit count, and the exact sums over them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from piiscan.dp import domains as d
from piiscan.dp.domains import Domain
from piiscan.dp.queries import Measure
from piiscan.dp.tally import Tally

if TYPE_CHECKING:
    import polars as pl

    from piiscan.dp.domains import Ints

_TOGETHER: Final = 4_000_000
"""Rows whose hashes are held before all but the kept ones are dropped."""
_PARTS: Final = 16
"""Batches whose sums are held before they are added up."""

Progress = Callable[[int], None]
"""Called with the rows read so far."""
TallyOf = Callable[[Sequence[Measure], Mapping[str, Domain]], Tally]
"""The exact sums of some measures, over the rows that count."""


def kept_rows(
    batches: Iterable[pl.DataFrame], unit: str, domains: Mapping[str, Domain], max_rows: int, progress: Progress | None
) -> Ints:
    """Return the numbers of the rows that count, ascending.

    Of each unit, these are the `max_rows` rows with the smallest keyed hash.

    Guarantee:
        Assumes: hashes of 128 bits, under a key of this run that was unknown when the units were named, don't collide.
        Ensures: which of a unit's rows count depends on that unit's rows alone: not on other rows, their order, or
        where batches are cut. Rows without a unit don't count.
        Does not protect against: a person who has several values in the unit's column. Each of them counts as a unit.
        Test: test_summarize_unit.py::test_which_rows_count_depends_on_the_unit_alone
    """
    import polars as pl

    key = _fresh_key()
    kept: list[pl.DataFrame] = []
    held = first = 0
    for frame in batches:
        rows = _hashed(frame, unit, domains, key, first)
        first += len(frame)
        if progress:
            progress(first)
        kept.append(rows)
        held += len(rows)
        if held > _TOGETHER:
            kept = [_smallest(pl.concat(kept), max_rows)]
            held = len(kept[0])
    if not kept:
        return pl.Series([], dtype=pl.Int64).to_numpy()
    return _smallest(pl.concat(kept), max_rows)["row"].sort().to_numpy()


def tally(
    batches: Iterable[pl.DataFrame],
    measures: Sequence[Measure],
    domains: Mapping[str, Domain],
    kept: Ints | None,
    progress: Progress | None,
) -> Tally:
    """Return the exact sums over the rows that count: all, or those numbered by `kept`."""
    parts = [Tally.empty(measures, domains)]
    for rows in counted(batches, kept, progress):
        parts.append(Tally.of(rows, measures, domains))
        if len(parts) > _PARTS:
            parts = [Tally.total(parts)]
    return Tally.total(parts)


def counted(batches: Iterable[pl.DataFrame], kept: Ints | None, progress: Progress | None) -> Iterator[pl.DataFrame]:
    """Return the rows that count: all, or those numbered by `kept`."""
    first = 0
    for frame in batches:
        yield frame if kept is None else _chosen(frame, kept, first)
        first += len(frame)
        if progress:
            progress(first)


def complete(frame: pl.DataFrame, numbers: Sequence[str]) -> pl.DataFrame:
    """Return the rows in which none of the columns lacks a number; this depends on each row alone."""
    import polars as pl

    return frame.filter(
        pl.DataFrame([d.numbers(frame[name]).is_not_null() for name in numbers])
        .select(pl.all_horizontal(pl.all()))
        .to_series()
    )


def _fresh_key() -> list[int]:
    return [secrets.randbits(64) for _ in range(3)]


def _hashed(frame: pl.DataFrame, unit: str, domains: Mapping[str, Domain], key: list[int], first: int) -> pl.DataFrame:
    """Return for each row with a unit the hashes of its unit and of its cells, and its number.

    Rows whose cells count alike have equal hashes.
    """
    import polars as pl

    units = d.words(frame[unit]).alias("unit")
    cells = pl.DataFrame(
        [_cells(frame[name], domain).alias(str(i)) for i, (name, domain) in enumerate(domains.items())]
    )
    if not cells.width:
        cells = pl.DataFrame({"0": pl.repeat(0, len(frame), eager=True)})
    hashes = [part.hash_rows(seed) for part, seed in zip((units.to_frame(), units.to_frame(), cells), key, strict=True)]
    rows = pl.DataFrame([h.alias(name) for h, name in zip(hashes, ("a", "b", "hash"), strict=True)])
    return rows.with_columns(row=pl.int_range(first, first + len(frame), dtype=pl.Int64)).filter(units.is_not_null())


def _cells(cells: pl.Series, domain: Domain) -> pl.Series:
    return d.numbers(cells) if isinstance(domain, d.Number | d.Unbounded) else d.words(cells)


def _smallest(rows: pl.DataFrame, n: int) -> pl.DataFrame:
    import polars as pl

    # Rows of equal hashes are alike, and so are any of them to keep; their order among each other depends on no other
    # unit's rows.
    if n == 1:
        return rows.sort("hash", "row").unique(["a", "b"], keep="first")
    return rows.sort("hash", "row").filter(pl.int_range(pl.len()).over("a", "b") < n)


def _chosen(frame: pl.DataFrame, kept: Ints, first: int) -> pl.DataFrame:
    import numpy as np

    low, high = np.searchsorted(kept, [first, first + len(frame)])
    return frame[kept[low:high] - first]
