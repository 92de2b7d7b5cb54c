"""Certificates, keys and messages in armour: Base64 between lines of dashes (RFC 7468, RFC 9580).

Lines of keys hold no text. Certificates and public keys may name people, and encrypted messages may say anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from piiscan.core.base64_texts import from_base64

if TYPE_CHECKING:
    import polars as pl

_BEGIN: Final = "-----BEGIN "
_LINE: Final = r"^\s*-----(BEGIN|END) ([A-Z0-9 ]+)-----\s*$"
_OF_KEYS: Final = r"^-----(BEGIN|END) (?:[A-Z0-9]+ )*(?:CERTIFICATE|KEY|REQUEST|CRL|PARAMETERS)-----\s*$"
"""Around certificates and keys alone: signed messages begin in armour, too, and go on as plain text."""
_PACKED: Final = re.compile(r"\s*([A-Za-z0-9+/]+={0,2})\s*")
_SEALED: Final = frozenset(("PGP MESSAGE", "CMS", "PKCS7", "PKCS #7 SIGNED DATA"))
"""What may hold anything."""
_PRIVATE: Final = "PRIVATE KEY"
_STRING: Final = re.compile(rb"(?=[\x0c\x13\x14]([\x05-\x7f]))")
"""What begins a text in certificates (ASN.1), and its length."""
_MAIL: Final = re.compile(rb"[\w.+-]@[A-Za-z0-9-]+\.[A-Za-z]")
_NAMES: Final = (b"\x06\x03\x55\x04\x04", b"\x06\x03\x55\x04\x2a")
"""What begins surnames and given names in certificates (X.520)."""


def begins(text: str) -> bool:
    """Whether a text begins with a line of dashes."""
    return text.lstrip("\ufeff \t\r\n").startswith(_BEGIN)


def within(lines: pl.Series) -> pl.Series:
    """Which lines are within the armour of a certificate or a key."""
    import polars as pl

    mark = lines.str.extract(_OF_KEYS)
    opens, closes = (mark == "BEGIN").fill_null(False), (mark == "END").fill_null(False)
    return (opens.cast(pl.Int32) - closes.cast(pl.Int32)).cum_sum() > 0


def unread(lines: pl.Series) -> int:
    """How many pieces of armour in some lines hold a person's name, an address of mail, or a message."""
    if not lines.str.contains(_BEGIN, literal=True).any():
        return 0
    return sum(_holds_somebody(kind, data) for kind, data in _pieces(lines.to_list()))


def reason(count: int) -> str:
    """Why they count as not read."""
    what = "1 certificate, key or message holds" if count == 1 else f"{count:,} certificates, keys or messages hold"
    return f"{what} names or texts in Base64, which weren't read; print what is in them as text"


def _pieces(lines: list[str | None]) -> Iterator[tuple[str, bytes]]:
    """What is between lines of dashes, by what they say it is; up to the last line where an end is missing."""
    kind, held = "", list[str]()
    for line in lines:
        if line is not None and "-----" in line and (mark := re.match(_LINE, line)) is not None:
            if kind:
                yield kind, _unpacked(held)
            kind = mark[2] if mark[1] == "BEGIN" else ""
            held.clear()
        elif kind and line is not None and (packed := _PACKED.fullmatch(line)) is not None:
            held.append(packed[1])
    if kind:
        yield kind, _unpacked(held)


def _unpacked(lines: list[str]) -> bytes:
    return from_base64("".join(lines)) or b""


def _holds_somebody(kind: str, data: bytes) -> bool:
    from piiscan.detection.matching.identifiers_in_names import is_of_person

    if kind in _SEALED:
        return True
    if kind.endswith(_PRIVATE):  # nothing but numbers, and a finding by itself
        return False
    if _MAIL.search(data) or any(beginning in data for beginning in _NAMES):
        return True
    texts = (data[found.start() + 2 :][: found[1][0]] for found in _STRING.finditer(data))
    return any(is_of_person(text.decode("utf-8", "replace")) for text in texts)
