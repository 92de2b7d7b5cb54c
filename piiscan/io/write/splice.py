"""JSON text with some of its values replaced; every other byte stays."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from piiscan.core.errors import ReadError
from piiscan.io.cells.nested_values import EACH, entry, is_container, is_map, path_of
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
    try:
        return _inside(text, at, end, value, Supply(new, within), "", 0, notation or JSON)
    except StopIteration:
        raise ReadError(CHANGED) from None


def _inside(text: str, at: int, end: int, value: Any, supply: Supply, path: str, depth: int, notation: Notation) -> str:
    """As `within.rebuilt`."""
    if is_leaf(value, depth):
        if supply.stays(path, value):
            return text[at:end]
        cell = supply.next(path)
        return text[at:end] if cell == text_of(value) else _printed(_typed(value, cell), notation)
    if not value:
        return text[at:end]
    of_map = type(value) is dict and is_map(value)
    held, new = notation.held(text, at).members, list[str | None]()
    times = Counter(child.key for child in held) if type(value) is dict else Counter[str]()
    keys: dict[str, str] = {}
    for child in held:
        head, inner = text[child.start : child.at], depth + 1
        if of_map:
            here = entry(path, value[child.key])
            if child.key not in keys:
                keys[child.key] = new_key(child.key, len(keys), supply, path)
            key = keys[child.key]
            head = head if key == child.key else notation.dumped(key) + head[head.rindex(notation.behind_key) :]
        elif type(value) is dict:
            here = path_of(path, value, child.key)
        else:
            here = path if isinstance(child.value, list) else path + EACH
        if times[child.key] > 1:  # its values are one list, as they are read
            here, inner = here if isinstance(child.value, list) else here + EACH, inner + 1
        if not (is_leaf(child.value, inner) and supply.drops(here)):
            new.append(head + _inside(text, child.at, child.end, child.value, supply, here, inner, notation))
        else:
            new.append(head + notation.dumped(None) if of_map else None)
    return joined(text, at, end, held, new)


def _object(
    text: str, at: int, end: int, path: Path, edit: Edit, plan: PathPlan, names: Sequence[str] | None = None
) -> str:
    held = children(text, at, names)
    new: list[str | None] = []
    for child in held:
        here = (*path, child.key)
        if here not in plan.on_the_way:
            new.append(text[child.start : child.end])
        elif type(child.value) is dict and child.value and not is_map(child.value):
            inner = _object(text, child.at, child.end, here, edit, plan)
            new.append(text[child.start : child.at] + inner)
        elif isinstance(child.value, list) and (places := _places(child.value, here, plan)):
            inner = _object(text, child.at, child.end, here, edit, plan, places)
            new.append(text[child.start : child.at] + inner)
        elif here in plan.dropped:
            new.append(None)
        else:
            new.append(text[child.start : child.at] + cell(text, child.at, child.end, child.value, here, edit, plan))
    return joined(text, at, end, held, new)


def _places(cells: list[Any], path: Path, plan: PathPlan) -> list[str] | None:
    """The keys that the cells of a row stand for, if some of them change."""
    places = [f"{UNNAMED}{i}" for i in range(len(cells))]
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
    return str(value) if isinstance(value, _Number) else notation.dumped(value)
