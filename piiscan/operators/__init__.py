"""Operators for plans, for authors of plug-ins; `piiscan.operators.presidio` offers them to Presidio."""
