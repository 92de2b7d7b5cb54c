"""piiscan's rules and its recogniser of names as parts of Presidio. Needs the extra `text`.

Importing this module without it raises `MissingExtra` with the install command.
"""

from __future__ import annotations

from piiscan.detection.text.presidio import (
    RULE,
    SUBTYPE,
    BlankEngine,
    NameRecognizer,
    RuleRecognizer,
    blank,
    engine,
    keep_offline,
    recognizers,
)

__all__ = [
    "RULE",
    "SUBTYPE",
    "BlankEngine",
    "NameRecognizer",
    "RuleRecognizer",
    "blank",
    "engine",
    "keep_offline",
    "recognizers",
]
