r"""Files of accounts, whose lines have fixed fields between colons and no header.

Sources: the manual pages passwd(5), master.passwd(5), shadow(5), group(5) and gshadow(5), "The Password File" of
PostgreSQL's documentation, and htpasswd of the Apache HTTP Server's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_LOOKED_AT: Final = 1000
_FIRST: Final = 4096
_NAME: Final = r"[^:\s#][^:\s]*"
_DAY: Final = r"-?\d*"
_HASH: Final = (
    r"(?:\$(?:apr1|2[abxy]?|[1567]|g?y|argon2i?d?|sha1|md5|scrypt)\$"
    r"|\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\})[^:\s]{12,}"
)
_LOCKED: Final = rf"(?:[!*x]*|!*{_HASH}|[!*]*[./0-9A-Za-z]{{13}}|\*[A-Z]+\*)"
_USER: Final = "user name"
_PASSWORD: Final = "password"
_GROUP: Final = "user group id"
"""Most users have a group of their own, with their name and number."""
_ELSEWHERE: Final = re.compile(r"[x!*]*")
"""In place of a password that is in another file, or that nobody has."""


def _layout(pattern: str, *columns: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    return re.compile(pattern), columns


_LAYOUTS: Final = (
    _layout(
        rf"{_NAME}:[^:]*:\d*:\d*:[^:]*:(?:[/~][^:]*)?:(?:/[^:]*)?",
        _USER, _PASSWORD, "user id", _GROUP, "full name", "home folder", "shell",
    ),
    _layout(
        rf"{_NAME}:[^:]*:\d+:\d+:[^:]*:\d+:\d+:[^:]*:(?:[/~][^:]*)?:(?:/[^:]*)?",
        _USER, _PASSWORD, "user id", _GROUP, "class", "change", "expire", "full name", "home folder", "shell",
    ),
    _layout(
        rf"{_NAME}:{_LOCKED}:{_DAY}:{_DAY}:{_DAY}:{_DAY}:{_DAY}:{_DAY}:[^:]*",
        _USER, _PASSWORD, "changed", "shortest", "longest", "warned", "inactive", "expires", "reserved",
    ),
    _layout(rf"{_NAME}:[x!*]*:\d+:[^:\s]*", _USER, _PASSWORD, _GROUP, "user names"),
    _layout(rf"{_NAME}:(?:[!*]+|!*{_HASH}):[^:\s]*:[^:\s]*", _USER, _PASSWORD, "administrators", "user names"),
    _layout(
        r"(?:\*|localhost|/[^:]*|[\w-]+(?:\.[\w-]+)+):(?:\*|[56]\d{3}|\d{5}):(?:[^:\\]|\\.)*:(?:[^:\\]|\\.)*:(?:[^:\\]|\\.)*",
        "host", "port", "database", _USER, _PASSWORD,
    ),
    _layout(rf"{_NAME}:{_HASH}", _USER, _PASSWORD),
)  # fmt: skip


def begins(text: str) -> bool:
    """Whether the first lines of a text have such a layout."""
    lines = text[:_FIRST].splitlines()
    return columns(lines[:-1] if len(text) > _FIRST else lines) is not None


def columns(lines: Sequence[str]) -> tuple[str | None, ...] | None:
    """What the fields of some lines are, in words, where all but comments and blank ones have the same layout.

    A field of passwords that holds none is None, and so is the result for other lines.
    """
    each = (line for line in lines[:_LOOKED_AT] if line.strip() and not line.startswith("#"))
    first = next(each, None)
    if first is None or ":" not in first:
        return None
    some = [first, *each]
    names = next((found for pattern, found in _LAYOUTS if all(map(pattern.fullmatch, some))), None)
    if names is None or _PASSWORD not in names:
        return names
    held = [line.split(":")[1] for line in some if names.index(_PASSWORD) == 1]
    is_empty = bool(held) and all(map(_ELSEWHERE.fullmatch, held))
    return tuple(None if name == _PASSWORD and is_empty else name for name in names)
