"""Short forms of given names, which texts use where columns hold the full one."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from piiscan.core.header_words import fold


@cache
def nicknames() -> dict[str, tuple[str, ...]]:
    """Given name, folded → short forms of it."""
    raw = tomllib.loads(Path(__file__).with_name("nicknames.toml").read_text(encoding="utf-8"))
    found: dict[str, tuple[str, ...]] = {}
    for name, short in raw.items():
        found[fold(name)] = (*found.get(fold(name), ()), *short)
    return found
