"""Decides which mentions in texts are masked, and as whose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from piiscan.masking.known.entries import NONE
from piiscan.masking.known.folded_text import Flags, Hashes, Ints
from piiscan.masking.known.known_values import KnownValues
from piiscan.masking.known.mentions import Found
from piiscan.masking.known.value_forms import (
    EMAIL,
    FIRST,
    FIRST_LAST,
    FIRST_STEM,
    FULL,
    INITIAL_LAST,
    INITIALS,
    INNER,
    LAST,
    LAST_FIRST,
    LAST_INITIAL,
    LAST_STEM,
    LOGIN,
    NAME,
    NUMBER,
    PAGE,
    PHONE,
    SHORT,
    SHORTEST_LOGIN,
    STEMS,
    STREET,
    USERNAME,
)  # fmt: skip

_SHORTEST_NUMBER: Final = 3
_SHORTEST_SMALL: Final = 6
"""Letters of a name in full that is written as a word or as words are."""


class Chosen(NamedTuple):
    """Mentions that are masked, or may be: of which `row`, which mention (`at`) and `entry`, and of which kind it is.

    `sure`: it is masked whatever stands around it; else it is part of a name and needs support. `own`: it is of the
    row's own person.
    """

    row: Ints
    at: Ints
    entry: Ints
    kind: Ints
    sure: Flags
    own: Flags


def chosen(known: KnownValues, found: Found, text_of: Ints, keys: Sequence[Hashes]) -> Chosen:
    """The mentions of each row: `text_of` says which text it has (`NONE`: none), `keys` whose row it is."""
    row, at = _spread(found.text, text_of)
    value = found.value[at]
    hashes, kinds = known.values[value], found.kinds[at]
    entries = known.entries
    own = np.full(len(row), NONE)
    ending = found.ending[at] > 0
    for key in keys:
        entry = _fitting(known, known.entry_of(hashes, key[row]), ending)
        better = (entry != NONE) & ((own == NONE) | (entries.rank(entry) < entries.rank(own)))
        own = np.where(better, entry, own)
    is_own = own != NONE
    own_kind = entries.kind(own).astype(np.int64)
    digits, length = found.digits[at], found.length[at]
    is_own &= ~((own_kind == NUMBER) & (length < _SHORTEST_NUMBER))
    own_kind = np.where(
        ending & (own_kind == FIRST), FIRST_STEM, np.where(ending & (own_kind == LAST), LAST_STEM, own_kind)
    )
    is_own &= (kinds >> own_kind) & 1 == 1
    capital, last_capital, tokens = found.capital[at], found.last_capital[at], found.tokens[at]
    is_own &= (own_kind != SHORT) | capital
    # "Law will", "a Kowalski" and the genitive "Nowaka" are no full names.
    no_name = np.isin(own_kind, (FIRST_LAST, LAST_FIRST)) & (tokens > 1) & capital & ~last_capital
    no_name |= (own_kind == INITIAL_LAST) & ~capital & (tokens > 1)
    no_name |= (own_kind == LAST_INITIAL) & ~last_capital & (capital | (tokens > 1))
    is_own &= ~no_name
    both = (capital & last_capital & (tokens > 1)) | found.step[at]
    other = _kind_of_others(kinds, length, digits, capital, both, known.crowded[np.minimum(digits, 31)])
    small = (other == NONE) & ~both
    other = np.where(small, _names_in_small(kinds, length, tokens), other)
    other = np.where(found.known_ending[at], other, NONE)
    is_full = np.isin(other, (*FULL, NAME))
    named = np.where(is_full, known.sole_name[value], NONE)
    other = np.where((named != NONE) & (other == NAME), entries.kind(named), other)
    entry = np.where(is_own, own, np.where(is_full, named, known.sole[value]))
    kind = np.where(is_own, own_kind, other)
    name_part = (kind == FIRST) | (kind == LAST) | (kind == FIRST_STEM) | (kind == LAST_STEM)
    few = (kind == FIRST) | (kind == LAST) | ((kind == INNER) & (tokens <= 2))
    sure = (is_own & ~few) | (~is_own & (kind >= 0) & ~name_part)
    sure |= is_own & capital
    sure &= is_own | ((kind != USERNAME) & ~(small & is_full)) | _is_telling(digits, length)
    keep = kind >= 0
    return Chosen(row[keep], at[keep], entry[keep], kind[keep], sure[keep], is_own[keep])


def _spread(of: Ints, text_of: Ints) -> tuple[Ints, Ints]:
    """For each row the mentions in its text: rows, and places of mentions."""
    order = np.argsort(of, kind="stable")
    count_of = np.bincount(of, minlength=int(text_of.max(initial=0)) + 1)
    begin = np.cumsum(count_of) - count_of
    rows = np.flatnonzero(text_of >= 0)
    count = count_of[text_of[rows]]
    at = np.repeat(begin[text_of[rows]] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
    return np.repeat(rows, count), order[at]


def _fitting(known: KnownValues, entry: Ints, ending: Flags) -> Ints:
    """Entries of stems only for words that have an ending."""
    stem = np.isin(known.entries.kind(entry), STEMS)
    return np.where((entry != NONE) & stem & ~ending, NONE, entry) if len(entry) else entry


def _is_telling(digits: Ints, length: Ints) -> Flags:
    """Whether a user name is no word, whatever stands before it."""
    return (digits > 0) & (length >= SHORTEST_LOGIN)


def _names_in_small(kinds: Ints, length: Ints, tokens: Ints) -> Ints:
    """Names in full that aren't written as such: anna kernweiler, akernweiler, AnnaKernweiler; `NONE` for others."""
    out = np.full(len(kinds), NONE)
    for kind in (*INITIALS, LAST_FIRST, FIRST_LAST, NAME):
        fits = ((kinds >> kind) & 1 == 1) & (length >= _SHORTEST_SMALL)
        out = np.where(fits & ((tokens == 1) if kind in INITIALS else True), kind, out)
    return out


