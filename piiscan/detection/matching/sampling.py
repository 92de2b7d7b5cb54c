"""The bottom-k samples of a batch, without looking at most cells twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.distinct import distinct
from piiscan.detection.matching.canonical_cells import CanonicalCells, as_text, is_text, taken, texts_at
from piiscan.detection.matching.reference import SPACES
from piiscan.detection.reading.cells_as_read import read_otherwise
from piiscan.detection.summary.entries import Entries, OnDemand
from piiscan.detection.summary.sample import CELL_BYTES, VALUES, RowSample, Sample, rows_of

if TYPE_CHECKING:
    import polars as pl

Hashes = NDArray[np.uint64]

SEED: Final = 0x70696973
"""Of polars' hash: the same within one polars version, on every machine and in every process."""
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_PEEK = 2000
_FEW = 1 << 14
"""Up to here numpy sorts before polars has begun."""
_WHOLE: Final = CELL_BYTES // 4
"""Characters that a sample has room for, whatever they are."""
_FEW_TEXTS: Final = 64
_IS_SPACE: Final = np.isin(np.arange(256), list(SPACES.encode()))


def hashed(cells: pl.Series) -> Hashes:
    return cells.hash(SEED).to_numpy()


class Texts:
    """The source of samples of values: cells of one column, or of many one behind the other."""

    def __init__(self, cells: pl.Series) -> None:
        self._cells = cells

    def at(self, places: NDArray[np.int64]) -> list[str]:
        return _kept(texts_at(self._cells, places))


class Among(NamedTuple):
    """Where a column's cells are among those of many."""

    texts: Texts
    start: int


