"""The lattice of generalisations: each node has one level for each quasi-identifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Node = tuple[int, ...]
MOST_NODES: Final = 1 << 24
"""Larger lattices are not searched."""


def nodes(shape: Sequence[int]) -> int:
    """Return the number of nodes."""
    number = 1
    for levels in shape:
        number *= levels
    return number


def climb(node: Node, top: Node, steps: Sequence[npt.NDArray[np.float64]]) -> list[Node]:
    """Return a path from a node to the top, on which each step raises the column whose next level costs least.

    `steps`: for each column (levels,) costs, rising.
    """
    path = [node]
    while path[-1] != top:
        at = path[-1]
        _, column = min((steps[i][level + 1] - steps[i][level], i) for i, level in enumerate(at) if level < top[i])
        path.append((*at[:column], at[column] + 1, *at[column + 1 :]))
    return path
