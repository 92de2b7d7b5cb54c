"""One private summary: exact sums first, then the charge, then the noise. This order is what makes it safe."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from piiscan.core.results import Fact, Result
from piiscan.dp import answers as a
from piiscan.dp import noise
from piiscan.dp.domains import Domain
from piiscan.dp.ledger import Ledger
from piiscan.dp.queries import Costs, Query, costs, queries
from piiscan.dp.request import Request
from piiscan.dp.result import Json, release
from piiscan.dp.run import passes
from piiscan.dp.tally import Tally
from piiscan.io.table_source import Source

if TYPE_CHECKING:
    import polars as pl

    from piiscan.dp.domains import Ints

Progress = Callable[[str, int], None]
"""Called with what is read and the rows read so far."""


Render = Callable[[Request, dict[str, Domain], Costs, list[a.Answer], str], Json]
"""From answers to a release: the request, its domains, what it costs, the answers, and OpenDP's version."""


@dataclass(frozen=True, slots=True, repr=False)
class Summary(Result):
    """A release as text (JSON, always the same for the same query).

    `repeated` says whether it had been released before.
    """

    text: str
    repeated: bool

    def to_dict(self) -> Json:
        """Return the release as plain data."""
        release: Json = json.loads(self.text)
        return release

    def to_json(self) -> str:
        """Return the text of its JSON document, as the command writes it; it ends with a line break."""
        return self.text

    def _facts(self) -> Iterator[Fact]:
        release = self.to_dict()
        yield "epsilon", release["privacy"]["epsilon"]
        yield "delta", release["privacy"]["delta"]
        yield "columns", len(release["columns"])
        yield "repeated", self.repeated


def charge_and_summarize(
    source: Source,
    request: Request,
    ledger: Ledger,
    budget: float | None = None,
    progress: Progress | None = None,
    render: Render = release,
    tally_of: passes.TallyOf | None = None,
) -> Summary:
    """Answer a request about a table, and charge the ledger for it.

    `budget`: the ε that is fixed at the dataset's first use. `render` makes the release from the noisy answers, and
    sees nothing else. `tally_of`: gives the exact sums in place of passes over `source`, with at most `max_rows` rows
    of each unit.

    Guarantee:
        Assumes: `request.unit` identifies the person each row belongs to, or each row is another person's; the
        declarations weren't read from the data.
        Ensures: (ε, δ)-differential privacy of the result for neighbouring tables as `request` defines them, ε and δ
        being totals; the ledger is charged before noise is drawn; the same query gives the same release for free.
        Does not protect against: what is released beside it, and anyone who can read the data or the memory of this
        process. How long it takes isn't hidden.
        Test: test_summarize_attacks.py
    Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`; nothing is charged then, save where bounds are
    estimated and the data can't be read a second time.
    """
    noise.require()
    questions, price = queries(request), costs(request)
    query = request.canonical(price.share.mechanism)
    before = ledger.stored(query)
    if before is not None:
        return Summary(before, True)
    ledger.check(request.dataset, price.loss, budget)
    if request.finds:  # refused before it's charged where there is no threshold
        noise.threshold(request.max_rows, price.share, price.key_delta)
    passed = _Passes(source, request, questions, price, progress, tally_of)
    estimates = [q for q in questions if q.kind == "estimate"]
    first = passed.tally(estimates, dict(request.columns)) if request.estimates else None
    exact = None if first else passed.tally(questions, dict(request.columns))
    charge = ledger.charge(request.dataset, request.version, query, price.loss, budget)
    if isinstance(charge, str):  # another process was faster
        return Summary(charge, True)
    domains, answers = passed.draw_bounds(first)
    rest = [q for q in questions if q.kind != "estimate"]
    answers += a.draw_answers(exact or passed.tally(rest, domains), rest, domains, request, price)
    text = json.dumps(render(request, domains, price, answers, version("opendp")), ensure_ascii=False, indent=1) + "\n"
    ledger.store(charge, text)
    return Summary(text, False)


class _Passes:
    """The passes over the table."""

    def __init__(
        self,
        source: Source,
        request: Request,
        questions: tuple[Query, ...],
        price: Costs,
        progress: Progress | None,
        tally_of: passes.TallyOf | None = None,
    ) -> None:
        self.tally_of = tally_of
        self.source = source
        self.request = request
        self.questions = questions
        self.price = price
        self.progress = progress
        self._kept: Ints | None = None

    def tally(self, questions: Any, domains: dict[str, Domain]) -> Tally:
        """Return the exact sums that queries are answered from."""
        measures = list(dict.fromkeys(q.measure for q in questions))
        if self.tally_of is not None:
            return self.tally_of(measures, domains)
        kept = self._kept_rows()
        return passes.tally(self._batches(self.request.names), measures, domains, kept, self._step("counting"))

    def draw_bounds(self, first: Tally | None) -> tuple[dict[str, Domain], list[a.Answer]]:
        """Return the domains with estimated bounds in place of unknown ones."""
        domains = dict(self.request.columns)
        given = []
        for query in self.questions:
            if query.kind == "estimate" and first is not None:
                answer, domains[query.measure.of or ""] = a.draw_bounds(first, query, self.request, self.price)
                given.append(answer)
        return domains, given

    def _kept_rows(self) -> Ints | None:
        unit = self.request.unit
        if unit is None:
            return None
        if self._kept is None:
            columns = tuple(dict.fromkeys((*self.request.names, unit)))
            domains = dict(self.request.columns)
            self._kept = passes.kept_rows(
                self._batches(columns), unit, domains, self.request.max_rows, self._step("units")
            )
        return self._kept

    def _batches(self, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
        batches = self.source.batches(columns)
        return (passes.complete(frame, self.request.numbers) for frame in batches) if self.request.moments else batches

    def _step(self, what: str) -> passes.Progress | None:
        progress = self.progress
        return None if progress is None else lambda rows: progress(what, rows)
