"""Places in a text of which no two overlap."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable


class Apart:
    """Places of a text, none of which may overlap another one. Each is known by its first character and its end.

    >>> places = Apart([(4, 9)])
    >>> places.meets(0, 4), places.meets(0, 5), places.add(9, 12), places.meets(11, 20)
    (False, True, True, True)
    """

    def __init__(self, places: Iterable[tuple[int, int]] = ()) -> None:
        """Take places that don't overlap, in any order."""
        self._places = sorted(places)

    def meets(self, start: int, end: int) -> bool:
        """Whether a place overlaps one of them."""
        at = bisect(self._places, (start, end))
        return any(start < stop and first < end for first, stop in self._places[max(0, at - 1) : at + 1])

    def add(self, start: int, end: int) -> bool:
        """Add a place, unless it overlaps one of them; say whether it was added."""
        if self.meets(start, end):
            return False
        self._places.insert(bisect(self._places, (start, end)), (start, end))
        return True
