"""What every operator checks before it touches a cell: the column's type, its key, its place; and how it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from piiscan.core.errors import UsageError
from piiscan.core.types import DType

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

T = TypeVar("T")

SCALARS: Final[tuple[DType, ...]] = ("string", "integer", "float", "boolean", "date", "datetime")
NUMBERS: Final[tuple[DType, ...]] = ("integer", "float", "string")
"""Numbers, also as text: a CSV file has no other cells."""
DATES: Final[tuple[DType, ...]] = ("date", "datetime", "string")


def refusal(operator: str, why: str) -> UsageError:
    """The error for an operator that can't do what is asked of it.

    `why` names parameters and types, never a cell value.
    """
    return UsageError(f"operator {operator!r}: {why}")


def kind(dtype: pl.DataType) -> DType:
    """What piiscan calls a polars type."""
    import polars as pl

    if dtype.is_integer():
        return "integer"
    if dtype.is_float():
        return "float"
    names: dict[Any, DType] = {pl.String: "string", pl.Boolean: "boolean", pl.Date: "date", pl.Datetime: "datetime"}
    return names.get(dtype.base_type(), "other")


def demand(operator: str, before: DType, allowed: tuple[DType, ...]) -> None:
    """Raises `UsageError` for a column whose type isn't among the allowed ones."""
    if before not in allowed:
        raise refusal(
            operator, f"can't mask a column of type {before}, only {', '.join(allowed)}; `suppress` masks any"
        )


def demand_cells(operator: str, cells: pl.Series, allowed: tuple[DType, ...]) -> DType:
    """The same for the cells themselves, and what their type is called.

    A column of nothing but nulls passes as text.
    """
    import polars as pl

    if cells.dtype == pl.Null:
        return "string"
    demand(operator, found := kind(cells.dtype), allowed)
    return found


def demand_key(operator: str, key: Subkey | None) -> Subkey:
    """The subkey; raises `UsageError` where there is none."""
    if key is None:
        raise refusal(
            operator,
            "needs a key; make one with `piiscan key new -o FILE` and name it with --key file:FILE or PIISCAN_KEY",
        )
    return key


def demand_first(operator: str, first: int | None) -> int:
    """The row number of a batch's first row; raises `UsageError` where a partition doesn't know its place."""
    if first is None:
        raise refusal(operator, "needs the positions of these rows; give every partition the number of its first row")
    return first


def fitted(operator: T, **state: object) -> T:
    """A copy of a frozen operator that has seen its column.

    `state` are fields that are no parameters (`init=False`, no `repr`).
    """
    import copy

    new = copy.copy(operator)
    for name, value in state.items():
        object.__setattr__(new, name, value)
    return new
