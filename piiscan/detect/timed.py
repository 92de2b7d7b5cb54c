"""User rules that need more than the linear dialect: run by the `regex` package on the cells that pass their gate, under a
time budget. A rule that runs out of it makes its column count as not scanned, never as clean."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.detect.column import Count
from piiscan.detect.gates import windows
from piiscan.detect.reference import SPACES
from piiscan.program import Pattern

if TYPE_CHECKING:
    import polars as pl

    from piiscan.detect.column import Counts

CELL_SECONDS: Final = 0.05
"""Longest search in one cell."""
BATCH_SECONDS: Final = 5.0
"""Longest search in one column of one batch."""


def count(text: pl.Series, patterns: Sequence[Pattern], counts: Counts) -> tuple[str, ...]:
    """Add each rule's findings to `counts`; the ids of those that ran out of their budget."""
    over: list[str] = []
    for pattern in patterns:
        try:
            _count_one(text, pattern, counts)
        except TimeoutError:
            over.append(pattern.rule.id)
    return tuple(over)


def _count_one(text: pl.Series, pattern: Pattern, counts: Counts) -> None:
    import regex

    rule = pattern.rule
    searcher = regex.compile(pattern.text, regex.ASCII | (regex.IGNORECASE if rule.ignore_case else 0))
    gate = windows((pattern,))
    index = np.flatnonzero(text.str.contains(gate).to_numpy()) if gate else np.arange(len(text), dtype=np.int64)
    deadline = time.monotonic() + BATCH_SECONDS
    found: dict[bool, list[tuple[int, bool]]] = {True: [], False: []}
    for cell, value in zip(index.tolist(), text.gather(index).to_list(), strict=True):
        if time.monotonic() > deadline:
            raise TimeoutError
        value = value.strip(SPACES)
        if searcher.fullmatch(value, timeout=CELL_SECONDS):
            found[True].append((cell, rule.passes(value)))
        elif rule.search != "cell":
            matches = [m.group() for m in searcher.finditer(value, timeout=CELL_SECONDS)]
            if matches:
                found[False].append((cell, any(map(rule.passes, matches))))
    for whole, cells in found.items():
        if cells:
            hits = np.array([cell for cell, passed in cells if passed], dtype=np.int64)
            counts.setdefault((rule.id, whole), Count()).add(len(cells), hits)
