"""Hierarchies in files, one for each column, in ARX's form.

See Prasser et al., *Flexible data anonymization using ARX*, 2020. A file has no header and one line for each value:
the value, then its label at level 1, 2, … An empty first cell is the empty cell.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Final

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy, Label
from piiscan.core.errors import UsageError, WriteError
from piiscan.core.whole_file import write_whole

SPECS: Final = "hierarchies.toml"
_SEPARATORS: Final = ";\t|,"
"""In order of preference: commas occur inside labels such as `[20, 25)` more often than the others do."""


def load(folder: Path, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """Load the hierarchies of some columns from a folder.

    Each is in a file `<column>.csv` or `<anything>_hierarchy_<column>.csv`; other files aren't opened. Files are
    UTF-8, with or without a byte order mark, with cells separated by semicolons, tabs, vertical bars or commas. Raises
    `UsageError`, naming the file, if a column has no file or several, or if a file can't be read or contains no
    hierarchy.
    """
    try:
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise UsageError(f"{folder}: can't read this folder of hierarchies: {error.strerror}") from None
    return {column: _read(folder / _name(folder, names, column), column) for column in columns}


def available(folder: Path, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """Load the hierarchies of the columns that have a file; otherwise like `load`."""
    try:
        names = [path.name for path in folder.iterdir() if path.is_file()]
    except OSError as error:
        raise UsageError(f"{folder}: can't read this folder of hierarchies: {error.strerror}") from None
    return load(folder, [column for column in columns if any(_is_of(name, column) for name in names)])


def specs(folder: Path, columns: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the specs of the columns that have a table in the folder's `hierarchies.toml`.

    A table looks like `[age]`, `kind = "intervals"`, `widths = [10, 20]`. Raises `UsageError` for a file that can't
    be read, and for a table of another column.
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
            raise UsageError(
                f"{file}: [{column}] isn't the name of a quasi-identifier; choose one of {', '.join(columns)}"
            )
    return found


def from_mapping(column: str, labels: Mapping[Label, Sequence[Label]]) -> Hierarchy:
    """Build a hierarchy from a mapping of values to their labels, level by level.

    Example: `{"Masters": ["Graduate", "Higher"]}`. None is the empty cell.
    """
    return Hierarchy.of(column, [(value, *levels) for value, levels in labels.items()])


def save(folder: Path, hierarchies: Mapping[str, Hierarchy]) -> None:
    """Write each hierarchy to `<column>.csv`, for you to read, edit and pass back to `load`.

    Existing files of these names are replaced. A file contains every value of its column, and only its owner can read
    it.
    Each appears whole or not at all. Raises `UsageError` if a column's name can't be used as a file name, and
    `WriteError` if writing fails.
    """
    for column, hierarchy in hierarchies.items():
        if not column or column in (".", "..") or {"/", "\\", "\0"} & set(column):
            raise UsageError(
                f"the hierarchy of column {column!r} can't be written: this name can't be used for a file; rename "
                "the column"
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
            f"{folder}: no hierarchy for column {column}; add a file {column}.csv without a header, with one line "
            "for each value of the column: the value and then its labels, from the finest to *"
        )
    if len(found) > 1:
        raise UsageError(
            f"{folder}: {len(found)} hierarchies for column {column}: {', '.join(found)}; keep one of them"
        )
    return found[0]


def _read(path: Path, column: str) -> Hierarchy:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            text = stream.read()
        rows = _rows(text)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: can't be read as a hierarchy: it isn't UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"{path}: can't be read: {error.strerror}") from None
    except csv.Error:  # its message may quote
        raise UsageError(
            f"{path}: can't be read as a hierarchy: a quote isn't closed, or a cell is too long; write the file as CSV"
        ) from None
    try:
        return Hierarchy.of(column, rows)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _rows(text: str) -> list[list[str]]:
    """Return the rows, split by the first separator that gives all of them the same number of cells, at least two.

    If there is none, the separator that gives the most cells is used.
    """
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
        raise WriteError(f"{path}: can't be written: {error.strerror}") from None
