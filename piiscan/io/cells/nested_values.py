r"""What lists of objects, maps and JSON texts hold, as columns: `staff[].name`, `profile.email`.

A column's cells that hold other values are laid out as derived columns, one for each path of keys. A path's name begins
where its column's ends: `.name` for a key of an object, `[]` for the elements of a list (lists within it are laid
flat), `[].(key)` and `[].(value)` for the entries of a map, an object whose keys are values themselves. `\` stands
before a dot or a bracket that belongs to a key. Everything in a cell is in exactly one of these columns, in the order
of the document; `leaves` says in which, and writers go the same way. Values beside an attribute (`{"name": "email",
"value": …}`) have a path for each one whose words name what may identify a person: `fields[].value[email]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.core.caches import of_words
from piiscan.core.errors import ReadError
from piiscan.core.header_words import escaped
from piiscan.core.types import DType, Field
from piiscan.io.cells.attribute_names import Keys, end_in, keys_of
from piiscan.io.cells.cell_kinds import kind
from piiscan.io.cells.named_rows import Cells, Head, named, placed
from piiscan.io.cells.plain import LISTS, text_of

if TYPE_CHECKING:
    import polars as pl

EACH = "[]"
KEY, VALUE = "[].(key)", "[].(value)"
REST = "[*]"
"""The derived column of all paths that weren't known before the rows were read."""
DEEPEST = 32
"""Objects and lists within one another in a cell; what lies deeper stays text."""
MANY = 50
"""An object with so many objects in it is a table, and with ten times as many keys a map, whatever the keys look
like."""
_LISTS = frozenset(LISTS)
_OBJECTS: frozenset[type] = frozenset((dict, Cells))
_NESTED = frozenset((*_OBJECTS, Head, *LISTS))


class Derived(NamedTuple):
    """The derived columns of a table's own column number `parent`: the ends of their names, in their order.

    `key`: where they are made of attributes and values, the own column of the attributes.
    """

    parent: int
    names: tuple[str, ...]
    key: int | None = None

    def fields(self, parent: str | None) -> Iterator[Field]:
        """`parent` is the name of the own column."""
        for name in self.names:
            yield Field((parent or "") + (name if parent else name.removeprefix(".")), dtype(name), self.parent)


def dtype(name: str) -> DType:
    """Lists are "other"; a path without a list in it has one value in a cell at most."""
    return "other" if is_many(name) else "string"


def is_many(name: str) -> bool:
    return EACH in name or name == REST


def is_map(record: Mapping[Any, Any]) -> bool:
    """Whether an object's keys are values themselves, such as addresses, numbers or dates."""
    return len(record) > 10 * MANY or _are_values(tuple(islice(record, MANY)))


@of_words(4096)
def _are_values(keys: tuple[str, ...]) -> bool:
    looks = [kind(key) for key in keys]
    return bool(keys) and 2 * sum(look in ("email", "number", "code", "date", "url") for look in looks) > len(looks)


@of_words(1 << 16)
def step(at: str, key: str) -> str:
    """The path of a key of the object at `at`."""
    return at + "." + escaped(key)


def path_of(at: str, record: Mapping[Any, Any], key: str, pair: Keys | None = None) -> str:
    """The path of a key of the object at `at`, which isn't a map; a value's says of which attribute it is.

    `pair`: the object's `keys_of`, where they are known.
    """
    pair = keys_of(tuple(record)) if pair is None else pair
    if pair is None or key != pair.value:
        return step(at, key)
    return step(at, key) + end_in(record, pair)


def is_container(value: Any) -> bool:
    """Whether a value is a map or a list with an object or a row in it, and so more than a cell."""
    if type(value) in _LISTS and placed(value) is not value:
        return True
    return holds_objects(value)


def holds_objects(value: Any) -> bool:
    """Whether a value is a map or a list with an object in it."""
    if type(value) is dict:
        return bool(value) and is_map(value)
    return type(value) in _LISTS and any(
        type(element) in _OBJECTS or (type(element) in _LISTS and holds_objects(element)) for element in value
    )


Take = Callable[[str, Any], None]
"""Called with the path of a value that is neither a list nor an object, and the value."""


def leaves(value: Any, take: Take, maps: bool = True, at: str = "", depth: int = 0) -> None:
    """Everything in a value, in the order of the document, but for names of columns beside their rows.

    `maps`: objects may be maps, and lists rows; where a schema tells, none is.
    """
    if maps and type(value) is list and depth < DEEPEST:
        value = placed(value)
    if type(value) in _OBJECTS and value:
        if depth >= DEEPEST:
            take(at, text_of(value))
        else:
            _members(value, take, maps, at, depth)
    elif type(value) in _LISTS:
        if depth >= DEEPEST and value:
            take(at, text_of(value))
            return
        each = at + EACH
        for element in value:
            if type(element) in _NESTED:
                leaves(element, take, maps, at if type(element) in _LISTS else each, depth + 1)
            else:
                take(each, element)
    elif type(value) not in _NESTED:
        take(at, value)


