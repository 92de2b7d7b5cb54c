"""The values that a label of a masked table stands for.

A label stands for itself, an interval, a prefix, a set, or anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy, Label

Fits = Callable[["Values"], npt.NDArray[np.bool_]]
"""(values,) which of a column's values a label stands for."""
Compared = Callable[[npt.NDArray[np.float64], float], npt.NDArray[np.bool_]]

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_BRACKETS = re.compile(rf"([\[\](])\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*([\[\])])")
_RANGE = re.compile(rf"({_NUMBER})\s*(?:-|–|\.\.|to)\s*({_NUMBER})")
_BOUND = re.compile(rf"(<=|>=|<|>|≤|≥)\s*({_NUMBER})")
_PLUS = re.compile(rf"({_NUMBER})\s*\+")
_SET = re.compile(r"\{(.*)\}")
_DATE = re.compile(r"\d{4}(?:-\d{2})?")
_DATED = re.compile(r"\d{4}-\d{2}")


class Values:
    """The distinct values of a column.

    numbers: NaN for values that aren't numbers. dates: whether some values begin like a date.
    """

    def __init__(self, texts: Sequence[Label]) -> None:
        self.texts = texts
        self.numbers = np.array([_number(text) for text in texts], np.float64)
        self.dates = any(_DATED.match(text) for text in texts if text is not None)

    def where(self, holds: Callable[[str], object]) -> npt.NDArray[np.bool_]:
        return np.fromiter((text is not None and bool(holds(text)) for text in self.texts), np.bool_, len(self.texts))


def coarser(label: str) -> Fits | None:
    """Return which values a label stands for besides itself, or None if it is a plain value.

    An empty cell stands for itself alone. `*` stands for anything. Intervals: `[20, 30)`, `]20, 30]`, `20-29` (both
    ends in it), `20..29`, `<20`, `≥90`, `90+`. `130**` stands for whatever has any characters in these places, `130*`
    for whatever begins with `130`; `{a, b}` for both; `2020` and `2020-05` for the dates in them.
    """
    label = label.strip()
    if label == TOP:
        return lambda values: np.ones(len(values.texts), np.bool_)
    if (m := _BRACKETS.fullmatch(label)) is not None:
        above, below = _COMPARED[">=" if m[1] == "[" else ">"], _COMPARED["<=" if m[4] == "]" else "<"]
        return _between(above, float(m[2]), below, float(m[3]))
    if (m := _BOUND.fullmatch(label)) is not None:
        compared, bound = _COMPARED[m[1]], float(m[2])
        return lambda values: compared(values.numbers, bound)
    if (m := _PLUS.fullmatch(label)) is not None:
        least = float(m[1])
        return lambda values: values.numbers >= least
    if (m := _SET.fullmatch(label)) is not None:
        members = {part.strip() for part in m[1].split(",")}
        return lambda values: values.where(lambda text: text in members)
    if TOP in label:
        pattern = _masked(label)
        return lambda values: values.where(pattern.fullmatch)
    if _DATE.fullmatch(label):
        return lambda values: (
            values.where(lambda text: text.startswith(f"{label}-"))
            if values.dates
            else np.zeros(len(values.texts), np.bool_)
        )
    if (m := _RANGE.fullmatch(label)) is not None and float(m[1]) <= float(m[2]):
        return _between(_COMPARED[">="], float(m[1]), _COMPARED["<="], float(m[2]))
    return None


def under(hierarchy: Hierarchy) -> dict[Label, set[Label]]:
    """Return the values that each label of a hierarchy stands for.

    Labels of the same text on several levels are combined.
    """
    found: dict[Label, set[Label]] = {}
    for names, groups in zip(hierarchy.labels[1:], hierarchy.groups[1:], strict=True):
        for leaf, group in zip(hierarchy.leaves, groups.tolist(), strict=True):
            found.setdefault(names[group], set()).add(leaf)
    return found


def _between(above: Compared, low: float, below: Compared, high: float) -> Fits:
    return lambda values: above(values.numbers, low) & below(values.numbers, high)


_COMPARED: Final[dict[str, Compared]] = {
    "<": np.less,
    "<=": np.less_equal,
    "≤": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "≥": np.greater_equal,
}


def _masked(label: str) -> re.Pattern[str]:
    if label.count(TOP) == 1 and label.endswith(TOP):
        return re.compile(f"{re.escape(label[:-1])}.*", re.DOTALL)
    return re.compile("".join("." if c == TOP else re.escape(c) for c in label), re.DOTALL)


def _number(text: Label) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return float("nan")
