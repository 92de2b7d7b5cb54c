"""Finds values of the columns of a run in texts, in whatever form they are written there."""
