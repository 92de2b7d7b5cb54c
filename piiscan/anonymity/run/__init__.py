"""Anonymises a file: reads it, searches, writes the result, and counts the output again."""