class Rows:
    """The source of a sample of rows."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def at(self, places: NDArray[np.int64]) -> list[tuple[str | None, ...]]:
        return list(zip(*_row_texts(self._frame.get_columns(), places), strict=True))


def sample_values(
    cells: CanonicalCells, hashes: Hashes, limit: int | None = None, k: int = VALUES, among: Among | None = None
) -> Sample:
    """The k distinct texts of smallest hash.

    `limit`: hashes above it are known to stay out; changes only the speed. `among`: where the cells are among those
    of many columns, from which the texts are to be fetched when asked for.
    """
    if not len(hashes):
        return Sample(k=k)
    index, counts, full = _smallest(hashes, k, limit)
    texts = _kept(texts_at(cells.text, index)) if among is None else OnDemand(among.texts, index + among.start)
    return Sample(Entries(hashes[index], texts, counts), k, full)


def _kept(texts: list[str]) -> list[str]:
    """Texts as a sample keeps them: without white space around, cut."""
    if len(texts) <= _FEW_TEXTS:
        return list(map(_cut, texts))
    codes = np.frombuffer("\0".join(("", *texts, "")).encode(), dtype=np.uint8)
    ends = np.flatnonzero(codes == 0)
    if (
        np.diff(ends).max(initial=0) <= _WHOLE
        and not (_IS_SPACE[codes[ends[:-1] + 1]] | _IS_SPACE[codes[ends[1:] - 1]]).any()
    ):
        return texts  # as most are, which is seen at once
    if max(map(len, texts)) > _WHOLE:
        return list(map(_cut, texts))
    return list(map(str.strip, texts, repeat(SPACES)))


def row_hashes(column: pl.Series, cells: CanonicalCells, hashes: Hashes) -> Hashes:
    """A hash for each row of a column whose `cells` have `hashes`; cells that hold nothing are all alike."""
    if cells.rows is None:
        return hashes
    if column.dtype.is_nested():
        return hashed(column)
    every = np.zeros(len(column), dtype=np.uint64)
    every[cells.rows] = hashes
    return every


def sample_rows(
    frame: pl.DataFrame, columns: Sequence[Hashes], limit: int | None = None, on_demand: bool = False
) -> RowSample:
    """The distinct rows of smallest hash, ROWS or fewer of wide tables.

    `columns`: a hash for each row of each column. `on_demand`: fetch the rows when asked for.
    """
    k = rows_of(len(columns))
    if not len(frame) or not columns:
        return RowSample(k=k)
    mixed = np.zeros(len(frame), dtype=np.uint64)
    for hashes in columns:
        mixed ^= hashes
        mixed *= _MIX
        mixed ^= mixed >> np.uint64(29)
    index, counts, full = _smallest(mixed, k, limit)
    rows = Rows(frame)
    return RowSample(Entries(mixed[index], OnDemand(rows, index) if on_demand else rows.at(index), counts), k, full)


def _row_texts(columns: Sequence[pl.Series], index: NDArray[np.int64]) -> list[list[str | None]]:
    """The cells of each column at some rows, as the sample keeps them: as they are read, as their hashes are."""
    import polars as pl

    texts = [
        texts_at(column, index) if column.dtype == pl.String else as_text(taken(column, index)).to_list()
        for column in columns
    ]
    written = [own for own, column in zip(texts, columns, strict=True) if is_text(column.dtype)]
    every = list(chain.from_iterable(written))
    for at, read in read_otherwise(pl.Series(every, dtype=pl.String)).items():
        written[at // len(index)][at % len(index)] = read
    return [_row_kept(own) for own in texts]


def _row_kept(texts: Sequence[str | None]) -> list[str | None]:
    if max((len(t) for t in texts if t is not None), default=0) > _WHOLE:
        return [None if t is None else _cut(t) or None for t in texts]
    return [None if t is None else t.strip(SPACES) or None for t in texts]  # what `_cut` does to short ones


def _smallest(hashes: Hashes, k: int, limit: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Return the index of one cell for each of the k smallest distinct hashes, and how often each occurs.

    Also returns whether there are more. Tries a threshold first; falls back to
    counting every distinct hash where that finds too few.
    """
    n = len(hashes)
    full = False
    chosen: NDArray[np.int64] | None = None
    if limit is not None and limit < (1 << 64) - 1:
        chosen = np.flatnonzero(hashes <= np.uint64(limit))
        full = len(chosen) < n  # one more than the k that set the limit
    elif n > max(8 * k, _PEEK // 2) and len(distinct(hashes[:_PEEK])) > _PEEK // 2:
        threshold = np.partition(hashes, 4 * k)[4 * k]
        chosen = np.flatnonzero(hashes <= threshold)
        if len(distinct(hashes[chosen])) <= k:
            chosen = None
        else:
            full = True
    if chosen is None:
        index, counts = _count_all(hashes)
    else:
        first, counts = _count_all(hashes[chosen])
        index = chosen[first]
    if len(index) > k:
        full = True
        smallest = np.sort(np.argpartition(hashes[index], k)[:k])  # in the order of their hashes, as they were
        index, counts = index[smallest], counts[smallest]
    return index, counts, full


def _count_all(hashes: Hashes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index of one cell of each distinct hash, and how often each occurs."""
    order = _order(hashes)
    if not len(order):
        return order, order
    ordered = hashes[order]
    starts = np.empty(len(order) + 1, dtype=np.bool_)
    starts[0] = starts[-1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:-1])
    first = np.flatnonzero(starts)
    return order[first[:-1]], first[1:] - first[:-1]


def _order(hashes: Hashes) -> NDArray[np.int64]:
    """The places of the hashes in their order."""
    if len(hashes) <= _FEW:
        return np.argsort(hashes)
    import polars as pl

    # In half the time that numpy takes on processors for which it has no code of its own.
    return pl.Series(hashes).arg_sort().cast(pl.Int64).to_numpy()


def _cut(text: str, spaces: str = SPACES) -> str:
    text = text.strip(spaces)
    if len(text) <= _WHOLE:
        return text
    return text.encode("utf-8", "replace")[:CELL_BYTES].decode("utf-8", "ignore")
