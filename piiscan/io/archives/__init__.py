"""Compressed files and archives: their members, and which bytes belong to none."""
