"""Tables in JSON that are written column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from piiscan.io.cells.nested_values import MANY, is_map
from piiscan.io.delimited.whole_values import is_named

KEY: Final = "(key)"
"""The column of the keys under which rows stand."""


def is_by_column(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a table column by column.

    Its members are the columns, each an object of plain values under the numbers of rows, which are the same in all, as
    pandas' `to_json` writes; or, of two columns or more, each a list of as many plain values as the others have, and of
    a single one where a name is one that columns have. Names of such objects aren't values themselves, such as
    addresses.
    """
    columns = list(value.values())
    if not columns or not columns[0]:
        return False
    if all(isinstance(column, list) for column in columns):
        heights = set(map(len, columns))
        is_table = len(columns) > 1 and len(heights) == 1 and all(map(_are_plain, columns))
        return is_table and (heights != {1} or any(map(is_named, value)))
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
