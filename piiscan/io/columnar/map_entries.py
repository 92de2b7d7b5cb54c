"""Whether all entries of a Parquet file's maps were read: of those whose key repeats within a row polars reads one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.io.cells.map_cells import holds_maps
from piiscan.io.columnar.dictionaries import leaf
from piiscan.io.columnar.parquet_footer import Footer

if TYPE_CHECKING:
    import polars as pl


def check(lazy: pl.LazyFrame, schema: Mapping[str, pl.DataType], footer: Footer) -> None:
    """Raises `ReadError` where the file says that there are more."""
    slots: Counter[tuple[str, ...]] = Counter()
    for group in footer.groups:
        for chunk in group.chunks:
            if len(chunk.path) > 1 and holds_maps(schema[chunk.path[0]]):
                slots[chunk.path] += chunk.slots
    for path, said in slots.items():
        if said > lazy.select(leaf(path, schema)[0].len().alias("")).collect(engine="streaming").item():
            raise ReadError(
                "maps in which a key repeats within a row, of whose entries only one was read; write them as lists of "
                "structs, or the file as Arrow"
            )
