"""Verdicts from exact summaries, headers, the trained model and neighbouring columns."""
