"""Check digits and other validity tests: one small module per number, all with the same face.

A module `piiscan/rules/checks/nl_bsn.py` holds

- a docstring: whose number it is, who issues it, how the check works, a link, and a doctest;
- `LENGTHS`: the lengths it accepts, counted after `compact`;
- `valid(chars)`: vectorised over an (n, L) uint8 matrix of ASCII codes, one row a value, every row of the same length L
  from LENGTHS; returns n booleans. Shared arithmetic is in `piiscan.rules.checks.arithmetic`;
- optionally `compact(text)`: what is removed before; by default all but ASCII letters and digits, upper-cased.

Other packages add checks under the entry point group `piiscan.checks`: a name, and a module or an object with this
face. All are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from piiscan.core import plugins
from piiscan.core.errors import RuleError
from piiscan.rules import check_names

Chars = NDArray[np.uint8]
Mask = NDArray[np.bool_]


def compact_alnum(text: str) -> str:
    """Only ASCII letters and digits, upper-cased.

    >>> compact_alnum("12-ab 3.4")
    '12AB34'
    """
    return "".join(c for c in text if c.isascii() and c.isalnum()).upper()


def compact_digits(text: str) -> str:
    """Only ASCII digits: for numbers that are written with a country's letters before or after them.

    >>> compact_digits("BE 0403.019.261")
    '0403019261'
    """
    return "".join(c for c in text if "0" <= c <= "9")


class Check(Protocol):
    """What a module of checks, or a plug-in's object, has. `compact(text)` is optional."""

    @property
    def LENGTHS(self) -> Collection[int]: ...

    @property
    def valid(self) -> Callable[[Chars], Mask]: ...


@cache
def module(name: str) -> Check:
    """The check called `name`.

    Raises ModuleNotFoundError where there is none, and `RuleError` for a plug-in that can't be used.
    """
    if name in check_names.built_in():
        return cast(Check, import_module(f"piiscan.rules.checks.{name}"))
    point = check_names.plugged().get(name)
    if point is None:
        raise ModuleNotFoundError(f"there is no check {name!r}")
    return _Plugged(plugins.title(point), plugins.loaded(point, RuleError))


class _Plugged:
    """A plug-in's check, whose answers aren't trusted: errors in it become a `RuleError` without the checked values."""

    def __init__(self, title: str, check: Any) -> None:
        self._title, self._check = title, check
        lengths = getattr(check, "LENGTHS", None)
        if not isinstance(lengths, Collection) or not all(type(n) is int and n > 0 for n in lengths):
            raise RuleError(f"{title}: LENGTHS must be a collection of the lengths that the check accepts")
        if not callable(getattr(check, "valid", None)):
            raise RuleError(f"{title}: a check needs valid(chars)")
        self.LENGTHS = lengths
        own = getattr(check, "compact", compact_alnum)
        if not callable(own):
            raise RuleError(f"{title}: compact must be a function")
        self.compact = own if own in (compact_alnum, compact_digits) else self._compact

    def _compact(self, text: str) -> str:
        try:
            compact = self._check.compact(text)
        except Exception as error:
            raise RuleError(f"{self._title}: compact failed: {type(error).__name__}") from None
        if not isinstance(compact, str):
            raise RuleError(f"{self._title}: compact must return text")
        return compact

    def valid(self, chars: Chars) -> Mask:
        try:
            found = np.asarray(self._check.valid(chars.copy(order="K")))  # callers go on with theirs
        except Exception as error:
            raise RuleError(f"{self._title}: valid failed: {type(error).__name__}") from None
        if found.dtype != np.bool_ or found.shape != (len(chars),):
            raise RuleError(f"{self._title}: valid must return one boolean for each row")
        return found


def valid_many(name: str, values: Sequence[str]) -> Mask:
    """Which of `values` pass the check `name`; values of a length it doesn't know fail.

    >>> valid_many("luhn", ["79927398713", "79927398710"]).tolist()
    [True, False]
    """
    check = module(name)
    compact = getattr(check, "compact", compact_alnum)
    out = np.zeros(len(values), dtype=np.bool_)
    by_length: dict[int, tuple[list[int], list[bytes]]] = {}
    for i, value in enumerate(values):
        text = compact(value)
        if text.isascii() and (not check.LENGTHS or len(text) in check.LENGTHS):
            rows, texts = by_length.setdefault(len(text), ([], []))
            rows.append(i)
            texts.append(text.encode())
    for length, (rows, texts) in by_length.items():
        chars = np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(len(rows), length)
        out[rows] = check.valid(chars)
    return out


def is_valid(name: str, value: str) -> bool:
    """Whether one value passes the check `name`.

    >>> is_valid("luhn", "7992-7398-713")
    True
    """
    return bool(valid_many(name, [value])[0])
