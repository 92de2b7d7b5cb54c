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
    """The models, the columns' roles, and how to get there. Raises `UsageError` for what can't be.

    quasi, sensitive, insensitive: names of columns; what isn't declared is what the scan takes it for. unit: the column
    that says whose a row is; sizes of classes then count units, not rows.
    suppress: the share of rows that may be suppressed, in 0..1.
    method: "local", levels of their own for each class, "optimal", one level for each column, or "mdav", means of
    groups of numbers. metric: what an optimal search makes small.
    hierarchies: a folder of files in ARX's form, or by column. population: what δ-presence compares with.
    drop_suppressed: leave suppressed rows out, rather than blank.
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
            raise UsageError(f"a share of rows to suppress lies between 0 and 1, not at {self.suppress:g}")
        if self.method not in METHODS:
            raise UsageError(f"the method is one of {', '.join(METHODS)}, not {self.method!r}")
        if self.metric not in METRICS:
            raise UsageError(f"the metric is one of {', '.join(METRICS)}, not {self.metric!r}")
        if self.method != "optimal" and self.metric != "loss":
            raise UsageError(
                f"the method {self.method} makes the mean cell loss small; leave --metric out, or use --method optimal"
            )
        if (self.models.presence is None) != (self.population is None):
            raise UsageError("δ-presence compares with a population: --presence and --population go together")
