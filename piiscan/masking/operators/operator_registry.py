"""Operators by their names: those that come with piiscan, loaded on demand, and those of other packages.

A package adds operators by entry points of the group `piiscan.operators`: the name as a plan spells it, and the class,
which is looked at once before it may mask anything. A name that piiscan has itself stays piiscan's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from piiscan.core import plugins
from piiscan.core.errors import UsageError
from piiscan.masking.operators.parameter_types import checked
from piiscan.masking.operators.preconditions import refusal
from piiscan.rules.definitions import suggestion

if TYPE_CHECKING:
    from piiscan.masking.operators.operator import Operator

GROUP: Final = "piiscan.operators"

BUILT_IN: Final[Mapping[str, str]] = {
    "keep": "piiscan.masking.operators.erase:Keep",
    "suppress": "piiscan.masking.operators.erase:Suppress",
    "drop": "piiscan.masking.operators.erase:Drop",
    "redact": "piiscan.masking.operators.erase:Redact",
    "partial": "piiscan.masking.operators.partial:Partial",
    "date-generalise": "piiscan.masking.operators.date_generalise:DateGeneralise",
    "date-shift": "piiscan.masking.operators.date_shift:DateShift",
    "bins": "piiscan.masking.operators.coarse_numbers:Bins",
    "round": "piiscan.masking.operators.coarse_numbers:Round",
    "top-bottom": "piiscan.masking.operators.coarse_numbers:TopBottom",
    "above": "piiscan.masking.operators.coarse_numbers:Above",
    "hierarchy": "piiscan.masking.operators.categories:Hierarchy",
    "prefix": "piiscan.masking.operators.categories:Prefix",
    "zip3": "piiscan.masking.operators.zip3:Zip3",
    "resample": "piiscan.masking.operators.resample:Resample",
    "noise": "piiscan.masking.operators.number_noise:Noise",
    "shuffle": "piiscan.masking.operators.shuffle:Shuffle",
    "hash": "piiscan.masking.operators.hashed:Hash",
    "token": "piiscan.masking.operators.token:Token",
    "fpe": "piiscan.masking.operators.fpe:Fpe",
    "ip": "piiscan.masking.operators.ip:Ip",
    "mac": "piiscan.masking.operators.mac:Mac",
    "code": "piiscan.masking.operators.code:Code",
    "persona": "piiscan.masking.operators.persona:Persona",
    "surrogate": "piiscan.masking.operators.surrogate:Surrogate",
    "spans": "piiscan.masking.operators.spans:Spans",
}
"""Name → module:class."""


def operator_class(name: str) -> type[Operator]:
    """The class of the operator of this name, imported now. Raises `UsageError` for an unknown name."""
    if name in BUILT_IN:
        return _built_in(name)
    plugged = _plugged()
    if name not in plugged:
        raise UsageError(f"there is no operator {name!r}{suggestion(name, {*BUILT_IN, *plugged})}")
    if len(plugged[name]) > 1:
        raise refusal(name, f"comes from {len(plugged[name])} installed packages; uninstall all but one")
    return _loaded(name, plugged[name][0])


def make(name: str, params: Mapping[str, Any]) -> Operator:
    """The operator of this name with these parameters, as a plan spells them.

    Raises `UsageError`, which names the operator and the parameter, for an unknown name and for a parameter that is
    unknown, missing, of the wrong type or outside its bounds. No message repeats a parameter's value.
    """
    cls: Any = operator_class(name)
    made: Operator = cls(**checked(name, cls, params))
    return made


@cache
def _built_in(name: str) -> type[Operator]:
    module, _, attribute = BUILT_IN[name].partition(":")
    found: type[Operator] = getattr(import_module(module), attribute)
    return found


def _plugged() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for point in plugins.entry_points(GROUP):
        if point.name not in BUILT_IN:
            found.setdefault(point.name, []).append(point)
    return found


def _loaded(name: str, point: Any) -> type[Operator]:
    from piiscan.masking.operators.capabilities import fault
    from piiscan.masking.operators.operator import Operator

    try:
        cls: Any = point.load()
    except Exception as error:  # a package of somebody else may fail in any way
        raise refusal(
            name, f"{point.value} can't be loaded: {type(error).__name__}; update the package it comes from"
        ) from None
    base = isinstance(cls, type) and issubclass(cls, Operator)
    if not base or "__dataclass_params__" not in vars(cls) or not vars(cls)["__dataclass_params__"].frozen:
        raise refusal(name, f"{point.value} must be a frozen dataclass that inherits from piiscan.operators.Operator")
    if (wrong := fault(cls)) is not None:
        raise refusal(name, f"{point.value} {wrong}; see piiscan.operators.Operator")
    plugged: type[Operator] = cls
    if plugged.name != name:
        raise refusal(name, f"{point.value} has another name; its `name` and its entry point must agree")
    return plugged
