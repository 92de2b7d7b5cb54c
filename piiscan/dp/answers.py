"""Draws noise once for each query, and turns exact integers into answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from piiscan.dp import domains as d
from piiscan.dp import noise
from piiscan.dp.domains import Domain, Number
from piiscan.dp.estimates import Part
from piiscan.dp.queries import Costs, Kind, Measure, Query, ratio, sensitivity
from piiscan.dp.request import Request
from piiscan.dp.tally import KEY, Tally, column_of

if TYPE_CHECKING:
    from piiscan.dp.domains import Ints


@dataclass(frozen=True)
class Answer:
    """The answer to a query.

    It is noisy integers for each part of its measure, or the index that was selected, or the keys that were found
    with their noisy counts. `sensitivity` and `scale` are in the unit of the integers.
    """

    query: Query
    sensitivity: int
    scale: float
    values: tuple[int, ...] = ()
    place: int | None = None
    keys: tuple[str, ...] = ()
    threshold: int | None = None

    def part(self, costs: Costs, at: int = 0) -> Part:
        return Part(self.values[at], self.scale, costs.share.mechanism)


def draw_bounds(tally: Tally, query: Query, request: Request, costs: Costs) -> tuple[Answer, Number]:
    """Estimate a column's bounds from noisy counts by powers of two.

    The bounds span the lowest to the highest bin whose count exceeds the noise.

    The probability that any bin without rows passes is at most 5 %. If none passes, the largest one is taken.

    Guarantee:
        Assumes: `tally` counts the rows of each unit `request.max_rows` times at most.
        Ensures: the bounds cost one share, as they depend on noisy counts alone.
        Does not protect against: bounds that are far too wide or narrow if there are few rows compared with the noise.
        Test: test_dp_queries.py::test_estimated_bounds_hold_the_values
    """
    answer = _noisy(query, tally.counts[query.measure], {}, request, costs)
    least = noise.accuracy(costs.share.mechanism, answer.scale, 0.1 / d.POWERS)
    passing = [i for i, n in enumerate(answer.values) if n > least] or [int(np.argmax(answer.values))]
    low, high = d.power_bounds(passing[0], passing[-1])
    return answer, Number(low, high, source="estimated")


def draw_answers(
    tally: Tally, queries: Sequence[Query], domains: Mapping[str, Domain], request: Request, costs: Costs
) -> list[Answer]:
    """Draw the answers to all queries except those for bounds, in order."""
    found: dict[str, tuple[str, ...]] = {}
    given = []
    for query in queries:
        answer = _answer(query, tally, domains, request, costs, found)
        if query.kind == "find":
            found[query.measure.axes[0].column] = answer.keys
        given.append(answer)
    return given


def add_together(
    tally: Callable[[], Tally],
    queries: Sequence[Query],
    domains: Mapping[str, Domain],
    request: Request,
    costs: Costs,
    added: noise.Adder,
) -> list[Answer]:
    """Answer queries of kind "add" over declared domains, with noise by `added`, in order."""
    answers = []
    for query in queries:
        moved = sensitivity(query, dict(domains), request.max_rows)
        done = added(partial(_integers, tally, query.measure), moved, costs.share)
        answers.append(Answer(query, moved, done.scale, done.values))
    return answers


def _integers(tally: Callable[[], Tally], measure: Measure) -> list[int]:
    return [int(n) for n in tally().counts[measure]]


def _answer(
    query: Query,
    tally: Tally,
    domains: Mapping[str, Domain],
    request: Request,
    costs: Costs,
    found: Mapping[str, tuple[str, ...]],
) -> Answer:
    kind: Kind = query.kind
    if kind == "find":
        return _found(query, tally, request, costs)
    if kind == "select":
        return _selected(query, tally, domains, request, costs)
    column = query.measure.axes[0].column if query.measure.axes else ""
    if column in found:
        return _noisy(
            query, _by_key(tally.keys[column], query.measure, found[column]), domains, request, costs, found[column]
        )
    return _noisy(query, tally.counts[query.measure], domains, request, costs)


def _noisy(
    query: Query, exact: Ints, domains: Mapping[str, Domain], request: Request, costs: Costs, keys: tuple[str, ...] = ()
) -> Answer:
    moved = sensitivity(query, dict(domains), request.max_rows)
    done = noise.added([int(n) for n in exact], moved, costs.share)
    return Answer(query, moved, done.scale, done.values, keys=keys)


def _by_key(frame: pl.DataFrame, measure: Measure, keys: tuple[str, ...]) -> Ints:
    """Return a measure for each of the keys."""
    requested = pl.DataFrame({KEY: pl.Series(keys, dtype=pl.String)})
    return requested.join(frame, on=KEY, how="left", maintain_order="left")[column_of(measure)].fill_null(0).to_numpy()


def _found(query: Query, tally: Tally, request: Request, costs: Costs) -> Answer:
    frame = tally.keys[query.measure.axes[0].column]
    per_unit, name = request.max_rows, column_of(query.measure)
    counts = dict(
        frame.select(KEY, name).filter(pl.col(name) > noise.floor(per_unit, costs.share, costs.key_delta)).iter_rows()
    )
    kept = noise.kept(counts, per_unit, costs.share, costs.key_delta)
    scale, least = noise.scale_of(costs.share, per_unit), noise.threshold(per_unit, costs.share, costs.key_delta)
    return Answer(query, per_unit, scale, tuple(kept.values()), keys=tuple(kept), threshold=least)


def _selected(query: Query, tally: Tally, domains: Mapping[str, Domain], request: Request, costs: Costs) -> Answer:
    num, den = ratio(query.p or 0.0)
    moved = sensitivity(query, dict(domains), request.max_rows)
    place = noise.selected(scores(tally.counts[query.measure], num, den), moved, costs.share)
    return Answer(query, moved, noise.selection_scale(costs.share, moved), place=place)


def scores(counts: Ints, num: int, den: int) -> list[int]:
    """Score each candidate as the quantile num/den: 0 for the best, else minus its distance in ranks, times `den`.

    A candidate is good if at most num/den of the rows are below it and at least as many are below the next one. One
    row more or less changes a score by at most max(num, den − num).
    """
    upto = np.cumsum(counts)
    below, rank = upto - counts, num * int(counts.sum())
    distance = np.maximum(0, np.maximum(den * below - rank, rank - den * upto))
    return [-int(n) for n in distance]
