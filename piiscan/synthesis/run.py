"""One release of synthetic rows: exact tables first, then the charge, then the noise.

This order is what makes it safe.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.core.results import Fact, RowsResult
from piiscan.dp import noise
from piiscan.dp.domains import Domain
from piiscan.dp.ledger import Ledger
from piiscan.dp.request import Request
from piiscan.dp.result import Json
from piiscan.dp.run import passes
from piiscan.io.table_source import Source
from piiscan.synthesis import constraints, needs, private_bins
from piiscan.synthesis.junction_tree import Scope
from piiscan.synthesis.measurement_plan import MeasurementPlan, measures, plan, sizes
from piiscan.synthesis.measuring import measured
from piiscan.synthesis.private_bins import HeldRows, PrivateBins
from piiscan.synthesis.request import SynthesisRequest
from piiscan.synthesis.result import release

if TYPE_CHECKING:
    import polars as pl

    from piiscan.dp.domains import Ints

Progress = Callable[[str, int], None]
"""Called with what is read and the rows read so far."""


@dataclass(frozen=True, slots=True, repr=False)
class Synthetic(RowsResult):
    """Synthetic rows and the release that they were drawn from.

    `text`: the release (JSON, always the same for the same query); `repeated`: whether it had been released before.
    `frame`: rows drawn from it, at no further cost; of pandas or pyarrow if the data were. `domains`: the
    declarations of its columns. `constraints`: what its rows satisfy, as texts.
    `left_out`: the indices and names of undeclared columns. `made_up`: the names of columns with made-up people, which
    aren't drawn from the release.
    """

    text: str
    repeated: bool
    frame: Any
    domains: Mapping[str, Domain]
    left_out: tuple[tuple[int, str], ...]
    made_up: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    def to_frame(self) -> Any:
        """Return the rows as a frame, as `frame` does."""
        return self.frame

    def to_dict(self) -> Json:
        """Return the release as plain data."""
        release: Json = json.loads(self.text)
        return release

    def to_json(self) -> str:
        """Return the text of its JSON document, as the command writes it; it ends with a line break."""
        return self.text

    def _facts(self) -> Iterator[Fact]:
        privacy = self.to_dict()["privacy"]
        yield "rows", len(self.frame)
        yield "columns", len(self.domains)
        yield "epsilon", privacy["epsilon"]
        yield "delta", privacy["delta"]
        yield "repeated", self.repeated


class DrawnRows(NamedTuple):
    """The release and the rows drawn from it. `text` and `repeated`: as in `Synthetic`."""

    text: str
    repeated: bool
    rows: pl.DataFrame


def charge_and_draw(
    source: Source,
    request: SynthesisRequest,
    ledger: Ledger,
    budget: float | None = None,
    progress: Progress | None = None,
    tally_of: passes.TallyOf | None = None,
) -> DrawnRows:
    """Measure a table, charge the ledger for it, and draw the rows that are asked for.

    `budget`: the ε that is fixed at the dataset's first use. `tally_of`: gives the exact sums in place of passes over
    `source`, with at most `max_rows` rows of each unit.

    Guarantee:
        Assumes: `request.measured.unit` identifies the person each row belongs to, or each row is another person's;
        the declarations weren't read from the data.
        Ensures: (ε, δ)-differential privacy of the release, and so of any number of rows drawn from it, for
        neighbouring tables as `request` defines them, where ε and δ are totals; the ledger is charged before noise is
        drawn; the same query gives the same release for free, and the same rows for the same number and `decimals`.
        Cells contain only declared words, `(other)`, numbers drawn within declared bounds, and sums of these; every row
        satisfies every constraint.
        Does not protect against: what is released beside it, and anyone who can read the data or the memory of this
        process. How long it takes isn't hidden.
        Test: test_synthesize_attacks.py
    Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`; nothing is charged then.
    """
    from piiscan.synthesis import synthetic_rows as rows

    noise.require()
    orders, private = request.constraints.orders, request.private()
    if private and tally_of is not None:
        raise UsageError("private bins aren't found on an engine of several machines; declare edges instead")
    widest = private_bins.with_bins(request.measured, {column.name: column.widest() for column in private})
    possible = constraints.possible(orders, dict(request.measured.columns))
    planned = plan(widest, _times(private))._replace(possible=possible)
    needs.demand_counts(sizes(widest), planned.scopes)
    if request.rows is not None:
        columns = constraints.drawn_columns(len(request.measured.columns), orders, request.constraints.sums)
        needs.demand_rows(request.rows, columns)
    asked: Json = {"synthesize": 1, "of": request.measured.canonical(planned.mechanism)}
    # The distribution is fitted under orders, so they are part of the query; sums change only which columns are.
    if orders:
        asked["orders"] = list(map(str, orders))
    if private:
        needs.tell_held(len(request.measured.columns), len(private))
        asked["private_bins"] = {column.name: column.decimals for column in private}
    query = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    text, repeated = ledger.stored(query), True
    if text is None:
        text, repeated = _charge_and_release(
            source, request, private, planned, query, ledger, budget, progress, tally_of
        )
    return DrawnRows(text, repeated, rows.frame(text, request.rows, request.decimals, request.constraints.sums))


def _charge_and_release(
    source: Source,
    asked: SynthesisRequest,
    private: Sequence[PrivateBins],
    planned: MeasurementPlan,
    query: str,
    ledger: Ledger,
    budget: float | None,
    progress: Progress | None,
    tally_of: passes.TallyOf | None,
) -> tuple[str, bool]:
    """Return the text of a new release, or of one that another process made in the meantime."""
    request = asked.measured
    ledger.check(request.dataset, planned.loss, budget)
    held = _held(source, request, private, progress) if private else None
    exact = _exact(source, request, planned, progress, tally_of) if held is None else {}
    charge = ledger.charge(request.dataset, request.version, query, planned.loss, budget)
    if isinstance(charge, str):
        return charge, True
    if held is not None:
        request, planned = _found(held, request, private, planned)
        exact = held.counts(request, planned.scopes)
    model = measured(sizes(request), exact, planned, request.max_rows)
    made = release(request, planned, model, version("opendp"), asked.constraints.orders, private)
    text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    ledger.store(charge, text)
    return text, False


def _exact(
    source: Source,
    request: Request,
    planned: MeasurementPlan,
    progress: Progress | None,
    tally_of: passes.TallyOf | None,
) -> dict[Scope, Ints]:
    """Count the rows by every column, every pair, and the triples that may be measured."""
    domains, of = dict(request.columns), measures(request, planned.scopes)
    if tally_of is not None:
        found = tally_of(list(of.values()), domains)
        return {scope: found.counts[measure] for scope, measure in of.items()}
    kept = _kept(source, request, progress)
    tally = passes.tally(source.batches(request.names), list(of.values()), domains, kept, _step(progress, "counting"))
    return {scope: tally.counts[measure] for scope, measure in of.items()}


def _held(source: Source, request: Request, private: Sequence[PrivateBins], progress: Progress | None) -> HeldRows:
    """Read the rows that count, of which pairs are counted once bins have been found."""
    kept = _kept(source, request, progress)
    rows = passes.counted(source.batches(request.names), kept, _step(progress, "counting"))
    return HeldRows(rows, request, private)


def _found(
    held: HeldRows, request: Request, private: Sequence[PrivateBins], planned: MeasurementPlan
) -> tuple[Request, MeasurementPlan]:
    """Find bins, with noise, and return the request with them and what is measured next, at the same cost."""
    assert planned.level is not None
    bins = {column.name: column.found(held.steps(column.name), planned.level, request.max_rows) for column in private}
    found = private_bins.with_bins(request, bins)
    return found, plan(found, _times(private))._replace(possible=planned.possible)


def _times(private: Sequence[PrivateBins]) -> dict[str, int]:
    return {column.name: len(column.widths) for column in private}


def _kept(source: Source, request: Request, progress: Progress | None) -> Ints | None:
    """Return the numbers of the rows that count; None if all do."""
    if request.unit is None:
        return None
    columns = tuple(dict.fromkeys((*request.names, request.unit)))
    return passes.kept_rows(
        source.batches(columns), request.unit, dict(request.columns), request.max_rows, _step(progress, "units")
    )


def _step(progress: Progress | None, what: str) -> passes.Progress | None:
    return None if progress is None else lambda rows: progress(what, rows)
