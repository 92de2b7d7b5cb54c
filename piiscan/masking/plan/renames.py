"""The names of a table's columns in the output."""

from __future__ import annotations

from collections.abc import Sequence

from piiscan.core.errors import UsageError
from piiscan.masking.plan.plan_types import Action


def left(columns: Sequence[Action], location: str) -> list[tuple[Action, str | None]]:
    """The columns that aren't dropped, in their order, each with its name in the output.

    Raises `UsageError`, which begins with `place`, where a new name is another column's.
    """
    stay = [(a, a.rename or a.name) for a in columns if a.operator != "drop"]
    for a, name in stay:
        if a.rename and sum(other == name for _, other in stay) > 1:
            raise UsageError(f"{location}: two columns would be named {name}; choose another name for one of them")
    return stay
