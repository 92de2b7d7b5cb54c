"""What a user asks of synthetic rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from piiscan.core.errors import UsageError
from piiscan.dp.domains import Domain, Number
from piiscan.dp.request import Request
from piiscan.synthesis import constraints as c
from piiscan.synthesis import synthetic_rows
from piiscan.synthesis.constraints import Constraints
from piiscan.synthesis.private_bins import PrivateBins


@dataclass(frozen=True)
class SynthesisRequest:
    """What a user asks of synthetic rows. Raises `UsageError` for contradictory settings.

    measured: the columns, the privacy unit, epsilon and delta. rows: how many to draw, by default about as many as
    the table has. decimals: the digits after the decimal point, by numeric column. constraints: what the rows satisfy;
    their totals, of which `totals` are the domains, aren't measured. private_bins: numeric columns whose bins are found
    from the data, with noise.
    """

    measured: Request
    rows: int | None = None
    decimals: Mapping[str, int] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    totals: Mapping[str, Domain] = field(default_factory=dict)
    private_bins: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.rows is not None and self.rows < 1:
            raise UsageError("--rows must be at least 1")
        numbers = {name: domain for name, domain in self.measured.columns if isinstance(domain, Number)}
        for name in self.decimals:
            if name not in {*numbers, *self.totals}:
                raise UsageError(f"column {name}: decimals need a numeric column; add --bounds for it")
        tied = {name for order in self.constraints.orders for name in order.columns}
        tied |= {name for own in self.constraints.sums for name in own.columns}
        if both := sorted(tied & set(self.private_bins)):
            raise UsageError(
                f"column {both[0]}: its bins can't be found privately if a constraint names it; declare its edges"
            )
        self.private()
        grids: dict[str, c.Grid] = {}
        for name, domain in numbers.items():
            if name in self.private_bins:
                continue
            try:
                grids[name] = synthetic_rows.places(domain.edges, self.decimals.get(name))
            except UsageError as error:
                raise UsageError(f"column {name}: {error}") from None
        c.highest(self.constraints.orders, grids)
        for own in self.constraints.sums:
            c.check_total(own, grids, self.decimals.get(own.total), self.totals[own.total])

    def private(self) -> tuple[PrivateBins, ...]:
        """Return how private bins are found, by column. Raises `UsageError`."""
        domains = dict(self.measured.columns)
        if unknown := [name for name in self.private_bins if name not in domains]:
            raise UsageError(
                f"column {unknown[0]}: private bins need declared bounds; add --bounds {unknown[0]}=LOW:HIGH"
            )
        return tuple(
            PrivateBins(name, domains[name], self.decimals.get(name)) for name in dict.fromkeys(self.private_bins)
        )
