"""Techniques that are often taught but protect nobody on their own, each with what breaks it."""
