"""Bins of a numeric column that are found from its values, with noise, instead of being declared.

Values are counted in the cells of a public grid of round numbers; a cell with many rows is split on a finer grid, down
to single numbers. Then neighbouring cells with few rows are merged. So bins are narrow where rows are many, and a
number that many rows have is a bin by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.dp import noise
from piiscan.dp.domains import BINS, Domain, Number, numbers
from piiscan.dp.noise import Share
from piiscan.dp.queries import Axis
from piiscan.dp.request import Request
from piiscan.dp.tally import codes, size
from piiscan.synthesis import measurement_plan, synthetic_rows
from piiscan.synthesis.junction_tree import Scope
from piiscan.synthesis.measurement_plan import deviation, domains

if TYPE_CHECKING:
    import polars as pl

    from piiscan.dp.domains import Ints
    from piiscan.synthesis.junction_tree import Floats

MOST_BINS: Final = 40
FIRST_CELLS: Final = 200
"""Cells of the first grid, about."""
PARTS: Final = 25
"""Parts into which a cell is split, at most."""
_SPLIT: Final = 1 / 20
"""A cell with this share of the rows is split."""
_MERGED: Final = 1 / 100
"""Two neighbouring cells with less than this share of the rows together are merged."""
_CLEAR: Final = 4.0
"""Standard deviations of noise below which a cell isn't split, and two are merged."""


class PrivateBins:
    """How the bins of a column are found: all of it is public.

    decimals: the digits after the decimal point of its numbers. Raises `UsageError` for a domain without room for that.
    """

    def __init__(self, name: str, domain: Domain, decimals: int | None) -> None:
        if not isinstance(domain, Number):
            raise UsageError(f"column {name}: private bins need a numeric column; declare its bounds")
        if domain.cuts:
            raise UsageError(f"column {name}: private bins are found between the bounds; leave edges and power out")
        self.name = name
        self.domain = domain
        self.low, self.high = (Fraction(repr(float(end))) for end in (domain.low, domain.high))
        if decimals is None:
            whole = self.low.denominator == self.high.denominator == 1 and self.high - self.low >= BINS
            decimals = 0 if whole else synthetic_rows.places(domain.edges)[0]
        self.decimals = decimals
        if any((end * 10**decimals).denominator != 1 for end in (self.low, self.high)):
            raise UsageError(f"column {name}: with private bins, bounds may have {decimals} decimals, as its numbers")
        if self.high - self.low < 2 * self.finest:
            raise UsageError(f"column {name}: there are too few numbers between its bounds for private bins")

    @cached_property
    def finest(self) -> Fraction:
        """The distance between numbers with so many decimals, or the step in which they are counted if that is more."""
        return max(Fraction(1, 10**self.decimals), self.domain.step)

    @cached_property
    def coarse(self) -> Fraction:
        """The width of the bins that are only split: at most `BINS` of them."""
        return max(self.finest, _round((self.high - self.low) / BINS))

    @cached_property
    def widths(self) -> tuple[Fraction, ...]:
        """The widths of cells from level to level. Their number is how often the column is measured, at most."""
        found = [max(self.finest, _round((self.high - self.low) / FIRST_CELLS))]
        while found[-1] > self.finest:
            found.append(max(self.finest, _round(found[-1] / PARTS)))
        return tuple(found)

    @cached_property
    def most(self) -> int:
        """The largest number of bins that may be found."""
        return min(MOST_BINS, math.ceil((self.high - self.low) / self.finest) + 1)

    def widest(self) -> Number:
        """Return a domain with as many bins as may be found, by which memory is planned."""
        cuts = (float(self.low + (self.high - self.low) * i / self.most) for i in range(1, self.most))
        return Number(self.domain.low, self.domain.high, tuple(cuts), self.domain.source)

    def found(self, steps: Ints, share: Share, max_rows: int) -> Number:
        """Return the domain with the bins that were found; `steps`: those of all numbers of the column, in any order.

        Guarantee:
            Assumes: `steps` contains at most `max_rows` numbers of each unit.
            Ensures: the result costs `share` for each of `widths`, as a number is in one cell of each level at most;
            which cells are measured depends on the data only through earlier levels.
            Does not protect against: other releases about the same people.
            Test: test_synthesis.py::test_no_unit_moves_a_release_by_more_than_it_costs
        """
        ordered, sigma = np.sort(steps), deviation(share, max_rows)
        edges = self._cells(self.low, self.high, self.widths[0])
        counts = self._noisy(ordered, [edges], share, max_rows)
        rows = max(float(counts.sum()), 1.0)
        for width in self.widths[1:]:
            large = np.flatnonzero(counts >= max(_SPLIT * rows, _CLEAR * sigma)).tolist()
            if not large:
                break
            parts = [self._cells(edges[i], edges[i + 1], width) for i in large]
            noisy = self._noisy(ordered, parts, share, max_rows)
            ends = np.cumsum([len(part) - 1 for part in parts])[:-1]
            for i, part, own in reversed(list(zip(large, parts, np.split(noisy, ends), strict=True))):
                edges[i : i + 2] = part
                counts = np.concatenate([counts[:i], own, counts[i + 1 :]])
        kept = self._cells(self.low, self.high, self.coarse)
        cuts = _merged(edges, counts, kept, max(_MERGED * rows, _CLEAR * sigma), self.most)
        return replace(self.domain, cuts=tuple(map(float, cuts)))

    def _cells(self, low: Fraction, high: Fraction, width: Fraction) -> list[Fraction]:
        """Return the ends of cells: multiples of `width` between two ends, and these.

        A bin includes the upper bound, so on the finest grid that has a cell of its own, below which no number is.
        """
        inner = {k * width for k in range(math.floor(low / width) + 1, math.ceil(high / width))}
        if high == self.high and width == self.finest:
            inner.add(high - width / 2)
        return [low, *sorted(inner), high]

    def _noisy(self, ordered: Ints, parts: Sequence[Sequence[Fraction]], share: Share, max_rows: int) -> Floats:
        """Count numbers in the cells between the ends in each of `parts`, with noise."""
        counts: list[int] = []
        for ends in parts:
            first = [math.ceil((end - self.low) / self.domain.step) for end in ends]
            if ends[-1] == self.high:
                first[-1] = self.domain.steps + 1
            counts += np.diff(np.searchsorted(ordered, first)).tolist()
        return np.array(noise.added(counts, max_rows, share).values, dtype=np.float64)


