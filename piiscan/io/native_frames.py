"""Masked columns put into a copy of the caller's frame, in the types of its own library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from importlib import import_module
from typing import Any, Final, Protocol, cast

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.frames_by_name import frame_of
from piiscan.core.hidden_values import written_anew
from piiscan.io.arrow_leftovers import without_leftovers
from piiscan.io.cells.map_cells import is_of_texts, of_texts
from piiscan.io.cells.plain import text_of
from piiscan.io.columnar import dictionaries
from piiscan.io.frame_asides import text_beside

_OF_PANDAS: Final = b"pandas"
"""The metadata in which Arrow keeps a pandas frame's index, types and attributes."""


_TRUTH: Final = {"true": True, "false": False}
_DAY: Final = len("2024-05-17")

Identifies = Callable[[Sequence[str]], bool]
"""Whether any of some texts identifies somebody."""


class Kind(Protocol):
    """A library's frames."""

    def rebuilt(self, frame: Any, columns: Mapping[int, pl.Series], dropped: Set[int], kept: pl.Series | None) -> Any:
        """A new frame: `columns` in their places, without those `dropped` and the rows not `kept`.

        The old one stays as it is.
        """
        ...

    def renamed(self, frame: Any, names: Sequence[str | None]) -> Any:
        """A frame of ours with other names of columns, in their places; None: the name stays."""
        ...

    def without_notes(self, frame: Any, identifies: Identifies) -> Any:
        """A frame of ours without texts beside its rows that identify somebody.

        These are attributes, metadata, and values of categories that no row has.
        """
        ...


def kind_of(frame: Any) -> Kind:
    """The kind of a frame. Raises `UsageError` for what can't be given back as the same kind."""
    library = type(frame).__module__.split(".")[0]
    if isinstance(frame, pl.DataFrame):
        return _Polars()
    if library == "pandas" and hasattr(frame, "isetitem"):
        return _Pandas()
    if library == "pyarrow" and hasattr(frame, "set_column"):
        return _Arrow()
    hint = "; collect it first" if isinstance(frame, pl.LazyFrame) else ""
    raise UsageError(
        f"can't change an object of type {type(frame).__name__}{hint}; pass a pandas or polars DataFrame, or a "
        "pyarrow Table or RecordBatch"
    )


def like(data: Any, made: pl.DataFrame) -> Any:
    """A new frame in the library of `data`; a polars one where `data` is no frame.

    It takes nothing from the old one's index, order or metadata.
    """
    library = type(data).__module__.split(".")[0]
    made = frame_of(written_anew(made.iter_columns()))
    if library == "pandas":
        return type(data)({name: made[name].to_list() for name in made.columns})
    return made.to_arrow() if library == "pyarrow" else made


class _Polars:
    def rebuilt(
        self, frame: pl.DataFrame, columns: Mapping[int, pl.Series], dropped: Set[int], kept: pl.Series | None
    ) -> pl.DataFrame:
        if (columns or dropped) and any(isinstance(t, pl.Struct) and t.fields for t in frame.dtypes):
            raise UsageError("can't mask a frame with a struct column; unnest it first")
        out = []
        for i, cells in enumerate(frame.iter_columns()):
            if i not in dropped:
                out.append(_as(columns[i], cells.dtype).alias(cells.name) if i in columns else cells)
        made = frame_of(out)
        made = made if kept is None else made.filter(kept)
        stay = [i for i in range(frame.width) if i not in dropped]
        fewer = made.with_columns(
            _of_used(cells)
            for i, cells in zip(stay, made.iter_columns(), strict=True)
            if (i in columns or kept is not None) and dictionaries.categories({"": cells.dtype})
        )
        # Kept columns too: one that was cut out of another shares its memory.
        return fewer.with_columns(written_anew(fewer.iter_columns()))

    def renamed(self, frame: pl.DataFrame, names: Sequence[str | None]) -> pl.DataFrame:
        return frame_of(
            cells.alias(name or cells.name) for cells, name in zip(frame.iter_columns(), names, strict=True)
        )

    def without_notes(self, frame: pl.DataFrame, identifies: Identifies) -> pl.DataFrame:
        return frame.with_columns(
            _recast(cells, dtype)
            for cells in frame.iter_columns()
            if dictionaries.categories({"": cells.dtype})
            and (dtype := _without_categories(cells, identifies)) != cells.dtype
        )


