"""Protects a table: the search, the rows that are released, and the folder they are written to."""
