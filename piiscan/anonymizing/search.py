"""From a counted table to its solution."""

from __future__ import annotations

from piiscan.anonymity.hierarchy import Hierarchy
from piiscan.anonymity.hierarchy_build import built
from piiscan.anonymity.hierarchy_files import load
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.problem import Problem
from piiscan.anonymizing.request import Request
from piiscan.anonymizing.result import Anonymized
from piiscan.anonymizing.solve import solve
from piiscan.anonymizing.tables import Counted
from piiscan.anonymizing.wanted import models


def anonymized(table: Counted, request: Request, population: Histogram | None = None) -> Anonymized:
    """Search for the best publication of a table. Raises `UsageError` where there is none, or a hierarchy lacks a value."""
    hierarchies = _hierarchies(table, request)
    quasi = {i: hierarchies[i] for i in table.places("quasi")}
    asked = models(request.wanted, table.histogram, table.places("sensitive"), hierarchies)
    unit = next(iter(table.places("unit")), None)
    problem = Problem.of(table.histogram, quasi, asked, unit, population)
    return Anonymized(table.columns, request, solve(problem, request))


def _hierarchies(table: Counted, request: Request) -> dict[int, Hierarchy]:
    """Those of the quasi-identifiers, given or built, and those of sensitive columns where the distance between values asks for one."""
    quasi = [c for c in table.columns if c.role == "quasi"]
    if request.hierarchies is None:
        return {c.index: built(c.name, table.histogram.coded(c.index).values, c.entity, c.dtype) for c in quasi}
    ordered = [c for c in table.columns if c.role == "sensitive" and request.wanted.distance == "hierarchical"]
    given = load(request.hierarchies, [c.name for c in (*quasi, *ordered)])
    return {c.index: given[c.name] for c in (*quasi, *ordered)}
