"""Hierarchies built from what a column is, on grids that are public: never from the column's own smallest and
largest values."""
