"""What an operator has to know besides the rows of one partition; and why some are refused there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from piiscan.masking.apply.column_masker import ColumnMasker
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.code import Code
from piiscan.masking.operators.operator import Operator
from piiscan.masking.operators.persona import Persona
from piiscan.masking.operators.resample import Resample
from piiscan.masking.plan.plan_types import TablePlan

Needs = Literal["nothing", "subject", "texts", "row", "counts", "draws", "column", "vault"]
"""By what masks are decided besides their cell: nothing; the person of the row, and the vault where the plan has one;
what columns hold, in texts; the number of the row; how often values occur in the whole column; that, and a number of
the row, but not its cell; all cells of the column; a vault of codes, which grows while it masks."""
REFUSED: Final[Mapping[str, str]] = {
    "row": (
        "draws by the number of its row, which a partition doesn't know, and equal draws could be told from each other"
    ),
    "counts": "has to see how often each value occurs in the whole column before it masks a part",
    "draws": (
        "has to see how often each value occurs in the whole column, and draws by the number of its row, which a "
        "partition doesn't know"
    ),
    "column": "moves cells between all rows of the column, beyond one partition",
    "vault": "makes codes in a vault while it masks, and workers would each make their own",
}
"""Why, of those that a part can't be masked with."""


def needs(operator: Operator, dtype: str) -> Needs:
    """By what the masks of an operator are decided, of a column of this type."""
    if operator.name == "spans":
        return "texts"
    if isinstance(operator, Code):
        return "vault"
    if operator.fitted_on == "column":
        return "column"
    if isinstance(operator, Resample):
        return "draws"
    if "first" in operator.needs or (isinstance(operator, Persona) and operator.per == "row"):
        return "row"
    if operator.needs_column(dtype):  # type: ignore[arg-type]
        return "counts"
    return "subject" if "subjects" in operator.needs else "nothing"


def refusal(column: ColumnMasker, table: TablePlan, texts: str, counts: bool = False) -> str | None:
    """Why a column can't be masked in parts, and what to do; None where it can.

    counts: values are counted before, in the whole table.
    """
    action = column.action
    operator = operator_registry.make(action.operator, action.params)
    found = needs(operator, action.dtype)
    if found == "texts":
        if texts == "rules":
            return None
        return (
            "its texts may name people whom other columns and rows tell, which no partition knows: give "
            'texts="rules" to mask what rules and the recogniser find in them and leave the rest, or choose suppress'
        )
    if (why := REFUSED.get(found)) is None or (counts and found in ("counts", "draws")):
        return None
    if found == "counts" and "format" in type(operator).__dataclass_fields__:  # type: ignore[attr-defined]
        return f'{action.operator} {why}; tell it how dates are written, as format = "%Y-%m-%d" in the plan'
    return f"{action.operator} {why}; choose another operator, or mask this table on one machine"
