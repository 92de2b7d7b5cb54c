"""The version of piiscan."""

__version__ = "0.1.0"
