"""Aggregates of files and frames: the passes over a table, what may be published of it, and where that is noted."""
