"""Scans in parts, for any engine.

Partitions are summed up wherever they are, their sums are added in any order, and the report is that of one machine.

`piiscan.spark`, `piiscan.ray` and `piiscan.dask` stand on it.
"""

from __future__ import annotations

from piiscan.engines.count_parts import histogram
from piiscan.engines.mask_parts import MaskSpec, apply, mask_spec
from piiscan.engines.scan_parts import ScanSpec, finish, fold, scan_spec, summarise
from piiscan.engines.tally_parts import TallyRequest, tally

__all__ = [
    "MaskSpec",
    "ScanSpec",
    "TallyRequest",
    "apply",
    "finish",
    "fold",
    "histogram",
    "mask_spec",
    "scan_spec",
    "summarise",
    "tally",
]
