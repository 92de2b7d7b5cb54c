"""Parameters out of a plan, checked against the fields of an operator's dataclass."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from piiscan.masking.operators.preconditions import refusal
from piiscan.rules.definitions import suggestion

_PLAIN: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def checked(name: str, cls: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for an operator's class; lists become tuples. Raises `UsageError` as `registry.make` says."""
    known = {f.name: f for f in fields(cls) if f.init}
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


def _value(operator: str, parameter: str, hint: Any, value: Any) -> Any:
    ok, converted = _fits(hint, value)
    if not ok:
        raise refusal(operator, f"the parameter {parameter!r} must be {_described(hint)}")
    return converted


def _fits(hint: Any, value: Any) -> tuple[bool, Any]:
    """Whether a value is of a type, and the value as the dataclass holds it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        for one in arguments:
            ok, converted = _fits(one, value)
            if ok:
                return True, converted
        return False, None
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments), value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            return False, None
        items = [_fits(arguments[0], item) for item in value]
        return all(ok for ok, _ in items), tuple(item for _, item in items)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            return False, None
        held = {key: _fits(arguments[1], item) for key, item in value.items()}
        return all(isinstance(key, str) and ok for key, (ok, _) in held.items()), {
            key: item for key, (_, item) in held.items()
        }
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool), value
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool), value
    return isinstance(value, hint), value


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
