"""From a counted table to its solution."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from piiscan.anonymity.hierarchy import Hierarchy
from piiscan.anonymity.hierarchy_build import built
from piiscan.anonymity.hierarchy_files import load
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.problem import Problem
from piiscan.anonymizing.micro import microaggregated
from piiscan.anonymizing.plans import Plan, cover
from piiscan.anonymizing.request import Request
from piiscan.anonymizing.result import Anonymized
from piiscan.anonymizing.solve import solution, solve
from piiscan.anonymizing.tables import Counted
from piiscan.anonymizing.wanted import models


def anonymized(table: Counted, request: Request, population: Histogram | None = None, plan: Plan | None = None) -> Anonymized:
    """Search for the best publication of a table, or take the one that its plan says.

    Raises `UsageError` where there is none, or a hierarchy lacks a value.
    """
    hierarchies = _hierarchies(table, request)
    quasi = {i: hierarchies[i] for i in table.places("quasi")}
    asked = models(request.wanted, table.histogram, table.places("sensitive"), hierarchies)
    unit = next(iter(table.places("unit")), None)
    problem = Problem.of(table.histogram, quasi, asked, unit, population)
    if request.method == "mdav":
        found = microaggregated(problem, request.wanted)
    else:
        found = solve(problem, request) if plan is None else solution(problem, cover(plan, problem), request)
    return Anonymized(table.columns, request, found)


def _hierarchies(table: Counted, request: Request) -> dict[int, Hierarchy]:
    """Those of the quasi-identifiers, given or built, and those of sensitive columns where the distance between values asks for one."""
    quasi = [c for c in table.columns if c.role == "quasi"]
    if request.method == "mdav":
        return {c.index: Hierarchy.of(c.name, [(v,) for v in table.histogram.coded(c.index).values]) for c in quasi}
    ordered = [c for c in table.columns if c.role == "sensitive" and request.wanted.distance == "hierarchical"]
    given: Mapping[str, Hierarchy] = {}
    if isinstance(request.hierarchies, Path):
        given = load(request.hierarchies, [c.name for c in (*quasi, *ordered)])
    elif request.hierarchies is not None:
        given = request.hierarchies
    out = {c.index: given[c.name] for c in (*quasi, *ordered) if c.name in given}
    for c in quasi:
        if c.index not in out:
            out[c.index] = built(c.name, table.histogram.coded(c.index).values, c.entity, c.dtype)
    return {i: out[i] for i in sorted(out)}
