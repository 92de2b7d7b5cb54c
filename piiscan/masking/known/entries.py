"""What is gathered of the values of people, in pieces: their forms, masks and owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.detection.text.token_arrays import Rows
from piiscan.masking.known.fingerprint_index import order_of
from piiscan.masking.known.folded_text import Flags, Hashes, Ints, paired
from piiscan.masking.known.packed_texts import PackedTexts
from piiscan.masking.known.value_forms import FULL, NAME, Forms, Masks

_PENDING: Final = 1 << 17
"""Pairs of a part that wait before they are put in order."""
_BITS: Final = 4
_PARTS: Final = 1 << _BITS
"""Parts by the first bits of hashes: what it takes to put one in order is a fraction of what all would take."""
_TOGETHER: Final = 1 << 16
"""Masks that are compared at a time."""
_MOVED: Final = 1 << 18
"""Places that are changed at a time."""
_SEED: Final = 5
LONGEST: Final = 32
"""Digits of the longest number that is counted by its length."""
NONE: Final = -1
_NOTHING: Final = -2
"""In place of a second mask that is null."""
_DIFFER: Final = -2
"""In place of the entry of a value whose masks differ."""
Places = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Entries:
    """What is known of each form of a value.

    `mask`, `second`: places among the masks (below 0: there is none); `cut`:
    see `Forms`; `what`: its row of `kinds`, `entities` (indexes of `KnownValues.entities`) and `ranks`: of two that one
    person has for the same value, the lower counts.
    """

    mask: Places
    second: Places
    cut: NDArray[np.int16]
    what: NDArray[np.uint16]
    kinds: NDArray[np.uint8]
    entities: Ints
    ranks: Ints

    def kind(self, at: Ints) -> NDArray[np.uint8]:
        """The kinds of entries; any for `NONE`."""
        return self.kinds[self.what[at]] if len(self.what) else np.zeros(len(at), dtype=np.uint8)

    def rank(self, at: Ints) -> Ints:
        """The ranks of entries; any for `NONE`."""
        return self.ranks[self.what[at]] if len(self.what) else np.zeros(len(at), dtype=np.int64)

    def entity(self, at: int) -> int:
        return int(self.entities[self.what[at]])


class Found(NamedTuple):
    """What is known of all values: see `KnownValues`."""

    values: Hashes
    kinds: NDArray[np.uint32]
    sole: Places
    sole_name: Places
    person: Hashes
    pairs: Hashes
    pair_entries: Places
    entries: Entries
    masks: PackedTexts


class Parts:
    """What is gathered, in pieces.

    `is_empty`: the tables hold no value, be it mentioned in texts or not.
    """

    def __init__(self) -> None:
        self.entities: list[str] = []
        self.seen: set[str] = set()
        self.is_empty = True
        self.numbers = np.zeros((1, LONGEST))
        self._whats: dict[tuple[int, int, int], int] = {}
        self._hashes: Rows[np.uint64] = Rows(np.uint64)
        self._mask: Rows[np.int32] = Rows(np.int32)
        self._second: Rows[np.int32] = Rows(np.int32)
        self._cut: Rows[np.int16] = Rows(np.int16)
        self._what: Rows[np.uint16] = Rows(np.uint16)
        self._masks: list[pl.Series] = []
        self._mask_count = 0
        self._settled = 0  # entries whose masks are among those
        self._new_masks: list[pl.Series] = []
        self._new_count = 0
        self._begins: dict[int, int] = {}  # of each of these, which are the same for all forms of a value
        self._pairs = [_Pairs() for _ in range(_PARTS)]
        self._persons: list[tuple[Hashes, Hashes]] = []

    def add(self, found: Forms, entity: int, rank: int) -> Ints:
        """The entries of some forms, by number."""
        n = len(found.hash)
        first = len(self._hashes.all)
        self._hashes.extend(found.hash)
        self._mask.extend(self._places(found.mask, NONE))
        self._second.extend(np.full(n, NONE) if found.second is None else self._places(found.second, _NOTHING))
        self._cut.extend(np.zeros(n) if found.cut is None else found.cut)
        self._what.extend(np.full(n, self._whats.setdefault((found.kind, entity, rank), len(self._whats))))
        return np.arange(first, first + n)

    def _places(self, masks: Masks, none: int) -> Ints:
        """Where each mask stands among the new ones; `none` for one that is null."""
        if id(masks.texts) not in self._begins:
            self._begins[id(masks.texts)] = self._new_count
            self._new_masks.append(masks.texts)
            self._new_count += len(masks.texts)
        at = self._begins[id(masks.texts)] + masks.at
        return np.where(masks.texts.is_not_null().to_numpy()[masks.at], at, none)

    def settle(self) -> None:
        """Keep each of the new masks once: a name has a dozen forms, all with the same one."""
        if not self._new_masks:
            return
        which, once = _distinct(self._new_masks)
        for places in (self._mask.all[self._settled :], self._second.all[self._settled :]):
            _move(places, which + self._mask_count)
        self._masks.append(once)
        self._mask_count += len(once)
        self._settled, self._new_masks, self._new_count = len(self._hashes.all), [], 0
        self._begins.clear()

    def pair(self, hashes: Hashes, keys: Hashes, entries: Ints) -> None:
        """Record whose entries some values are; key 0: no person's."""
        has = np.flatnonzero(keys)
        both = paired(hashes[has], keys[has])
        part = _part_of(both)
        order = np.argsort(part, kind="stable")
        bounds = np.searchsorted(part[order], np.arange(_PARTS + 1)).tolist()
        both, own = both[order], entries[has[order]].astype(np.int32)
        for pairs, start, stop in zip(self._pairs, bounds[:-1], bounds[1:], strict=True):
            pairs.add(both[start:stop].copy(), own[start:stop].copy())
            if pairs.waiting > _PENDING:
                pairs.settle(self._what.all, self._ranks)

    @property
    def _ranks(self) -> Ints:
        return np.array([_ranked(kind, rank) for kind, _, rank in self._whats], dtype=np.int64)

    def person(self, hashes: Hashes, keys: Hashes) -> None:
        both = np.unique(np.stack([hashes, keys], axis=1), axis=0)
        self._persons.append((both[:, 0], both[:, 1]))

    def finished(self) -> Found:
        """Return everything gathered, without entries that belong to no person, and release it here."""
        self.settle()
        slabs, self._masks = self._masks, []
        which, masks = _distinct(slabs or [pl.Series("mask", [], dtype=pl.String)])
        slabs.clear()
        for places in (self._mask.all, self._second.all):
            _move(places, which)
        del which
        values, kinds, sole, sole_name = self._values(masks)
        self._hashes = Rows(np.uint64)
        pairs, pair_entries = self._all_pairs()
        used = np.zeros(len(self._what.all), dtype=np.bool_)
        used[pair_entries] = True
        for places in (sole, sole_name):
            used[places[places != NONE]] = True
        place = np.cumsum(used, dtype=np.int32) - 1
        _move(sole, place)
        _move(sole_name, place)
        _move(pair_entries, place)
        del place
        entries = self._entries(used)
        del used
        kept = _kept(entries, masks)
        return Found(values, kinds, sole, sole_name, self._persons_of(values), pairs, pair_entries, entries, kept)

    def _entries(self, used: Flags) -> Entries:
        """The entries that are used; nothing is kept here."""
        mask, self._mask = self._mask.all[used], Rows(np.int32)
        second, self._second = self._second.all[used], Rows(np.int32)
        cut, self._cut = self._cut.all[used], Rows(np.int16)
        what, self._what = self._what.all[used], Rows(np.uint16)
        whats = np.array([*self._whats], dtype=np.int64).reshape(-1, 3)
        return Entries(mask, second, cut, what, whats[:, 0].astype(np.uint8), whats[:, 1], self._ranks)

    def _values(self, masks: pl.Series) -> tuple[Hashes, NDArray[np.uint32], Places, Places]:
        """Each hash once and in order, of what kinds it is, and twice the first entry of those whose masks are equal.

        First of what is no name in full, then of names in full, which columns hold in one piece or in two. Case doesn't
        count: columns in capitals have masks in capitals.
        """
        hashes, mask, second = self._hashes.all, self._mask.all, self._second.all
        small = masks.str.to_lowercase()
        cased = np.arange(len(masks)) if small.equals(masks) else _distinct([small])[0]
        kind_of = np.array([kind for kind, *_ in self._whats], dtype=np.uint32)
        part = _part_of(hashes)
        out = []
        for n in range(_PARTS):
            at = np.flatnonzero(part == n)
            found = hashes[at]
            order = order_of(found)
            found, at = found[order], at[order]
            first = _firsts(found)
            if not len(first):
                continue
            kinds = kind_of[self._what.all[at]]
            bits = np.bitwise_or.reduceat(np.left_shift(np.uint32(1), kinds), first)
            ours, theirs = (np.where(p >= 0, cased[p], p) if len(cased) else p for p in (mask[at], second[at]))
            same = ours.astype(np.int64) << 32 | (theirs.astype(np.int64) & 0xFFFFFFFF)
            value = np.repeat(np.arange(len(first)), np.diff(first, append=len(at)))
            in_two, in_one = np.isin(kinds, FULL), kinds == NAME
            sole, two, one = (
                _sole(len(first), value[which], at[which], same[which])
                for which in (~(in_two | in_one), in_two, in_one)
            )
            both = np.flatnonzero((two >= 0) & (one >= 0))
            alike = _are_alike(small, mask[one[both]], mask[two[both]], second[two[both]])
            two[both[~alike]] = _DIFFER
            name = np.where((two == NONE) | (one == _DIFFER), one, two)
            out.append((found[first], bits, np.maximum(sole, NONE), np.maximum(name, NONE)))
        if not out:
            none = np.zeros(0, dtype=np.int32)
            return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32), none, none.copy()
        values, every_kind, sole, name = (np.concatenate(each) for each in zip(*out, strict=True))
        return values, every_kind, sole, name

    def _all_pairs(self) -> tuple[Hashes, Places]:
        """Each pair once, in order, with the entry of lowest rank."""
        for pairs in self._pairs:
            pairs.settle(self._what.all, self._ranks)
        size = sum(len(pairs.hashes) for pairs in self._pairs)
        hashes, entries = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int32)
        at = 0
        for n, pairs in enumerate(self._pairs):
            stop = at + len(pairs.hashes)
            hashes[at:stop], entries[at:stop] = pairs.hashes, pairs.entries
            at, self._pairs[n] = stop, _Pairs()
        return hashes, entries

    def _persons_of(self, values: Hashes) -> Hashes:
        """The key of the only person of a full name; 0 for others."""
        out = np.zeros(len(values), dtype=np.uint64)
        if self._persons and len(values):
            hashes = np.concatenate([h for h, _ in self._persons])
            keys = np.concatenate([k for _, k in self._persons])
            order = order_of(hashes)
            hashes, keys = hashes[order], keys[order]
            first = _firsts(hashes)
            low, high = np.minimum.reduceat(keys, first), np.maximum.reduceat(keys, first)
            at = np.searchsorted(values, hashes[first])
            out[at] = np.where(low == high, low, 0)
        return out


