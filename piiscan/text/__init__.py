"""Personal data inside free text, as spans.

`piiscan.text.spans(text)` finds what rules and the recogniser of persons, places and organisations find; `Analyzer` does it for
many texts and other rules.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from piiscan.text.analyzer import Analyzer, spans
    from piiscan.text.span import Span

__all__ = ["Analyzer", "Span", "spans"]

_HOME = {"Analyzer": "piiscan.text.analyzer", "Span": "piiscan.text.span", "spans": "piiscan.text.analyzer"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'piiscan.text' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
