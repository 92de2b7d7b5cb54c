"""A table protected in one go: identifiers gone, the rest anonymised, checked as written, and a private summary beside it."""

from __future__ import annotations

from piiscan.protecting.release import Release, protected
from piiscan.protecting.request import Request

__all__ = ["Release", "Request", "protected"]