class _Pairs:
    """Hashes of a value and whose it is, each once and in order, with the entry of lowest rank; others wait."""

    def __init__(self) -> None:
        self.hashes: Hashes = np.zeros(0, dtype=np.uint64)
        self.entries: Places = np.zeros(0, dtype=np.int32)
        self.waiting = 0
        self._new: list[tuple[Hashes, Places]] = []

    def add(self, hashes: Hashes, entries: Places) -> None:
        self._new.append((hashes, entries))
        self.waiting += len(hashes)

    def settle(self, what: NDArray[np.uint16], ranks: Ints) -> None:
        """`what`: of each entry, and the `ranks` of those."""
        if not self.waiting:
            return
        hashes = np.concatenate([h for h, _ in self._new])
        entries = np.concatenate([e for _, e in self._new])
        self._new, self.waiting = [], 0
        best = ranks[what[entries]] << 32 | entries
        order = order_of(hashes)
        hashes, best = hashes[order], best[order]
        first = _firsts(hashes)
        hashes, best = hashes[first], np.minimum.reduceat(best, first)
        at = np.searchsorted(self.hashes, hashes)
        known = np.zeros(len(hashes), dtype=np.bool_)
        inside = at < len(self.hashes)
        known[inside] = self.hashes[at[inside]] == hashes[inside]
        old = self.entries[at[known]]
        self.entries[at[known]] = _entry_of(np.minimum(best[known], ranks[what[old]] << 32 | old))
        self.hashes = np.insert(self.hashes, at[~known], hashes[~known])
        self.entries = np.insert(self.entries, at[~known], _entry_of(best[~known]))


