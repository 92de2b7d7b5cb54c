"""The interface that every hierarchy builder implements."""

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
        """Return the labels of distinct texts (String, none null) at level 1, 2, … up to the one below "*".

        A label is null for a value that can't be read. A level never separates values that the level below has
        joined. A label depends on its value and on how the column writes values, not on which values the column
        contains.
        """


def demand_grid(kind: str, name: str, steps: Sequence[float]) -> None:
    """Raise `UsageError` unless the widths ascend and each is a whole multiple of the one before."""
    if not steps or not all(0 < s < 1e18 for s in steps):
        raise refusal(kind, f"{name!r} needs a number above 0 for each level")
    if any(decimals.exact(a) >= decimals.exact(b) or decimals.exact(b) % decimals.exact(a) for a, b in pairwise(steps)):
        raise refusal(kind, f"{name!r} must ascend, each a whole multiple of the one before: 5, 10, 20")
