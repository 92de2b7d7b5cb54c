"""What is asked of a table: columns as they are publicly declared, statistics, the unit of privacy, ε and δ."""

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
"""Below it there is nothing but noise."""
MOST_EPSILON: Final = 1e6
"""Beyond it nobody is protected, and noise has a scale that floating point doesn't tell from 0."""
LEAST_DELTA: Final = 1e-100
_MOST_CELLS: Final = 1_000_000


@dataclass(frozen=True)
class Request:
    """One command's questions. Everything in it is public, and equal requests are one query.

    `unit` names the column that says whose a row is; None: each row is another person's. `max_rows` of a unit's rows
    count. `by` and
    `cross` are groups of columns: statistics of the numbers in each group, and counts of each combination. `table`:
    which of the dataset's tables it is about, where there are several. All of them share the budget. `moments`: nothing
    but count, means, standard deviations and correlations of the numbers in each group of `by`, over the rows in which
    none of them is missing. Raises `UsageError` for what can't be asked; the message says what to type.
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
            raise UsageError("the dataset has no name; give it one with --dataset NAME")
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
            raise UsageError("max-rows belongs to --unit: where each row is another person's, a person has one row")

    def _check_statistics(self) -> None:
        if unknown := set(self.statistics) - set(STATISTICS):
            raise UsageError(f"{sorted(unknown)[0]} is no statistic; there are {', '.join(STATISTICS)}")
        if not all(0.001 <= p <= 0.999 for p in self.quantiles):
            raise UsageError("quantiles are given as numbers from 0.001 to 0.999, such as 0.5 for the median")

    def _check_columns(self) -> None:
        if not self.columns and not self.cross:
            raise UsageError(
                "nothing is declared of any column; say what its values can be, with --bounds score=0:120 or "
                "--categories dept=a,b,c"
            )
        names = [name for name, _ in self.columns]
        if twice := [n for n in names if names.count(n) > 1]:
            raise UsageError(
                f"column {twice[0]}: it is declared twice; choose one of bounds, "
                "categories, estimated bounds and private keys"
            )

    def _check_kinds(self) -> None:
        """What kinds of columns moments and private keys need."""
        if self.moments and (self.finds or self.estimates or len(self.by) != 1 or not self.numbers):
            raise UsageError(
                "moments are of columns with declared bounds, by columns with declared categories or bounds"
            )
        if self.finds and self.delta == 0:
            raise UsageError(
                "private keys are found under a delta, such as --delta 1e-9; or declare them with --categories"
            )

    def _check_group(self, group: tuple[str, ...]) -> None:
        size = 1
        for name in group:
            domain = dict(self.columns).get(name)
            if domain is None:
                raise UsageError(
                    f"column {name}: its groups aren't declared; name them with --categories {name}=A,B, or "
                    "have them found with "
                    f"--private-keys {name} and a --delta"
                )
            if isinstance(domain, Keys) and len(group) > 1:
                raise UsageError(f"column {name}: private keys are found for one column at a time")
            if isinstance(domain, Unbounded):
                raise UsageError(f"column {name}: groups need declared bounds, not estimated ones")
            size *= len(domain.labels) + 2 if isinstance(domain, Categories | Number) else 1
        if len(set(group)) < len(group) or not group:
            raise UsageError("a group of columns names each of them once")
        if size > _MOST_CELLS:
            raise UsageError(f"{', '.join(group)}: so many combinations would be noise alone; declare fewer categories")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of numbers that no group is made by."""
        return tuple(
            name
            for name, domain in self.columns
            if isinstance(domain, Number) and not any(name in group for group in self.by)
        )

    @property
    def finds(self) -> tuple[str, ...]:
        """Columns whose keys are found under δ."""
        return tuple(name for name, domain in self.columns if isinstance(domain, Keys))

    @property
    def estimates(self) -> tuple[str, ...]:
        """Columns whose bounds are estimated first."""
        return tuple(name for name, domain in self.columns if isinstance(domain, Unbounded))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read, the unit apart."""
        return tuple(name for name, _ in self.columns)

    def canonical(self, mechanism: str) -> str:
        """The same text for the same request by the same mechanism, in which only what is public stands.

        Ledgers keep this text, and a query is free again where the text is the same. So its names are written out here,
        apart from those of classes and fields, and a golden file holds them; a new form of the text gets a new number.
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
    """A domain's name and declaration as ledgers keep them."""
    if isinstance(domain, Number):
        return "Number", {"low": domain.low, "high": domain.high, "cuts": domain.cuts, "source": domain.source}
    if isinstance(domain, Categories):
        return "Categories", {"values": domain.values}
    if isinstance(domain, Unbounded):
        return "Unbounded", {"cuts": domain.cuts}
    return "Keys", {}


def check_unit(unit: str | None, one_row_per_person: bool) -> None:
    """Raises `UsageError` where it isn't said whose the rows are."""
    if (unit is None) == (not one_row_per_person):
        raise UsageError(
            "whose rows are they? Type --unit COLUMN, the column that says whom a row is about, or "
            "--one-row-per-person where nobody has two; one of them"
        )
