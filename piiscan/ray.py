"""Scans and masks of Ray data sets, with the results of one machine."""

from __future__ import annotations

from piiscan.engines.ray_data import mask, scan

__all__ = ["mask", "scan"]
