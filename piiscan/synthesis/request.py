"""What a user asks of synthetic rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Number
from piiscan.dp.request import Request
from piiscan.synthesis import synthetic_rows


@dataclass(frozen=True)
class SynthesisRequest:
    """`measured`: the columns, the unit of privacy, epsilon and delta. `rows`: how many are drawn, by default about as
    many as there are. `decimals`: with how many digits after the point numbers are written, by column. Raises
    `UsageError` for what can't be."""

    measured: Request
    rows: int | None = None
    decimals: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rows is not None and self.rows < 1:
            raise UsageError("n must be a number of rows, at least 1")
        numbers = {name: domain for name, domain in self.measured.columns if isinstance(domain, Number)}
        for name in self.decimals:
            if name not in numbers:
                raise UsageError(f"column {name}: decimals are of numbers; add bounds for it")
        for name, domain in numbers.items():
            try:
                synthetic_rows.places(domain.edges, self.decimals.get(name))
            except UsageError as error:
                raise UsageError(f"column {name}: {error}") from None
