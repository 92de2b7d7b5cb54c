"""What chance gives of somebody's identifiers among made-up streets: "Maja 45" is a street, "maja45" may be a login."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.surrogates.places import HIGHEST, streets

_PARTS: Final = r"^(\D*)\d+(\D*)$"
_NUMBERS: Final = pl.DataFrame({"number": [str(n) for n in range(1, HIGHEST + 1)]})
_TOGETHER: Final = 512
"""Streets that are looked up together, with each house number."""


class HouseNumbers:
    """Takes made-up streets.

    A house number is drawn evenly whatever the data are, so chance is the share of all house numbers that make
    somebody's identifier of the same street; where there are none, the share of all streets that are
    drawn from.
    """

    def __init__(self) -> None:
        self._streets: list[pl.DataFrame] = []
        self._without = 0

    def add(self, masks: pl.Series) -> None:
        """Distinct masks (String, not null)."""
        parts = pl.DataFrame({"head": masks.str.extract(_PARTS, 1), "tail": masks.str.extract(_PARTS, 2)})
        self._without += parts["head"].null_count()
        self._streets.append(parts.drop_nulls().group_by("head", "tail").len())

    def by_chance(self, are_known: Callable[[pl.Series], NDArray[np.bool_]], locales: Iterable[str]) -> float:
        """How many of the masks are expected to be known. `locales`: those whose streets are drawn from."""
        expected = 0.0
        if self._streets:
            made = pl.concat(self._streets).group_by("head", "tail").agg(pl.col("len").sum())
            for some in made.iter_slices(_TOGETHER):
                every = some.join(_NUMBERS, how="cross")
                found = are_known(every.select(pl.concat_str("head", "number", "tail")).to_series())
                expected += float(every["len"].to_numpy()[found].sum()) / HIGHEST
        if self._without:
            shares = [are_known(pl.Series(streets(locale), dtype=pl.String)).mean() for locale in locales]
            expected += self._without * float(max(shares, default=0.0))
        return expected
