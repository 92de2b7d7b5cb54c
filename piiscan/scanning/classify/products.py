"""Products of matrices that are the same to the bit on any number of cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def product(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows, k) by (k, columns), added up in one order.

    `@` leaves the order to a library of linear algebra, which cuts the work up by cores; and whose threads wait in busy
    loops for a next product, several times as long as a table takes to judge.
    """
    return np.asarray(np.einsum("ij,jk->ik", left, right))
