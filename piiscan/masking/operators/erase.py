"""Operators that leave nothing of a value, and the one that leaves all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import DType
from piiscan.masking.operators.operator import ALREADY_MASKED, Contract, Operator
from piiscan.masking.operators.preconditions import SCALARS, demand, demand_cells, refusal
from piiscan.rules.definitions import suggestion

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey


@dataclass(frozen=True)
class Keep(Operator):
    """The column as it is.

    Guarantee:
        Assumes nothing.
        Ensures that no cell changes.
        Does not protect against anything.
        Test: test_operators_erase.py::test_keep_changes_nothing
    """

    name: ClassVar[str] = "keep"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "kept"
    masks_lists: ClassVar[bool] = True

    def dtype(self, before: DType) -> DType:
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        return values

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return _all(masks)


@dataclass(frozen=True)
class Suppress(Operator):
    """The column without its values: every cell null, the header stays.

    Guarantee:
        Assumes nothing.
        Ensures that no cell holds anything.
        Does not protect against what the column's presence, name and row count say.
        Test: test_operators_erase.py::test_suppress_leaves_nothing
    """

    name: ClassVar[str] = "suppress"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "empty"
    masks_lists: ClassVar[bool] = True

    def dtype(self, before: DType) -> DType:
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        return _empty(values)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return ~_all(masks)


@dataclass(frozen=True)
class Drop(Suppress):
    """The table without the column.

    The plan's executor leaves the column out; a value that reaches this operator is suppressed.

    Guarantee:
        Assumes nothing.
        Ensures that neither the column nor its header is there.
        Does not protect against other columns that say the same.
        Test: test_operators_erase.py::test_suppress_leaves_nothing
    """

    name: ClassVar[str] = "drop"


@dataclass(frozen=True)
class Redact(Operator):
    """One fixed text in place of every value: `text`, or the name of `entity` as `<EMAIL_ADDRESS>`.

    Guarantee:
        Assumes that `text` was not taken from the data.
        Ensures that all filled cells are the same.
        Does not protect against which cells are filled, which still shows.
        Test: test_operators_erase.py::test_redact_leaves_one_text
    """

    text: str = "*"
    entity: str = ""

    name: ClassVar[str] = "redact"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "range"
    share_that_stays: ClassVar[float | None] = ALREADY_MASKED

    def __post_init__(self) -> None:
        if self.entity and self.entity not in PII_CLASS:
            raise refusal(self.name, f"'entity' is not an entity{suggestion(self.entity, PII_CLASS)}")
        if not self.entity and not self.text.strip():
            raise refusal(self.name, "'text' is blank; use the operator 'suppress'")

    @property
    def replacement(self) -> str:
        return f"<{self.entity}>" if self.entity else self.text

    def dtype(self, before: DType) -> DType:
        demand(self.name, before, SCALARS)
        return "string"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        import polars as pl

        demand_cells(self.name, values, SCALARS)
        return pl.select(pl.when(values.is_not_null()).then(pl.lit(self.replacement))).to_series().alias(values.name)

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        return masks == self.replacement


def _empty(values: pl.Series) -> pl.Series:
    return values.clear(len(values))


def _all(masks: pl.Series) -> pl.Series:
    import polars as pl

    return pl.repeat(True, len(masks), dtype=pl.Boolean, eager=True)
