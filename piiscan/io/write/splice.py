"""JSON text with some of its values replaced; every other byte stays."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.cells.named_rows import Cells, Head, are_heads, named, placed
from piiscan.io.cells.nested_values import DEEPEST, EACH, entry, is_container, is_map, path_of, step
from piiscan.io.cells.plain import text_of, texts_of
from piiscan.io.nested.json_files import DECODER
from piiscan.io.nested.printed_values import Child as Child
from piiscan.io.nested.printed_values import Held, Notation
from piiscan.io.nested.records import UNNAMED, VALUE
from piiscan.io.write.change import CHANGED
from piiscan.io.write.edits import Edit, Path, PathPlan
from piiscan.io.write.within import Supply, Within, is_leaf, new_key, only

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def children(text: str, at: int, names: Sequence[str] | None = None) -> list[Child]:
    """What the object or array at `at` holds.

    `names`: the keys that an array's elements stand for. Raises `ReadError` for keys that repeat.
    """
    held = _held(text, at, names).members
    if text[at] == "{" and len({child.key for child in held}) < len(held):
        raise ReadError("an object in which a key repeats; write it once")
    return held


def _held(text: str, at: int, names: Sequence[str] | None = None) -> Held:
    is_object = text[at] == "{"
    found: list[Child] = []
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        begin, key = at, ""
        if is_object:
            key, at = DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # over the colon
        elif names is not None:
            key = names[len(found)] if len(found) < len(names) else ""
        value, end = DECODER.raw_decode(text, at)
        found.append(Child(key, begin, at, end, value))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Held(None, at + 1, found)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def joined(text: str, start: int, end: int, held: Sequence[Child], new: Sequence[str | None]) -> str:
    """An object or array in `start`:`end` with its children as `new`; None leaves one out."""
    if not held:
        return text[start:end]
    kept = [i for i, part in enumerate(new) if part is not None]
    out = [text[start : held[0].start]]
    for n, i in enumerate(kept):
        if n:
            out.append(text[held[i - 1].end : held[i].start])
        out.append(new[i] or "")
    out.append(text[held[-1].end : end])
    return "".join(out)


def record(
    text: str, at: int, end: int, value: Any, edit: Edit, plan: PathPlan, names: Sequence[str] | None = None
) -> str:
    """The record in `at`:`end` after an edit."""
    if edit.is_empty and not plan.drops:
        return text[at:end]
    if type(value) is dict or (names is not None and isinstance(value, list)):
        return _object(text, at, end, (), edit, plan, names)
    return cell(text, at, end, value, (VALUE,), edit, plan)


def cell(text: str, at: int, end: int, value: Any, path: Path, edit: Edit, plan: PathPlan) -> str:
    """The cell of a column of the table's own, with what is derived from it."""
    if is_container(value):
        new = {**edit.inside.get(path, {}), **({EACH: edit.cells[path]} if path in edit.cells else {})}
        return inside(text, at, end, value, new, plan.within.get(path, Within()))
    return replaced(text, at, end, value, edit.cells[path]) if path in edit.cells else text[at:end]


def inside(
    text: str,
    at: int,
    end: int,
    value: Any,
    new: Mapping[str, Any],
    within: Within,
    notation: Notation | None = None,
) -> str:
    """The object or list in `at`:`end` with new values inside. `notation`: how it is printed; None for JSON.

    Raises `ReadError` where there are more or fewer of them than cells.
    """
    if not new and not within.dropped:
        return text[at:end]
    notation = notation or JSON
    try:
        made = _Splicing(text, Supply(new, within), notation).inside(at, end, value)
        return made if notation.counted is None else notation.counted(made)
    except StopIteration:
        raise ReadError(CHANGED) from None


class _Splicing(NamedTuple):
    """A text of some notation, and the new values of an object or a list in it."""

    text: str
    supply: Supply
    notation: Notation

    def inside(self, at: int, end: int, value: Any, path: str = "", depth: int = 0, stays: bool = False) -> str:
        """As `within.rebuilt`. `stays`: what is dropped becomes null, since a list of its length is a column."""
        if type(value) is list and depth < DEEPEST:
            value = placed(value)
        if type(value) is Head or not (value or is_leaf(value, depth)):
            return self.text[at:end]
        if is_leaf(value, depth):
            if self.supply.stays(path, value):
                return self.text[at:end]
            cell = self.supply.next(path)
            return self.text[at:end] if cell == text_of(value) else _printed(_typed(value, cell), self.notation)
        return self._members(at, end, value, path, depth, stays)

    def _members(self, at: int, end: int, value: Any, path: str, depth: int, stays: bool) -> str:
        """What an object or a list holds, as `inside` has it."""
        text, supply, notation = self
        of_map, stays = type(value) is dict and is_map(value), type(value) is Cells or (stays and type(value) is list)
        held, new = notation.held(text, at).members, list[str | None]()
        times = Counter(child.key for child in held) if type(value) is dict else Counter[str]()
        keys: dict[str, str] = {}
        for child, (here, inner) in zip(held, _steps(value, path, held, times), strict=True):
            head, deeper = text[child.start : child.at], depth + 1
            if of_map:
                if child.key not in keys:
                    keys[child.key] = new_key(child.key, len(keys), supply, path)
                key = keys[child.key]
                head = head if key == child.key else notation.dumped(key) + head[head.rindex(notation.behind_key) :]
            if times[child.key] > 1:  # its values are one list, as they are read
                here, deeper = here if isinstance(inner, list) else here + EACH, deeper + 1
            if type(inner) is Head or not (is_leaf(inner, deeper) and supply.drops(here)):
                new.append(head + self.inside(child.at, child.end, inner, here, deeper, stays))
            else:
                new.append(head + notation.dumped(None) if of_map or stays else None)
        return joined(text, at, end, held, new)


