"""Columns whose cells are lists: operators see each element as a cell of its own, as text, and know nothing of
lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from piiscan.core.types import DType

if TYPE_CHECKING:
    from piiscan.masking.operators.operator import Operator

AS_A_WHOLE: Final = ("keep", "drop", "suppress")
"""Operators to which lists are cells like any other."""


def dtype(operator: Operator, before: DType) -> DType:
    """The type of a masked column, that of its elements where its cells are lists ("other"). Raises `UsageError` for a
    type that the operator can't mask; of lists, elements are masked by operators to which each value is its own."""
    told: Any = operator
    if before != "other" or operator.name in AS_A_WHOLE or not is_alone(told):
        return operator.dtype(before)
    return operator.dtype("string")


def is_alone(operator: Any) -> bool:
    """Whether the value of a cell decides its mask alone: neither the whole column does, nor where the cell stands."""
    return not any(hasattr(operator, method) for method in ("fit", "gather")) and not set(
        getattr(operator, "wants", ())
    ) - {"subjects"}
