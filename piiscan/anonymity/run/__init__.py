"""Anonymises a file: reads it, searches, writes, and counts the output again."""
