"""Writes what was read in its own format, with changed columns, whole or not at all."""
