"""Scans and masks of Dask data frames, with the results of one machine."""

from __future__ import annotations

from piiscan.engines.dask_frames import mask, scan

__all__ = ["mask", "scan"]
