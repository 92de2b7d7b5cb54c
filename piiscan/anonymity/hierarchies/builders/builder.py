"""What every builder has in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Protocol

from piiscan.masking.operators import decimals
from piiscan.masking.operators.preconditions import refusal

if TYPE_CHECKING:
    import polars as pl


class Builder(Protocol):
    """A frozen dataclass. Its fields are its parameters, as a plan spells them."""

    kind: ClassVar[str]

    def labels(self, values: pl.Series) -> list[pl.Series]:
        """For different texts (String, none null), the label of each at level 1, 2, … up to the one below "*".

        Null for a value that can't be read. A level never parts what the one below put together. A label depends on its
        value and on how the column writes its values, not on what they are.
        """


def demand_grid(kind: str, name: str, steps: Sequence[float]) -> None:
    """Raises `UsageError` unless these ascend and each is a whole multiple of the one before, as levels of a
    hierarchy must."""
    if not steps or not all(0 < s < 1e18 for s in steps):
        raise refusal(kind, f"{name!r} needs a number above 0 for each level")
    if any(decimals.exact(a) >= decimals.exact(b) or decimals.exact(b) % decimals.exact(a) for a, b in pairwise(steps)):
        raise refusal(kind, f"{name!r} must ascend, each a whole multiple of the one before: 5, 10, 20")
