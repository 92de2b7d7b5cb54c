"""Arrays in `models/`: files of numpy arrays without pickled objects.

Each is listed with its digest in `models/digests.json`.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from piiscan.core.errors import ModelError
from piiscan.core.resources import folder
from piiscan.core.stored_arrays import stored_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIGESTS = "digests.json"
IN_16_BITS = frozenset(
    """
        hidden_header hidden_dense output linear_header gram_hidden gram_dense gram_output table_hidden table_output
    """.split()
)
"""The largest arrays of a model of columns, each weight to a thousandth of itself. Not `linear_dense`: what
`piiscan train` adds to it is rounded as it is."""


def load(name: str) -> tuple[dict[str, NDArray[np.generic]], str]:
    """The arrays of `models/NAME.npz`, and the file's digest.

    Raises `ModelError` where it is missing or isn't the file that piiscan shipped.
    """
    path = folder("models") / f"{name}.npz"
    try:
        expected = json.loads((folder("models") / DIGESTS).read_text(encoding="ascii"))[path.name]
        content = path.read_bytes()
    except (OSError, KeyError, ValueError):
        raise ModelError(f"models/{path.name} is missing; reinstall piiscan-toolkit") from None
    if digest(content) != expected:
        raise ModelError(
            f"models/{path.name} is not the file that this version was made with; reinstall piiscan-toolkit"
        )
    return {key: _without_subnormals(array) for key, array in stored_arrays(content).items()}, expected


def arrays(content: bytes, path: Path) -> dict[str, NDArray[np.generic]]:
    """The arrays in the bytes of a file. Raises `ModelError` where they are something else."""
    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {key: _without_subnormals(file[key]) for key in file.files}
    except Exception:
        raise ModelError(f"{path.name} contains no readable arrays; make it again with `piiscan train`") from None


def _without_subnormals(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Replace weights too small for a normal number by zeros.

    They change no sum, and processors take up to fifty times as long for each.
    """
    import numpy as np

    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.float32(0), array)


def digest(content: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def packed(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """The bytes of a file with these arrays, the same for the same ones.

    The weights that `IN_16_BITS` names are in 16 bits, other floats in 32.
    """
    import numpy as np

    found = {
        key: array.astype(np.float16 if key in IN_16_BITS else np.float32)
        if np.issubdtype(array.dtype, np.floating)
        else array
        for key, array in arrays.items()
    }
    file = io.BytesIO()
    np.savez(file, **found)  # type: ignore[arg-type]  # inflating would take longer than a small scan can wait
    return file.getvalue()