class HeldRows:
    """The rows that count, in memory, coded: bins of some columns are known only after a charge.

    Columns with `private` bins are held as steps from their lower bounds, −1 for missing.
    """

    def __init__(self, frames: Iterable[pl.DataFrame], request: Request, private: Iterable[PrivateBins]) -> None:
        self._private = {column.name: column.domain for column in private}
        columns = dict(zip(request.names, domains(request), strict=True))
        kinds = {
            name: np.dtype(np.int32) if name in self._private else np.min_scalar_type(size(Axis(name), domain))
            for name, domain in columns.items()
        }
        parts: dict[str, list[Ints]] = {name: [np.zeros(0, dtype=kind)] for name, kind in kinds.items()}
        for frame in frames:
            for name, domain in columns.items():
                coded = self._steps(frame[name]) if name in self._private else codes(frame[name], domain)
                parts[name].append(coded.astype(kinds[name]))
        self._codes = {name: np.concatenate(own) for name, own in parts.items()}

    def _steps(self, cells: pl.Series) -> Ints:
        found, domain = numbers(cells).fill_null(float("nan")).to_numpy(), self._private[cells.name]
        missing = np.isnan(found)
        return np.where(missing, -1, domain.coded(np.where(missing, domain.low, found)))

    def steps(self, name: str) -> Ints:
        """Return the numbers of a column with private bins, in steps, without missing ones."""
        return self._codes[name][self._codes[name] >= 0]

    def counts(self, request: Request, scopes: Iterable[Scope]) -> dict[Scope, Ints]:
        """Count the rows by the bins and categories of the columns of each scope, flat in C order.

        request: with the bins that were found.
        """
        coded = []
        for name, domain in zip(request.names, domains(request), strict=True):
            own = self._codes[name]
            if name in self._private and isinstance(domain, Number):
                own = np.where(own < 0, len(domain.labels), domain.bins(own))
            coded.append(own)
        sizes = measurement_plan.sizes(request)
        found: dict[Scope, Ints] = {}
        for scope in scopes:
            place = np.zeros(len(coded[0]), dtype=np.int64)
            for column in scope:
                place = place * sizes[column] + coded[column]
            found[scope] = np.bincount(place, minlength=math.prod(sizes[c] for c in scope)).astype(np.int64)
        return found


def with_bins(request: Request, bins: Mapping[str, Number]) -> Request:
    """Return a request with other domains for some columns."""
    return replace(request, columns=tuple((name, bins.get(name, domain)) for name, domain in request.columns))


def _round(width: Fraction) -> Fraction:
    """Return the least number of 1, 2 or 5 times a power of ten that is no smaller."""
    power = Fraction(10) ** math.floor(math.log10(width) - 1e-9)
    return next(m * power for m in (1, 2, 5, 10, 20) if m * power >= width)


def _merged(
    edges: Sequence[Fraction], counts: Floats, kept: Iterable[Fraction], least: float, most: int
) -> list[Fraction]:
    """Return the inner ends of bins after merging neighbours: always the two with the fewest rows together.

    Merging ends when all have `least` and there are at most `most`. The ends `kept` stay.
    """
    ends, held, fixed = list(edges), counts.tolist(), set(kept)
    stays = [end in fixed for end in ends[1:-1]]  # to hash a fraction takes long
    while len(held) > 2:
        sums = np.add(held[:-1], held[1:])
        sums[stays] = np.inf
        i = int(sums.argmin())
        if math.isinf(sums[i]) or (len(held) <= most and sums[i] >= least):
            break
        held[i : i + 2] = [float(sums[i])]
        del ends[i + 1], stays[i]
    return ends[1:-1]
