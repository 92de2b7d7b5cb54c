"""What every public function does around its work."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Final, ParamSpec, TypeVar

from piiscan.core.caches import forgetting
from piiscan.core.errors import PiiscanError, UsageError, type_and_place
from piiscan.core.forked import demand_polars
from piiscan.core.interface import speaks_python

_LIBRARIES: Final = frozenset(("polars", "pyarrow", "pandas", "duckdb", "narwhals"))
P = ParamSpec("P")
R = TypeVar("R")


def _is_names(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, Sequence) and all(isinstance(name, str) for name in value))


def _told(value: Any) -> str:
    """What was given in place of something else."""
    if isinstance(value, list | tuple) and (others := [each for each in value if not isinstance(each, str)]):
        of_number = "; the name of a column 1 is the text '1'" if isinstance(others[0], Integral) else ""
        return f"a list with an object of type {type(others[0]).__name__}{of_number}"
    return f"an object of type {type(value).__name__}"


_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "a text": lambda value: isinstance(value, str),
    "True or False": lambda value: isinstance(value, bool),
    "a path": lambda value: isinstance(value, str | os.PathLike),
    "a name or a path": lambda value: isinstance(value, str | os.PathLike),
    "a name or a list of names": _is_names,
    "a whole number": lambda value: isinstance(value, Integral) and not isinstance(value, bool),
    "a number": lambda value: isinstance(value, Real) and not isinstance(value, bool),
}
_KIND_OF: Final[Mapping[str, str]] = {
    name: kind
    for kind, names in {
        "a text": "table delimiter encoding unit dataset version diversity distance method metric",
        "True or False": "header overwrite drop_suppressed one_row_per_person allow_incomplete",
        "a path": "output ledger",
        "a name or a path": "policy",
        "a name or a list of names": "quasi sensitive insensitive columns",
        "a whole number": "k min_group seed n first_row",
        "a number": "l c alpha t suppress p_percent",
    }.items()
    for name in names.split()
}
"""The types of the parameters, by name, in every function that has one; None means that it wasn't given."""


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function part of the Python interface.

    Parameters of other types are refused, errors name parameters, and cached words of cells are dropped afterwards. An
    error of a library that nobody foresaw, whose message may quote cells, becomes one without them.
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        for name, value in given.items():
            kind = _KIND_OF.get(name)
            if kind is not None and value is not None and not _KINDS[kind](value):
                raise UsageError(f"{name} must be {kind}, not {_told(value)}")
        demand_polars()
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if type(error).__module__.split(".")[0] not in _LIBRARIES:
                raise
            raise PiiscanError(f"internal error: {type_and_place(error)}; please report it") from None

    return speaks_python(forgetting(checked))
