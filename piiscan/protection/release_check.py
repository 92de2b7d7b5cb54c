"""A promise of a release, and whether it was kept."""

from __future__ import annotations

from typing import NamedTuple


class ReleaseCheck(NamedTuple):
    """A promise of a release.

    `how` it was checked; `broken` says where it doesn't hold, without a value; empty if it holds. `is_checked`:
    whether it was checked in the written rows, rather than kept by construction.
    """

    name: str
    how: str
    broken: str = ""
    is_checked: bool = True

    @property
    def holds(self) -> bool:
        return not self.broken
