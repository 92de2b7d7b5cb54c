"""Hierarchies given in files, one for each column, in ARX's form (Prasser et al., *Flexible data anonymization using
ARX*, 2020).

A file has no header and a line for each value: the value, then its label at level 1, 2, … An empty first cell is the
empty cell.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy, Label
from piiscan.core.errors import UsageError
from piiscan.core.whole_file import write_whole

SPECS: Final = "hierarchies.toml"
_SEPARATORS: Final = ";\t|,"
"""In the order in which they are believed: commas stand inside labels such as `[20, 25)` more often than the others
do."""


def load(folder: Path, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """The hierarchies of some columns, each in a file `<column>.csv` or `<anything>_hierarchy_<column>.csv`; other
    files aren't opened.

    UTF-8, with or without a byte order mark, cells separated by semicolons, tabs, bars or commas. Raises `UsageError`,
    which names the file, for a column without a file or with several, and for a file that can't be read or holds no
    hierarchy.
    """
    try:
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise UsageError(f"{folder}: no readable folder of hierarchies: {error.strerror}") from None
    return {column: _read(folder / _name(folder, names, column), column) for column in columns}


def available(folder: Path, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """As `load`, for those of the columns that have a file."""
    try:
        names = [path.name for path in folder.iterdir() if path.is_file()]
    except OSError as error:
        raise UsageError(f"{folder}: no readable folder of hierarchies: {error.strerror}") from None
    return load(folder, [column for column in columns if any(_is_of(name, column) for name in names)])


def specs(folder: Path, columns: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """How those of the columns are built that `hierarchies.toml` in the folder has a table for: `[age]`, `kind =
    "intervals"`, `widths = [10, 20]`.

    Raises `UsageError` for a file that can't be read, and for a table of another column.
    """
    file = folder / SPECS
    if not file.exists():
        return {}
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: can't be read as TOML ({type(error).__name__})") from None
    for column, spec in found.items():
        if column not in columns or not isinstance(spec, dict):
            raise UsageError(f"{file}: [{column}] is no table of a quasi-identifier; there are {', '.join(columns)}")
    return found


def from_mapping(column: str, labels: Mapping[Label, Sequence[Label]]) -> Hierarchy:
    """The hierarchy of values and their labels at level 1, 2, …: `{"Masters": ["Graduate", "Higher"]}`. None is the
    empty cell."""
    return Hierarchy.of(column, [(value, *levels) for value, levels in labels.items()])


def save(folder: Path, hierarchies: Mapping[str, Hierarchy]) -> None:
    """Write each hierarchy to `<column>.csv`, to be read, edited and given back to `load`. Files of these names are
    replaced.

    A file holds every value of its column, and only its owner can read it. Each appears whole or not at all. Raises
    `UsageError` where a column's name can't be a file's, and where writing fails.
    """
    for column, hierarchy in hierarchies.items():
        if not column or column in (".", "..") or {"/", "\\", "\0"} & set(column):
            raise UsageError(
                f"the hierarchy of column {column!r} can't be written: its name can't be a file's; rename the column"
            )
        rows = zip(
            *([names[i] for i in of] for names, of in zip(hierarchy.labels, hierarchy.groups, strict=True)), strict=True
        )
        text = StringIO(newline="")
        csv.writer(text, delimiter=_SEPARATORS[0]).writerows(rows)
        _write(folder / f"{column}.csv", text.getvalue())


def _is_of(name: str, column: str) -> bool:
    return name == f"{column}.csv" or name.endswith(f"_hierarchy_{column}.csv")


def _name(folder: Path, names: Sequence[str], column: str) -> str:
    found = [name for name in names if _is_of(name, column)]
    if not found:
        raise UsageError(
            f"{folder}: no hierarchy for column {column}; add a file {column}.csv without a header, in each "
            "line a value of the column and "
            "then its labels, from the finest to *"
        )
    if len(found) > 1:
        raise UsageError(
            f"{folder}: {len(found)} hierarchies for column {column}: {', '.join(found)}; leave one of them"
        )
    return found[0]


def _read(path: Path, column: str) -> Hierarchy:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            text = stream.read()
        rows = _rows(text)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: no readable hierarchy: it isn't UTF-8; save it as such") from None
    except OSError as error:
        raise UsageError(f"{path}: no readable hierarchy: {error.strerror}") from None
    except csv.Error:  # its message may quote
        raise UsageError(
            f"{path}: no readable hierarchy: a quote that isn't closed, or a cell too long; write it as CSV"
        ) from None
    try:
        return Hierarchy.of(column, rows)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _rows(text: str) -> list[list[str]]:
    """The rows by the first separator that gives all of them the same number of cells above one, else by the one
    that gives the most cells."""
    readings = []
    for separator in _SEPARATORS:
        try:
            rows = [row for row in csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True) if row]
        except csv.Error:  # as quotes are to a wrong separator
            continue
        if len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
            readings = [rows]
            break
        readings.append(rows)
    if not readings:
        raise csv.Error
    return max(readings, key=lambda rows: sum(map(len, rows)))


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode(), private=True)
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None
