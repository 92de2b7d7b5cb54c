"""Applying a plan: cells in, masks out; needs nothing but the plan and the key."""

from __future__ import annotations

from piiscan.apply.table import Masked, TableMasker

__all__ = ["Masked", "TableMasker"]
