"""Typed columns put together again: new cells get the type of the old ones, and dotted columns become nested ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from piiscan.core.errors import WriteError
from piiscan.core.types import DType, TableInfo
from piiscan.io.cells.map_cells import is_map, is_of_texts, of_texts
from piiscan.io.cells.nested_values import Derived
from piiscan.io.cells.typed import layout
from piiscan.io.write.change import Change, Changed, where
from piiscan.io.write.structs import ListOfStructs, firsts

if TYPE_CHECKING:
    import polars as pl


class Nested:
    """How the cells of a table become columns of a file again.

    `schema`: of the file as it was; `output`: as it will be. `known`: types that columns of text get when their cells
    aren't text any more; `lost`: the types of columns whose cells become text.
    `maps`: in the file's maps, no key repeats. `wide`: columns of 16 bytes a value, and whether they are UUIDs; in the
    output, those that stay as they are.
    """

    def __init__(
        self,
        schema: dict[str, pl.DataType],
        change: Change,
        info: TableInfo,
        known: Mapping[str, pl.DataType] = MappingProxyType({}),
        derived: Sequence[Derived] = (),
        maps: bool = False,
        wide: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        self._schema, self._info, self._known, self._maps = schema, info, known, maps
        self.lost: dict[str, pl.DataType] = {}
        self._columns = {column.origin: (i, column) for i, column in enumerate(change.columns)}
        own = len(info.fields) - sum(len(d.names) for d in derived)
        self._lists = {
            d.parent: ListOfStructs(d, first, change) for d, first in zip(derived, firsts(derived, own), strict=True)
        }
        self.output: dict[str, pl.DataType] = {}
        self.wide: dict[str, bool] = {}
        self._texts = frozenset[int]()
        leaf = 0
        for name, dtype in schema.items():
            if wide.get(name):  # masked UUIDs are texts
                self._texts |= {leaf}
            kept, leaf = self._type(dtype, leaf)
            if kept is not None:
                new_name = self._name(name, leaf - 1) if not _is_struct(dtype) else name
                self.output[new_name] = kept
                if name in wide and self._columns[leaf - 1][1].same:
                    self.wide[new_name] = wide[name]

    def _name(self, name: str, leaf: int) -> str:
        column = self._columns[leaf][1]
        old = self._info.fields[leaf].name
        return name if column.field.name == old or column.field.name is None else column.field.name

    def _type(self, dtype: pl.DataType, leaf: int) -> tuple[pl.DataType | None, int]:
        """The type of the column in the output (None: it is left out), and the place of the next leaf."""
        import polars as pl

        if _is_struct(dtype):
            fields = []
            for field in cast("pl.Struct", dtype).fields:
                kept, leaf = self._type(cast("pl.DataType", field.dtype), leaf)
                if kept is not None:
                    fields.append(pl.Field(field.name, kept))
            return (pl.Struct(fields) if fields else None), leaf
        if leaf not in self._columns:
            return None, leaf + 1
        if leaf in self._lists:
            return self._lists[leaf].dtype(dtype), leaf + 1
        column = self._columns[leaf][1]
        if column.same:
            return dtype, leaf + 1
        before = self._info.fields[leaf]
        if before.dtype != column.field.dtype == "string" and before.dtype != "other" and before.name:
            self.lost[column.field.name or before.name] = dtype
        return self._cell_type(dtype, leaf, column.field.dtype), leaf + 1

    def _cell_type(self, dtype: Any, leaf: int, after: DType) -> pl.DataType:
        import polars as pl

        before = self._info.fields[leaf]
        if leaf in self._texts:
            return pl.String()
        if is_map(dtype):
            return dtype if self._maps and self._columns[leaf][1].inside and is_of_texts(dtype) else pl.String()
        known = self._known.get(before.name or "")
        if known is not None and before.dtype == "string" and layout({"": known}, 1).fields[0].dtype == after:
            return known
        return _new_type(dtype, before.dtype, after)

    def frame(self, before: pl.DataFrame, cells: pl.DataFrame, changed: Changed) -> pl.DataFrame:
        """The rows as they are written. `before`: as in the file; `cells`: as columns of the table."""
        import polars as pl

        kept = changed.kept
        if kept is not None:
            before, cells = before.filter(kept), cells.filter(kept)
        leaf = 0
        out: list[pl.Series] = []
        for series in before.iter_columns():
            new, leaf = self._series(series, leaf, cells, changed)
            if new is not None:
                out.append(new)
        names = list(self.output)
        return pl.DataFrame([series.alias(name) for series, name in zip(out, names, strict=True)])

    def _stays(self, leaf: int) -> bool:
        """Whether a column stays as it is, with everything in its lists."""
        same = leaf in self._columns and self._columns[leaf][1].same
        return same and not (leaf in self._lists and self._lists[leaf].touches)

    def _series(self, old: pl.Series, leaf: int, cells: pl.DataFrame, changed: Changed) -> tuple[pl.Series | None, int]:
        import polars as pl

        if _is_struct(old.dtype):
            parts = []
            first = leaf
            for field in cast("pl.Struct", old.dtype).fields:
                part, leaf = self._series(old.struct.field(field.name), leaf, cells, changed)
                if part is not None:
                    parts.append(part)
            if all(map(self._stays, range(first, leaf))):
                return old, leaf
            if not parts:
                return None, leaf
            whole = pl.DataFrame(parts).to_struct(old.name)
            if old.null_count():
                whole = pl.select(pl.when(pl.lit(old.is_not_null())).then(pl.lit(whole)).alias(old.name)).to_series()
            return whole, leaf
        if leaf not in self._columns:
            return None, leaf + 1
        if leaf in self._lists:
            try:
                return self._lists[leaf].series(old, changed), leaf + 1
            except (pl.exceptions.PolarsError, StopIteration, TypeError):
                raise WriteError(f"{where(self._info)}, column {leaf}: new values don't fit into its lists") from None
        position, column = self._columns[leaf]
        if column.same:
            return old, leaf + 1
        new = changed.frame[str(position)]
        new_type = self._cell_type(old.dtype, leaf, column.field.dtype)
        stays = new.eq_missing(cells[str(leaf)]) if new.dtype == cells[str(leaf)].dtype else None
        try:
            if stays is not None and new_type == old.dtype:
                if stays.all():
                    return old, leaf + 1
                new = new.set(stays, None) if new.dtype == pl.String else new
                return old.zip_with(stays, _cast(new, new_type)).alias(old.name), leaf + 1
            return _cast(new, new_type).alias(old.name), leaf + 1
        except pl.exceptions.PolarsError:
            raise WriteError(f"{where(self._info)}, column {leaf}: new values don't fit its type, {new_type}") from None


def _is_struct(dtype: Any) -> bool:
    import polars as pl

    return isinstance(dtype, pl.Struct) and bool(dtype.fields)


def _new_type(dtype: Any, before: DType, after: DType) -> pl.DataType:
    """The type of a column whose cells are new: the old one, unless the change says that they are something else."""
    import polars as pl

    if isinstance(dtype, pl.List | pl.Array) and after == "string":
        return texts(dtype)
    if before == after:
        if isinstance(dtype, pl.Enum):
            return pl.Categorical()  # new values aren't among the old ones
        if isinstance(dtype, pl.List | pl.Array) and not _is_plain(dtype):
            return pl.List(pl.String())
        return cast("pl.DataType", pl.String()) if dtype == pl.Null or _is_odd(dtype) else cast("pl.DataType", dtype)
    types: dict[DType, Callable[[], pl.DataType]] = {
        "string": pl.String,
        "integer": pl.Int64,
        "float": pl.Float64,
        "boolean": pl.Boolean,
        "date": pl.Date,
        "datetime": lambda: pl.Datetime("us"),
        "other": pl.String,
    }
    return types[after]()


def texts(dtype: Any) -> pl.DataType:
    """The type of lists of texts that masks of a column of lists are in."""
    import polars as pl

    inner = dtype.inner
    return pl.List(texts(inner)) if isinstance(inner, pl.List | pl.Array) and _keeps(inner) else pl.List(pl.String())


def _keeps(dtype: Any) -> bool:
    """Whether a reader keeps lists in lists: those of odd cells are laid flat."""
    return layout({"": dtype}, 1).by_hand == ()


def _is_plain(dtype: Any) -> bool:
    """Whether the elements of a list are cells as they are."""
    import polars as pl

    inner = dtype.inner
    return inner in (pl.String, pl.Boolean, pl.Date) or inner.is_numeric()


def _is_odd(dtype: Any) -> bool:
    import polars as pl

    return dtype == pl.Duration or dtype == pl.Object or isinstance(dtype, pl.Struct)


def _cast(new: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Cells as another type; raises PolarsError where one doesn't fit."""
    import polars as pl

    if new.dtype == dtype:
        return new
    if new.dtype == pl.String:
        if is_map(dtype):
            if (made := of_texts(new, dtype)) is None:
                raise pl.exceptions.InvalidOperationError("no map")
            return made
        if dtype == pl.Time:
            return new.str.to_time()
        if dtype == pl.Date:
            return new.str.to_date()
        if isinstance(dtype, pl.Datetime):
            return new.str.to_datetime(time_unit=dtype.time_unit, time_zone=dtype.time_zone)
        if dtype == pl.Boolean:
            return new.replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean)
    return new.cast(dtype)
