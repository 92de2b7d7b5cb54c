"""Scans, plans and masks of Spark data frames, with the results of one machine."""

from __future__ import annotations

from piiscan.engines.spark_count import AnonymizedSpark, anonymize, risk
from piiscan.engines.spark_mask import mask, plan
from piiscan.engines.spark_people import remember
from piiscan.engines.spark_release import aggregate, summarize, synthesize
from piiscan.engines.spark_scan import scan, scan_tables
from piiscan.engines.spark_verify import verify

__all__ = [
    "AnonymizedSpark",
    "aggregate",
    "anonymize",
    "mask",
    "plan",
    "remember",
    "risk",
    "scan",
    "scan_tables",
    "summarize",
    "synthesize",
    "verify",
]
