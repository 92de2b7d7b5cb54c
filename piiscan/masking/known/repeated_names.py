"""Names that a text repeats in part: "Mary Smith called. Mary wants …" becomes one made-up person, found or not."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.apart import Apart
from piiscan.core.header_words import fold
from piiscan.masking.known.folded_text import Folded, Hasher, Hashes, Ints, chunks, paired
from piiscan.masking.known.mentions import stems_in, suffix_hashes
from piiscan.masking.known.rendering import named
from piiscan.masking.known.value_forms import LAST, LAST_STEM, PARTICLES, forms
from piiscan.scanning.classify.plain_words import is_common

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_INITIAL: Final = re.compile(r"\b[^\W\d_a-z](?=\.|$)")
_POSSESSIVE: Final = re.compile("['’]s$")
_FEWEST: Final = 3
"""Letters of a part of a name that is looked for: shorter ones are words more often."""


def only_names(text: str, names: Iterable[str], found: Apart) -> list[str]:
    """The full names without a part that the text has in small letters too, as a word outside of what was found."""
    parts = {name: _wanted([name]) for name in names}
    small = {part.lower() for each in parts.values() for part in each}
    words = {w[0] for w in _WORD.finditer(text) if w[0] in small and not found.meets(w.start(), w.end())}
    return [name for name, each in parts.items() if each and words.isdisjoint(map(str.lower, each))]


def places(text: str, names: Sequence[str], found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield where else the first or last word of a full name is, outside of what was found.

    `names`: those of persons in the text. Words that are others too, such as Will and Brown, aren't looked for.
    """
    wanted = _wanted(names)
    if not wanted:
        return
    taken = sorted(found)
    starts = [start for start, _ in taken]
    ends = [*accumulate((end for _, end in taken), max)]
    for here in _WORD.finditer(text):
        word = here[0] if here[0] in wanted else _POSSESSIVE.sub("", here[0])
        if word in wanted and _is_apart(text, here.start(), len(word)):
            before = bisect_left(starts, here.start() + len(word)) - 1
            if before < 0 or ends[before] <= here.start():
                yield here.start(), here.start() + len(word)


class Declined(NamedTuple):
    """Where a text has the first or last word of a full name (`part`), declined, with an ending of so many letters."""

    start: int
    end: int
    part: str
    ending: int


def declined(texts: Sequence[str], names: Sequence[Sequence[str]]) -> list[list[Declined]]:
    """Where texts repeat a part of a full name in another case: "Anna Kernweiler … Kernweilers Konto".

    `names`: those of persons in each text. The parts are those of `places`; forms that are common words aren't looked
    for.
    """
    out: list[list[Declined]] = [[] for _ in texts]
    taken = [Apart() for _ in texts]
    parts = [(n, part) for n, each in enumerate(names) for part in sorted(_wanted(each))]
    if not parts:
        return out
    hasher = Hasher()
    stems, part_of = _stems(parts, hasher)
    suffixes = suffix_hashes(hasher)
    for begin, end in chunks(texts):
        f = Folded(texts[begin:end], hasher)
        for start, stop, ending, _, hashes in stems_in(f):
            text = f.text[np.searchsorted(f.start, start, side="right") - 1]
            both = paired(hashes, (text + begin).astype(np.uint64))
            place = np.minimum(np.searchsorted(stems, both), len(stems) - 1)
            hit = np.flatnonzero((stems[place] == both) & np.isin(f.hashes(stop - ending, stop), suffixes))
            where = f.first[text[hit]]
            first, last = f.begins_at(start[hit]) - where, f.ends_at(stop[hit]) - where
            which = part_of[place[hit]]
            for n, *found, i in zip(*(each.tolist() for each in (text[hit] + begin, first, last, which)), strict=True):
                here = Declined(found[0], found[1], parts[i][1], ending)
                # Shorter endings go first.
                if not is_common(texts[n][here.start : here.end]) and taken[n].add(here.start, here.end):
                    out[n].append(here)
    return out


def _stems(parts: Sequence[tuple[int, str]], hasher: Hasher) -> tuple[Hashes, Ints]:
    """What the declined forms of parts of names begin with, ascending and each paired with its text, and which part."""
    values = pl.Series([part for _, part in parts])
    none = pl.Series([None], dtype=pl.String).new_from_index(0, len(parts))
    found = [
        each
        for each in forms(LAST, values, none, hasher, lambda h: np.ones(len(h), dtype=np.bool_))
        if each.kind == LAST_STEM
    ]
    value = np.concatenate([each.value for each in found])
    of = np.array([n for n, _ in parts], dtype=np.uint64)
    stems = paired(np.concatenate([each.hash for each in found]), of[value])
    order = np.argsort(stems)
    return stems[order], value[order]


def _wanted(names: Sequence[str]) -> set[str]:
    full = [words for name in names if len(words := _words(name)) > 1]
    parts = {words[at][0] for words in full for at in (0, -1)}
    return {word for word in parts if len(word) >= _FEWEST and word[0].isupper() and not is_common(word)}


def _is_apart(text: str, start: int, size: int) -> bool:
    """Whether a word is no part of a longer one, such as an identifier or an address."""
    before, behind = text[start - 1 : start] if start else " ", text[start + size : start + size + 1]
    return not (before.isalnum() or before in "_-@." or behind.isalnum() or (behind and behind in "_-@"))


class _Part(NamedTuple):
    """The first or last word of a made-up full name (`mask`), and the initial of the other word, before and after."""

    mask: str
    initial: str
    other: str


def agreeing(
    masks: Sequence[tuple[int, str, str | None]], given: Sequence[tuple[int, str, str | None]] = ()
) -> list[str | None]:
    """The masks of names, by row and name: a part of one full name in its row becomes that part of its mask.

    So does an initial of the other part beside it. `given`: other names in these rows, with masks that stay.
    """
    of_parts: dict[tuple[int, str], set[_Part]] = {}
    for row, name, mask in (*masks, *given):
        if mask is not None and len(words := _words(name)) > 1 and len(made := _words(mask)) > 1:
            for at in (0, -1):
                part = _Part(made[at][0], words[-1 - at][0][:1].upper(), made[-1 - at][0][:1].upper())
                of_parts.setdefault((row, fold(words[at][0])), set()).add(part)
    out = []
    for row, name, mask in masks:
        words = _words(name)
        if len(words) == 1 and mask is not None:
            initials = set(_INITIAL.findall(name))
            told = [part for part in of_parts.get((row, fold(words[0][0])), ()) if initials <= {part.initial}]
            if len({part.mask for part in told}) == 1:
                mask = _with(name, words[0], told[0])
        out.append(mask)
    return out


def _words(name: str) -> list[re.Match[str]]:
    """The words of a name without titles, particles and initials."""
    return [word for word in _WORD.finditer(name) if len(word[0]) > 1 and fold(word[0]) not in _passed_over()]


@cache
def _passed_over() -> frozenset[str]:
    from piiscan.masking.surrogates import gender_words

    return PARTICLES.union(gender_words.titles())


def _with(name: str, word: re.Match[str], part: _Part) -> str:
    """A name with the mask of its one word: with its title, and in capitals where it is."""
    before, behind = (_INITIAL.sub(part.other, each) for each in (name[: word.start()], name[word.end() :]))
    return before + named(part.mask, word[0]) + behind
