"""Every rule on every cell of a column: what `reference` counts, vectorised.

The way of a cell: claimed at once by the column's dominant rule, or stopped by the first gate, or matched as a whole and
searched within. Which way is taken depends on a peek at the data and decides only the speed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from piiscan.checks import Mask
from piiscan.program import Pattern
from piiscan.scan import reference
from piiscan.scan.gates import Gates, windows
from piiscan.scan.validate import passes

if TYPE_CHECKING:
    import polars as pl

Index = NDArray[np.int64]
_PEEK = 16
_MANY = 4096
_NONE: Index = np.zeros(0, dtype=np.int64)


@dataclass
class Count:
    """One rule's findings in a batch: how many candidates, and the cells (ascending) that are hits."""

    candidates: int = 0
    hits: list[Index] = field(default_factory=list)

    def add(self, candidates: int, hits: Index) -> None:
        self.candidates += candidates
        if len(hits):
            self.hits.append(hits)

    @property
    def cells(self) -> Index:
        return np.sort(np.concatenate(self.hits)) if self.hits else _NONE


Counts = dict[tuple[str, bool], Count]
"""(rule id, whole?) → count."""


def count(text: pl.Series, gates: Gates, named: frozenset[str] = frozenset()) -> Counts:
    """What every rule finds in a column's non-blank cells. `named`: rules that the column's header names."""
    counts: Counts = {}
    left = _claim_dominant(text, gates, counts)
    first = gates.first
    if first is None or not len(left):
        return counts
    rest = text if len(left) == len(text) else text.gather(left)
    may_hit = rest.str.contains(first).to_numpy()
    left = left[may_hit]
    if not len(left):
        return counts
    rest = rest.filter(may_hit) if len(left) < len(rest) else rest
    claimed, candidates = _whole(rest, left, gates, counts)
    open_ = ~claimed
    if not open_.all():
        kept = np.flatnonzero(open_)
        renumber = np.cumsum(open_) - 1
        candidates = {rule: renumber[index[open_[index]]] for rule, index in candidates.items()}
        rest, left = rest.gather(kept), left[kept]
    if len(left):
        _within(rest, left, gates, named, candidates, counts)
    return counts


def _of(counts: Counts, rule: str, whole: bool) -> Count:
    return counts.setdefault((rule, whole), Count())


def _matches(cells: pl.Series, regex: str) -> Mask:
    return cells.str.contains(regex).to_numpy()


def _claim_dominant(text: pl.Series, gates: Gates, counts: Counts) -> Index:
    """Claim what the column's most frequent claiming rule claims; the cells that are left."""
    every = np.arange(len(text), dtype=np.int64)
    pattern = _dominant(text, gates) if len(text) >= _MANY else None
    if pattern is None:
        return every
    hit = _matches(text, pattern.whole)
    rows = np.flatnonzero(hit)
    if pattern.rule.check is not None and len(rows):
        cells = text if len(rows) == len(text) else text.gather(rows)
        hit[rows] = passes(pattern.rule.check, cells)
    for rival in pattern.rivals:
        other = gates.program.patterns.get(rival)
        if other is not None and hit.any():
            rows = np.flatnonzero(hit)
            hit[rows[_matches(text.gather(rows), other.whole)]] = False
    rows = np.flatnonzero(hit)
    if len(rows):
        _of(counts, pattern.rule.id, True).add(len(rows), rows)
    return every if not len(rows) else np.flatnonzero(~hit)


