"""What authors of operators build on; docs/masking.md says how to add one.

`piiscan.operators.presidio` offers piiscan's operators to Presidio.
"""

from __future__ import annotations

from piiscan.core.keys import Subkey
from piiscan.core.types import DType
from piiscan.masking.operators.operator import Contract, FittedOn, Operator, RowContext
from piiscan.masking.operators.preconditions import demand, demand_cells, demand_key, refusal

__all__ = [
    "Contract",
    "DType",
    "FittedOn",
    "Operator",
    "RowContext",
    "Subkey",
    "demand",
    "demand_cells",
    "demand_key",
    "refusal",
]