def _steps(value: Any, path: str, held: Sequence[Child], times: Counter[str]) -> Iterator[tuple[str, Any]]:
    """What an object, a list or a row that is shown as an object holds, with the paths; a key may repeat in `held`.

    Raises `ReadError` for a key that repeats where its values are shown as rows.
    """
    if type(value) is Cells:
        yield from ((step(path, key), inner) for key, inner in value.items())
    elif type(value) is not dict:
        yield from ((path if isinstance(inner, list) else path + EACH, inner) for inner in value)
    else:
        of_map = is_map(value)
        within = value if of_map else named(value)
        for child in held:
            inner = within[child.key]
            here = entry(path, inner) if of_map else path_of(path, within, child.key)
            if times[child.key] > 1 and (inner is not value[child.key] or placed(inner) is not inner):
                raise ReadError("an object in which a key repeats; write it once")
            yield here, child.value if times[child.key] > 1 else inner


def _object(
    text: str,
    at: int,
    end: int,
    path: Path,
    edit: Edit,
    plan: PathPlan,
    names: Sequence[str] | None = None,
    within: Mapping[str, Any] | None = None,
) -> str:
    """The object in `at`:`end`, or the list whose elements `names` stand for, after an edit.

    `within`: the object as it is shown.
    """
    held = children(text, at, names)
    within = named({child.key: child.value for child in held} if within is None else within)
    new: list[str | None] = []
    for child in held:
        here, inner = (*path, child.key), within.get(child.key, child.value)
        head = text[child.start : child.at]
        if here not in plan.on_the_way or are_heads(inner):
            new.append(text[child.start : child.end])
        elif type(inner) is dict and inner and not is_map(inner):
            new.append(head + _object(text, child.at, child.end, here, edit, plan, None, inner))
        elif type(inner) is Cells:
            new.append(head + _object(text, child.at, child.end, here, edit, plan, [*inner], inner))
        elif isinstance(inner, list) and (places := _places(inner, here, plan)):
            new.append(head + _object(text, child.at, child.end, here, edit, plan, [*places], places))
        elif here in plan.dropped:
            new.append(None)
        elif type(within) is Cells and isinstance(inner, list) and edit.cells.get(here, inner) is None:
            # A column of a list of columns: it keeps its length, or the list would be none of columns.
            new.append(head + _elements(text, child.at, child.end, inner, repeat(None)))
        else:
            new.append(head + cell(text, child.at, child.end, inner, here, edit, plan))
    return joined(text, at, end, held, new)


def _places(cells: list[Any], path: Path, plan: PathPlan) -> Cells | None:
    """The cells of a row by their places, if some of them change."""
    places = Cells((f"{UNNAMED}{i}", cell) for i, cell in enumerate(cells))
    return places if any((*path, place) in plan.on_the_way for place in places) else None


def replaced(text: str, at: int, end: int, old: Any, new: Any) -> str:
    """A value with a new cell in its place.

    Lists element by element, other values in the type they had where the cell allows it.
    """
    if isinstance(old, list) and isinstance(new, list) and len(texts_of(old) or []) == len(new):
        return _elements(text, at, end, old, iter(new))
    return dumped(_typed(old, new if isinstance(old, list) else only(new)))


def _elements(text: str, at: int, end: int, old: list[Any], new: Iterator[Any]) -> str:
    held = children(text, at)
    out: list[str | None] = []
    for child in held:
        if isinstance(child.value, list) and child.value:
            out.append(_elements(text, child.at, child.end, child.value, new))
        else:
            cell = next(new)
            before = None if isinstance(child.value, list) else text_of(child.value)
            out.append(text[child.at : child.end] if cell == before else dumped(_typed(child.value, cell)))
    return joined(text, at, end, held, out)


def _typed(old: Any, new: Any) -> Any:
    """A new cell as JSON in the type of the old value, where it can be read as such; else as text.

    Types are number, flag and object.
    """
    if not isinstance(new, str) or isinstance(old, str) or old is None:
        return new
    if isinstance(old, bool):
        return {"true": True, "false": False}.get(new, new)
    if isinstance(old, int | float):
        return _Number(new) if _NUMBER.fullmatch(new) else new
    try:
        value = json.loads(new)
    except ValueError:
        return new
    return value if type(value) is type(old) else new


class _Number(str):
    """The text of a number."""


def dumped(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


JSON: Final = Notation(_held, dumped)


def _printed(value: Any, notation: Notation) -> str:
    return notation.number(value) if isinstance(value, _Number) else notation.dumped(value)