def _dominant(text: pl.Series, gates: Gates) -> Pattern | None:
    """The claiming rule that most of a few cells meet, if at least half do."""
    if gates.claim_re is None:
        return None
    peek = [t.strip(reference.SPACES) for t in text.gather_every(max(1, len(text) // _PEEK)).to_list()]
    shaped = [t for t in peek if gates.claim_re.fullmatch(t)]
    if 2 * len(shaped) < len(peek):
        return None
    votes: dict[str, int] = {}
    for cell in shaped:
        for pattern in gates.claiming:
            if pattern.shortest <= len(cell) <= pattern.longest and reference.matches_whole(pattern, cell):
                votes[pattern.rule.id] = votes.get(pattern.rule.id, 0) + 1
    best = max(votes, key=lambda i: (votes[i], i))
    return gates.program.patterns[best] if 2 * votes[best] >= len(peek) else None


def _whole(rest: pl.Series, left: Index, gates: Gates, counts: Counts) -> tuple[Mask, dict[str, Index]]:
    """Step 1 and 2: whole cells. Which cells are claimed, and each rule's candidates among the others."""
    claimed = np.zeros(len(rest), dtype=np.bool_)
    candidates: dict[str, Index] = {}
    if gates.whole is None:
        return claimed, candidates
    shaped = np.flatnonzero(_matches(rest, gates.whole))
    if not len(shaped):
        return claimed, candidates
    cells = rest.gather(shaped).str.strip_chars(reference.SPACES)
    lengths = cells.str.len_bytes().to_numpy()
    found: dict[str, list[Index]] = {}
    for length in np.unique(lengths).tolist():
        here = np.flatnonzero(lengths == length)
        bucket = cells if len(here) == len(cells) else cells.gather(here)
        open_ = shaped[here]
        for pattern in gates.linear:
            if not pattern.shortest <= length <= pattern.longest:
                continue
            hit = np.flatnonzero(_matches(bucket, pattern.whole))
            if len(hit):
                found.setdefault(pattern.rule.id, []).append(open_[hit])
    passing: dict[str, Index] = {}
    for pattern in gates.linear:
        if pattern.rule.id in found:
            index = np.concatenate(found[pattern.rule.id])
            good = index[passes(pattern.rule.check, rest.gather(index))]
            candidates[pattern.rule.id], passing[pattern.rule.id] = index, good
            if pattern.claims:
                mine = good[~claimed[good]]
                claimed[mine] = True
                _of(counts, pattern.rule.id, True).add(len(mine), np.sort(left[mine]))
    for rule, index in candidates.items():
        open_index = index[~claimed[index]]
        good = passing[rule][~claimed[passing[rule]]]
        candidates[rule] = open_index
        if len(open_index):
            _of(counts, rule, True).add(len(open_index), np.sort(left[good]))
    return claimed, candidates


def _within(rest: pl.Series, left: Index, gates: Gates, named: frozenset[str], done: dict[str, Index], counts: Counts) -> None:
    """Step 3: matches within the cells of `rest`. `done`: cells that a rule matches as a whole, by rule."""
    found: dict[str, Index] = {}
    for pattern, index in [*_anywhere(rest, gates), *_context(rest, gates, named)]:
        skip = done.get(pattern.rule.id)
        kept = index if skip is None else np.setdiff1d(index, skip, assume_unique=True)
        if len(kept):
            found[pattern.rule.id] = kept
    if not found:
        return
    patterns = gates.program.patterns
    rules_per_cell = np.zeros(len(rest), dtype=np.int64)
    for rule, index in found.items():
        if patterns[rule].rule.entity != "URL":
            rules_per_cell[index] += 1
    hits = dict.fromkeys(found, _NONE)
    contested: dict[int, list[Pattern]] = {}
    for rule, index in found.items():
        pattern = patterns[rule]
        alone = index if pattern.rule.entity == "URL" else index[rules_per_cell[index] == 1]
        good = _first_match_passes(rest, alone, pattern)
        hits[rule] = alone[good]
        for cell in np.concatenate(
            [alone[~good], index[rules_per_cell[index] > 1]] if len(alone) < len(index) else [alone[~good]]
        ).tolist():
            contested.setdefault(cell, []).append(pattern)
    if contested:
        order = sorted(contested)
        more: dict[str, list[int]] = {}
        for cell, text in zip(order, rest.gather(order).to_list(), strict=True):
            kept_spans, _ = reference.spans(text.strip(reference.SPACES), contested[cell])
            for rule in {s.pattern.rule.id for s in kept_spans}:
                more.setdefault(rule, []).append(cell)
        for rule, cells in more.items():
            hits[rule] = np.union1d(hits[rule], np.array(cells, dtype=np.int64))
    for rule, index in found.items():
        _of(counts, rule, False).add(len(index), left[hits[rule]])


def _first_match_passes(rest: pl.Series, index: Index, pattern: Pattern) -> Mask:
    """Which cells' first match passes the check. (Others may have a later one that does.)"""
    if pattern.rule.check is None or not len(index):
        return np.ones(len(index), dtype=np.bool_)
    return passes(pattern.rule.check, rest.gather(index).str.extract(pattern.within, 1))


def _anywhere(rest: pl.Series, gates: Gates) -> list[tuple[Pattern, Index]]:
    """Cells that hold a match of an `anywhere` rule."""
    out: list[tuple[Pattern, Index]] = []
    if gates.anywhere_windows is None or gates.any_within is None:
        return out
    index = np.flatnonzero(_matches(rest, gates.anywhere_windows))
    cells = rest.gather(index)
    keep = _matches(cells, gates.any_within)
    index, cells = index[keep], cells.filter(keep)
    for group in gates.groups:
        if not len(index):
            break
        mask = _matches(cells, group.any_within)
        if not mask.any():
            continue
        inner_index, inner = index[mask], cells.filter(mask)
        for pattern in group.patterns:
            hit = _matches(inner, pattern.within)
            if hit.any():
                out.append((pattern, inner_index[hit]))
    return out


def _context(rest: pl.Series, gates: Gates, named: frozenset[str]) -> list[tuple[Pattern, Index]]:
    """Cells that hold a match of a `context` rule and its context, or stand under a header that names the rule."""
    out: list[tuple[Pattern, Index]] = []
    for pattern in (p for p in gates.context if p.rule.id in named):
        hit = np.flatnonzero(_matches(rest, pattern.within))
        if len(hit):
            out.append((pattern, hit))
    if gates.context_windows is None or gates.context_words is None:
        return out
    index = np.flatnonzero(_matches(rest, gates.context_windows))
    cells = rest.gather(index)
    keep = _matches(cells, gates.context_words)
    index, cells = index[keep], cells.filter(keep)
    if not len(index):
        return out
    for pattern in (p for p in gates.context if p.rule.id not in named):
        window = windows((pattern,))
        mask = _matches(cells, window) if window else np.ones(len(cells), dtype=np.bool_)
        if not mask.any() or not pattern.rule.context:
            continue
        inner_index, inner = index[mask], cells.filter(mask)
        near = _matches(inner, reference.context_pattern(pattern.rule))
        inner_index, inner = inner_index[near], inner.filter(near)
        hits = _matches(inner, pattern.within)
        if hits.any():
            out.append((pattern, inner_index[hits]))
    return out
