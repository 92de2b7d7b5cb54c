"""Frozen records of plain data as JSON values, and back by their types."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def to_plain(value: Any) -> Any:
    """A dataclass or named tuple as the list of its fields, a tuple as a list; texts, numbers and None as they are."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)]
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(type(value).__name__)


def from_plain(kind: Any, value: Any) -> Any:
    """What `to_plain` was given, of this type. Raises `ValueError` or `TypeError` for anything else."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if value is None and NoneType in args:
            return None
        (other,) = (arg for arg in args if arg is not NoneType)
        return from_plain(other, value)
    if origin is Literal:
        if value not in args:
            raise ValueError(kind)
        return value
    if origin is tuple:
        items = args[:1] * len(value) if args[1:] == (...,) else args
        return tuple(from_plain(item, v) for item, v in zip(items, _listed(value), strict=True))
    if fields := _fields(kind):
        values = [from_plain(hint, v) for hint, v in zip(fields, _listed(value), strict=True)]
        return kind(*values)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise TypeError(kind)
    return value


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(type(value).__name__)
    return value


@lru_cache(maxsize=64)
def _fields(kind: type) -> tuple[Any, ...]:
    """The types of a record's fields, none for any other type."""
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return tuple(hints[f.name] for f in dataclasses.fields(kind))
    names = getattr(kind, "_fields", ())
    hints = get_type_hints(kind) if names else {}
    return tuple(hints[name] for name in names)
