"""Draws rows that have exactly the moments of a group, and no other property of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.aggregates.moments import Floats
from piiscan.aggregates.result import Aggregates, Group
from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

_TOLERANCE: Final = 1e-9
"""Smaller eigenvalues of correlations are rounding errors."""
_STEPS: Final = 200


class Unpacked(NamedTuple):
    """The drawn rows.

    `frame`: the rows, in the groups' order, with the grouping columns as text. `notes`: what doesn't hold exactly,
    and what was left out.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]


def unpacked(aggregates: Aggregates, seed: int) -> Unpacked:
    """Draw rows whose count, means, standard deviations and correlations in each group are those of the aggregates.

    Rows are drawn from a normal distribution, then whitened and coloured; the figures hold up to rounding. Totals are
    left out. Impossible correlations, which noise can produce, become the nearest possible ones; a group of n rows
    can vary in n − 1 dimensions, so more dimensions are cut to the strongest. The notes report both. Raises
    `UsageError` if there is no group to unpack.
    """
    import polars as pl

    if seed < 0:
        raise UsageError("seed must be 0 or more")
    random = np.random.default_rng(seed)
    groups = [g for g in aggregates.groups if not g.is_total]
    kept = [g for g in groups if g.count > 0 and None not in g.mean]
    if not kept:
        raise UsageError(
            "there is no group to unpack; totals alone are left out, since they may include withheld groups"
        )
    notes = (
        [f"{len(groups) - len(kept)} groups have no rows or no means, and are left out"]
        if len(kept) < len(groups)
        else []
    )
    parts = [_drawn(group, random) for group in kept]
    for what, number in (
        ("impossible correlations, which were replaced by the nearest possible ones", sum(p.mended for p in parts)),
        (
            "too few rows for their correlations, which were replaced by the nearest ones possible with so few rows",
            sum(p.cut for p in parts),
        ),
        (
            "unknown figures: these correlations and standard deviations were taken as 0",
            sum(p.unknown for p in parts),
        ),
    ):
        if number:
            notes.append(f"{number} of {len(kept)} groups have {what}")
    labels = {name: [g.key[i] for g in kept for _ in range(g.count)] for i, name in enumerate(aggregates.by)}
    rows = np.concatenate([p.rows for p in parts])
    return Unpacked(
        pl.DataFrame({**labels, **{name: rows[:, i] for i, name in enumerate(aggregates.columns)}}), tuple(notes)
    )


class _Part(NamedTuple):
    rows: Floats
    mended: bool
    cut: bool
    unknown: bool


def _drawn(group: Group, random: np.random.Generator) -> _Part:
    """(count, columns) the rows of one group."""
    n, mean, std = (
        group.count,
        np.array(group.mean, dtype=np.float64),
        np.nan_to_num(np.array(group.std, dtype=np.float64)),
    )
    given = np.array(group.correlation, dtype=np.float64)
    varying = std > 0
    unknown = bool(n > 1 and (None in group.std or np.isnan(given[np.ix_(varying, varying)]).any()))
    target = np.where(varying[:, None] & varying[None, :], np.nan_to_num(given), 0.0)
    np.fill_diagonal(target, 1.0)
    correlation = _nearest(target)
    values, vectors = np.linalg.eigh(correlation[np.ix_(varying, varying)])
    rank = int((values > _TOLERANCE * max(len(values), 1)).sum())
    kept = min(rank, n - 1)
    away = np.zeros((n, len(mean)))
    if kept:
        strongest = slice(len(values) - kept, None)
        colours = vectors[:, strongest] * np.sqrt(values[strongest])
        # Where dimensions were cut, each column gets its standard deviation all the same.
        lengths = np.sqrt((colours**2).sum(axis=1))
        colours = np.divide(colours, lengths[:, None], out=np.zeros_like(colours), where=lengths[:, None] > 0)
        away[:, varying] = _white(n, kept, random) @ colours.T * std[varying]
    return _Part(mean + away, correlation is not target, kept < rank, unknown)


def _white(n: int, dimensions: int, random: np.random.Generator) -> Floats:
    """(n, dimensions) uncorrelated columns with mean 0 and sample standard deviation 1, made from normal draws."""
    drawn = random.standard_normal((n, dimensions))
    basis, triangle = np.linalg.qr(drawn - drawn.mean(axis=0))
    white: Floats = basis * np.sign(np.diagonal(triangle)) * np.sqrt(n - 1)
    return white


def _nearest(correlation: Floats) -> Floats:
    """Return the matrix itself if it is a correlation matrix, else the nearest one.

    Source: Higham, IMA J. Numer. Anal. 22, 2002 (alternating projections).
    """
    if np.linalg.eigvalsh(correlation)[0] >= -_TOLERANCE * len(correlation):
        return correlation
    found, correction = correlation, np.zeros_like(correlation)
    for _ in range(_STEPS):
        shifted = found - correction
        positive = _positive(shifted)
        correction = positive - shifted
        found = positive.copy()
        np.fill_diagonal(found, 1.0)
    found = _positive(found)
    scale = np.sqrt(np.diagonal(found))
    return found / scale[:, None] / scale[None, :]


def _positive(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    positive: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return positive
