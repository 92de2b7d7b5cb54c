"""Applying a plan: cells in, masks out; needs nothing but the plan and the key."""
