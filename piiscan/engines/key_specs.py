"""Where workers find a key: its place travels to them, never its bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, Union

from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    from piiscan.core.keys import Key

KeySpec: TypeAlias = Union[str, "Key", Callable[[], "Key | str"]]
"""`env:NAME`, `file:PATH` or `command:CMD`, on every worker; a `Key` that was loaded from one; or a function that is
called on the worker and gives either, for a store of secrets."""

_HOW = (
    'key says where each worker finds it: "env:NAME", "file:PATH", "command:CMD", a piiscan.Key that was loaded from '
    "one of these, or a function that is called on the worker and returns one"
)


def checked(key: KeySpec | None) -> KeySpec | None:
    """The spec, if it is one that may travel.

    Raises `UsageError`, which repeats nothing that may be the key, for bytes and for a key that was made of bytes.
    """
    from piiscan.core.keys import Key

    if key is None or callable(key):
        return key
    if isinstance(key, Key):
        key.__reduce__()  # refuses one that was made of bytes
        return key
    if isinstance(key, str) and key.partition(":")[0] in ("env", "file", "command") and key.partition(":")[2]:
        return key
    if isinstance(key, bytes | bytearray):
        raise UsageError(f"a key isn't sent to workers as bytes: it would stand in tasks and logs; {_HOW}")
    raise UsageError(_HOW)


def load(key: KeySpec | None) -> Key | None:
    """The key of a spec, in this process. Raises `UsageError`."""
    from piiscan.core.keys import Key

    found = key() if callable(key) else key
    if found is None or isinstance(found, Key):
        return found
    if not isinstance(found, str):
        raise UsageError(_HOW)
    return Key.load(found)
