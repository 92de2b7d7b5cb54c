"""Columns of text whose cells are JSON, laid out: `profile.email`, `history[].address`; and values of attributes.

Objects and lists as Python, Java and PHP print them (`printed_values`) are read as JSON is.
Whether a column is one, and which paths it has, follows from its first `LOOKED_AT` rows, whatever the batches are;
values at other paths further on share a derived column `[*]`. Cells that are no object and no list stay what they are.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field
from piiscan.io.cells import nested_values
from piiscan.io.cells.nested_values import REST, Derived, DerivedCells
from piiscan.io.content import ReadTable
from piiscan.io.nested import attribute_values

if TYPE_CHECKING:
    import polars as pl

    from piiscan.io.nested.printed_values import Notation

LOOKED_AT = 1000
"""Rows that tell whether a column's texts are JSON."""
NEARLY_ALL = 0.9
"""Of the filled cells that were looked at so many are objects or lists in a column of JSON."""
_BEGINS = r"(?:[\[{]|a:\d+:\{|O:\d+:\")"
_START = r"^[ \t\r\n]*" + _BEGINS
_MAY_START = r"^\s*" + _BEGINS
"""The same for cells with any white space in front, which is what is stripped before they are looked at."""

_BEGIN = re.compile(_START)


class Unfolded(NamedTuple):
    """The `origin` of a table with derived columns of its texts: as it was without them, and what is derived."""

    table: ReadTable
    derived: tuple[Derived, ...]


def unfolded(table: ReadTable, limit: int, once: bool = False, part: bool = False) -> ReadTable:
    """The table with what its JSON texts hold, and values of attributes, as further columns, `limit` in all.

    It is the table itself where there are none. It is read twice, but for one that can be read `once`, whose first rows
    are kept, and tell. `part`: other rows may come, which aren't in it.
    """
    texts = _texts(table.info.fields)
    if not texts:
        return table
    looked: deque[Batch] = deque()
    failure: ReadError | None = None
    batches = (table if once else _first(table)).batches()
    rows = 0
    try:
        for batch in batches:
            looked.append(batch)
            rows += batch.frame.height
            if rows > LOOKED_AT:
                break
    except ReadError as error:
        failure = error
    first = [batch.frame[texts] for batch in looked]
    if once:
        table = table._replace(read=lambda: _again(looked, batches, failure), rows=None, pieces=None)
    room = limit - len(table.info.fields)
    found = list(derived(first, rows <= LOOKED_AT and failure is None and not part, room))
    room -= sum(len(d.names) for d in found)
    is_form = attribute_values.may_be_form(table.info.fields)  # if it is one, its first rows tell
    whole = once or is_form or (rows <= LOOKED_AT and failure is None)

    def frames() -> Iterator[pl.DataFrame]:
        return _readable(looked if whole else table._replace(pieces=None).batches())

    taken = {d.parent for d in found}
    found += [d for d in attribute_values.derived(table.info.fields, frames, room) if d.parent not in taken]
    return with_columns(table, found)


def _readable(batches: Iterable[Batch]) -> Iterator[pl.DataFrame]:
    """The rows up to where a table is damaged, which its reader will meet again."""
    try:
        for batch in batches:
            yield batch.frame
    except ReadError:
        return


def _first(table: ReadTable) -> ReadTable:
    """The first rows of a table."""
    first, count = table.first, LOOKED_AT + 1
    return table._replace(rows=count, read=table.read if first is None else lambda: first(count), pieces=None)


def _again(looked: deque[Batch], batches: Iterator[Batch], failure: ReadError | None) -> Iterator[Batch]:
    while looked:
        yield looked.popleft()
    if failure is not None:
        raise failure
    yield from batches


def of_table(table: ReadTable, limit: int) -> tuple[Derived, ...]:
    """What is derived of the texts of a table that can be read again and again."""
    again = unfolded(table, limit)
    return again.origin.derived if isinstance(again.origin, Unfolded) else ()


def _texts(fields: Sequence[Field]) -> list[str]:
    return [str(i) for i, field in enumerate(fields) if field.dtype == "string" and field.parent is None]


def with_columns(table: ReadTable, found: Sequence[Derived]) -> ReadTable:
    """The table with these derived columns of its texts."""
    if not found:
        return table
    own, width = table.info.fields, len(table.info.fields)
    known = tuple(found)
    named = tuple(field for d in known for field in d.fields(own[d.parent].name))

    def read() -> Iterator[Batch]:
        for batch in table.batches():
            yield Batch(rows(batch.frame, known, width), batch.offset)

    info = table.info._replace(fields=(*own, *named))
    return ReadTable(info, read, None, Unfolded(table, known))


def undivided(origin: Unfolded) -> Iterator[pl.DataFrame]:
    """The rows with their derived columns, and what is derived in their own columns, too."""
    own = [str(i) for i in range(len(origin.table.info.fields))]
    for batch in origin.table.batches():
        yield rows(batch.frame, origin.derived, len(own)).with_columns(batch.frame.select(own))


