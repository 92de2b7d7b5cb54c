"""Check digits and other validity tests: one small module per number, all with the same face.

A module `piiscan/rules/checks/nl_bsn.py` holds

- a docstring: whose number it is, who issues it, how the check works, a link, and a doctest;
- `LENGTHS`: the lengths it accepts, counted after `compact`;
- `valid(chars)`: vectorised over an (n, L) uint8 matrix of ASCII codes, one row a value, every row of the same length L
  from LENGTHS; returns n booleans. Shared arithmetic is in `piiscan.rules.checks.arithmetic`;
- optionally `compact(text)`: what is removed before; by default all but ASCII letters and digits, upper-cased.

Modules are imported on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

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


@cache
def module(name: str) -> ModuleType:
    """The check module called `name`. Raises ModuleNotFoundError where there is none."""
    return import_module(f"piiscan.rules.checks.{name}")


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
