"""The exact integers that queries are answered from: a monoid, so batches may come in any size and order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from piiscan.dp import domains as d
from piiscan.dp.queries import Axis, Measure

if TYPE_CHECKING:
    import numpy.typing as npt

    from piiscan.dp.domains import Domain, Ints

KEY: Final = "key"


@dataclass(frozen=True, eq=False)
class Tally:
    """`counts`: for each measure, an integer for each part, flat in C order over its axes.

    `keys`: for each column of private keys, a frame of `key` (String) and an Int64 column for each measure by it,
    named by `column_of`.

    Guarantee:
        Assumes: both sides of `+` count the same measures.
        Ensures: an exact commutative monoid: `of(a) + of(b) == of(a followed by b)`, `empty` is neutral. One row moves
        a measure by `queries.each` at most.
        Does not protect against: anything. It is exact, and has to stay in memory.
        Test: test_dp_queries.py::test_tallies_are_an_exact_monoid
    """

    counts: Mapping[Measure, Ints]
    keys: Mapping[str, pl.DataFrame]

    @classmethod
    def empty(cls, measures: Iterable[Measure], domains: Mapping[str, Domain]) -> Tally:
        return cls.of(pl.DataFrame({name: pl.Series([], dtype=pl.String) for name in domains}), measures, domains)

    @classmethod
    def of(cls, frame: pl.DataFrame, measures: Iterable[Measure], domains: Mapping[str, Domain]) -> Tally:
        """The rows of a batch. Its columns have the names of `domains`."""
        cells = _Cells(frame, domains)
        counts: dict[Measure, Ints] = {}
        by_key: dict[str, dict[str, Ints]] = {}
        for measure in measures:
            if measure.axes and measure.axes[0].part == "keys":
                by_key.setdefault(measure.axes[0].column, {})[column_of(measure)] = cells.values(measure)
            else:
                counts[measure] = cells.counted(measure)
        keys = {
            name: _added(pl.DataFrame({KEY: cells.words(name), **values}).filter(pl.col(KEY).is_not_null()))
            for name, values in by_key.items()
        }
        return cls(counts, keys)

    @classmethod
    def total(cls, parts: Sequence[Tally]) -> Tally:
        """The sum of one or more."""
        counts: dict[Measure, Ints] = {m: np.stack([p.counts[m] for p in parts]).sum(axis=0) for m in parts[0].counts}
        return cls(counts, {name: _added(pl.concat([p.keys[name] for p in parts])) for name in parts[0].keys})

    def __add__(self, other: Tally) -> Tally:
        return Tally.total([self, other])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tally)
            and self.counts.keys() == other.counts.keys()
            and self.keys.keys() == other.keys.keys()
            and all(np.array_equal(n, other.counts[m]) for m, n in self.counts.items())
            and all(frame.sort(KEY).equals(other.keys[name].sort(KEY)) for name, frame in self.keys.items())
        )

    __hash__ = None  # type: ignore[assignment]


def column_of(measure: Measure) -> str:
    """The name of a measure's column in a frame of private keys."""
    return f"{measure.value} {measure.of or ''}{'' if measure.other is None else f' {measure.other}'}"


def codes(cells: pl.Series, domain: d.Number | d.Categories) -> Ints:
    """(rows,): the index of each cell among the domain's labels.

    Other words (of categories) and missing cells follow.
    """
    return _Cells(cells.to_frame(), {cells.name: domain}).code(Axis(cells.name))


def _added(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by(KEY).agg(pl.all().sum())


class _Cells:
    """The cells of a batch as the small integers of their domains, each computed once."""

    def __init__(self, frame: pl.DataFrame, domains: Mapping[str, Domain]) -> None:
        self._frame = frame
        self._domains = domains
        self._codes: dict[Axis, Ints] = {}
        self._numbers: dict[str, npt.NDArray[np.float64]] = {}
        self._steps: dict[str, Ints] = {}

    def counted(self, measure: Measure) -> Ints:
        """Return the measure in every part."""
        sizes = [size(axis, self._domains[axis.column]) for axis in measure.axes]
        parts = int(np.prod(sizes, dtype=np.int64))
        place = np.zeros(self._frame.height, dtype=np.int64)
        for axis, n in zip(measure.axes, sizes, strict=True):
            place = place * n + self.code(axis)
        weights = None if measure.of is None else self.values(measure)
        if weights is None:
            return np.bincount(place, minlength=parts).astype(np.int64)
        # Exact: a batch's sums stay far below 2^53.
        return np.rint(np.bincount(place, weights=weights, minlength=parts)).astype(np.int64)

    def values(self, measure: Measure) -> Ints:
        """Return what each row adds to a measure."""
        if measure.of is None:
            return self._ones
        there = ~np.isnan(self.number(measure.of))
        if measure.value == "rows":
            return there.astype(np.int64)
        domain = self._domains[measure.of]
        assert isinstance(domain, d.Number)
        steps = self.steps(measure.of)
        if measure.other is not None:
            other = self._domains[measure.other]
            assert isinstance(other, d.Number)
            both = there & ~np.isnan(self.number(measure.other))
            return np.where(both, domain.products(steps, other, self.steps(measure.other)), 0)
        moved = steps - domain.middle if measure.value == "sums" else domain.squares(steps)
        return np.where(there, moved, 0)

    def number(self, name: str) -> npt.NDArray[np.float64]:
        """NaN for what is missing."""
        if name not in self._numbers:
            cells = self._frame[name]
            self._numbers[name] = d.numbers(cells).fill_null(float("nan")).to_numpy()
        return self._numbers[name]

    def steps(self, name: str) -> Ints:
        """From the lower bound; 0 for what is missing."""
        if name not in self._steps:
            domain, cells = self._domains[name], self.number(name)
            assert isinstance(domain, d.Number)
            self._steps[name] = domain.coded(np.where(np.isnan(cells), domain.low, cells))
        return self._steps[name]

    def words(self, name: str) -> pl.Series:
        return d.words(self._frame[name])

    @cached_property
    def _ones(self) -> Ints:
        return np.ones(self._frame.height, dtype=np.int64)

    def code(self, axis: Axis) -> Ints:
        if axis not in self._codes:
            self._codes[axis] = self._coded(axis)
        return self._codes[axis]

    def _coded(self, axis: Axis) -> Ints:
        domain = self._domains[axis.column]
        if isinstance(domain, d.Categories):
            words = self.words(axis.column)
            code = d.codes(self._frame[axis.column], domain)
            rest = pl.Series(np.where(words.is_null().to_numpy(), len(domain.values) + 1, len(domain.values)))
            return code.zip_with(code.is_not_null(), rest).to_numpy()
        cells = self.number(axis.column)
        missing = np.isnan(cells)
        if axis.part == "powers":
            return np.where(missing, 0, d.powers(np.where(missing, 0.0, cells)))
        assert isinstance(domain, d.Number)
        if axis.part == "grid":
            return self.steps(axis.column) // domain.grid
        return np.where(missing, len(domain.labels), domain.bins(self.steps(axis.column)))


def size(axis: Axis, domain: Domain) -> int:
    """The number of parts of an axis: a bin for missing cells included, and one for other categories."""
    if axis.part == "powers":
        return d.POWERS
    if isinstance(domain, d.Categories):
        return len(domain.values) + 2
    assert isinstance(domain, d.Number)
    return domain.candidates if axis.part == "grid" else len(domain.labels) + 1
