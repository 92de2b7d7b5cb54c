"""Synthetic rows of all sites' rows: noisy tables of single columns and of pairs that the federation file names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from statistics import NormalDist
from typing import Any, ClassVar, Final

from piiscan.core.errors import UsageError
from piiscan.dp.accounting import Loss, zcdp_rho
from piiscan.dp.noise import Adder, Share
from piiscan.dp.queries import Costs
from piiscan.dp.request import Request
from piiscan.dp.result import Json
from piiscan.dp.run import passes
from piiscan.dp.run.joint import Joint
from piiscan.dp.tally import Tally
from piiscan.io.table_source import Source
from piiscan.synthesis import code_groups, fit_distribution, junction_tree, measurement_plan, measuring, needs, result
from piiscan.synthesis.fit_distribution import Table
from piiscan.synthesis.junction_tree import Scope
from piiscan.synthesis.measurement_plan import MeasurementPlan
from piiscan.synthesis.measuring import FittedModel, Measured

_NOTE: Final = "The pairs were named beforehand, in the federation file: which ones are measured depends on no row."


class JointSynthesis(Joint):
    """The tables that synthetic rows are drawn from, over the rows of all sites.

    pairs: the columns whose tables are measured, by their numbers. None is selected by what the rows contain: a
    selection looks at exact tables, which nobody has of all sites.
    """

    adaptive: ClassVar[bool] = False

    def __init__(self, request: Request, pairs: Sequence[tuple[str, ...]]) -> None:
        self.request = request
        self._sizes = measurement_plan.sizes(request)
        self._plan = _plan(request, self._sizes, _scopes(request, pairs))
        self._measures = measurement_plan.measures(request, self._plan.scopes)
        self.price = Costs(self._plan.pair if pairs else self._plan.single, 0.0, self._plan.loss)

    def exact(self, source: Source) -> Tally:
        request, columns = self.request, dict(self.request.columns)
        needs.demand_counts(self._sizes)
        kept = None
        if request.unit is not None:
            names = tuple(dict.fromkeys((*request.names, request.unit)))
            kept = passes.kept_rows(source.batches(names), request.unit, columns, request.max_rows, None)
        return passes.tally(source.batches(request.names), list(self._measures.values()), columns, kept, None)

    def empty(self) -> Tally:
        return Tally.empty(list(self._measures.values()), dict(self.request.columns))

    def released(self, exact: Any, added: Adder) -> Json:
        found = []
        for scope in self._plan.scopes:
            share = self._plan.single if len(scope) == 1 else self._plan.pair
            measure = self._measures[scope]
            drawn = added(lambda of=measure: exact.counts[of].tolist(), self.request.max_rows, share)  # type: ignore[misc]
            found.append(Measured(scope, drawn.values, drawn.scale))
        made = result.release(self.request, self._plan, self._fitted(found), version("opendp"))
        within = {"accuracy": _rows_within(found, self._sizes)}
        return made | {"rows": made["rows"] | within, "notes": [*made["notes"], _NOTE]}

    def _fitted(self, found: Sequence[Measured]) -> FittedModel:
        import numpy as np

        tables = [
            Table(m.scope, np.array(m.counts, dtype=np.float64).reshape([self._sizes[c] for c in m.scope]), m.scale)
            for m in found
        ]
        rows, start = fit_distribution.singles([table for table in tables if len(table.scope) == 1])
        fit = fit_distribution.fitted(self._sizes, rows, start, tables)
        return FittedModel(tuple(found), rows, fit, code_groups.unmerged(self._sizes))


def synthesis(told: Mapping[str, Any], request: Request) -> JointSynthesis:
    """Return the job of a table with `synthesize`. Raises `UsageError`."""
    pairs = told["synthesize"]
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise UsageError('synthesize names the pairs of columns to measure, such as [["age", "ward"]]; [] for none')
    return JointSynthesis(request, [tuple(pair) for pair in pairs])


def _scopes(request: Request, pairs: Sequence[tuple[str, ...]]) -> list[Scope]:
    """Return every column and the named pairs, by number."""
    number = {name: i for i, name in enumerate(request.names)}
    if unknown := sorted({name for pair in pairs for name in pair} - set(number)):
        raise UsageError(f"column {unknown[0]}: a pair needs declared columns; declare its bounds or categories")
    scopes: list[Scope] = [(c,) for c in range(len(number))]
    for pair in pairs:
        scope = tuple(sorted({number[name] for name in pair}))
        if len(scope) < 2 or scope in scopes:
            raise UsageError(f"{', '.join(pair)}: a pair is of two columns, and is named once")
        scopes.append(scope)
    return scopes


def _plan(request: Request, sizes: Sequence[int], scopes: Sequence[Scope]) -> MeasurementPlan:
    """Return what is measured and what each table may cost: Gaussian noise, and no selection."""
    cells = junction_tree.cells(sizes, junction_tree.triangulated(sizes, scopes))
    if cells > measuring.MODEL_CELLS:
        raise UsageError(
            f"a distribution with these pairs has {cells:,.0f} combinations of values, and at most "
            f"{measuring.MODEL_CELLS:,} are fitted; name fewer pairs, or declare fewer bins or categories"
        )
    rho = zcdp_rho(request.epsilon, request.delta) if request.delta else 0.0
    pairs = len(scopes) - len(sizes)
    of_singles = measurement_plan.SINGLES if pairs else 1.0
    single = Share("gaussian" if rho > 0 else "laplace", rho * of_singles / len(sizes))
    pair = single._replace(amount=rho * (1 - of_singles) / max(pairs, 1))
    loss = Loss(request.epsilon, request.delta, rho, 0.0)
    return MeasurementPlan(tuple(scopes), pairs, single, single._replace(amount=0.0), pair, loss)


def _rows_within(found: Sequence[Measured], sizes: Sequence[int]) -> int:
    """Return the accuracy of the number of rows, ± with 95 %, by the noise that was drawn.

    The number is the mean of all columns' totals, weighted by their noise, as `fit_distribution.singles` has it.
    """
    weight = math.fsum(1 / (sizes[m.scope[0]] * m.scale**2) for m in found if len(m.scope) == 1)
    return math.ceil(NormalDist().inv_cdf(0.975) / math.sqrt(weight))
