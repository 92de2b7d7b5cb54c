"""The columns that an operator depends on besides its own.

Those that it groups rows by, which its parameter `groups` names, and the one that holds a telephone's country,
`country_column`.
"""

from __future__ import annotations

from collections.abc import Sequence

from piiscan.core.errors import UsageError
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.preconditions import SCALARS
from piiscan.masking.plan.plan_types import Action
from piiscan.masking.plan.plan_writer import labels
from piiscan.rules.definitions import suggestion


def resolved(columns: Sequence[Action], location: str) -> dict[int, tuple[int, ...]]:
    """By index, for each column whose operator goes by groups of rows: the indexes of the columns that make the groups.

    Raises `UsageError`, which begins with `place`, for a column that isn't there, is the masked one itself, or can't be
    compared.
    """
    known = labels([a.name for a in columns])
    at = dict(zip(known, columns, strict=True))
    out: dict[int, tuple[int, ...]] = {}
    for action, label in zip(columns, known, strict=True):
        if "groups" not in operator_registry.operator_class(action.operator).needs:
            continue
        for name in action.params.get("groups", ()):
            what = f"{location}: column {label}: {action.operator}: groups:"
            if name not in at:
                raise UsageError(f"{what} no column {name}{suggestion(name, at)}")
            if name == label:
                raise UsageError(f"{what} {name} is the column itself, so all its cells would stay")
            if at[name].dtype not in SCALARS:
                raise UsageError(f"{what} {name} is a column of type {at[name].dtype}, which can't form groups")
        out[action.index] = tuple(at[name].index for name in action.params.get("groups", ()))
    return out


def countries(columns: Sequence[Action], location: str) -> dict[int, int]:
    """By index, for each column of telephones whose country another one tells: the index of that.

    Raises `UsageError`, which begins with `location`, for a column that isn't there or holds no texts, and for lists of
    telephones.
    """
    known = labels([a.name for a in columns])
    at = dict(zip(known, columns, strict=True))
    out: dict[int, int] = {}
    for action, label in zip(columns, known, strict=True):
        if action.operator != "surrogate" or not (name := action.params.get("country_column")):
            continue
        what = f"{location}: column {label}: surrogate: country_column:"
        if name not in at:
            raise UsageError(f"{what} no column {name}{suggestion(name, at)}")
        if at[name].dtype != "string" or action.dtype == "other":
            raise UsageError(f"{what} only a column of texts can name the country of a row's telephone")
        out[action.index] = at[name].index
    return out
