"""The attack on masking by principal components: rows that somebody knows give away the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from piiscan.api.techniques.pca_masking import Floats, matrix
from piiscan.core.errors import UsageError

_NEAR = 1e-6
"""Distances count as equal within this share of the largest known one."""


def recover_rows(masked: Any, known: Any) -> Floats:
    """Every row of a table out of its `pca_mask` and `known`, some of its rows; nobody has to know where in the table
    those stand.

    masked: (n, p), a frame or what `Obfuscated.frame` holds. known: (m, p), a frame; p + 1 rows that don't lie in one
    plane suffice, a few more where others are by chance as far from each other. Masking keeps
    distances, so the known rows are found by how far they are from each other; they and their places then tell how the
    table was turned. Gives (n, p), exact up to rounding. Takes n² steps.

    Raises `UsageError` where the known rows aren't found, or don't determine the rest.
    """
    turned, rows = matrix(masked), matrix(known)
    if turned.shape[1] != rows.shape[1]:
        raise UsageError(
            f"the known rows have {rows.shape[1]} columns and the masked ones {turned.shape[1]}; they must be the same"
        )
    if np.linalg.matrix_rank(rows - rows[0]) < (rank := np.linalg.matrix_rank(turned - turned.mean(axis=0))):
        raise UsageError(
            f"the known rows don't determine the others: {rank + 1} that don't lie in one plane are needed"
        )
    places = _places(turned, rows)
    if places is None:
        raise UsageError("the known rows aren't those of the masked table: no rows of it are as far from each other")
    affine, *_ = np.linalg.lstsq(np.column_stack([turned[places], np.ones(len(places))]), rows, rcond=None)
    recovered: Floats = np.column_stack([turned, np.ones(len(turned))]) @ affine
    return recovered


def _places(turned: Floats, rows: Floats) -> list[int] | None:
    """Where the known rows stand: places whose distances from each other are theirs."""
    between = _distances(rows, rows)
    near = _NEAR * max(between.max(), 1.0)
    for first in range(len(turned)):
        from_first = _distances(turned, turned[first : first + 1])[:, 0]
        candidates = [np.flatnonzero(np.abs(from_first - d) < near) for d in between[0, 1:]]
        if all(map(len, candidates)) and (found := _chosen(turned, between, [first], candidates, near)):
            return found
    return None


def _chosen(turned: Floats, between: Floats, places: list[int], candidates: list[Any], near: float) -> list[int] | None:
    """One of each list of candidates, so that all distances hold: depth first."""
    at = len(places)
    if at == len(between):
        return places
    for place in candidates[at - 1]:
        distances = _distances(turned[places], turned[place : place + 1])[:, 0]
        if np.all(np.abs(distances - between[:at, at]) < near) and (
            found := _chosen(turned, between, [*places, int(place)], candidates, near)
        ):
            return found
    return None


def _distances(a: Floats, b: Floats) -> Floats:
    found: Floats = np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))
    return found
