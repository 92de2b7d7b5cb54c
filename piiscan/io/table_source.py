"""A table that can be read more than once, by the names of its columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.core import urls
from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Field, InName, NotScanned, Skipped, Table
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.lake_tables import packed_lake_table
from piiscan.io.nested.json_texts import Unfolded, undivided
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

    from piiscan.io.walk import Input


def column_names(fields: Sequence[Field]) -> list[str]:
    """The names of columns; for those without one, their indices, as in plans."""
    return [field.name or f"column_{i}" for i, field in enumerate(fields)]


class Source(NamedTuple):
    """The one table that a verb or a command reads.

    `data`: the path of a file, or a frame of any kind. `table`: which of a file's tables it is, where it has several.
    `read`: how its text is written. `opening` is called with the file each time it is opened.
    """

    data: Any
    table: str | None = None
    read: ReadOptions = ReadOptions()
    opening: Callable[[Input], None] | None = None

    @property
    def path(self) -> Path | None:
        return Path(self.data) if isinstance(self.data, str | os.PathLike) else None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "<frame>" if self.path is None else str(self.path)

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The rows of these columns, in order, from the first row each time. Raises `UsageError` and `ReadError`.

        A cell never depends on other rows: texts of JSON and values of attributes are in their own column, too, whether
        or not the rows make derived columns of them.
        """
        table = self.opened()
        fields = table.info.fields
        names = column_names(fields)
        indices = {str(column_index(names, name, fields)): name for name in columns}
        if isinstance(table, ReadTable) and isinstance(table.origin, Unfolded):
            frames = undivided(table.origin)
        else:
            frames = (batch.frame for batch in table.batches())
        for frame in frames:
            yield frame.select(list(indices)).rename(indices)

    def opened(self) -> Table:
        """The table, to be read once. Raises `UsageError` where there isn't one of that name, and `ReadError`."""
        if self.path is None:
            return self._frame()
        tables = self._tables(self.path)
        # What stands beside the lists of a JSON file is a table without a name. So is a CSV file's own beside the lines
        # of comment before it.
        named = self.table is not None or (len(tables) > 1 and tables[0].info.format != "json")
        chosen = [t for t in tables if (t.info.table or "") == (self.table or "")] if named else tables
        if len(chosen) == 1:
            return chosen[0]
        if not tables:
            raise UsageError(f"{self.path}: it has no table")
        if self.table is not None:
            raise UsageError(f"{self.path}: it has no table {self.table}")
        raise UsageError(f"{self.path}: it has several tables; name one with --table, as `piiscan scan` lists them")

    def is_alone(self) -> bool:
        """Whether there is no other table beside this one in its file."""
        return self.path is None or len(self._tables(self.path)) == 1

    def _frame(self) -> Table:
        if self.table is not None:
            raise UsageError(f"a frame is one table; leave out its name, {self.table}")
        if isinstance(self.data, Iterator):
            raise UsageError("the data are read more than once; pass a list of frames, or a path")
        return inputs.from_frame(self.data, self.read)

    def _tables(self, path: Path) -> list[Table]:
        """All tables of the file. Raises `ReadError` where some part of it can't be read."""
        urls.demand_path(self.data)
        if path.is_dir():
            raise UsageError(f"{path} is a folder; one table at a time")
        if not path.is_file():
            raise UsageError(f"{path}: there is no such file")
        tables: list[Table] = []
        members: list[str] = []
        ahead = None if self.opening is None else _Opening(self.opening)
        for item in inputs.discover([str(path)], self.read._replace(asides=False, rows=None), None, ahead):
            if isinstance(item, NotScanned):
                raise ReadError(f"{item.source}: {item.reason}")
            if isinstance(item, Skipped | InName):
                members += item.source.split("!")[1:]
            else:
                members += item.info.source.split("!")[1:]
                tables.append(item)
        if reason := packed_lake_table((name, name) for name in members):
            raise ReadError(f"{path}: {reason}")
        return tables


class _Opening(NamedTuple):
    """Reads nothing ahead, and reports each input when it is its turn."""

    tell: Callable[[Input], None]

    def follow(self, inputs: Iterable[Input]) -> Iterator[tuple[Input, Callable[[], None]]]:
        for one in inputs:
            self.tell(one)
            yield one, lambda: None


def column_index(names: Sequence[str | None], name: str, fields: Sequence[Field]) -> int:
    """Where the column of this name is.

    Raises `UsageError` where there is none, or another one, and for one made of lists of objects: many values of one
    row, which neither bounds of rows nor of people count.
    """
    if names.count(name) != 1:
        raise UsageError(
            f"column {name}: there {'are several' if name in names else 'is none'} of this name; names are "
            "those of the header "
            "(--header and --no-header say whether a file has one), or else column_0, column_1 and so on"
        )
    index = names.index(name)
    if fields[index].parent is not None and fields[index].dtype == "other":
        raise UsageError(
            f"column {name}: it has many values in a row, out of lists; make a table with a row for each of them"
        )
    return index
