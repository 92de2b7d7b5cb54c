"""Synthetic rows of files and frames: the passes over a table, the charge, the release, and the rows drawn from it."""

from __future__ import annotations

from piiscan.synthesizing.run import Synthetic, synthesize_table

__all__ = ["Synthetic", "synthesize_table"]
