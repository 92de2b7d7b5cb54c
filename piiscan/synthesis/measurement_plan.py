"""What is measured for synthetic rows, and what each part may cost. A function of public facts only.

First each column's counts are measured, then tables of two or three columns. Each is chosen with noise among those that
can be measured next: the one whose measurement would improve the distribution so far most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.dp.accounting import Loss, zcdp_rho
from piiscan.dp.domains import Categories, Number
from piiscan.dp.noise import Mechanism, Share
from piiscan.dp.queries import Axis, Measure
from piiscan.dp.request import Request
from piiscan.synthesis.junction_tree import Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SINGLES: Final = 0.2
SELECTIONS: Final = 0.03
FINDING: Final = 0.07
"""Parts of the budget: of single columns, of choices, and of finding private bins where there are any; tables of
several columns get the rest.
"""
ROUNDS: Final = 2.5
"""Tables of several columns that are measured, for each column."""
MOST_CELLS: Final = 4_000_000
"""The largest number of cells in the tables of all pairs and triples: they are counted exactly first."""
TRIPLE_CELLS: Final = 10_000
TRIPLES: Final = 500
"""At most so many tables of three columns are counted, with at most so many cells each: those with the fewest."""


class MeasurementPlan(NamedTuple):
    """The measurements of a request.

    `scopes`: every column, every pair, and triples with few cells, by which rows are counted. `rounds` pairs and
    triples are measured. Shares are those of one table or one choice (`pair`: also of a triple); if there are no more
    pairs than rounds, nothing is chosen, a choice has no share, and there are no triples.
    `numeric`: columns whose neighbouring bins may be merged before pairs are measured. `possible`: of pairs of columns
    between which a constraint was declared, which codes can occur together. `levels`: how often columns with
    private bins (`private`) are measured to find these, at most; `level`: the share of each time.
    """

    scopes: tuple[Scope, ...]
    rounds: int
    single: Share
    selection: Share
    pair: Share
    loss: Loss
    numeric: tuple[int, ...] = ()
    level: Share | None = None
    levels: int = 0
    private: tuple[int, ...] = ()
    possible: Mapping[Scope, npt.NDArray[np.bool_]] = {}

    @property
    def mechanism(self) -> Mechanism:
        return self.single.mechanism


def domains(request: Request) -> list[Number | Categories]:
    """Return the domain of each column.

    Raises `UsageError` for a column whose domain would have to be read from the data.
    """
    found: list[Number | Categories] = []
    for name, domain in request.columns:
        if not isinstance(domain, Number | Categories):
            raise UsageError(
                f"column {name}: synthetic rows need declared bounds or categories; add --bounds {name}=LOW:HIGH "
                f"or --categories {name}=A,B"
            )
        found.append(domain)
    return found


def sizes(request: Request) -> tuple[int, ...]:
    """The number of codes of each column: its bins or categories, other categories, missing."""
    return tuple(len(d.labels) + (2 if isinstance(d, Categories) else 1) for d in domains(request))


def plan(request: Request, private: Mapping[str, int] | None = None) -> MeasurementPlan:
    """Plan the measurements. Raises `UsageError` for a table with too many combinations.

    private: by column with private bins, how often it is measured beforehand to find them. What each measurement costs
    depends on the number of columns and of these times alone, not on bins.
    """
    times = private or {}
    levels, found = sum(times.values()), tuple(c for c, name in enumerate(request.names) if name in times)
    of = sizes(request)
    singles: list[Scope] = [(c,) for c in range(len(of))]
    pairs: list[Scope] = list(combinations(range(len(of)), 2))
    counted = sum(of[a] * of[b] for a, b in pairs)
    if counted > MOST_CELLS:
        widest = max(range(len(of)), key=lambda c: of[c])
        raise UsageError(
            f"the pairs of {len(of)} columns have {counted:,} combinations of values, and at most {MOST_CELLS:,} "
            "can be counted; name fewer columns with --columns, or declare fewer bins or categories (column "
            f"{request.names[widest]} has {of[widest]:,})"
        )
    numeric = tuple(c for c, domain in enumerate(domains(request)) if isinstance(domain, Number))
    rounds = min(int(ROUNDS * len(of)), len(pairs))
    triples = _triples(of, MOST_CELLS - counted) if rounds < len(pairs) else []
    scopes = (*singles, *pairs, *triples)
    each = (len(of), rounds, rounds, levels)
    laplace = _shared(Share("laplace", request.epsilon), len(of), rounds, len(pairs), levels)
    # ε-differential privacy is ε²/2-zCDP (Bun and Steinke 2016, proposition 1.4).
    rho = sum(n * share.amount**2 / 2 for n, share in zip(each, laplace, strict=True))
    loss = Loss(request.epsilon, request.delta, rho, 0.0)
    if request.delta and (rho := zcdp_rho(request.epsilon, request.delta)) > 0:
        gaussian = _shared(Share("gaussian", rho), len(of), rounds, len(pairs), levels)
        most = 2 if rounds else 0  # what most of the budget is for
        if deviation(gaussian[most], 1) < deviation(laplace[most], 1):
            loss = Loss(request.epsilon, request.delta, rho, 0.0)
            return MeasurementPlan(scopes, rounds, *gaussian[:3], loss, numeric, gaussian.level, levels, found)
    return MeasurementPlan(scopes, rounds, *laplace[:3], loss, numeric, laplace.level, levels, found)


def _triples(sizes: Sequence[int], cells: int) -> list[Scope]:
    """Return the triples that are counted beside pairs, with at most so many cells in all."""
    found: list[Scope] = []
    of = {triple: math.prod(sizes[c] for c in triple) for triple in combinations(range(len(sizes)), 3)}
    for triple in sorted(of, key=lambda t: (of[t], t))[:TRIPLES]:
        cells -= of[triple]
        if of[triple] > TRIPLE_CELLS or cells < 0:
            break
        found.append(triple)
    return found


def measures(request: Request, scopes: Sequence[Scope]) -> dict[Scope, Measure]:
    """The measures by which the rows of each scope are counted."""
    return {scope: Measure(tuple(Axis(request.names[c]) for c in scope)) for scope in scopes}


def deviation(share: Share, max_rows: int) -> float:
    """The standard deviation of the noise on a count, if `max_rows` rows of one unit are in the table.

    It is slightly above it, as noise is a whole number.
    """
    return (
        math.sqrt(2) * max_rows / share.amount
        if share.mechanism == "laplace"
        else max_rows / math.sqrt(2 * share.amount)
    )


class _Shares(NamedTuple):
    single: Share
    selection: Share
    pair: Share
    level: Share


def _shared(whole: Share, columns: int, rounds: int, pairs: int, levels: int) -> _Shares:
    """Return the share of each column, choice, pair and level, for any number of them."""
    finding = FINDING if levels else 0.0
    single, selection = (SINGLES if rounds else 1.0 - finding), (SELECTIONS if rounds < pairs else 0.0)
    pair = (1 - single - selection - finding) / max(rounds, 1)
    parts = single / columns, selection / max(rounds, 1), pair, finding / max(levels, 1)
    return _Shares(*(whole._replace(amount=whole.amount * part) for part in parts))
