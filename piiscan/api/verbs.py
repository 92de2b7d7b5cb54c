"""What every public function does around its work."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from piiscan.core.argument_kinds import demand
from piiscan.core.caches import forgetting
from piiscan.core.errors import PiiscanError, type_and_place
from piiscan.core.forked import demand_polars
from piiscan.core.interface import speaks_python

_LIBRARIES: Final = frozenset(("polars", "pyarrow", "pandas", "duckdb", "narwhals"))
P = ParamSpec("P")
R = TypeVar("R")


def _demand_privacy(annotation: Any, value: Any) -> None:
    if annotation not in ("Privacy", "Privacy | None") or (value is None and annotation != "Privacy"):
        return
    from piiscan.dp.privacy import demand_privacy

    demand_privacy(value)


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function part of the Python interface.

    Parameters of other types are refused, errors name parameters, and cached words of cells are dropped afterwards. An
    error of a library that nobody foresaw, whose message may quote cells, becomes one without them.
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        signature = inspect.signature(function)
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            annotation = signature.parameters[name].annotation
            _demand_privacy(annotation, value)
            demand(name, annotation, value)
        demand_polars()
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if type(error).__module__.split(".")[0] not in _LIBRARIES:
                raise
            raise PiiscanError(f"internal error: {type_and_place(error)}; please report it") from None

    return speaks_python(forgetting(checked))
