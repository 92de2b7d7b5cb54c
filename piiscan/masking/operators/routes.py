"""Chooses for each value how its mask of the same format is made.

A mask goes the same way back, because a route follows from the look alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.masking.crypto.text_bytes import Bytes, Ints, groups
from piiscan.masking.operators.format_classes import Group, large_enough, radices_of
from piiscan.masking.operators.format_patterns import FormatPatterns, Mask, upper
from piiscan.masking.operators.sealing import MARK
from piiscan.masking.operators.validity import Check

if TYPE_CHECKING:
    import polars as pl

    from piiscan.masking.crypto.aes import Words

_MOST_DIGITS: Final = np.array([6, 7])
"""Integers of up to so many digits are permuted together: those without a minus sign, and those with."""


class Routes(NamedTuple):
    """How rows are masked: as tokens, as small integers, or by FF1 in groups."""

    tokens: Ints
    small: Ints
    groups: list[tuple[Ints, Group]]


def routes(found: FormatPatterns, check: Check | None, keep_first: int, keep_last: int) -> Routes:
    """The routes of texts that aren't empty."""
    counts = found.codes.lengths
    first = found.found.data[found.found.starts]
    token = (found.strange > 0) | (first == ord(MARK)) | (counts == 0)
    small = ~token & _small(found, first)
    if keep_first or keep_last:
        token |= small
        small &= False
    taken, lost = _groups(found, np.flatnonzero(~token & ~small), check, keep_first, keep_last)
    return Routes(np.sort(np.concatenate([np.flatnonzero(token), *lost])), np.flatnonzero(small), taken)


def small_permuted(texts: pl.Series, key: bytes, inverse: bool) -> pl.Series:
    """Integers of few digits in decimal, each sign's among themselves."""
    import polars as pl

    from piiscan.masking.crypto.numerals import permuted_below

    numbers = texts.cast(pl.Int64).to_numpy()
    out = np.empty(len(numbers), dtype=np.int64)
    plus, minus = np.flatnonzero(numbers >= 0), np.flatnonzero(numbers < 0)
    count = 10 ** int(_MOST_DIGITS[0])
    out[plus] = permuted_below(numbers[plus].astype(np.uint64), count, key, b"+", inverse)
    # -1 … -9,999,999 as 0 … 9,999,998
    count = 10 ** int(_MOST_DIGITS[1]) - 1
    below: Words = permuted_below((-1 - numbers[minus]).astype(np.uint64), count, key, b"-", inverse)
    out[minus] = -1 - below.astype(np.int64)
    return pl.Series(out).cast(pl.String)


def digits_permuted(texts: pl.Series, digits: int, key: bytes, inverse: bool) -> pl.Series:
    """Numbers of so many digits each, zeros in front included, as `small_permuted` does; other signs stay."""
    import polars as pl

    from piiscan.masking.operators.format_patterns import format_patterns

    found = format_patterns(texts)
    plain = texts.str.replace_all("[^0-9]", "")
    masks = small_permuted(plain, key, inverse).str.zfill(digits)
    codes = np.frombuffer("".join(masks).encode(), dtype=np.uint8).reshape(-1, digits)
    rows = np.arange(len(texts))
    return found.rewritten(rows, [(rows, codes)]) if len(texts) else pl.Series([], dtype=pl.String)


def _small(found: FormatPatterns, first: Bytes) -> Mask:
    """Which texts are integers of few digits, as a computer writes them."""
    counts = found.codes.lengths
    negative = first == ord("-")
    written = (found.found.lengths == counts + negative) & (found.letters == 0)
    written &= (_leading(found) != 48) | (counts == 1) & ~negative
    return np.asarray(written & (counts <= _MOST_DIGITS[negative.astype(np.intp)]))


def _leading(found: FormatPatterns) -> Bytes:
    """The first digit or letter of each; anything, where there is none."""
    return found.codes.data[found.codes.starts]


def _groups(
    found: FormatPatterns, rows: Ints, check: Check | None, keep_first: int, keep_last: int
) -> tuple[list[tuple[Ints, Group]], list[Ints]]:
    """Rows by how FF1 takes them, and rows of too few possible values."""
    taken: list[tuple[Ints, Group]] = []
    lost: list[Ints] = []
    # A number keeps its leading 0, so that none of the tries to find another such number fail.
    zero = (found.letters[rows] == 0) & (_leading(found)[rows] == 48)
    for label, places in groups(found.codes.lengths[rows] << 32 | found.letters[rows] << 1 | zero):
        length, letters = label >> 32, (label & 0xFFFFFFFF) >> 1
        members = rows[places]
        free = tuple(range(max(keep_first, label & 1), length - keep_last))
        checked = check.places(free, length) if check is not None and free and check.applies(length, letters) else ()
        group = Group(length, free, checked)
        for _, alike in groups(_kinds(found, members, group, letters)):
            codes = upper(found.codes.take(members[alike[:1]]).matrix(length))
            (
                taken.append((members[alike], group))
                if large_enough(radices_of(codes), group)
                else lost.append(members[alike])
            )
    return taken, lost


def _kinds(found: FormatPatterns, rows: Ints, group: Group, letters: int) -> Ints:
    """A number for each row that FF1 may take together with others of the same number.

    It covers how many letters are masked, and where check digits are letters.
    """
    if not letters:
        return np.zeros(len(rows), dtype=np.int64)
    is_letter = found.codes.take(rows).matrix(group.length) >= 65
    kinds: Ints = is_letter[:, list(group.free)].sum(axis=1).astype(np.int64)
    for position in group.places:
        kinds = kinds << 1 | is_letter[:, position]
    return kinds
