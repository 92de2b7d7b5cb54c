"""Classes of values that a same-look mask stays within, and its permutation of each of them.

A class is what a mask may show: where digits and letters stand, kept characters, whether a number begins with 0,
whether it fits 64 bits, whether its check digits are right. The permutation is FF1, repeated until it is within the
class again (cycle walking), so it is one to one on the class whatever the class is. Valid values are permuted without
their check digits, which then follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.masking.crypto import cmac
from piiscan.masking.crypto.aes import Words
from piiscan.masking.crypto.ff1 import SMALLEST
from piiscan.masking.crypto.numerals import permuted
from piiscan.masking.crypto.text_bytes import Bytes, Ints
from piiscan.masking.operators.format_patterns import Mask
from piiscan.masking.operators.validity import Check

_LIMITS: Final = {19: b"%d" % (1 << 63), 20: b"%d" % (1 << 64)}
"""Numbers of these many digits stay below these limits, or not: so columns of 64-bit integers hold their masks."""


_STEPS: Final = 100_000
"""Tries to find a mask. The slowest check there is use for, of birth dates in eight digits, takes some thousands for
a value."""


@dataclass(frozen=True)
class CipherKeys:
    """The AES keys of FF1 and of its tweaks."""

    cipher: bytes
    tweak: bytes


@dataclass(frozen=True)
class Group:
    """Values of `length` codes of which those at `free` positions are masked.

    `radices` is the product of the free positions' alphabet sizes. `places` hold check digits that follow from the
    others; none, where no check applies.

    `places` hold check digits that follow from the others; none, where no check applies.
    """

    length: int
    free: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def body(self) -> tuple[int, ...]:
        """The free places but those of check digits."""
        return tuple(position for position in self.free if position not in self.places)


def large_enough(radices: Bytes, group: Group) -> bool:
    """Whether FF1 may permute the bodies: there are at least 10⁶."""
    return len(group.body) > 1 and prod(radices[0, list(group.body)].tolist()) >= SMALLEST


def radices_of(codes: Bytes) -> Bytes:
    """10 for digits, 26 for letters."""
    return np.where(codes >= 65, np.uint8(26), np.uint8(10))


def permuted_codes(codes: Bytes, group: Group, check: Check | None, keys: CipherKeys, inverse: bool) -> Bytes:
    """Other codes in the classes of these: (n, k) ASCII digits and upper-case letters, as many letters in each row."""
    tweaks = _tweaks(codes, group, keys)
    if check is None or not group.places:
        return _walked(codes, group.free, None, tweaks, keys, inverse)
    valid = check.valid(codes)
    out = np.array(codes, order="F")
    for rows, way in ((np.flatnonzero(valid), _completed), (np.flatnonzero(~valid), _invalid)):
        if len(rows):
            part = tweaks if isinstance(tweaks, bytes) else tweaks[rows]
            out[rows] = way(np.asfortranarray(codes[rows]), group, check, part, keys, inverse)
    return out


def _invalid(codes: Bytes, group: Group, check: Check, tweaks: bytes | Words, keys: CipherKeys, inverse: bool) -> Bytes:
    return _walked(codes, group.free, check, tweaks, keys, inverse)


def _walked(
    codes: Bytes, free: tuple[int, ...], avoided: Check | None, tweaks: bytes | Words, keys: CipherKeys, inverse: bool
) -> Bytes:
    """Permute until the class is that of the original again.

    Nor may the result pass the check that is `avoided`, unless it has letters that the check knows.
    """
    out = codes
    todo = np.arange(len(codes))
    found = codes
    steps = 0
    while len(todo):
        steps = _counted(steps, avoided)
        found = _step(found, free, _of(tweaks, todo), keys, inverse)
        back = _same_class(found, codes[todo])
        if avoided is not None:
            back &= ~avoided.valid(found) & (avoided.spelled(found) == avoided.spelled(codes[todo]))
        if out is codes:
            if back.all():
                return found
            out = np.array(found, order="F")
        else:
            out[todo[back]] = found[back]
        todo, found = todo[~back], np.asfortranarray(found[~back])
    return out


def _completed(
    codes: Bytes, group: Group, check: Check, tweaks: bytes | Words, keys: CipherKeys, inverse: bool
) -> Bytes:
    """The bodies permuted until check digits make them valid again.

    Where several do, the one with the original's rank among them is taken.
    """
    which = check.which(codes, group.places)
    out = np.array(codes, order="F")
    todo = np.arange(len(codes))
    found = codes
    steps = 0
    while len(todo):
        steps = _counted(steps, check)
        found = _step(found, group.body, _of(tweaks, todo), keys, inverse)
        whole, back = check.completed(found, group.places, which[todo])
        back &= _same_class(whole, codes[todo])
        out[todo[back]] = whole[back]
        todo, found = todo[~back], np.asfortranarray(found[~back])
    return out


def _counted(steps: int, check: Check | None) -> int:
    if steps == _STEPS and check is not None:
        raise UsageError(
            f"fpe: so few values pass the check {check.name} that none was found for a mask; set `keep_first` to "
            "keep the letters that all of them begin with, or leave `check` out to get masks that fail it"
        )
    return steps + 1


def _step(codes: Bytes, free: tuple[int, ...], tweaks: bytes | Words, keys: CipherKeys, inverse: bool) -> Bytes:
    """One permutation of the codes at the free places."""
    part = np.asfortranarray(codes[:, list(free)]) if len(free) < codes.shape[1] else codes
    letters = part >= 65
    some = bool(letters.any())
    zero = np.where(letters, np.uint8(65), np.uint8(48)) if some else np.uint8(48)
    radices = radices_of(part) if some else np.full((1, 1), 10, dtype=np.uint8)
    numerals = permuted(part - zero, radices, keys.cipher, tweaks, inverse)
    if len(free) == codes.shape[1]:
        return numerals + zero
    out = np.array(codes, order="F")
    out[:, list(free)] = numerals + zero
    return out


def _same_class(codes: Bytes, before: Bytes) -> Mask:
    """Where a number begins with 0 if it did before, and is within the limit that it was within.

    Letters make it no number.
    """
    same = ((codes[:, 0] == 48) == (before[:, 0] == 48)) | (before >= 65).any(axis=1)
    limit = _LIMITS.get(codes.shape[1])
    if limit is not None:
        same &= _below(codes, limit) == _below(before, limit)
    return np.asarray(same)


def _below(codes: Bytes, limit: bytes) -> Mask:
    return np.asarray(np.ascontiguousarray(codes).view(f"S{codes.shape[1]}")[:, 0] < limit)


def _of(tweaks: bytes | Words, rows: Ints) -> bytes | Words:
    return tweaks if isinstance(tweaks, bytes) else tweaks[rows]


def _tweaks(codes: Bytes, group: Group, keys: CipherKeys) -> bytes | Words:
    """The tweak of FF1 for a value: where its letters are, and what is kept. Nothing, for digits that are all masked.

    Case and separators don't count, so that spellings of one number have spellings of
    one mask.
    """
    if len(group.free) == group.length and not bool((codes >= 65).any()):
        return b""
    shown = np.where(codes >= 65, np.uint8(1), np.uint8(0))
    kept = sorted(set(range(group.length)).difference(group.free))
    shown[:, kept] = codes[:, kept]
    return cmac.of_rows(np.ascontiguousarray(shown), keys.tweak)[:, 0].copy()
