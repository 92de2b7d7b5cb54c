"""Messages between coordinator and sites: a line of JSON, and a vector of 64-bit numbers. No pickle, no code.

They hold no row and no cell: requests hold sums that everybody gets; replies hold sealed vectors, seeds, and errors.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import version
from typing import Any, Final

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.core.version import __version__
from piiscan.federated.secret_sums import Words

VERSION: Final = 1
_LONGEST: Final = 1 << 30


@cache
def tool() -> str:
    """Return what computes here, by name and version. Sums of two versions aren't added."""
    return f"piiscan {__version__}, OpenDP {version('opendp')}"


def pack(told: dict[str, Any], vector: Words | None = None) -> bytes:
    """Return a message as bytes: always the same ones for the same message."""
    header = json.dumps({"version": VERSION, **told}, sort_keys=True, ensure_ascii=True).encode()
    return header + b"\n" + (b"" if vector is None else vector.astype("<u8").tobytes())


def unpack(message: bytes) -> tuple[dict[str, Any], Words]:
    """Return a message's entries and its vector, empty if there is none. Raises `UsageError`."""
    header, newline, rest = message.partition(b"\n")
    try:
        told = json.loads(header)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not newline or len(rest) % 8 or len(message) > _LONGEST:
        raise UsageError("malformed message; do all sites and the coordinator run piiscan?")
    if told.pop("version", None) != VERSION:
        raise UsageError(f"a message of another version of piiscan; this one speaks version {VERSION}")
    return told, np.frombuffer(rest, dtype="<u8").astype(np.uint64)
