"""A few plots of plain numbers for reports: SVG or PNG, the same bytes for the same numbers.

They need the extra `plots`. Each function returns a `Plot`, which has a text alternative. The caller is responsible
for which numbers a plot may show.
"""

from __future__ import annotations

from piiscan.report.plots.charts import bars, curves, heatmaps, scatter, shares
from piiscan.report.plots.plot import Kind, Plot, kind_of, require

__all__ = ["Kind", "Plot", "bars", "curves", "heatmaps", "kind_of", "require", "scatter", "shares"]
