"""How likely it is that a made-up name equals its original, or one of some known values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
import polars as pl
import regex
from numpy.typing import NDArray

from piiscan.masking.surrogates.locales import UNSPACED
from piiscan.masking.surrogates.personas import Table, table
from piiscan.masking.surrogates.written_names import is_degree

_WORD: Final = regex.compile(r"\p{L}(?:['’ʻ‘`´-]?[\p{L}\p{M}])*")
_SAMPLE: Final = 1024
_SEED: Final = 7
"""So many cells stand for all of a batch."""
_PAIRS: Final = 1 << 14
"""So many full names stand for all of a locale."""
_WITH_CASE: Final = regex.compile(r"[\p{Lu}\p{Ll}\p{Lt}]")


def stays(cells: pl.Series, locales: Sequence[str], script: str = "") -> float:
    """How many of some names or user names are expected, at most, to stay by chance.

    `cells`: String, no nulls. It is estimated from a thousand of them, for people of one of the locales. `script`: of
    the made-up names, as `piiscan.masking.surrogates.personas.table` takes it.
    """
    # At random: every twentieth cell may be the same person's.
    some = cells.sample(min(len(cells), _SAMPLE), seed=_SEED).rename("name")
    known = _shares(tuple(locales), script)
    unspaced = any(locale in UNSPACED for locale in locales)
    different = some.value_counts(sort=False)
    found = sum(
        count * _likely(text, known, unspaced)
        for text, count in zip(different["name"].to_list(), different["count"].to_list(), strict=True)
    )
    return float(found) * len(cells) / max(1, len(some))


def given_names_stay(cells: pl.Series, locales: Sequence[str], script: str = "") -> float:
    """How many names are expected, at most, to keep a given name by chance; it is estimated as `stays` is.

    Made-up people have the gender of their own, so that they do so about twice as often as two people at random.
    """
    some = cells.sample(min(len(cells), _SAMPLE), seed=_SEED).rename("name")
    known = _shares(tuple(locales), script, last=False)
    different = some.value_counts(sort=False)
    found = sum(
        count * max((known.get(word.casefold(), 0.0) for word in _WORD.findall(text)), default=0.0)
        for text, count in zip(different["name"].to_list(), different["count"].to_list(), strict=True)
    )
    return float(found) * len(cells) / max(1, len(some))


def _likely(text: str, known: dict[str, float], unspaced: bool) -> float:
    """How likely all the words of a name are, at most. Initials, particles and titles are certain: they may stay."""
    out, named = 1.0, False
    for word in _WORD.findall(text):
        small = word.casefold()
        if (len(small) == 1 and _WITH_CASE.match(word)) or is_degree(word):
            continue
        share = max(known.get(small, 0.0), _joined(small.split("-"), known) if "-" in small else 0.0)
        if not share and unspaced:
            share = max((known.get(small[:i], 0.0) * known.get(small[i:], 0.0) for i in (1, 2)), default=0.0)
        if not share and word[0].isupper():
            return 0.0
        if share:
            out, named = out * share, True
    return out if named else 0.0


def _joined(parts: Sequence[str], known: dict[str, float]) -> float:
    return float(np.prod([known.get(part, 0.0) for part in parts]))


@cache
def _shares(locales: tuple[str, ...], script: str, last: bool = True) -> dict[str, float]:
    """Name, in plain letters too and in lower case → how likely it is as a first or `last` name.

    The probability is that of the locale and gender where it is likeliest.
    """
    out: dict[str, float] = {}
    for locale in locales:
        t = table(locale, script)
        each = _last_names(t) if last else []
        for at, shares in _first_names(t):
            each += [(t.firsts.gather(at), shares), (t.first_stems.gather(at), shares)]
        patronymics = t.lists.patronymics if last else ()
        each += [(pl.Series(f, dtype=pl.String), np.full(len(f), 1 / max(1, len(f)))) for f in patronymics]
        for names, shares in each:
            alike: dict[str, float] = {}
            for name, share in zip(names.to_list(), shares.tolist(), strict=True):
                alike[name.casefold()] = alike.get(name.casefold(), 0.0) + share
            for name, share in alike.items():
                out[name] = max(out.get(name, 0.0), share)
    return out


def _last_names(t: Table) -> list[tuple[pl.Series, NDArray[np.float64]]]:
    shares = _surnames(t)
    return [(t.surnames[: len(shares)], shares), (t.surnames[len(shares) :], shares), (t.surname_stems, shares)]


def _surnames(t: Table) -> NDArray[np.float64]:
    """How likely each surname is, in the order of the lists."""
    shares: NDArray[np.float64] = np.diff(t.surname_sums.astype(np.float64)) / float(t.surname_sums[-1])
    return shares


def _first_names(t: Table) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """For women, men and both: places in `firsts`, and how likely each is."""
    initials = np.diff(t.initial_sums.astype(np.float64)) / float(t.initial_sums[-1])
    weights = np.diff(t.first_sums.astype(np.float64))
    for starts, stops in zip(t.first_start, t.first_stop, strict=True):
        at = [np.arange(a, b) for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
        shares = [share * weights[a] / max(1.0, weights[a].sum()) for a, share in zip(at, initials, strict=True)]
        yield np.concatenate(at), np.concatenate(shares)


def share_known(
    are_known: Callable[[pl.Series], NDArray[np.bool_]], locales: Sequence[str], kind: str, script: str = ""
) -> float:
    """The share of the made-up names of a kind that is among known values, in the locale where it is largest.

    `kind`: "name", "first_name" or "last_name". For full names in several formats, by 16,384 of them. `script`: of the
    made-up names.
    """
    return max(
        (
            float(known @ shares)
            for locale in locales
            for names, shares in _made_up(table(locale, script), kind)
            for known in [are_known(names).astype(np.float64)]
        ),
        default=0.0,
    )


def _made_up(t: Table, kind: str) -> Iterator[tuple[pl.Series, NDArray[np.float64]]]:
    last = _surnames(t)
    surnames = [t.surnames[: len(last)], t.surnames[len(last) :]]
    firsts = [(t.firsts.gather(at), shares / shares.sum()) for at, shares in _first_names(t)]
    if kind != "last_name":
        yield from firsts
    if kind != "first_name":
        yield from ((names, last) for names in surnames)
    if kind == "name":
        draw = np.random.default_rng(0)
        even = np.full(_PAIRS, 1 / _PAIRS)
        for given, shares in firsts:
            one = given.gather(draw.choice(len(given), _PAIRS, p=shares))
            two = surnames[0].gather(draw.choice(len(last), _PAIRS, p=last))
            for a, b in ((one, two), (two, one), (one.str.slice(0, 1), two), (one, two.str.slice(0, 1))):
                yield a + " " + b, even
