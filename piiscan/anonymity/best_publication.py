"""From the histogram of a table to the published version that loses least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from piiscan.anonymity.counted_table import CountedTable
from piiscan.anonymity.hierarchies.hierarchy import Hierarchy, Label
from piiscan.anonymity.hierarchies.hierarchy_build import Spec, built
from piiscan.anonymity.hierarchies.hierarchy_files import load, specs
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.microaggregation import microaggregated
from piiscan.anonymity.models.privacy_models import build_models
from piiscan.anonymity.needs import demand_search
from piiscan.anonymity.recoding_plan import RecodingPlan, cover
from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.result import Anonymized
from piiscan.anonymity.roles import Assigned
from piiscan.anonymity.search.problem import Problem
from piiscan.anonymity.solve import solution, solve


def anonymized(
    table: CountedTable,
    request: AnonymizeRequest,
    population: Histogram | None = None,
    plan: RecodingPlan | None = None,
) -> Anonymized:
    """Search for the best published version of a table, or take the one that its plan describes.

    Raises `UsageError` if there is none, or if a hierarchy lacks a value.
    """
    trees = hierarchies(table, request, population)
    quasi = {i: trees[i] for i in table.indexes("quasi")}
    models = build_models(request.models, table.histogram, table.indexes("sensitive"), trees)
    unit = next(iter(table.indexes("unit")), None)
    counted = table.histogram
    demand_search(len(counted.frame), int(counted.rows.sum()), quasi.values(), len(counted.columns) - len(quasi))
    problem = Problem.of(counted, quasi, models, unit, population)
    if request.method == "mdav":
        found = microaggregated(problem, request.models)
    else:
        found = solve(problem, request) if plan is None else solution(problem, cover(plan, problem), request)
    return Anonymized(table.columns, request, found)


def hierarchies(
    table: CountedTable,
    request: AnonymizeRequest,
    population: Histogram | None,
    known: Mapping[int, Hierarchy] = MappingProxyType({}),
) -> dict[int, Hierarchy]:
    """Return the hierarchies of the quasi-identifiers: given, already `known`, or built.

    Those of sensitive columns are included where a distance between values needs one.
    """
    quasi = [c for c in table.columns if c.role == "quasi"]
    if request.method == "mdav":
        return {c.index: Hierarchy.of(c.name, [(v,) for v in _values(c, table.histogram, population)]) for c in quasi}
    ordered = [c for c in table.columns if c.role == "sensitive" and request.models.distance == "hierarchical"]
    given, kinds = request.hierarchies, dict[str, Spec]()
    if isinstance(given, Path):
        kinds = specs(given, [c.name for c in quasi])
        given = load(given, [c.name for c in (*quasi, *ordered) if c.name not in kinds])
    out = {c.index: given[c.name] for c in (*quasi, *ordered) if given is not None and c.name in given}
    for c in quasi:
        if c.index not in out:
            found = known.get(c.index)
            out[c.index] = found or built(
                c.name, _values(c, table.histogram, population), c.entity, c.dtype, kinds.get(c.name)
            )
    return {i: out[i] for i in sorted(out)}


def _values(column: Assigned, histogram: Histogram, population: Histogram | None) -> Sequence[Label]:
    """Return the distinct values of a column, in the table or in its population."""
    values = set(histogram.coded(column.index).values)
    if population is not None:
        values |= set(population.coded(column.index).values)
    return sorted(values, key=lambda v: (v is None, v or ""))
