"""Personal data inside free text, as spans.

`piiscan.text.spans(text)` finds what rules and the recogniser of persons, places and organisations find; `Analyzer`
does it for many texts and other rules; `piiscan.text.presidio` offers both to Presidio.
"""

from __future__ import annotations

from piiscan.detection.text.analyzer import Analyzer, spans
from piiscan.detection.text.span import Span

__all__ = ["Analyzer", "Span", "spans"]
