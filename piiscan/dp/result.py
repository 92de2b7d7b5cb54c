"""A release as it is stored and shown: every figure with its accuracy, and what the figures mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

from piiscan.core.version import __version__
from piiscan.dp import estimates, noise
from piiscan.dp.answers import Answer
from piiscan.dp.domains import MISSING, OTHER, Categories, Domain, Keys, Number
from piiscan.dp.estimates import Estimate, Part
from piiscan.dp.queries import Axis, Costs, Measure, Query, each, ratio
from piiscan.dp.request import Request

SCHEMA_VERSION: Final = 1
Json = dict[str, Any]

NOTES: Final = (
    (
        "The figures in this file together cost the epsilon and delta that it states. These cover only this summary, "
        "not a table, risk figure or exact number that is released beside it."
    ),
    (
        "An accuracy is a distance from the exact figure: with a probability of 95 %, the noise stays within it. "
        "This holds for each figure separately."
    ),
    (
        "Values outside a column's bounds count as the nearest bound, and numbers and their squares are rounded to "
        "the units of the queries. The accuracies don't include the bias of either."
    ),
    (
        "Empty cells and, in columns of numbers, cells that aren't plain decimal numbers count as missing: they are "
        "included in the rows and in a histogram's 'missing', and nowhere else."
    ),
    "Counts may be negative: cutting them off at 0 would make small ones too large on average.",
)

FOUND: Final = (
    "A key is listed because its noisy count is high. So counts near the threshold are too high on average, and "
    "more than 5 % of them are further off than the accuracy says."
)


def release(
    request: Request, domains: Mapping[str, Domain], costs: Costs, answers: Sequence[Answer], opendp: str
) -> Json:
    """Return the published release, in JSON types only."""
    by = {a.query: a for a in answers}
    renderer = ReleaseRenderer(request, domains, costs, by)
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "dp-summary",
        "tool": {"name": "piiscan", "version": __version__, "opendp": opendp},
        "dataset": {"name": request.dataset, "version": request.version},
        "privacy": privacy(request, costs),
        "rows": renderer.count(Measure()),
        "columns": [renderer.column(name, domain) for name, domain in domains.items()],
        "tables": [renderer.table(group) for group in request.cross],
        "groups": [renderer.group(group) for group in request.by],
        "queries": [renderer.query(a) for a in answers],
        "notes": [*NOTES, FOUND] if request.finds else list(NOTES),
    }


def privacy(request: Request, costs: Costs) -> Json:
    """Describe what a release costs, and whom it protects: ε, δ, the unit, and what neighbouring tables are."""
    rows = "its row" if request.max_rows == 1 else f"its {request.max_rows} rows"
    if request.unit is None:
        neighbours = "Tables that differ by one row, added or removed: each row belongs to another person."
    else:
        neighbours = (
            f"Tables that differ by all rows of one value of {request.unit}, added or removed. Of each value "
            f"{rows} with the smallest keyed hash count, so it contributes to at most that many groups. Rows "
            "without a value are left out."
        )
    gaussian = costs.share.mechanism == "gaussian"
    return {
        "epsilon": costs.loss.epsilon,
        "delta": costs.loss.delta,
        "rho": costs.loss.rho if gaussian else None,
        "mechanism": costs.share.mechanism,
        "unit": request.unit,
        "max_rows": request.max_rows,
        "max_groups": request.max_rows,
        "neighbours": neighbours,
    }


class ReleaseRenderer:
    """Renders the parts of a release from noisy answers."""

    def __init__(
        self, request: Request, domains: Mapping[str, Domain], costs: Costs, by: Mapping[Query, Answer]
    ) -> None:
        self.request = request
        self.domains = domains
        self.costs = costs
        self.by = by

    def part(self, measure: Measure, at: int = 0) -> Part:
        return self.by[Query("add", measure)].part(self.costs, at)

    def count(self, measure: Measure, at: int = 0) -> Json:
        return _figure(estimates.count(self.part(measure, at)))

    def column(self, name: str, domain: Domain) -> Json:
        if isinstance(domain, Keys):
            found = self.by[Query("find", Measure((Axis(name, "keys"),)))]
            return {"name": name, "kind": "keys", "keys": self._keys(found)}
        if isinstance(domain, Categories):
            return {"name": name, "kind": "categories"} | self._histogram(name, domain)
        assert isinstance(domain, Number)
        about = {"name": name, "kind": "number", "bounds": [domain.low, domain.high], "bounds_from": domain.source}
        return about | self.moments(name, domain, (), 0) | self._quantiles(name, domain) | self._histogram(name, domain)

    def moments(self, name: str, domain: Number, axes: tuple[Axis, ...], at: int) -> Json:
        """Count, sum, mean and variance of a column in one part of a table."""
        statistics = self.request.statistics
        figures: Json = {}
        if not {"count", "sum", "mean", "variance"} & set(statistics):
            return {}
        n = self.part(Measure(axes, name), at)
        if "count" in statistics:
            figures["count"] = _figure(estimates.count(n))
        if not {"sum", "mean", "variance"} & set(statistics):
            return figures
        sums = self.part(Measure(axes, name, "sums"), at)
        if "sum" in statistics:
            figures["sum"] = _figure(estimates.total(n, sums, domain))
        if "mean" in statistics:
            figures["mean"] = _figure(estimates.mean(n, sums, domain))
        if "variance" in statistics:
            figures["variance"] = _figure(
                estimates.variance(n, sums, self.part(Measure(axes, name, "squares"), at), domain)
            )
        return figures

    def table(self, group: tuple[str, ...]) -> Json:
        axes = tuple(map(Axis, group))
        answer = self.by[Query("add", Measure(axes))]
        labels = product(*(self.parts(name) for name in group))
        cells = [{"key": list(key), "count": n} for key, n in zip(labels, answer.values, strict=True)]
        return {"columns": list(group), "accuracy": answer.part(self.costs).within(1), "cells": cells}

    def group(self, group: tuple[str, ...]) -> Json:
        """Statistics of each column of numbers in each group."""
        private = isinstance(self.domains[group[0]], Keys)
        axes = tuple(Axis(name, "keys" if private else "bins") for name in group)
        if private:
            found = self.by[Query("find", Measure(axes))]
            keys: list[tuple[str, ...]] = [(key,) for key in found.keys]
        else:
            keys = list(product(*(self.parts(name) for name in group)))
            found = self.by[Query("add", Measure(axes))]
        columns = {
            name: domain for name, domain in self.domains.items() if isinstance(domain, Number) and name not in group
        }
        groups = [
            {
                "key": list(key),
                "count": _figure(estimates.count(found.part(self.costs, i))),
                "columns": {name: self.moments(name, domain, axes, i) for name, domain in columns.items()},
            }
            for i, key in enumerate(keys)
        ]
        return {"by": list(group), "keys": "found" if private else "public", "groups": groups}

    def query(self, answer: Answer) -> Json:
        """Describe a query's noise; `unit` is what one of its integers represents."""
        query = answer.query
        entry: Json = {
            "query": query.name,
            "share": self.costs.share.amount,
            "sensitivity": answer.sensitivity,
            "scale": answer.scale,
        }
        if query.kind == "find":
            entry |= {"delta": self.costs.key_delta, "threshold": answer.threshold}
        if query.kind == "select":
            return entry | {"unit": f"1/{ratio(query.p or 0.0)[1]} rank"}
        accuracy = noise.accuracy(self.costs.share.mechanism, answer.scale)
        return entry | {"accuracy": accuracy, "unit": self._unit(query.measure)}

    def _unit(self, measure: Measure) -> str:
        if measure.value == "rows":
            return "1 row"
        domain, other = self.domains[measure.of or ""], self.domains[measure.other or measure.of or ""]
        assert isinstance(domain, Number) and isinstance(other, Number)
        if measure.value == "sums":
            return f"{float(domain.step):.6g}"
        most = domain.half_range * float(domain.step) * other.half_range * float(other.step)
        return f"{most / each(measure, dict(self.domains)):.6g}"

    def parts(self, name: str) -> tuple[str, ...]:
        domain = self.domains[name]
        assert isinstance(domain, Categories | Number)
        return (*domain.labels, OTHER, MISSING) if isinstance(domain, Categories) else (*domain.labels, MISSING)

    def _histogram(self, name: str, domain: Number | Categories) -> Json:
        answer = self.by.get(Query("add", Measure((Axis(name),))))
        if answer is None:
            return {}
        *bins, _ = self.parts(name)
        *values, missing = answer.values
        return {
            "histogram": {
                "bins": bins,
                "counts": values,
                "missing": missing,
                "accuracy": answer.part(self.costs).within(1),
            }
        }

    def _quantiles(self, name: str, domain: Number) -> Json:
        grid = Measure((Axis(name, "grid"),), name)
        found = [(p, a) for p in self.request.quantiles if (a := self.by.get(Query("select", grid, p))) is not None]
        if not found:
            return {}
        width = float(domain.grid * domain.step)
        return {
            "quantiles": [
                {
                    "p": p,
                    "value": domain.value((a.place or 0) * domain.grid),
                    "width": width,
                    "accuracy_ranks": estimates.ranks(a.scale, domain.candidates, ratio(p)[1]),
                }
                for p, a in found
            ]
        }

    def _keys(self, found: Answer) -> Json:
        accuracy = noise.accuracy(self.costs.share.mechanism, found.scale)
        counts = [{"key": key, "count": n} for key, n in zip(found.keys, found.values, strict=True)]
        return {"found": counts, "threshold": found.threshold, "accuracy": accuracy}


def _figure(estimate: Estimate) -> Json:
    return {"value": estimate.value, "accuracy": estimate.accuracy}
