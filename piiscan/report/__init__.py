"""Renders results for people and tools: text, JSON, Markdown, SARIF, plots.

Private: import from `piiscan` and its façades, not from here.
"""
