"""The names that replace those of e-mail providers in masks."""

from __future__ import annotations

from typing import Final

RESERVED: Final = tuple(f"{name}.example" for name in "mail post inbox letters mailbox webmail postbox courier".split())
"""Their replacements: below a name that no one can register (RFC 2606)."""
