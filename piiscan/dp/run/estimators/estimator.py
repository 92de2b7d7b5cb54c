"""The common part of all models: declarations, one fit, and rows as the model sees them.

A fit is safe by its order: rows are read into memory, the charge is written to the disk, noise is drawn, the model is
stored.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
import polars as pl

from piiscan.core.argument_kinds import of_kinds
from piiscan.core.errors import UsageError
from piiscan.core.interface import speaks_python
from piiscan.core.version import __version__
from piiscan.dp import noise
from piiscan.dp.declare import Declared, domains
from piiscan.dp.domains import Categories, Domain, Number
from piiscan.dp.learning.draws import Draws, Query, costs
from piiscan.dp.learning.model_sums import Rows
from piiscan.dp.learning.row_vectors import Features, codes
from piiscan.dp.privacy import Privacy
from piiscan.dp.queries import Costs
from piiscan.dp.request import Request
from piiscan.dp.result import Json, privacy
from piiscan.dp.run import passes
from piiscan.dp.run.accounts import private_request
from piiscan.io.table_source import Source

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Bools, Floats, Ints

SCHEMA_VERSION: Final = 1

NOTES: Final = (
    "The model as a whole costs epsilon and delta: whatever is computed from it alone costs nothing more.",
    (
        "They cover the model, not the rows that it is applied to: predictions, scores, clusters and projections of "
        "people's rows disclose information about these rows."
    ),
    (
        "Values outside a column's bounds count as the nearest bound. Rows without a number, or without a target, "
        "were left out."
    ),
    (
        "An accuracy is a distance from the exact figure: with a probability of 95 %, the noise stays within it. "
        "This holds for each figure separately."
    ),
)


class Estimator(ABC):
    """A model of columns with public `bounds` (numbers) and `categories` (words).

    Each column is scaled by its declaration, to −1 … 1 between bounds and to 0 or 1 for each category. `clip`: the
    greatest L2 norm of a row's scaled columns; longer rows are shortened to it.

    `release` is what `fit` published: JSON with the model, its ε and δ, what neighbouring tables are, and the noise
    of each query. `repeated` says whether it had been released before.
    """

    release: Json
    repeated: bool

    @of_kinds
    def __init__(
        self,
        *,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
    ) -> None:
        declared = domains(Declared(bounds or {}, {}, categories or {}))
        self._declare([(name, domain) for name, domain in declared if isinstance(domain, Number | Categories)], clip)

    @speaks_python
    def fit(self, data: Any, privacy: Privacy, table: str | None = None) -> Self:
        """Train on a frame, or on the file at a path, and charge the dataset's budget for it.

        table: which of a file's tables to read, if it has several.

        Guarantee:
            Assumes: `privacy.unit` identifies the person each row belongs to, or each row is another person's; the
            declarations weren't read from the data.
            Ensures: (ε, δ)-differential privacy of `release`, and so of the whole model, for neighbouring tables as
            `privacy` defines them; the ledger is charged before noise is drawn; the same fit returns the same model
            for free.
            Does not protect against: what is released beside it; and rows that the model is applied to, since its
            results for them aren't private.
            Test: test_learning_privacy.py
        Raises `MissingExtra`, `BudgetError`, `UsageError` and `ReadError`; nothing is charged then.
        """
        noise.require()
        text, self.repeated = self._charge_and_learn(Source(data, table), privacy)
        self._take(json.loads(text))
        return self

    @property
    def feature_names_out(self) -> tuple[str, ...]:
        """Return the names of a row's entries: a numeric column, or column=category."""
        return self._features.names

    @abstractmethod
    def _queries(self) -> tuple[Query, ...]:
        """Return the queries that noise is drawn for: a function of public facts only."""

    @abstractmethod
    def _exact(self, batches: Iterator[Rows]) -> Any:
        """Return what the noise is added to, in memory: sums, or rows if later queries depend on earlier answers."""

    @abstractmethod
    def _learn(self, exact: Any, draws: Draws) -> Json:
        """Return the parts of the model, by name, computed from noisy sums only."""

    def _take(self, release: Json) -> None:
        """Become the model of a release."""
        self.release = release
        for name, value in release["fitted"].items():
            setattr(self, f"{name}_", np.array(value, dtype=np.float64) if isinstance(value, list) else value)

    stored_name: ClassVar[str]
    """The name of the model in ledgers and releases, independent of the class's name: with another name a repeated
    query would cost again.
    """
    parameters: ClassVar[tuple[str, ...]] = ()
    """Attributes besides the declarations of columns that a fit depends on."""

    def _declare(self, columns: Sequence[tuple[str, Number | Categories]], clip: float | None) -> None:
        if not columns:
            raise UsageError(
                "no column is declared; declare possible values with bounds={'age': (0, 120)} or "
                "categories={'sex': ['f', 'm']}"
            )
        self._features = Features(tuple(columns), clip)

    def _columns(self) -> tuple[tuple[str, Domain], ...]:
        """All that are read."""
        return self._features.columns

    def _coded(self, frame: pl.DataFrame) -> Rows:
        """The rows of a batch that count."""
        vectors, there = self._features.coded(frame)
        return Rows(vectors[there], np.zeros(int(there.sum()), dtype=np.int64))

    def _public(self) -> Json:
        return {
            "columns": [_declared(name, domain) for name, domain in self._features.columns],
            "target": None,
            "clip": self._features.clip,
            "parameters": {name: getattr(self, name) for name in self.parameters},
        }

    def _charge_and_learn(self, source: Source, privacy: Privacy) -> tuple[str, bool]:
        """Return the release, and whether it is an earlier one."""
        request, ledger = private_request(source, privacy, self._columns())
        queries = self._queries()
        price = costs(queries, request.epsilon, request.delta)
        of = request.canonical(price.share.mechanism)
        query = json.dumps({"learn": self.stored_name, **self._public(), "of": of}, sort_keys=True, ensure_ascii=False)
        before = ledger.stored(query)
        if before is not None:
            return before, True
        ledger.check(request.dataset, price.loss, privacy.budget)
        exact = self._exact(self._batches(source, request))
        charge = ledger.charge(request.dataset, request.version, query, price.loss, privacy.budget)
        if isinstance(charge, str):  # another process was faster
            return charge, True
        draws = Draws(queries, price, request.max_rows)
        release = self._rendered(request, price, self._learn(exact, draws), draws)
        text = json.dumps(release, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        ledger.store(charge, text)
        return text, False

    def _batches(self, source: Source, request: Request) -> Iterator[Rows]:
        for frame in self._counted(source, request):
            yield self._coded(frame)

    def _counted(self, source: Source, request: Request) -> Iterator[pl.DataFrame]:
        """Return the rows that count: at most `max_rows` of each unit."""
        kept = None
        if request.unit is not None:
            columns = tuple(dict.fromkeys((*request.names, request.unit)))
            kept = passes.kept_rows(
                source.batches(columns), request.unit, dict(request.columns), request.max_rows, None
            )
        yield from passes.counted(source.batches(request.names), kept, None)

    def _rendered(self, request: Request, price: Costs, fitted: Json, draws: Draws) -> Json:
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "dp-model",
            "model": self.stored_name,
            "tool": {"name": "piiscan", "version": __version__, "opendp": version("opendp")},
            "dataset": {"name": request.dataset, "version": request.version},
            "privacy": privacy(request, price),
            **self._public(),
            "features": list(self._features.names),
            "fitted": {name: _listed(value) for name, value in fitted.items()},
            "queries": draws.entries,
            "notes": list(NOTES),
        }

    @speaks_python
    def _scaled(self, data: Any) -> Floats:
        """Return rows as the model sees them. An array has the declared columns, in their order."""
        if not hasattr(self, "release"):
            raise UsageError(f"this {type(self).__name__} isn't fitted yet; call fit(data, privacy) first")
        parts = [
            self._features.scaled(frame) for frame in self._frames(data, [name for name, _ in self._features.columns])
        ]
        if not all(there.all() for _, there in parts):
            raise UsageError("some rows lack a number in a numeric column; fill them, or leave them out")
        return np.concatenate([np.zeros((0, len(self._features.names))), *(rows for rows, _ in parts)])

    def _frames(self, data: Any, columns: Sequence[str]) -> Iterable[pl.DataFrame]:
        if isinstance(data, np.ndarray):
            if data.ndim != 2 or data.shape[1] != len(columns):
                raise UsageError(
                    f"an array needs one column for each declared one, in their order: {', '.join(columns)}"
                )
            return [
                pl.DataFrame({name: pl.Series(data[:, i].tolist(), strict=False) for i, name in enumerate(columns)})
            ]
        return Source(data).batches(columns)


