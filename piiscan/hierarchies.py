"""Generalisation hierarchies for `anonymize` and `protect`: built for a column, from a spec, or from a mapping."""

from __future__ import annotations

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_build import built, from_spec, proposed
from piiscan.anonymity.hierarchies.hierarchy_files import from_mapping

__all__ = ["Hierarchy", "built", "from_mapping", "from_spec", "proposed"]
