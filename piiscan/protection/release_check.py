"""What a release promises, and where a promise is broken."""

from __future__ import annotations

from typing import NamedTuple


class ReleaseCheck(NamedTuple):
    """`how` it was checked; `broken` says where it doesn't hold, without a value; empty where it does. `is_checked`:
    whether it was looked at in what was written, rather than kept by construction."""

    name: str
    how: str
    broken: str = ""
    is_checked: bool = True

    @property
    def holds(self) -> bool:
        return not self.broken
