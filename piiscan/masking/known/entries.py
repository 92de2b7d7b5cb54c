"""What is gathered of the values of people, in pieces: their forms, masks and owners."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.known.folded_text import Hashes, Ints, paired
from piiscan.masking.known.value_forms import Forms

_PENDING: Final = 1 << 21
LONGEST: Final = 32
"""Digits of the longest number that is counted by its length."""
NONE: Final = -1


class Entries(NamedTuple):
    """What is known of each form of a value: see `Forms`. `entity`: an index of `KnownValues.entities`; `rank`: of two
    that one person has for the same value, the lower counts; `same`: equal where masks are."""

    kind: NDArray[np.uint8]
    mask: NDArray[np.int32]
    second: NDArray[np.int32]
    cut: NDArray[np.int16]
    entity: NDArray[np.int16]
    rank: NDArray[np.int16]
    same: Hashes


class Parts:
    """What is gathered, in pieces."""

    def __init__(self) -> None:
        self.entities: list[str] = []
        self.masks: list[pl.Series] = []
        self.entries: tuple[list[Any], ...] = tuple(
            [np.zeros(0, dtype=d)] for d in (np.uint8, np.int32, np.int32, np.int16, np.int16, np.int16, np.uint64)
        )
        self.size = 0
        self.mask_count = 0
        self.seen: set[str] = set()
        self.numbers = np.zeros((1, LONGEST))
        self._hashes: list[Hashes] = [np.zeros(0, dtype=np.uint64)]
        self._pairs: list[tuple[Hashes, NDArray[np.int32]]] = []
        self._persons: list[tuple[Hashes, Hashes]] = []
        self._waiting = 0

    def add_masks(self, masks: pl.Series) -> Ints:
        """Where each mask now stands; `NONE` for one that is null."""
        at = np.arange(self.mask_count, self.mask_count + len(masks))
        self.masks.append(masks.alias("mask"))
        self.mask_count += len(masks)
        return np.where(masks.is_not_null().to_numpy(), at, NONE)

    def add(self, found: Forms, entity: int, rank: int) -> Ints:
        """The entries of some forms, by number."""
        n = len(found.hash)
        mask = self.add_masks(found.mask)
        second = np.full(n, NONE) if found.second is None else self.add_masks(found.second)
        same = found.mask.fill_null("\0").hash(5).to_numpy() if n else np.zeros(0, dtype=np.uint64)
        if found.second is not None and n:
            same = paired(same, found.second.fill_null("\0").hash(5).to_numpy())
        cut = np.zeros(n) if found.cut is None else found.cut
        fields = (np.full(n, found.kind), mask, second, cut, np.full(n, entity), np.full(n, rank), same)
        for each, new in zip(self.entries, fields, strict=True):
            each.append(new.astype(each[0].dtype))
        self._hashes.append(found.hash)
        at = np.arange(self.size, self.size + n)
        self.size += n
        return at

    def values(self) -> tuple[Hashes, Ints]:
        return np.concatenate(self._hashes), np.arange(self.size)

    def pair(self, hashes: Hashes, keys: Hashes, entries: Ints) -> None:
        has = keys != 0
        self._pairs.append((paired(hashes[has], keys[has]), entries[has].astype(np.int32)))
        self._waiting += int(has.sum())
        if self._waiting > _PENDING:
            ranks = np.concatenate(self.entries[5])
            self._pairs = [self.pairs(ranks)]
            self._waiting = 0

    def pairs(self, ranks: NDArray[np.int16]) -> tuple[Hashes, NDArray[np.int32]]:
        """Each pair once, in order, with the entry of lowest rank."""
        if not self._pairs:
            return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
        hashes = np.concatenate([h for h, _ in self._pairs])
        entries = np.concatenate([e for _, e in self._pairs])
        if not len(hashes):
            return hashes, entries
        best = ranks[entries].astype(np.int64) << 32 | entries
        order = np.argsort(hashes)
        hashes, best = hashes[order], best[order]
        del order
        first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        return hashes[first], (np.minimum.reduceat(best, first) & 0xFFFFFFFF).astype(np.int32)

    def person(self, hashes: Hashes, keys: Hashes) -> None:
        both = np.unique(np.stack([hashes, keys], axis=1), axis=0)
        self._persons.append((both[:, 0], both[:, 1]))

    def persons(self, values: Hashes) -> Hashes:
        """The key of the only person of a full name; 0 for others."""
        out = np.zeros(len(values), dtype=np.uint64)
        if self._persons and len(values):
            hashes = np.concatenate([h for h, _ in self._persons])
            keys = np.concatenate([k for _, k in self._persons])
            order = np.argsort(hashes, kind="stable")
            hashes, keys = hashes[order], keys[order]
            first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
            low, high = np.minimum.reduceat(keys, first), np.maximum.reduceat(keys, first)
            at = np.searchsorted(values, hashes[first])
            out[at] = np.where(low == high, low, 0)
        return out
