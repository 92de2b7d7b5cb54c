"""Damaged files: is what stands in them found, or said not to have been read?

`python -m tests.fuzz` makes files of every kind with needles in them, damages them, and holds piiscan to its promise: a
byte of an input is read, or a line of the report says that it wasn't. See docs/benchmarks.md, "Tried against".
"""
