"""What a column cannot be, whatever its values look like: lines of a text a column of names, versions addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from piiscan.core.header_words import tokens
from piiscan.core.types import TableInfo
from piiscan.scanning.classify import network_addresses
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates
from piiscan.scanning.classify.entities_inside import DIGITS
from piiscan.scanning.classify.word_lists import KEYS_OF_THINGS

NEARLY_ALL: Final = 0.8
"""Share of a text's lines that a rule matches as a whole from which they are a list of such values."""


def possible(column: ColumnCandidates, info: TableInfo) -> ColumnCandidates:
    """A column without the candidates that it cannot be."""
    refused = _no_text if info.format == "text" else _only_look
    return replace(column, candidates=tuple(c for c in column.candidates if not refused(column, c)))


def _no_text(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether a candidate is neither text nor what nearly every line is as a whole by a rule."""
    by_rule = any(r.by == "rule" and (r.share or 0.0) >= NEARLY_ALL for r in found.reasons)
    return found.entity != "FREE_TEXT" and not by_rule


def _only_look(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether only the look of its values speaks for a number of somebody, and the header names keys of things, or
    versions look the same."""
    if found.by_header or found.entity not in DIGITS or any(r.by == "checksum" for r in found.reasons):
        return False
    if found.entity == "IP_ADDRESS" and network_addresses.versions(column.profile.texts):
        return True
    return not KEYS_OF_THINGS.isdisjoint(tokens(column.header or ""))
