"""Arrow frames as polars frames, with texts for the types that polars lacks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from piiscan.core.errors import UsageError
from piiscan.io.content import is_failure
from piiscan.io.printed_names import evident
from piiscan.io.quiet import quiet

if TYPE_CHECKING:
    import polars as pl


def to_polars(frame: Any) -> pl.DataFrame:
    """Convert a pyarrow Table or RecordBatch, of distinct names, to a polars frame.

    Run-end encoded cells and views of lists are decoded, and intervals of months, days and nanoseconds become texts.
    Raises `UsageError` for a column of a type that polars doesn't support.
    """
    frame = _with_texts(_decoded(frame))
    try:
        return taken(frame)
    except Exception:
        for i, field in enumerate(frame.schema):
            try:
                taken(frame.select([i]))
            except Exception:
                raise _not_read(i, field) from None
        raise


def without_rows(schema: Any) -> Any:
    """A pyarrow Table of a schema. Raises `UsageError` for a column of a type that isn't read."""
    pyarrow = import_module("pyarrow")
    for i, field in enumerate(schema):
        try:
            pyarrow.schema([field]).empty_table()
        except Exception:
            raise _not_read(i, field) from None
    return schema.empty_table()


def _not_read(number: int, field: Any) -> UsageError:
    name = f"number {number + 1}" if evident(field.name, None) else field.name
    kind = str(field.type).split("<")[0]  # without the names of its fields
    return UsageError(f"column {name}: Arrow's type {kind} isn't read; cast it to another")


def taken(data: Any) -> pl.DataFrame:
    """Convert Arrow data to polars.

    At some types it panics, which is no `Exception`, and prints where: that becomes a `UsageError`.
    """
    import polars as pl

    try:
        with quiet():
            return pl.DataFrame(data)
    except BaseException as error:
        if isinstance(error, Exception) or not is_failure(error):
            raise
        raise UsageError("data of Arrow with a type that isn't read; cast it to another") from None


def _decoded(frame: Any) -> Any:
    """A frame without run-end encoded columns and columns of views of lists."""
    pyarrow = import_module("pyarrow")
    types = pyarrow.types

    def is_odd(dtype: Any) -> bool:
        kinds = ("is_run_end_encoded", "is_list_view", "is_large_list_view")
        return any(hasattr(types, kind) and getattr(types, kind)(dtype) for kind in kinds)

    def decoded(cells: Any) -> Any:
        if not hasattr(cells.type, "run_end_type"):
            return pyarrow.array(cells.to_pylist(), pyarrow.large_list(cells.type.value_type))
        parts = cells.chunks if isinstance(cells, pyarrow.ChunkedArray) else [cells]
        decode = import_module("pyarrow.compute").run_end_decode
        return pyarrow.chunked_array([decode(part) for part in parts], cells.type.value_type)

    if not any(is_odd(field.type) for field in frame.schema):
        return frame
    arrays = [decoded(cells) if is_odd(cells.type) else cells for cells in frame.columns]
    names = frame.schema.names
    return pyarrow.table(arrays, names=names)


def _with_texts(frame: Any) -> Any:
    pyarrow = import_module("pyarrow")
    fields = [field.with_type(_text_type(field.type, pyarrow)) for field in frame.schema]
    changed = [i for i, field in enumerate(frame.schema) if fields[i].type != field.type]
    if not changed:
        return frame
    arrays = [
        pyarrow.array(map(_texts, frame.column(i).to_pylist()), fields[i].type) if i in changed else frame.column(i)
        for i in range(len(fields))
    ]
    return type(frame).from_arrays(arrays, schema=pyarrow.schema(fields))


def _text_type(dtype: Any, pyarrow: Any) -> Any:
    """A type with text in the place of intervals."""
    types = pyarrow.types
    if types.is_interval(dtype):
        return pyarrow.string()
    if types.is_struct(dtype):
        made = pyarrow.struct([f.with_type(_text_type(f.type, pyarrow)) for f in dtype])
    elif types.is_map(dtype):
        made = pyarrow.map_(_text_type(dtype.key_type, pyarrow), _text_type(dtype.item_type, pyarrow))
    elif types.is_list(dtype) or types.is_large_list(dtype) or types.is_fixed_size_list(dtype):
        made = pyarrow.list_(_text_type(dtype.value_type, pyarrow))
    else:
        return dtype
    return made if _holds_interval(dtype, types) else dtype


def _holds_interval(dtype: Any, types: Any) -> bool:
    return types.is_interval(dtype) or any(_holds_interval(dtype.field(i).type, types) for i in range(dtype.num_fields))


def _texts(value: Any) -> Any:
    """A cell with its intervals as texts."""
    if hasattr(value, "nanoseconds"):
        return _interval(*value)
    if isinstance(value, dict):
        return {key: _texts(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_texts, value))
    return value


def _interval(months: int, days: int, nanoseconds: int) -> str:
    """As DuckDB writes it.

    >>> _interval(14, 1, 3_001_500_000_000), _interval(0, -2, 0), _interval(0, 0, 0)
    ('1 year 2 months 1 day 00:50:01.5', '-2 days', '00:00:00')
    """
    sign = -1 if months < 0 else 1
    counts = ((sign * (abs(months) // 12), "year"), (sign * (abs(months) % 12), "month"), (days, "day"))
    parts = [f"{count} {unit}{'' if abs(count) == 1 else 's'}" for count, unit in counts if count]
    if nanoseconds or not parts:
        seconds, fraction = divmod(abs(nanoseconds), 10**9)
        time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:09}".rstrip("0").rstrip(".")
        parts.append(("-" if nanoseconds < 0 else "") + time)
    return " ".join(parts)
