"""Counts, means and variances from noisy `sums.spreads`, each with a 95 % interval.

If a share of rows R / N is released as (R + e) / (N + f), it is off by (e − f · R / N) / (N + f): by at most the
noise of both over the noisy count, as no share is above 1. Rounding to 1 / ONE adds to that. No accuracy includes the
effect of clamping values to the bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piiscan.dp.learning.draws import Noisy
from piiscan.dp.learning.row_vectors import ONE, Features

if TYPE_CHECKING:
    from piiscan.dp.learning.row_vectors import Floats


class Spread(NamedTuple):
    """For each class: rows, and each entry's mean and variance in the column's unit.

    `..._within`: ± with 95 %; NaN if the noise is too large to say.
    """

    rows: Floats
    rows_within: float
    means: Floats
    means_within: Floats
    variances: Floats
    variances_within: Floats


def spread(noisy: Noisy, features: Features) -> Spread:
    """The parts of `sums.spreads`.

    Counts below the noise are raised to it; means then shrink to the middle of the bounds.

    A variance below its own noise is replaced by that of all classes together, whose noise is smaller, and which is
    never below that.
    """
    size = len(features.names)
    values = noisy.values.reshape(-1, 1 + 2 * size)
    rows = np.maximum(values[:, :1], noisy.sd)
    means = np.clip(values[:, 1 : 1 + size] / rows, features.lowest, 1.0)
    raw = values[:, 1 + size :] / rows - means**2
    least = noisy.within(1) / rows
    together = np.maximum((raw * rows).sum(axis=0), noisy.within(1) * np.sqrt(len(rows))) / rows.sum()
    variances = np.clip(np.where(raw > least, raw, together), ONE**-2, 1.0)
    known = np.where(values[:, :1] > noisy.sd, 1.0, np.nan)
    means_off = 2 * noisy.within(2) / rows + 0.5 / ONE
    variances_off = 2 * noisy.within(3) / rows + 2 * (2 * noisy.within(3) / rows + 0.5 / ONE) + 1 / ONE
    return Spread(
        values[:, 0],
        noisy.within(1),
        features.middle + features.half * means,
        known * means_off * features.half,
        features.half**2 * variances,
        np.where(raw > least, known, np.nan) * variances_off * features.half**2,
    )
