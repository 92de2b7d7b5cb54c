"""Which way the cells of a column go: one rule may claim most of them, or a gate that all of them meet pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.matching import reference
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.rules.checks import Mask
from piiscan.rules.compile_rules import Pattern

if TYPE_CHECKING:
    import polars as pl

Index = NDArray[np.int64]
_PEEK: Final = 8
_MANY: Final = 4096


class Way(NamedTuple):
    """How a column's cells are looked at.

    `dominant`: the rule that may claim most of them. `passing`: where cells pass the first gate, None where that isn't
    known; no other cell holds a match of a rule that is searched within cells, or is read otherwise than written.
    """

    dominant: Pattern | None
    passing: Index | None


def way_of(text: pl.Series, prefilter: Prefilter) -> Way:
    """Which way pays for a column's cells, read or as they are written."""
    return ways_of([text], prefilter)[0]


def ways_of(texts: Sequence[pl.Series], prefilter: Prefilter) -> list[Way]:
    """`way_of` of each of some columns. They meet the gate together, which takes milliseconds before its first cell."""
    import polars as pl

    ways = [Way(_dominant(text, prefilter) if len(text) >= _MANY else None, None) for text in texts]
    gated = [i for i, way in enumerate(ways) if way.dominant is None]
    stops: Index = np.cumsum([len(texts[i]) for i in gated], dtype=np.int64)
    if not len(stops) or not prefilter.first or not prefilter.meets_many(int(stops[-1])):
        return ways
    cells = texts[gated[0]] if len(gated) == 1 else pl.concat([texts[i] for i in gated], rechunk=True)
    passing = np.flatnonzero(matches_of(cells, prefilter.first))
    ends = np.searchsorted(passing, stops)
    for i, start, end, stop in zip(gated, [0, *ends], ends, stops, strict=False):
        ways[i] = Way(None, passing[start:end] - (stop - len(texts[i])))
    return ways


def _dominant(text: pl.Series, prefilter: Prefilter) -> Pattern | None:
    """The claiming rule that most of a few cells meet, if at least half do."""
    if prefilter.claim_re is None:
        return None
    peek = [text[i].strip(reference.SPACES) for i in range(0, len(text), max(1, len(text) // _PEEK))]
    shaped = [t for t in peek if prefilter.claim_re.fullmatch(t)]
    if 2 * len(shaped) < len(peek):
        return None
    votes: dict[str, int] = {}
    for cell in shaped:
        for pattern in prefilter.claiming:
            if pattern.shortest <= len(cell) <= pattern.longest and reference.matches_whole(pattern, cell):
                votes[pattern.rule.id] = votes.get(pattern.rule.id, 0) + 1
    best = max(votes, key=lambda i: (votes[i], i))
    return prefilter.compiled.patterns[best] if 2 * votes[best] >= len(peek) else None


def matches_of(cells: pl.Series, regex: str) -> Mask:
    """Which cells a regex of polars finds."""
    return cells.str.contains(regex).to_numpy()