def of_fields(fields: Sequence[Field], derived_before: int) -> tuple[Derived, ...]:
    """What is derived of texts by a table's fields, of which `derived_before` are not."""
    names: dict[int, list[str]] = {}
    for field in fields[derived_before:]:
        if field.parent is not None and field.name is not None:
            parent = fields[field.parent].name or ""
            end = field.name.removeprefix(parent)
            names.setdefault(field.parent, []).append(end if parent or end.startswith("[") else f".{end}")
    own = fields[:derived_before]
    return tuple(
        attribute_values.of_names(own, parent, ends) or Derived(parent, tuple(ends)) for parent, ends in names.items()
    )


def derived(first: Sequence[pl.DataFrame], is_whole: bool, limit: int) -> tuple[Derived, ...]:
    """Which columns of text are JSON, by the first rows of a table, and the paths in them; `limit` of them at most.

    `is_whole`: there are no other rows.
    """
    import polars as pl

    if not first:
        return ()
    found = []
    frame = (first[0] if len(first) == 1 else pl.concat(first)).head(LOOKED_AT)
    for cells in map(frame.get_column, _may_be_json(frame)):
        paths = _paths(_values(cells))
        if paths is None:
            continue
        room = max(0, limit)
        ends = paths if is_whole and len(paths) <= room else (*paths[:room], REST)
        limit -= len(ends)
        found.append(Derived(int(cells.name), ends))
    return tuple(found)


def _may_be_json(frame: pl.DataFrame) -> list[str]:
    """The columns in which enough filled cells begin as JSON does for a look at them."""
    import polars as pl

    # Most tables have no such cell, which its order among others tells, and else most columns, by one call for each.
    every = pl.concat(frame.get_columns())
    if not ((every < "!") | every.is_between("[", "\\", closed="left") | (every >= "{") | _of_php(every)).any():
        return []
    begin = frame.select_seq(pl.col(name).str.contains(_MAY_START).any() for name in frame.columns).row(0)
    names = [name for name, does in zip(frame.columns, begin, strict=True) if does]
    cells = [pl.col(name).str.strip_chars() for name in names]
    shares = frame.select(cell.filter(cell != "").str.contains(_START).mean() for cell in cells).row(0) if names else ()
    return [name for name, share in zip(names, shares, strict=True) if (share or 0) >= NEARLY_ALL / 2]


def _of_php(cells: pl.Series) -> pl.Series:
    """Which cells may begin as arrays and objects of PHP do."""
    return cells.is_between("O:", "O;", closed="left") | cells.is_between("a:", "a;", closed="left")


def _values(cells: pl.Series) -> list[Any]:
    """A column's filled cells, None for those that aren't JSON."""
    filled = cells.drop_nulls().str.strip_chars()
    filled = filled.filter(filled != "")
    starts = filled.str.contains(_START)
    return [parsed(text) if begins else None for text, begins in zip(filled.to_list(), starts.to_list(), strict=True)]


def _paths(values: Sequence[Any]) -> tuple[str, ...] | None:
    """The paths in a column of JSON, None for any other column.

    Lists of bare numbers, such as places on a map, are read as text.
    """
    held = [value for value in values if value is not None]
    if not held or len(held) < NEARLY_ALL * len(values):
        return None
    if not any(
        type(value) is dict or any(isinstance(element, str | dict | list) for element in value) for value in held
    ):
        return None
    return nested_values.without_null_parents(nested_values.names(held)) or None


def begins(cell: str | None) -> bool:
    """Whether a text may be an object or a list."""
    return cell is not None and _BEGIN.match(cell) is not None


def parsed(cell: str) -> Any:
    """The object or list that a text is, None for any other and for one that doesn't fit into memory."""
    return read(cell)[0]


def read(cell: str) -> tuple[Any, Notation | None]:
    """What `parsed` returns, and how it is printed; None for JSON."""
    from piiscan.io.nested.json_files import DECODER
    from piiscan.io.nested.printed_values import printed

    if shares.json(cell) > shares.row():
        return None, None
    try:
        value = DECODER.decode(cell)
    except RecursionError:
        return None, None
    except ValueError:
        return printed(cell) or (None, None)
    return (value if type(value) in (dict, list) else None), None


def rows(frame: pl.DataFrame, known: Sequence[Derived], width: int) -> pl.DataFrame:
    """A batch with its derived columns, numbered from `width` on. What is derived is null in its own column."""
    import polars as pl

    new: list[pl.Series] = []
    for d in known:
        if d.key is not None:
            new += attribute_values.rows(frame, d, width)
            width += len(d.names)
            continue
        cells, own = DerivedCells(d), frame[str(d.parent)]
        texts = own.to_list()
        for at, is_json in enumerate(own.str.contains(_START).fill_null(value=False).to_list()):
            value = parsed(texts[at]) if is_json else None
            cells.add(value)
            if value is not None:
                texts[at] = None
        new += [pl.Series(str(d.parent), texts, pl.String), *cells.series(width)]
        width += len(d.names)
    return frame.with_columns(new)
