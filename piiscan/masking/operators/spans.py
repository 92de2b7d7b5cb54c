"""The operator `spans`: entities inside a text, each masked by its own operator.

`piiscan.masking.apply.mask_texts` does the masking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from piiscan.core.errors import UsageError
from piiscan.masking.operators.date_shift import DateShift
from piiscan.masking.operators.operator import Contract, Operator

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType


@dataclass(frozen=True)
class Spans(Operator):
    """Masks inside texts what the run's columns hold about people, and what else the plan's `[spans]` cover.

    The rest of a text stays as it is.

    `names`: persons are looked for too, by the recogniser, which reads every text; without it only rules are.
    `mentions`: "own" redacts everybody but the row's own person. `shift_days`: dates move with those of the column's
    subject, as `date-shift` of so many days moves them, by whole weeks with `weekdays`; 0 leaves them. `order`: how
    1/2/2024 is read: day or month first, or "mixed", where it gives way to <DATE>.

    Guarantee:
        Assumes that the tables of the run contain the people the texts are about, and that keys
        link each text to its person.
        Ensures that a value of a column that occurs in a text gets the mask that the column gives it, whatever look it
        has there, as far as docs/masking.md#texts says; that every other span that rules and the recogniser find is
        masked by its entity's operator, under that entity's key domain.
        Does not protect names of people who are in no table, which are missed often (see docs/free-text.md), nicknames
        and misspellings; nor descriptions of a person. Who inserts texts and reads masks learns who is in the data.
        Test: test_operators_contract.py::test_spans_are_masked_in_a_plan_only
    """

    names: bool = True
    mentions: Literal["all", "own"] = "all"
    shift_days: int = 0
    weekdays: bool = False
    order: Literal["dmy", "mdy", "mixed"] = "dmy"

    name: ClassVar[str] = "spans"
    keyed: ClassVar[bool] = False  # the spans' own operators may be
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False  # texts hardly repeat, and stay readable
    contract: ClassVar[Contract] = "kept"

    def __post_init__(self) -> None:
        if self.shift_days:
            DateShift(self.shift_days, weekdays=self.weekdays)

    def dtype(self, before: DType) -> DType:
        """The same, of strings only."""
        if before != "string":
            raise UsageError(f"spans: a column of type {before} contains no text; choose another operator")
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        raise UsageError("spans: it works only within a plan, whose spans define the masks; use piiscan.mask")
