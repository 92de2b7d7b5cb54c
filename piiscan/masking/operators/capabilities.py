"""Whether an operator's class does what it declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from piiscan.masking.operators.operator import DECLARING, Contract, FittedOn, Operator

_FLAGS: Final = (
    "keyed", "reversible", "deterministic", "subject_decides", "permutes", "keeps_distinct", "may_be_original",
    "masks_lists",
)  # fmt: skip
_CONTEXT: Final = frozenset(("subjects", "groups", "first"))
_BY_CAPABILITY: Final = ("dtype", "mask", "mask_rows", "unmask", "fit", "fit_rows", "fixed_points")
"""Methods that an operator has exactly if a capability asks for them."""


def fault(cls: Any) -> str | None:
    """What is wrong with the capabilities of an operator's class, in words that follow its name; None where nothing is.

    Each has its method, and no method is there that none asks for, since it would never be called.
    """
    for attribute in ("name", "contract", *_FLAGS):
        if not hasattr(cls, attribute):
            return f"doesn't declare {attribute!r}"
    for flag in _FLAGS:
        if not isinstance(getattr(cls, flag), bool):
            return f"must declare {flag!r} as True or False"
    if cls.contract not in get_args(Contract):
        return f"must declare 'contract' as one of {', '.join(get_args(Contract))}"
    if cls.fitted_on not in get_args(FittedOn):
        return f"must declare 'fitted_on' as one of {', '.join(get_args(FittedOn))}"
    if not isinstance(cls.needs, frozenset) or not cls.needs <= _CONTEXT:
        return f"must declare 'needs' as a frozenset of {', '.join(sorted(_CONTEXT))}"
    required = set(_required(cls))
    for method in (*_BY_CAPABILITY, "declares"):
        has = getattr(cls, method) is not getattr(Operator, method)
        if method in required and not has:
            return f"lacks {method!r}, which a declared capability requires"
        if has and method in _BY_CAPABILITY and method not in required:
            return f"has {method!r}, but declares no capability that requires it"
    return None


def _required(cls: type[Operator]) -> Iterator[str]:
    """The methods that the declared capabilities ask for."""
    yield "dtype"
    yield "mask_rows" if cls.needs else "mask"
    if cls.reversible:
        yield "unmask"
    if cls.contract in DECLARING:
        yield "declares"
    if cls.fitted_on != "nothing":
        yield "fit" if cls.fitted_on == "counts" else "fit_rows"
    if cls.permutes:
        yield "fixed_points"
