"""Writes what was read again, in its own format, with changed columns."""

from __future__ import annotations

from piiscan.io.write.change import Change, Changed, Column, Rewritten, Staged
from piiscan.io.write.tree import rewrite

__all__ = ["Change", "Changed", "Column", "Rewritten", "Staged", "rewrite"]
