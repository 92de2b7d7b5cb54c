"""What arrays of Arrow keep in memory and no row has.

These are values of dictionaries, of rows that were cut off, and below nulls. Files and pickles would have them, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import numpy as np

_SLACK: Final = 128
"""Bytes by which buffers are padded, for each of them."""


def unused(array: Any) -> list[Any]:
    """The values of a column's dictionaries, at any depth, that none of its rows has, each once.

    Chunks may differ in their dictionaries: what one of them has in a row is used.
    """
    here: set[Any] = set()
    all_of_them: dict[Any, None] = {}
    for coded in _dictionaries(array):
        all_of_them.update(dict.fromkeys(coded.dictionary.to_pylist()))
        here.update(coded.unique().to_pylist())
    return [value for value in all_of_them if value not in here and value is not None]


def _dictionaries(array: Any) -> Iterator[Any]:
    types = import_module("pyarrow").types
    if hasattr(array, "chunks"):
        for part in array.chunks:
            yield from _dictionaries(part)
    elif types.is_dictionary(array.type):
        yield array
    elif holds_dictionary(array.type):
        if types.is_struct(array.type):
            for inner in array.flatten():
                yield from _dictionaries(inner)
        elif types.is_map(array.type):
            entries = _cut(array)
            yield from _dictionaries(entries.keys)
            yield from _dictionaries(entries.items)
        else:
            yield from _dictionaries(array.flatten())


def holds_dictionary(dtype: Any) -> bool:
    """Whether a type is a dictionary, or has one in its structs, lists or maps."""
    types = import_module("pyarrow").types
    if types.is_dictionary(dtype):
        return True
    return types.is_nested(dtype) and any(holds_dictionary(dtype.field(i).type) for i in range(dtype.num_fields))


def without_leftovers(array: Any) -> Any:
    """The same column of the same type, without values that no row has."""
    pyarrow = import_module("pyarrow")
    if not hasattr(array, "chunks"):
        return _without(array)
    parts = [_without(part) for part in array.chunks]
    if all(new is old for new, old in zip(parts, array.chunks, strict=True)):
        return array
    return pyarrow.chunked_array(parts, array.type)


def _without(array: Any) -> Any:
    pyarrow = import_module("pyarrow")
    types, dtype = pyarrow.types, array.type
    if hasattr(dtype, "run_end_type"):  # runs that were cut off
        compute = import_module("pyarrow.compute")
        return compute.run_end_encode(compute.run_end_decode(array), run_end_type=dtype.run_end_type)
    if str(dtype).startswith(("list_view", "large_list_view")):  # elements that no list shows
        return pyarrow.array(array.to_pylist(), dtype)
    if types.is_dictionary(dtype):
        if len(array.unique().drop_null()) == len(array.dictionary):
            return array
        return array.cast(dtype.value_type).dictionary_encode().cast(dtype)
    if types.is_nested(dtype):
        return _nested(array, pyarrow)
    if dtype in (pyarrow.string_view(), pyarrow.binary_view()):  # whose buffers may be those of others
        plain = pyarrow.large_string() if dtype == pyarrow.string_view() else pyarrow.large_binary()
        return array.cast(plain).cast(dtype)
    if not array.null_count and array.get_total_buffer_size() <= array.nbytes + _SLACK:
        return array
    return _cut(array)


def _cut(array: Any) -> Any:
    """A copy of what the rows of an array refer to; dictionaries stay whole."""
    pyarrow = import_module("pyarrow")
    try:
        return array.take(pyarrow.array(np.arange(len(array))))
    except pyarrow.ArrowNotImplementedError:
        return array


def _nested(array: Any, pyarrow: Any) -> Any:
    types, dtype, gone = pyarrow.types, array.type, array.is_null()
    if types.is_struct(dtype):
        inner = [_without(child) for child in array.flatten()]
        return pyarrow.StructArray.from_arrays(inner, fields=list(dtype), mask=gone) if inner else array
    kinds = {
        types.is_map: pyarrow.MapArray,
        types.is_list: pyarrow.ListArray,
        types.is_large_list: pyarrow.LargeListArray,
        types.is_fixed_size_list: pyarrow.FixedSizeListArray,
    }
    kind = next((made for is_kind, made in kinds.items() if is_kind(dtype)), None)
    if kind is None:
        return array
    array = _cut(array)
    mask = gone if array.null_count else None
    if kind is pyarrow.MapArray:
        return kind.from_arrays(array.offsets, _without(array.keys), _without(array.items), type=dtype, mask=mask)
    if kind is pyarrow.FixedSizeListArray:
        return kind.from_arrays(_without(array.values), type=dtype, mask=mask)
    return kind.from_arrays(array.offsets, _without(array.values), type=dtype, mask=mask)