def _ranked(kind: int, rank: int) -> int:
    """A rank of entries: names in two parts, which a mention may write in its own way, go before those in one."""
    return 2 * rank + (kind == NAME)


def _entry_of(ranked: Ints) -> Places:
    return (ranked & 0xFFFFFFFF).astype(np.int32)


def _part_of(hashes: Hashes) -> NDArray[np.uint8]:
    return (hashes >> np.uint64(64 - _BITS)).astype(np.uint8)


def _firsts(ascending: Hashes | Ints) -> Ints:
    """Where each value begins."""
    return np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])) if len(ascending) else _NO_PLACES


_NO_PLACES: Final = np.zeros(0, dtype=np.int64)


def _sole(size: int, value: Ints, at: Ints, same: Ints) -> Places:
    """Of each of so many values the first of its entries, if all of them have the `same` masks.

    `value`: that of each entry, ascending. `NONE` without an entry, `_DIFFER` where masks differ.
    """
    out = np.full(size, NONE, dtype=np.int32)
    first = _firsts(value)
    if len(first):
        one = np.minimum.reduceat(same, first) == np.maximum.reduceat(same, first)
        out[value[first]] = np.where(one, np.minimum.reduceat(at, first), _DIFFER)
    return out


def _are_alike(masks: pl.Series, whole: Places, first: Places, second: Places) -> Flags:
    """Whether masks of names in one piece are those in two, in either order and with whatever between them."""
    out = (whole >= 0) & (first >= 0) & (second >= 0)
    some = np.flatnonzero(out)
    one, a, b = (masks.gather(at[some]).str.replace_all(r"[\s,]+", "") for at in (whole, first, second))
    out[some] = ((one == a + b) | (one == b + a)).fill_null(False).to_numpy()
    return out


