"""Techniques that are often taught and protect nobody by themselves, each with what breaks it."""
