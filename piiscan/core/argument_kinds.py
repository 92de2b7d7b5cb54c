"""What kinds of objects the arguments of public functions are, by the names and annotations of their parameters."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AnySet
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Final, ParamSpec, TypeVar

from piiscan.core.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _is_names(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, Sequence) and all(map(_is_text, value)))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _list_of(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether something is a list of such objects, in an order, or a column of a frame; a text isn't one of letters."""

    def is_list(value: Any) -> bool:
        listed = isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping | AnySet)
        return listed and all(map(kind, value))

    return is_list


def _is_pair(value: Any) -> bool:
    return _list_of(_is_number)(value) and len(value) == 2


def _mapping_to(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(_is_text(name) and kind(of) for name, of in value.items())


_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "a text": _is_text,
    "True or False": lambda value: isinstance(value, bool),
    "a path": _is_path,
    "a name or a path": _is_path,
    "a path or a mapping": lambda value: _is_path(value) or isinstance(value, Mapping),
    "a mapping": lambda value: isinstance(value, Mapping),
    "a name or a list of names": _is_names,
    "a list of names": _list_of(_is_text),
    "a list of texts": _list_of(_is_text),
    "a list of lists of names, such as [['a'], ['a', 'b']]": _list_of(_list_of(_is_text)),
    "a list of numbers": _list_of(_is_number),
    "a list of classes, such as ['no', 'yes']": _list_of(lambda value: isinstance(value, str | Integral)),
    "a whole number": _is_whole,
    "a number": _is_number,
    "a pair of numbers": _is_pair,
    "a mapping of names to pairs of numbers, such as {'age': (0, 120)}": _mapping_to(_is_pair),
    "a mapping of names to lists of numbers": _mapping_to(_list_of(_is_number)),
    "a mapping of names to lists of texts, such as {'dept': ['A', 'B']}": _mapping_to(_list_of(_is_text)),
    "a mapping of names to names": _mapping_to(_is_text),
    "a mapping of names to whole numbers": _mapping_to(_is_whole),
}
_NAMES: Final = ("a name or a list of names", "a list of names")
_OF_NAME: Final[Mapping[str, str]] = {
    name: kind
    for kind, names in {
        "a text": "table delimiter encoding unit dataset version diversity distance method metric weights target",
        "True or False": "header overwrite drop_suppressed one_row_per_person allow_incomplete code no_ignore",
        "a path": "output ledger",
        "a name or a path": "policy",
        "a list of texts": "constraints",
        "a name or a list of names": "quasi sensitive insensitive columns",
        "a whole number": "k min_group seed n first_row max_rows n_clusters n_components passes random_state",
        "a number": "l c alpha t suppress p_percent sampling_fraction epsilon delta budget clip",
    }.items()
    for name in names.split()
}
"""The kinds of parameters that are the same in every function that has one, by name."""
_OF_ANNOTATION: Final[Mapping[str, str]] = {
    "str | os.PathLike[str]": "a path",
    "str | Sequence[str]": "a name or a list of names",
    "Sequence[str]": "a list of names",
    "Sequence[Statistic]": "a list of names",
    "Sequence[Sequence[str]]": "a list of lists of names, such as [['a'], ['a', 'b']]",
    "Sequence[float]": "a list of numbers",
    "Sequence[str | int | bool]": "a list of classes, such as ['no', 'yes']",
    "tuple[float, float]": "a pair of numbers",
    "tuple[int, float]": "a pair of numbers",
    "Mapping[str, tuple[float, float]]": "a mapping of names to pairs of numbers, such as {'age': (0, 120)}",
    "Mapping[str, Sequence[float]]": "a mapping of names to lists of numbers",
    "Mapping[str, Sequence[str]]": "a mapping of names to lists of texts, such as {'dept': ['A', 'B']}",
    "Mapping[str, str]": "a mapping of names to names",
    "Mapping[str, int]": "a mapping of names to whole numbers",
    "Mapping[str, Any]": "a mapping",
}
_ELSEWHERE: Final = frozenset(("select", "ignore", "path"))
"""Parameters that are looked at where they are read, with those of the same kind."""
_NONE_IS_USUAL: Final = ("True or False", "a text")
"""Kinds of parameters for which None is what they are without an argument, whatever their annotation."""
_PATH_OR_MAPPING: Final = "str | os.PathLike[str] | Mapping["
_NONE: Final = " | None"


def demand(name: str, annotation: Any, value: Any) -> None:
    """Raise `UsageError` where an argument is of another kind than its parameter, whose annotation is a text.

    >>> demand("bounds", "Mapping[str, tuple[float, float]]", {"age": (0, 120)})
    >>> demand("bounds", "Mapping[str, tuple[float, float]]", {"age": 120})
    Traceback (most recent call last):
        ...
    piiscan.core.errors.UsageError: bounds must be a mapping of names to pairs of numbers, such as {'age': (0, 120)}
    """
    annotation = annotation if isinstance(annotation, str) else ""
    kind = None if name in _ELSEWHERE else _OF_NAME.get(name) or _of(annotation.removesuffix(_NONE))
    if kind is None or (value is None and (annotation.endswith(_NONE) or kind in _NONE_IS_USUAL)):
        return
    if _KINDS[kind](value):
        return
    raise UsageError(f"{name} must be {kind}{_instead(value, kind)}")


def of_kinds(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments of other kinds than those of its parameters."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            demand(name, signature.parameters[name].annotation, value)
        return function(*args, **kwargs)

    return checked


def _of(annotation: str) -> str | None:
    return "a path or a mapping" if annotation.startswith(_PATH_OR_MAPPING) else _OF_ANNOTATION.get(annotation)


def _instead(value: Any, kind: str) -> str:
    """What was given in place of something else; nothing where it is a mapping or a list of something else."""
    is_list = isinstance(value, list | tuple)
    others = [each for each in value if not isinstance(each, str)] if is_list else []
    if others and kind in _NAMES:
        of_number = "; the name of a column 1 is the text '1'" if isinstance(others[0], Integral) else ""
        return f", not a list with an object of type {type(others[0]).__name__}{of_number}"
    if (is_list and kind.startswith(("a list", "a pair"))) or (isinstance(value, Mapping) and "mapping" in kind):
        return ""
    return f", not an object of type {type(value).__name__}"
