"""Differentially private summaries of files and frames: the passes over a table, the charge, and the release."""

from __future__ import annotations

from piiscan.summarizing.run import Summary, summarize_table
from piiscan.summarizing.source import Source

__all__ = ["Source", "Summary", "summarize_table"]
