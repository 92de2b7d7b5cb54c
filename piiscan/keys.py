"""Keys: where they come from, and the subkeys that each domain gets. Nobody but this module holds a master key."""

from __future__ import annotations


class Subkey:
    """The 32 bytes that belong to one domain. Doesn't show them; see `secret`."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return "<Subkey>"

    @property
    def secret(self) -> bytes:
        return self._secret

    def derive(self, *context: str) -> Subkey:
        """The subkey for a use within the domain (HKDF)."""
        raise NotImplementedError


class Key:
    """A master key and its public id. `subkey(domain)` is all that it is for."""
