"""The operator `spans`: entities inside a text, each masked by its own operator; `piiscan.masking.apply.mask_texts`
does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from piiscan.core.errors import UsageError
from piiscan.masking.operators.operator import Contract, Operator

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType


@dataclass(frozen=True)
class Spans(Operator):
    """Masks what is found inside each text as the plan's `[[spans]]` say, and leaves the rest as it is.

    `names`: persons are looked for too, by the recogniser, which reads every text; without it only rules are.

    Guarantee:
        Assumes that what the rules and the recogniser find is what has to be masked.
        Ensures that every span they find in a text is masked by its entity's operator, under that entity's key domain,
        so that equal values get equal masks here and in columns.
        Does not protect what they miss: names in sentences are missed often (see docs/free-text.md), and descriptions
        of a person not looked for at all.
        Test: test_operators_contract.py::test_spans_are_masked_in_a_plan_only
    """

    names: bool = True
    mentions: Literal["all", "own"] = "all"

    name: ClassVar[str] = "spans"
    keyed: ClassVar[bool] = False  # the spans' own operators may be
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False  # texts hardly repeat, and stay readable
    contract: ClassVar[Contract] = "kept"

    def dtype(self, before: DType) -> DType:
        """The same, of strings only."""
        if before != "string":
            raise UsageError(f"spans: a column of {before} holds no text; choose another operator")
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        raise UsageError("spans: it masks within a plan only, whose spans say how; use piiscan.mask")
