"""Fingerprints as they come in, batch by batch, and without doubles at the end.

Sets of millions are never sorted as a whole, which would take several times their room.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.known.fingerprint_index import distinct_sorted, order_of
from piiscan.masking.proof.printer import Prints

_PENDING: Final = 1 << 18
"""Prints or pairs that wait before they are put in order."""
_WAITING: Final = 4
"""One wait for so many that are known: a table of a million rows brings the same ones again and again."""
_BITS: Final = 6
_PARTS: Final = 1 << _BITS
"""Parts that pairs are kept in, by the first bits of their keys."""
_FEWEST: Final = 1 << 12


class DistinctPrints:
    """Prints, each once."""

    def __init__(self) -> None:
        self._known: Prints = np.zeros(0, dtype=np.uint64)
        self._waiting: list[Prints] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(len(self._known) or self._waiting)

    def add(self, prints: Prints) -> None:
        if not len(prints):
            return
        self._waiting.append(prints)
        self._count += len(prints)
        if self._count > max(_PENDING, len(self._known) // _WAITING):
            self._settle()

    def ascending(self) -> Prints:
        self._settle()
        return self._known

    def _settle(self) -> None:
        self._known = distinct_sorted([self._known, *self._waiting])
        self._waiting, self._count = [], 0


class KeyedPrints:
    """Pairs of a key and a print, each once.

    `keys`: how many keys those of `finished` have; `left_out`: the keys that it leaves out, in any order.
    """

    def __init__(self) -> None:
        self._known = [(_NONE, _NONE)] * _PARTS
        self._waiting: list[list[tuple[Prints, Prints]]] = [[] for _ in range(_PARTS)]
        self._counts = [0] * _PARTS
        self.keys = 0
        self.left_out: Prints = _NONE
        self._new: list[tuple[Prints, Prints]] = []
        self._new_count = 0
        self._is_shared_out = False

    def __bool__(self) -> bool:
        return bool(self._new) or any(self._counts) or any(len(keys) for keys, _ in self._known)

    def add(self, keys: Prints, prints: Prints) -> None:
        if not len(keys):
            return
        self._new.append((keys, prints))
        self._new_count += len(keys)
        if self._new_count > _PENDING:
            self._share_out()

    def finished(self, most: int, executor: Executor | None = None) -> tuple[Prints, Prints]:
        """Return all prints, and all pairs as `paired` makes them, each ascending, and release them here.

        Keys that occur beside more than `most` different prints are left out.
        """
        if not self._is_shared_out:  # few, which are sorted as a whole sooner than in parts
            self._waiting[0], self._new, self._new_count = self._new, [], 0
            self.keys, own, both, self.left_out = self._finished(most, 0)
            return own, both
        self._share_out()
        prints, pairs = _Sorter(), _Sorter()
        each = map if executor is None else executor.map
        left_out = []
        for count, own, both, without in each(partial(self._finished, most), range(_PARTS)):
            self.keys += count
            left_out.append(without)
            prints.add(own)
            pairs.add(both)
        self.left_out = np.concatenate(left_out)
        return prints.ascending(executor), pairs.ascending(executor)

    def _finished(self, most: int, part: int) -> tuple[int, Prints, Prints, Prints]:
        """Of a part how many keys count, the prints and pairs of these, each ascending, and the other keys."""
        self._settle(part)
        keys, own = self._known[part]
        self._known[part] = _NONE, _NONE
        if not len(keys):
            return 0, _NONE, _NONE, _NONE
        order = order_of(keys)
        keys, own = keys[order], own[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        count = np.diff(np.append(first, len(keys)))
        few = np.repeat(count <= most, count)
        prints, pairs = distinct_sorted([own[few]]), distinct_sorted([paired(own[few], keys[few])])
        return int((count <= most).sum()), prints, pairs, keys[first[count > most]]

    def _share_out(self) -> None:
        self._is_shared_out = True
        if not self._new:
            return
        keys, prints = (np.concatenate(each) for each in zip(*self._new, strict=True))
        self._new, self._new_count = [], 0
        part = (keys >> np.uint64(64 - _BITS)).astype(np.uint8)
        order = np.argsort(part, kind="stable")
        keys, prints = keys[order], prints[order]
        bounds = np.searchsorted(part[order], np.arange(_PARTS + 1))
        for i, (start, stop) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            if start < stop:
                self._waiting[i].append((keys[start:stop].copy(), prints[start:stop].copy()))
                self._counts[i] += stop - start
                if self._counts[i] > max(_FEWEST, len(self._known[i][0]) // _WAITING):
                    self._settle(i)

    def _settle(self, part: int) -> None:
        if self._waiting[part]:
            self._known[part] = _distinct([self._known[part], *self._waiting[part]])
            self._waiting[part], self._counts[part] = [], 0


class _Sorter:
    """Prints of many parts, put in order by their first bits."""

    def __init__(self) -> None:
        self._parts: list[list[Prints]] = [[] for _ in range(_PARTS)]

    def add(self, found: Prints) -> None:
        """Prints that are distinct and ascending."""
        bounds = np.searchsorted(found, _STARTS).tolist()
        for i, (start, stop) in enumerate(zip(bounds, [*bounds[1:], len(found)], strict=True)):
            self._parts[i].append(found[start:stop])

    def ascending(self, executor: Executor | None = None) -> Prints:
        each = map if executor is None else executor.map
        return np.concatenate(list(each(self._ascending, range(_PARTS))))

    def _ascending(self, part: int) -> Prints:
        found = distinct_sorted(self._parts[part])
        self._parts[part] = []
        return found


_NONE: Final = np.zeros(0, dtype=np.uint64)
_STARTS: Final = np.arange(_PARTS, dtype=np.uint64) << np.uint64(64 - _BITS)


def paired(prints: Prints, keys: Prints) -> Prints:
    """One print for each print and its key."""
    found = (prints ^ (keys * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xFF51AFD7ED558CCD)
    return found ^ (found >> np.uint64(33))


def _distinct(pairs: Sequence[tuple[Prints, Prints]]) -> tuple[Prints, Prints]:
    """Distinct pairs of key and print, in the order of what `paired` makes of them.

    Sorting 64-bit numbers is ten times as fast as sorting pairs.
    """
    keys, prints = (np.concatenate(each) for each in zip(*pairs, strict=True))
    both = paired(prints, keys)
    order = order_of(both)
    both = both[order]
    first: NDArray[np.bool_] = np.ones(len(both), dtype=np.bool_)
    first[1:] = both[1:] != both[:-1]
    chosen = order[first]
    return keys[chosen], prints[chosen]
