"""Parameters out of a plan, checked against the fields of an operator's dataclass."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from piiscan.masking.operators.preconditions import refusal
from piiscan.rules.definitions import suggestion

_PLAIN: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def checked(name: str, cls: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for an operator's class; lists become tuples. Raises `UsageError` as `registry.make` says."""
    known = _parameters(cls)
    for key in params:
        if key not in known:
            raise refusal(name, f"has no parameter {key!r}{suggestion(key, known)}")
    for key, f in known.items():
        if key not in params and f.default is MISSING and f.default_factory is MISSING:
            raise refusal(name, f"needs the parameter {key!r}")
    module = vars(sys.modules[cls.__module__])
    # Only the parameters' own types: others may be of packages that are imported for type checkers alone.
    hints = {key: eval(str(known[key].type), module) for key in params}
    return {key: _value(name, key, hints[key], value) for key, value in params.items()}


@lru_cache(maxsize=64)
def _parameters(cls: Any) -> dict[str, Field[Any]]:
    return {f.name: f for f in fields(cls) if f.init}


def _value(operator: str, parameter: str, hint: Any, value: Any) -> Any:
    try:
        return _converted(hint, value)
    except _Misfit:
        raise refusal(operator, f"the parameter {parameter!r} must be {_described(hint)}") from None


class _Misfit(Exception):
    """A value has another type than its parameter."""


def _converted(hint: Any, value: Any) -> Any:
    """The value as the dataclass holds it. Raises `_Misfit`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _as_one_of(arguments, value)
    if origin is tuple:
        _demand(isinstance(value, list | tuple))
        return tuple(_converted(arguments[0], item) for item in value)
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        _demand(isinstance(value, Mapping) and all(isinstance(key, str) for key in value))
        return {key: _converted(arguments[1], item) for key, item in value.items()}
    if origin is Literal:
        _demand(any(type(value) is type(one) and value == one for one in arguments))
    elif hint in (float, int):  # true and false are numbers to Python alone
        _demand(isinstance(value, int | float if hint is float else int) and not isinstance(value, bool))
    else:
        _demand(isinstance(value, hint))
    return value


def _as_one_of(hints: tuple[Any, ...], value: Any) -> Any:
    for hint in hints:
        try:
            return _converted(hint, value)
        except _Misfit:
            continue
    raise _Misfit


def _demand(fits: bool) -> None:
    if not fits:
        raise _Misfit


def _described(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_described(one) for one in arguments if one is not NoneType)
    if origin is Literal:
        return "one of " + ", ".join(str(one) for one in arguments)
    if origin is tuple:
        return f"a list, each of them {_described(arguments[0])}"
    if origin is not None and issubclass(origin, Mapping):
        return f"a table, each entry {_described(arguments[1])}"
    return _PLAIN.get(hint, f"a {getattr(hint, '__name__', 'value')}")
