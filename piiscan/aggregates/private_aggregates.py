"""Aggregates with differential privacy: figures from noisy sums. Noise hides each unit, so no group is withheld."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, Final

from piiscan.aggregates.result import Aggregates, Group
from piiscan.core.version import __version__
from piiscan.dp import estimates
from piiscan.dp import result as summary
from piiscan.dp.answers import Answer
from piiscan.dp.domains import Domain, Number
from piiscan.dp.estimates import Estimate, Part
from piiscan.dp.queries import Axis, Costs, Measure
from piiscan.dp.request import Request

NOTES: Final = (
    (
        "The figures in this file together cost the epsilon and delta that it states. These cover only this file, "
        "not a table, risk figure or exact number that is released beside it."
    ),
    (
        "An accuracy is a distance from the exact figure: with a probability of 95 %, the noise stays within it. "
        "This holds for each figure separately."
    ),
    "Values outside a column's bounds count as the nearest bound. The accuracies don't include this bias.",
    (
        "Rows in which a number is missing aren't counted. Counts may be negative, and noisy correlations may be "
        "inconsistent with each other."
    ),
    (
        "No group is withheld for being small: the groups are public, and noise hides the people in them. Figures "
        "lost in the noise are null."
    ),
)


def release(
    request: Request, domains: Mapping[str, Domain], costs: Costs, answers: Sequence[Answer], opendp: str
) -> dict[str, Any]:
    """Return the published release, in the form of other aggregates and in JSON types only."""
    renderer = summary.ReleaseRenderer(request, domains, costs, {a.query: a for a in answers})
    (by,) = request.by
    keys = product(*(renderer.parts(name) for name in by))
    about = {
        "tool": {"name": "piiscan", "version": __version__, "opendp": opendp},
        "dataset": {"name": request.dataset, "version": request.version},
        "unit": request.unit,
        "totals": None,
        "rules": None,
        "privacy": summary.privacy(request, costs),
        "bounds": {name: [d.low, d.high] for name in request.numbers if isinstance(d := domains[name], Number)},
        "queries": [renderer.query(a) for a in answers],
        "withheld": {"groups": 0, "totals": 0},
        "notes": list(NOTES),
    }
    part = partial(_part, {a.query.measure: a for a in answers}, costs, tuple(map(Axis, by)))
    groups = tuple(_group(key, i, request.numbers, domains, part) for i, key in enumerate(keys))
    return Aggregates(by, request.numbers, groups, about).to_dict()


def _part(answers: Mapping[Measure, Answer], costs: Costs, axes: tuple[Axis, ...], at: int, *what: Any) -> Part:
    return answers[Measure(axes, *what)].part(costs, at)


def _group(
    key: tuple[str, ...], at: int, names: Sequence[str], domains: Mapping[str, Domain], part: Callable[..., Part]
) -> Group:
    n = part(at)
    bounds = {name: d for name in names if isinstance(d := domains[name], Number)}
    sums, squares = ({name: part(at, name, value) for name in names} for value in ("sums", "squares"))
    means = [estimates.mean(n, sums[name], bounds[name]) for name in names]
    stds = [estimates.std(n, sums[name], squares[name], bounds[name]) for name in names]

    def correlation(i: int, j: int) -> Estimate:
        if i == j:
            return Estimate(1.0, 0.0)
        a, b = names[min(i, j)], names[max(i, j)]
        both = part(at, a, "products", b)
        return estimates.correlation(n, (sums[a], sums[b]), (squares[a], squares[b]), both, (bounds[a], bounds[b]))

    table = [[correlation(i, j) for j in range(len(names))] for i in range(len(names))]
    return Group(
        key,
        n.value,
        tuple(e.value for e in means),
        tuple(e.value for e in stds),
        tuple(tuple(e.value for e in row) for row in table),
        accuracy={
            "count": n.within(1),
            "mean": [e.accuracy for e in means],
            "std": [e.accuracy for e in stds],
            "correlation": [[e.accuracy for e in row] for row in table],
        },
    )
