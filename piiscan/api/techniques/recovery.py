"""The attack on masking by principal components: a few known rows disclose all the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from piiscan.api.techniques.pca_masking import Floats, matrix
from piiscan.core.errors import UsageError

_NEAR = 1e-6
"""Distances count as equal within this share of the largest known one."""


def recover_rows(masked: Any, known: Any) -> Floats:
    """Recover every row of a table from its `pca_mask` and some known rows, whose positions needn't be known.

    masked: (n, p), a frame or `Obfuscated.frame`. known: (m, p), a frame; p + 1 rows that aren't in one hyperplane
    suffice, a few more if other rows happen to have the same distances. Masking keeps distances, so the known rows
    are found by their distances from each other; these and their positions determine the rotation. Returns (n, p),
    exact up to rounding. Takes n² steps.

    Raises `UsageError` if the known rows aren't found, or don't determine the rest.
    """
    turned, rows = matrix(masked), matrix(known)
    if turned.shape[1] != rows.shape[1]:
        raise UsageError(
            f"the known rows have {rows.shape[1]} columns and the masked ones {turned.shape[1]}; pass the same columns"
        )
    if np.linalg.matrix_rank(rows - rows[0]) < (rank := np.linalg.matrix_rank(turned - turned.mean(axis=0))):
        raise UsageError(
            f"the known rows don't determine the others: {rank + 1} that aren't in one hyperplane are needed"
        )
    places = _places(turned, rows)
    if places is None:
        raise UsageError("the known rows aren't rows of the masked table: no rows of it have the same distances")
    affine, *_ = np.linalg.lstsq(np.column_stack([turned[places], np.ones(len(places))]), rows, rcond=None)
    recovered: Floats = np.column_stack([turned, np.ones(len(turned))]) @ affine
    return recovered


def _places(turned: Floats, rows: Floats) -> list[int] | None:
    """Return the positions of the known rows: those whose distances from each other are the same."""
    between = _distances(rows, rows)
    near = _NEAR * max(between.max(), 1.0)
    for first in range(len(turned)):
        from_first = _distances(turned, turned[first : first + 1])[:, 0]
        candidates = [np.flatnonzero(np.abs(from_first - d) < near) for d in between[0, 1:]]
        if all(map(len, candidates)) and (found := _chosen(turned, between, [first], candidates, near)):
            return found
    return None


def _chosen(turned: Floats, between: Floats, places: list[int], candidates: list[Any], near: float) -> list[int] | None:
    """Choose one of each list of candidates, so that all distances match: depth first."""
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
