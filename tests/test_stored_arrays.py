"""Arrays read in place are those that numpy reads, and can't be changed."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from piiscan.core.stored_arrays import stored_arrays

DTYPES = ("u1", "<u2", "<u4", "<i8", "<f2", "<f4", "<U5", "?")
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, min_side=0))
)


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@given(st.dictionaries(st.from_regex("[a-z_]{1,9}[.a-z]?", fullmatch=True), ARRAYS, max_size=4), st.booleans())
def test_what_numpy_saved_is_read_back(arrays: dict[str, np.ndarray], by_columns: bool) -> None:
    given = {f"x{name}": np.asfortranarray(array) if by_columns else array for name, array in arrays.items()}
    content = packed(given)
    found = stored_arrays(content)
    with np.load(io.BytesIO(content)) as known:
        assert list(found) == known.files
        for name, array in found.items():
            assert (array.dtype, array.shape) == (known[name].dtype, known[name].shape)
            assert array.tobytes() == known[name].tobytes()
            assert array.flags.aligned


def test_shared_memory_cannot_be_written() -> None:
    (array,) = stored_arrays(packed({"a": np.arange(5, dtype=np.uint8)})).values()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_compressed_members_and_objects_are_refused() -> None:
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(9))
    with pytest.raises(ValueError, match="compressed"):
        stored_arrays(file.getvalue())
    with pytest.raises(ValueError):
        stored_arrays(packed({"a": np.array([{}], dtype=object)}))
