"""Computations that several sites do together: what each adds up over its own rows, and what follows from all sums.

A computation asks for noisy sums, one after the other, through an adder. Its exact integers are those of one site's
rows; the adder decides whose integers are summed, and where noise is drawn. So a site and the coordinator run the
same code, and both get the release from the sums alone.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, Final

from piiscan.core.errors import UsageError
from piiscan.dp import answers
from piiscan.dp import queries as q
from piiscan.dp.declare import Declared, domains
from piiscan.dp.domains import Domain
from piiscan.dp.learning import draws
from piiscan.dp.noise import Adder
from piiscan.dp.queries import Costs
from piiscan.dp.request import Request
from piiscan.dp.result import Json, release
from piiscan.dp.run import passes
from piiscan.dp.run.estimators.estimator import Estimator, Predictor
from piiscan.dp.run.estimators.kmeans import KMeans
from piiscan.dp.run.estimators.linear import LinearRegression
from piiscan.dp.run.estimators.logistic import LogisticRegression
from piiscan.dp.run.estimators.naive_bayes import GaussianNB
from piiscan.dp.run.estimators.pca import PCA
from piiscan.dp.run.estimators.scaler import StandardScaler
from piiscan.dp.tally import Tally
from piiscan.io.table_source import Source

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Bools

MODELS: Final[dict[str, type[Estimator]]] = {
    kind.stored_name: kind for kind in (PCA, GaussianNB, KMeans, LinearRegression, LogisticRegression, StandardScaler)
}
_SUMMARY: Final = {"bounds", "categories", "edges", "by", "cross", "statistics"}


class Joint(ABC):
    """A computation over the rows of all sites. Everything in it is public.

    `price` is what it costs each site. `adaptive`: what it asks for next depends on the sums so far.
    """

    adaptive: ClassVar[bool]
    price: Costs
    max_rows: int = 1
    """How many of a unit's rows count."""

    @abstractmethod
    def exact(self, source: Source) -> Any:
        """Read a site's rows: what its integers are computed from, in memory. Raises `UsageError` and `ReadError`."""

    @abstractmethod
    def empty(self) -> Any:
        """Return what `exact` returns for no rows."""

    @abstractmethod
    def released(self, exact: Any, added: Adder) -> Json:
        """Return the release, computed from what `added` returns alone.

        `exact` is looked at only in what `added` calls; it may be None if `added` calls nothing.
        """

    def right(self, released: Json, source: Source, within: float | None) -> Bools:
        """Return for each of some other rows, at most `max_rows` of each unit, whether the model predicts it right.

        A number is right that is not farther than `within` from the row's. Rows without a target don't count.
        """
        raise NotImplementedError

    def check_held_out(self, source: Source, within: float | None) -> None:
        """Raise `UsageError` or `ReadError` where `right` would have nothing to compare."""
        raise UsageError("this job predicts nothing that could be compared with rows that were held out")


class JointFit(Joint):
    """A model of `piiscan.learning`, fitted to the rows of all sites."""

    adaptive = True

    def __init__(self, model: Estimator, request: Request) -> None:
        self.model = model
        self.request = request
        self.max_rows = request.max_rows
        self._queries = model._queries()
        self.price = draws.costs(self._queries, request.epsilon, request.delta, gaussian_only=True)

    def exact(self, source: Source) -> Any:
        return self.model._exact(self.model._batches(source, self.request))

    def empty(self) -> Any:
        return self.model._exact(iter(()))

    def released(self, exact: Any, added: Adder) -> Json:
        drawn = draws.Draws(self._queries, self.price, self.request.max_rows, added)
        return self.model._rendered(self.request, self.price, self.model._learn(exact, drawn), drawn)

    def right(self, released: Json, source: Source, within: float | None) -> Bools:
        assert isinstance(self.model, Predictor)
        self.model._take(released)
        return self.model._right(source, self.request, within)

    def check_held_out(self, source: Source, within: float | None) -> None:
        if not isinstance(self.model, Predictor):
            super().check_held_out(source, within)
        if isinstance(self.model, LinearRegression) and within is None:
            raise UsageError("say with `within` how far a predicted number may be from the right one")
        if not any(len(frame) for frame in self.model._counted(source, self.request)):
            raise UsageError("there are no rows that were held out; the site takes no part")


class JointSummary(Joint):
    """Counts, sums, means, variances, histograms and cross-tables of declared columns over the rows of all sites."""

    adaptive = False

    def __init__(self, request: Request) -> None:
        self.request = request
        self._queries = q.queries(request)
        self._measures = list(dict.fromkeys(query.measure for query in self._queries))
        self.price = q.costs(request, gaussian_only=True)

    def exact(self, source: Source) -> Tally:
        request, columns = self.request, dict(self.request.columns)
        kept = None
        if request.unit is not None:
            names = tuple(dict.fromkeys((*request.names, request.unit)))
            kept = passes.kept_rows(source.batches(names), request.unit, columns, request.max_rows, None)
        return passes.tally(source.batches(request.names), self._measures, columns, kept, None)

    def empty(self) -> Tally:
        return Tally.empty(self._measures, dict(self.request.columns))

    def released(self, exact: Any, added: Adder) -> Json:
        columns = dict(self.request.columns)
        found = answers.add_together(lambda: exact, self._queries, columns, self.request, self.price, added)
        return release(self.request, columns, self.price, found, version("opendp"))


def fitted(told: Mapping[str, Any], request: Callable[..., Request]) -> Joint:
    """Return the model that a job's table names with `learn`. Raises `UsageError`.

    request: returns what is asked of the data, by the columns that it is given.
    """
    parameters = dict(told)
    kind = MODELS.get(parameters.pop("learn"))
    if kind is None:
        raise UsageError(f"learn must be one of {', '.join(sorted(MODELS))}")
    if isinstance(bounds := parameters.get("bounds"), Mapping):
        parameters["bounds"] = {column: tuple(ends) for column, ends in bounds.items()}
    try:
        model = kind(**parameters)
    except TypeError:
        raise UsageError(
            f"{kind.stored_name} doesn't take these entries ({', '.join(sorted(parameters))}), or needs more; see "
            "docs/private-learning.md"
        ) from None
    return JointFit(model, request(model._columns()))


def summary(told: Mapping[str, Any], request: Callable[..., Request]) -> Joint:
    """Return the summary that a job's table describes. Raises `UsageError`."""
    if unknown := sorted(set(told) - _SUMMARY):
        raise UsageError(
            f"{unknown[0]} isn't an entry of a summary; choose from {', '.join(sorted(_SUMMARY))}, or name a model "
            "with learn, or pairs of columns with synthesize"
        )
    statistics = tuple(told.get("statistics", ("count", "sum", "mean", "variance", "histogram")))
    if "quantiles" in statistics:
        raise UsageError("quantiles are selected from exact counts, which no site may see of all; ask for a histogram")
    groups = {key: tuple(map(tuple, told.get(key, ()))) for key in ("by", "cross")}
    return JointSummary(request(declared(told), statistics=statistics, **groups))


def declared(told: Mapping[str, Any]) -> tuple[tuple[str, Domain], ...]:
    """Return the columns that a job's table declares. Raises `UsageError`."""
    bounds = {column: tuple(ends) for column, ends in told.get("bounds", {}).items()}
    return domains(Declared(bounds, told.get("edges", {}), told.get("categories", {})))


def text_of(released: Json) -> str:
    """Return a release as the text that ledgers store. Raises `UsageError` where sums give no numbers."""
    try:
        return json.dumps(released, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    except ValueError:
        raise UsageError("what follows from the sums isn't made of numbers; some site sent wrong ones") from None
