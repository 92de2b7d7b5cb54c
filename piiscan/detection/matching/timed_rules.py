"""User rules outside the linear dialect, run on cells under a time budget.

The `regex` package runs them on the cells that pass their gate. A rule that exceeds its budget makes its column count
as not scanned, never as clean.

They are searched where their `search` and `boundary` say, as `reference` has it for others, but claim no cell and hide
no match.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.detection.matching.canonical_cells import taken
from piiscan.detection.matching.match_column import Count
from piiscan.detection.matching.prefilter import windows
from piiscan.detection.matching.reference import SPACES, has_context
from piiscan.rules.compile_rules import Pattern

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detection.matching.match_column import Counts

CELL_SECONDS: Final = 0.05
"""Longest search in one cell."""
BATCH_SECONDS: Final = 5.0
"""Longest search in one column of one batch."""


def count(text: pl.Series, patterns: Sequence[Pattern], counts: Counts, named: frozenset[str]) -> tuple[str, ...]:
    """Add each rule's findings to `counts`; the ids of those that ran out of their budget.

    `named`: rules that the column's header names.
    """
    over: list[str] = []
    for pattern in patterns:
        try:
            if pattern.rule.search != "cell" or pattern.rule.id in named:
                _count_one(text, pattern, counts, pattern.rule.id in named)
        except TimeoutError:
            over.append(pattern.rule.id)
    return tuple(over)


def _count_one(text: pl.Series, pattern: Pattern, counts: Counts, is_named: bool) -> None:
    import regex

    rule = pattern.rule
    flags = regex.ASCII | (regex.IGNORECASE if rule.ignore_case else 0)
    whole, within = regex.compile(pattern.text, flags), regex.compile(pattern.exact, flags)
    gate = windows((pattern,))
    index = np.flatnonzero(text.str.contains(gate).to_numpy()) if gate else np.arange(len(text), dtype=np.int64)
    deadline = time.monotonic() + BATCH_SECONDS
    found: dict[bool, list[tuple[int, bool]]] = {True: [], False: []}
    for cell, value in zip(index.tolist(), taken(text, index).to_list(), strict=True):
        if time.monotonic() > deadline:
            raise TimeoutError
        value = value.strip(SPACES)
        if whole.fullmatch(value, timeout=CELL_SECONDS):
            found[True].append((cell, rule.passes(value)))
        elif rule.search == "anywhere" or (rule.search == "context" and (is_named or has_context(pattern, value))):
            matches = [m.group() for m in within.finditer(value, timeout=CELL_SECONDS)]
            if matches:
                found[False].append((cell, any(map(rule.passes, matches))))
    for is_whole, cells in found.items():
        if cells:
            tried, passing = ([c for c, passed in cells if passed or not only] for only in (False, True))
            counts.setdefault((rule.id, is_whole), Count()).add(np.array(tried), np.array(passing, dtype=np.int64))
