"""Plans: which operator masks which column, as text that a person reads, edits and commits."""

from __future__ import annotations

from piiscan.plan.types import Action, Plan, Span, Subject, TablePlan

__all__ = ["Action", "Plan", "Span", "Subject", "TablePlan"]
