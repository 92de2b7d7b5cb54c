"""Groups of rows as aggregates: exact sums, the figures made of them, which groups may be published, and the way back to rows of the same moments.

Nothing here reads a file of data.
"""

from __future__ import annotations

from piiscan.aggregates.moments import Moments, coefficients, pooled
from piiscan.aggregates.release import Aggregates, Group

__all__ = ["Aggregates", "Group", "Moments", "coefficients", "pooled"]
