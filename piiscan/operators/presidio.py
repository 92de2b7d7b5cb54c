"""piiscan's operators as operators of Presidio's anonymizer. Needs the extra `text`.

Importing this module without it raises `MissingExtra` with the install command.
"""

from __future__ import annotations

from piiscan.masking.operators.presidio_operators import NAME, Anonymize, Restore

__all__ = ["NAME", "Anonymize", "Restore"]
