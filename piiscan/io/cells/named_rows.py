"""Tables in JSON whose rows are lists: their columns are named beside them, in their first row, or not at all.

`named` and `placed` show rows within other values as objects, so that all that is true of objects in lists is true of
them. Every reader and writer asks them at each object and list on its way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from piiscan.core.header_words import tokens
from piiscan.io.cells.attribute_names import NAMES_OF_VALUES, entity_of

_HEADS: Final = frozenset("columns column_names columnnames cols fields header headers names".split())
"""Under what names of columns stand beside their rows, in small letters."""
_NAMES: Final = ("name", "label", "title", "headername", "columnname", "column_name", "fieldname", "field", "id")
"""What descriptions of columns call their names, in small letters."""
_DEEPEST: Final = 4
"""Levels of a document in which rows and descriptions of columns are looked for."""
_LEVELS: Final = 4 * _DEEPEST
"""Levels below an object within which everything is that is shown otherwise in it."""
_BESIDE_CELLS: Final = 1
"""Plain members of an object that is a row, beside its cells."""
_WIDEST: Final = 50
"""Cells of rows whose columns have no names."""
_MOST: Final = 50
"""Lists of an object of which it is asked what names their columns."""

_NESTED: Final = frozenset((list, dict))
_Keys = tuple[str, ...]


class Place(str):
    """The key of a cell in a list: others would take its place if it went."""

    __slots__ = ()


class Cells(dict[str, Any]):
    """The cells of a list by the names or the places of their columns; it is never a map."""


class Head:
    """The name of a column, where it stands as a value: it is no cell."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __str__(self) -> str:
        return self.value


class _Names(NamedTuple):
    """Names of columns, and at which keys of a document the list with them is.

    `keys`: where its elements are descriptions, the key of the name in each.
    """

    names: _Keys
    path: _Keys
    keys: _Keys = ()


