"""Masking by all principal components, which rotates the table and changes nothing else.

This is obfuscation, not protection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from piiscan.core.errors import UsageError
from piiscan.dp.domains import numbers
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions

Floats = npt.NDArray[np.float64]
WARNING: Final = (
    "obfuscated, not anonymous: this is the rotated table, with every distance between two people kept. Anyone "
    "who knows one row more than there are columns can recover all of them."
)


@dataclass(frozen=True, slots=True)
class Obfuscated:
    """An obfuscated table.

    `frame`: a polars frame with the columns `obfuscated_1`, `obfuscated_2`, …, rows in their order. `warning`: what
    it doesn't protect; keep it with the data.
    """

    frame: Any
    warning: str = WARNING


def pca_mask(frame: Any) -> Obfuscated:
    """Compute the principal components of a table of numbers, as many as it has columns, the greatest variance first.

    frame: a pandas, polars or pyarrow frame in which every cell is a finite number. The sign of a component makes its
    largest loading positive, so the same table gives the same numbers.

    Guarantee:
        Assumes: nothing.
        Ensures: that no cell of the table appears unchanged in the result, except by chance. That is all.
        Does not protect against: anyone who knows p + 1 of the n rows, with p columns: `recover_rows` computes all
        others. Distances, clusters and outliers stay as they were, so people can be found by their neighbours.
        Test: test_techniques.py::test_fourteen_known_rows_recover_all_of_them
    Raises `UsageError`.
    """
    import polars as pl

    centred = matrix(frame)
    centred = centred - centred.mean(axis=0)
    _, loadings = np.linalg.eigh(centred.T @ centred)  # a column for each component, the least variance first
    loadings = loadings[:, ::-1]
    turned = centred @ (loadings * np.sign(np.take_along_axis(loadings, np.abs(loadings).argmax(axis=0)[None], axis=0)))
    return Obfuscated(pl.DataFrame({f"obfuscated_{i}": column for i, column in enumerate(turned.T, 1)}))


def matrix(frame: Any) -> Floats:
    """(rows, columns) of a frame of numbers. Raises `UsageError` if a cell isn't a number."""
    table = inputs.from_frame(frame, ReadOptions())
    parts = [np.column_stack([_column(cells) for cells in batch.frame.iter_columns()]) for batch in table.batches()]
    if not parts or not len(found := np.concatenate(parts)):
        raise UsageError("the table has no rows or no columns, so it can't be rotated")
    return found


def _column(cells: Any) -> Floats:
    values = numbers(cells)
    if values.null_count() or not values.is_finite().all():
        raise UsageError(
            "principal components need a number in every cell; leave out other columns, and rows with missing cells"
        )
    return values.to_numpy()
