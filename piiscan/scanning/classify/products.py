"""Matrix products that are the same to the bit on any number of cores, and a check of probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from piiscan.core.errors import PiiscanError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def product(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows, k) by (k, columns), added up in one order.

    `@` leaves the order to a library of linear algebra, which cuts the work up by cores; and whose threads wait in busy
    loops for a next product, several times as long as a table takes to judge. What is zero in all rows, as most
    features of a table are, is left out: it adds nothing.
    """
    used = np.flatnonzero(left.any(axis=0))
    if not len(used):
        # `einsum` may read beyond arrays without elements, and multiply what it finds by zero, which can be NaN.
        return np.zeros((len(left), right.shape[1]), dtype=np.float32)
    if 4 * len(used) < 3 * left.shape[1]:
        left, right = left[:, used], right[used]
    return np.asarray(np.einsum("ij,jk->ik", left, right))


def finite(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities. Raises `PiiscanError` where one is not a number.

    Every comparison with such a one would give "not personal".
    """
    if not np.isfinite(probabilities).all():
        raise PiiscanError("the column model gave a probability that isn't a number, so a table can't be judged")
    return probabilities
