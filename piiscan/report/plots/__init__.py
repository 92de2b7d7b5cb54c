"""A few plots of plain numbers for reports: SVG or PNG, the same bytes for the same numbers."""
