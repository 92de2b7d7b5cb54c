"""What a user asks of a protected table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from piiscan.anonymity.request import AnonymizeRequest
from piiscan.core.errors import UsageError
from piiscan.dp.request import check_unit


@dataclass(frozen=True, slots=True)
class ProtectRequest:
    """`anonymity`: models, declared columns, and how to get there. Whose the rows are is said by its unit, or
    `one_row_per_person`.

    Suppressed rows are left out. Raises `UsageError` for what can't be.
    """

    anonymity: AnonymizeRequest
    one_row_per_person: bool = False

    def __post_init__(self) -> None:
        check_unit(self.anonymity.unit, self.one_row_per_person)
        if self.anonymity.models.k is None:
            raise UsageError("a protected table is k-anonymous at least; say how large k is, such as --k 5")
        if self.anonymity.method == "mdav":
            raise UsageError(
                "means of groups come from the data themselves; a protected table is made by --method local or optimal"
            )
        object.__setattr__(self, "anonymity", replace(self.anonymity, drop_suppressed=True))

    @property
    def k(self) -> int:
        assert self.anonymity.models.k is not None
        return self.anonymity.models.k
