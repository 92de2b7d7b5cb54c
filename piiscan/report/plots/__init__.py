"""A few plots for reports, of plain numbers: SVG or PNG, the same bytes for the same numbers."""
