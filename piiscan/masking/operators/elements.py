"""Columns whose cells are lists: operators see each element as a cell of its own, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from piiscan.core.types import DType

if TYPE_CHECKING:
    from piiscan.masking.operators.operator import Operator


def dtype(operator: Operator, before: DType) -> DType:
    """The type of a masked column, that of its elements where its cells are lists ("other").

    Raises `UsageError` for a type that the operator can't mask; of lists, elements are masked by operators to which
    each value is its own.
    """
    by_element = before == "other" and not operator.masks_lists and operator.masks_values()
    return operator.dtype("string" if by_element else before)
