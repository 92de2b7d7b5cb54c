"""What a user asks of an anonymised table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.models.privacy_models import PrivacyModels
from piiscan.anonymity.search.metrics import METRICS
from piiscan.core.errors import UsageError
from piiscan.core.types import Table

Method = Literal["optimal", "local", "mdav"]
METHODS: Final = ("optimal", "local", "mdav")
PopulationSource = Path | Callable[[], Table]
"""Where the population is that δ-presence compares with: a file of one table, which a plan names, or what gives such a
table, read from its beginning each time. Its columns are named as those of the table that is anonymised."""


@dataclass(frozen=True, slots=True)
class AnonymizeRequest:
    """The models, the columns' roles, and the search. Raises `UsageError` for contradictory settings.

    quasi, sensitive, insensitive: names of columns; the roles of undeclared columns come from the scan. unit: the
    column that identifies the person (or other unit) a row belongs to; sizes of classes then count units, not rows.
    suppress: the share of rows that may be suppressed, in 0..1.
    method: "local" (each class has its own levels), "optimal" (one level for each column), or "mdav" (means of groups
    of numbers). metric: the measure that an optimal search minimises.
    hierarchies: a folder of files in ARX's form, or a mapping by column. population: what δ-presence compares with.
    drop_suppressed: leave suppressed rows out, instead of blanking them.
    """

    models: PrivacyModels
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    insensitive: tuple[str, ...] = ()
    unit: str | None = None
    suppress: float = 0.04
    method: Method = "local"
    metric: str = "loss"
    hierarchies: Path | Mapping[str, Hierarchy] | None = None
    population: PopulationSource | None = None
    drop_suppressed: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.suppress <= 1:
            raise UsageError(f"the share of rows to suppress must be between 0 and 1, not {self.suppress:g}")
        if self.method not in METHODS:
            raise UsageError(f"{self.method!r} is not a method; choose one of {', '.join(METHODS)}")
        if self.metric not in METRICS:
            raise UsageError(f"{self.metric!r} is not a metric; choose one of {', '.join(METRICS)}")
        if self.method != "optimal" and self.metric != "loss":
            raise UsageError(
                f"the method {self.method} minimises the mean cell loss; leave --metric out, or use --method optimal"
            )
        if (self.models.presence is None) != (self.population is None):
            raise UsageError("δ-presence compares with a population; use --presence and --population together")
