"""A file that says what is publicly known of columns.

[columns.score]
bounds = [0, 120]
edges = [18, 65]

[columns.income]
bounds = [0, 100000]
power = 0.5
decimals = 0

[columns.dept]
categories = ["sales", "research"]
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Final

from piiscan.core.errors import UsageError
from piiscan.dp.declare import Declared, even_cuts

_KEYS: Final = ("bounds", "edges", "power", "decimals", "categories", "entity", "estimate_bounds", "private_keys")


def load(path: Path) -> Declared:
    """Raises `UsageError` for a file that can't be read, and for what it can't say."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"schema {path}: can't be read as TOML ({type(error).__name__})") from None
    columns = content.get("columns")
    if set(content) != {"columns"} or not isinstance(columns, dict):
        raise UsageError(f"schema {path}: it holds a table [columns.NAME] for each column, and nothing else")
    made = Declared({}, {}, {}, {}, [], [], {})
    for name, entry in columns.items():
        _add(made, path, name, entry)
    return made


def with_file(declared: Declared, path: str | os.PathLike[str] | None) -> Declared:
    """What is declared, and what a schema file says beside it, where there is one. Raises `UsageError`."""
    return declared if path is None else joined(load(Path(path)), declared)


def joined(a: Declared, b: Declared) -> Declared:
    """Both together; a column stands in one of them. Raises `UsageError`."""
    for first, second in zip(a, b, strict=True):
        if both := set(first) & set(second):
            raise UsageError(f"column {min(both)}: it is declared twice")
    return Declared(
        {**a.bounds, **b.bounds}, {**a.cuts, **b.cuts}, {**a.categories, **b.categories}, {**a.entities, **b.entities},
        [*a.estimated, *b.estimated], [*a.found, *b.found], {**a.decimals, **b.decimals},
    )  # fmt: skip


def _add(made: Any, path: Path, name: str, entry: Any) -> None:
    place = f"schema {path}: column {name}"
    if not isinstance(entry, dict) or (wrong := sorted(set(entry) - set(_KEYS))):
        raise UsageError(
            f"{place}: it holds {', '.join(_KEYS)}" + (f", not {wrong[0]}" if isinstance(entry, dict) else "")
        )
    for key, value in entry.items():
        if key in ("estimate_bounds", "private_keys"):
            if value is not True:
                raise UsageError(f"{place}: {key} is true, or isn't there")
            (made.estimated if key == "estimate_bounds" else made.found).append(name)
        elif key == "entity":
            made.entities[name] = _checked(
                value, isinstance(value, str), f"{place}: entity is a word of the vocabulary, such as AGE"
            )
        elif key == "bounds":
            low, high = _checked(
                value, _numbers(value) and len(value) == 2, f"{place}: bounds are two numbers, such as [0, 120]"
            )
            made.bounds[name] = (float(low), float(high))
        elif key == "power":
            holds = _numbers([value]) and _numbers(entry.get("bounds")) and "edges" not in entry
            power = _checked(
                value,
                holds and len(entry["bounds"]) == 2,
                f"{place}: power is a number, with bounds beside it and no edges",
            )
            low, high = entry["bounds"]
            made.cuts[name] = even_cuts(low, high, power, place)
        elif key == "decimals":
            made.decimals[name] = _checked(
                value, type(value) is int and 0 <= value <= 9, f"{place}: decimals is a number from 0 to 9"
            )
        elif key == "edges":
            made.cuts[name] = [
                float(e) for e in _checked(value, _numbers(value), f"{place}: edges are numbers, such as [18, 65]")
            ]
        else:
            words = isinstance(value, list) and all(isinstance(word, str) for word in value)
            made.categories[name] = _checked(value, words, f'{place}: categories are texts, such as ["a", "b"]')


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in value)


def _checked(value: Any, holds: bool, otherwise: str) -> Any:
    if not holds:
        raise UsageError(otherwise)
    return value
