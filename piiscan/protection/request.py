"""What a user asks of a protected table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from piiscan.anonymity.request import AnonymizeRequest
from piiscan.core.errors import UsageError
from piiscan.dp.request import check_unit


@dataclass(frozen=True, slots=True)
class ProtectRequest:
    """What a user asks of a protected table. Raises `UsageError` for contradictory settings.

    `anonymity`: models, declared columns, and the search. Its unit identifies the person a row belongs to, or
    `one_row_per_person` says that no person has two rows. Suppressed rows are left out.
    """

    anonymity: AnonymizeRequest
    one_row_per_person: bool = False

    def __post_init__(self) -> None:
        check_unit(self.anonymity.unit, self.one_row_per_person)
        if self.anonymity.models.k is None:
            raise UsageError("a protected table needs k-anonymity; choose k, such as --k 5")
        if self.anonymity.method == "mdav":
            raise UsageError(
                "the means of mdav come from the data themselves; use --method local or optimal for a protected table"
            )
        object.__setattr__(self, "anonymity", replace(self.anonymity, drop_suppressed=True))

    @property
    def k(self) -> int:
        assert self.anonymity.models.k is not None
        return self.anonymity.models.k
