"""The queries of a request, the cost of each, and which noise is smaller. A function of public facts only."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Literal, NamedTuple

from piiscan.dp.accounting import Loss, zcdp_rho
from piiscan.dp.domains import Categories, Domain, Keys, Number, Unbounded
from piiscan.dp.noise import Share
from piiscan.dp.request import Request

Value = Literal["rows", "sums", "squares", "products"]
Kind = Literal["add", "select", "find", "estimate"]


class Axis(NamedTuple):
    """How a column divides the rows: by its bins or categories, a quantile's candidates, powers of two, or its keys."""

    column: str
    part: Literal["bins", "grid", "powers", "keys"] = "bins"


class Measure(NamedTuple):
    """An exact integer for each part of the table.

    It is the number of rows, or the sum over rows of a column's distance from the middle of its bounds, or of its
    square, or of its product with that of an`other` column. A row counts only if `of` and `other` are numbers in it.
    """

    axes: tuple[Axis, ...] = ()
    of: str | None = None
    value: Value = "rows"
    other: str | None = None


class Query(NamedTuple):
    """A measure, and how it is made private.

    Noise is added, an index is selected (the quantile `p`), keys are found, or bounds are estimated.
    """

    kind: Kind
    measure: Measure
    p: float | None = None

    @property
    def name(self) -> str:
        what = {"rows": "count", "sums": "sum", "squares": "sum of squares", "products": "sum of products"}[
            self.measure.value
        ]
        what = {"add": what, "select": f"quantile {self.p}", "find": "keys", "estimate": "bounds"}[self.kind]
        of = f" of {self.measure.of}" if self.measure.of else ""
        of += f" and {self.measure.other}" if self.measure.other else ""
        by = f" by {', '.join(a.column for a in self.measure.axes)}" if self.measure.axes and self.kind == "add" else ""
        return f"{what}{of}{by}"


class Costs(NamedTuple):
    """`share` of each query; `key_delta` of each query that finds keys; `loss` of all together."""

    share: Share
    key_delta: float
    loss: Loss


def queries(request: Request) -> tuple[Query, ...]:
    """Return all queries in the order in which they are released.

    Bounds come first, and keys before the counts by key.
    """
    if request.moments:
        return tuple(query for group in request.by for query in _moments_of_groups(group, request))
    found = [Query("estimate", Measure((Axis(name, "powers"),), name)) for name in request.estimates]
    found.append(Query("add", Measure()))
    for name, domain in request.columns:
        found += _column(name, domain, request)
    found += [Query("add", Measure(tuple(map(Axis, group)))) for group in request.cross]
    for group in request.by:
        axes = tuple(Axis(name, "keys" if name in request.finds else "bins") for name in group)
        if not _is_found(axes):
            found.append(Query("add", Measure(axes)))
        for name, domain in request.columns:
            if isinstance(domain, Number | Unbounded) and name not in group:
                found += [Query("add", Measure(axes, name, value)) for value in _moments(request)]
    return tuple(dict.fromkeys(found))


def costs(request: Request, gaussian_only: bool = False) -> Costs:
    """An equal share for each query.

    With a δ the noise may be Gaussian: where there are many queries, it is the smaller. `gaussian_only`: it is always.

    The δ that was declared is charged in both cases: a budget that is fixed by a first release has room for others of
    either kind.
    """
    n = len(queries(request))
    finds = len(request.finds)
    basic = Share("laplace", request.epsilon / n)
    key_delta = request.delta / finds if finds else 0.0
    used = request.delta if finds else 0.0
    losing = Costs(basic, key_delta, Loss(request.epsilon, request.delta, request.epsilon * basic.amount / 2, used))
    if not request.delta:
        return losing
    used = used / 2
    rho = zcdp_rho(request.epsilon, request.delta - used)
    smaller = rho > 0 and math.sqrt(n / (2 * rho)) < math.sqrt(2) * n / request.epsilon
    if not (smaller or (gaussian_only and rho > 0)):
        return losing
    return Costs(Share("gaussian", rho / n), key_delta / 2, Loss(request.epsilon, request.delta, rho, used))


def sensitivity(query: Query, domains: dict[str, Domain], max_rows: int) -> int:
    """Return how far the rows of one unit move a query's integers in total (or each score, for a selection)."""
    if query.kind == "select":
        num, den = ratio(query.p or 0.0)
        return max(num, den - num) * max_rows
    return each(query.measure, domains) * max_rows


def each(measure: Measure, domains: dict[str, Domain]) -> int:
    """Return how far one row moves a measure."""
    from piiscan.dp.domains import SQUARES

    if measure.value == "rows":
        return 1
    domain = domains[measure.of or ""]
    assert isinstance(domain, Number)
    return domain.half_range if measure.value == "sums" else SQUARES


def ratio(p: float) -> tuple[int, int]:
    """Return a quantile as a fraction with a denominator of at most 1,000."""
    from fractions import Fraction

    exact = Fraction(p).limit_denominator(1000)
    return exact.numerator, exact.denominator


def _column(name: str, domain: Domain, request: Request) -> list[Query]:
    if isinstance(domain, Keys):
        return [Query("find", Measure((Axis(name, "keys"),)))]
    histogram = [Query("add", Measure((Axis(name),)))] if "histogram" in request.statistics else []
    if isinstance(domain, Categories):
        return histogram
    moments = [Query("add", Measure((), name, value)) for value in _moments(request)]
    grid = Measure((Axis(name, "grid"),), name)
    quantiles = [Query("select", grid, p) for p in request.quantiles] if "quantiles" in request.statistics else []
    return [*moments, *quantiles, *histogram]


def _moments(request: Request) -> list[Value]:
    """Return the sums that the statistics are computed from."""
    statistics = set(request.statistics)
    needed: list[tuple[Value, set[str]]] = [
        ("rows", {"count", "sum", "mean", "variance"}),
        ("sums", {"sum", "mean", "variance"}),
        ("squares", {"variance"}),
    ]
    return [value for value, by in needed if statistics & by]


def _moments_of_groups(group: tuple[str, ...], request: Request) -> list[Query]:
    """Return the sums for means, standard deviations and correlations of complete rows.

    These have one count for all columns.
    """
    axes = tuple(map(Axis, group))
    names = request.numbers
    alone = [Measure(axes, name, value) for value in ("sums", "squares") for name in names]
    return [
        Query("add", m)
        for m in (Measure(axes), *alone, *(Measure(axes, a, "products", b) for a, b in combinations(names, 2)))
    ]


def _is_found(axes: tuple[Axis, ...]) -> bool:
    return any(a.part == "keys" for a in axes)
