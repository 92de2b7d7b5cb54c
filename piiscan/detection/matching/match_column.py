"""Every rule on every cell of a column: what `reference` counts, vectorised.

The way of a cell: claimed at once by the column's dominant rule, or stopped by the gates, or matched as a whole and
searched within. Which way is taken depends on a peek at the data and decides only the speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

import numpy as np

from piiscan.detection.distinct import distinct
from piiscan.detection.matching import reference
from piiscan.detection.matching.canonical_cells import taken
from piiscan.detection.matching.column_checks import Candidates, byte_matrix, passes
from piiscan.detection.matching.column_ways import Index, Way, matches_of, way_of
from piiscan.detection.matching.prefilter import Group, Prefilter
from piiscan.rules.checks import Mask
from piiscan.rules.compile_rules import LONGEST_DIGITS, Pattern

if TYPE_CHECKING:
    import polars as pl

P = ParamSpec("P")
T = TypeVar("T")
_FEW = 2000
_COMPILED = 512
"""So many cells take Python as long as polars, which has to compile a regex first."""
_LONG = 1 << 20
"""So many characters of fewer cells do, too."""
_LOOKS = 64
_KINDS = np.arange(256, dtype=np.uint8)
"""The sign for a character where only kinds count: a 0 for digits, an A or a for letters."""
for _kind, _last in (("0", "9"), ("A", "Z"), ("a", "z")):
    _KINDS[ord(_kind) : ord(_last) + 1] = ord(_kind)
_NONE: Index = np.zeros(0, dtype=np.int64)


@dataclass
class Count:
    """One rule's findings in a batch: the cells that are candidates, and those that are hits, each part ascending."""

    tried: list[Index] = field(default_factory=list)
    hits: list[Index] = field(default_factory=list)

    def add(self, candidates: Index, hits: Index) -> None:
        self.tried.append(candidates)
        if len(hits):
            self.hits.append(hits)

    @property
    def candidates(self) -> int:
        return sum(map(len, self.tried))

    @property
    def cells(self) -> Index:
        return _ascending(self.hits)


def _ascending(parts: Sequence[Index]) -> Index:
    return parts[0] if len(parts) == 1 else np.sort(np.concatenate([_NONE, *parts]))


Counts = dict[tuple[str, bool], Count]
"""(rule id, whole?) → count."""

Found = dict[str, Index]
"""Rule id → ascending positions of cells."""


class _Passing(NamedTuple):
    """The cells that pass the gates: what looks like a match of an `anywhere` rule, and of a `context` rule."""

    anywhere: Index
    numbers: Index


class _Left(NamedTuple):
    """The cells that nobody claims and that pass the gates of `context` rules.

    As a whole, and within text where a context phrase may begin.
    """

    whole: Index
    context: Index


class _Tried(NamedTuple):
    """What `anywhere` rules find in cells, as a whole too, and which cells one of them claims."""

    matches: Found
    wholes: Found
    claimed: Mask


def count(
    text: pl.Series,
    prefilter: Prefilter,
    named: frozenset[str] = frozenset(),
    executor: Executor | None = None,
    way: Way | None = None,
) -> Counts:
    """What every rule finds in a column's non-blank cells. `named`: rules that the column's header names.

    `way`: what `way_of` says of these cells, or of what they were before they were read.

    `executor`: a thread for what few cells need. Polars keeps the last 32 regexes of a thread: the gates, which every
    cell meets and which take long to compile, stay in this one's, and those of a column's rules in the executor's.
    """
    counts: Counts = {}
    way = way_of(text, prefilter) if way is None else way
    left = None if way.dominant is None else _claim_dominant(text, way.dominant, prefilter, counts)
    rest = text if left is None else taken(text, left)
    passing = _passing(rest, prefilter, way)
    if len(passing.anywhere) + len(passing.numbers) or any(
        prefilter.compiled.patterns[rule].rule.search == "cell" for rule in named & prefilter.compiled.patterns.keys()
    ):
        left = np.arange(len(rest), dtype=np.int64) if left is None else left
        tried = _done(executor, _try_anywhere, rest, left, prefilter, passing, counts)
        open_ = _open_to_context(rest, passing.numbers[~tried.claimed[passing.numbers]], prefilter)
        _done(executor, _count_rules, rest, left, prefilter, named, passing, tried, open_, counts)
    return counts


