"""Which way the cells of a column go: one rule may claim most of them, or a gate that all of them meet pays."""

from __future__ import annotations

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
    if len(text) < _MANY:
        return Way(None, None)
    dominant = _dominant(text, prefilter)
    if dominant is not None or not prefilter.first or not prefilter.meets_many(len(text)):
        return Way(dominant, None)
    return Way(None, np.flatnonzero(matches_of(text, prefilter.first)))


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
