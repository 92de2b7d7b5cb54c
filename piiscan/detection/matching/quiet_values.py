"""Which cells contain only values that raise no finding.

These are reserved values, which are no person's, and those that the configuration accepts by their domain or network.

Every cell counts, but nothing is counted: that one other value is there says all that a verdict needs, and ordinary
columns have one among their first cells, where the search ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.detection.matching import reference
from piiscan.detection.matching.canonical_cells import taken, texts_at
from piiscan.detection.summary.hit_counts import FIRST_ROWS
from piiscan.rules.compile_rules import Pattern
from piiscan.rules.reserved_values import reserved
from piiscan.rules.value_tests import ValueTest

if TYPE_CHECKING:
    import polars as pl

Index = NDArray[np.int64]
Tests = Sequence[ValueTest]

_FEW = 32
"""Cells that Python looks at before polars has compiled a regex."""
_BLOCK = 1 << 16


@dataclass(frozen=True)
class QuietValues:
    """`allowed`: tests, by entity, of the values of a column that somebody answers for.

    `reserved`: whether reserved values raise no alarm either.
    """

    allowed: Mapping[str, tuple[ValueTest, ...]] = field(default_factory=dict)
    reserved: bool = True

    @cached_property
    def tests(self) -> Mapping[str, tuple[ValueTest, ...]]:
        """All tests by entity, of which a value has to pass one."""
        if not self.reserved:
            return self.allowed
        known = reserved()
        return {
            entity: (*((known[entity],) if entity in known else ()), *self.allowed.get(entity, ()))
            for entity in sorted({*known, *self.allowed})
        }

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """The entities whose cells are looked at."""
        return tuple(sorted({*reserved(), *self.allowed}))


RESERVED = QuietValues()
"""What raises no alarm unless the configuration says otherwise."""


class Others(NamedTuple):
    """For the cells of one rule: whether a value isn't reserved, and the first that nobody accepted."""

    unreserved: bool
    first: Index


def others(cells: pl.Series, index: Index, pattern: Pattern, whole: bool, quiet: QuietValues) -> Others:
    """Examine the cells at `index`, in which a rule has matches, or which are matches as a `whole`."""
    entity = pattern.rule.entity

    def first(tests: Tests, most: int) -> Index:
        if not tests or not (whole or pattern.rule.engine == "linear"):
            return index[:most]
        return _failing(cells, index, most, _whole(tests) if whole else _within(tests, pattern))

    found = first(quiet.tests.get(entity, ()), FIRST_ROWS)
    if quiet.reserved and not quiet.allowed.get(entity):
        return Others(len(found) > 0, found)
    own = reserved().get(entity)
    return Others(len(first(() if own is None else (own,), 1)) > 0, found)


def all_reserved(cells: pl.Series, entity: str) -> bool:
    """Whether every cell, as a whole, is a reserved value."""
    return _all_pass(cells, (reserved()[entity],) if entity in reserved() else ())


def all_quiet(cells: pl.Series, entity: str, quiet: QuietValues) -> bool:
    """Whether every cell, as a whole, is a value that raises no alarm."""
    return _all_pass(cells, quiet.tests.get(entity, ()))


def _all_pass(cells: pl.Series, tests: Tests) -> bool:
    return bool(tests) and not len(_failing(cells, np.arange(len(cells), dtype=np.int64), 1, _whole(tests)))


class _Look(NamedTuple):
    """How to ask whether one stripped cell passes; and many, of which some may have to be asked one by one."""

    one: Callable[[str], bool]
    many: Callable[[pl.Series], NDArray[np.bool_]]


def _failing(cells: pl.Series, index: Index, most: int, look: _Look) -> Index:
    """The first positions in `index` whose cells don't pass, at most `most`."""
    found: list[int] = []
    known: dict[str, bool] = {}  # whether a long text passes, which may come again and again
    for block in _blocks(len(index)):
        here = index[block]
        if len(here) > _FEW:
            here = here[~look.many(cells if len(here) == len(cells) else taken(cells, here))]
        # Of a few cells the first one mostly ends the search, so that others need not be fetched.
        texts = texts_at(cells, here) if len(here) > _FEW else (cells[at] for at in here.tolist())
        for at, text in zip(here.tolist(), texts, strict=True):
            does = known.get(text)
            if does is None:
                does = look.one(text.strip(reference.SPACES))
                if len(text) >= reference.LONG:
                    known[text] = does
            if not does:
                found.append(at)
                if len(found) == most:
                    return np.array(found, dtype=np.int64)
    return np.array(found, dtype=np.int64)


def _blocks(n: int) -> Iterator[slice]:
    yield slice(0, min(n, _FEW))
    for start in range(_FEW, n, _BLOCK):
        yield slice(start, start + _BLOCK)


def _passes(tests: Tests, value: str) -> bool:
    return any(test.passes(value) for test in tests)


def _pass(tests: Tests, values: pl.Series) -> NDArray[np.bool_]:
    """Which values the patterns of some tests take."""
    out = np.zeros(len(values), dtype=np.bool_)
    for test in tests:
        texts = values.str.strip_chars(reference.SPACES)
        texts = texts if test.removed is None else texts.str.replace_all(f"(?i-u:{test.removed})", "")
        out |= texts.str.contains(f"^(?i-u:{test.regex})$").fill_null(False).to_numpy()
    return out


def _whole(tests: Tests) -> _Look:
    return _Look(lambda text: _passes(tests, text), lambda cells: _pass(tests, cells))


def _within(tests: Tests, pattern: Pattern) -> _Look:
    """Whether all matches of a rule in a cell pass."""

    def one(text: str) -> bool:
        values = [m.group() for m in reference.matches_within(pattern, text)]
        values = [value for value in values if pattern.rule.passes(value)]
        return bool(values) and all(_passes(tests, value) for value in values)

    def many(cells: pl.Series) -> NDArray[np.bool_]:
        """Cells with one match, which passes. Those with more are asked one by one."""
        single = ~cells.str.replace(pattern.within, " ").str.contains(pattern.within).to_numpy()
        out: NDArray[np.bool_] = single & _pass(tests, cells.str.extract(pattern.within, 1))
        return out

    return _Look(one, many)
