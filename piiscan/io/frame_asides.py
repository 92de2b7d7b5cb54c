"""Texts that a data frame holds beside its rows, as tables of their own, like those of columnar files.

These are attributes and metadata, names of axes, and values of categories that no row has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.types import Field, TableInfo
from piiscan.io import arrow_leftovers, asides
from piiscan.io.columnar import dictionaries, metadata
from piiscan.io.content import ReadTable
from piiscan.io.printed_names import evident

if TYPE_CHECKING:
    import polars as pl

METADATA: Final = metadata.NAME
_CATEGORIES: Final = "categories"


def beside(frame: Any, source: str) -> list[ReadTable]:
    """The tables beside the rows of a frame of pandas, polars or pyarrow, called `source`.

    What can be read once only, such as a reader, has metadata only.
    """
    found: list[ReadTable] = []
    if (said := metadata.columns(_pairs(frame))) is not None:
        found.append(_table(source, METADATA, said))
    if unused := list(dict.fromkeys(text for text in _unused(frame) if text)):
        found.append(_table(source, _CATEGORIES, {"text": unused}))
    return found


def _table(source: str, name: str, columns: dict[str, Sequence[str]]) -> ReadTable:
    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        yield pl.DataFrame({str(i): list(cells) for i, cells in enumerate(columns.values())})

    kind = "text" if len(columns) == 1 else "frame"
    fields = tuple(Field(column) for column in columns)
    return ReadTable(TableInfo(source, name, kind, kind != "text", fields, (asides.LEFT_OUT,)), frames)


def text_beside(value: Any) -> str:
    """A value that stands beside rows as text, whole: frames and arrays print themselves in part only."""
    if hasattr(value, "to_csv"):
        return str(value.to_csv())
    if hasattr(value, "write_csv"):
        return str(value.write_csv())
    return str(value.tolist() if hasattr(value, "tolist") else value)


def _pairs(frame: Any) -> Iterator[tuple[str, str]]:
    """Keys and values of attributes, of metadata, and of axes that have a name."""
    for key, value in getattr(frame, "attrs", {}).items() if _is_pandas(frame) else ():
        yield str(key), text_beside(value)
    if _is_pandas(frame) and hasattr(frame, "columns"):
        names = [str(name) for name in frame.columns.names if name is not None]
        yield from (("name of the columns", name) for name in names if evident(name, None))
    if type(frame).__module__.startswith("pyarrow"):
        schema = getattr(frame, "projected_schema", None) or getattr(frame, "schema", None)
        for notes in () if schema is None else (schema.metadata, *_of_fields(schema)):
            yield from ((_decoded(key), _decoded(value)) for key, value in (notes or {}).items())


def _decoded(value: bytes) -> str:
    return value.decode(errors="replace")


def _of_fields(fields: Iterable[Any]) -> Iterator[Any]:
    """The metadata of fields, at any depth."""
    for field in fields:
        yield field.metadata
        if import_module("pyarrow").types.is_nested(field.type):
            yield from _of_fields(field.type.field(i) for i in range(field.type.num_fields))


def _unused(frame: Any) -> Iterator[str]:
    """The values of categories, dictionaries and levels that no row has, as texts."""
    import polars as pl

    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        yield from _of_polars(frame)
    elif _is_pandas(frame):
        yield from map(str, _of_pandas(frame))
    elif type(frame).__module__.startswith("pyarrow"):
        for cells in frame.columns if hasattr(frame, "set_column") else [frame] if hasattr(frame, "type") else []:
            if arrow_leftovers.holds_dictionary(cells.type):
                yield from map(str, arrow_leftovers.unused(cells))


def _of_polars(frame: pl.DataFrame | pl.LazyFrame) -> Iterator[str]:
    import polars as pl

    if isinstance(frame, pl.LazyFrame):  # all of them, as of files: to look for them would run its query once more
        yield from dictionaries.categories(frame.collect_schema())
        return
    for cells in frame.iter_columns():
        for values in dictionaries.enums(cells):
            here = set(values.unique().to_list())
            yield from (text for text in dictionaries.categories({"": values.dtype}) if text not in here)


def _of_pandas(frame: Any) -> Iterator[Any]:
    for name in ("index", "columns"):
        axis: Any = getattr(frame, name, None)
        if hasattr(axis, "remove_unused_levels"):
            for level, kept in zip(axis.levels, axis.remove_unused_levels().levels, strict=True):
                yield from level[~level.isin(kept)]
        yield from _unused_categories(axis)
    for cells in (frame.iloc[:, i] for i in range(frame.shape[1])) if hasattr(frame, "isetitem") else (frame,):
        yield from _unused_categories(getattr(cells, "array", None))


def _unused_categories(cells: Any) -> Iterator[Any]:
    if hasattr(cells, "categories") and hasattr(cells, "codes"):
        used = set(import_module("numpy").unique(cells.codes).tolist())
        yield from (value for code, value in enumerate(cells.categories) if code not in used)


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] == "pandas"
