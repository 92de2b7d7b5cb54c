"""A column of texts as bytes that numpy can take apart, and back, without a Python object a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto.aes import BLOCK, Words

if TYPE_CHECKING:
    import polars as pl

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

_SPARE = 16
# What to keep of a block of which -1 (it lies wholly behind the text and its mark), 0 … 16 bytes are text, and the mark
# to set behind them.
_KEPT = np.array([b""] + [b"\xff" * n for n in range(BLOCK + 1)], dtype="S16").view(np.uint64).reshape(-1, 2)
_MARK = (
    np.array([b""] + [b"\0" * n + b"\x80" for n in range(BLOCK)] + [b""], dtype="S16").view(np.uint64).reshape(-1, 2)
)


class Texts(NamedTuple):
    """Texts end to end in UTF-8, 16 spare bytes behind the last; where each begins, and how many bytes it has."""

    data: Bytes
    starts: Ints
    lengths: Ints

    def take(self, rows: Ints) -> Texts:
        """Only these rows; the bytes stay where they are."""
        return Texts(self.data, self.starts[rows], self.lengths[rows])

    def matrix(self, length: int) -> Bytes:
        """An (n, length) matrix of the texts, all of which have that length."""
        if length == 0 or len(self.starts) == 0:
            return np.empty((len(self.starts), length), dtype=np.uint8)
        windows: NDArray[np.void] = np.ndarray(
            (len(self.data) - length + 1,), dtype=f"V{length}", buffer=self.data, strides=(1,)
        )
        return windows[self.starts].view(np.uint8).reshape(-1, length)

    def block(self, position: int) -> Words:
        """Return block number `position` of the padded texts, (n, 2).

        The padding is a bit 1 and then bits 0 (ISO/IEC 9797-1, padding method 2).

        Texts that fill the block have no mark in it; behind text and mark there are zeros.
        """
        windows: NDArray[np.void] = np.ndarray(
            (len(self.data) - BLOCK + 1,), dtype="V16", buffer=self.data, strides=(1,)
        )
        offsets = np.minimum(self.starts + position * BLOCK, len(self.data) - BLOCK)
        found = windows[offsets].view(np.uint64).reshape(-1, 2)
        kind = np.clip(self.lengths - position * BLOCK, -1, BLOCK) + 1
        if not bool((kind == BLOCK + 1).all()):
            found &= _KEPT.take(kind, axis=0)
            found |= _MARK.take(kind, axis=0)
        return found


def texts(values: pl.Series) -> Texts:
    """A String series without nulls."""
    lengths = values.str.len_bytes().to_numpy().astype(np.int64)
    joined = values.str.join("").item() if len(values) else ""
    data = np.frombuffer((joined or "").encode() + bytes(_SPARE), dtype=np.uint8)
    return Texts(data, np.cumsum(lengths) - lengths, lengths)


def of_matrix(matrix: Bytes) -> Texts:
    """The rows of an (n, L) matrix."""
    n, length = matrix.shape
    data = np.zeros(n * length + _SPARE, dtype=np.uint8)
    data[: n * length] = matrix.reshape(-1)
    return Texts(data, np.arange(n, dtype=np.int64) * length, np.full(n, length, dtype=np.int64))


def binary(matrix: Bytes) -> pl.Series:
    """A Binary series out of the rows of an (n, L) matrix."""
    import polars as pl

    if matrix.size == 0:
        return pl.Series([b""] * len(matrix), dtype=pl.Binary)
    return pl.Series(np.ascontiguousarray(matrix)).cast(pl.List(pl.UInt8)).cast(pl.Binary)


def series(matrix: Bytes) -> pl.Series:
    """A String series out of the rows of an (n, L) matrix of ASCII codes."""
    import polars as pl

    return binary(matrix).cast(pl.String)


def unjoined(found: Texts) -> pl.Series:
    """A String series out of texts in UTF-8."""
    return reassembled(
        [(rows, series(found.take(rows).matrix(length))) for length, rows in groups(found.lengths)], len(found.starts)
    )


def groups(labels: NDArray[np.integer]) -> list[tuple[int, Ints]]:
    """Each label, and the rows that have it, in ascending order."""
    if len(labels) == 0:
        return []
    if bool((labels == labels[0]).all()):
        return [(int(labels[0]), np.arange(len(labels), dtype=np.int64))]
    order = np.argsort(labels, kind="stable")
    ranked = labels[order]
    cuts = np.flatnonzero(ranked[1:] != ranked[:-1]) + 1
    return [(int(labels[rows[0]]), rows.astype(np.int64, copy=False)) for rows in np.split(order, cuts)]


def reassembled(parts: list[tuple[Ints, pl.Series]], n: int) -> pl.Series:
    """Parts of a String series, each with the rows it belongs to, as one series of `n`; rows of no part are null."""
    import polars as pl

    parts = [(rows, part) for rows, part in parts if len(rows)]
    if len(parts) == 1 and len(parts[0][0]) == n:
        rows, part = parts[0]
        if bool((rows[1:] > rows[:-1]).all()):
            return part
    places = np.full(n, sum(len(rows) for rows, _ in parts), dtype=np.int64)
    at = 0
    for rows, _ in parts:
        places[rows] = np.arange(at, at + len(rows))
        at += len(rows)
    whole = pl.concat([part for _, part in parts] + [pl.Series([None], dtype=pl.String)])
    return whole.gather(pl.Series(places))