def _move(places: Places, to: Ints | Places) -> None:
    """Change places (those below 0 aside) to where `to` says that each now is."""
    for at in range(0, len(places), _MOVED):
        some = places[at : at + _MOVED]
        has = some >= 0
        some[has] = to[some[has]]


def _kept(entries: Entries, masks: pl.Series) -> PackedTexts:
    """The masks that entries have; the entries are updated to their new places."""
    held = np.zeros(len(masks), dtype=np.bool_)
    for places in (entries.mask, entries.second):
        held[places[places >= 0]] = True
    now = np.cumsum(held, dtype=np.int32) - 1
    for places in (entries.mask, entries.second):
        _move(places, now)
    return PackedTexts(masks, held)


def _distinct(masks: Sequence[pl.Series]) -> tuple[Ints, pl.Series]:
    """For each mask which of the different ones it is, and these.

    By hashes, which takes a third of the memory that a join of the texts does; by the texts where two have one hash.
    """
    texts = pl.concat([each.alias("mask") for each in masks])
    hashes = texts.hash(_SEED).to_numpy()
    order = order_of(hashes)
    begin = _firsts(hashes[order])
    which = np.empty(len(texts), dtype=np.int64)
    which[order] = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(texts)))
    once = texts.gather(np.minimum.reduceat(order, begin)) if len(begin) else texts
    for at in range(0, len(texts), _TOGETHER):
        if not once.gather(which[at : at + _TOGETHER]).equals(texts.slice(at, _TOGETHER)):
            return _distinct_by_text(texts)
    return which, once


def _distinct_by_text(texts: pl.Series) -> tuple[Ints, pl.Series]:
    frame = texts.to_frame()
    once = frame.unique(maintain_order=True).with_row_index("n")
    which = frame.join(once, on="mask", how="left", nulls_equal=True, maintain_order="left")["n"]
    return which.to_numpy().astype(np.int64), once["mask"]
