"""What is asked of a table: declared columns, statistics, the privacy unit, ε and δ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Categories, Domain, Keys, Number, Unbounded

Statistic = Literal["count", "sum", "mean", "variance", "quantiles", "histogram"]
STATISTICS: Final[tuple[Statistic, ...]] = get_args(Statistic)
QUARTILES: Final = (0.25, 0.5, 0.75)
LEAST_EPSILON: Final = 1e-9
"""Below this ε the result is only noise."""
MOST_EPSILON: Final = 1e6
"""Above this ε there is no protection, and the scale of the noise rounds to 0."""
LEAST_DELTA: Final = 1e-100
_MOST_CELLS: Final = 1_000_000


@dataclass(frozen=True)
class Request:
    """The questions of one command. Everything in it is public, and equal requests are one query.

    unit: the column that identifies the person (or other unit) a row belongs to; None: each row belongs to another
    person.
    max_rows: how many of a unit's rows count.
    by, cross: groups of columns: statistics of the numbers in each group, and counts of each combination.
    table: which of the dataset's tables it is about, if there are several; all of them share the budget.
    moments: only count, means, standard deviations and correlations of the numbers in each group of `by`, over the
    rows in which none of them is missing.

    Raises `UsageError` for an invalid request; the message says what to type.
    """

    dataset: str
    version: str
    columns: tuple[tuple[str, Domain], ...]
    epsilon: float
    delta: float = 0.0
    unit: str | None = None
    max_rows: int = 1
    statistics: tuple[Statistic, ...] = STATISTICS
    quantiles: tuple[float, ...] = QUARTILES
    by: tuple[tuple[str, ...], ...] = ()
    cross: tuple[tuple[str, ...], ...] = ()
    table: str | None = None
    moments: bool = False

    def __post_init__(self) -> None:
        if not self.dataset:
            raise UsageError("the dataset's name is empty; give it one with --dataset NAME")
        self._check_cost()
        self._check_rows_of_a_unit()
        self._check_statistics()
        self._check_columns()
        for group in (*self.by, *self.cross):
            self._check_group(group)
        self._check_kinds()

    def _check_cost(self) -> None:
        if not LEAST_EPSILON <= self.epsilon <= MOST_EPSILON:
            raise UsageError(f"epsilon must be a number from {LEAST_EPSILON:g} to {MOST_EPSILON:g}; around 1 is usual")
        if not (self.delta == 0 or LEAST_DELTA <= self.delta < 1e-3):
            raise UsageError("delta must be 0, or far smaller than 1 / the number of people, such as 1e-9")

    def _check_rows_of_a_unit(self) -> None:
        if not 1 <= self.max_rows <= 1_000_000:
            raise UsageError("max-rows must be a number from 1 to 1,000,000")
        if self.unit is None and self.max_rows != 1:
            raise UsageError("max-rows needs --unit: without it, each person has one row")

    def _check_statistics(self) -> None:
        if unknown := set(self.statistics) - set(STATISTICS):
            raise UsageError(f"{sorted(unknown)[0]} is not a statistic; choose from {', '.join(STATISTICS)}")
        if not all(0.001 <= p <= 0.999 for p in self.quantiles):
            raise UsageError("quantiles must be numbers from 0.001 to 0.999, such as 0.5 for the median")

    def _check_columns(self) -> None:
        if not self.columns and not self.cross:
            raise UsageError(
                "no column is declared; declare possible values with --bounds score=0:120 or --categories dept=a,b,c"
            )
        names = [name for name, _ in self.columns]
        if twice := [n for n in names if names.count(n) > 1]:
            raise UsageError(
                f"column {twice[0]} is declared twice; choose one of bounds, categories, estimated bounds and "
                "private keys"
            )

    def _check_kinds(self) -> None:
        """Check that moments and private keys have columns of the kinds they need."""
        if self.moments and (self.finds or self.estimates or len(self.by) != 1 or not self.numbers):
            raise UsageError("moments need columns with declared bounds, and groups with declared categories or bounds")
        if self.finds and self.delta == 0:
            raise UsageError(
                "private keys need a delta, such as --delta 1e-9; or declare the categories with --categories"
            )

    def _check_group(self, group: tuple[str, ...]) -> None:
        size = 1
        for name in group:
            domain = dict(self.columns).get(name)
            if domain is None:
                raise UsageError(
                    f"column {name}: its groups aren't declared; declare them with --categories {name}=A,B, or "
                    f"find them with --private-keys {name} and a --delta"
                )
            if isinstance(domain, Keys) and len(group) > 1:
                raise UsageError(f"column {name}: private keys are found for one column at a time")
            if isinstance(domain, Unbounded):
                raise UsageError(f"column {name}: groups need declared bounds, not estimated ones")
            size *= len(domain.labels) + 2 if isinstance(domain, Categories | Number) else 1
        if len(set(group)) < len(group) or not group:
            raise UsageError("a group of columns may name each of them only once")
        if size > _MOST_CELLS:
            raise UsageError(f"{', '.join(group)}: so many combinations would be only noise; declare fewer categories")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of numbers that no group is formed by."""
        return tuple(
            name
            for name, domain in self.columns
            if isinstance(domain, Number) and not any(name in group for group in self.by)
        )

    @property
    def finds(self) -> tuple[str, ...]:
        """The columns whose keys are found under δ."""
        return tuple(name for name, domain in self.columns if isinstance(domain, Keys))

    @property
    def estimates(self) -> tuple[str, ...]:
        """The columns whose bounds are estimated first."""
        return tuple(name for name, domain in self.columns if isinstance(domain, Unbounded))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read, except the unit."""
        return tuple(name for name, _ in self.columns)

    def canonical(self, mechanism: str) -> str:
        """Return the canonical text of a request: the same for the same request by the same mechanism.

        It contains only public facts. Ledgers store this text, and a query is free again if the text is the same. So
        its names are written out here, independent of class and field names, and a golden file holds them; a new form
        of the text gets a new number.
        """
        columns = sorted([name, *_stored(domain)] for name, domain in self.columns)
        stored = {
            "query": 1,
            "mechanism": mechanism,
            "dataset": self.dataset,
            "version": self.version,
            "table": self.table,
            "columns": columns,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "unit": self.unit,
            "max_rows": self.max_rows,
            "statistics": self.statistics,
            "quantiles": self.quantiles,
            "by": self.by,
            "cross": self.cross,
            "moments": self.moments,
        }
        return json.dumps(stored, sort_keys=True, ensure_ascii=False)


def _stored(domain: Domain) -> tuple[str, dict[str, Any]]:
    """Return a domain's name and declaration as ledgers store them."""
    if isinstance(domain, Number):
        return "Number", {"low": domain.low, "high": domain.high, "cuts": domain.cuts, "source": domain.source}
    if isinstance(domain, Categories):
        return "Categories", {"values": domain.values}
    if isinstance(domain, Unbounded):
        return "Unbounded", {"cuts": domain.cuts}
    return "Keys", {}


def check_unit(unit: str | None, one_row_per_person: bool) -> None:
    """Raise `UsageError` unless the request says whose the rows are."""
    if (unit is None) == (not one_row_per_person):
        raise UsageError(
            "whose rows are these? Use --unit COLUMN, the column that identifies the person a row is about, or "
            "--one-row-per-person if no person has two rows; choose one of the two"
        )
