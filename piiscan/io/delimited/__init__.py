"""Delimited text and plain text: delimiters, header rows, and rows in blocks."""