def _kind_of_others(kinds: Ints, length: Ints, digits: Ints, capital: Flags, both: Flags, crowded: Flags) -> Ints:
    """Classify mentions that aren't of the row's own person; `NONE` where one isn't masked.

    `both`: its first and last words begin with capitals.
    """

    def has(*which: int) -> Flags:
        found: Flags = (kinds & sum(1 << k for k in which)) != 0
        return found

    letters, telling = length - digits, _is_telling(digits, length)
    number = ((letters > 0) & (length >= 5) & (digits >= 3)) | ((letters == 0) & (length >= 6) & ~crowded)
    out = np.full(len(kinds), NONE)
    rules: tuple[tuple[int, Flags], ...] = (
        (USERNAME, has(USERNAME)),
        (FIRST_STEM, has(FIRST_STEM) & capital),
        (LAST_STEM, has(LAST_STEM) & capital),
        (FIRST, has(FIRST) & capital),
        (LAST, has(LAST) & capital),
        (LAST_INITIAL, has(LAST_INITIAL) & both & (length >= 6)),
        (INITIAL_LAST, has(INITIAL_LAST) & both & (length >= 6)),
        (USERNAME, has(USERNAME) & telling),
        (LOGIN, has(LOGIN)),
        (STREET, has(STREET) & (digits > 0) & ((length >= 7) | ((length == 6) & (digits >= 3)))),
        (PHONE, has(PHONE) & (length >= 7)),
        (NUMBER, has(NUMBER) & number),
        (PAGE, has(PAGE) & (length >= 8)),
        (LAST_FIRST, has(LAST_FIRST) & both),
        (FIRST_LAST, has(FIRST_LAST) & both),
        (NAME, has(NAME) & both & (length >= 6)),
        (EMAIL, has(EMAIL)),
    )
    for kind, where in rules:
        out = np.where(where, kind, out)
    return out
