"""Tables in JSON that are written column by column, and the names of columns that stand apart from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from piiscan.core.header_words import tokens
from piiscan.io.cells.attribute_names import NAMES_OF_VALUES
from piiscan.io.cells.nested_values import MANY, is_map

KEY: Final = "(key)"
"""The column of the keys under which rows stand."""
_HEADS: Final = frozenset("columns column_names columnnames cols fields header headers names".split())
"""Under what names of columns stand beside their rows, in small letters."""
_NAMES: Final = ("name", "label", "title", "headername", "columnname", "column_name", "fieldname", "field", "id")
"""What descriptions of columns call their names, in small letters."""
_DEEPEST: Final = 4
"""Levels of a document in which descriptions of columns are looked for."""
_BESIDE_CELLS: Final = 2
"""Members of an object that is a row: its cells, and something beside them."""


def is_by_column(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a table column by column.

    Its members are the columns, each an object of plain values under the numbers of rows, which are the same in all, as
    pandas' `to_json` writes; or, of two columns or more, each a list of as many plain values as the others have. Names
    of such objects aren't values themselves, such as addresses.
    """
    columns = list(value.values())
    if not columns or not columns[0]:
        return False
    if all(isinstance(column, list) for column in columns):
        heights = set(map(len, columns))
        return len(columns) > 1 and len(heights) == 1 and heights != {1} and all(map(_are_plain, columns))
    return all(isinstance(column, dict) for column in columns) and _are_under_numbers(value)


def _are_under_numbers(columns: Mapping[str, dict[str, Any]]) -> bool:
    keys = list(next(iter(columns.values())))
    names_are_values = is_map(dict(islice(columns.items(), MANY)))
    if not all(map(str.isdecimal, keys)) or names_are_values or KEY in columns:
        return False
    return all(list(column) == keys and _are_plain(column.values()) for column in columns.values())


def by_column(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that holds a table column by column.

    >>> by_column({"name": {"0": "Ann", "1": "Bob"}, "age": {"0": 31, "1": 42}})
    [{'name': 'Ann', 'age': 31, '(key)': '0'}, {'name': 'Bob', 'age': 42, '(key)': '1'}]
    >>> by_column({"name": ["Ann", "Bob"], "age": [31, 42]})
    [{'name': 'Ann', 'age': 31}, {'name': 'Bob', 'age': 42}]
    """
    first = next(iter(columns.values()))
    if isinstance(first, list):
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [{**{name: column[key] for name, column in columns.items()}, KEY: key} for key in first]


def _holds(value: Any) -> bool:
    return isinstance(value, list | dict)


def _are_plain(values: Iterable[Any]) -> bool:
    return not any(map(_holds, values))


def names_beside(document: Any, around: Mapping[str, Any], width: int) -> tuple[str, ...]:
    """The names of the columns of rows that are lists of `width` cells at most; none where nothing says them.

    `around`: the object that holds the rows. Names stand there under "columns" or a word like it; or somewhere in the
    document there is one list of `width` descriptions of columns, each with a name: `{"name": "age", "type": "int"}`.
    """
    lists = [v for key, v in around.items() if key.lower() in _HEADS and isinstance(v, list) and len(v) == width]
    for found in lists:
        if len({text for text in found if isinstance(text, str) and text}) == width:
            return tuple(found)
    described = set(_described(document, width, 0))
    return described.pop() if len(described) == 1 else ()


def _described(value: Any, width: int, depth: int) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        if depth < _DEEPEST:
            for inner in value.values():
                yield from _described(inner, width, depth + 1)
    elif isinstance(value, list) and len(value) == width and all(isinstance(entry, dict) for entry in value):
        entries = [{key.lower(): text for key, text in entry.items()} for entry in value]
        for key in _NAMES:
            names = [name for entry in entries if isinstance(name := entry.get(key), str) and name]
            if len(set(names)) == len(names) == width:
                yield tuple(names)
                return


def row_key(values: Sequence[Any]) -> str | None:
    """Under which key each of some objects has the cells of a row; None where they have none.

    Cells are values, or objects with a value: `{"f": [{"v": "Ann"}, {"v": 31}]}`, as BigQuery, Athena and Google's
    charts write rows.
    """
    if not values or not all(isinstance(value, dict) and len(value) <= _BESIDE_CELLS for value in values):
        return None
    return next((key for key in values[0] if _are_rows([value.get(key) for value in values])), None)


def _are_rows(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, list) and row and all(map(_is_cell, row)) for row in rows) and (
        len(set(map(len, rows))) == 1 or all(isinstance(cell, dict) for row in rows for cell in row if cell is not None)
    )


def _is_cell(value: Any) -> bool:
    """Whether an element of a row is a cell, by itself or as an object has one: `{"v": 0.5, "f": "50 %"}`."""
    return not value or _value_of(value) is not None if isinstance(value, dict) else not isinstance(value, list)


def _value_of(cell: Mapping[str, Any]) -> str | None:
    """The key of the value in an object that is a cell."""
    return next((key for key in cell if (words := tokens(key)) and words[-1] in NAMES_OF_VALUES), None)


def head_row(row: Sequence[Any], names: Sequence[str]) -> bool:
    """Whether a row of cells holds nothing but the names of their columns."""
    values = [cell.get(_value_of(cell) or "") if isinstance(cell, dict) else cell for cell in row]
    return values == list(names)


def is_list_of_rows(values: Sequence[Any]) -> bool:
    """Whether a list holds nothing but lists."""
    return all(isinstance(value, list) for value in values)
