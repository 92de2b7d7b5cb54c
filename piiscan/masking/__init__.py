"""Masking of files and frames: a plan applied, and the output checked before it gets its name."""

from __future__ import annotations

from piiscan.masking.column import column
from piiscan.masking.files import Done, Masking, broken_text, mask_files
from piiscan.masking.planning import plan_files, plan_frame

__all__ = ["Done", "Masking", "broken_text", "column", "mask_files", "plan_files", "plan_frame"]
