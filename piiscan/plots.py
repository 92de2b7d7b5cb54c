"""A few plots for reports, of plain numbers: SVG or PNG, the same bytes for the same numbers. They need the extra
`plots`.

Each function gives a `Plot`, which carries its text alternative. What numbers it may show is the caller's to answer
for.
"""

from __future__ import annotations

from piiscan.report.plots.charts import bars, curves, heatmaps, scatter, shares
from piiscan.report.plots.plot import Kind, Plot, kind_of, require

__all__ = ["Kind", "Plot", "bars", "curves", "heatmaps", "kind_of", "require", "scatter", "shares"]