def _done(executor: Executor | None, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What work gives that is done in a thread, where there is one."""
    return work(*args, **kwargs) if executor is None else executor.submit(work, *args, **kwargs).result()


def _passing(rest: pl.Series, prefilter: Prefilter, way: Way) -> _Passing:
    """The cells that pass the gates. One before both saves a third of their time, once compiling it has paid."""
    index = way.passing
    if index is None:
        index = np.arange(len(rest), dtype=np.int64)
        if way.dominant is not None and prefilter.first and len(rest) and prefilter.meets_many(len(rest)):
            index = np.flatnonzero(matches_of(rest, prefilter.first))
    return _Passing(*_wheres(rest, index, (prefilter.anywhere, prefilter.context)))


def _open_to_context(rest: pl.Series, numbers: Index, prefilter: Prefilter) -> _Left:
    """Which of some cells `context` rules are tried on.

    Of few cells, only those as short as a match meet the gate for whole cells, and all pass as texts: compiling a gate
    takes longer than looking at them.
    """
    if len(numbers) > _COMPILED:
        return _Left(*_wheres(rest, numbers, (prefilter.whole, prefilter.context_start)))
    if not len(numbers):
        return _Left(_NONE, _NONE)
    lengths = taken(rest, numbers).str.strip_chars(reference.SPACES).str.len_bytes().to_numpy()
    return _Left(_where(rest, numbers[lengths <= prefilter.longest_context], prefilter.whole), numbers)


def parted(counts: Counts, stops: Index) -> list[Counts]:
    """What was counted in texts one behind the other, for each of them. `stops`: where each ends."""
    parts: list[Counts] = [{} for _ in stops]
    for key, found in counts.items():
        for cells, is_hit in ((_ascending(found.tried), False), (found.cells, True)):
            ends = np.searchsorted(cells, stops)
            for text in np.flatnonzero(np.diff(ends, prepend=0)).tolist():
                start, begin = (stops[text - 1], ends[text - 1]) if text else (0, 0)
                count = parts[text].setdefault(key, Count())
                (count.hits if is_hit else count.tried).append(cells[begin : ends[text]] - start)
    return parts


def _try_anywhere(rest: pl.Series, left: Index, prefilter: Prefilter, passing: _Passing, counts: Counts) -> _Tried:
    """The `anywhere` rules on the cells that came through their gate; counts what they claim."""
    patterns = prefilter.compiled.patterns
    matches = _anywhere(rest, passing.anywhere, prefilter)
    wholes = {rule: _where(rest, index, patterns[rule].whole) for rule, index in matches.items()}
    return _Tried(matches, wholes, _claim(rest, left, wholes, prefilter, counts))


def _count_rules(
    rest: pl.Series,
    left: Index,
    prefilter: Prefilter,
    named: frozenset[str],
    passing: _Passing,
    tried: _Tried,
    open_: _Left,
    counts: Counts,
) -> None:
    """Rule by rule, on the cells that came through the gates."""
    matches, wholes, claimed = tried
    unclaimed = np.flatnonzero(~claimed)
    wholes |= _whole(rest, open_.whole, prefilter)
    wholes |= _each(rest, unclaimed, [p for p in prefilter.compiled.of("cell") if p.rule.id in named], whole=True)
    identified = _count_open(rest, left, wholes, claimed, prefilter, named, counts)
    matches |= _context(rest, open_.context, prefilter)
    numbers = passing.numbers[~(claimed | identified)[passing.numbers]]
    by_header = _each(rest, numbers, [p for p in prefilter.compiled.of("context") if p.rule.id in named])
    for rule, index in by_header.items():
        matches[rule] = np.union1d(matches[rule], index) if rule in matches else index
    for rule, index in matches.items():
        inner = index[~claimed[index]]
        matches[rule] = np.setdiff1d(inner, wholes[rule], assume_unique=True) if rule in wholes else inner
    _count_within(rest, left, {rule: index for rule, index in matches.items() if len(index)}, prefilter, counts)


def _of(counts: Counts, rule: str, whole: bool) -> Count:
    return counts.setdefault((rule, whole), Count())


def _where(cells: pl.Series, index: Index, regex: str | None) -> Index:
    """The positions in `index` whose cells the regex finds."""
    if regex is None or not len(index):
        return _NONE
    return index[matches_of(cells if len(index) == len(cells) else taken(cells, index), regex)]


def _wheres(cells: pl.Series, index: Index, regexes: Sequence[str | None]) -> list[Index]:
    """`_where` of several regexes: one call of polars, each of which costs as much as some thousand cells."""
    import polars as pl

    known = [regex for regex in regexes if regex is not None]
    if not known or not len(index):
        return [_NONE] * len(regexes)
    frame = (cells if len(index) == len(cells) else taken(cells, index)).to_frame("cells")
    found = frame.select_seq(pl.col("cells").str.contains(regex).alias(str(i)) for i, regex in enumerate(known))
    hits = (index[hit.to_numpy()] for hit in found.iter_columns())
    return [_NONE if regex is None else next(hits) for regex in regexes]


def _claim_dominant(text: pl.Series, pattern: Pattern, prefilter: Prefilter, counts: Counts) -> Index | None:
    """Claim what the column's most frequent claiming rule claims; the cells that are left, None for all."""
    hit = matches_of(text, pattern.whole)
    if pattern.rule.check is not None and hit.any():
        if hit.all():
            hit = passes(pattern.rule.check, Candidates(text))
        else:
            hit[hit] = passes(pattern.rule.check, Candidates(text.filter(hit)))
    for rival in pattern.rivals:
        other = prefilter.compiled.patterns.get(rival)
        if other is not None and hit.any():
            rows = np.flatnonzero(hit)
            hit[_where(text, rows, other.whole)] = False
    rows = np.flatnonzero(hit)
    if not len(rows):
        return None
    _of(counts, pattern.rule.id, True).add(rows, rows)
    return np.flatnonzero(~hit)


def _anywhere(rest: pl.Series, index: Index, prefilter: Prefilter) -> Found:
    """Cells that hold a match of an `anywhere` rule, by rule."""
    if len(index) <= _FEW:
        return _each(rest, index, prefilter.compiled.of("anywhere"))
    index = _where(rest, index, prefilter.precise)
    return _by_groups(rest, index, prefilter.anywhere_groups)


def _by_groups(rest: pl.Series, index: Index, groups: Sequence[Group]) -> Found:
    """`_each` of all rules of some groups."""
    found: Found = {}
    cells = taken(rest, index)
    for group in groups:
        found |= _each(rest, index[matches_of(cells, group.any_match)], group.patterns)
    return found


def _each(rest: pl.Series, index: Index, patterns: Sequence[Pattern], whole: bool = False) -> Found:
    """Cells that hold (or are, as a whole) a match of each of some patterns.

    For few cells, patterns are not tried that need more characters, another character or more digits than any cell
    has: compiling a regex would take longer than all the rest.
    """
    if not len(index) or not patterns:
        return {}
    cells = rest if len(index) == len(rest) else taken(rest, index)
    if len(index) <= _FEW:
        present, digits, longest = _present(cells)
        patterns = [
            p for p in patterns if p.shortest <= longest and p.fewest_digits <= digits and present.issuperset(p.needs)
        ]
    found = _wheres(cells, index, [p.whole if whole else p.within for p in patterns])
    return {p.rule.id: hit for p, hit in zip(patterns, found, strict=True) if len(hit)}


def _present(cells: pl.Series) -> tuple[set[str], int, int]:
    """The ASCII characters in some cells, the most digits that one of them has, and the most bytes."""
    import polars as pl

    lengths = cells.str.len_bytes().to_numpy()
    ends = np.cumsum(lengths, dtype=np.int64)
    codes = np.frombuffer(cells.str.join("").cast(pl.Binary).item(), dtype=np.uint8)
    present = np.zeros(256, dtype=np.bool_)
    present[codes] = True
    digits = np.add.reduceat((codes - np.uint8(48) <= 9).view(np.uint8), [0, *ends[:-1]], dtype=np.uint32)
    return set(map(chr, np.flatnonzero(present[:128]).tolist())), int(digits.max()), int(lengths.max())


def _whole(rest: pl.Series, index: Index, prefilter: Prefilter) -> Found:
    """Cells that a `context` rule matches as a whole, by rule. Which rules are tried depends on length and looks."""
    parts: dict[str, list[Index]] = {}
    if not len(index):
        return {}
    cells = taken(rest, index).str.strip_chars(reference.SPACES)
    digits = matches_of(cells, f"^[0-9]{{1,{LONGEST_DIGITS}}}$")
    lengths = cells.str.len_bytes().to_numpy()
    for length in distinct(lengths[digits]).tolist():
        here = index[digits & (lengths == length)]
        patterns = prefilter.of_digits(length)
        for pattern, hit in zip(
            patterns, _wheres(rest, here, [None if length in p.all_digits else p.whole for p in patterns]), strict=True
        ):
            hit = here if length in pattern.all_digits else hit
            if len(hit):
                parts.setdefault(pattern.rule.id, []).append(hit)
    for length in distinct(lengths[~digits]).tolist():
        where = np.flatnonzero(~digits & (lengths == length))
        for patterns, alike in _by_looks(taken(cells, where), index[where], length, prefilter):
            for pattern, hit in zip(patterns, _wheres(rest, alike, [p.whole for p in patterns]), strict=True):
                if len(hit):
                    parts.setdefault(pattern.rule.id, []).append(hit)
    return {rule: hits[0] if len(hits) == 1 else np.sort(np.concatenate(hits)) for rule, hits in parts.items()}


def _by_looks(
    cells: pl.Series, index: Index, length: int, prefilter: Prefilter
) -> list[tuple[tuple[Pattern, ...], Index]]:
    """Divide `index`, the positions of stripped cells of one length, by the kinds of their characters.

    Each part comes with the rules that allow such cells; if there are too many kinds, there is only one part.
    """
    kinds = _KINDS[byte_matrix(cells, length)]
    marks = kinds.astype(np.uint64) @ (np.uint64(0x9E3779B97F4A7C15) ** np.arange(1, length + 1, dtype=np.uint64))
    _, first, part = np.unique(marks, return_index=True, return_inverse=True)
    if len(first) <= _LOOKS and bool((kinds == kinds[first][part]).all()):
        out = []
        for i, where in enumerate(first.tolist()):
            patterns = prefilter.of_kinds(kinds[where].tobytes().decode("utf-8", "replace"))
            if patterns:
                out.append((patterns, index[part == i]))
        return out
    return [(prefilter.of_length(length), index)]


def _claim(rest: pl.Series, left: Index, wholes: Found, prefilter: Prefilter, counts: Counts) -> Mask:
    """Step 2: which cells a claiming rule claims as a whole; counts them."""
    claimed = np.zeros(len(rest), dtype=np.bool_)
    for pattern in prefilter.claiming:
        index = wholes.get(pattern.rule.id, _NONE)
        index = index[~claimed[index]]
        if len(index):
            mine = index[passes(pattern.rule.check, Candidates(taken(rest, index)))]
            claimed[mine] = True
            if len(mine):
                _of(counts, pattern.rule.id, True).add(left[mine], left[mine])
    return claimed


def _count_open(
    rest: pl.Series,
    left: Index,
    wholes: Found,
    claimed: Mask,
    prefilter: Prefilter,
    named: frozenset[str],
    counts: Counts,
) -> Mask:
    """Step 1 for the cells that nobody claims. Which cells are hits of a rule in `named`."""
    identified = np.zeros(len(rest), dtype=np.bool_)
    shared: dict[int, Candidates] = {}  # rules often share a set of cells, and a check
    checked: dict[tuple[str | None, int], Index] = {}
    for rule, index in wholes.items():
        check = prefilter.compiled.patterns[rule].rule.check
        open_ = index[~claimed[index]] if prefilter.compiled.patterns[rule].rule.search == "anywhere" else index
        if not len(open_):
            continue
        if check and (check, id(index)) not in checked:
            candidates = shared.setdefault(id(index), Candidates(taken(rest, open_)))
            checked[check, id(index)] = open_[passes(check, candidates)]
        passed = checked[check, id(index)] if check else open_
        _of(counts, rule, True).add(left[open_], left[passed])
        if rule in named:
            identified[passed] = True
    return identified


def _context(rest: pl.Series, index: Index, prefilter: Prefilter) -> Found:
    """Cells that hold a match of a `context` rule and a phrase that is its context."""
    if len(index) > _FEW:
        index = index[
            taken(rest, index).str.contains_any(prefilter.context_words, ascii_case_insensitive=True).to_numpy()
        ]
    if len(index) <= _FEW:
        return _context_of_few(rest, index, prefilter)
    found = _by_groups(rest, index, prefilter.context_groups)
    return {
        rule: _where(rest, hit, reference.context_pattern(prefilter.compiled.patterns[rule]))
        for rule, hit in found.items()
    }


def _context_of_few(rest: pl.Series, index: Index, prefilter: Prefilter) -> Found:
    """The same for few cells: from the words of a cell to the rules to try."""
    cells = taken(rest, index)
    texts = cells.to_list()
    spoken: dict[Pattern, list[int]] = {}
    for i, text in enumerate(texts):
        for pattern in prefilter.spoken_of(text):
            spoken.setdefault(pattern, []).append(i)
    found: Found = {}
    for pattern, where in spoken.items():
        if len(where) > _COMPILED or sum(len(texts[i]) for i in where) > _LONG:
            hit = _where(cells, np.array(where, dtype=np.int64), pattern.within)
            hit = _where(cells, hit, reference.context_pattern(pattern))
        else:
            exact = reference.compiled_regex(pattern.exact)
            hit = np.array(
                [i for i in where if exact.search(texts[i]) and reference.has_context(pattern, texts[i])],
                dtype=np.int64,
            )
        if len(hit):
            found[pattern.rule.id] = index[hit]
    return found


def _count_within(rest: pl.Series, left: Index, found: Found, prefilter: Prefilter, counts: Counts) -> None:
    """Step 3: count matches within cells.

    Where several rules match, or a match fails its check, each text is looked at.
    """
    patterns = prefilter.compiled.patterns
    rules_per_cell = np.zeros(len(rest), dtype=np.int64)
    for rule, index in found.items():
        if patterns[rule].rule.entity != "URL":
            rules_per_cell[index] += 1
    hits: dict[str, list[Index]] = {}
    contested: dict[int, list[Pattern]] = {}
    for rule, index in found.items():
        pattern = patterns[rule]
        is_alone = np.ones(len(index), dtype=np.bool_) if pattern.rule.entity == "URL" else rules_per_cell[index] == 1
        alone = index[is_alone]
        good = _first_match_passes(rest, alone, pattern)
        hits[rule] = [alone[good]]
        for cell in np.concatenate([alone[~good], index[~is_alone]]).tolist():
            contested.setdefault(cell, []).append(pattern)
    if contested:
        order = sorted(contested)
        more: dict[str, list[int]] = {}
        known: dict[tuple[str, tuple[int, ...]], set[str]] = {}  # of long texts, which may come again and again
        for cell, text in zip(order, rest.gather(order).to_list(), strict=True):
            key = (text, tuple(map(id, contested[cell]))) if len(text) >= reference.LONG else None
            rules = None if key is None else known.get(key)
            if rules is None:
                spans, _ = reference.spans(text.strip(reference.SPACES), contested[cell])
                rules = {s.pattern.rule.id for s in spans}
                if key is not None:
                    known[key] = rules
            for rule in rules:
                more.setdefault(rule, []).append(cell)
        for rule, cells in more.items():
            hits[rule].append(np.array(cells, dtype=np.int64))
    for rule, index in found.items():
        _of(counts, rule, False).add(left[index], left[np.sort(np.concatenate(hits[rule]))])


def _first_match_passes(rest: pl.Series, index: Index, pattern: Pattern) -> Mask:
    """Return which cells' first match passes the check. Others may have a later one that does."""
    if pattern.rule.check is None or not len(index):
        return np.ones(len(index), dtype=np.bool_)
    return passes(pattern.rule.check, Candidates(taken(rest, index).str.extract(pattern.within, 1)))
