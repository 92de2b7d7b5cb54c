"""A file that declares what is publicly known about columns.

constraints = ["income >= tax"]

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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from piiscan.core.errors import UsageError
from piiscan.dp.declare import Declared, even_cuts

_KEYS: Final = (
    "bounds",
    "edges",
    "power",
    "decimals",
    "categories",
    "entity",
    "estimate_bounds",
    "private_keys",
    "private_bins",
)


def load(path: Path) -> Declared:
    """Load a schema. Raises `UsageError` for a file that can't be read or declares something invalid."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"schema {path}: can't be read as TOML ({type(error).__name__})") from None
    columns = content.get("columns")
    if not {"columns"} <= set(content) <= {"columns", "constraints"} or not isinstance(columns, dict):
        raise UsageError(f"schema {path}: it may contain only constraints and a table [columns.NAME] for each column")
    constraints = content.get("constraints", [])
    if not isinstance(constraints, list) or not all(isinstance(text, str) for text in constraints):
        raise UsageError(f'schema {path}: constraints must be texts, such as ["discharged >= admitted"]')
    return declared(columns, f"schema {path}")._replace(constraints=constraints)


def declared(columns: Mapping[str, Any], place: str) -> Declared:
    """Return the declarations of columns from their tables, by name. Raises `UsageError`; `place` is named in it."""
    made = Declared({}, {}, {}, {}, [], [], {}, [])
    for name, entry in columns.items():
        _add(made, f"{place}: column {name}", name, entry)
    return made


def with_file(declared: Declared, path: str | os.PathLike[str] | None) -> Declared:
    """Return the declarations together with those of a schema file, if there is one. Raises `UsageError`."""
    return declared if path is None else joined(load(Path(path)), declared)


def joined(a: Declared, b: Declared) -> Declared:
    """Return both together; a column may be declared in only one of them. Raises `UsageError`."""
    for first, second in zip(a._replace(constraints=()), b._replace(constraints=()), strict=True):
        if both := set(first) & set(second):
            raise UsageError(f"column {min(both)} is declared twice; keep one declaration")
    return Declared(
        {**a.bounds, **b.bounds}, {**a.cuts, **b.cuts}, {**a.categories, **b.categories}, {**a.entities, **b.entities},
        [*a.estimated, *b.estimated], [*a.found, *b.found], {**a.decimals, **b.decimals},
        [*a.private_bins, *b.private_bins],
        [*a.constraints, *b.constraints],
    )  # fmt: skip


def _add(declared: Any, where: str, name: str, entry: Any) -> None:
    """Add a column's table to its part of `declared`."""
    if not isinstance(entry, dict) or (wrong := sorted(set(entry) - set(_KEYS))):
        raise UsageError(
            f"{where}: it may contain {', '.join(_KEYS)}" + (f", not {wrong[0]}" if isinstance(entry, dict) else "")
        )
    for key, value in entry.items():
        if key == "estimate_bounds":
            declared.estimated.append(_flagged(name, value, f"{where}: {key} must be true, or left out"))
        elif key == "private_keys":
            declared.found.append(_flagged(name, value, f"{where}: {key} must be true, or left out"))
        elif key == "private_bins":
            declared.private_bins.append(_flagged(name, value, f"{where}: {key} must be true, or left out"))
        elif key == "power":
            declared.cuts[name] = _power_cuts(entry, where)
        else:
            part, read = _READERS[key]
            getattr(declared, part)[name] = read(value, where)


def _flagged(name: str, value: Any, otherwise: str) -> str:
    return str(_checked(name, value is True, otherwise))


def _power_cuts(entry: Any, where: str) -> list[float]:
    bounds = entry.get("bounds")
    holds = _numbers([entry["power"]]) and _numbers(bounds) and len(bounds) == 2 and "edges" not in entry
    power = _checked(entry["power"], holds, f"{where}: power must be a number, with bounds and without edges")
    low, high = bounds
    return even_cuts(low, high, power, where)


def _bounds(value: Any, where: str) -> tuple[float, float]:
    holds = _numbers(value) and len(value) == 2
    low, high = _checked(value, holds, f"{where}: bounds must be two numbers, such as [0, 120]")
    return float(low), float(high)


def _edges(value: Any, where: str) -> list[float]:
    return [float(e) for e in _checked(value, _numbers(value), f"{where}: edges must be numbers, such as [18, 65]")]


def _entity(value: Any, where: str) -> str:
    otherwise = f"{where}: entity must be a word of the vocabulary, such as AGE"
    return str(_checked(value, isinstance(value, str), otherwise))


def _decimals(value: Any, where: str) -> int:
    holds = type(value) is int and 0 <= value <= 9
    return int(_checked(value, holds, f"{where}: decimals must be a number from 0 to 9"))


def _categories(value: Any, where: str) -> list[str]:
    holds = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return list(_checked(value, holds, f'{where}: categories must be texts, such as ["a", "b"]'))


_READERS: Final[dict[str, tuple[str, Callable[[Any, str], Any]]]] = {
    "bounds": ("bounds", _bounds),
    "edges": ("cuts", _edges),
    "entity": ("entities", _entity),
    "decimals": ("decimals", _decimals),
    "categories": ("categories", _categories),
}
"""For each key the part of the declaration, and how its value is read."""


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in value)


def _checked(value: Any, holds: bool, otherwise: str) -> Any:
    if not holds:
        raise UsageError(otherwise)
    return value