def _members(value: dict[str, Any], take: Take, maps: bool, at: str, depth: int) -> None:
    """Everything in an object, as `leaves` has it."""
    is_plain = maps and type(value) is dict
    if is_plain and is_map(value):
        for key, inner in value.items():
            take(at + KEY, key)
            leaves(inner, take, maps, entry(at, inner), depth + 1)
        return
    held = named(value) if is_plain else value
    pair = keys_of(tuple(held)) if is_plain else None
    for key, inner in held.items():
        path = step(at, key) if pair is None else path_of(at, held, key, pair)
        if type(inner) in _NESTED:
            leaves(inner, take, maps, path, depth + 1)
        else:
            take(path, inner)


def entry(at: str, value: Any) -> str:
    """The path of a map's value: an object's keys are those of the entry."""
    return at + (EACH if type(value) is dict and value and not is_map(value) else VALUE)


def names(values: Iterable[Any], maps: bool = True, known: dict[str, bool] | None = None) -> dict[str, bool]:
    """The paths in some cells in the order of their first appearance, and whether anything but null stands there."""
    found: dict[str, bool] = {} if known is None else known

    def take(name: str, value: Any) -> None:
        if value is not None or name not in found:
            found[name] = found.get(name, False) or value is not None

    for value in values:
        leaves(value, take, maps)
    return found


def without_null_parents(found: Mapping[str, bool]) -> tuple[str, ...]:
    """The paths of a column, without those that hold nothing but nulls where lists or objects stand elsewhere."""
    return tuple(
        name
        for name, holds in found.items()
        if holds or not any(other.startswith((f"{name}.", f"{name}{EACH}")) for other in found)
    )


def schema_names(dtype: Any, at: str = "", depth: int = 0) -> list[str]:
    """The paths in cells of a polars type, as `leaves` has them without maps."""
    import polars as pl

    if isinstance(dtype, pl.List | pl.Array) and depth < DEEPEST:
        inner = dtype.inner
        return schema_names(inner, at if isinstance(inner, pl.List | pl.Array) else at + EACH, depth + 1)
    if isinstance(dtype, pl.Struct) and dtype.fields and depth < DEEPEST:
        return [name for field in dtype.fields for name in schema_names(field.dtype, step(at, field.name), depth + 1)]
    return [at]


class DerivedCells:
    """Collects the derived cells of consecutive rows: the texts of each column, and the row of each text."""

    def __init__(self, derived: Derived, maps: bool = True) -> None:
        self._maps = maps
        self._data: dict[str, tuple[list[int], list[str | None]]] = {name: ([], []) for name in derived.names}
        self._height = 0
        self.held = 0
        """Characters so far."""

    def fill(self, height: int) -> None:
        """Rows without such cells, until there are `height`."""
        self._height = max(self._height, height)

    def add(self, value: Any) -> list[str | None]:
        """The next row; None for one without such cells.

        The return value stays in the own column: elements of a list that holds objects too. Raises `ReadError` for a
        path that isn't known where no column takes the rest.
        """
        data, own, height = self._data, list[str | None](), self._height

        def take(name: str, leaf: Any) -> None:
            text = leaf if type(leaf) is str else text_of(leaf)
            column = data.get(name)
            if column is None:
                if name == EACH:
                    own.append(text)
                    return
                if text is None:
                    return
                column = data.get(REST)
                if column is None:
                    raise ReadError("objects with other keys than were known before; scan it, or plan, anew")
            rows, texts = column
            rows.append(height)
            texts.append(text)
            if text is not None:
                self.held += len(text)

        if value is not None:
            leaves(value, take, self._maps)
        self._height += 1
        return own

    def series(self, first: int) -> list[pl.Series]:
        """The columns, named from `first` on."""
        return [self._series(name, str(first + n)) for n, name in enumerate(self._data)]

    def _series(self, name: str, label: str) -> pl.Series:
        import polars as pl

        rows, texts = self._data[name]
        dtype = pl.List(pl.String) if is_many(name) else pl.String()
        nothing = pl.Series([None], dtype=dtype)
        if not rows:
            return (
                nothing.new_from_index(0, self._height).alias(label) if self._height else nothing.head(0).alias(label)
            )
        frame = pl.DataFrame({"row": rows, "text": texts}, schema={"row": pl.Int64, "text": pl.String})
        if is_many(name):
            frame = frame.group_by("row", maintain_order=True).agg("text")
        every = pl.DataFrame({"row": pl.int_range(self._height, dtype=pl.Int64, eager=True)})
        return every.join(frame, on="row", how="left", maintain_order="left")["text"].cast(dtype).alias(label)


def fields(own: Sequence[Field], derived: Sequence[Derived]) -> tuple[Field, ...]:
    """A table's own columns and then the derived ones."""
    return (*own, *(field for d in derived for field in d.fields(own[d.parent].name)))


def owner(derived: Sequence[Derived], first: int) -> dict[int, tuple[Derived, str]]:
    """For each derived column by its number (`first` is the first one's): its own column's, and its name."""
    return dict(enumerate(((d, name) for d in derived for name in d.names), first))
