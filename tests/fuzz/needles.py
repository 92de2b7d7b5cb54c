"""Values whose finding can be told from a report alone: nothing else in these files is of their entities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NEEDLES: Final[Mapping[str, str]] = {
    "EMAIL_ADDRESS": "quillan@needle-post.com",
    "US_SSN": "ssn 536-22-1234",
    "CREDIT_CARD": "card 4539 1488 0343 6467",
    "IBAN_CODE": "iban DE89370400440532013000",
}
"""Entity → the text that stands in a file, with the word that tells what it is."""

Parts = Mapping[str, str]
"""Part of a file → the text with a needle that stands in it."""


def spoken(entity: str) -> str:
    """The needle of an entity in brackets, which keep it whole wherever texts stand side by side."""
    return f"({NEEDLES[entity]})"
