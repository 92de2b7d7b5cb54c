"""Changes within a cell that holds other values: the walk of `nested.leaves`, with new values by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from piiscan.io.cells.named_rows import Cells, Head, as_read, named, placed
from piiscan.io.cells.nested_values import DEEPEST, EACH, KEY, REST, entry, is_map, path_of, step
from piiscan.io.cells.plain import LISTS, text_of

New = dict[str, Any]
"""What is new within one cell: by the path in it, the list of all new values there (one where it has none); None:
each becomes null."""


@dataclass(frozen=True)
class Within:
    """The paths within the cells of a column: those that are `known`, and the `dropped` ones among them."""

    known: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()

    def column(self, name: str) -> str | None:
        """The derived column for what is at a path ("[]" may be the own column's); None: there is none."""
        if name in self.known or name == EACH:
            return name
        return REST if REST in self.known else None


class Supply:
    """The new values of one cell, handed out in the order of its walk."""

    def __init__(self, new: Mapping[str, Any], within: Within) -> None:
        self._new: dict[str, Iterator[Any] | None] = {
            name: None if values is None else iter(values if isinstance(values, list) else [values])
            for name, values in new.items()
        }
        self._within = within

    def drops(self, name: str) -> bool:
        return self._within.column(name) in self._within.dropped

    def stays(self, name: str, old: Any) -> bool:
        """Whether what is at a path is no cell, or one without a change."""
        return self._within.column(name) not in self._new or (
            old is None and name not in self._within.known and name != EACH
        )

    def next(self, name: str) -> Any:
        """The new value of the next cell at a path that doesn't stay.

        Raises StopIteration where there are fewer than cells.
        """
        values = self._new[self._within.column(name) or ""]
        return None if values is None else next(values)


def rebuilt(
    value: Any, supply: Supply, typed: Callable[[Any, Any], Any], maps: bool, at: str = "", depth: int = 0
) -> Any:
    """A value of Python with new ones inside.

    `typed` makes of an old value and the text of the new one what is written; `maps` as in `nested.leaves`. What is
    dropped becomes null, since a schema requires a value.
    """
    if maps and type(value) is list and depth < DEEPEST:
        value = placed(value)
    if type(value) in (dict, Cells) and value and depth < DEEPEST:
        return _members(value, supply, typed, maps, at, depth)
    if type(value) in LISTS and (depth < DEEPEST or not value):
        return [
            rebuilt(element, supply, typed, maps, at if type(element) in LISTS else at + EACH, depth + 1)
            for element in value
        ]
    if type(value) is Head or (type(value) in (dict, Cells) and not value):
        return as_read(value)
    if supply.drops(at):
        return None
    if supply.stays(at, value):
        return as_read(value)
    cell = supply.next(at)
    return value if cell == text_of(value) else typed(value, cell)


def _members(
    value: dict[Any, Any], supply: Supply, typed: Callable[[Any, Any], Any], maps: bool, at: str, depth: int
) -> Any:
    """The members of an object, or of a row that is shown as one, with new values inside."""
    if type(value) is Cells:
        return [rebuilt(inner, supply, typed, maps, step(at, key), depth + 1) for key, inner in value.items()]
    out: dict[Any, Any] = {}
    is_a_map = maps and is_map(value)
    held = named(value) if maps and not is_a_map else value
    for n, (key, inner) in enumerate(held.items()):
        path = entry(at, inner) if is_a_map else path_of(at, held, key) if maps else step(at, key)
        if is_a_map:
            key = new_key(key, n, supply, at)
        out[key] = rebuilt(inner, supply, typed, maps, path, depth + 1)
    return out


def is_leaf(value: Any, depth: int) -> bool:
    """Whether a value is a cell of its own: no object and no list, or one too deep to be looked into."""
    if type(value) in (dict, Cells) or type(value) in LISTS:
        return bool(value) and depth >= DEEPEST
    return True


def new_key(key: str, n: int, supply: Supply, at: str) -> str:
    """The key of a map's entry number `n`: a number where the keys are dropped or taken away."""
    if supply.drops(at + KEY):
        return str(n)
    if supply.stays(at + KEY, key):
        return key
    new = supply.next(at + KEY)
    return str(n) if new is None else str(new)


def value_at(record: Mapping[str, Any], path: Sequence[str]) -> Any:
    """The value at a path of a record; None where it has none there, as `records.flatten` has it."""
    value: Any = record
    for key in path:
        if type(value) not in (dict, Cells) or (value is not record and is_map(value)):
            return None
        value = named(value).get(key)
    return None if type(value) is dict and not is_map(value) else value


def with_new(old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    """The values of a cell with the new ones: element by element where it is a list, else the first takes it all."""
    leaves = list(_leaves(old))
    if not isinstance(new, list) or len(new) != len(leaves):
        new = [only(new), *[None] * (len(leaves) - 1)]
    return zip(leaves, new, strict=True)


def only(new: Any) -> Any:
    """The one cell of a list of one: in a column with lists, a single value is read as such a list."""
    return new[0] if isinstance(new, list) and len(new) == 1 else new


def _leaves(value: Any) -> Iterator[Any]:
    """The values in a cell that may be a list, as `plain.texts_of` has them."""
    if type(value) not in LISTS:
        yield value
        return
    for element in value:
        yield from _leaves(element)
