"""Partial results as bytes that other processes can read: versioned, without pickle, compressed, and sealed if wanted.

A line with the version, the length of a header (4 bytes, big-endian), the header (JSON: the kind of result, what it was
made with, and the id of the key that seals it), and the content. What was made with different things isn't put
together.

Guarantee: assumes that a key, where one is given, is secret. Ensures that content which was sealed is read and changed
by nobody without the key, its header included. Does not protect content that isn't sealed: it holds cell values, so
treat it as the data itself.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.core.version import __version__

if TYPE_CHECKING:
    from piiscan.core.keys import Key

_VERSION: Final = b"piiscan part 1\n"
_NAME: Final = b"piiscan part "
_HEAD: Final = struct.Struct(">I")
_NONCE: Final = 12
_DOMAIN: Final = ("piiscan", "distributed parts")

Made = Mapping[str, str]
"""What a result was made with, by name: the versions of piiscan and polars, digests of rules and model."""


class Opened(NamedTuple):
    """The kind of a partial result, what it was made with, and its content."""

    kind: str
    made: Made
    content: bytes


def made_with(rules: str = "", model: str = "") -> Made:
    """What results of this process are made with."""
    import polars as pl

    return {"piiscan": __version__, "polars": pl.__version__, "rules": rules, "model": model}


def packed(kind: str, made: Made, content: bytes, key: Key | None = None) -> bytes:
    """The bytes of a result; sealed where there is a key."""
    header = json.dumps({"kind": kind, "made": dict(made), "key": None if key is None else key.id}, sort_keys=True)
    head = _VERSION + _HEAD.pack(len(header.encode())) + header.encode()
    return head + (content if key is None else _sealed(content, head, key))


def opened(data: bytes, kind: str, key: Key | None = None) -> Opened:
    """The result in some bytes.

    Raises `UsageError` where they are none of this kind, where they are sealed and there is no such key, and where they
    aren't sealed although there is a key.
    """
    data = bytes(data)
    if not data.startswith(_VERSION):
        if data.startswith(_NAME):
            raise UsageError(
                "the part was written by another version of piiscan; install the same one on the driver and all workers"
            )
        raise UsageError("these bytes are no part of a distributed result")
    try:
        (size,) = _HEAD.unpack_from(data, len(_VERSION))
        start = len(_VERSION) + _HEAD.size
        header: dict[str, Any] = json.loads(data[start : start + size])
        found, made, sealed_by = header["kind"], header["made"], header["key"]
    except (struct.error, ValueError, KeyError, TypeError):
        raise UsageError("the part of a distributed result is damaged") from None
    if found != kind:
        raise UsageError(f"the part is of another kind: {found}, not {kind}")
    head, content = data[: start + size], data[start + size :]
    if sealed_by is None and key is None:
        return Opened(found, made, content)
    if sealed_by is None:
        raise UsageError("the part isn't sealed and others are; make all parts with the same spec")
    if key is None or key.id != sealed_by:
        here = "there is none here" if key is None else f"the key here is {key.id}"
        raise UsageError(f"the part is sealed by the key {sealed_by}, and {here}; give the same key everywhere")
    return Opened(found, made, _unsealed(content, head, key))


def check_alike(one: Made, other: Made) -> None:
    """Raises `UsageError`, with both versions, for what was made with different things."""
    different = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
    if different:
        what = "; ".join(f"{name} {_short(one.get(name))} and {name} {_short(other.get(name))}" for name in different)
        raise UsageError(
            f"the parts were made with different things: {what}; install the same versions on the driver and all "
            "workers, and run all parts again"
        )


def _short(made: str | None) -> str:
    return made[:16] if made else "none"


def _sealed(content: bytes, head: bytes, key: Key) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key.subkey(*_DOMAIN).secret).encrypt(nonce, content, head)


def _unsealed(content: bytes, head: bytes, key: Key) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key.subkey(*_DOMAIN).secret).decrypt(content[:_NONCE], content[_NONCE:], head)
    except (InvalidTag, ValueError):
        raise UsageError("the part of a distributed result was changed or damaged") from None