def _without_categories(cells: pl.Series, identifies: Identifies) -> pl.DataType:
    """The type of a column, at any depth without the categories that no row has if one of those identifies somebody."""
    dtype: Any = cells.dtype
    if isinstance(dtype, pl.Enum):
        used = _left(dtype.categories.to_list(), cells.unique(), identifies)
        return dtype if used is None else pl.Enum(used)
    if isinstance(dtype, pl.List | pl.Array):
        inner = _without_categories(cells.drop_nulls().explode(empty_as_null=False), identifies)
        return pl.List(inner) if isinstance(dtype, pl.List) else pl.Array(inner, dtype.size)
    if isinstance(dtype, pl.Struct):
        fields = ((f.name, _without_categories(cells.struct.field(f.name), identifies)) for f in dtype.fields)
        return pl.Struct(dict(fields))
    return dtype  # type: ignore[no-any-return]


def _of_used(cells: pl.Series) -> pl.Series:
    """Cells that lost some of their values, without the categories of these."""
    return _recast(cells, _without_categories(cells, bool))


def _recast(cells: pl.Series, dtype: Any) -> pl.Series:
    """Cells with fewer categories: within arrays polars casts categories to texts only."""
    return (cells.cast(dictionaries.of_texts(dtype)) if dtype.is_nested() else cells).cast(dtype)


