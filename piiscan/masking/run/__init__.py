"""Masks files and frames: reads, applies a plan, verifies the output, and only then names it."""
