"""piiscan finds personal data in files and tables and makes them safe to use."""

from __future__ import annotations

__version__ = "0.1.0"