def named(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object with rows in it as objects, where it has names of their columns, too; else itself.

    >>> named({"columns": ["name", "age"], "values": [["Ann", 31]]})["values"]
    [{'name': 'Ann', 'age': 31}]
    >>> named({"schema": {"fields": [{"name": "name"}]}, "rows": [{"f": [{"v": "Ann"}]}]})["rows"]
    [{'f': {'name': {'v': 'Ann'}}}]
    """
    if type(record) is Cells or _NESTED.isdisjoint(map(type, record.values())):
        return record
    found = _Lists([], [])
    _look(record, (), found)
    if not found.rows or not found.names:
        return record
    out = record
    for path, around, values in found.rows[:_MOST]:
        beside = [lists for lists in found.names if lists[0] != path]
        for key in _keys_of_rows(values):
            if (shown := _by_names(values, key, around, beside)) is not None:
                values, heads = shown
                out = _with(out, path, values)
                for head in heads:
                    out = _with(out, head.path, _hidden_heads(record, head))
    return out


def _by_names(
    values: list[Any], key: str, around: Mapping[str, Any], beside: Sequence[_List]
) -> tuple[Any, list[_Names]] | None:
    """A list in an object as its rows are by names in the object, or as its columns are; and these names."""
    rows = _rows(values, key)
    by_row, by_column = (
        [found for found in _names_of(count, around, beside) if _are_names(found.names)]
        for count in (max(map(len, rows)), len(rows))
    )
    if by_column and not key and are_columns(rows, True, bool(by_row)):
        shown = Cells(zip(map(Place, by_column[0].names), rows, strict=True))
        return shown, by_column if all(map(_has_value, rows)) else []
    if not by_row:
        return None
    names = by_row[0].names
    shown_rows = _shown(values, rows, key, names, head_row(rows[0], names))
    return shown_rows, by_row if len(_filled(rows)) == len(names) else []


def are_columns(lists: Sequence[Sequence[Any]], has_names: bool = False, may_be_rows: bool = True) -> bool:
    """Whether lists are rather columns than rows: more of their values are alike, and the first is no header.

    `has_names`: there is a name for each; without, one below the first has words. `may_be_rows`: there may be a name
    for each place in them, too.

    >>> are_columns([[31, 42], ["Ann", "Bob"]]), are_columns([["Ann", 31], ["Bob", 42]])
    (True, False)
    """
    height = len(lists[0]) if lists else 0
    if len(set(map(len, lists))) > 1 or (all(isinstance(cell, str) for cell in lists[0]) and _are_names(lists[0])):
        return False
    if has_names and not may_be_rows and height == 1:
        return True
    if min(len(lists), height) < 2 or not (has_names or (len(lists) <= _WIDEST and _have_words(lists[1:]))):
        return False
    if not has_names and _are_names(_labels(lists)):
        return False
    return _alike(lists) - _alike([*zip(*lists, strict=True)]) >= int(may_be_rows)


def _labels(lists: Sequence[Sequence[Any]]) -> list[str]:
    """The first values of lists, if all are texts."""
    firsts = [values[0] for values in lists if isinstance(values[0], str) and values[0]]
    return firsts if len(firsts) == len(lists) else []


def _have_words(lists: Sequence[Sequence[Any]]) -> bool:
    return any(_most([*map(_kind, values)])[0] in ("a", "@") for values in lists)


def _alike(lists: Sequence[Sequence[Any]]) -> int:
    """How many values are of the kind that most of their list are."""
    return sum(_most([*map(_kind, values)])[1] for values in lists)


def _most(kinds: Sequence[str]) -> tuple[str, int]:
    return max(Counter(filter(None, kinds)).items(), key=lambda item: item[1], default=("", 0))


def _kind(value: Any) -> str:
    if not isinstance(value, str):
        return "" if value is None else type(value).__name__
    return "@" if "@" in value else "9" if any(map(str.isdigit, value)) else "a"


def placed(values: Sequence[Any]) -> Any:
    """A list with rows in it as objects, by the names in its first one or by their places; else itself.

    Lists that are rather columns are one object.

    >>> placed([["name", "age"], ["Ann", 31]])[1], placed([["Ann", 31], ["Bob", 42]])[0]
    ({'name': 'Ann', 'age': 31}, {'(0)': 'Ann', '(1)': 31})
    """
    for key in _keys_of_rows(values)[:1]:
        rows = _rows(values, key)
        width = max(map(len, rows))
        first = [text for cell in rows[0] if isinstance(text := _text_in(cell), str) and text]
        if len(rows) > 1 and len(set(first)) == len(first) == len(rows[0]) == width and _is_header(first, rows[1]):
            return _shown(values, rows, key, first, has_head=True)
        if not key and width > 1 and not _are_numbers(rows):
            return _by_place(values, width)
    return values


def _by_place(rows: Sequence[Sequence[Any]], width: int) -> Any:
    """Lists without a header as columns, by their first values if these name them, or as rows; else themselves."""
    full = sum(len(row) == width for row in rows)
    if full == len(rows):
        if are_columns(rows):
            return Cells((Place(f"({i})"), column) for i, column in enumerate(rows))
        labels = _labels(rows)
        if len(set(labels)) == len(rows) and _is_header(labels, [row[1] for row in rows]):
            return Cells((Place(name), [Head(name), *row[1:]]) for name, row in zip(labels, rows, strict=True))
    if 2 * full <= len(rows) or width > _WIDEST:
        return rows
    return _shown(rows, rows, "", [f"({i})" for i in range(width)], has_head=False)


def as_read(value: Any, levels: int = _LEVELS) -> Any:
    """A value without what shows rows in it as objects, all of which is on its first levels."""
    if type(value) is Head:
        return value.value
    if type(value) not in (Cells, dict, list) or not levels:
        return value
    if type(value) is dict:
        return {key: as_read(inner, levels - 1) for key, inner in value.items()}
    return [as_read(inner, levels - 1) for inner in (value if type(value) is list else value.values())]


_List = tuple[_Keys, Mapping[str, Any], list[Any]]
"""A list in an object: its path, the object that it is a member of, and the list itself."""


class _Lists(NamedTuple):
    """Lists in an object that may be of rows, and those that may name columns."""

    rows: list[_List]
    names: list[_List]


def _look(value: Mapping[str, Any], path: _Keys, found: _Lists) -> None:
    for key, inner in value.items():
        if type(inner) is dict:
            if len(path) < _DEEPEST:
                _look(inner, (*path, key), found)
        elif type(inner) is list and inner:
            first = inner[0]
            if type(first) is list or (type(first) is dict and _may_be_row(first)):
                found.rows.append(((*path, key), value, inner))
            if _may_be_heads(key, inner) or (type(first) is dict and any(name.lower() in _NAMES for name in first)):
                found.names.append(((*path, key), value, inner))


def _may_be_heads(key: str, value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], str) and key.lower() in _HEADS


def _keys_of_rows(values: Sequence[Any]) -> list[str]:
    """Under which keys the elements of a list have cells of rows, "" where they are rows themselves."""
    if type(values) is not list or not values:
        return []
    if type(values[0]) is list:
        return [""] if is_list_of_rows(values) and any(values) else []
    return row_keys(values) if type(values[0]) is dict else []


def _rows(values: Sequence[Any], key: str) -> list[Sequence[Any]]:
    return [value[key] for value in values] if key else list(values)


def _shown(
    values: Sequence[Any], rows: Sequence[Sequence[Any]], key: str, names: Sequence[str], has_head: bool
) -> list[Any]:
    """A list whose elements are rows, or have rows under a key, as objects; `has_head`: the first one has the names."""
    keys = [Place(name) for name in names]
    cells = [Cells(zip(keys, row, strict=False)) for row in rows]
    for i in _filled(rows[1:]) if has_head else ():
        cells[0][names[i]] = _hidden(rows[0][i], names[i])
    return [{**value, key: row} for value, row in zip(values, cells, strict=True)] if key else cells


def _hidden(value: Any, name: str, levels: int = _DEEPEST) -> Any:
    """A value without what names a column."""
    if isinstance(value, dict) and levels:
        return {key: _hidden(inner, name, levels - 1) for key, inner in value.items()}
    return Head(value) if value == name else value


def are_heads(value: Any) -> bool:
    """Whether a value is a list of names of columns beside their rows."""
    return type(value) is list and bool(value) and type(value[0]) is Head


def _hidden_heads(record: Mapping[str, Any], found: _Names) -> list[Any]:
    held: Any = record
    for key in found.path:
        held = held[key]
    if not found.keys:
        return [Head(name) for name in held]
    return [{**entry, key: Head(entry[key])} for entry, key in zip(held, found.keys, strict=True)]


def _with(record: Any, path: _Keys, value: Any) -> Any:
    """A copy of an object with another value at a path."""
    return {**record, path[0]: _with(record[path[0]], path[1:], value)} if path else value


def _filled(rows: Sequence[Sequence[Any]]) -> set[int]:
    """Which columns have a value, if it is null: names of others are in no report."""
    return {i for row in rows for i, cell in enumerate(row) if _has_value(cell)}


def _has_value(cell: Any, levels: int = _DEEPEST) -> bool:
    if not _holds(cell):
        return True
    return bool(levels) and any(_has_value(v, levels - 1) for v in (cell if isinstance(cell, list) else cell.values()))


def _are_numbers(rows: Sequence[Sequence[Any]]) -> bool:
    return all(isinstance(cell, int | float) for row in rows for cell in row)


def _is_header(first: Sequence[str], second: Sequence[Any]) -> bool:
    below = [text for cell in second if isinstance(text := _text_in(cell), str)]
    return _are_names(first) and not (below and _are_names(below)) and any(map(entity_of, first))


def _are_names(texts: Sequence[str]) -> bool:
    """Whether texts may name columns: words that head columns are in most of them, and no given names in others."""
    from piiscan.detection.matching.identifiers_in_names import is_given
    from piiscan.rules.rule_sets import shipped

    known = shipped().rules.words_of_headers
    others = [tokens(text) for text in texts if "@" in text or known.isdisjoint(tokens(text))]
    return 2 * len(others) < len(texts) and not any(map(is_given, chain.from_iterable(others)))


def names_beside(document: Any, around: Mapping[str, Any], width: int, rows: Sequence[Any]) -> _Keys:
    """The names of the columns of rows that are lists of `width` cells at most; none where nothing says them.

    `around`: the object that holds the `rows`, which don't name themselves. Names stand there under "columns" or a word
    like it; or somewhere in the document there is one list of `width` descriptions of columns, each with a name:
    `{"name": "age", "type": "int"}`.
    """
    lists = _Lists([], [])
    _look(document, (), lists)
    heads = [((key,), around, held) for key, held in around.items() if _may_be_heads(key, held)]
    found = _names_of(width, around, [lists for lists in (*heads, *lists.names) if lists[2] is not rows])
    return found[0].names if found else ()


def _names_of(width: int, around: Mapping[str, Any], beside: Iterable[_List]) -> list[_Names]:
    """As `names_beside`; the same names may be in several places."""
    described: list[_Names] = []
    for path, holder, held in beside:
        if len(held) != width:
            continue
        if isinstance(held[0], str):
            if holder is around and _are_distinct(held):
                return [_Names(tuple(map(str, held)), path)]
        elif (found := _described(held)) is not None:
            described.append(found._replace(path=path))
    return described if len({found.names for found in described}) == 1 else []


def _described(held: Sequence[Any]) -> _Names | None:
    if not all(isinstance(entry, dict) for entry in held):
        return None
    entries = [{key.lower(): key for key in entry} for entry in held]
    for name in _NAMES:
        keys = tuple(entry[name] for entry in entries if name in entry)
        if len(keys) == len(held) and _are_distinct(texts := [e[key] for e, key in zip(held, keys, strict=True)]):
            return _Names(tuple(map(str, texts)), (), keys)
    return None


def _are_distinct(texts: Sequence[Any]) -> bool:
    return len({text for text in texts if isinstance(text, str) and text}) == len(texts)


def row_keys(values: Sequence[Any]) -> list[str]:
    """Under which keys each of some objects has cells of a row.

    Cells are values, or objects with a value: `{"f": [{"v": "Ann"}, {"v": 31}]}`, as BigQuery, Athena and Google's
    charts write rows.
    """
    if not values or not all(isinstance(value, dict) and _may_be_row(value) for value in values):
        return []
    return [key for key in values[0] if _are_rows([value.get(key) for value in values])]


def _may_be_row(value: Mapping[str, Any]) -> bool:
    others, has_list = 0, False
    for inner in value.values():
        if isinstance(inner, list):
            has_list = True
        elif not isinstance(inner, dict):
            others += 1
            if others > _BESIDE_CELLS:
                return False
    return has_list


def _holds(value: Any) -> bool:
    return isinstance(value, list | dict)


def _are_rows(rows: Sequence[Any]) -> bool:
    if not all(isinstance(row, list) and row for row in rows):
        return False
    cells = [cell for row in rows for cell in row if cell is not None]
    if all(isinstance(cell, dict) for cell in cells):
        return any(cells) and all(map(_is_cell, cells))
    return len(set(map(len, rows))) == 1 and not all(map(_holds, cells))


def _is_cell(value: Mapping[str, Any]) -> bool:
    """Whether an object has the cell of a row, and perhaps something beside it: `{"v": 0.5, "f": "50 %"}`."""
    return not value or any(map(is_of_value, value))


def is_of_value(key: str) -> bool:
    """Whether a key in a cell is a word for its value."""
    words = tokens(key)
    return bool(words) and words[-1] in NAMES_OF_VALUES


def _text_in(cell: Any) -> Any:
    """What a cell says, if it is an object in the text of its value."""
    if not isinstance(cell, dict):
        return cell
    return next((value for key, value in cell.items() if is_of_value(key) and isinstance(value, str)), None)


def head_row(row: Sequence[Any], names: Sequence[str]) -> bool:
    """Whether a row of cells holds nothing but the names of their columns."""
    return [*map(_text_in, row)] == list(names)


def is_list_of_rows(values: Sequence[Any]) -> bool:
    """Whether a list holds nothing but lists."""
    return all(isinstance(value, list) for value in values)