def _as(masks: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Masks in the type of their column, where all of them have a place in it."""
    if masks.null_count() == len(masks):
        return pl.Series(masks.name, [None], dtype).new_from_index(0, len(masks))
    if masks.dtype == dtype:
        return masks
    if is_of_texts(dtype) and masks.dtype == pl.String:
        maps = of_texts(masks, dtype)
        return masks if maps is None else maps
    try:
        new = masks.cast(_array(masks.dtype, dtype)) if masks.dtype.is_nested() else masks.cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        return masks
    return new if new.null_count() == masks.null_count() else masks


def _array(masks: Any, dtype: Any) -> Any:
    """The type of lists that are masks, as arrays where those of their column were."""
    if not isinstance(masks, pl.List):
        return masks
    if isinstance(dtype, pl.Array):
        return pl.Array(_array(masks.inner, dtype.inner), dtype.size)
    return pl.List(_array(masks.inner, dtype.inner)) if isinstance(dtype, pl.List) else masks


def _left(categories: Sequence[Any], used: Iterable[Any], identifies: Identifies) -> list[Any] | None:
    """The used ones of a column's categories, in their order, if another one identifies somebody; else None."""
    here = set(used)
    if not identifies([str(category) for category in categories if category not in here]):
        return None
    return [category for category in categories if category in here]


class _Pandas:
    """The levels of an index come after the columns, as in `piiscan.io.frames`."""

    def rebuilt(self, frame: Any, columns: Mapping[int, pl.Series], dropped: Set[int], kept: pl.Series | None) -> Any:
        out = frame.copy(deep=False)
        for i in sorted(columns):
            if i < frame.shape[1]:
                out.isetitem(i, self._column(frame.iloc[:, i], columns[i]))
        masked = {i - frame.shape[1]: columns[i] for i in columns if i >= frame.shape[1]}
        if masked or any(i >= frame.shape[1] for i in dropped):
            out.index = self._index(frame.index, masked, {i - frame.shape[1] for i in dropped})
        stay = [i for i in range(frame.shape[1]) if i not in dropped]
        out = out if len(stay) == frame.shape[1] else out.iloc[:, stay]
        return out if kept is None else self._without_leftovers(out[kept.to_numpy()].copy())

    def renamed(self, frame: Any, names: Sequence[str | None]) -> Any:
        columns, levels = names[: frame.shape[1]], names[frame.shape[1] :]
        frame.columns = [name or old for name, old in zip(columns, frame.columns, strict=True)]
        if levels:
            frame.index = frame.index.set_names(
                [name or old for name, old in zip(levels, frame.index.names, strict=True)]
            )
        return frame

    def without_notes(self, frame: Any, identifies: Identifies) -> Any:
        frame.attrs = {
            key: value for key, value in frame.attrs.items() if not identifies([f"{key}: {text_beside(value)}"])
        }
        frame = self._without_leftovers(
            frame, lambda cells: _left(cells.categories, cells.unique(), identifies) is not None
        )
        if hasattr(frame.columns, "remove_unused_levels"):
            frame.columns = frame.columns.remove_unused_levels()
        if hasattr(frame.columns, "remove_unused_categories"):
            frame.columns = frame.columns.remove_unused_categories()
        names = [None if n is not None and identifies([str(n)]) else n for n in frame.columns.names]
        frame.columns = frame.columns.set_names(names)
        return frame

    def _without_leftovers(self, frame: Any, of: Callable[[Any], bool] = lambda _: True) -> Any:
        """Remove values that no row has from the levels of an index, and from the categories `of` some cells."""
        pandas = import_module("pandas")
        for i, dtype in enumerate(frame.dtypes):
            if isinstance(dtype, pandas.CategoricalDtype) and of(frame.iloc[:, i].array):
                frame.isetitem(i, frame.iloc[:, i].cat.remove_unused_categories())
        if hasattr(frame.index, "remove_unused_levels"):
            frame.index = frame.index.remove_unused_levels()
        if hasattr(frame.index, "remove_unused_categories") and of(frame.index.array):
            frame.index = frame.index.remove_unused_categories()
        return frame

    def _column(self, before: Any, masks: pl.Series) -> Any:
        pandas = import_module("pandas")
        # What was missing stays missing in its own way: None, NaN, NaT or NA.
        cells = [
            old if new is None and gone else _like(old, new)
            for old, new, gone in zip(before.tolist(), masks.to_list(), before.isna().tolist(), strict=True)
        ]
        made = pandas.Series(cells, index=before.index, name=before.name, dtype=object)
        if isinstance(before.dtype, pandas.CategoricalDtype):
            return made.astype("category")
        if str(before.dtype) in ("bool", "boolean", "bool[pyarrow]"):
            made = made.map(lambda cell: _TRUTH.get(cell, cell) if isinstance(cell, str) else cell)
        try:
            typed = made.astype(before.dtype)
        except (TypeError, ValueError, OverflowError, NotImplementedError):  # the last one is pyarrow's
            return made.infer_objects()
        return typed if _says_the_same(made, typed) else made.infer_objects()

    def _index(self, index: Any, masked: Mapping[int, pl.Series], dropped: Set[int]) -> Any:
        pandas = import_module("pandas")
        levels = []
        for i in range(index.nlevels):
            before = index.get_level_values(i)
            if i not in dropped:
                levels.append(self._level(before, masked[i]) if i in masked else before)
        if not levels:
            return pandas.RangeIndex(len(index))
        return levels[0] if index.nlevels == 1 or len(levels) == 1 else pandas.MultiIndex.from_arrays(levels)

    def _level(self, before: Any, masks: pl.Series) -> Any:
        made = self._column(before.to_series().astype(before.dtype), masks)
        return import_module("pandas").Index(made, dtype=made.dtype, name=before.name)


def _says_the_same(cells: Any, typed: Any) -> bool:
    """Whether a pandas column has the masks `cells` in its type `typed` as they are.

    pandas reads a missing cell as False, every text as True, and a year as its first of January.
    """
    dtype = typed.dtype
    if str(dtype).startswith(("object", "str", "large_string", "binary")):
        return True
    pairs = zip(cells.tolist(), cells.isna().tolist(), typed.tolist(), typed.isna().tolist(), strict=True)
    return all(gone == now_gone and (gone or _same(cell, now)) for cell, gone, now, now_gone in pairs)


def _same(cell: Any, typed: Any) -> bool:
    """Whether a cell, of a type of its own, says what it was made of: a day may have become its midnight."""
    if not isinstance(cell, str):
        return bool(cell == typed) or isinstance(typed, float)
    if isinstance(typed, int | float) and not isinstance(typed, bool):
        return True
    text = str(typed)
    return text == cell or (len(cell) == _DAY and text[:_DAY] == cell and set(text[_DAY:]) <= set(" T0:.+"))


def _like(old: Any, new: Any) -> Any:
    """A new cell as the object, list or bytes that it is the text of, where the old one was no text.

    The object of a map of Arrow, which is a list of entries, stays a text: keys may repeat in it.
    """
    if isinstance(new, bool) and isinstance(old, str):
        return text_of(new)
    if isinstance(new, str) and isinstance(old, bytes):
        return new.encode()
    if not isinstance(new, str) or not isinstance(old, dict | list | tuple):
        return new
    try:
        made = json.loads(new)
    except ValueError:  # a mask that is no JSON, by the plan of a column of plain texts
        return new
    return made if isinstance(made, dict) == isinstance(old, dict) else new


class _Arrow:
    def rebuilt(self, frame: Any, columns: Mapping[int, pl.Series], dropped: Set[int], kept: pl.Series | None) -> Any:
        pyarrow = import_module("pyarrow")
        if (columns or dropped) and any(pyarrow.types.is_struct(f.type) for f in frame.schema):
            raise UsageError("can't mask a table with a struct column; flatten it first")
        arrays, fields = [], []
        for i, field in enumerate(frame.schema):
            if i in dropped:
                continue
            array = frame.column(i)
            if i in columns:
                array = self._as(columns[i], field.type, pyarrow)
                field = field.with_type(array.type)
            if i in columns or kept is not None:
                field = _without_enum(field)
            arrays.append(array)
            fields.append(field)
        schema = pyarrow.schema(fields, metadata=frame.schema.metadata)
        made = type(frame).from_arrays(arrays, schema=schema)
        if kept is None:
            return made
        return made.filter(pyarrow.array(kept.to_list()))

    def renamed(self, frame: Any, names: Sequence[str | None]) -> Any:
        made = frame.rename_columns([name or old for name, old in zip(names, frame.schema.names, strict=True)])
        kept_metadata = {
            key: value for key, value in (frame.schema.metadata or {}).items() if key != _OF_PANDAS
        }  # it knows the old names
        return made.replace_schema_metadata(kept_metadata)

    def without_notes(self, frame: Any, identifies: Identifies) -> Any:
        found = dict(frame.schema.metadata or {})
        if (own := found.pop(_OF_PANDAS, None)) is not None:
            own = _plain_pandas(own, frozenset(frame.schema.names), identifies)
        kept = {k: v for k, v in found.items() if not identifies([b": ".join((k, v)).decode(errors="replace")])}
        kept |= {} if own is None else {_OF_PANDAS: own}
        frame = self._without_field_notes(frame, identifies)
        return frame if kept == (frame.schema.metadata or {}) else frame.replace_schema_metadata(kept)

    def _without_field_notes(self, frame: Any, identifies: Identifies) -> Any:
        """Remove metadata of fields that identifies somebody, and values of dictionaries that no row has."""
        pyarrow = import_module("pyarrow")
        arrays, fields = [], []
        for array, field in zip(frame.columns, frame.schema, strict=True):
            plain = _plain_field(field, identifies)
            array = without_leftovers(array)
            arrays.append(array if array.type.equals(plain.type, check_metadata=True) else array.cast(plain.type))
            fields.append(plain)
        return type(frame).from_arrays(arrays, schema=pyarrow.schema(fields, metadata=frame.schema.metadata))

    def _as(self, masks: pl.Series, array_type: Any, pyarrow: Any) -> Any:
        if masks.null_count() == len(masks):
            return pyarrow.nulls(len(masks), array_type)
        if pyarrow.types.is_map(array_type):
            masks = _as(masks, cast("pl.Series", pl.from_arrow(pyarrow.nulls(0, array_type))).dtype)
        (masks,) = written_anew([masks])
        array = masks.to_arrow()
        try:
            return (
                array.dictionary_encode().cast(array_type)
                if pyarrow.types.is_dictionary(array_type)
                else array.cast(array_type)
            )
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
            return array


def _plain_pandas(notes: bytes, names: Set[str], identifies: Identifies) -> bytes:
    """The notes of a pandas frame without attributes and names of axes that identify somebody.

    `names`: those of the columns, which have been replaced before where they do.
    """
    before = json.loads(notes)
    made = dict(before)
    if identifies([json.dumps(made.get("attributes") or {}, ensure_ascii=False)]):
        made["attributes"] = {}
    for part in ("index_columns", "column_indexes", "columns"):
        made[part] = [_plain_axis(entry, names, identifies) for entry in made.get(part) or ()]
    return notes if made == before else json.dumps(made).encode()


def _plain_axis(entry: Any, names: Set[str], identifies: Identifies) -> Any:
    if not isinstance(entry, dict):
        return entry
    found = {
        key
        for key in ("name", "field_name")
        if isinstance(entry.get(key), str) and entry[key] not in names and identifies([entry[key]])
    }
    return {key: None if key in found else value for key, value in entry.items()}


def _without_enum(field: Any) -> Any:
    """A field of Arrow without the list of categories that polars notes there."""
    notes = field.metadata or {}
    return field.with_metadata({k: v for k, v in notes.items() if not k.startswith(b"_PL_ENUM")} or None)


def _plain_field(field: Any, identifies: Identifies) -> Any:
    """A field of Arrow without metadata that identifies somebody, at any depth of structs and lists."""
    types = import_module("pyarrow").types
    metadata = {
        key: value
        for key, value in (field.metadata or {}).items()
        if not identifies([b": ".join((key, value)).decode(errors="replace")])
    }
    dtype = field.type
    if types.is_struct(dtype):
        dtype = import_module("pyarrow").struct([_plain_field(inner, identifies) for inner in dtype])
    elif types.is_list(dtype) or types.is_large_list(dtype):
        kind = import_module("pyarrow").large_list if types.is_large_list(dtype) else import_module("pyarrow").list_
        dtype = kind(_plain_field(dtype.value_field, identifies))
    elif types.is_fixed_size_list(dtype):
        dtype = import_module("pyarrow").list_(_plain_field(dtype.value_field, identifies), dtype.list_size)
    return field.with_type(dtype).with_metadata(metadata or None)
