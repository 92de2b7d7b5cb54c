"""A table that can be read more than once, by the names of its columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Field, Found, InName, NotScanned, Skipped, Table
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl


def column_names(fields: Sequence[Field]) -> list[str]:
    """What columns go by: their names; those without one their indices, as in plans."""
    return [field.name or f"column_{i}" for i, field in enumerate(fields)]


class Source(NamedTuple):
    """`data`: the path of a file, or a frame. `table`: which of a file's tables it is, where it has several."""

    data: Any
    table: str | None = None
    read: ReadOptions = ReadOptions()

    @property
    def path(self) -> Path | None:
        return Path(self.data) if isinstance(self.data, str | os.PathLike) else None

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The rows of these columns, in order, from the first row each time. Raises `UsageError` and `ReadError`."""
        table = self.opened()
        names = column_names(table.info.fields)
        indices = {}
        for name in columns:
            indices[str(column_index(names, name, table.info.fields))] = name
        for batch in table.batches():
            yield batch.frame.select(list(indices)).rename(indices)

    def opened(self) -> Table:
        """The table, to be read once. Raises `UsageError` where there isn't one of that name, and `ReadError`."""
        if self.path is None:
            if isinstance(self.data, Iterator):
                raise UsageError("a summary reads its data more than once; pass a list of frames, or a path")
            return inputs.from_frame(self.data, self.read)
        if not self.path.is_file():
            raise UsageError(f"{self.path}: there is no such file")
        return self._only(inputs.discover([str(self.path)], self.read._replace(asides=False)))

    def _only(self, found: Iterable[Found]) -> Table:
        tables: list[Table] = []
        for item in found:
            if isinstance(item, NotScanned):
                raise ReadError(f"{item.source}: {item.reason}")
            if not isinstance(item, Skipped | InName):
                tables.append(item)
        # What stands beside the lists of a JSON file is a table without a name. So is a CSV file's own beside the lines
        # of comment before it.
        named = self.table is not None or (len(tables) > 1 and tables[0].info.format != "json")
        matching = [t for t in tables if (t.info.table or "") == (self.table or "")] if named else tables
        if len(matching) != 1:
            if not tables:
                missing = "has no table"
            elif self.table is None:
                missing = "has several tables; name one with --table, as `piiscan scan` lists them"
            else:
                missing = f"has no table {self.table}"
            raise UsageError(f"{self.path}: it {missing}")
        return matching[0]


def column_index(names: Sequence[str | None], name: str, fields: Sequence[Field]) -> int:
    """Where the column of this name is. Raises `UsageError` where there is none, or another one, and for one made of
    lists of objects: many values of one row, which neither bounds of rows nor of people count."""
    if names.count(name) != 1:
        raise UsageError(
            f"column {name}: there {'are several' if name in names else 'is none'} of this name; names are "
            f"those of the header "
            "(--header and --no-header say whether a file has one), or else column_0, column_1 and so on"
        )
    at = names.index(name)
    if fields[at].parent is not None and fields[at].dtype == "other":
        raise UsageError(
            f"column {name}: it has many values in a row, out of lists; make a table with a row for each of them"
        )
    return at
