"""Prepares a summary: the request is checked, and nothing is read or charged yet."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from piiscan.core.argument_kinds import demand
from piiscan.dp import noise
from piiscan.dp.declare import Declared, domains
from piiscan.dp.ledger import Ledger
from piiscan.dp.privacy import Privacy
from piiscan.dp.queries import costs
from piiscan.dp.request import QUARTILES, STATISTICS, Request, Statistic
from piiscan.dp.run import schema as schemas
from piiscan.dp.run.accounts import private_request
from piiscan.dp.run.passes import TallyOf
from piiscan.dp.run.summarize_table import Progress, Summary, charge_and_summarize
from piiscan.io.table_source import Source


@dataclass(frozen=True, kw_only=True)
class SummaryQuestions:
    """What a summary should report, and the public knowledge about columns, as `piiscan.summarize` takes them."""

    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    entities: Mapping[str, str] = field(default_factory=dict)
    estimate_bounds: Sequence[str] = ()
    private_keys: Sequence[str] = ()
    schema: str | os.PathLike[str] | None = None
    columns: Sequence[str] = ()
    statistics: Sequence[Statistic] = STATISTICS
    quantiles: Sequence[float] = QUARTILES
    by: Sequence[Sequence[str]] = ()
    cross: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            demand(each.name, each.type, getattr(self, each.name))


class PreparedQuery(NamedTuple):
    """A query that was checked, but not answered yet: the data hasn't been read."""

    source: Source
    request: Request
    ledger: Ledger
    budget: float | None
    progress: Progress | None

    def check(self) -> None:
        """Raise `MissingExtra` and `BudgetError` if `charge_and_execute` would, before the long work."""
        noise.require()
        price = costs(self.request)
        if self.ledger.stored(self.request.canonical(price.share.mechanism)) is None:
            self.ledger.check(self.request.dataset, price.loss, self.budget)

    def charge_and_execute(self, tally_of: TallyOf | None = None) -> Summary:
        return charge_and_summarize(*self, tally_of=tally_of)


def prepare_summary(
    source: Source, privacy: Privacy, questions: SummaryQuestions, progress: Progress | None = None
) -> PreparedQuery:
    """Prepare a summary. Raises `UsageError` for an invalid request."""
    declared = Declared(
        questions.bounds,
        questions.edges,
        questions.categories,
        questions.entities,
        questions.estimate_bounds,
        questions.private_keys,
    )
    grouped = [name for group in (*questions.by, *questions.cross) for name in group]
    request, ledger = private_request(
        source,
        privacy,
        domains(schemas.with_file(declared, questions.schema), questions.columns, grouped),
        statistics=_in_order(questions.statistics),
        quantiles=tuple(sorted(set(map(float, questions.quantiles)))),
        by=questions.by,
        cross=questions.cross,
    )
    return PreparedQuery(source, request, ledger, privacy.budget, progress)


def _in_order(statistics: Sequence[Statistic]) -> tuple[Statistic, ...]:
    """Return the same query whatever order the columns were named in; unknown names stay, to be refused later."""
    unknown = tuple(s for s in statistics if s not in STATISTICS)
    return unknown or tuple(s for s in STATISTICS if s in statistics)
