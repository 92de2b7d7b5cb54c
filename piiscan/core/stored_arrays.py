"""The arrays of an uncompressed `.npz` file, read in place."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LENGTHS: Final = struct.Struct("<26xHH")
"""Of a member's name and of its extra fields, in the 30 bytes before them."""


def stored_arrays(content: bytes) -> dict[str, NDArray[np.generic]]:
    """The arrays in the bytes of a file that `numpy.savez` wrote, by name: read-only, in the memory of `content`.

    `numpy.load` copies each twice and computes its CRC-32, which takes longer than the SHA-256 of the whole file. So
    this is for files whose digest was compared before. Raises `ValueError` for a compressed member, for objects, and
    for what only later versions of the format hold.
    """
    import numpy as np

    found = {}
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream) as file:
        members = file.infolist()
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{member.filename} is compressed")
        stream.seek(member.header_offset + _LENGTHS.size + sum(_LENGTHS.unpack_from(content, member.header_offset)))
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError(f"{member.filename} is of a later version of the format")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        flat = np.frombuffer(content, dtype, math.prod(shape), stream.tell())
        array = flat.reshape(shape, order="F" if by_columns else "C")
        # Members begin anywhere; arithmetic on numbers across the borders of words is slow.
        found[member.filename.removesuffix(".npy")] = np.require(array, requirements="A")
    return found
