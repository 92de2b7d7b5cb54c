"""Synthetic tables that refer to each other: parents, their children, and the children of these.

Nothing here knows files. Private.
"""
