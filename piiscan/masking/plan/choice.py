"""The operator chosen for a column, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from piiscan.masking.operators import operator_registry

if TYPE_CHECKING:
    from piiscan.masking.operators.operator import Operator


@dataclass(frozen=True)
class Chosen:
    """An operator with its parameters, the column's `subject`, and `notes` for the reader of the plan.

    `shared`: how many of the column's different values are expected to share their mask with an earlier one, where the
    operator itself can't say.
    """

    operator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    domain: str | None = None
    subject: str | None = None
    notes: tuple[str, ...] = ()
    shared: float | None = None

    @cached_property
    def _made(self) -> Operator:
        return operator_registry.make(self.operator, self.params)

    @property
    def keyed(self) -> bool:
        return self._made.keyed

    @property
    def deterministic(self) -> bool:
        return self._made.deterministic

    @property
    def subject_decides(self) -> bool:
        return self._made.subject_decides

    def collisions(self, values: int) -> float:
        """How many of so many different values are expected to share their mask with an earlier one.

        0 where the operator can't say.
        """
        if self.shared is not None:
            return self.shared
        return self._made.expected_collisions(values) if values else 0.0
