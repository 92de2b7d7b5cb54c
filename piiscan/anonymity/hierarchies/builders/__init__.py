"""Hierarchies built from a column's meaning, on public grids.

Their limits never come from the smallest and largest values of the column.
"""
