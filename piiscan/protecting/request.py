"""What a user asks of a protected table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from piiscan import anonymizing
from piiscan.errors import UsageError


@dataclass(frozen=True, slots=True)
class Request:
    """`anonymity`: models, declared columns, and how to get there. Whose the rows are is said by its unit, or `one_row_per_person`.

    Suppressed rows are left out. Raises `UsageError` for what can't be.
    """

    anonymity: anonymizing.Request
    one_row_per_person: bool = False

    def __post_init__(self) -> None:
        if (self.anonymity.unit is None) == (not self.one_row_per_person):
            raise UsageError(
                "whose rows are they? Type --unit COLUMN, the column that says whom a row is about, or --one-row-per-person where nobody has "
                "two; one of them"
            )
        if self.anonymity.wanted.k is None:
            raise UsageError("a protected table is k-anonymous at least; say how large k is, such as --k 5")
        if self.anonymity.method == "mdav":
            raise UsageError("means of groups come from the data themselves; a protected table is made by --method local or optimal")
        object.__setattr__(self, "anonymity", replace(self.anonymity, drop_suppressed=True))

    @property
    def k(self) -> int:
        assert self.anonymity.wanted.k is not None
        return self.anonymity.wanted.k