class Predictor(Estimator):
    """A model that predicts the column `target`."""

    target: str

    def _with_target(self, name: str, domain: Number | Categories) -> None:
        self.target = name
        self._target = domain

    def _columns(self) -> tuple[tuple[str, Domain], ...]:
        return (*self._features.columns, (self.target, self._target))

    def _public(self) -> Json:
        return super()._public() | {"target": _declared(self.target, self._target)}

    def _right(self, source: Source, request: Request, within: float | None) -> Bools:
        """Return for each row that has a target and all numbers whether `predict` is right about it."""
        found = [self._right_of(frame, within) for frame in self._counted(source, request)]
        return np.concatenate([np.zeros(0, dtype=np.bool_), *found])

    @abstractmethod
    def _right_of(self, frame: pl.DataFrame, within: float | None) -> Bools: ...


class Classifier(Predictor):
    """A model that predicts which of the public `classes` a row belongs to.

    Rows of other classes are left out of the training.
    """

    classes_: Any

    @of_kinds
    def __init__(
        self,
        *,
        target: str,
        classes: Sequence[str | int | bool],
        bounds: Mapping[str, tuple[float, float]] | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
        clip: float | None = None,
    ) -> None:
        super().__init__(bounds=bounds, categories=categories, clip=clip)
        if any(name == target for name, _ in self._features.columns):
            raise UsageError(f"column {target}: it is the target; declare it only by its classes")
        if len(classes) < 2:
            raise UsageError(
                f"column {target}: name all its classes, at least two, such as classes=['no', 'yes']; they aren't "
                "read from the data"
            )
        self._with_target(target, Categories(tuple(str(c).lower() if isinstance(c, bool) else str(c) for c in classes)))
        self.classes_ = np.array(classes)

    @abstractmethod
    def _log_odds(self, rows: Floats) -> Floats:
        """Return for each row the logarithm of each class's probability, up to a constant."""

    def predict_proba(self, data: Any) -> Floats:
        """Return for each row the probability of each class, in the order of `classes_`.

        Results for people's rows aren't private.
        """
        odds = self._log_odds(self._scaled(data))
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        made: Floats = odds / odds.sum(axis=1, keepdims=True)
        return made

    def predict(self, data: Any) -> Any:
        """Return the most likely class for each row. Results for people's rows aren't private."""
        return self.classes_[np.argmax(self._log_odds(self._scaled(data)), axis=1)]

    def score(self, data: Any, target: Any = None) -> float:
        """Return how often `predict` is right, over rows of these classes.

        target: their classes, if `data` is an array. The score isn't private.
        """
        frames = self._frames(data, [self.target]) if target is None else [pl.DataFrame({self.target: list(target)})]
        true = np.concatenate([self._place(frame) for frame in frames])
        said = np.argmax(self._log_odds(self._scaled(data)), axis=1)
        return float((said == true)[true >= 0].mean())

    def _place(self, frame: pl.DataFrame) -> Ints:
        assert isinstance(self._target, Categories)
        return codes(frame[self.target], self._target)

    def _right_of(self, frame: pl.DataFrame, within: float | None) -> Bools:
        rows, there = self._features.scaled(frame)
        places = self._place(frame)
        counted: Bools = there & (places >= 0)
        # Row by row: the last bits of a product of matrices may depend on which other rows there are.
        said = [int(np.argmax(self._log_odds(row[None]))) for row in rows[counted]]
        made: Bools = np.array(said, dtype=np.int64) == places[counted]
        return made

    def _coded(self, frame: pl.DataFrame) -> Rows:
        vectors, there = self._features.coded(frame)
        places = self._place(frame)
        counted: Bools = there & (places >= 0)
        return Rows(vectors[counted], places[counted])


def _listed(value: Any) -> Any:
    """JSON types; NaN becomes null."""
    if isinstance(value, np.ndarray):
        return _listed(value.tolist())
    if isinstance(value, list):
        return [_listed(v) for v in value]
    return None if isinstance(value, float) and np.isnan(value) else value


def _declared(name: str, domain: Number | Categories) -> Json:
    if isinstance(domain, Number):
        return {"name": name, "bounds": [domain.low, domain.high]}
    return {"name": name, "categories": list(domain.values)}
